//! What is nested too deep is refused, with the stack that the compiler has; what is not, is read.

use crate::expand;

/// Of the compiler.
const STACK: usize = 8 << 20;

/// For what is not refused, since tests verify the graph after every pass as well.
const MORE_STACK: usize = 64 << 20;

/// Whether a function with this body is refused for its depth; whatever else is refused fails.
fn is_refused(body: &str, stack: usize) -> bool {
    let text = format!("fn f(x: f64) -> f64 {{ {body} }}");
    let refused = move || {
        let tokens = text.parse().expect("it is Rust");
        let made = expand::grad("".parse().expect("nothing"), tokens).to_string();
        let refused = made.contains("nested too deep");
        assert_eq!(refused, made.contains("compile_error"), "{made}");
        refused
    };
    let thread = std::thread::Builder::new().stack_size(stack);
    let thread = thread.spawn(refused).expect("there are threads");
    thread.join().expect("it does not panic")
}

fn sum(terms: usize) -> String {
    vec!["x"; terms].join(" + ")
}

fn within(around: (&str, &str), times: usize) -> String {
    format!("{}x{}", around.0.repeat(times), around.1.repeat(times))
}

#[test]
fn sums_have_so_many_terms() {
    assert!(!is_refused(&sum(700), MORE_STACK));
    assert!(is_refused(&sum(5000), STACK));
}

#[test]
fn calls_stand_in_calls() {
    assert!(!is_refused(&within(("f64::sin(", ")"), 150), MORE_STACK));
    assert!(is_refused(&within(("f64::sin(", ")"), 3000), STACK));
    assert!(!is_refused(&within(("x * (", ")"), 150), MORE_STACK));
    assert!(is_refused(&within(("x * (", ")"), 3000), STACK));
}

#[test]
fn methods_follow_methods() {
    assert!(!is_refused(&within(("", ".sin()"), 150), MORE_STACK));
    assert!(is_refused(&within(("", ".sin()"), 3000), STACK));
}
