//! Serves the page of the playground on this machine, and answers for it where there is no engine in WebAssembly.
#![forbid(unsafe_code)]

use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use tiny_http::{Header, Method, Request, Response, Server};

/// Requests that are longer are answered with an error.
const LONGEST: u64 = 1 << 20;
/// The compiler goes as deep as sources are nested.
const STACK: usize = 64 << 20;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let folder = args.next().map_or_else(default_folder, PathBuf::from);
    let port = args.next().unwrap_or_else(|| "8000".to_owned());
    let server = match Server::http(format!("127.0.0.1:{port}")) {
        Ok(server) => server,
        Err(error) => {
            eprintln!("error: failed to listen on port {port}: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "the playground is on http://{}/, from {}",
        server.server_addr(),
        folder.display()
    );
    // One thread answers all: the engine keeps what was compiled last.
    let serving = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || server.incoming_requests().for_each(|r| answer(r, &folder)));
    match serving.map(std::thread::JoinHandle::join) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
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

fn answer(mut request: Request, folder: &Path) {
    let (status, kind, body) = match (request.method(), request.url()) {
        (Method::Post, "/engine") => engine(&mut request),
        (Method::Get, url) => file(folder, url),
        _ => (405, "text/plain", b"this server reads".to_vec()),
    };
    let mut response = Response::from_data(body).with_status_code(status);
    for (name, value) in [("Content-Type", kind), ("Cache-Control", "no-cache")] {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    // Whoever asked may have gone.
    let _ = request.respond(response);
}

/// Asks the engine, which is ours: other pages of this browser may not.
fn engine(request: &mut Request) -> (u16, &'static str, Vec<u8>) {
    let json = request
        .headers()
        .iter()
        .any(|h| h.field.equiv("Content-Type") && h.value == "application/json");
    let mut body = String::new();
    let read = request
        .as_reader()
        .take(LONGEST)
        .read_to_string(&mut body)
        .is_ok();
    if !json || !read {
        return (400, "text/plain", b"a request is JSON".to_vec());
    }
    let answer = std::panic::catch_unwind(|| playground_engine::answer(&body));
    match answer {
        Ok(answer) => (200, "application/json", answer.into_bytes()),
        Err(_) => (500, "text/plain", b"the engine failed".to_vec()),
    }
}

fn file(folder: &Path, url: &str) -> (u16, &'static str, Vec<u8>) {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let within = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    match std::fs::read(folder.join(path)) {
        Ok(body) if within => (200, kind(path), body),
        _ => (404, "text/plain", b"there is no such file".to_vec()),
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
