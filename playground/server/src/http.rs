//! As much of HTTP as the page needs: one request on each connection, and its answer.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Heads and bodies that are longer are refused.
const LONGEST: usize = 1 << 20;
const MOST_HEADERS: usize = 64;
/// A connection that says nothing for so long is closed.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a browser asks.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Whether the body is said to be JSON.
    pub(crate) json: bool,
    pub(crate) body: Vec<u8>,
}

/// What it is told.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(status: u16, text: &str) -> Answer {
        Answer {
            status,
            kind: "text/plain",
            body: text.as_bytes().to_vec(),
        }
    }
}

/// Reads a request, or says why it is none; a browser that closes the connection without one is right to do so.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Option<std::result::Result<Request, Answer>>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut read = Vec::new();
    let (mut request, length, mut body) = loop {
        if !more(stream, &mut read)? {
            return Ok(None);
        }
        match head(&read) {
            Ok(Some((request, length, end))) => break (request, length, read.split_off(end)),
            Ok(None) if read.len() < LONGEST => {}
            _ => return Ok(Some(Err(Answer::text(400, "this is no request")))),
        }
    };
    if length > LONGEST {
        return Ok(Some(Err(Answer::text(413, "the request is too long"))));
    }
    while body.len() < length {
        if !more(stream, &mut body)? {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
    }
    body.truncate(length);
    request.body = body;
    Ok(Some(Ok(request)))
}

/// Reads what there is; nothing comes after the end.
fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Result<bool> {
    let mut chunk = [0; 1 << 14];
    let count = stream.read(&mut chunk)?;
    read.extend(chunk.iter().take(count));
    Ok(count > 0)
}

/// The request of a head without its body, the body's length, and where the body begins; nothing if the head goes on.
fn head(read: &[u8]) -> std::result::Result<Option<(Request, usize, usize)>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(end) = parsed.parse(read)? else {
        return Ok(None);
    };
    let header = |name: &str| {
        let found = parsed
            .headers
            .iter()
            .find(|h| h.name.eq_ignore_ascii_case(name));
        found.and_then(|h| std::str::from_utf8(h.value).ok())
    };
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        json: header("Content-Type") == Some("application/json"),
        body: Vec::new(),
    };
    let length = header("Content-Length").map_or(Ok(0), str::parse);
    Ok(Some((
        request,
        length.map_err(|_| httparse::Error::HeaderValue)?,
        end,
    )))
}

/// Writes an answer, after which the connection is closed.
pub(crate) fn write(stream: &mut TcpStream, answer: &Answer) -> Result<()> {
    let reason = match answer.status {
        200 => "OK",
        404 => "Not Found",
        _ => "Refused",
    };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
        answer.status,
        answer.kind,
        answer.body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&answer.body)
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn a_head_ends_where_its_body_begins() {
        let text = b"POST /engine HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        let (request, length, end) = head(text).expect("a request").expect("all of its head");
        assert_eq!(
            (request.method.as_str(), request.target.as_str()),
            ("POST", "/engine")
        );
        assert!(request.json);
        assert_eq!((length, end), (2, text.len() - 2));
    }

    #[test]
    fn a_head_may_go_on() {
        assert!(
            head(b"GET / HTTP/1.1\r\nHost: x\r\n")
                .expect("no mistake yet")
                .is_none()
        );
        assert!(head(b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n").is_err());
        assert!(head(b"\x16\x03\x01 no HTTP").is_err());
    }
}
