//! The computation graph of a function as data: what `f::graph()` returns.
//!
//! The data is static and needs no heap; drawings of it need the feature `alloc`.

#[cfg(feature = "alloc")]
use alloc::{format, string::String, vec, vec::Vec};

pub use autodiff_rules::Reverse;

#[cfg(feature = "alloc")]
use crate::picture::{Frame, Group, Mark, Picture};

/// The static computation graph of a function.
///
/// A function `f` with `#[grad]` has one as `f::graph()`: its operations, whatever the arguments.
/// Code in a loop is there once, and both arms of a conditional are.
///
/// It is text that is read when it is asked for, so that those who never ask pay nothing: walking over the nodes takes time, not memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graph {
    name: &'static str,
    file: &'static str,
    /// One line per node: operation, name, line, column, region from 1, reverse sweep, operands; an active node has a `*` before the word for the reverse sweep.
    nodes: &'static str,
    /// One line per region: kind, line, parent from 1.
    regions: &'static str,
    parameters: &'static [usize],
    results: &'static [usize],
}

/// An operation, a parameter, or a variable that is memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it does: `mul`, `sin`, `parameter`, `load`, `call norm`; literals and copied code are their own text.
    ///
    /// `memory` is a variable of which parts are changed: its operands are the operations that write to it.
    /// `if`, `match` and `for` are values that leave such a region, `carried` is what a loop hands from round to round, `item` what it runs over.
    pub op: &'static str,
    /// The variable that it is bound to, or nothing.
    pub name: &'static str,
    /// The line of the source, from 1; 0 where the compiler does not say (before Rust 1.88).
    pub line: u32,
    /// The column of the source, from 1; 0 where the compiler does not say.
    pub column: u32,
    /// The innermost region that it stands in.
    pub region: Option<usize>,
    /// Whether it depends on a differentiable parameter, and the result on it.
    pub active: bool,
    /// What the reverse sweep does with it.
    pub reverse: Reverse,
    /// The nodes that it is computed from, in order.
    pub operands: Operands,
}

/// The positions of the nodes that a node is computed from.
///
/// ```
/// use autodiff_runtime::graph::Graph;
///
/// const NODES: &str = "parameter\tx\t1\t6\t0\t*kept\t\nmul\ty\t2\t13\t0\t*not needed\t0 0\n";
/// static SQUARE: Graph = Graph::encoded("square", "src/lib.rs", NODES, "", &[0], &[1]);
///
/// let y = SQUARE.node("y").unwrap();
/// assert_eq!((y.op, y.line), ("mul", 2));
/// assert!(y.operands.iter().eq([0, 0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands(&'static str);

impl Operands {
    /// The positions, in the order of the operands.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        self.0.split_ascii_whitespace().map(number)
    }
}

/// A number of the text of a graph.
fn number<T: core::str::FromStr + Default>(text: &str) -> T {
    text.parse().unwrap_or_default()
}

impl Node {
    fn read(line: &'static str) -> Node {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (op, name, line, column) = (next(), next(), number(next()), number(next()));
        let region: usize = number(next());
        let word = next();
        let reverse = word.strip_prefix('*').unwrap_or(word);
        Node {
            op,
            name,
            line,
            column,
            region: region.checked_sub(1),
            active: reverse != word,
            reverse: Reverse::ALL
                .into_iter()
                .find(|r| r.word() == reverse)
                .unwrap_or(Reverse::Nothing),
            operands: Operands(next()),
        }
    }
}

/// An arm of a conditional, or the body of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// What it is: `then`, `else`, `arm 2`, `for`.
    pub kind: &'static str,
    /// The line of the source on which the conditional or loop stands, from 1; 0 where the compiler does not say.
    pub line: u32,
    /// The region around it.
    pub parent: Option<usize>,
}

impl Graph {
    /// A graph from its text.
    #[doc(hidden)]
    pub const fn encoded(
        name: &'static str,
        file: &'static str,
        nodes: &'static str,
        regions: &'static str,
        parameters: &'static [usize],
        results: &'static [usize],
    ) -> Graph {
        Graph {
            name,
            file,
            nodes,
            regions,
            parameters,
            results,
        }
    }

    /// The name of the function.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The file that the function stands in.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The nodes, in the order of the program; edges, parameters and results name them by their positions here.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + Clone {
        self.nodes.lines().map(Node::read)
    }

    /// The last node bound to a variable of that name.
    pub fn node(&self, name: &str) -> Option<Node> {
        self.nodes().filter(|node| node.name == name).last()
    }

    /// The arms of conditionals and the bodies of loops; nodes name them by their positions here.
    pub fn regions(&self) -> impl Iterator<Item = Region> + Clone {
        self.regions.lines().map(Region::read)
    }

    /// The nodes of the parameters, in the order of the signature.
    pub fn parameters(&self) -> &'static [usize] {
        self.parameters
    }

    /// The nodes of the results: of the returned value, and of the memory behind `&mut` parameters.
    pub fn results(&self) -> &'static [usize] {
        self.results
    }

    /// The pairs (from, to) of nodes: the second is computed from the first.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        let nodes = self.nodes().enumerate();
        nodes.flat_map(|(to, node)| node.operands.iter().map(move |from| (from, to)))
    }

    /// The graph in the language of Graphviz: `dot -Tsvg`.
    ///
    /// Active nodes are filled, regions are frames.
    #[cfg(feature = "alloc")]
    pub fn to_dot(&self) -> String {
        self.picture().to_dot()
    }

    /// The graph as a picture, an SVG document of its own.
    ///
    /// Data flows from top to bottom. Active nodes are filled, parameters and results have a thick frame.
    #[cfg(feature = "alloc")]
    pub fn to_svg(&self) -> String {
        self.picture().to_svg()
    }

    /// What the drawings show.
    #[cfg(feature = "alloc")]
    fn picture(&self) -> Picture {
        let frames = self.nodes().enumerate().map(|(k, node)| {
            let mut lines = vec![heading(node.name, node.op)];
            if node.line > 0 {
                lines.push(format!("line {}", node.line));
            }
            if node.reverse != Reverse::Nothing {
                lines.push(node.reverse.word().into());
            }
            let mark = match node.active {
                _ if self.parameters.contains(&k) || self.results.contains(&k) => Mark::End {
                    active: node.active,
                },
                true => Mark::Active,
                false => Mark::Plain,
            };
            Frame {
                lines,
                mark,
                group: node.region,
            }
        });
        Picture {
            title: self.name.into(),
            frames: frames.collect(),
            edges: self
                .edges()
                .map(|(from, to)| (from, to, String::new()))
                .collect(),
            groups: self.regions().map(Region::group).collect::<Vec<_>>(),
        }
    }
}

impl Region {
    fn read(line: &'static str) -> Region {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (kind, line, parent) = (next(), number(next()), number::<usize>(next()));
        Region {
            kind,
            line,
            parent: parent.checked_sub(1),
        }
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn group(self) -> Group {
        Group {
            label: match self.line {
                0 => self.kind.into(),
                line => format!("{}, line {line}", self.kind),
            },
            parent: self.parent,
        }
    }
}

/// `name = op`, or what is there of it.
#[cfg(feature = "alloc")]
pub(crate) fn heading(name: &str, op: &str) -> String {
    match (name, op) {
        ("", op) => op.into(),
        (name, "parameter") => name.into(),
        (name, op) => format!("{name} = {op}"),
    }
}
