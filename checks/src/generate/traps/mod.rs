//! Templates of code on which derivative compilers are known to go wrong, filled with random context.

mod carried;
mod cursors;
mod edges;
mod leaving;
mod lent;
mod rows;
mod singular;
mod stores;

use super::scope::{Form, Kind, Var};
use super::{Generator, Part, Stmt};

/// A template: its name, the constructs it needs, its text.
struct Trap {
    name: &'static str,
    /// The names of the constructs, separated by blanks.
    needs: &'static str,
    write: fn(&mut Generator) -> Vec<Stmt>,
}

const fn trap(
    name: &'static str,
    needs: &'static str,
    write: fn(&mut Generator) -> Vec<Stmt>,
) -> Trap {
    Trap { name, needs, write }
}

/// The names of all traps.
pub const TRAPS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut i = 0;
    while i < TABLE.len() {
        names[i] = TABLE[i].name;
        i += 1;
    }
    names
};

const TABLE: &[Trap] = &[
    trap("square_in_place", "array for", stores::square_in_place),
    trap("recurrence_up", "array for", |g| {
        stores::recurrence(g, "1..N", "i - 1")
    }),
    trap("recurrence_down", "array for rev", |g| {
        stores::recurrence(g, "(0..N - 1).rev()", "i + 1")
    }),
    trap(
        "constant_over_active",
        "array",
        stores::constant_over_active,
    ),
    trap("read_overwrite_use", "array", stores::read_overwrite_use),
    trap(
        "scalar_overwritten",
        "reassign",
        carried::scalar_overwritten,
    ),
    trap(
        "one_branch_overwrites",
        "array if",
        stores::one_branch_overwrites,
    ),
    trap(
        "later_round_overwrites",
        "array for if",
        stores::later_round_overwrites,
    ),
    trap("permutation", "for destructure", carried::permutation),
    trap(
        "permutation_by_hand",
        "for reassign",
        carried::permutation_by_hand,
    ),
    trap(
        "carried_unchanged",
        "for reassign",
        carried::carried_unchanged,
    ),
    trap(
        "condition_on_carried",
        "for if reassign",
        carried::condition_on_carried,
    ),
    trap(
        "index_from_float",
        "array for cast",
        stores::index_from_float,
    ),
    trap(
        "bound_changed_inside",
        "for reassign",
        carried::bound_changed_inside,
    ),
    trap(
        "accumulator_read_and_reset",
        "for if reassign compound",
        carried::accumulator_read_and_reset,
    ),
    trap(
        "accumulator_feeds_another",
        "for compound",
        carried::accumulator_feeds_another,
    ),
    trap(
        "sum_read_as_value",
        "for if match compound",
        carried::sum_read_as_value,
    ),
    trap(
        "nonlinear_tail",
        "for nested_loop compound",
        carried::nonlinear_tail,
    ),
    trap("zero_trips", "for reassign", carried::zero_trips),
    trap(
        "vec_moved_out_of_round",
        "vec for",
        stores::vec_moved_out_of_round,
    ),
    trap("unused_infinite", "function", edges::unused_infinite),
    trap("sqrt_of_max", "kink function", edges::sqrt_of_max),
    trap(
        "zero_times_infinity",
        "kink function",
        edges::zero_times_infinity,
    ),
    trap(
        "selection_over_nan",
        "kink function",
        edges::selection_over_nan,
    ),
    trap("untaken_nan", "if function", edges::untaken_nan),
    trap(
        "inactive_into_active",
        "array",
        stores::inactive_into_active,
    ),
    trap(
        "effect_in_loop",
        "effect for match",
        carried::effect_in_loop,
    ),
    trap(
        "bound_twice_in_one_let",
        "for tuple_pattern shadow",
        carried::bound_twice_in_one_let,
    ),
    trap(
        "shadowed_three_times",
        "shadow",
        carried::shadowed_three_times,
    ),
    trap("swapped_rows", "array for swap", stores::swapped_rows),
    trap(
        "buffers_swapped",
        "vec for mem_swap",
        stores::buffers_swapped,
    ),
    trap(
        "clone_then_change_one",
        "array",
        stores::clone_then_change_one,
    ),
    trap(
        "stencil_in_place",
        "array for nested_loop",
        stores::stencil_in_place,
    ),
    trap(
        "triangular_update",
        "nested_array for nested_loop",
        stores::triangular_update,
    ),
    trap("negative_zero", "reassign", edges::negative_zero),
    trap("empty_sequence", "vec for iter", carried::empty_sequence),
    trap(
        "same_place_twice",
        "index_array array for compound",
        stores::same_place_twice,
    ),
    trap("field_overwritten", "tuple for", stores::field_overwritten),
    trap(
        "read_before_inner_loop",
        "array for nested_loop",
        stores::read_before_inner_loop,
    ),
    trap(
        "iter_mut_reads_itself",
        "array iter_mut for",
        stores::iter_mut_reads_itself,
    ),
    trap(
        "row_copied_then_changed",
        "nested_array array",
        stores::row_copied_then_changed,
    ),
    trap(
        "leaving_match",
        "for match break return call reassign",
        leaving::leaving_match,
    ),
    trap("lent_then_changed", "call", lent::lent_then_changed),
    trap("handed_on", "call", lent::handed_on),
    trap("lent_scratch", "call vec mut_param for", lent::lent_scratch),
    trap(
        "constants_by_reference",
        "if_let slice if match",
        lent::constants_by_reference,
    ),
    trap("reordered", "array for", stores::reordered),
    trap(
        "walked_by_hand",
        "array iter for while_let loop match if_let compound",
        cursors::walked_by_hand,
    ),
    trap("flat_rows", "vec for nested_loop compound", rows::flat_rows),
    trap(
        "guarded_quotient",
        "if for kink function reassign",
        singular::guarded_quotient,
    ),
    trap(
        "skipped_logarithm",
        "array if for kink function compound",
        singular::skipped_logarithm,
    ),
    trap("tested_overflow", "if function", singular::tested_overflow),
    trap(
        "selected_distance",
        "array if for nested_loop compound reassign",
        singular::selected_distance,
    ),
    trap(
        "smooth_through_root",
        "kink function",
        singular::smooth_through_root,
    ),
    trap(
        "slope_meets_two_products",
        "kink function",
        singular::slope_meets_two_products,
    ),
];

