//! Prints the stages of the compiler: `AUTODIFF_DUMP=name:stage` writes one of a function of that name to the error output, `AUTODIFF_DUMP=name` what comes out.
//!
//! Where a derivative is wrong, the first stage that is wrong says which file to open.

use std::cell::RefCell;

use proc_macro2::Ident;

/// A stage that can be printed, in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The body with a name of its own for every variable.
    Names,
    /// The types and the activity of the variables of the body as it is lowered.
    Facts,
    /// The graph of the primal, with what is active marked.
    Lowered,
    /// The graph of forward mode.
    Jvp,
    /// Both sweeps, as long as the reverse sweep reads what is no longer there.
    Vjp,
    /// Both sweeps with every need met.
    Residuals,
    /// The derivatives as rustc sees them.
    Emitted,
}

impl Stage {
    pub(crate) const ALL: [Stage; 7] = [
        Stage::Names,
        Stage::Facts,
        Stage::Lowered,
        Stage::Jvp,
        Stage::Vjp,
        Stage::Residuals,
        Stage::Emitted,
    ];

    /// The name by which it is asked for.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stage::Names => "names",
            Stage::Facts => "facts",
            Stage::Lowered => "lowered",
            Stage::Jvp => "jvp",
            Stage::Vjp => "vjp",
            Stage::Residuals => "residuals",
            Stage::Emitted => "emitted",
        }
    }
}

thread_local! {
    /// The stages that a tool collects, while it does.
    static COLLECTED: RefCell<Option<Vec<Shown>>> = const { RefCell::new(None) };
}

/// A stage of a function on its way through the compiler.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The name of the function.
    pub function: String,
    /// The name of the stage, one of [`stage_names`](crate::tool::stage_names).
    pub stage: &'static str,
    /// What `AUTODIFF_DUMP=function:stage` prints.
    pub text: String,
}

/// What an expansion gave, and every stage of it.
pub(crate) fn collect<T>(expand: impl FnOnce() -> T) -> (T, Vec<Shown>) {
    COLLECTED.set(Some(Vec::new()));
    let made = expand();
    (made, COLLECTED.take().unwrap_or_default())
}

/// Writes a stage of a function if it is asked for.
pub(crate) fn dump(function: &Ident, stage: Stage, text: impl FnOnce() -> String) {
    if COLLECTED.with_borrow(Option::is_some) {
        let shown = Shown {
            function: function.to_string(),
            stage: stage.name(),
            text: text(),
        };
        COLLECTED.with_borrow_mut(|all| all.iter_mut().for_each(|all| all.push(shown.clone())));
        return;
    }
    let Some(asked) = std::env::var_os("AUTODIFF_DUMP") else {
        return;
    };
    let asked = asked.to_string_lossy();
    let (name, of) = asked.split_once(':').unwrap_or((&asked, "emitted"));
    if (name == "1" || function == name) && of == stage.name() {
        eprintln!("{}", text());
    }
}
