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