/// Whether a trap sets infinite slopes, which zeros absorb.
pub(crate) fn is_steep(trap: &str) -> bool {
    trap == "zero_times_infinity" || singular::NAMES.contains(&trap)
}

impl Generator {
    /// The traps that the constructs allow.
    fn allowed(&self) -> Vec<&'static Trap> {
        TABLE
            .iter()
            .filter(|trap| trap.needs.split(' ').all(|need| self.on.on(need)))
            .collect()
    }

    /// Plans the traps of this program, so that any 20 programs in a row have all of them.
    pub(crate) fn plan_traps(&mut self, index: u64) {
        if self.on.on("trap") {
            let each = self.allowed().len().div_ceil(20);
            self.planned = (0..each).map(|k| index as usize * each + k).collect();
        }
    }

    /// A trap as a statement of its own, in a loop, or in a branch.
    pub(crate) fn trap_in_context(&mut self) -> Vec<Stmt> {
        match self.random.below(10) {
            0 | 1 if self.on.on("for") => {
                self.loops += 1;
                self.rounds *= 2;
                let body = self.nested_with(Self::trap);
                self.loops -= 1;
                self.rounds /= 2;
                vec![looped("_ in 0..2", body)]
            }
            2 if self.on.on("if") => {
                let condition = self.condition();
                let body = self.nested_with(Self::trap);
                vec![guarded(&condition, body)]
            }
            _ => self.trap(),
        }
    }

    /// One of the traps that the constructs allow.
    pub(crate) fn trap(&mut self) -> Vec<Stmt> {
        if !self.on.on("trap") {
            return Vec::new();
        }
        let allowed = self.allowed();
        if allowed.is_empty() {
            return Vec::new();
        }
        let trap = match self.planned.pop() {
            Some(place) => allowed[place % allowed.len()],
            None => *self.random.pick(&allowed),
        };
        self.traps.push(trap.name);
        self.used.extend(trap.needs.split(' '));
        let marks = std::mem::replace(&mut self.marks, false);
        let stmts = (trap.write)(self);
        self.marks = marks;
        stmts
    }

    /// A trap in the place of an ordinary statement.
    pub(crate) fn any_trap(&mut self) -> Option<Vec<Stmt>> {
        (self.loops < 2 && self.nesting < 3 && self.rounds < 20).then(|| self.trap())
    }

    /// A new mutable scalar; the statement that binds it.
    fn new_scalar(&mut self) -> (String, Stmt) {
        let value = self.float(1, 1.5).text;
        let name = self.fresh("z");
        self.declare(Var::new(&name, Kind::Scalar, true, 3.0));
        let stub = format!("let mut {name}: {} = 0.75;", self.scalar);
        (
            name.clone(),
            Stmt::binding(format!("let mut {name} = {value};"), stub, &[&name]),
        )
    }

    /// A new mutable array (or `Vec`); the statement that binds it.
    fn new_list(&mut self, n: usize) -> (String, Stmt) {
        let items: Vec<String> = (0..n).map(|_| self.float(1, 1.5).text).collect();
        let name = self.fresh("b");
        let (form, prefix) = if self.random.chance(0.4) && self.use_of("vec") {
            (Form::Vector, "vec!")
        } else {
            (Form::Array, "")
        };
        self.declare(Var::new(&name, Kind::List(form, n), true, 3.0));
        let stub = format!("let mut {name} = {prefix}[0.75{}; {n}];", self.scalar);
        (
            name.clone(),
            Stmt::binding(
                format!("let mut {name} = {prefix}[{}];", items.join(", ")),
                stub,
                &[&name],
            ),
        )
    }

    /// A float that can be a receiver.
    pub(crate) fn some(&mut self) -> String {
        self.leaf().atom()
    }

    /// A new immutable scalar with the given value.
    fn let_value(&mut self, value: &str) -> Stmt {
        let name = self.fresh("q");
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        Stmt::binding(
            format!("let {name} = {value};"),
            format!("let {name}: {} = 0.75;", self.scalar),
            &[&name],
        )
    }
}

/// A statement that changes names.
fn change(text: String, names: &[&str]) -> Stmt {
    Stmt::new(text, names)
}

fn looped(head: &str, body: Vec<Stmt>) -> Stmt {
    Stmt::nested(
        vec![
            Part::Text(format!("for {head} {{")),
            Part::Body(body),
            Part::Text("}".into()),
        ],
        "",
        &[],
    )
}

fn guarded(condition: &str, body: Vec<Stmt>) -> Stmt {
    Stmt::nested(
        vec![
            Part::Text(format!("if {condition} {{")),
            Part::Body(body),
            Part::Text("}".into()),
        ],
        "",
        &[],
    )
}
