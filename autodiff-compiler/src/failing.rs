//! Marks what runs only where a fallible function fails: what is derived is thrown away there, so that no cotangent depends on it.
//!
//! ```text
//! code, sum = for k, code = 0, sum = 0.0 {
//!   …
//!   if failed { fallible::convert(…, __failure); yield true, 1, sum } else { … yield false, code, sum' }
//! }
//! if code == 0 { yield sum } else { yield 0.0 }
//! ```
//!
//! The first arm reports an error, and as nothing else makes the code another number, the last arm runs only behind it.

use proc_macro2::{Delimiter, TokenTree};
use rustc_hash::FxHashSet;

use crate::forms::FAILURE;
use crate::ir::{Block, Func, Kind, Op, Opaque, Param, Value};

/// Marks the arms of conditionals in which the function reports an error of its own, and those which run only if it has.
pub(crate) fn failing(func: &mut Func) {
    let failure = func.params.iter().find_map(|p| match p {
        Param::Value(v) if func.hint(*v) == FAILURE => Some(*v),
        _ => None,
    });
    let Some(failure) = failure else { return };
    let mut cx = Failing {
        failure,
        reporting: FxHashSet::default(),
        unless_failed: FxHashSet::default(),
        stays: FxHashSet::default(),
        zeros: FxHashSet::default(),
    };
    let mut body = std::mem::take(&mut func.body);
    cx.zeros(func, &body);
    cx.block(&mut body);
    func.body = body;
}

struct Failing {
    failure: Value,
    /// Truth values that say that an error was just reported.
    reporting: FxHashSet<Value>,
    /// Truth values that are false only where an error was reported.
    unless_failed: FxHashSet<Value>,
    /// Numbers that are zero unless an error was reported.
    stays: FxHashSet<Value>,
    /// Literal zeros.
    zeros: FxHashSet<Value>,
}

impl Failing {
    fn zeros(&mut self, func: &Func, block: &Block) {
        for op in &block.ops {
            op.walk(&mut |op| {
                if let (Kind::Lit(tokens), [v]) = (&op.kind, &op.results[..]) {
                    if tokens.to_string() == "0" && !func.ty(*v).is_float() {
                        self.zeros.insert(*v);
                    }
                }
            });
        }
    }

    fn stays(&self, v: Value) -> bool {
        self.zeros.contains(&v) || self.stays.contains(&v)
    }

    fn block(&mut self, block: &mut Block) {
        for op in &mut block.ops {
            self.op(op);
            let reports = match &op.kind {
                Kind::Opaque(code) => self.reports(code, &op.args, &["fail", "convert"]),
                Kind::If | Kind::Match(..) => op.blocks.iter().all(|arm| arm.fails || arm.diverges),
                _ => false,
            };
            block.fails |= reports;
        }
    }

    fn op(&mut self, op: &mut Op) {
        match &op.kind {
            Kind::Opaque(code) => {
                let [v] = op.results[..] else { return };
                if self.reports(code, &op.args, &["check", "caught"]) {
                    self.reporting.insert(v);
                }
                if let ([code_of_jump], "__a0 == 0" | "__c0 == 0") =
                    (&op.args[..], code.tokens.to_string().as_str())
                {
                    if self.stays(*code_of_jump) {
                        self.unless_failed.insert(v);
                    }
                }
            }
            Kind::If => {
                let condition = op.args[0];
                if let [one, other] = &mut op.blocks[..] {
                    one.fails |= self.reporting.contains(&condition);
                    other.fails |= self.unless_failed.contains(&condition);
                }
                self.arms(op);
            }
            Kind::Match(..) => self.arms(op),
            Kind::For(head) => {
                let (inductions, inits) = (head.inductions, head.domain.operands());
                let carried: Vec<usize> = (0..op.results.len())
                    .filter(|&k| self.stays(op.args[inits + k]))
                    .collect();
                let body = &mut op.blocks[0];
                // What is carried is taken to stay zero, until a round says otherwise.
                let mut kept = carried;
                loop {
                    let before = (self.stays.clone(), self.unless_failed.clone());
                    let mut tried = body.clone();
                    self.stays
                        .extend(kept.iter().map(|&k| tried.params[inductions + k]));
                    self.block(&mut tried);
                    let count = kept.len();
                    kept.retain(|&k| self.stays(tried.yields[k]));
                    if kept.len() == count {
                        tried.fails = false;
                        *body = tried;
                        break;
                    }
                    (self.stays, self.unless_failed) = before;
                }
                self.stays.extend(kept.iter().map(|&k| op.results[k]));
            }
            _ => {}
        }
    }

    /// The arms of a conditional, and which of its results stay zero.
    fn arms(&mut self, op: &mut Op) {
        for arm in &mut op.blocks {
            self.block(arm);
        }
        let mut live = op.blocks.iter().filter(|arm| !arm.fails && !arm.diverges);
        let stay = |k: &usize| live.clone().all(|arm| self.stays(arm.yields[*k]));
        let all: Vec<usize> = (0..op.results.len()).filter(stay).collect();
        if live.next().is_some() {
            self.stays.extend(all.into_iter().map(|k| op.results[k]));
        }
    }

    /// Whether code calls one of these functions of ours with where the function reports its error.
    fn reports(&self, code: &Opaque, args: &[Value], names: &[&str]) -> bool {
        let Some(at) = args.iter().position(|v| *v == self.failure) else {
            return false;
        };
        // Also where it is moved.
        let given = [format!("__a{at}"), format!("__c{at}")];
        calls(code.tokens.clone(), names, &given)
    }
}

/// Whether the code is a call of `rt::fallible::name`, or what is in the parentheses of `rt::stop_gradient`, that has an argument of such a name.
fn calls(code: proc_macro2::TokenStream, names: &[&str], given: &[String]) -> bool {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let [path @ .., TokenTree::Group(args)] = &tokens[..] else {
        return false;
    };
    if args.delimiter() != Delimiter::Parenthesis {
        return false;
    }
    let path: String = path.iter().map(ToString::to_string).collect();
    if path == "rt::stop_gradient" {
        return calls(args.stream(), names, given);
    }
    let called = path.strip_prefix("rt::fallible::");
    called.is_some_and(|name| names.contains(&name))
        && args
            .stream()
            .into_iter()
            .any(|token| given.contains(&token.to_string()))
}
