//! The number of a message that is no JSON.

use serde_json::value::RawValue;

/// The value of the field `id` of the object that `line` begins with, if that much of it can be read; fields of objects inside are others.
pub(crate) fn scavenge_id(line: &[u8]) -> Option<Box<RawValue>> {
    let mut depth = 0;
    let mut rest = line;
    // Whether a text would be the name of a field.
    let mut at_name = false;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                at_name = byte == b'{' && depth == 1;
            }
            b'}' | b']' => depth -= 1,
            b',' => at_name = depth == 1,
            b'"' => {
                let end = end_of_text(rest)?;
                let (text, after) = rest.split_at(end);
                rest = &after[1..];
                if at_name && text == b"id" {
                    let value = rest.trim_ascii_start().strip_prefix(b":")?;
                    return first_value(value.trim_ascii_start());
                }
                at_name = false;
            }
            _ => {}
        }
    }
    None
}

/// Where the quotation mark is that ends a text.
fn end_of_text(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

/// The number or text that `bytes` begin with.
fn first_value(bytes: &[u8]) -> Option<Box<RawValue>> {
    let end = match bytes.strip_prefix(b"\"") {
        Some(text) => end_of_text(text)? + 2,
        None => {
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
            bytes.iter().position(ends).unwrap_or(bytes.len())
        }
    };
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    RawValue::from_string(text.to_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_what_is_no_json_is_found() {
        for (line, expected) in [
            (r#"{"id": 3, "kind": "evaluate", "input": NaN}"#, Some("3")),
            (r#"{"kind": "x", "input": {"id": 1, "y": [}, "id": 4"#, None),
            (r#"{"input": {"id": 1, "y": [NaN]}, "id":4}"#, Some("4")),
            (r#"{"text": "\"id\": 1", "id" : 5, "#, Some("5")),
            (r#"{"text": "id", "id": "a\"b", "#, Some(r#""a\"b""#)),
            (r#"{"id": 6"#, Some("6")),
            (r#"{"id": "#, None),
            (r#"{"id": NaN, "kind": 1"#, None),
            (r#"["id", 7"#, None),
            (r#"{"ix": 7"#, None),
            ("id: 7", None),
            ("", None),
        ] {
            let found = scavenge_id(line.as_bytes());
            assert_eq!(found.as_ref().map(|id| id.get()), expected, "{line}");
        }
    }
}
