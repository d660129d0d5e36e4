//! Drawings of graphs, however the graph is stored: Graphviz text, and pictures of our own.

mod layout;

use alloc::{string::String, vec::Vec};
use core::fmt::Write;

/// What is drawn: frames with text, and arrows between them.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub(crate) title: String,
    pub(crate) frames: Vec<Frame>,
    /// From, to, and a label that may be empty.
    pub(crate) edges: Vec<(usize, usize, String)>,
    pub(crate) groups: Vec<Group>,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) lines: Vec<String>,
    pub(crate) mark: Mark,
    pub(crate) group: Option<usize>,
}

/// How a node is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Plain,
    Active,
    /// A parameter or result.
    End {
        active: bool,
    },
}

impl Mark {
    fn fill(self) -> &'static str {
        match self {
            Mark::Active | Mark::End { active: true } => "#dcebff",
            Mark::Plain | Mark::End { active: false } => "#ffffff",
        }
    }

    fn pen(self) -> u8 {
        if matches!(self, Mark::End { .. }) {
            2
        } else {
            1
        }
    }
}

/// Nodes that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) label: String,
    pub(crate) parent: Option<usize>,
}

impl Picture {
    /// Text for Graphviz.
    pub(crate) fn to_dot(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "digraph {} {{", quoted(&[&self.title]));
        out.push_str(
            "  node [shape=box, style=filled, fontname=monospace, fontsize=11];\n  edge [fontname=monospace, fontsize=9];\n",
        );
        self.dot_group(None, 1, &mut out);
        for (from, to, label) in &self.edges {
            let _ = match label.as_str() {
                "" => writeln!(out, "  n{from} -> n{to};"),
                label => writeln!(out, "  n{from} -> n{to} [label={}];", quoted(&[label])),
            };
        }
        out.push_str("}\n");
        out
    }

    fn dot_group(&self, group: Option<usize>, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        for (k, frame) in self.frames.iter().enumerate() {
            if frame.group == group {
                let lines: Vec<&str> = frame.lines.iter().map(String::as_str).collect();
                let _ = writeln!(
                    out,
                    "{indent}n{k} [label={}, fillcolor=\"{}\", penwidth={}];",
                    quoted(&lines),
                    frame.mark.fill(),
                    frame.mark.pen(),
                );
            }
        }
        for (k, inner) in self.groups.iter().enumerate() {
            // A group stands behind the one around it, so this ends.
            if inner.parent == group && group.is_none_or(|outer| outer < k) {
                let _ = writeln!(out, "{indent}subgraph cluster_{k} {{");
                let _ = writeln!(out, "{indent}  label={};", quoted(&[&inner.label]));
                self.dot_group(Some(k), depth + 1, out);
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }

    /// An SVG document.
    pub(crate) fn to_svg(&self) -> String {
        layout::svg(self)
    }

    /// What a frame shows in the SVG, where groups have no frames of their own: the innermost group as a last line.
    fn lines(&self, frame: &Frame) -> Vec<String> {
        let mut lines = frame.lines.clone();
        if let Some(group) = frame.group.and_then(|g| self.groups.get(g)) {
            lines.push(alloc::format!("({})", group.label));
        }
        lines
    }
}

/// A string of the language of Graphviz, with a line break behind each line but the last.
fn quoted(lines: &[&str]) -> String {
    let mut out = String::from("\"");
    for (k, line) in lines.iter().enumerate() {
        if k > 0 {
            out.push_str("\\n");
        }
        for c in line.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
        }
    }
    out.push('"');
    out
}

/// Text of an XML document.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not even escaped may these stand in a document.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
