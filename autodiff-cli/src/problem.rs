//! What is wrong, printed as rustc prints it.

use std::ops::Range;

pub use annotate_snippets::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Snippet};

use crate::explain;

/// A message, at a place of a file or of the run as a whole.
#[derive(Debug)]
pub struct Problem {
    /// What is wrong, and after a semicolon what to write instead.
    pub message: String,
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
    pub fn plain(message: String) -> Problem {
        Problem {
            message,
            place: None,
        }
    }

    /// A message at bytes of a text.
    pub fn at(message: String, path: &str, text: &str, range: Range<usize>) -> Problem {
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

    /// The bytes of the text that it is about; `None` if it is about the run as a whole.
    pub fn range(&self) -> Option<Range<usize>> {
        self.place.as_ref().map(|place| place.range.clone())
    }

    /// Where it stands, to print what comes first first.
    pub fn start(&self) -> usize {
        self.range().map_or(0, |range| range.start)
    }

    /// As rustc prints it, by a renderer with or without colours.
    pub fn render(&self, renderer: &Renderer) -> String {
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
        renderer.render(&[group])
    }
}
