//! What users may look at: the graph as data, the report of what is remembered, and the trace of a run.

mod graph;
mod report;
mod trace;

use rustc_hash::FxHashMap;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use self::graph::Chart;
pub(crate) use self::report::Pullback;
pub(crate) use self::trace::{recorder, trace};
use crate::analysis::Activity;
use crate::function::GradFn;
use crate::ir::Value;
use crate::remember::Outcome;
use crate::vjp::Vjp;

/// The associated functions `graph` and, where asked for, `report`.
pub(crate) fn functions(
    function: &GradFn,
    (chart, shared, activity): (&Chart, &FxHashMap<Value, Value>, &Activity),
    (both, outcome): &(Vjp, Outcome),
    pullback: &Pullback<'_>,
) -> TokenStream {
    let name = function.item.sig.ident.to_string();
    let name = name.trim_start_matches("r#");
    let graph = chart.tokens(name, shared, activity, outcome);
    let report = function
        .options
        .report
        .then(|| report::report(name, chart, shared, &both.func, outcome, pullback));
    signatures(function, &graph, report.as_deref())
}

/// The same for a function that was refused.
pub(crate) fn stubs(function: &GradFn) -> TokenStream {
    let report = function.options.report.then_some("");
    signatures(function, &quote!(::core::unreachable!()), report)
}

fn signatures(function: &GradFn, graph: &TokenStream, report: Option<&str>) -> TokenStream {
    let vis = &function.item.vis;
    let report = report.map(|report| {
        quote! {
            /// What the reverse sweep remembers, line by line, and why:
            #[doc = #report]
            #[inline]
            #vis fn report() -> &'static str { #report }
        }
    });
    quote! {
        /// The static computation graph, for pictures and inspection.
        #[inline]
        #vis fn graph() -> &'static rt::Graph { #graph }
        #report
    }
}
