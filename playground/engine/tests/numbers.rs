//! What the page is told is what the library computes, to the last bit.
#![allow(missing_docs, reason = "tests")]

#[allow(clippy::pedantic, clippy::all, reason = "as people type")]
mod functions;

use autodiff::trace::Trace;
use serde_json::{Value, json};

const SOURCE: &str = include_str!("functions/mod.rs");

fn ask(request: &Value) -> Value {
    let answer = playground_engine::answer(&request.to_string());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

fn run(source: &str, function: &str, inputs: &Value) -> Value {
    let answer =
        ask(&json!({ "do": "run", "source": source, "function": function, "inputs": inputs }));
    assert!(
        answer.get("failed").is_none(),
        "{function}: {}",
        answer["failed"]
    );
    answer
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(flat).collect(),
        Value::String(text) => vec![text.parse().expect("a number")],
        other => other.as_f64().into_iter().collect(),
    }
}

fn bits(all: impl IntoIterator<Item = f64>) -> Vec<u64> {
    all.into_iter().map(f64::to_bits).collect()
}

/// Compares a run of the page with a compiled one.
fn same(function: &str, inputs: &Value, value: f64, gradient: &[f64], trace: &Trace) {
    let answer = run(SOURCE, function, inputs);
    assert_eq!(bits(flat(&answer["value"])), bits([value]), "{function}");
    assert_eq!(
        bits(flat(&answer["gradient"])),
        bits(gradient.iter().copied()),
        "{function}: {} is not {gradient:?}",
        answer["gradient"]
    );
    let nodes = answer["nodes"].as_array().expect("nodes");
    assert_eq!(nodes.len(), trace.nodes().len(), "{function}");
    for (node, expected) in nodes.iter().zip(trace.nodes()) {
        assert_eq!(node["op"], expected.op, "{function}");
        assert_eq!(node["name"], *expected.name, "{function}");
        let (got, all) = (
            [flat(&node["value"]), flat(&node["adjoint"])].concat(),
            [expected.value, expected.gradient],
        );
        assert_eq!(bits(got), bits(all), "{function}: {node}");
        let operands = node["operands"].as_array().expect("operands");
        assert_eq!(operands.len(), expected.operands.len(), "{function}");
        for (got, operand) in operands.iter().zip(&expected.operands) {
            assert_eq!(got["node"].as_u64().map(|k| k as usize), operand.node);
            assert_eq!(bits(flat(&got["partial"])), bits([operand.partial]));
        }
    }
}

macro_rules! same {
    ($name:ident($($arg:expr),*), [$($json:expr),*], |$g:pat_param| $flat:expr) => {{
        let (value, gradient) = functions::$name::vjp($($arg),*, 1.0);
        let $g = gradient;
        let all: Vec<f64> = $flat.to_vec();
        same(stringify!($name), &json!([$($json),*]), value, &all, &functions::$name::trace($($arg),*));
    }};
}

#[test]
fn runs_are_those_of_compiled_code() {
    for (x, y) in [(3.0, 1.0), (-0.7, 0.3), (0.0, -2.5)] {
        same!(product(x, y), [x, y], |(a, b)| [a, b]);
        same!(used_twice(x, y), [x, y], |(a, b)| [a, b]);
        same!(branches(x, y), [x, y], |(a, b)| [a, b]);
        same!(early(x, y), [x, y], |(a, b)| [a, b]);
        same!(one(x), [x], |a| [a]);
    }
    let w = [0.9, -0.4, 1.7, 0.3, 0.8];
    same!(looped(&w, 0.7), [w, 0.7], |(a, b)| [a, vec![b]].concat());
    same!(stages(&w, 0.7, 3), [w, 0.7, 3], |(a, b)| [a, vec![b]]
        .concat());
    same!(indexed(&w, 0.7, 1), [w, 0.7, 1], |(a, b)| [a, vec![b]]
        .concat());
    let (three, pair) = ([0.3, -1.2, 0.6], (0.4, 2.0));
    same!(chained(three, pair), [three, pair], |(a, b)| [
        a.to_vec(),
        vec![b.0, b.1]
    ]
    .concat());
    same!(newton(2.0, 10), [2.0, 10], |a| [a]);
    for kind in [0, 1, 2, 3, 11] {
        for flip in [false, true] {
            same!(matched(0.7, kind, flip), [0.7, kind, flip], |a| [a]);
        }
    }
    let (m, v) = ([[0.3, 1.0], [2.0, -0.5]], vec![0.7, 1.1]);
    same!(rows(&m, &v), [m, v], |(a, b)| [a.as_flattened(), &b]
        .concat());
    same!(in_place(&w[2..]), [w[2..]], |a| a);
    same!(pushed(0.3, 5), [0.3, 5], |a| [a]);
    for all in [
        [0.9, 0.4, 1.7, 0.3],
        [0.9, -0.4, 1.7, 3.3],
        [1.0, 2.0, 3.0, 4.0],
    ] {
        same!(nested(&all, 4), [all, 4], |a| a);
    }
    same!(with_constants(0.9, 5), [0.9, 5], |a| [a]);
}

