//! What is refused, printed as rustc prints it; and what can be looked at.
#![allow(missing_docs, reason = "tests")]

mod run;

use run::{autodiff, file, written};

#[test]
fn all_refusals_are_printed_at_their_places() {
    let path = written(
        "refused.rs",
        "use autodiff::grad;\n\n#[grad]\nfn f(x: f64) -> f64 {\n    let y = unsafe { x };\n    y\n}\n\nimpl P {\n    #[grad(method)]\n    fn g(x: f64) -> u32 {\n        1\n    }\n}\n",
    );
    let run = autodiff(&["expand", &path]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.output, "");
    let expected = format!(
        "\
error[unsafe-block]: an `unsafe` block with active values cannot be differentiated; write it in safe code
 --> {path}:5:13
  |
5 |     let y = unsafe {{ x }};
  |             ^^^^^^

error[nothing-to-differentiate]: return type `u32` has no derivative: there is nothing to differentiate; return a float, remove #[grad], or write #[grad(constant)] if differentiated functions call it
  --> {path}:11:21
   |
11 |     fn g(x: f64) -> u32 {{
   |                     ^^^

error: could not expand `{path}` due to 2 previous errors

For what to write instead, try `autodiff explain unsafe-block`.
"
    );
    assert_eq!(run.error, expected);
}

#[test]
fn malformed_files_get_line_and_column() {
    for (name, text, place, message) in [
        (
            "bracket.rs",
            "fn f() {\n  let x = ];\n}\n",
            ":2:11",
            "a token or a bracket is wrong",
        ),
        (
            "quote.rs",
            "fn f() {\n  let x = \"a;\n}\n",
            ":2:11",
            "a token or a bracket is wrong",
        ),
        (
            "grammar.rs",
            "fn f() {\n  let x 1 = 2;\n}\n",
            ":2:9",
            "expected `;`",
        ),
        ("end.rs", "fn f() ->\n", ":1:10", "unexpected end of input"),
        (
            "wide.rs",
            "\u{feff}#!/usr/bin/env x\nfn é() { ) }\n",
            ":2:10",
            "a token or a bracket is wrong",
        ),
    ] {
        let run = autodiff(&["expand", &written(name, text)]);
        assert_eq!(run.code, Some(1), "{name}");
        let place = format!("{name}{place}\n");
        assert!(run.error.contains(&place), "{name}: {}", run.error);
        assert!(run.error.contains(message), "{name}: {}", run.error);
    }
    let run = autodiff(&["expand", "/no/such/file.rs"]);
    assert!(
        run.error
            .starts_with("error: failed to read `/no/such/file.rs`: ")
    );
}

#[test]
fn graphs_are_drawn_in_three_formats() {
    let source = file("models.rs");
    let graph = |format| autodiff(&["graph", &source, "wave", "--format", format]).output;
    assert!(graph("svg").starts_with("<svg "));
    assert!(graph("dot").starts_with("digraph \"wave\" {\n"));
    let json = graph("json");
    assert!(json.contains("\"function\": \"wave\""), "{json}");
    assert!(json.contains("{\"op\": \"sin\", \"name\": \"\", \"line\": 24, \"column\": 10, \"region\": null, \"active\": true, \"reverse\": \"kept\", \"operands\": [2]}"), "{json}");
    let run = autodiff(&["graph", &source, "absent"]);
    assert_eq!(run.code, Some(1));
}

#[test]
fn reports_say_what_is_remembered() {
    let report = autodiff(&["report", &file("models.rs"), "weighted"]).output;
    assert!(report.starts_with("What the reverse sweep of `weighted` has of the forward sweep:\n"));
    let line =
        "line 35: `exp` is remembered, 8 bytes: it takes longer to compute than to remember\n";
    assert!(report.contains(line), "{report}");
    let all = autodiff(&["report", &file("models.rs")]).output;
    assert_eq!(all.matches("What the reverse sweep of").count(), 3);
}

#[test]
fn stages_are_printed_one_by_one() {
    let source = file("models.rs");
    let lowered = autodiff(&["stages", &source, "wave", "--stage", "lowered"]).output;
    assert_eq!(
        lowered,
        "fn(x*, k) {\n  seed* = k * x*\n  v0* = sin(seed*)\n  v1* = v0* * x*\n  yield v1*\n}\n"
    );
    let all = autodiff(&["stages", &source, "wave"]).output;
    for stage in [
        "names",
        "facts",
        "lowered",
        "jvp",
        "vjp",
        "residuals",
        "emitted",
    ] {
        assert!(all.contains(&format!("// {stage}\n")), "{stage}");
    }
    let run = autodiff(&["stages", &source, "wave", "--stage", "absent"]);
    assert_eq!(run.code, Some(2));
}
