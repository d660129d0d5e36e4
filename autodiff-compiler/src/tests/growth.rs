//! The expansion grows no faster than the function: counted in characters, one dimension at a time.

use std::fmt::Write;

use proc_macro2::TokenTree;

/// A name, and the program of a size.
type Kind = (&'static str, fn(usize) -> String);

/// The characters of what the macro makes of a function, on a stack as large as that of the compiler.
fn size(args: &str, source: &str) -> usize {
    let (args, source) = (args.to_owned(), source.to_owned());
    let expand = move || {
        let read = |text: &str| text.parse().unwrap_or_else(|e| panic!("{e}: {text}"));
        let expansion = crate::expand::grad(read(&args), read(&source));
        let mut refused = expansion.clone().into_iter();
        let refused =
            refused.any(|t| matches!(t, TokenTree::Ident(word) if word == "compile_error"));
        assert!(!refused, "refused: {source}");
        expansion.to_string().len()
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let size = thread.spawn(expand).map(std::thread::JoinHandle::join);
    size.expect("a thread").expect("an expansion")
}

/// Sizes for doubled numbers; each doubling may add at most `factor` times what the one before added.
fn grows(
    what: &str,
    args: &str,
    numbers: &[usize],
    factor: f64,
    program: impl Fn(usize) -> String,
) {
    let sizes: Vec<usize> = numbers.iter().map(|&n| size(args, &program(n))).collect();
    println!("{what} ({args}): {numbers:?} {sizes:?}");
    for (sizes, numbers) in sizes.windows(3).zip(numbers.windows(3)) {
        let (before, after) = (sizes[1] - sizes[0], sizes[2].saturating_sub(sizes[1]));
        let steps = (numbers[2] - numbers[1]) as f64 / (numbers[1] - numbers[0]) as f64;
        assert!(
            after as f64 <= factor * steps * before as f64,
            "{what} ({args}): {numbers:?} take {sizes:?} characters"
        );
    }
}

/// Names and numbers become longer, too.
const LINEAR: f64 = 1.25;

const ORDERS: [&str; 2] = ["", "order = 2"];

/// Text of `n` parts.
fn repeated(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut out, k| {
        let _ = write!(out, "{}", part(k));
        out
    })
}

/// The numbers of arms; fewer for second derivatives, whose expansion takes the time of the test.
fn arms(args: &str) -> &'static [usize] {
    let all = &[4, 8, 16, 32, 64, 128, 256];
    if args.is_empty() { all } else { &all[..4] }
}

#[test]
fn with_the_arms_of_a_match() {
    let kinds: [Kind; 6] = [
        ("nothing remembered", |k| format!("{k} => x * {k}.5 + y,")),
        ("a sine", |k| format!("{k} => (x * {k}.5 + y).sin() * x,")),
        ("blocks", |k| {
            format!("{k} => {{ let a = (x * {k}.5).sin(); let b = (a * y).exp(); a * b.cos() }}")
        }),
        ("calls", |k| format!("{k} => g{k}(x * {k}.5, y) * x,")),
        ("returns", |k| match k % 2 {
            0 => format!("{k} => (x * {k}.5 + y).exp(),"),
            _ => format!("{k} => return (x * {k}.5 + y).sin() * x,"),
        }),
        ("guards", |k| {
            format!("v if v as f64 * x < {k}.5 => (x * {k}.5 + y).sin() * v as f64,")
        }),
    ];
    for (what, arm) in kinds {
        for args in ORDERS {
            grows(what, args, arms(args), LINEAR, |n| {
                let all = repeated(n, arm);
                format!(
                    "fn f(x: f64, y: f64, k: usize) -> f64 {{ match k {{ {all} _ => x * y }} }}"
                )
            });
            grows(what, args, arms(args), LINEAR, |n| {
                let all = repeated(n, arm);
                format!(
                    "fn f(x: f64, y: f64, ks: &[usize]) -> f64 {{ let mut s = x; for k in ks {{ s += match *k {{ {all} _ => s * y }}; }} s }}"
                )
            });
        }
    }
}

/// Of many variables each is assigned in one arm. For very many the bound is quadratic: every arm yields all that some arm assigns.
#[test]
fn with_arms_and_variables() {
    for args in ORDERS {
        grows("assigned", args, &arms(args)[..4], 1.35, |n| {
            let lets = repeated(n, |k| format!("let mut a{k} = x * {k}.5;"));
            let all = repeated(n, |k| format!("{k} => a{k} = a{k}.sin() * y,"));
            let sum = repeated(n, |k| format!("s += a{k};"));
            format!(
                "fn f(x: f64, y: f64, k: usize) -> f64 {{ {lets} match k {{ {all} _ => {{}} }} let mut s = 0.0; {sum} s }}"
            )
        });
    }
}

