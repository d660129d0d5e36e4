//! Token streams as a person would write them.

/// A type as a person would write it.
pub(crate) fn of_type(ty: &impl quote::ToTokens) -> String {
    let mut out = String::new();
    for c in tidy(&ty.to_token_stream().to_string()).chars() {
        // A list of arguments belongs to the name before it; a qualified path begins with what looks the same.
        let name = out.trim_end();
        if c == '<' && name.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            out.truncate(name.len());
        }
        out.push(c);
    }
    out.replace("< ", "<").replace(" >", ">")
}

/// Without the spaces that token streams are printed with.
pub(crate) fn tidy(text: &str) -> String {
    // Long ones are printed in lines.
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    for (loose, tight) in [
        (" . ", "."),
        (" .", "."),
        (".. ", ".."),
        (" ,", ","),
        (" ;", ";"),
        (" !", "!"),
        ("& ", "&"),
        (" ::", "::"),
        (":: ", "::"),
    ] {
        text = text.replace(loose, tight);
    }
    // A bracket belongs to the name before it, unless it is that of an operator.
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '(' | '[') && out.ends_with(' ') {
            let before = out.trim_end();
            if before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '!'))
            {
                out.truncate(before.len());
            }
        }
        out.push(c);
    }
    out
}
