//! `f::graph()`, its drawings, and `f::report()`.

use autodiff::grad;
use autodiff::graph::{Graph, Reverse};

#[grad(report)]
fn pendulum(x: f64, y: f64, n: usize) -> f64 {
    let p = x + y;
    let q = x - y;
    let mut s = p * q;
    for i in 0..n {
        let t = s.sin() * (i as f64);
        s = if t > 0.5 { s * t } else { s.exp() * 0.5 };
    }
    s
}

#[grad(report)]
fn smooth(a: &mut [f64], x: f64) {
    for k in 1..a.len() {
        a[k] = a[k] * a[k - 1] * x;
    }
}

#[grad]
fn escaped(x: f64, name: &str) -> f64 {
    let heavy = name.contains("<&>\"\\") && name.len() > 3;
    if heavy { x * 2.0 } else { x }
}

/// The operations of the nodes that the node `name` is computed from.
fn sources(graph: &Graph, name: &str) -> Vec<&'static str> {
    let nodes: Vec<_> = graph.nodes().collect();
    let node = graph.node(name).expect("a node of that name");
    node.operands.iter().map(|k| nodes[k].op).collect()
}

#[test]
fn nodes_are_the_operations_under_the_names_of_the_source() {
    let graph = pendulum::graph();
    assert_eq!(graph.name(), "pendulum");
    assert!(graph.file().ends_with("graph.rs"), "{}", graph.file());
    let q = graph.node("q").expect("a node");
    assert_eq!((q.op, q.active, q.region), ("sub", true, None));
    assert_eq!(sources(graph, "q"), ["parameter", "parameter"]);
    assert_eq!(sources(graph, "t")[0], "sin");
    let names = |nodes: &[usize]| -> Vec<&str> {
        let all: Vec<_> = graph.nodes().collect();
        nodes.iter().map(|&k| all[k].name).collect()
    };
    assert_eq!(names(graph.parameters()), ["x", "y", "n"]);
    assert_eq!(names(graph.results()), ["s"]);
}

#[test]
fn lines_and_columns_are_those_of_the_source() {
    let line = line!() - 1;
    let p = pendulum::graph().node("p").expect("a node");
    // Older compilers do not say.
    if p.line > 0 {
        assert!(p.line < line, "{p:?}");
        let text = include_str!("graph.rs");
        let written = text.lines().nth(p.line as usize - 1);
        assert_eq!(written, Some("    let p = x + y;"));
        assert!(p.column > 4, "{p:?}");
    }
}

#[test]
fn regions_are_arms_and_loops_inside_each_other() {
    let graph = pendulum::graph();
    let regions: Vec<_> = graph.regions().map(|r| (r.kind, r.parent)).collect();
    assert_eq!(
        regions,
        [("for", None), ("then", Some(0)), ("else", Some(0))]
    );
    let exp = graph.nodes().find(|node| node.op == "exp");
    assert_eq!(exp.and_then(|node| node.region), Some(2));
    // What a loop carries comes from before it and from its own end.
    let carried = graph.nodes().find(|node| node.op == "carried");
    let nodes: Vec<_> = graph.nodes().collect();
    let from = carried.map(|node| node.operands.iter().map(|k| nodes[k].op).collect());
    assert_eq!(from, Some(vec!["mul", "if"]));
}

#[test]
fn each_node_says_what_the_reverse_sweep_does_with_it() {
    let reverse = |name| pendulum::graph().node(name).map(|node| node.reverse);
    assert_eq!(reverse("p"), Some(Reverse::Kept));
    assert_eq!(reverse("t"), Some(Reverse::Remembered));
    let store = smooth::graph().nodes().find(|node| node.op == "store");
    assert_eq!(store.map(|node| node.reverse), Some(Reverse::Saved));
    let load = smooth::graph().nodes().find(|node| node.op == "load");
    assert_eq!(load.map(|node| node.reverse), Some(Reverse::Reread));
    let n = pendulum::graph().node("n").expect("a node");
    assert!(!n.active);
}

#[test]
fn memory_depends_on_what_is_stored_in_it() {
    let graph = smooth::graph();
    assert_eq!(sources(graph, "a"), ["store"]);
    assert_eq!(graph.results(), &graph.parameters()[..1]);
}

#[test]
fn the_report_says_what_is_remembered_and_why() {
    let report = pendulum::report();
    assert!(
        report
            .contains("`exp` is remembered, 8 bytes: it takes longer to compute than to remember"),
        "{report}"
    );
    assert!(report.contains("loop: 24 bytes a round"), "{report}");
    assert!(report.contains("which arm ran is remembered"), "{report}");
    assert!(
        smooth::report().contains("`store` saves what it overwrites, 8 bytes"),
        "{}",
        smooth::report()
    );
}

/// Quotes are closed, brackets match.
fn is_balanced(dot: &str) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for c in dot.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    depth == 0 && !quoted
}

#[test]
fn drawings_are_well_formed() {
    for graph in [pendulum::graph(), smooth::graph(), escaped::graph()] {
        let (dot, svg) = (graph.to_dot(), graph.to_svg());
        assert!(dot.starts_with("digraph \"") && is_balanced(&dot), "{dot}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        // Every `<` begins a tag that ends, every `&` an entity.
        for tag in svg.split('<').skip(1) {
            assert_eq!(tag.matches('>').count(), 1, "{tag}");
        }
        for entity in svg.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;"];
            assert!(known.iter().any(|e| entity.starts_with(e)), "{entity}");
        }
        for (k, node) in graph.nodes().enumerate() {
            assert!(dot.contains(&format!("n{k} [label=\"")), "{k}: {node:?}");
        }
        assert_eq!(dot.matches(" -> ").count(), graph.edges().count());
    }
    assert!(escaped::graph().to_svg().contains("&lt;&amp;&gt;"));
}
