//! Pictures as SVG.

use std::fs;
use std::ops::Range;
use std::path::Path;

use plotters::prelude::*;

use crate::Stop;

type Failure = Box<dyn std::error::Error>;

const SIZE: (u32, u32) = (800, 500);
const SIDE: u32 = 480;
/// How many cells of the plane are coloured in each direction.
const CELLS: u32 = 60;
const FONT: (&str, u32) = ("sans-serif", 14);
const LINE: RGBColor = RGBColor(15, 108, 189);
const SIDES: [(RGBColor, RGBColor); 2] = [
    (RGBColor(253, 174, 107), RGBColor(166, 54, 3)),
    (RGBColor(158, 202, 225), RGBColor(8, 81, 156)),
];

/// Writes a picture of the loss over the steps: every step in a light tone, and a running mean where the steps are many.
pub fn curve(path: &Path, caption: &str, losses: &[f64]) -> Result<(), Stop> {
    let mut svg = String::new();
    draw_curve(&mut svg, caption, losses).map_err(|error| Stop::file(path, error))?;
    fs::write(path, svg).map_err(|error| Stop::file(path, error))
}

fn draw_curve(svg: &mut String, caption: &str, losses: &[f64]) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            0.0..losses.len().max(2) as f64 - 1.0,
            range(losses.iter().copied(), 0.05),
        )?;
    chart
        .configure_mesh()
        .x_desc("step")
        .y_desc("loss")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let window = losses.len() / 50;
    let tone = if window > 1 { 0.25 } else { 1.0 };
    chart.draw_series(LineSeries::new(points(losses), LINE.mix(tone)))?;
    if window > 1 {
        let mean = running_mean(losses, window);
        chart.draw_series(LineSeries::new(points(&mean), LINE.stroke_width(2)))?;
    }
    root.present()?;
    Ok(())
}

fn points(losses: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let drawable = losses.iter().enumerate().filter(|(_, y)| y.is_finite());
    drawable.map(|(k, y)| (k as f64, *y))
}

/// At each step the mean of the last `window` losses.
fn running_mean(losses: &[f64], window: usize) -> Vec<f64> {
    let mean = |k: usize| {
        let last = &losses[(k + 1).saturating_sub(window)..=k];
        last.iter().sum::<f64>() / last.len() as f64
    };
    (0..losses.len()).map(mean).collect()
}

/// Writes a picture of the plane in the colours of the two sides that `score` tells apart by its sign, with points of known sides on it.
pub fn boundary(
    path: &Path,
    points: &[[f64; 2]],
    sides: &[f64],
    score: impl Fn([f64; 2]) -> f64,
) -> Result<(), Stop> {
    let mut svg = String::new();
    draw_boundary(&mut svg, points, sides, score).map_err(|error| Stop::file(path, error))?;
    fs::write(path, svg).map_err(|error| Stop::file(path, error))
}

fn draw_boundary(
    svg: &mut String,
    points: &[[f64; 2]],
    sides: &[f64],
    score: impl Fn([f64; 2]) -> f64,
) -> Result<(), Failure> {
    let root = SVGBackend::with_string(svg, (SIDE, SIDE)).into_drawing_area();
    let [xs, ys] = [0, 1].map(|axis| range(points.iter().map(|p| p[axis]), 0.15));
    let mut chart = ChartBuilder::on(&root).build_cartesian_2d(xs.clone(), ys.clone())?;
    let edge = |range: &Range<f64>, k: u32| {
        range.start + (range.end - range.start) * f64::from(k) / f64::from(CELLS)
    };
    let cells = (0..CELLS * CELLS).map(|k| {
        let (i, j) = (k % CELLS, k / CELLS);
        let low = [edge(&xs, i), edge(&ys, j)];
        let high = [edge(&xs, i + 1), edge(&ys, j + 1)];
        let middle = [0, 1].map(|axis| f64::midpoint(low[axis], high[axis]));
        let (colour, _) = SIDES[usize::from(score(middle) > 0.0)];
        Rectangle::new([low.into(), high.into()], colour.filled())
    });
    chart.draw_series(cells)?;
    let dots = points.iter().zip(sides).map(|(point, side)| {
        let (_, colour) = SIDES[usize::from(*side > 0.0)];
        Circle::new((*point).into(), 4, colour.filled())
    });
    chart.draw_series(dots)?;
    root.present()?;
    Ok(())
}

/// The range of all that is finite, wider by a part of itself at both ends and never empty.
fn range(values: impl Iterator<Item = f64>, part: f64) -> Range<f64> {
    // Beyond this, differences overflow on the way to the page.
    let drawable = values.filter(|y| y.abs() < 1e300);
    let (low, high) = drawable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    if low > high {
        return 0.0..1.0;
    }
    let reach = (part * (high - low)).max(1e-6 * high.abs()).max(1e-6);
    low - reach..high + reach
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_of_any_losses_can_be_drawn() {
        let many: Vec<f64> = (0..500).map(|k| 1.0 / f64::from(k + 1)).collect();
        for losses in [
            &[][..],
            &[1.0],
            &[2.0, 2.0],
            &[f64::NAN, f64::INFINITY],
            &[1e308, -1e308, 3.0],
            &many,
        ] {
            let mut svg = String::new();
            draw_curve(&mut svg, "losses", losses).expect("a picture");
            assert!(svg.trim_end().ends_with("</svg>"), "{losses:?}");
        }
    }

    #[test]
    fn the_plane_has_the_colours_of_both_sides() {
        let mut svg = String::new();
        let points = [[0.0, 0.0], [1.0, 1.0]];
        draw_boundary(&mut svg, &points, &[-1.0, 1.0], |[x, _]| x - 0.5).expect("a picture");
        for colour in ["#FDAE6B", "#9ECAE1", "#A63603", "#08519C"] {
            assert!(svg.contains(colour), "{colour}");
        }
    }
}
