//! A function run once with every operation recorded: what `f::trace(…)` returns.
//!
//! A second implementation of reverse mode, which shares nothing with the generated sweeps but the rule table:
//! operations are recorded with their partials while the function runs, and one walk backwards adds up the gradients.
//! In the generated code the tangent of a number is the position of its node, counted from 1; 0 is a constant.

use alloc::{format, string::String, vec, vec::Vec};
use core::fmt;

use crate::float::Float;
use crate::graph::{Graph, Node, heading};
use crate::kernels::{select, zmul};
use crate::picture::{Frame, Group, Mark, Picture};
use crate::rules::Flag;
use crate::tangent::{Differentiable, Tangent};

/// One run of a function: every executed operation that a derivative flows through, with its value and the gradient of the result with respect to it.
///
/// The scalars of the parameters come first, then the operations in the order in which they ran; a loop has a node for each operation of each round.
/// Printed, it is a table.
#[derive(Clone, Debug)]
pub struct Trace {
    name: &'static str,
    nodes: Vec<TraceNode>,
    calls: Vec<Call>,
    value: f64,
    result: Option<usize>,
}

/// An executed operation, or a scalar of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceNode {
    /// What it does: `mul`, `sin`, `parameter`; `load`, `if` and the like where a variable is bound to what another operation computed.
    pub op: &'static str,
    /// The variable that it is bound to, with index if it is a part of a parameter: `x`, `w[2]`; or nothing.
    pub name: String,
    /// The line of the source, from 1; 0 where the compiler does not say (before Rust 1.88).
    pub line: u32,
    /// The call that it ran in, by its position in [`Trace::calls`]; 0 is the traced function itself.
    pub call: usize,
    /// The value.
    pub value: f64,
    /// The derivative of the result with respect to it.
    pub gradient: f64,
    /// What it was computed from, in order.
    pub operands: Vec<Operand>,
}

/// An operand of an executed operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The node that computed it, by its position; `None` for a constant.
    pub node: Option<usize>,
    /// The value.
    pub value: f64,
    /// The partial derivative of the operation with respect to it.
    pub partial: f64,
}

/// A function that ran: the traced one, or one that it called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The static graph of the function.
    pub graph: &'static Graph,
    /// The call that made it, by its position; `None` for the traced function.
    pub caller: Option<usize>,
}

impl Trace {
    /// A run of one function, which called no others.
    #[cfg(all(any(feature = "std", feature = "libm"), target_has_atomic = "32"))]
    pub(crate) fn new(
        graph: &'static Graph,
        nodes: Vec<TraceNode>,
        value: f64,
        result: Option<usize>,
    ) -> Trace {
        let call = Call {
            graph,
            caller: None,
        };
        Trace {
            name: graph.name(),
            nodes,
            calls: vec![call],
            value,
            result,
        }
    }

    /// The result.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The nodes: scalars of the parameters first, then operations in the order in which they ran.
    pub fn nodes(&self) -> &[TraceNode] {
        &self.nodes
    }

    /// The last node of that name in the traced function itself.
    pub fn node(&self, name: &str) -> Option<&TraceNode> {
        self.nodes
            .iter()
            .rfind(|node| node.call == 0 && node.name == name)
    }

    /// The node of the result; `None` if it depends on no parameter.
    pub fn result(&self) -> Option<&TraceNode> {
        self.nodes.get(self.result?)
    }

    /// The functions that ran; the first is the traced one.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The run in the language of Graphviz, with values and gradients in the nodes and partials on the edges.
    pub fn to_dot(&self) -> String {
        self.picture().to_dot()
    }

    /// The run as a picture, an SVG document of its own.
    pub fn to_svg(&self) -> String {
        self.picture().to_svg()
    }

    fn picture(&self) -> Picture {
        let frames = self.nodes.iter().enumerate().map(|(k, node)| {
            let end = node.op == PARAMETER || self.result == Some(k);
            let mut lines = vec![heading(&node.name, node.op)];
            // Constants have no nodes of their own.
            if node.operands.iter().any(|o| o.node.is_none()) {
                let operands = node.operands.iter().map(|o| match o.node {
                    Some(_) => String::from("·"),
                    None => short(o.value),
                });
                lines.push(format!("({})", operands.collect::<Vec<_>>().join(", ")));
            }
            lines.push(format!("value {}", short(node.value)));
            lines.push(format!("gradient {}", short(node.gradient)));
            Frame {
                lines,
                mark: if end {
                    Mark::End { active: true }
                } else {
                    Mark::Active
                },
                group: node.call.checked_sub(1),
            }
        });
        let edges = self.nodes.iter().enumerate().flat_map(|(to, node)| {
            let known = node
                .operands
                .iter()
                .filter_map(|o| Some((o.node?, o.partial)));
            known.map(move |(from, partial)| (from, to, short(partial)))
        });
        Picture {
            title: self.name.into(),
            frames: frames.collect(),
            edges: edges.collect(),
            groups: self.calls[1..]
                .iter()
                .map(|call| Group {
                    label: call.graph.name().into(),
                    parent: call.caller.and_then(|caller| caller.checked_sub(1)),
                })
                .collect(),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>6}  {:<24} {:>14} {:>14}",
            "line", self.name, "value", "gradient"
        )?;
        for node in &self.nodes {
            let mut text = heading(&node.name, node.op);
            if node.call > 0 {
                text = format!("{}: {text}", self.calls[node.call].graph.name());
            }
            let (value, gradient) = (short(node.value), short(node.gradient));
            writeln!(f, "{:>6}  {text:<24} {value:>14} {gradient:>14}", node.line)?;
        }
        Ok(())
    }
}

