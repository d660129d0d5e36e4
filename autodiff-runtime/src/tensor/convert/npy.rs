//! Tensors in the files of NumPy: `.npy` of one, `.npz` of several.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, Write};
use std::path::Path;

use ::ndarray::{ArrayD, IxDyn};
use ndarray_npy::npy::header::Header;
use ndarray_npy::{ReadNpyExt, ReadableElement, WriteNpyExt};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::named::{Held, NamedTensors, integers, of_file};
use crate::element::Element;
use crate::tensor::dims::size;
use crate::tensor::{Error, Tensor};

impl<T: Element> Tensor<T> {
    /// Reads a file of NumPy's format `.npy`.
    ///
    /// Rows or columns first, and either order of bytes; `f32` and `f64` as they are, integers of any width as `usize`, truth values as `bool`.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or holds something else, with its name and what it holds.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    ///
    /// let path = std::env::temp_dir().join("autodiff-read_npy.npy");
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// x.write_npy(&path).unwrap();
    /// assert_eq!(Tensor::<f64>::read_npy(&path).unwrap(), x);
    /// assert!(Tensor::<f32>::read_npy(&path).unwrap_err().to_string().ends_with(
    ///     "holds f64 of shape [2, 2], and f32 is asked for; read it as what it is, and `cast` it"
    /// ));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn read_npy(path: impl AsRef<Path>) -> Result<Self, Error> {
        const READ: &str = "read_npy";
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| of_file(READ, path, error))?;
        let held = read(&bytes).map_err(|error| of_file(READ, path, error))?;
        held.get(READ, &path.display())
    }

    /// Writes a file of NumPy's format `.npy`; `usize` as 64-bit integers.
    ///
    /// # Errors
    /// If the file cannot be written, or an entry is 2⁶³ or more, with the file's name.
    pub fn write_npy(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let written = File::create(path)
            .map_err(|error| error.to_string())
            .and_then(|file| write(&Held::of(self.clone()), &mut BufWriter::new(file)));
        written.map_err(|error| of_file("write_npy", path, error))
    }
}

impl NamedTensors {
    /// Reads a file of NumPy's format `.npz`, compressed or not.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged; what is in it and no tensor is an error where it is asked for.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{NamedTensors, Tensor};
    ///
    /// let path = std::env::temp_dir().join("autodiff-read_npz.npz");
    /// let mut model = NamedTensors::new();
    /// model.insert("weight", Tensor::from([[1.0, 2.0]]));
    /// model.insert("mask", Tensor::from([true, false]));
    /// model.write_npz(&path).unwrap();
    /// assert_eq!(NamedTensors::read_npz(&path).unwrap(), model);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn read_npz(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = File::open(path)
            .map_err(|error| error.to_string())
            .and_then(read_all);
        read.map(NamedTensors)
            .map_err(|error| of_file("read_npz", path, error))
    }

    /// Writes a file of NumPy's format `.npz`, not compressed.
    ///
    /// # Errors
    /// If the file cannot be written, or an entry is 2⁶³ or more, with the file's name.
    pub fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let written = File::create(path)
            .map_err(|error| error.to_string())
            .and_then(|file| write_all(self, BufWriter::new(file)));
        written.map_err(|error| of_file("write_npz", path, error))
    }
}

fn read_all(file: impl Read + Seek) -> Result<BTreeMap<String, Held>, String> {
    let mut archive = ZipArchive::new(file).map_err(|error| error.to_string())?;
    let mut all = BTreeMap::new();
    for k in 0..archive.len() {
        let mut entry = archive.by_index(k).map_err(|error| error.to_string())?;
        let Some(name) = entry.name().strip_suffix(".npy").map(str::to_string) else {
            continue;
        };
        let mut bytes = Vec::new();
        let held = entry
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())
            .and_then(|_| read(&bytes));
        all.insert(
            name.clone(),
            held.map_err(|error| format!("{name}: {error}"))?,
        );
    }
    Ok(all)
}

fn write_all(named: &NamedTensors, file: impl Write + Seek) -> Result<(), String> {
    let mut archive = ZipWriter::new(file);
    for (name, held) in &named.0 {
        // The size is known only behind the entries.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        archive
            .start_file(format!("{name}.npy"), options)
            .map_err(|error| error.to_string())?;
        write(held, &mut archive).map_err(|error| format!("{name}: {error}"))?;
    }
    let mut file = archive.finish().map_err(|error| error.to_string())?;
    file.flush().map_err(|error| error.to_string())
}