#[test]
fn what_does_not_run_says_so() {
    let source = "#[grad] fn f(x: f32) -> f32 { x } #[grad] fn g(x: f64) -> f64 { let t = std::time::Instant::now(); drop(t); x }";
    let answer = ask(&json!({ "do": "compile", "source": source }));
    let why = answer["functions"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("and not `f32`"), "{answer}");
    let answer = ask(&json!({ "do": "run", "source": source, "function": "g", "inputs": [1.0] }));
    let failed = answer["failed"].as_str().unwrap_or_default();
    assert!(failed.contains("the simulator does not run"), "{answer}");
}

#[test]
fn endless_loops_end() {
    let source = "#[grad] fn f(x: f64) -> f64 { let mut y = x; while y > 0.0 { y = y * 2.0; } y }";
    let answer = ask(&json!({ "do": "run", "source": source, "function": "f", "inputs": [1.0] }));
    let failed = answer["failed"].as_str().unwrap_or_default();
    assert!(failed.contains("so many steps"), "{answer}");
}

#[test]
fn a_file_is_told_about() {
    let source = "use autodiff::grad;\n\n#[grad]\nfn f(x: f64, y: f64) -> f64 {\n    let p = x * y;\n    p.sin()\n}\n";
    let answer = ask(&json!({ "do": "compile", "source": source }));
    assert_eq!(answer["problems"], json!([]));
    let f = &answer["functions"][0];
    assert_eq!(f["name"], "f");
    assert_eq!(f["line"], 3);
    let reverse = f["reverse"]["text"].as_str().unwrap_or_default();
    assert!(
        reverse.starts_with("fn __vjp(x: f64, y: f64, seed: f64)"),
        "{reverse}"
    );
    // The cosine belongs to the line of the sine.
    let cosine = reverse.lines().position(|line| line.contains("cos"));
    let lines = &f["reverse"]["lines"][cosine.unwrap_or_default()];
    assert!(flat(lines).contains(&6.0), "{lines} {reverse}");
    assert!(
        f["graph"][0]
            .as_str()
            .unwrap_or_default()
            .starts_with("<svg")
    );
    assert!(f["report"].as_str().unwrap_or_default().contains('f'));
}

#[test]
fn refusals_have_places_and_say_what_to_write() {
    let source =
        "#[grad]\nfn f(x: f64) -> f64 {\n    // über\n    let y = unsafe { x };\n    y\n}\n";
    let answer = ask(&json!({ "do": "compile", "source": source }));
    let problem = &answer["problems"][0];
    assert_eq!(problem["line"], 4);
    let start = problem["start"].as_u64().unwrap_or_default() as usize;
    let units: Vec<u16> = source.encode_utf16().collect();
    let end = problem["end"].as_u64().unwrap_or_default() as usize;
    assert_eq!(String::from_utf16_lossy(&units[start..end]), "unsafe");
    let rendered = problem["rendered"].as_str().unwrap_or_default();
    assert!(
        rendered.contains("4 |     let y = unsafe { x };"),
        "{rendered}"
    );
    assert!(problem["explained"].is_string());
    assert_eq!(answer["functions"], json!([]));
    // What is no Rust has a place as well.
    let answer = ask(&json!({ "do": "compile", "source": "fn f( {" }));
    assert_eq!(answer["problems"].as_array().map(Vec::len), Some(1));
}
