//! Pictures of a fit: the data and the fitted curve above, the residuals below.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::prelude::*;

use crate::data::Dataset;

type Failure = Box<dyn Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Points = Vec<(f64, f64)>;

/// Plotters rounds to whole units, so a unit is a quarter of a pixel.
const PX: u32 = 4;
const SIZE: (u32, u32) = (900 * PX, 700 * PX);
const UPPER: u32 = 480 * PX;
const FONT: (&str, u32) = ("sans-serif", 14 * PX);
const LEGEND_LINE: i32 = 80;
const CURVE_POINTS: u32 = 400;
const COLORS: [RGBColor; 4] = [
    RGBColor(196, 62, 28),
    RGBColor(15, 108, 189),
    RGBColor(16, 124, 65),
    RGBColor(122, 60, 160),
];

/// One curve through part of the data: observations that differ in the first predictor alone.
struct Series {
    /// The other predictors, if there are any.
    label: Option<String>,
    observed: Points,
    curve: Points,
    residuals: Points,
}

/// Writes `<dataset>.svg` into `directory` and returns its path.
pub(crate) fn write(directory: &Path, data: &Dataset, b: &[f64]) -> Result<PathBuf, Failure> {
    let mut svg = String::new();
    draw(&mut svg, data, b)?;
    let (units, pixels) = (size_attributes(1), size_attributes(PX));
    let svg = svg.replacen(&units, &pixels, 1);
    let path = directory.join(format!("{}.svg", data.model.dataset));
    fs::write(&path, svg)?;
    Ok(path)
}

/// The picture's width and height as an SVG states them, in units of so many parts of a pixel.
fn size_attributes(per_pixel: u32) -> String {
    let (width, height) = (SIZE.0 / per_pixel, SIZE.1 / per_pixel);
    format!(r#"width="{width}" height="{height}""#)
}

fn draw(svg: &mut String, data: &Dataset, b: &[f64]) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (upper, lower) = root.split_vertically(UPPER);
    let series = series(data, b);
    draw_fit(&upper, data, &series)?;
    draw_residuals(&lower, data, &series)?;
    root.present()?;
    Ok(())
}

/// The data by their predictors but the first, each with its fitted curve.
fn series(data: &Dataset, b: &[f64]) -> Vec<Series> {
    let mut groups: Vec<(&[f64], Points, Points)> = Vec::new();
    for (x, y) in data.observations.iter() {
        let (first, others) = (x[0], &x[1..]);
        let index = groups.iter().position(|(key, ..)| *key == others);
        let index = index.unwrap_or_else(|| {
            groups.push((others, Vec::new(), Vec::new()));
            groups.len() - 1
        });
        let (_, observed, residuals) = &mut groups[index];
        observed.push((first, y));
        residuals.push((first, y - (data.model.value)(b, x)));
    }
    let all = data.observations.iter().map(|(x, _)| x[0]);
    let range = padded(all, 0.0);
    groups
        .into_iter()
        .map(|(others, observed, residuals)| Series {
            label: (!others.is_empty()).then(|| format!("x2 = {}", join(others))),
            curve: curve(&range, |first| {
                let mut x = vec![first];
                x.extend_from_slice(others);
                (data.model.value)(b, &x)
            }),
            observed,
            residuals,
        })
        .collect()
}

fn join(values: &[f64]) -> String {
    let words: Vec<_> = values.iter().map(ToString::to_string).collect();
    words.join(", ")
}

fn curve(range: &Range<f64>, value: impl Fn(f64) -> f64) -> Points {
    let width = range.end - range.start;
    (0..=CURVE_POINTS)
        .map(|i| range.start + width * f64::from(i) / f64::from(CURVE_POINTS))
        .map(|x| (x, value(x)))
        .filter(|point| is_drawable(*point))
        .collect()
}

fn draw_fit(area: &Area<'_>, data: &Dataset, series: &[Series]) -> Result<(), Failure> {
    let observed = || series.iter().flat_map(|s| &s.observed);
    let curves = || series.iter().flat_map(|s| &s.curve);
    let x = padded(observed().map(|point| point.0), 0.03);
    let y = padded(observed().chain(curves()).map(|point| point.1), 0.05);
    let (x_label, y_label) = (label(&x), label(&y));
    let mut chart = ChartBuilder::on(area)
        .caption(data.model.dataset, ("sans-serif", 26 * PX))
        .margin(12 * PX)
        .x_label_area_size(30 * PX)
        .y_label_area_size(90 * PX)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .y_desc(data.model.response_name)
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .axis_style(BLACK.stroke_width(PX))
        .bold_line_style(BLACK.mix(0.15).stroke_width(PX))
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(5 * PX)
        .draw()?;
    for (s, color) in series.iter().zip(COLORS.iter().cycle()) {
        let line = LineSeries::new(s.curve.iter().copied(), color.stroke_width(2 * PX));
        let drawn = chart.draw_series(line)?;
        if let Some(label) = &s.label {
            let color = *color;
            drawn.label(label).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + LEGEND_LINE, y)], color.stroke_width(2 * PX))
            });
        }
        chart.draw_series(circles(&s.observed, color_of_points(series, *color)))?;
    }
    if series.iter().any(|s| s.label.is_some()) {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3).stroke_width(PX))
            .label_font(FONT)
            .legend_area_size(30 * PX)
            .margin(10 * PX)
            .position(SeriesLabelPosition::LowerLeft)
            .draw()?;
    }
    Ok(())
}