#[test]
fn with_a_chain_of_conditions() {
    for args in ORDERS {
        grows("else if", args, arms(args), LINEAR, |n| {
            let all = repeated(n, |k| {
                format!("if x < {k}.5 {{ (x * {k}.5).sin() * y }} else ")
            });
            format!("fn f(x: f64, y: f64) -> f64 {{ {all} {{ x * y }} }}")
        });
        grows("early returns", args, arms(args), LINEAR, |n| {
            let all = repeated(n, |k| {
                format!("if x < {k}.5 {{ return (x * {k}.5).sin() * y; }}")
            });
            format!("fn f(x: f64, y: f64) -> f64 {{ {all} x * y }}")
        });
        grows("conditions in a row", args, arms(args), LINEAR, |n| {
            let all = repeated(n, |k| {
                format!("if k > {k} {{ s += (x * {k}.5).sin() * s; }}")
            });
            format!("fn f(x: f64, y: f64, k: usize) -> f64 {{ let mut s = y; {all} s }}")
        });
    }
}

#[test]
fn with_the_statements() {
    let numbers = [10, 20, 40, 80, 160, 320, 640, 1280];
    grows("statements", "", &numbers, LINEAR, statements);
    grows("statements", "order = 2", &numbers[..6], LINEAR, statements);
    for args in ORDERS {
        grows("stores", args, &numbers[..5], LINEAR, |n| {
            let body = repeated(n, |k| {
                format!("a[{}] = a[{}] * a[i] + x;", k % 7, (k + 3) % 7)
            });
            format!("fn f(a: &mut [f64], x: f64, i: usize) {{ {body} }}")
        });
        grows("loops in a row", args, &numbers[..5], LINEAR, |n| {
            let body = repeated(n, |k| {
                format!("for i in 0..a.len() {{ s += (a[i] * s + {k}.0).sin(); }}")
            });
            format!("fn f(a: &[f64], x: f64) -> f64 {{ let mut s = x; {body} s }}")
        });
        grows("one long sum", args, &numbers[..6], LINEAR, |n| {
            let terms = repeated(n, |k| format!(" + x * {k}.5 * y"));
            format!("fn f(x: f64, y: f64) -> f64 {{ x {terms} }}")
        });
    }
}

fn statements(n: usize) -> String {
    let body = repeated(n, |k| match k % 4 {
        0 => "let t = s * 1.25 + x;".to_owned(),
        1 => "let s = t.sin() * y;".to_owned(),
        2 => "let s = s * t;".to_owned(),
        _ => format!("let s = s - {k}.5;"),
    });
    format!("fn f(x: f64, y: f64) -> f64 {{ let s = x; let t = y; {body} s * t }}")
}

const DEPTHS: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8];

/// Each level stands in the one around it, and adds what it has itself.
#[test]
fn with_the_nesting() {
    let kinds: [Kind; 7] = [
        ("loops", |k| {
            format!("for i{k} in 0..n {{ s += (s * x).sin();")
        }),
        ("loops over rows", |k| {
            format!("for i{k} in 0..n {{ s += a[i{k} * n + {k}] * x;")
        }),
        ("loops that store", |k| {
            format!("for i{k} in 0..n {{ b[i{k}] = b[i{k}] * s + x;")
        }),
        ("while loops", |k| {
            format!("while s < {k}.5 {{ s += (s * x).sin() + 1.0;")
        }),
        ("conditions", |k| {
            format!("if s > {k}.5 {{ s += (s * x).sin();")
        }),
        ("matches", |k| {
            format!(
                "match n + {k} {{ 0 => s = s.sin() * x, 1 => s = s.cos(), _ => {{ s += (s * x).sin();"
            )
        }),
        ("loops that end early", |k| {
            format!("for i{k} in 0..n {{ if s > {k}.5 {{ break; }} s += (s * x).sin();")
        }),
    ];
    for (what, open) in kinds {
        let close = if what == "matches" { "} }" } else { "}" };
        for args in ORDERS {
            grows(what, args, DEPTHS, 1.5, |n| {
                let (open, close) = (repeated(n, open), close.repeat(n));
                format!(
                    "fn f(x: f64, a: &[f64], b: &mut [f64], n: usize) -> f64 {{ let mut s = x; {open} {close} s }}"
                )
            });
        }
    }
}

/// Functions that are given the results of others.
#[test]
fn with_the_depth_of_calls() {
    for args in ["", "order = 2", "order = 3"] {
        grows("calls in calls", args, DEPTHS, LINEAR, |n| {
            let (calls, ends) = (repeated(n, |k| format!("g{k}(x * ")), ", y)".repeat(n));
            format!("fn f(x: f64, y: f64) -> f64 {{ {calls}x{ends} }}")
        });
    }
}

