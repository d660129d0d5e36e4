//! Attributes of operations: what a file says about them, and what the library takes.

use autodiff::Tensor;
use autodiff::tensor::{Axes, Conv1d, Conv2d, Pool2d};
use serde_json::{Map, Value};

use crate::file::{Case, Type, special};
use crate::operations::Operation;

/// The attributes of an operation, and the inputs that have no derivatives; each operation looks at its own.
#[derive(Clone)]
pub(crate) struct Attributes {
    pub dim: isize,
    pub dim0: isize,
    pub dim1: isize,
    pub axes: Axes,
    pub keep: bool,
    pub order: Vec<isize>,
    pub shape: Vec<usize>,
    pub start: isize,
    pub stop: isize,
    pub step: isize,
    pub widths: Vec<[usize; 2]>,
    pub value: f64,
    pub exponent: f64,
    pub is_integer: bool,
    pub lo: f64,
    pub hi: f64,
    pub ord: f64,
    pub eps: f64,
    pub p: f64,
    pub scale: f64,
    pub correction: usize,
    pub diagonal: isize,
    pub equation: String,
    pub conv1d: Conv1d,
    pub conv2d: Conv2d,
    pub pool: Pool2d,
    pub index: Tensor<usize>,
    pub mask: Tensor<bool>,
}

/// What a file says about the attributes of a case.
struct Given<'a>(&'a Map<String, Value>);

