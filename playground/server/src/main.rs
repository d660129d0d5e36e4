//! Serves the page of the playground on this machine, and answers for it where there is no engine in WebAssembly.
#![forbid(unsafe_code)]

mod http;

use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use http::{Answer, Request};

/// The compiler goes as deep as sources are nested.
const STACK: usize = 64 << 20;

/// A request to the engine, and where its answer goes.
type Question = (String, Sender<Option<String>>);

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let folder = args.next().map_or_else(default_folder, PathBuf::from);
    let port = args.next().unwrap_or_else(|| "8000".to_owned());
    let listening = TcpListener::bind(format!("127.0.0.1:{port}"));
    match listening.and_then(|listener| serve(&listener, folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to serve on port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What was built, or the page as it is in the repository.
fn default_folder() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = here.join("dist");
    if built.is_dir() {
        built
    } else {
        here.join("page")
    }
}

fn serve(listener: &TcpListener, folder: PathBuf) -> std::io::Result<()> {
    println!(
        "the playground is on http://{}/, from {}",
        listener.local_addr()?,
        folder.display()
    );
    // One thread answers for the engine, which keeps what was compiled last.
    let (questions, asked) = channel();
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || engine(&asked))?;
    let folder = Arc::new(folder);
    for stream in listener.incoming() {
        let (folder, questions) = (folder.clone(), questions.clone());
        // Browsers open connections that they do not use yet; none may keep another one waiting.
        let _ = std::thread::Builder::new().spawn(move || connection(stream?, &folder, &questions));
    }
    Ok(())
}

/// Answers the one request of a connection.
fn connection(
    mut stream: TcpStream,
    folder: &Path,
    questions: &Sender<Question>,
) -> std::io::Result<()> {
    let Some(request) = http::read(&mut stream)? else {
        return Ok(());
    };
    let answer = match request {
        Ok(request) => answered(request, folder, questions),
        Err(refused) => refused,
    };
    http::write(&mut stream, &answer)
}

fn answered(request: Request, folder: &Path, questions: &Sender<Question>) -> Answer {
    match (request.method.as_str(), request.target.as_str()) {
        ("POST", "/engine") => asked(request, questions),
        ("GET", target) => file(folder, target),
        _ => Answer::text(405, "this server reads"),
    }
}

/// Asks the engine, which is ours: other pages of this browser may not.
fn asked(request: Request, questions: &Sender<Question>) -> Answer {
    let body = String::from_utf8(request.body)
        .ok()
        .filter(|_| request.json);
    let Some(body) = body else {
        return Answer::text(400, "a request is JSON");
    };
    let (answers, answer) = channel();
    // The engine's thread lives as long as there are connections.
    let _ = questions.send((body, answers));
    match answer.recv() {
        Ok(Some(answer)) => Answer {
            status: 200,
            kind: "application/json",
            body: answer.into_bytes(),
        },
        _ => Answer::text(500, "the engine failed"),
    }
}

/// Answers questions one after the other.
fn engine(asked: &Receiver<Question>) {
    for (question, answers) in asked {
        let answer = std::panic::catch_unwind(|| playground_engine::answer(&question));
        // Whoever asked may have gone.
        let _ = answers.send(answer.ok());
    }
}

fn file(folder: &Path, target: &str) -> Answer {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let within = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    match std::fs::read(folder.join(path)) {
        Ok(body) if within => Answer {
            status: 200,
            kind: kind(path),
            body,
        },
        _ => Answer::text(404, "there is no such file"),
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::{default_folder, serve};

    #[test]
    fn connections_that_say_nothing_keep_nobody_waiting() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        std::thread::spawn(move || serve(&listener, default_folder()));
        let silent: Vec<TcpStream> = (0..20)
            .map(|_| TcpStream::connect(address).expect("a connection"))
            .collect();
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).expect("a connection");
            let patience = Some(Duration::from_secs(20));
            stream.set_read_timeout(patience).expect("a limit");
            stream.write_all(request.as_bytes()).expect("it is read");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            answer
        };
        assert!(ask("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
        assert!(ask("GET /../Cargo.toml HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
        let body = r#"{"do": "run", "source": "x * x", "function": "f", "inputs": [3.0]}"#;
        let length = body.len();
        let head = "POST /engine HTTP/1.1\r\nContent-Type: application/json";
        let answer = ask(&format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}"));
        assert!(answer.contains(r#""gradient":[6.0]"#), "{answer}");
        // Pages of others cannot send JSON without being asked.
        let head = "POST /engine HTTP/1.1\r\nContent-Type: text/plain";
        let answer = ask(&format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}"));
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        drop(silent);
    }
}
