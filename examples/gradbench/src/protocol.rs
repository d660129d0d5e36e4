//! The protocol of GradBench: a message a line on the way in, an answer a line on the way out.

use std::any::Any;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::evals;
use crate::output::Output;
use crate::scavenge::scavenge_id;
use crate::task::Task;

/// What is said to a message, beside its number.
#[derive(Default, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Output>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    timings: Vec<Timing>,
}

#[derive(Serialize)]
struct Timing {
    name: &'static str,
    nanoseconds: u64,
}

impl Timing {
    fn new(name: &'static str, taken: Duration) -> Self {
        Timing {
            name,
            nanoseconds: u64::try_from(taken.as_nanos()).unwrap_or(u64::MAX),
        }
    }
}

impl Answer {
    fn success() -> Self {
        Answer {
            success: Some(true),
            ..Answer::default()
        }
    }

    fn failure(error: String) -> Self {
        Answer {
            success: Some(false),
            error: Some(error),
            ..Answer::default()
        }
    }
}

/// Answers every line until there is none; each answer is sent before the next line is read.
pub(crate) fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        serde_json::to_writer(&mut output, &answer(&line))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

type Message<'a> = BTreeMap<String, &'a RawValue>;

fn answer(line: &[u8]) -> Answer {
    let message: Message = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            let id = scavenge_id(line);
            let answer = Answer::failure(format!("not a message: {error}"));
            return Answer { id, ..answer };
        }
    };
    let said = match respond(&message) {
        Ok(answer) => answer,
        Err(reason) => Answer::failure(reason),
    };
    let id = message.get("id").map(|id| (*id).to_owned());
    Answer { id, ..said }
}

fn respond(message: &Message) -> Result<Answer, String> {
    match text(message, "kind")?.as_str() {
        "start" => Ok(Answer {
            tool: Some("autodiff"),
            ..Answer::default()
        }),
        "define" => {
            let module = text(message, "module")?;
            if !evals::is_known(&module) {
                return Err(format!("{module}: no such module"));
            }
            Ok(Answer::success())
        }
        "evaluate" => evaluate(message),
        // Whatever else there is to know, nobody waits for an opinion.
        _ => Ok(Answer::default()),
    }
}

fn evaluate(message: &Message) -> Result<Answer, String> {
    let module = text(message, "module")?;
    let function = text(message, "function")?;
    let input = field(message, "input")?;
    let start = Instant::now();
    let effort = Effort::of(input)?;
    let named = |reason: String| format!("{module}::{function}: {reason}");
    let prepared = guarded(|| evals::prepare(&module, &function, input));
    let mut task = prepared
        .and_then(|task| task.map_err(|refusal| refusal.to_string()))
        .map_err(named)?;
    let prepare = Timing::new("prepare", start.elapsed());
    let runs = guarded(|| effort.run(&mut *task)).map_err(named)?;
    let output = task.output().ok_or_else(|| named("no result".to_owned()))?;
    if !output.is_finite() {
        return Err(named(
            "the result has numbers that are not finite".to_owned(),
        ));
    }
    let runs = runs.into_iter().map(|taken| Timing::new("evaluate", taken));
    Ok(Answer {
        output: Some(output),
        timings: std::iter::once(prepare).chain(runs).collect(),
        ..Answer::success()
    })
}

fn field<'a>(message: &Message<'a>, name: &str) -> Result<&'a RawValue, String> {
    let found = message.get(name).copied();
    found.ok_or_else(|| format!("the message has no field `{name}`"))
}

fn text(message: &Message, name: &str) -> Result<String, String> {
    read(field(message, name)?).map_err(|error| format!("the field `{name}`: {error}"))
}

fn read<T: DeserializeOwned>(value: &RawValue) -> Result<T, serde_json::Error> {
    serde_json::from_str(value.get())
}

/// How often a function runs: at least once, as many times as asked for, and as long.
struct Effort {
    runs: f64,
    seconds: f64,
}

impl Effort {
    /// What the input asks for, if it has fields.
    fn of(input: &RawValue) -> Result<Self, String> {
        #[derive(Default, serde::Deserialize)]
        struct Asked {
            #[serde(default)]
            min_runs: f64,
            #[serde(default)]
            min_seconds: f64,
        }
        let asked = if input.get().starts_with('{') {
            read(input).map_err(|error| format!("an input that does not fit: {error}"))?
        } else {
            Asked::default()
        };
        Ok(Effort {
            runs: asked.min_runs,
            seconds: asked.min_seconds,
        })
    }

