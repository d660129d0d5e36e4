//! A layered layout: data flows from top to bottom, every edge ends below where it starts.
//!
//! The usual steps: each node goes one layer below its lowest operand, but for edges that close a cycle;
//! edges over several layers get a bend in each, and the order within layers follows the neighbours' centres.

use alloc::{format, string::String, vec, vec::Vec};
use core::fmt::Write;

use super::{Picture, escaped};

/// Width of a character, height of a line, and space around text and between things, in pixels.
const CHARACTER: f64 = 6.7;
const LINE: f64 = 14.0;
const MARGIN: f64 = 8.0;
const BESIDE: f64 = 18.0;
const BELOW: f64 = 42.0;
/// Edges are drawn straight through if they need more bends than this.
const BENDS: usize = 20_000;
/// Rounds of improvement.
const ROUNDS: usize = 6;

/// A frame, or the bend of an edge.
struct Item {
    layer: usize,
    width: f64,
    height: f64,
    /// The centre.
    x: f64,
}

struct Layout {
    items: Vec<Item>,
    layers: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
    /// The items along each edge, in its own direction.
    routes: Vec<Vec<usize>>,
}

/// The picture as an SVG document.
pub(super) fn svg(picture: &Picture) -> String {
    let texts: Vec<Vec<String>> = picture.frames.iter().map(|f| picture.lines(f)).collect();
    let mut layout = Layout::new(picture, &texts);
    for round in 0..ROUNDS {
        layout.order(round % 2 == 0);
    }
    layout.place();
    layout.draw(picture, &texts)
}

/// A layer for each node: below those of its operands that stand before it; nodes are in the order of the program.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut down: Vec<(usize, usize)> = edges.iter().copied().filter(|(a, b)| a < b).collect();
    down.sort_by_key(|&(_, to)| to);
    let mut layer = vec![0; count];
    for (from, to) in down {
        layer[to] = layer[to].max(layer[from] + 1);
    }
    layer
}

impl Layout {
    fn new(picture: &Picture, texts: &[Vec<String>]) -> Layout {
        let count = texts.len();
        let pairs: Vec<(usize, usize)> = picture.edges.iter().map(|e| (e.0, e.1)).collect();
        let layer = layers(count, &pairs);
        let items = texts.iter().zip(&layer).map(|(lines, &layer)| {
            let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
            Item {
                layer,
                width: longest as f64 * CHARACTER + 2.0 * MARGIN,
                height: lines.len() as f64 * LINE + MARGIN,
                x: 0.0,
            }
        });
        let mut layout = Layout {
            items: items.collect(),
            layers: Vec::new(),
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
            routes: Vec::new(),
        };
        let bends: usize = pairs
            .iter()
            .map(|&(a, b)| layer[a].abs_diff(layer[b]).saturating_sub(1))
            .sum();
        for &(from, to) in &pairs {
            let route = layout.route(from, to, bends <= BENDS);
            layout.routes.push(route);
        }
        let height = layout.items.iter().map(|i| i.layer + 1).max().unwrap_or(0);
        layout.layers = vec![Vec::new(); height];
        for (k, item) in layout.items.iter().enumerate() {
            layout.layers[item.layer].push(k);
        }
        layout
    }

    /// The items of an edge, with a bend in each layer between its ends.
    fn route(&mut self, from: usize, to: usize, bent: bool) -> Vec<usize> {
        let down = self.items[from].layer <= self.items[to].layer;
        let (top, bottom) = if down { (from, to) } else { (to, from) };
        let mut route = vec![top];
        for layer in self.items[top].layer + 1..self.items[bottom].layer {
            if bent {
                self.items.push(Item {
                    layer,
                    width: 4.0,
                    height: 0.0,
                    x: 0.0,
                });
                self.above.push(Vec::new());
                self.below.push(Vec::new());
                route.push(self.items.len() - 1);
            }
        }
        route.push(bottom);
        for pair in route.windows(2) {
            self.below[pair[0]].push(pair[1]);
            self.above[pair[1]].push(pair[0]);
        }
        if !down {
            route.reverse();
        }
        route
    }