/// A number with about six digits.
fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{x:.5e}");
    }
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

const PARAMETER: &str = "parameter";

/// What a recorded operation is.
#[derive(Clone, Debug, PartialEq)]
enum What {
    /// A scalar of the parameter at that position, and its name.
    Parameter(usize, String),
    /// A node of the graph of the function that runs.
    Node(u32),
    /// The same, where the function that it calls is a single operation.
    Elementary(u32),
}

#[derive(Clone, Debug)]
struct Step {
    what: What,
    call: u32,
    value: f64,
    /// Its operands end here.
    end: usize,
}

/// An operand on the way: the position of its node from 1, its value, the partial, and how that is applied.
#[derive(Clone, Copy, Debug)]
struct Link {
    node: usize,
    value: f64,
    partial: f64,
    flag: Flag,
}

/// What generated code records into.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Recorder {
    steps: Vec<Step>,
    links: Vec<Link>,
    calls: Vec<Call>,
    /// The function that runs, and the node that called it.
    now: u32,
    from: u32,
}

impl Recorder {
    /// Records a run of the function with this graph.
    pub fn new(graph: &'static Graph) -> Recorder {
        Recorder {
            steps: Vec::new(),
            links: Vec::new(),
            calls: vec![Call {
                graph,
                caller: None,
            }],
            now: 0,
            from: 0,
        }
    }

    /// Makes a node for each scalar of the parameter at that position, and writes the nodes' positions into its tangent.
    pub fn inputs<V: Differentiable + ?Sized>(
        &mut self,
        parameter: usize,
        name: &str,
        value: &V,
        tangent: &mut V::Tangent,
    ) {
        let mut names = Vec::new();
        value.name_scalars(name, &mut names);
        let mut values = vec![0.0; names.len()];
        value.write_flat(&mut values);
        let mut all = names.into_iter().zip(values);
        tangent.for_each_scalar(&mut |position| {
            if let Some((name, value)) = all.next() {
                *position = self.step(What::Parameter(parameter, name), value);
            }
        });
    }

    /// What follows runs in a function that `node` calls; says in which one that is.
    pub fn enter(&mut self, node: u32, graph: &'static Graph) -> u32 {
        let caller = self.now;
        self.from = node;
        self.calls.push(Call {
            graph,
            caller: Some(caller as usize),
        });
        self.now = self.calls.len() as u32 - 1;
        caller
    }

    /// The function that was called last is a single operation: it takes the place of the call.
    pub fn elementary<T: Float>(
        &mut self,
        flag: Flag,
        value: T,
        operands: &[(T, T)],
        partials: &[T],
    ) -> T {
        let call = self.calls.pop();
        self.now = call.and_then(|call| call.caller).unwrap_or_default() as u32;
        let position = self.record(self.from, flag, value, operands, partials);
        if let Some(step) = self.steps.last_mut() {
            step.what = What::Elementary(self.from);
        }
        position
    }

    /// The called function has returned.
    pub fn leave(&mut self, caller: u32) {
        self.now = caller;
    }

    fn step(&mut self, what: What, value: f64) -> f64 {
        self.steps.push(Step {
            what,
            call: self.now,
            value,
            end: self.links.len(),
        });
        self.steps.len() as f64
    }

    /// Records an operation; operands are a value and the position of its node each.
    ///
    /// # Panics
    /// If there are more nodes than the type can count.
    pub fn record<T: Float>(
        &mut self,
        node: u32,
        flag: Flag,
        value: T,
        operands: &[(T, T)],
        partials: &[T],
    ) -> T {
        for (&(value, position), &partial) in operands.iter().zip(partials) {
            self.links.push(Link {
                node: position.to_f64() as usize,
                value: value.to_f64(),
                partial: partial.to_f64(),
                flag,
            });
        }
        self.count(node, value)
    }

    /// Makes the node of what was just linked.
    fn count<T: Float>(&mut self, node: u32, value: T) -> T {
        let position = self.step(What::Node(node), value.to_f64());
        let narrow = T::from_f64(position);
        assert!(
            narrow.to_f64() == position,
            "a trace of `f32` counts no more than 2^24 operations"
        );
        narrow
    }