fn write(held: &Held, to: &mut impl Write) -> Result<(), String> {
    let written = match held {
        Held::F32(x) => x.as_ndarray().write_npy(to),
        Held::F64(x) => x.as_ndarray().write_npy(to),
        Held::Bool(x) => x.as_ndarray().write_npy(to),
        Held::Usize(x) => ArrayD::from_shape_vec(IxDyn(x.shape()), integers(x)?)
            .unwrap_or_else(|_| unreachable!("as many as the shape says"))
            .write_npy(to),
        Held::Other(words) => return Err(format!("{words} cannot be written")),
    };
    written.map_err(|error| error.to_string())
}

fn read(bytes: &[u8]) -> Result<Held, String> {
    let mut left = bytes;
    let header = Header::from_reader(&mut left).map_err(|error| error.to_string())?;
    let dtype = header.type_descriptor.to_string();
    let shape = &header.shape[..];
    let length = size("shape", shape).map_err(|error| error.to_string())?;
    let name = dtype.trim_matches('\'');
    // More entries than bytes are not read at all: room would be made for them first.
    let width = name
        .get(2..)
        .and_then(|digits| digits.parse::<usize>().ok());
    let wanted = length.checked_mul(width.unwrap_or(1));
    if wanted.is_none_or(|wanted| left.len() < wanted) {
        return Err(format!(
            "{dtype} of shape {shape:?} needs more than the {} bytes that there are",
            left.len()
        ));
    }
    let held = match name {
        "<f4" | ">f4" => array::<f32>(bytes).map(|x| Held::F32(x.into())),
        "<f8" | ">f8" => array::<f64>(bytes).map(|x| Held::F64(x.into())),
        "|b1" | "?" => array::<bool>(bytes).map(|x| Held::Bool(x.into())),
        "|i1" => counts::<i8>(bytes, &dtype),
        "<i2" | ">i2" => counts::<i16>(bytes, &dtype),
        "<i4" | ">i4" => counts::<i32>(bytes, &dtype),
        "<i8" | ">i8" => counts::<i64>(bytes, &dtype),
        "|u1" => counts::<u8>(bytes, &dtype),
        "<u2" | ">u2" => counts::<u16>(bytes, &dtype),
        "<u4" | ">u4" => counts::<u32>(bytes, &dtype),
        "<u8" | ">u8" => counts::<u64>(bytes, &dtype),
        _ => Ok(Held::Other(format!("{dtype} of shape {shape:?}"))),
    };
    held.map_err(|error| format!("{dtype} of shape {shape:?}: {error}"))
}

fn array<T: ReadableElement>(bytes: &[u8]) -> Result<ArrayD<T>, String> {
    ArrayD::read_npy(bytes).map_err(|error| error.to_string())
}

