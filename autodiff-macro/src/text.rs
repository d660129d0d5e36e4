//! Token streams as a person would write them.

/// A type as a person would write it.
pub(crate) fn of_type(ty: &impl quote::ToTokens) -> String {
    let text = tidy(&ty.to_token_stream().to_string());
    text.replace(" < ", "<")
        .replace("< ", "<")
        .replace(" >", ">")
}

/// Without the spaces that token streams are printed with.
pub(crate) fn tidy(text: &str) -> String {
    let mut text = text.to_owned();
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
