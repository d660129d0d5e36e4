//! The ratios as bars.

use std::fs;
use std::io;
use std::path::Path;

use plotters::prelude::*;

use super::Row;

const GRADIENT: RGBColor = RGBColor(15, 108, 189);
const HAND: RGBColor = RGBColor(253, 141, 60);
const LINE: i32 = 24;
const FONT: (&str, i32) = ("sans-serif", 13);
/// Bars begin at this ratio, and labels stand to the left of it.
const LEAST: f64 = 0.5;

/// Writes a picture of what gradients cost in runs of their functions, each problem with the bar of `#[grad]` above that by hand.
pub(crate) fn draw(path: &Path, rows: &[Row]) -> io::Result<()> {
    let mut svg = String::new();
    bars(&mut svg, rows).map_err(|error| io::Error::other(error.to_string()))?;
    fs::write(path, svg).map_err(|error| {
        let reason = format!("{}: {error}", path.display());
        io::Error::new(error.kind(), reason)
    })
}

fn bars(svg: &mut String, rows: &[Row]) -> Result<(), Box<dyn std::error::Error>> {
    let height = LINE * rows.len().max(1) as i32 + 120;
    let root = SVGBackend::with_string(svg, (900, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let ratios = rows.iter().map(|row| row.gradient / row.primal);
    // With room for the label beside the longest bar.
    let most = ratios.fold(10.0, f64::max) * 6.0;
    let names = |at: &f64| {
        let row = rows.get(at.floor() as usize);
        row.map_or(String::new(), |row| {
            format!("{} {}", row.eval, row.workload)
        })
    };
    let count = rows.len().max(1) as f64;
    let mut chart = ChartBuilder::on(&root)
        .caption(
            "gradient / primal: #[grad] in blue, by hand in orange",
            ("sans-serif", 18),
        )
        .margin(12)
        .margin_right(30)
        .x_label_area_size(40)
        .y_label_area_size(10)
        .build_cartesian_2d((LEAST..most).log_scale(), count..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .x_desc("runs of the function")
        .x_label_formatter(&|x| format!("{x}"))
        .label_style(FONT)
        .axis_desc_style(FONT)
        .draw()?;
    for (k, row) in rows.iter().enumerate() {
        let top = k as f64;
        let ours = row.gradient / row.primal;
        let bar = |ratio: f64, from: f64, to: f64, colour: RGBColor| {
            let corners = [(LEAST, top + from), (ratio.max(LEAST), top + to)];
            Rectangle::new(corners, colour.filled())
        };
        chart.draw_series([bar(ours, 0.15, 0.5, GRADIENT)])?;
        let hand = row.hand.map(|hand| hand / row.primal);
        chart.draw_series(hand.map(|hand| bar(hand, 0.5, 0.85, HAND)))?;
        let label = match hand {
            Some(hand) => format!("{}: {ours:.2}, {hand:.2}", names(&top)),
            None => format!("{}: {ours:.2}", names(&top)),
        };
        let beside = (ours.max(hand.unwrap_or(0.0)).max(LEAST) * 1.03, top + 0.25);
        chart.draw_series([Text::new(label, beside, FONT)])?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_ratios_can_be_drawn() {
        let row = |gradient: f64, hand: Option<f64>| Row {
            eval: "lse",
            workload: "n=1".to_owned(),
            primal: 1.0,
            gradient,
            hand,
            memory: None,
            memory_by_hand: None,
            growth: None,
        };
        for rows in [
            vec![],
            vec![row(2.0, Some(0.1))],
            vec![row(1e5, None), row(0.2, Some(1e7))],
        ] {
            let mut svg = String::new();
            bars(&mut svg, &rows).expect("a picture");
            assert!(svg.trim_end().ends_with("</svg>"));
        }
    }
}
