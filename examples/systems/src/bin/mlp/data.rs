//! Images of digits: from MNIST's files, or drawn.

use std::fs;
use std::path::{Path, PathBuf};

use autodiff::Tensor;
use rand::{Rng, RngCore};
use systems::Stop;

/// The side of an image.
const SIDE: usize = 28;
/// How many numbers an image has.
pub(crate) const PIXELS: usize = SIDE * SIDE;
/// How many digits there are.
pub(crate) const DIGITS: usize = 10;

/// Images, row by row with numbers from 0 to 1, and the digit on each.
pub(crate) struct Images {
    pixels: Vec<f32>,
    digits: Vec<usize>,
}

impl Images {
    pub(crate) fn len(&self) -> usize {
        self.digits.len()
    }

    /// Those with these numbers.
    pub(crate) fn batch(&self, numbers: &[usize]) -> (Tensor<f32>, Tensor<usize>) {
        let pixels = numbers.iter().map(|k| &self.pixels[k * PIXELS..][..PIXELS]);
        let digits = numbers.iter().map(|k| self.digits[*k]);
        (
            Tensor::from_vec(
                &[numbers.len(), PIXELS],
                pixels.flatten().copied().collect(),
            ),
            Tensor::from_vec(&[numbers.len()], digits.collect()),
        )
    }

    /// Images from MNIST's two files in a directory whose names begin with `name`.
    pub(crate) fn read(directory: &Path, name: &str) -> Result<Self, Stop> {
        let file = |kind: &str, axes: usize| {
            // As they are called where they come from, and as archives unpack them.
            let names = ["-", "."].map(|dot| format!("{name}-{kind}{dot}idx{axes}-ubyte"));
            let paths = names.map(|name| directory.join(name));
            paths
                .iter()
                .find(|path| path.exists())
                .unwrap_or(&paths[0])
                .clone()
        };
        let (path, labels) = (file("images", 3), file("labels", 1));
        let (shape, pixels) = idx(&path)?;
        if shape.len() != 3 || shape[1..] != [SIDE, SIDE] || shape[0] == 0 {
            let reason = format!("the shape {shape:?}, where [images, {SIDE}, {SIDE}] belongs");
            return Err(Stop::file(&path, reason));
        }
        let (count, digits) = idx(&labels)?;
        if count != shape[..1] {
            let reason = format!("the shape {count:?} beside {} images", shape[0]);
            return Err(Stop::file(&labels, reason));
        }
        if let Some(digit) = digits.iter().find(|digit| usize::from(**digit) >= DIGITS) {
            return Err(Stop::file(&labels, format!("the digit {digit}")));
        }
        Ok(Images {
            pixels: pixels.iter().map(|x| f32::from(*x) / 255.0).collect(),
            digits: digits.into_iter().map(usize::from).collect(),
        })
    }

    /// Digits as a hand might write them.
    pub(crate) fn drawn(count: usize, random: &mut impl RngCore) -> Self {
        let mut images = Images {
            pixels: Vec::with_capacity(count * PIXELS),
            digits: Vec::with_capacity(count),
        };
        for k in 0..count {
            let digit = k % DIGITS;
            draw(digit, random, &mut images.pixels);
            images.digits.push(digit);
        }
        images
    }
}

/// The shape and the bytes of a file in MNIST's format.
fn idx(path: &PathBuf) -> Result<(Vec<usize>, Vec<u8>), Stop> {
    let bytes = fs::read(path).map_err(|error| Stop::file(path, error))?;
    parse(&bytes).map_err(|reason| Stop::file(path, reason))
}

fn parse(bytes: &[u8]) -> Result<(Vec<usize>, Vec<u8>), String> {
    // Two zeros, 8 for bytes, the number of axes; then their lengths, the first byte first.
    let Some((&[0, 0, 8, axes], rest)) = bytes.split_first_chunk() else {
        return Err("not a file of bytes in the format IDX; is it still compressed?".to_owned());
    };
    let (lengths, entries) = rest
        .split_at_checked(4 * usize::from(axes))
        .ok_or("too short for its lengths")?;
    let lengths = lengths.chunks_exact(4);
    let shape: Vec<usize> = lengths
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]) as usize)
        .collect();
    let count = shape
        .iter()
        .try_fold(1_usize, |n, length| n.checked_mul(*length));
    if count != Some(entries.len()) {
        return Err(format!("{} bytes for the shape {shape:?}", entries.len()));
    }
    Ok((shape, entries.to_vec()))
}

