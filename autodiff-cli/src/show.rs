//! `autodiff graph`, `report` and `stages`: what users may look at, without compiling.

use std::fmt::Write;

use autodiff_compiler::tool::{self, Shown};
use autodiff_runtime::graph::Graph;

use crate::expand;
use crate::problem::Problem;
use crate::source::{self, Request, Sites, Source};

/// An expansion, and every stage on the way.
struct Seen {
    files: Vec<syn::File>,
    stages: Vec<Shown>,
}

/// Expands what is asked for.
fn see(source: &Source, request: &Request) -> Result<Seen, Vec<Problem>> {
    let sites = Sites::of(&source.file, request);
    let mut problems = Vec::new();
    let mut seen = Seen {
        files: Vec::new(),
        stages: Vec::new(),
    };
    let functions = sites
        .iter()
        .filter(|site| matches!(site.mark, source::Mark::Grad(_)));
    let functions: Vec<_> = functions.cloned().collect();
    for site in &functions {
        let ((tokens, refusals), stages) = tool::with_stages(|| source::expansion(site));
        let head = source::head(site);
        problems.extend(refusals.into_iter().map(|r| source.refused(r, &head)));
        seen.stages.extend(stages);
        match expand::parsed(tokens, site) {
            Ok(file) => seen.files.push(file),
            Err(error) if problems.is_empty() => problems.push(source.refused(error.into(), &head)),
            Err(_) => {}
        }
    }
    problems.extend(expand::nothing(source, request, &functions));
    if problems.is_empty() {
        Ok(seen)
    } else {
        problems.sort_by_key(Problem::start);
        Err(problems)
    }
}

/// Whether a function is the one that is asked for, by its own name or that of its type in front.
fn is_asked(request: &Request, function: &str) -> bool {
    request.function.as_ref().is_none_or(|asked| {
        let last = asked.rsplit("::").next().unwrap_or(asked);
        last == function.trim_start_matches("r#")
    })
}

/// How a graph is written.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "command", derive(clap::ValueEnum))]
pub enum Format {
    /// A picture
    Svg,
    /// The language of Graphviz
    Dot,
    /// Nodes and regions as data
    Json,
}

/// The static graph of a function.
///
/// # Errors
/// With what is refused, or if it has none.
pub fn graph(source: &Source, request: &Request, format: Format) -> Result<String, Vec<Problem>> {
    let seen = see(source, request)?;
    let graphs = seen.files.iter().flat_map(tool::graphs);
    let mut graphs: Vec<_> = graphs.filter(|g| is_asked(request, &g.function)).collect();
    let Some(graph) = graphs.pop() else {
        return Err(vec![none("graph", request)]);
    };
    // The runtime reads what a compiled program holds for ever; this one ends soon.
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let list = |list: Vec<usize>| -> &'static [usize] { Box::leak(list.into_boxed_slice()) };
    let graph = Graph::encoded(
        text(graph.function),
        text(source.path.clone()),
        text(graph.nodes),
        text(graph.regions),
        list(graph.parameters),
        list(graph.results),
    );
    Ok(match format {
        Format::Svg => graph.to_svg(),
        Format::Dot => graph.to_dot(),
        Format::Json => json(&graph),
    })
}

fn none(what: &str, request: &Request) -> Problem {
    let name = request.function.as_deref().unwrap_or_default();
    Problem::plain(format!(
        "`{name}` has no {what}: its derivatives are given, or it is constant"
    ))
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn json(graph: &Graph) -> String {
    let index = |k: Option<usize>| k.map_or_else(|| "null".to_owned(), |k| k.to_string());
    let nodes = graph.nodes().map(|n| {
        let operands: Vec<usize> = n.operands.iter().collect();
        format!(
            "    {{\"op\": {}, \"name\": {}, \"line\": {}, \"column\": {}, \"region\": {}, \"active\": {}, \"reverse\": {}, \"operands\": {operands:?}}}",
            quoted(n.op), quoted(n.name), n.line, n.column, index(n.region), n.active, quoted(n.reverse.word()),
        )
    });
    let regions = graph.regions().map(|r| {
        format!(
            "    {{\"kind\": {}, \"line\": {}, \"parent\": {}}}",
            quoted(r.kind),
            r.line,
            index(r.parent)
        )
    });
    let list = |lines: Vec<String>| {
        if lines.is_empty() {
            return "[]".to_owned();
        }
        format!("[\n{}\n  ]", lines.join(",\n"))
    };
    format!(
        "{{\n  \"function\": {},\n  \"file\": {},\n  \"parameters\": {:?},\n  \"results\": {:?},\n  \"nodes\": {},\n  \"regions\": {}\n}}\n",
        quoted(graph.name()),
        quoted(graph.file()),
        graph.parameters(),
        graph.results(),
        list(nodes.collect()),
        list(regions.collect()),
    )
}

/// What reverse sweeps remember, and why.
///
/// # Errors
/// With what is refused, or if nothing has one.
pub fn report(source: &Source, request: &Request) -> Result<String, Vec<Problem>> {
    let request = Request {
        report: true,
        ..request.clone()
    };
    let seen = see(source, &request)?;
    let of = |report: &String| {
        let name = report.split('`').nth(1).unwrap_or_default();
        is_asked(&request, name)
    };
    let reports = seen.files.iter().flat_map(tool::reports);
    let reports: Vec<String> = reports.filter(of).collect();
    if reports.is_empty() {
        return Err(vec![none("report", &request)]);
    }
    Ok(reports.join("\n"))
}

/// The stages of a function, or one of them.
///
/// # Errors
/// With what is refused, or if there is no such stage.
pub fn stages(
    source: &Source,
    request: &Request,
    stage: Option<&str>,
) -> Result<String, Vec<Problem>> {
    let seen = see(source, request)?;
    let of = |shown: &&Shown| {
        is_asked(request, &shown.function) && stage.is_none_or(|stage| stage == shown.stage)
    };
    let mut out = String::new();
    let mut written = Vec::new();
    for shown in seen.stages.iter().filter(of) {
        // Each order begins with the same sweeps.
        if written.contains(&&shown.text) {
            continue;
        }
        written.push(&shown.text);
        let text = match (shown.stage, shown.text.parse()) {
            ("emitted", Ok(tokens)) => formatted(tokens).unwrap_or_else(|| shown.text.clone()),
            _ => shown.text.clone(),
        };
        if stage.is_none() {
            let _ = writeln!(out, "// {}", shown.stage);
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }
    if out.is_empty() {
        return Err(vec![none("such stage", request)]);
    }
    Ok(out)
}

/// Derivatives of a function, or siblings of a method, as rustfmt would write them.
fn formatted(tokens: proc_macro2::TokenStream) -> Option<String> {
    let items = syn::parse2::<syn::File>(tokens.clone());
    let file = items.or_else(|_| syn::parse2(quote::quote!(impl Siblings { #tokens })));
    file.ok().map(|file| prettyplease::unparse(&file))
}
