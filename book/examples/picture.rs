//! Pictures of the programs.

use plotters::prelude::*;

const COLORS: [RGBColor; 4] = [
    RGBColor(15, 108, 189),
    RGBColor(196, 62, 28),
    RGBColor(16, 124, 65),
    RGBColor(122, 60, 160),
];

/// What is drawn, under a name.
pub(crate) enum Series {
    Line(&'static str, Vec<(f64, f64)>),
    Dots(&'static str, Vec<(f64, f64)>),
}

/// Draws into the book's folder; in a test, into memory.
pub(crate) fn draw(name: &str, x: &str, y: &str, series: &[Series]) {
    let mut svg = String::new();
    drawn(&mut svg, x, y, series).expect("all numbers are finite");
    if cfg!(not(test)) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/pictures");
        std::fs::write(format!("{folder}/{name}.svg"), svg).expect("the folder is there");
    }
}

fn drawn(
    svg: &mut String,
    x: &str,
    y: &str,
    series: &[Series],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || {
        series.iter().flat_map(|s| match s {
            Series::Line(_, points) | Series::Dots(_, points) => points,
        })
    };
    if points().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        return Err("a point that is not finite".into());
    }
    let range = |of: fn(&(f64, f64)) -> f64| {
        let low = points().map(of).fold(f64::INFINITY, f64::min);
        let high = points().map(of).fold(f64::NEG_INFINITY, f64::max);
        let margin = 0.05 * (high - low);
        low - margin..high + margin
    };
    let root = SVGBackend::with_string(svg, (640, 360)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(range(|p| p.0), range(|p| p.1))?;
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc(x).y_desc(y).light_line_style(TRANSPARENT);
    mesh.draw()?;
    for (series, color) in series.iter().zip(COLORS.iter().cycle()) {
        let style = color.stroke_width(2);
        match series {
            Series::Line(label, points) => {
                let line = chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
                line.label(*label)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
            }
            Series::Dots(label, points) => {
                let dots = points.iter().map(|&p| Circle::new(p, 3, color.filled()));
                chart
                    .draw_series(dots)?
                    .label(*label)
                    .legend(move |(x, y)| Circle::new((x + 9, y), 3, style.filled()));
            }
        }
    }
    let labels = &mut chart.configure_series_labels();
    labels.background_style(WHITE.mix(0.8)).draw()?;
    root.present()?;
    Ok(())
}