    /// How long each run took.
    fn run(&self, task: &mut dyn Task) -> Vec<Duration> {
        let mut taken = vec![task.run()];
        let mut total = taken[0];
        while (taken.len() as f64) < self.runs || total.as_secs_f64() < self.seconds {
            let run = task.run();
            total += run;
            taken.push(run);
        }
        taken
    }
}

/// What `run` returns, or what it said when it panicked: an input may be beyond what a function can do.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| reason(&*payload))
}

fn reason(payload: &(dyn Any + Send)) -> String {
    let literal = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = literal.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The answers to these lines.
    fn answers(lines: &[&[u8]]) -> Vec<Value> {
        let mut output = Vec::new();
        serve(&lines.join(&b'\n')[..], &mut output).expect("memory to write to");
        let output = String::from_utf8(output).expect("text");
        let answers = output.lines();
        let answers = answers.map(|line| serde_json::from_str(line).expect("an answer"));
        answers.collect()
    }

    /// The answer to one line.
    fn answer_to(line: impl AsRef<[u8]>) -> Value {
        let mut answers = answers(&[line.as_ref()]);
        assert_eq!(answers.len(), 1);
        answers.remove(0)
    }

    fn evaluate(module: &str, function: &str, input: &Value) -> Value {
        let message = json!({
            "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input,
        });
        answer_to(message.to_string())
    }

    /// The answer has this number and an error, which is returned.
    fn error(answer: &Value, id: impl Into<Value>) -> String {
        assert_eq!(answer["id"], id.into(), "{answer}");
        assert_eq!(answer["success"], false, "{answer}");
        assert_eq!(answer.get("output"), None, "{answer}");
        answer["error"].as_str().expect("an error").to_owned()
    }

    #[test]
    fn a_session_is_answered_line_by_line() {
        let said = answers(&[
            br#"{"id":0,"kind":"start","eval":"hello","config":{"x":[1]}}"#,
            br#"{"id":1,"kind":"define","module":"hello"}"#,
            br#"{"id":2,"kind":"evaluate","module":"hello","function":"square","input":3}"#,
            br#"{"id":3,"kind":"analysis","of":2,"valid":false,"error":"why"}"#,
            br#"{"id":4,"kind":"something","else":null}"#,
        ]);
        assert_eq!(said.len(), 5);
        assert_eq!(said[0], json!({"id": 0, "tool": "autodiff"}));
        assert_eq!(said[1], json!({"id": 1, "success": true}));
        assert_eq!(said[2]["output"], 9.0);
        assert_eq!(said[3], json!({"id": 3}));
        assert_eq!(said[4], json!({"id": 4}));
    }

    #[test]
    fn every_eval_is_defined_and_nothing_else_is() {
        for eval in [
            "hello", "gmm", "ba", "kmeans", "lstm", "ht", "ode", "det", "llsq", "lse", "particle",
            "saddle",
        ] {
            let define = json!({"id": 1, "kind": "define", "module": eval});
            assert_eq!(answer_to(define.to_string())["success"], true, "{eval}");
            assert!(error(&evaluate(eval, "hessian", &json!({})), 7).contains("no such function"));
        }
        let define = json!({"id": 1, "kind": "define", "module": "mandelbrot"});
        let said = answer_to(define.to_string());
        assert_eq!(error(&said, 1), "mandelbrot: no such module");
        let said = evaluate("mandelbrot", "primal", &json!({}));
        assert!(error(&said, 7).contains("no such module"));
    }

    #[test]
    fn a_function_runs_as_often_and_as_long_as_asked() {
        let evaluations = |input: Value| {
            let said = evaluate("lse", "gradient", &input);
            let timings = said["timings"].as_array().expect("timings").clone();
            assert_eq!(timings[0]["name"], "prepare");
            let runs = &timings[1..];
            assert!(runs.iter().all(|run| run["name"] == "evaluate"));
            let taken = runs.iter().map(|run| run["nanoseconds"].as_u64());
            let taken: Option<Vec<u64>> = taken.collect();
            taken.expect("integers")
        };
        assert_eq!(evaluations(json!({"x": [1, 2]})).len(), 1);
        assert_eq!(evaluations(json!({"x": [1, 2], "min_runs": 0})).len(), 1);
        assert_eq!(evaluations(json!({"x": [1, 2], "min_runs": 5})).len(), 5);
        let long = json!({"x": [1, 2], "min_runs": 1, "min_seconds": 0.01});
        assert!(evaluations(long).iter().sum::<u64>() >= 10_000_000);
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_number_where_it_has_one() {
        for (line, id) in [
            (&b""[..], Value::Null),
            (b"nothing", Value::Null),
            (b"[]", Value::Null),
            (b"null", Value::Null),
            (b"3", Value::Null),
            (b"\xff\xfe{", Value::Null),
            (b"{}", Value::Null),
            (b"{\"kind\": \"define\"}", Value::Null),
            (b"{\"id\": 5}", json!(5)),
            (b"{\"id\": 5, \"kind\": 3}", json!(5)),
            (b"{\"id\": 5, \"kind\": null}", json!(5)),
            (b"{\"id\": \"a\", \"kind\": \"define\"}", json!("a")),
            (b"{\"id\": 5, \"kind\": \"evaluate\"", json!(5)),
            (b"{\"id\": 5, \"kind\": \"evaluate\"} x", json!(5)),
            (b"{\"id\": 5, \"kind\": \"\xff\"}", json!(5)),
            (b"{\"id\": 5, \"kind\": \"evaluate\"}", json!(5)),
            (
                b"{\"id\": 5, \"kind\": \"define\", \"module\": 1}",
                json!(5),
            ),
        ] {
            let lines = [line, br#"{"id":9,"kind":"analysis"}"#];
            let said = answers(&lines);
            let text = String::from_utf8_lossy(line);
            assert_eq!(said.len(), 2, "{text}");
            error(&said[0], id);
            assert_eq!(said[1], json!({"id": 9}), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        for number in ["NaN", "Infinity", "-Infinity", "1e999", "null", "\"1\""] {
            for (module, function, input) in [
                ("hello", "square", number.to_owned()),
                ("lse", "primal", format!("{{\"x\": [1.0, {number}]}}")),
                ("particle", "ff", format!("{{\"w\": {number}}}")),
                (
                    "lse",
                    "primal",
                    format!("{{\"x\": [1], \"min_runs\": {number}}}"),
                ),
            ] {
                let said = answer_to(format!(
                    r#"{{"id": 7, "kind": "evaluate", "module": "{module}", "function": "{function}", "input": {input}}}"#
                ));
                error(&said, 7);
            }
        }
        // Nor are there any on the way out.
        let said = evaluate("llsq", "primal", &json!({"x": [1e200], "n": 3}));
        assert!(error(&said, 7).contains("not finite"));
        let said = evaluate("llsq", "gradient", &json!({"x": [1.0, 1.0], "n": 1}));
        assert!(error(&said, 7).contains("not finite"));
        // A centroid that no point is near has no step.
        let input = json!({"points": [[0.0]], "centroids": [[0.0], [5.0]]});
        let said = evaluate("kmeans", "dir", &input);
        assert!(error(&said, 7).contains("not finite"));
    }

    #[test]
    fn functions_that_come_to_no_end_are_left() {
        for function in ["ff", "fr", "rf", "rr"] {
            let said = evaluate("particle", function, &json!({"w": 20.0}));
            assert!(error(&said, 7).contains("the particle never lands"));
        }
    }

    /// The inputs of `data/records.jsonl`, each with the first function that has it.
    fn inputs() -> Vec<(String, String, Value)> {
        let records = include_str!("../data/records.jsonl").lines();
        let parts = records.map(|line| {
            let record: Value = serde_json::from_str(line).expect("a record");
            let text = |name: &str| record[name].as_str().expect("a text").to_owned();
            (text("eval"), text("function"), record["input"].clone())
        });
        let mut parts: Vec<_> = parts.collect();
        parts.dedup_by(|next, this| next.2 == this.2);
        parts
    }

    /// Everything that `change` makes of `value` and of the parts inside.
    fn changed(value: &Value, change: &dyn Fn(&Value) -> Option<Value>) -> Vec<Value> {
        let mut all: Vec<Value> = change(value).into_iter().collect();
        match value {
            Value::Array(list) => {
                // Parts in the middle are like those at the ends.
                for i in [0, list.len().saturating_sub(1)] {
                    for part in list.get(i).map_or(Vec::new(), |part| changed(part, change)) {
                        let mut list = list.clone();
                        list[i] = part;
                        all.push(list.into());
                    }
                }
            }
            Value::Object(fields) => {
                for (name, part) in fields {
                    for part in changed(part, change) {
                        let mut fields = fields.clone();
                        fields[name] = part;
                        all.push(fields.into());
                    }
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn inputs_of_other_shapes_are_refused() {
        type Change = fn(&Value) -> Option<Value>;
        let changes: [Change; 5] = [
            // A row that is too short.
            |value| {
                let mut list = value.as_array()?.clone();
                list.pop()?;
                Some(list.into())
            },
            // One that is too long.
            |value| {
                let mut list = value.as_array()?.clone();
                list.push(list.last()?.clone());
                Some(list.into())
            },
            // Numbers for lists, and lists for numbers.
            |value| value.is_array().then(|| 1.into()),
            |value| value.is_number().then(|| json!([value])),
            |value| value.is_number().then(|| json!({"value": value})),
        ];
        // These may have any length, and what belongs to another eval does not matter.
        let free = |module: &str, input: &Value, changed: &Value| {
            let lists: &[&str] = match module {
                "lse" | "ode" | "llsq" => &["x"],
                "kmeans" => &["points", "centroids"],
                "lstm" => &["sequence"],
                "ht" => &["bone_names", "base_positions", "weights", "triangles"],
                _ => &[],
            };
            let part = |of: &Value, name: &str| {
                let model = &of["data"]["model"];
                if of[name].is_null() {
                    model[name].clone()
                } else {
                    of[name].clone()
                }
            };
            let same_kind = |name: &&&str| {
                let (was, is) = (part(input, name), part(changed, name));
                was != is && (is.is_array() || **name == "bone_names")
            };
            lists.iter().any(|name| same_kind(&name))
        };
        for (module, function, input) in inputs() {
            let said = evaluate(&module, &function, &input);
            assert_eq!(said["success"], true, "{module}::{function}: {said}");
            for change in changes {
                for changed in changed(&input, &change) {
                    let said = evaluate(&module, &function, &changed);
                    assert_eq!(said["id"], 7);
                    if !free(&module, &input, &changed) {
                        error(&said, 7);
                    }
                }
            }
            let Value::Object(fields) = &input else {
                continue;
            };
            for name in fields.keys() {
                let mut fields = fields.clone();
                fields.remove(name);
                let said = evaluate(&module, &function, &fields.into());
                assert!(error(&said, 7).contains(&format!("missing field `{name}`")));
            }
        }
    }

    #[test]
    fn ragged_rows_are_refused() {
        for (module, function, input) in inputs() {
            let Value::Object(fields) = &input else {
                continue;
            };
            for (name, value) in fields {
                let Some(Value::Array(last)) = value.as_array().and_then(|list| list.last()) else {
                    continue;
                };
                if value.as_array().map_or(0, Vec::len) < 2 {
                    continue;
                }
                let longer = [&last[..], &[json!(1.0)]].concat();
                let mut fields = fields.clone();
                let list = fields[name].as_array_mut().expect("a list");
                *list.last_mut().expect("a row") = longer.into();
                let said = evaluate(&module, &function, &fields.into());
                error(&said, 7);
            }
        }
    }

    #[test]
    fn sizes_that_do_not_belong_to_the_input_are_refused() {
        for (module, function, input) in inputs() {
            let Value::Object(fields) = &input else {
                continue;
            };
            for (name, value) in fields {
                if !value.is_u64() || name == "m" && module == "gmm" {
                    continue;
                }
                for size in [json!(-1), json!(1.5), json!(1u64 << 62), json!(u64::MAX)] {
                    let mut fields = fields.clone();
                    fields[name] = size;
                    let said = evaluate(&module, &function, &fields.into());
                    error(&said, 7);
                }
            }
        }
    }
}