    /// Sorts each layer by the mean position of the neighbours above, or below.
    fn order(&mut self, downwards: bool) {
        let mut position = vec![0.0; self.items.len()];
        for layer in &self.layers {
            for (k, &item) in layer.iter().enumerate() {
                position[item] = k as f64;
            }
        }
        let neighbours = if downwards { &self.above } else { &self.below };
        let count = self.layers.len();
        for step in 0..count {
            let at = if downwards { step } else { count - 1 - step };
            let mean = |item: usize| {
                let of = &neighbours[item];
                if of.is_empty() {
                    position[item]
                } else {
                    of.iter().map(|&n| position[n]).sum::<f64>() / of.len() as f64
                }
            };
            let mut keyed: Vec<(f64, usize)> =
                self.layers[at].iter().map(|&i| (mean(i), i)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (k, &(_, item)) in keyed.iter().enumerate() {
                position[item] = k as f64;
                self.layers[at][k] = item;
            }
        }
    }

    /// Gives each item its x: side by side at first, then drawn towards its neighbours as far as there is room.
    fn place(&mut self) {
        for layer in &self.layers {
            let mut x = 0.0;
            for &item in layer {
                let width = self.items[item].width;
                self.items[item].x = x + width / 2.0;
                x += width + BESIDE;
            }
            for &item in layer {
                self.items[item].x -= x / 2.0;
            }
        }
        for round in 0..ROUNDS {
            for at in 0..self.layers.len() {
                let at = if round % 2 == 0 {
                    at
                } else {
                    self.layers.len() - 1 - at
                };
                self.draw_together(at);
            }
        }
    }

    fn draw_together(&mut self, at: usize) {
        let layer = core::mem::take(&mut self.layers[at]);
        let wanted = |layout: &Layout, item: usize| {
            let (above, below) = (&layout.above[item], &layout.below[item]);
            let count = above.len() + below.len();
            if count == 0 {
                return layout.items[item].x;
            }
            let sum: f64 = above.iter().chain(below).map(|&n| layout.items[n].x).sum();
            sum / count as f64
        };
        let apart = |layout: &Layout, a: usize, b: usize| {
            f64::midpoint(layout.items[a].width, layout.items[b].width) + BESIDE
        };
        let wishes: Vec<f64> = layer.iter().map(|&item| wanted(self, item)).collect();
        // The mean of the placements that push to the right and to the left keeps the distances of both.
        let (mut right, mut left) = (wishes.clone(), wishes);
        for k in 1..layer.len() {
            right[k] = right[k].max(right[k - 1] + apart(self, layer[k - 1], layer[k]));
        }
        for k in (1..layer.len()).rev() {
            left[k - 1] = left[k - 1].min(left[k] - apart(self, layer[k - 1], layer[k]));
        }
        for (k, &item) in layer.iter().enumerate() {
            self.items[item].x = f64::midpoint(right[k], left[k]);
        }
        self.layers[at] = layer;
    }

    fn draw(&self, picture: &Picture, texts: &[Vec<String>]) -> String {
        let edge = |side: f64| {
            let ends = self.items.iter().map(|i| i.x + side * i.width / 2.0);
            ends.fold(
                f64::NAN,
                |a, b| if side < 0.0 { a.min(b) } else { a.max(b) },
            )
        };
        let (left, right) = if self.items.is_empty() {
            (0.0, 0.0)
        } else {
            (edge(-1.0), edge(1.0))
        };
        let mut tops = Vec::with_capacity(self.layers.len());
        let mut y = MARGIN + LINE + MARGIN;
        for layer in &self.layers {
            tops.push(y);
            let height = layer.iter().map(|&i| self.items[i].height);
            y += height.fold(LINE, f64::max) + BELOW;
        }
        let title = escaped(&picture.title);
        let width = (right - left).max(picture.title.chars().count() as f64 * CHARACTER * 1.2)
            + 2.0 * MARGIN;
        let height = y - BELOW + MARGIN;
        let x = |item: usize| self.items[item].x - left + MARGIN;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"11\">\n\
             <title>{title}</title>\n\
             <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
             <text x=\"{MARGIN}\" y=\"{:.0}\" font-size=\"13\" font-weight=\"bold\">{title}</text>\n",
            MARGIN + LINE - 2.0,
        );
        for ((from, to, label), route) in picture.edges.iter().zip(&self.routes) {
            if from == to {
                continue;
            }
            let down = self.items[*from].layer <= self.items[*to].layer;
            let ends = |item: usize, first: bool| {
                let top = tops[self.items[item].layer];
                let y = if first == down {
                    top + self.items[item].height
                } else {
                    top
                };
                (x(item), y)
            };
            let last = route.len() - 1;
            let mut points = vec![ends(route[0], true)];
            points.extend(
                route[1..last]
                    .iter()
                    .map(|&i| (x(i), tops[self.items[i].layer])),
            );
            points.push(ends(route[last], false));
            let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
            for pair in points.windows(2) {
                let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
                let middle = f64::midpoint(y0, y1);
                let _ = write!(
                    path,
                    "C{x0:.1} {middle:.1} {x1:.1} {middle:.1} {x1:.1} {y1:.1}"
                );
            }
            let _ = writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"#555\"{} marker-end=\"url(#arrow)\"/>",
                if down {
                    ""
                } else {
                    " stroke-dasharray=\"4 3\""
                },
            );
            if !label.is_empty() {
                let ((x0, y0), (x1, y1)) = (points[last - 1], points[last]);
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"9\" fill=\"#06c\" text-anchor=\"middle\">{}</text>",
                    x0 * 0.35 + x1 * 0.65,
                    y0 * 0.35 + y1 * 0.65,
                    escaped(label),
                );
            }
        }
        for (k, (frame, lines)) in picture.frames.iter().zip(texts).enumerate() {
            let item = &self.items[k];
            let (middle, top) = (x(k), tops[item.layer]);
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" fill=\"{}\" stroke=\"#333\" stroke-width=\"{}\"/>",
                middle - item.width / 2.0,
                item.width,
                item.height,
                frame.mark.fill(),
                frame.mark.pen(),
            );
            for (n, line) in lines.iter().enumerate() {
                let weight = if n == 0 { " font-weight=\"bold\"" } else { "" };
                let _ = writeln!(
                    out,
                    "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\"{weight}>{}</text>",
                    top + MARGIN / 2.0 + (n + 1) as f64 * LINE - 3.5,
                    escaped(line),
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }
}