fn draw_residuals(area: &Area<'_>, data: &Dataset, series: &[Series]) -> Result<(), Failure> {
    let residuals = || series.iter().flat_map(|s| &s.residuals);
    let x = padded(residuals().map(|point| point.0), 0.03);
    let largest = residuals().fold(0.0_f64, |max, point| max.max(point.1.abs()));
    let y = padded([-largest, largest].into_iter(), 0.1);
    let (x_label, y_label) = (label(&x), label(&y));
    let mut chart = ChartBuilder::on(area)
        .margin(12 * PX)
        .x_label_area_size(50 * PX)
        .y_label_area_size(90 * PX)
        .build_cartesian_2d(x.clone(), y)?;
    chart
        .configure_mesh()
        .x_desc(if data.model.predictors == 1 {
            "x"
        } else {
            "x1"
        })
        .y_desc("residual")
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .y_labels(5)
        .label_style(FONT)
        .axis_desc_style(FONT)
        .axis_style(BLACK.stroke_width(PX))
        .bold_line_style(BLACK.mix(0.15).stroke_width(PX))
        .light_line_style(TRANSPARENT)
        .set_all_tick_mark_size(5 * PX)
        .draw()?;
    let zero = [(x.start, 0.0), (x.end, 0.0)];
    chart.draw_series(LineSeries::new(zero, BLACK.stroke_width(PX)))?;
    for (s, color) in series.iter().zip(COLORS.iter().cycle()) {
        chart.draw_series(circles(&s.residuals, color_of_points(series, *color)))?;
    }
    Ok(())
}

/// A lone series has black points, several have the colours of their curves.
fn color_of_points(series: &[Series], color: RGBColor) -> RGBColor {
    if series.len() == 1 { BLACK } else { color }
}

fn circles(
    points: &[(f64, f64)],
    color: RGBColor,
) -> impl Iterator<Item = Circle<(f64, f64), u32>> {
    points
        .iter()
        .copied()
        .filter(|point| is_drawable(*point))
        .map(move |point| Circle::new(point, 3 * PX, color.mix(0.7).stroke_width(PX)))
}

/// Beyond this, differences overflow on the way to the page.
const LARGEST: f64 = 1e300;

fn is_drawable(point: (f64, f64)) -> bool {
    point.0.abs() < LARGEST && point.1.abs() < LARGEST
}

/// The range of the drawable values, wider by a part of itself at both ends and never too narrow for axis labels.
fn padded(values: impl Iterator<Item = f64>, part: f64) -> Range<f64> {
    let (low, high) = values
        .filter(|value| value.abs() < LARGEST)
        .fold((LARGEST, -LARGEST), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    let (width, largest) = (high - low, low.abs().max(high.abs()));
    if width > 1e-9 * largest && width > 1.0 / LARGEST {
        return low - part * width..high + part * width;
    }
    let middle = if width < 0.0 { 0.0 } else { low };
    let reach = if middle.abs() < 1.0 / LARGEST {
        1.0
    } else {
        middle.abs() / 2.0
    };
    middle - reach..middle + reach
}

/// Axis labels with just the decimals that a tenth of the range needs.
fn label(range: &Range<f64>) -> impl Fn(&f64) -> String + use<> {
    let largest = range.start.abs().max(range.end.abs());
    let tenth = (range.end - range.start) / 10.0;
    let needed = -tenth.log10().floor();
    let is_plain = (1e-3..1e6).contains(&largest) && needed <= 6.0;
    move |value| {
        if value.abs() < tenth / 1e6 {
            "0".to_owned()
        } else if is_plain {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 6
            let decimals = needed.max(0.0) as usize;
            format!("{value:.decimals$}")
        } else {
            format!("{value:.1e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_never_empty() {
        let range = |values: &[f64]| padded(values.iter().copied(), 0.1);
        assert_eq!(range(&[0.0, 10.0, f64::NAN]), -1.0..11.0);
        assert_eq!(range(&[]), -1.0..1.0);
        assert_eq!(range(&[0.0, 1e-320]), -1.0..1.0);
        assert_eq!(range(&[4.0, 4.0]), 2.0..6.0);
        assert_eq!(range(&[f64::INFINITY, -1e305]), -1.0..1.0);
    }

    #[test]
    fn labels_have_the_decimals_they_need() {
        let text = |range: Range<f64>, value: f64| label(&range)(&value);
        assert_eq!(text(0.0..10.0, 2.5), "2");
        assert_eq!(text(0.0..1.0, 0.2), "0.2");
        assert_eq!(text(-1e-13..1e-13, 1e-29), "0");
        assert_eq!(text(-1e-13..1e-13, 5e-14), "5.0e-14");
        assert_eq!(text(0.0..3e7, 1e7), "1.0e7");
    }
}
