//! Texts as tokens.

use std::fs;
use std::path::Path;

use autodiff::Tensor;
use rand::{Rng, RngCore};
use systems::Stop;

/// How many tokens there are where each byte is one.
pub(crate) const BYTES: usize = 256;

/// A text, as the numbers of its tokens.
pub(crate) struct Text {
    pub(crate) tokens: Vec<usize>,
    /// Whether tokens are bytes.
    bytes: bool,
}

impl Text {
    /// The text that comes with the program.
    pub(crate) fn own(vocabulary: usize) -> Result<Self, Stop> {
        let text = include_bytes!("text.txt");
        Text::of_bytes(text, vocabulary, Path::new("the program's own text"))
    }

    /// The bytes of a file.
    pub(crate) fn read(path: &Path, vocabulary: usize) -> Result<Self, Stop> {
        let bytes = fs::read(path).map_err(|error| Stop::file(path, error))?;
        Text::of_bytes(&bytes, vocabulary, path)
    }

    fn of_bytes(bytes: &[u8], vocabulary: usize, path: &Path) -> Result<Self, Stop> {
        if let Some(byte) = bytes.iter().find(|byte| usize::from(**byte) >= vocabulary) {
            let reason = format!("byte {byte} is in it, but the vocabulary has {vocabulary}");
            return Err(Stop::file(path, reason));
        }
        let tokens = bytes.iter().copied().map(usize::from).collect();
        let text = Text::of(tokens, path)?;
        Ok(Text {
            bytes: true,
            ..text
        })
    }

    /// The tokens of the file at `path`.
    pub(crate) fn of(tokens: Vec<usize>, path: &Path) -> Result<Self, Stop> {
        if tokens.len() < 2 {
            return Err(Stop::file(path, "there is nothing in it to foresee"));
        }
        Ok(Text {
            tokens,
            bytes: false,
        })
    }

    /// How many tokens of it a model can look at that has so many positions.
    pub(crate) fn window(&self, positions: usize) -> usize {
        positions.min(self.tokens.len() - 1)
    }

    /// Pieces from anywhere in the text, and for each token of them the one that follows.
    pub(crate) fn batch(
        &self,
        batch: usize,
        time: usize,
        random: &mut impl RngCore,
    ) -> (Tensor<usize>, Tensor<usize>) {
        let last = self.tokens.len() - time;
        let starts: Vec<usize> = (0..batch).map(|_| random.random_range(0..last)).collect();
        let pieces = |shift: usize| {
            let pieces = starts
                .iter()
                .map(|start| &self.tokens[start + shift..][..time]);
            Tensor::from_vec(&[batch, time], pieces.flatten().copied().collect())
        };
        (pieces(0), pieces(1))
    }

    /// Tokens as text; those that are no bytes as numbers.
    pub(crate) fn show(&self, tokens: &[usize]) -> String {
        if self.bytes {
            let bytes: Vec<u8> = tokens.iter().map(|token| *token as u8).collect();
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        let numbers: Vec<String> = tokens.iter().map(usize::to_string).collect();
        numbers.join(" ")
    }
}
