//! The files of llm.c: checkpoints and lists of tokens, both with a head of 256 numbers.

use std::fs;
use std::path::Path;

use autodiff::Float;
use systems::Stop;
use systems::gpt2::{Config, Gpt};

const HEAD: usize = 256;
const CHECKPOINT: u32 = 20240326;
const TOKENS: u32 = 20240520;
/// Checkpoints of `f32`, and of its upper halves.
const VERSIONS: [u32; 2] = [3, 5];

/// The numbers of a head, and what comes after it.
fn head(bytes: &[u8]) -> Result<(Vec<u32>, &[u8]), String> {
    let (head, rest) = bytes
        .split_at_checked(4 * HEAD)
        .ok_or_else(|| format!("too short for a head of {HEAD} numbers"))?;
    let numbers = head.chunks_exact(4);
    let numbers = numbers.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    Ok((numbers.collect(), rest))
}

/// Reads the parameters of a model.
pub(crate) fn load(path: &Path) -> Result<(Config, Gpt<f32>), Stop> {
    let bytes = fs::read(path).map_err(|error| Stop::file(path, error))?;
    checkpoint(&bytes).map_err(|reason| Stop::file(path, reason))
}

fn checkpoint(bytes: &[u8]) -> Result<(Config, Gpt<f32>), String> {
    let (head, rest) = head(bytes)?;
    if head[0] != CHECKPOINT {
        return Err("not a checkpoint of llm.c".to_owned());
    }
    if !VERSIONS.contains(&head[1]) {
        let [plain, halves] = VERSIONS;
        return Err(format!(
            "a checkpoint of version {}, which is neither {plain} nor {halves}",
            head[1]
        ));
    }
    let size = |k: usize| head[k] as usize;
    let config = Config {
        positions: size(2),
        vocabulary: size(3),
        layers: size(4),
        heads: size(5),
        channels: size(6),
        padded: size(7),
        epsilon: 1e-5,
    };
    config.check()?;
    let width = if head[1] == VERSIONS[0] { 4 } else { 2 };
    let count = config.count();
    if count * width != rest.len() {
        return Err(format!(
            "{} bytes of parameters, where {count} of {width} bytes each belong",
            rest.len()
        ));
    }
    let parameters: Vec<f64> = (rest.chunks_exact(width))
        .map(|b| match *b {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            _ => f32::from_le_bytes([0, 0, b[0], b[1]]),
        })
        .map(f64::from)
        .collect();
    Ok((config, Gpt::of(&config, &parameters)))
}

/// Writes the parameters of a model.
pub(crate) fn save(path: &Path, config: &Config, gpt: &Gpt<f32>) -> Result<(), Stop> {
    fs::write(path, bytes(config, gpt)).map_err(|error| Stop::file(path, error))
}

fn bytes(config: &Config, gpt: &Gpt<f32>) -> Vec<u8> {
    let mut head = vec![0; HEAD];
    let sizes = [
        config.positions,
        config.vocabulary,
        config.layers,
        config.heads,
        config.channels,
        config.padded,
    ];
    head[..2].copy_from_slice(&[CHECKPOINT, VERSIONS[0]]);
    for (to, size) in head[2..].iter_mut().zip(sizes) {
        *to = size as u32;
    }
    let flat = gpt.flat(config);
    let parts = config.stacks();
    let parts = parts.iter().flat_map(|stack| &stack.parts);
    let numbers = parts.flat_map(|part| &flat[part.clone()]);
    (head.iter().flat_map(|number| number.to_le_bytes()))
        .chain(numbers.flat_map(|x| f32::from_f64(*x).to_le_bytes()))
        .collect()
}

/// Reads a list of tokens, all of which have to be in the vocabulary.
pub(crate) fn tokens(path: &Path, vocabulary: usize) -> Result<Vec<usize>, Stop> {
    let bytes = fs::read(path).map_err(|error| Stop::file(path, error))?;
    listed(&bytes, vocabulary).map_err(|reason| Stop::file(path, reason))
}

fn listed(bytes: &[u8], vocabulary: usize) -> Result<Vec<usize>, String> {
    let (head, rest) = head(bytes)?;
    if head[0] != TOKENS || head[1] != 1 {
        return Err("not a list of tokens of llm.c, version 1".to_owned());
    }
    if head[2] as usize != rest.len() / 2 || rest.len() % 2 != 0 {
        return Err(format!(
            "{} bytes of tokens, where {} of 2 bytes each belong",
            rest.len(),
            head[2]
        ));
    }
    let tokens: Vec<usize> = (rest.chunks_exact(2))
        .map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))
        .collect();
    match tokens.iter().find(|token| **token >= vocabulary) {
        Some(token) => Err(format!(
            "token {token} is in it, but the vocabulary has {vocabulary}"
        )),
        None => Ok(tokens),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> (Config, Gpt<f32>) {
        let config = Config {
            positions: 3,
            vocabulary: 5,
            padded: 8,
            layers: 2,
            heads: 2,
            channels: 4,
            epsilon: 1e-5,
        };
        (config, Gpt::random(&config, &mut systems::generator(1)))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (config, gpt) = small();
        let written = bytes(&config, &gpt);
        let (found, read) = checkpoint(&written).expect("a checkpoint");
        assert_eq!(found, config);
        assert_eq!(read.flat(&config), gpt.flat(&config));
        // The second layer's first gain comes after the first one's, not after its layer.
        let ones = 4 * (HEAD + 4 * (8 + 3));
        assert_eq!(written[ones..ones + 4 * 8], 1.0_f32.to_le_bytes().repeat(8));
    }

    #[test]
    fn halves_are_read() {
        let (config, gpt) = small();
        let written = bytes(&config, &gpt);
        let mut halves = written[..4 * HEAD].to_vec();
        halves[4] = 5;
        for number in written[4 * HEAD..].chunks_exact(4) {
            halves.extend(&number[2..]);
        }
        let (_, read) = checkpoint(&halves).expect("a checkpoint");
        for (a, b) in read.flat(&config).iter().zip(gpt.flat(&config)) {
            assert!((a - b).abs() <= b.abs() / 128.0, "{a} and {b}");
        }
    }

    #[test]
    fn other_files_are_refused() {
        let (config, gpt) = small();
        let good = bytes(&config, &gpt);
        let with = |place: usize, number: u32| {
            let mut bad = good.clone();
            bad[4 * place..4 * place + 4].copy_from_slice(&number.to_le_bytes());
            checkpoint(&bad).map(|_| ()).unwrap_err()
        };
        assert_eq!(with(0, 1), "not a checkpoint of llm.c");
        assert!(with(1, 4).contains("version 4"));
        assert!(with(4, 3).contains("bytes of parameters"));
        assert!(with(5, 3).contains("heads"));
        for place in 2..8 {
            with(place, u32::MAX);
        }
        assert!(checkpoint(&good[..good.len() - 1]).is_err());
        assert!(checkpoint(&good[..100]).is_err());
    }

    #[test]
    fn lists_of_tokens() {
        let mut bytes = vec![0; 4 * HEAD];
        bytes[..4].copy_from_slice(&TOKENS.to_le_bytes());
        (bytes[4], bytes[8]) = (1, 3);
        bytes.extend([7, 0, 1, 1, 0, 0]);
        assert_eq!(listed(&bytes, 258), Ok(vec![7, 257, 0]));
        assert!(listed(&bytes, 257).is_err());
        assert!(listed(&bytes[..bytes.len() - 1], 258).is_err());
        assert!(listed(&bytes[1..], 258).is_err());
    }
}
