//! Matrices as they come: lists of rows.

use serde::Deserialize;

/// Rows of equal length, one behind the other.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "Vec<Vec<f64>>")]
pub(crate) struct Rows {
    len: usize,
    width: usize,
    numbers: Vec<f64>,
}

impl TryFrom<Vec<Vec<f64>>> for Rows {
    type Error = String;

    fn try_from(rows: Vec<Vec<f64>>) -> Result<Self, String> {
        let width = rows.first().map_or(0, Vec::len);
        let mut numbers = Vec::with_capacity(rows.len() * width);
        for (i, row) in rows.iter().enumerate() {
            if row.len() != width {
                let found = row.len();
                return Err(format!(
                    "row {i} has the length {found}, and the first one {width}"
                ));
            }
            numbers.extend(row);
        }
        Ok(Rows {
            len: rows.len(),
            width,
            numbers,
        })
    }
}

impl Rows {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How long each is; zero if there is none.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The numbers, if there are so many rows of this width.
    pub(crate) fn expect(self, name: &str, len: usize, width: usize) -> Result<Vec<f64>, String> {
        if self.len != len {
            let found = self.len;
            return Err(format!("`{name}` has {found} rows instead of {len}"));
        }
        if self.width != width && len != 0 {
            let found = self.width;
            return Err(format!(
                "`{name}` has rows of the length {found} instead of {width}"
            ));
        }
        Ok(self.numbers)
    }
}