#[test]
fn with_the_calls_of_a_closure() {
    let program = |n: usize| {
        let calls = repeated(n, |k| format!("s += g(s * {k}.5, y);"));
        format!(
            "fn f(x: f64, y: f64) -> f64 {{ let g = |a: f64, b: f64| (a * x).sin() * b + a.exp(); let mut s = x; {calls} s }}"
        )
    };
    for args in ORDERS {
        // Written out where it is called, and as a function of its own.
        grows(
            "few calls of a closure",
            args,
            &[1, 2, 4, 8, 16],
            LINEAR,
            program,
        );
        grows("calls of a closure", args, &[64, 128, 256], LINEAR, program);
    }
}

/// Each closure calls the one before twice; from some depth on, those below are functions.
#[test]
fn with_closures_that_call_closures() {
    let program = |n: usize| {
        let closures = repeated(n, |k| {
            format!(
                "let g{} = |a: f64| g{k}(a * {k}.5) * x + g{k}(a + y);",
                k + 1
            )
        });
        format!(
            "fn f(x: f64, y: f64) -> f64 {{ let g0 = |a: f64| (a * x).sin(); {closures} g{n}(x) }}"
        )
    };
    for args in ORDERS {
        let sizes = [6, 7, 8, 9, 10].map(|n| size(args, &program(n)));
        println!("depth of closures ({args}): {sizes:?}");
        assert!(
            sizes[4] - sizes[2] <= 2 * (sizes[2] - sizes[0]),
            "{sizes:?}"
        );
    }
}

#[test]
fn with_iterator_chains() {
    for args in ORDERS {
        grows("length of a chain", args, &[2, 4, 8, 16, 32], 1.5, |n| {
            let chain = repeated(n, |k| format!(".map(|t| t * x + {k}.5)"));
            format!("fn f(v: &[f64], x: f64) -> f64 {{ v.iter().map(|t| *t) {chain}.sum() }}")
        });
        grows("chains", args, &[1, 2, 4, 8, 16, 32], LINEAR, |n| {
            let chains = repeated(n, |k| {
                format!("s += v.iter().zip(w).map(|(a, b)| a * b * s + {k}.0).sum::<f64>();")
            });
            format!("fn f(v: &[f64], w: &[f64]) -> f64 {{ let mut s = 0.5; {chains} s }}")
        });
        grows(
            "a chain of methods",
            args,
            &[1, 2, 4, 8, 16, 32, 64],
            LINEAR,
            |n| {
                let chain = repeated(n, |_| ".sin().exp()".to_owned());
                format!("fn f(x: f64) -> f64 {{ x{chain} }}")
            },
        );
    }
}

#[test]
fn with_the_width_of_tuples_and_parameters() {
    let numbers = [4, 8, 16, 26];
    grows("tuples", "", &numbers, LINEAR, |n| {
        let parts = repeated(n, |k| format!("x * {k}.5,"));
        let uses = repeated(n, |k| format!("+ t.{k}.sin()"));
        format!("fn f(x: f64) -> f64 {{ let t = ({parts}); 0.5 {uses} }}")
    });
    grows("parameters", "", &numbers, LINEAR, |n| {
        let params = repeated(n, |k| format!("x{k}: f64,"));
        let uses = repeated(n, |k| format!("+ x{k}.sin()"));
        format!("fn f({params}) -> f64 {{ 0.5 {uses} }}")
    });
}

/// Each order takes at most four times the text of the one before.
#[test]
fn with_the_order() {
    let programs = [
        statements(40),
        "fn f(a: &[f64], x: f64) -> f64 { let mut s = x; for i in 0..a.len() { s = (a[i] * s).sin(); } s }".to_owned(),
        "fn f(x: f64, k: usize) -> f64 { match k { 0 => x.sin(), 1 => g(x) * x, _ => h(x) } }".to_owned(),
        "fn f(a: &mut [f64], n: usize) { for i in 0..n { a[i] = a[i] * a[i + 1]; a.swap(i, 0); } }".to_owned(),
    ];
    for program in programs {
        let sizes = ["", "order = 2", "order = 3"].map(|args| size(args, &program));
        println!("order: {sizes:?}");
        for sizes in sizes.windows(2) {
            assert!(sizes[1] <= 4 * sizes[0], "{program}: {sizes:?}");
        }
    }
}

#[test]
fn of_chains_on_tensors() {
    for args in ORDERS {
        grows("chains on tensors", args, &[8, 16, 32, 64], LINEAR, |n| {
            let steps = repeated(n, |k| {
                format!(
                    "let h{} = ((h{k} + x).tanh() * 0.5).map(|v| if v > 0.0 {{ v }} else {{ 0.1 * v }});",
                    k + 1
                )
            });
            format!(
                "fn f(x: &Tensor<f64>, y: &Tensor<f64>) -> f64 {{ let h0 = x * y; {steps} h{n}.sum() }}"
            )
        });
    }
}