impl Given<'_> {
    fn get<X>(
        &self,
        name: &str,
        kind: &str,
        read: impl Fn(&Value) -> Option<X>,
    ) -> Result<Option<X>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| format!("the attribute `{name}` is {value}, not {kind}")),
        }
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, String> {
        let read = |value: &Value| value.as_f64().or_else(|| special(value.as_str()?));
        Ok(self.get(name, "a number", read)?.unwrap_or(default))
    }

    fn integer(&self, name: &str) -> Result<Option<isize>, String> {
        self.get(name, "an integer", integer)
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, String> {
        Ok(self
            .get(name, "true or false", Value::as_bool)?
            .unwrap_or(default))
    }

    /// A list of integers, or one that stands for a list of one.
    fn list(&self, name: &str) -> Result<Option<Vec<isize>>, String> {
        self.get(name, "a list of integers", |value| match value {
            Value::Array(list) => list.iter().map(integer).collect(),
            one => Some(vec![integer(one)?]),
        })
    }

    /// Lengths for each of `N` axes, or one for all.
    fn lengths<const N: usize>(
        &self,
        name: &str,
        default: [usize; N],
    ) -> Result<[usize; N], String> {
        let Some(list) = self.list(name)? else {
            return Ok(default);
        };
        let list: Option<Vec<usize>> = list.iter().map(|n| usize::try_from(*n).ok()).collect();
        match list.as_deref() {
            Some([all]) => Ok([*all; N]),
            Some(list) if list.len() == N => Ok(std::array::from_fn(|k| list[k])),
            _ => Err(format!("the attribute `{name}` is not {N} lengths")),
        }
    }

    /// An attribute that says how something is done that is done in one of a few ways.
    fn one_of(&self, name: &str, ways: &[&'static str]) -> Result<&'static str, String> {
        let Some(text) = self.get(name, "a text", |value| value.as_str().map(str::to_owned))?
        else {
            return Ok(ways[0]);
        };
        let way = ways.iter().find(|way| **way == text);
        way.copied().ok_or_else(|| {
            format!(
                "the attribute `{name}` is `{text}`, not {}",
                ways.join(" or ")
            )
        })
    }
}

/// An integer, also one that is written as `2.0`.
fn integer(value: &Value) -> Option<isize> {
    let whole = |x: f64| (x.fract() == 0.0 && x.abs() < 1e15).then_some(x as isize);
    value
        .as_i64()
        .map(|x| x as isize)
        .or_else(|| value.as_f64().and_then(whole))
}

/// What is asked for, or that it is not there.
fn needed<X>(name: &str, value: Option<X>) -> Result<X, String> {
    value.ok_or_else(|| format!("the attribute `{name}` is missing"))
}

/// A shape for so many entries of which one length may be -1.
fn shape(
    list: &[isize],
    mut open: impl FnMut(usize, usize) -> Option<usize>,
) -> Result<Vec<usize>, String> {
    let known: usize = list
        .iter()
        .filter_map(|n| usize::try_from(*n).ok())
        .product();
    let lengths: Option<Vec<usize>> = (list.iter().enumerate())
        .map(|(k, n)| match n {
            -1 => open(k, known),
            n => usize::try_from(*n).ok(),
        })
        .collect();
    lengths.ok_or_else(|| {
        format!("the attribute `shape` is {list:?}, which is no shape for the input")
    })
}

/// The lengths at both ends of each axis, from those of the last axis on.
fn widths(list: &[isize], rank: usize) -> Result<Vec<[usize; 2]>, String> {
    let wrong = || {
        format!("the attribute `pad_torch_order` is {list:?}, which are no widths for {rank} axes")
    };
    let mut widths = vec![[0; 2]; rank];
    if !list.len().is_multiple_of(2) || list.len() > 2 * rank {
        return Err(wrong());
    }
    for (width, ends) in widths.iter_mut().rev().zip(list.chunks(2)) {
        for (width, end) in width.iter_mut().zip(ends) {
            *width = usize::try_from(*end).map_err(|_| wrong())?;
        }
    }
    Ok(widths)
}

impl Attributes {
    /// The attributes of a case, or which of them is not as the operation needs it.
    pub(crate) fn of(case: &Case, operation: &Operation) -> Result<Self, String> {
        for name in case.attributes.keys() {
            if name != "note" && !operation.attributes.contains(&name.as_str()) {
                return Err(format!("there is no attribute `{name}`"));
            }
        }
        let given = Given(&case.attributes);
        let first = case.inputs.first().map_or(&[][..], |input| &input.shape);
        let has = |name: &str| operation.attributes.contains(&name);
        let number = |name: &str, default: f64| given.number(name, default);
        let dim = match () {
            () if has("dim") => needed("dim", given.integer("dim")?)?,
            () if has("channel_axis") => given.integer("channel_axis")?.unwrap_or(1),
            () => given.list("axis")?.map_or(Ok(-1), |list| match list[..] {
                [axis] => Ok(axis),
                _ => Err("the attribute `axis` is not one axis".to_owned()),
            })?,
        };
        let axes = match case.attributes.get("axes") {
            Some(Value::String(all)) if all == "all" => None,
            _ => given.list("axes")?.or(given.list("dims")?),
        };
        let order = match operation.name {
            "permute" => needed("axes", axes.clone())?,
            // The classes are the second axis, and here the last.
            "cross_entropy" if first.len() > 2 => (0..first.len() as isize)
                .filter(|axis| *axis != 1)
                .chain([1])
                .collect(),
            _ => (0..first.len() as isize).collect(),
        };
        let shape = match (given.list("shape")?, operation.name) {
            (Some(list), "reshape") => {
                let entries: usize = first.iter().product();
                shape(&list, |_, known| entries.checked_div(known))?
            }
            (Some(list), _) => {
                let new = list.len().saturating_sub(first.len());
                shape(&list, |k, _| first.get(k.checked_sub(new)?).copied())?
            }
            (None, _) if has("shape") => needed("shape", None)?,
            (None, _) => Vec::new(),
        };
        let exponent = number("exponent", f64::NAN)?;
        if has("exponent") {
            needed("exponent", case.attributes.get("exponent"))?;
        }
        given.one_of("rule", &["x*mask/(1-p)"])?;
        given.one_of("mask", &["key<=query"])?;
        given.one_of("variance", &["biased"])?;
        if let Some(reduced) = given.list("reduce_axes")? {
            let rank = first.len() as isize;
            let within = |axis: isize| if axis < 0 { axis + rank } else { axis };
            let mut reduced: Vec<isize> = reduced.into_iter().map(within).collect();
            reduced.sort_unstable();
            if reduced
                != (0..rank)
                    .filter(|axis| *axis != within(dim))
                    .collect::<Vec<_>>()
            {
                return Err(
                    "the attribute `reduce_axes` is not all axes but that of the channels"
                        .to_owned(),
                );
            }
        }
        let scale = match operation.name {
            "causal_attention" => {
                let root = (first.last().copied().unwrap_or(1) as f64).sqrt();
                match case.attributes.get("scale").and_then(Value::as_f64) {
                    Some(scale) => scale * root,
                    None => given.one_of("scale", &["1/sqrt(d)"]).map(|_| 1.0)?,
                }
            }
            // Means become sums.
            _ => match given.one_of("reduction", &["mean", "sum"])? {
                "sum" if operation.name == "cross_entropy" => first
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| *k != 1.min(first.len() - 1))
                    .map(|(_, n)| *n as f64)
                    .product(),
                "sum" => first.iter().map(|n| *n as f64).product(),
                _ => 1.0,
            },
        };
        let groups = given.integer("groups")?.map_or(Ok(1), usize::try_from);
        let groups = groups.map_err(|_| "the attribute `groups` is negative".to_owned())?;
        let is_flat = operation.name == "conv1d";
        let along = |name: &str, default: usize| {
            if is_flat {
                given.lengths(name, [default]).map(|[n]| [n; 2])
            } else {
                given.lengths(name, [default; 2])
            }
        };
        let is_pool = has("kernel");
        let kernel = given.lengths("kernel", [1; 2])?;
        if is_pool {
            needed("kernel", case.attributes.get("kernel"))?;
        }
        let [padding, dilation] = [along("padding", 0)?, along("dilation", 1)?];
        let stride = if is_pool {
            given.lengths("stride", kernel)?
        } else {
            along("stride", 1)?
        };
        let correction = given.integer("correction")?.map_or(Ok(1), usize::try_from);
        Ok(Attributes {
            dim,
            dim0: given.integer("dim0")?.map_or_else(
                || {
                    if has("dim0") {
                        needed("dim0", None)
                    } else {
                        Ok(0)
                    }
                },
                Ok,
            )?,
            dim1: given.integer("dim1")?.map_or_else(
                || {
                    if has("dim1") {
                        needed("dim1", None)
                    } else {
                        Ok(0)
                    }
                },
                Ok,
            )?,
            axes: axes.map_or_else(|| (..).into(), |axes| axes[..].into()),
            keep: given.flag("keepdims", false)?,
            order,
            shape,
            start: given.integer("start")?.unwrap_or(0),
            stop: given.integer("stop")?.unwrap_or(isize::MAX),
            step: given.integer("step")?.unwrap_or(1),
            widths: widths(
                &given.list("pad_torch_order")?.unwrap_or_default(),
                first.len(),
            )?,
            value: number("value", 0.0)?,
            exponent,
            is_integer: given.flag("integer_exponent", false)?,
            lo: number("lo", f64::NEG_INFINITY)?,
            hi: number("hi", f64::INFINITY)?,
            ord: number("ord", 2.0)?,
            eps: number("eps", 1e-5)?,
            p: number("p", 0.5)?,
            scale,
            correction: correction
                .map_err(|_| "the attribute `correction` is negative".to_owned())?,
            diagonal: given.integer("diagonal")?.unwrap_or(0),
            equation: given
                .get("equation", "a text", |value| {
                    value.as_str().map(str::to_owned)
                })?
                .unwrap_or_default(),
            conv1d: Conv1d::new()
                .stride(stride[0])
                .padding(padding[0])
                .dilation(dilation[0])
                .groups(groups),
            conv2d: Conv2d::new()
                .stride(stride)
                .padding(padding)
                .dilation(dilation)
                .groups(groups),
            pool: Pool2d::new(kernel)
                .stride(stride)
                .padding(padding)
                .count_include_pad(given.flag("count_include_pad", true)?),
            index: case
                .inputs
                .iter()
                .find(|input| input.dtype == Type::Index)
                .map_or_else(|| Ok(Tensor::zeros(&[0])), super::file::Input::indices)?,
            mask: case
                .inputs
                .iter()
                .find(|input| input.dtype == Type::Mask)
                .map_or_else(
                    || Tensor::from_vec(&[0], Vec::new()),
                    super::file::Input::mask,
                ),
        })
    }
}
