//! Lists of names, and their characters as tokens.

use std::path::Path;

use rand::RngCore;
use rand::seq::SliceRandom;
use systems::Stop;

/// Names, and the characters in them.
pub(crate) struct Names {
    names: Vec<String>,
    characters: Vec<char>,
}

impl Names {
    /// The names that come with the program.
    pub(crate) fn own() -> Self {
        Names::of(include_str!("names.txt"))
    }

    /// The lines of a file.
    pub(crate) fn read(path: &Path) -> Result<Self, Stop> {
        let text = std::fs::read_to_string(path).map_err(|error| Stop::file(path, error))?;
        let names = Names::of(&text);
        if names.names.is_empty() {
            return Err(Stop::file(path, "there is no name in it"));
        }
        Ok(names)
    }

    fn of(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let names: Vec<String> = lines.map(str::to_owned).collect();
        let mut characters: Vec<char> = names.iter().flat_map(|name| name.chars()).collect();
        characters.sort_unstable();
        characters.dedup();
        Names { names, characters }
    }

    /// How many tokens there are: the characters, and the end.
    pub(crate) fn vocabulary(&self) -> usize {
        self.characters.len() + 1
    }

    /// The token before and after every name.
    pub(crate) fn end(&self) -> usize {
        self.characters.len()
    }

    /// The tokens of each name, in random order.
    pub(crate) fn shuffled(&self, random: &mut impl RngCore) -> Vec<Vec<usize>> {
        let token = |c: char| self.characters.partition_point(|known| *known < c);
        let mut documents: Vec<Vec<usize>> = Vec::new();
        for name in &self.names {
            let mut tokens = vec![self.end()];
            tokens.extend(name.chars().map(token));
            tokens.push(self.end());
            documents.push(tokens);
        }
        documents.shuffle(random);
        documents
    }

    /// Tokens as text.
    pub(crate) fn text(&self, tokens: &[usize]) -> String {
        tokens.iter().map(|token| self.characters[*token]).collect()
    }
}
