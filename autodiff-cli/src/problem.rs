//! What is wrong, printed as rustc prints it.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::explain;

/// A message, at a place of a file or of the run as a whole.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    path: String,
    text: String,
    range: Range<usize>,
}

impl Problem {
    /// A message without a place.
    pub(crate) fn plain(message: String) -> Problem {
        Problem {
            message,
            place: None,
        }
    }

    /// A message at bytes of a text.
    pub(crate) fn at(message: String, path: &str, text: &str, range: Range<usize>) -> Problem {
        let start = range.start.min(text.len());
        let place = Place {
            path: path.to_owned(),
            text: text.to_owned(),
            range: start..range.end.clamp(start, text.len()),
        };
        Problem {
            message,
            place: Some(place),
        }
    }

    /// Where it stands, to print what comes first first.
    pub(crate) fn start(&self) -> usize {
        self.place.as_ref().map_or(0, |place| place.range.start)
    }

    /// As rustc prints it, with colours.
    fn render(&self) -> String {
        let known = explain::kind_of(&self.message);
        let mut title = Level::ERROR.primary_title(self.message.as_str());
        if let Some(kind) = known {
            title = title.id(kind.name);
        }
        let group = match &self.place {
            Some(Place { path, text, range }) => title.element(
                Snippet::source(text.as_str())
                    .path(path.as_str())
                    .annotation(AnnotationKind::Primary.span(range.clone())),
            ),
            None => Group::with_title(title),
        };
        Renderer::styled().render(&[group])
    }
}

/// Prints problems, each with an empty line behind it, and what they mean to the run.
pub(crate) fn print(problems: &[Problem], failed: &str) {
    for problem in problems {
        anstream::eprintln!("{}\n", problem.render());
    }
    let known = problems.iter().find_map(|p| explain::kind_of(&p.message));
    let errors = match problems.len() {
        1 => "1 previous error".to_owned(),
        n => format!("{n} previous errors"),
    };
    if problems.iter().any(|p| p.place.is_some()) {
        let last = Problem::plain(format!("{failed} due to {errors}"));
        anstream::eprintln!("{}", last.render());
    }
    if let Some(kind) = known {
        anstream::eprintln!(
            "\nFor what to write instead, try `autodiff explain {}`.",
            kind.name
        );
    }
}
