//! What the page of the playground asks the compiler, with JSON in and out: refusals, generated code, reports, graphs, and runs of the generated code.
//!
//! Nothing here needs threads, files or a clock: the page has it in WebAssembly, and a server on the same machine has it natively.

mod bare;
mod compile;
mod inputs;
pub mod interface;
mod lines;
mod run;

use std::cell::RefCell;

use serde_json::{Value, json};

use compile::Compiled;

thread_local! {
    /// What was compiled last: sliders run it again and again.
    static LAST: RefCell<Option<Compiled>> = const { RefCell::new(None) };
}

/// Answers a request of the page.
///
/// `{"do": "compile", "source": …}` says everything about a file, and `{"do": "run", "source": …, "function": …, "inputs": […]}` runs a function of it.
/// ```
/// let request = r#"{"do": "run", "source": "use autodiff::grad; #[grad] fn f(x: f64) -> f64 { x * x }", "function": "f", "inputs": [3.0]}"#;
/// let answer = playground_engine::answer(request);
/// assert!(answer.contains(r#""gradient":[6.0]"#), "{answer}");
/// ```
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str::<Value>(request) {
        Ok(request) => answered(&request),
        Err(error) => json!({ "failed": format!("the request is no JSON: {error}") }),
    };
    answer.to_string()
}

fn answered(request: &Value) -> Value {
    let Some(source) = request["source"].as_str() else {
        return json!({ "failed": "the request has no source" });
    };
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|last| last.source != source) {
            *last = Some(Compiled::new(source));
        }
        let Some(compiled) = last else {
            return json!({ "failed": "nothing was compiled" });
        };
        match request["do"].as_str() {
            Some("compile") => compiled.answer.clone(),
            Some("run") => {
                let function = request["function"].as_str().unwrap_or_default();
                let none = Vec::new();
                let inputs = request["inputs"].as_array().unwrap_or(&none);
                compiled.run(function, inputs)
            }
            _ => json!({ "failed": "the request asks for nothing that is known" }),
        }
    })
}