fn counts<T: ReadableElement + Copy + TryInto<usize> + ToString>(
    bytes: &[u8],
    dtype: &str,
) -> Result<Held, String> {
    let all = array::<T>(bytes)?;
    let counts = Held::counts(all.shape(), dtype, all.iter().copied());
    counts.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::named::tests::{awkward, place};
    use super::*;

    /// A file as NumPy writes it.
    fn file(dtype: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn files_of_one() {
        for (k, held) in awkward().0.values().enumerate() {
            fn round<T: Element>(x: &Tensor<T>, k: usize) {
                let path = place(&format!("one-{k}.npy"));
                x.write_npy(&path).unwrap();
                assert_eq!(&Tensor::<T>::read_npy(&path).unwrap(), x);
                fs::remove_file(path).unwrap();
            }
            match held {
                Held::F32(x) => round(x, k),
                Held::F64(x) => round(x, k),
                Held::Usize(x) => round(x, k),
                Held::Bool(x) => round(x, k),
                Held::Other(words) => unreachable!("{words}"),
            }
        }
    }

    #[test]
    fn files_of_several() {
        let (path, all) = (place("several.npz"), awkward());
        all.write_npz(&path).unwrap();
        assert_eq!(NamedTensors::read_npz(&path).unwrap(), all);
        NamedTensors::new().write_npz(&path).unwrap();
        assert!(NamedTensors::read_npz(&path).unwrap().is_empty());
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn compressed_files() {
        let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        archive.start_file("x.npy", options).unwrap();
        let x = Held::F64(Tensor::zeros(&[100]));
        write(&x, &mut archive).unwrap();
        archive.start_file("notes.txt", options).unwrap();
        archive.write_all(b"text").unwrap();
        let all = read_all(archive.finish().unwrap()).unwrap();
        assert_eq!(all, BTreeMap::from([("x".to_string(), x)]));
    }

    #[test]
    fn either_order_of_bytes_and_of_axes() {
        let big: Vec<u8> = [1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0]
            .iter()
            .flat_map(|x| x.to_be_bytes())
            .collect();
        let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let read = |bytes: &[u8]| read(bytes).unwrap();
        assert_eq!(
            read(&file("'>f8'", false, "(2, 3)", &big)),
            Held::F64(x.clone())
        );
        assert_eq!(read(&file("'>f8'", true, "(3, 2)", &big)), Held::F64(x.t()));
        let little = [1, 0, 2, 0, 3, 0, 4, 0];
        let counts = Tensor::from([[1, 3], [2, 4]]);
        assert_eq!(
            read(&file("'<u2'", true, "(2, 2)", &little)),
            Held::Usize(counts.clone())
        );
        assert_eq!(
            read(&file("'|i1'", false, "(2, 2)", &[1, 3, 2, 4])),
            Held::Usize(counts)
        );
        assert_eq!(
            read(&file("'>i4'", false, "()", &[0, 0, 1, 2])),
            Held::Usize(Tensor::scalar(258))
        );
        assert_eq!(
            read(&file("'|b1'", false, "(2,)", &[1, 0])),
            Held::Bool([true, false].into())
        );
    }

    #[test]
    fn what_was_written_is_what_numpy_writes() {
        let mut written = Vec::new();
        write(&Held::of(Tensor::from([1_usize, 2])), &mut written).unwrap();
        let data = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(read(&file("'<i8'", false, "(2,)", &data)), read(&written));
        let header = String::from_utf8_lossy(&written[10..]);
        assert!(header.contains("'descr': '<i8'"), "{header}");
        let mut written = Vec::new();
        assert_eq!(
            write(&Held::of(Tensor::scalar(usize::MAX)), &mut written).unwrap_err(),
            "18446744073709551615 is too large for a 64-bit integer"
        );
    }

    #[test]
    fn damaged_files_are_errors_in_words() {
        let error = |bytes: &[u8]| read(bytes).unwrap_err();
        let good = file("'<f4'", false, "(2,)", &[0; 8]);
        for end in 0..good.len() {
            read(&good[..end]).unwrap_err();
        }
        assert_eq!(
            error(&good[..good.len() - 1]),
            "'<f4' of shape [2] needs more than the 7 bytes that there are"
        );
        let longer = [&good[..], &[0]].concat();
        assert!(error(&longer).starts_with("'<f4' of shape [2]: "));
        for shape in [
            "(4611686018427387904,)",
            "(4611686018427387904, 4611686018427387904)",
            "(99999999999999999999999,)",
            "(-1,)",
            "(1.5,)",
            "2",
        ] {
            error(&file("'<f4'", false, shape, &[0; 8]));
        }
        assert!(error(&file("'|b1'", false, "(1,)", &[2])).contains("0x02"));
        error(b"text");
        error(b"");
    }

    #[test]
    fn what_is_no_tensor_is_said() {
        let path = place("other.npy");
        let said = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let said = Tensor::<usize>::read_npy(&path).unwrap_err().to_string();
            let file = format!("read_npy: {} ", path.display());
            said.strip_prefix(&file).unwrap_or(&said).to_string()
        };
        assert_eq!(
            said(&file("'<c16'", false, "(1,)", &[0; 16])),
            "holds '<c16' of shape [1], and usize is asked for"
        );
        assert_eq!(
            said(&file("'|O'", false, "(1,)", &[0; 16])),
            "holds '|O' of shape [1], and usize is asked for"
        );
        assert_eq!(
            said(&file("'|i1'", false, "(2,)", &[1, 255])),
            "holds '|i1' of shape [2] with -1 in it, which is no `usize`, and usize is asked for"
        );
        assert_eq!(
            said(&file("'<f4'", false, "(1, 1)", &[0; 4])),
            "holds f32 of shape [1, 1], and usize is asked for; read it as what it is, and `cast` it"
        );
        fs::remove_file(&path).unwrap();
        let missing = Tensor::<f64>::read_npy(&path).unwrap_err().to_string();
        assert!(missing.starts_with(&format!("read_npy: {}: ", path.display())));
        let missing = NamedTensors::read_npz(&path).unwrap_err().to_string();
        assert!(missing.starts_with(&format!("read_npz: {}: ", path.display())));
        let nowhere = place("none").join("x.npy");
        assert!(Tensor::scalar(1.0).write_npy(nowhere).is_err());
    }
}