/// The strokes of each digit, as points that lines connect: from the left to the right and from the top down.
const STROKES: [&[&[[f32; 2]]]; DIGITS] = [
    &[&[
        [0.5, 0.0],
        [0.15, 0.2],
        [0.1, 0.7],
        [0.45, 1.0],
        [0.85, 0.75],
        [0.85, 0.25],
        [0.5, 0.0],
    ]],
    &[&[[0.3, 0.2], [0.55, 0.0], [0.55, 1.0]]],
    &[&[
        [0.1, 0.25],
        [0.4, 0.0],
        [0.8, 0.2],
        [0.7, 0.5],
        [0.1, 1.0],
        [0.9, 1.0],
    ]],
    &[&[
        [0.15, 0.1],
        [0.6, 0.0],
        [0.8, 0.25],
        [0.4, 0.45],
        [0.85, 0.7],
        [0.6, 1.0],
        [0.1, 0.9],
    ]],
    &[
        &[[0.6, 0.0], [0.1, 0.65], [0.9, 0.65]],
        &[[0.65, 0.35], [0.65, 1.0]],
    ],
    &[&[
        [0.85, 0.0],
        [0.25, 0.0],
        [0.2, 0.4],
        [0.65, 0.4],
        [0.85, 0.7],
        [0.6, 1.0],
        [0.15, 0.9],
    ]],
    &[&[
        [0.7, 0.0],
        [0.25, 0.4],
        [0.15, 0.8],
        [0.5, 1.0],
        [0.85, 0.8],
        [0.65, 0.55],
        [0.2, 0.7],
    ]],
    &[&[[0.1, 0.0], [0.9, 0.0], [0.4, 1.0]]],
    &[&[
        [0.5, 0.45],
        [0.2, 0.2],
        [0.5, 0.0],
        [0.8, 0.2],
        [0.5, 0.45],
        [0.15, 0.75],
        [0.5, 1.0],
        [0.85, 0.75],
        [0.5, 0.45],
    ]],
    &[&[
        [0.8, 0.3],
        [0.45, 0.5],
        [0.2, 0.25],
        [0.5, 0.0],
        [0.8, 0.2],
        [0.75, 0.6],
        [0.5, 1.0],
    ]],
];

/// Draws a digit, turned, stretched, moved and with a pen of some width, all at random.
fn draw(digit: usize, random: &mut impl RngCore, pixels: &mut Vec<f32>) {
    let mut between = |low: f32, high: f32| low + (high - low) * random.random::<f32>();
    let (sin, cos) = between(-0.25, 0.25).sin_cos();
    let slant = between(-0.2, 0.2);
    let size = [between(11.0, 17.0), between(16.0, 21.0)];
    let middle = [between(12.0, 16.0), between(12.0, 16.0)];
    let pen = between(0.9, 1.8);
    let mut place = |[x, y]: [f32; 2]| {
        let (x, y) = ((x - 0.5 + slant * (0.5 - y)) * size[0], (y - 0.5) * size[1]);
        let (x, y) = (cos * x - sin * y, sin * x + cos * y);
        [
            middle[0] + x + between(-0.6, 0.6),
            middle[1] + y + between(-0.6, 0.6),
        ]
    };
    let mut lines = Vec::new();
    for stroke in STROKES[digit] {
        let points: Vec<[f32; 2]> = stroke.iter().map(|point| place(*point)).collect();
        lines.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
    }
    for k in 0..PIXELS {
        let at = [(k % SIDE) as f32, (k / SIDE) as f32];
        let near = lines.iter().map(|line| distance(at, *line));
        let near = near.fold(f32::INFINITY, f32::min);
        pixels.push((pen + 0.5 - near).clamp(0.0, 1.0));
    }
}

/// How far a point is from a line between two others.
fn distance([x, y]: [f32; 2], [[x0, y0], [x1, y1]]: [[f32; 2]; 2]) -> f32 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy).max(1e-6);
    let along = along.clamp(0.0, 1.0);
    (x - x0 - along * dx).hypot(y - y0 - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_mnist() {
        let mut bytes = vec![0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3];
        bytes.extend(1..=6);
        assert_eq!(parse(&bytes), Ok((vec![2, 3], vec![1, 2, 3, 4, 5, 6])));
        for bad in [&bytes[..17], &bytes[..10], &bytes[..3], &bytes[1..]] {
            assert!(parse(bad).is_err());
        }
        let huge = [0, 0, 8, 3].into_iter().chain([255; 12]);
        assert!(parse(&huge.collect::<Vec<u8>>()).is_err());
    }

    #[test]
    fn digits_are_drawn_within_the_image() {
        let images = Images::drawn(20, &mut systems::generator(1));
        let (pixels, digits) = images.batch(&[3, 17]);
        assert_eq!(pixels.shape(), [2, PIXELS]);
        assert_eq!(digits.to_vec(), [3, 7]);
        let ink = pixels.sum();
        assert!(ink > 60.0 && ink < 600.0, "{ink}");
    }
}