    /// `a + b`
    pub fn add<T: Float>(&mut self, node: u32, y: T, operands: [(T, T); 2]) -> T {
        self.record(node, Flag::Plain, y, &operands, &[T::ONE, T::ONE])
    }

    /// `a - b`
    pub fn sub<T: Float>(&mut self, node: u32, y: T, operands: [(T, T); 2]) -> T {
        self.record(node, Flag::Plain, y, &operands, &[T::ONE, -T::ONE])
    }

    /// `a * b`
    pub fn mul<T: Float>(&mut self, node: u32, y: T, operands: [(T, T); 2]) -> T {
        let [(a, _), (b, _)] = operands;
        self.record(node, Flag::Plain, y, &operands, &[b, a])
    }

    /// `a / b`
    pub fn div<T: Float>(&mut self, node: u32, y: T, operands: [(T, T); 2]) -> T {
        let [_, (b, _)] = operands;
        let partials = [b.recip(), -(y / b)];
        self.record(node, Flag::Guarded, y, &operands, &partials)
    }

    /// `-a`
    pub fn neg<T: Float>(&mut self, node: u32, y: T, operands: [(T, T); 1]) -> T {
        self.record(node, Flag::Plain, y, &operands, &[-T::ONE])
    }

    /// A variable is bound to what another operation computed.
    pub fn same<T: Float>(&mut self, node: u32, y: T, position: T) -> T {
        let at = (position.to_f64() as usize).wrapping_sub(1);
        let named = |step: &Step| matches!(step.what, What::Elementary(k) if k == node);
        if self.steps.get(at).is_some_and(named) {
            return position;
        }
        self.record(node, Flag::Plain, y, &[(y, position)], &[T::ONE])
    }

    /// A float in another type.
    pub fn cast<T: Float, A: Float>(&mut self, node: u32, y: T, (a, position): (A, A)) -> T {
        self.links.push(Link {
            node: position.to_f64() as usize,
            value: a.to_f64(),
            partial: 1.0,
            flag: Flag::Plain,
        });
        self.count(node, y)
    }

    /// The trace, once the function has returned; `position` is that of its result.
    pub fn finish<T: Float>(self, value: T, position: T) -> Trace {
        let result = (position.to_f64() as usize).checked_sub(1);
        let mut gradients = vec![0.0; self.steps.len()];
        if let Some(result) = result {
            gradients[result] = 1.0;
        }
        for (k, step) in self.steps.iter().enumerate().rev() {
            let (start, d) = (self.steps[..k].last().map_or(0, |s| s.end), gradients[k]);
            for link in &self.links[start..step.end] {
                let Some(from) = link.node.checked_sub(1) else {
                    continue;
                };
                gradients[from] += match link.flag {
                    Flag::Plain | Flag::Guarded => zmul(d, link.partial),
                    Flag::Select => select(d, link.partial),
                };
            }
        }
        // Each graph is read once, however often its function ran.
        let mut read: Vec<(&'static Graph, Vec<Node>)> = Vec::new();
        let mut nodes: Vec<TraceNode> = Vec::with_capacity(self.steps.len());
        let mut start = 0;
        for (step, gradient) in self.steps.into_iter().zip(gradients) {
            let call = step.call as usize;
            let operands = self.links[start..step.end].iter().map(|link| Operand {
                node: link.node.checked_sub(1),
                value: link.value,
                partial: link.partial,
            });
            start = step.end;
            let graph = self.calls[call].graph;
            let known = read.iter().position(|(of, _)| core::ptr::eq(*of, graph));
            let at = known.unwrap_or_else(|| {
                read.push((graph, graph.nodes().collect()));
                read.len() - 1
            });
            let all = &read[at].1;
            let (node, op, name) = match step.what {
                What::Parameter(k, name) => {
                    let node = all[graph.parameters()[k]];
                    (node, node.op, name)
                }
                What::Node(node) => {
                    let node = all[node as usize];
                    (node, node.op, node.name.into())
                }
                What::Elementary(node) => {
                    let node = all[node as usize];
                    (node, callee(node.op), node.name.into())
                }
            };
            nodes.push(TraceNode {
                op,
                name,
                line: node.line,
                call,
                value: step.value,
                gradient,
                operands: operands.collect(),
            });
        }
        Trace {
            name: self.calls[0].graph.name(),
            nodes,
            calls: self.calls,
            value: value.to_f64(),
            result,
        }
    }
}

/// The name of a function in a node that calls it: `sigmoid` of `call autodiff::sigmoid`.
fn callee(op: &'static str) -> &'static str {
    let path = op.strip_prefix("call ").unwrap_or(op);
    path.rsplit("::").next().unwrap_or(path)
}

/// An integer argument, as operands are recorded.
#[doc(hidden)]
pub fn integer<T: Float>(n: i32, _: &T) -> (T, T) {
    (T::from_f64(f64::from(n)), T::ZERO)
}
