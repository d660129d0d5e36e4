//! The examples of the page: the figures of the worked examples, which were computed apart from this project.
#![allow(missing_docs, reason = "tests")]

use serde_json::{Value, json};

const PRESETS: &str = include_str!("../../page/presets.json");
const EXAMPLES: &str = include_str!("worked_examples.json");

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

fn run(preset: &Value, inputs: &Value) -> Value {
    let request = json!({ "do": "run", "source": preset["source"], "function": preset["function"], "inputs": inputs });
    let answer = parsed(&playground_engine::answer(&request.to_string()));
    assert!(
        answer.get("failed").is_none(),
        "{}: {answer}",
        preset["name"]
    );
    answer
}

/// To the last digit that the page prints, and far beyond.
fn near(got: &Value, expected: &Value) -> bool {
    match (got.as_f64(), expected.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 4e-16 * b.abs().max(1e-2),
        _ => match (got.as_array(), expected.as_array()) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
            _ => false,
        },
    }
}

fn node<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let nodes = answer["nodes"].as_array().expect("nodes");
    let found = nodes.iter().rfind(|node| node["name"] == name);
    found.unwrap_or_else(|| panic!("there is no node `{name}`"))
}

/// The inputs of an example, in the order of the parameters.
fn inputs_of(example: &Value, preset: &Value) -> Value {
    let request = json!({ "do": "compile", "source": preset["source"] });
    let compiled = parsed(&playground_engine::answer(&request.to_string()));
    let parameters = compiled["functions"][0]["parameters"].as_array().cloned();
    let inputs = parameters.unwrap_or_default().into_iter().map(|parameter| {
        let name = parameter["name"].as_str().unwrap_or_default();
        match (name, &example["inputs"]) {
            ("x", Value::Null) => example["X"].clone(),
            ("w", Value::Null) => example["W"].clone(),
            ("dy", Value::Null) => example["dY"].clone(),
            (_, Value::Null) => example[name].clone(),
            (_, inputs) => inputs[name].clone(),
        }
    });
    Value::Array(inputs.collect())
}

#[test]
fn figures_are_those_of_the_worked_examples() {
    let (presets, examples) = (parsed(PRESETS), parsed(EXAMPLES));
    let presets = presets.as_array().expect("presets");
    let preset = |name: &str| {
        let found = presets.iter().find(|p| p["name"] == name);
        found.unwrap_or_else(|| panic!("there is no preset `{name}`"))
    };
    for example in examples["examples"].as_array().expect("examples") {
        let name = example["name"].as_str().expect("a name");
        let run = |preset: &Value| {
            let inputs = inputs_of(example, preset);
            assert_eq!(inputs, preset["inputs"], "{name}");
            run(preset, &inputs)
        };
        let answer = run(preset(name));
        let check = |got: &Value, expected: &Value, what: &str| {
            assert!(
                near(got, expected),
                "{name}, {what}: {got} is not {expected}"
            );
        };
        if name.starts_with("depth_") {
            let nodes = &example["nodes"];
            let rectifiers = run(preset(&format!("{name}_relu")));
            for (chain, input, answer) in [
                ("sigmoid_chain", "x", &answer),
                ("relu_chain", "r", &rectifiers),
            ] {
                check(&node(answer, chain)["value"], &nodes[chain]["value"], chain);
                check(
                    &node(answer, input)["adjoint"],
                    &nodes[chain]["grad"],
                    chain,
                );
            }
        } else if let Some(nodes) = example["nodes"].as_object() {
            for (of, expected) in nodes {
                check(&node(&answer, of)["value"], &expected["value"], of);
                check(&node(&answer, of)["adjoint"], &expected["grad"], of);
            }
        } else {
            check(&answer["gradient"][0], &example["dX"], "dX");
            let second = if name == "matmul_rule" { "dW" } else { "db" };
            check(&answer["gradient"][1], &example[second], second);
        }
    }
}

#[test]
fn all_examples_of_the_page_run() {
    for preset in parsed(PRESETS).as_array().expect("presets") {
        let answer = run(preset, &preset["inputs"]);
        assert!(answer["value"].is_number(), "{answer}");
        let request = json!({ "do": "compile", "source": preset["source"] });
        let compiled = parsed(&playground_engine::answer(&request.to_string()));
        assert_eq!(compiled["problems"], json!([]));
        for name in preset["learn"].as_array().into_iter().flatten() {
            let parameters = compiled["functions"][0]["parameters"]
                .as_array()
                .expect("parameters");
            assert!(parameters.iter().any(|p| p["name"] == *name), "{name}");
        }
    }
}
