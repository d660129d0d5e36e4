use autodiff::grad;

#[grad]
fn f(
    (a, b, c, d): (f64, f64, f64, f64),
    e: f64, f: f64, g: f64, h: f64, i: f64, j: f64, k: f64, l: f64, m: f64, n: f64, o: f64, p: f64, q: f64, r: f64,
    s: f64, t: f64, u: f64, v: f64, w: f64, x: f64, y: f64, z: f64,
    #[constant] scale: f64,
    aa: f64, bb: f64, cc: f64, dd: f64,
) -> f64 {
    let first = a + b + c + d + e + f + g + h + i + j + k + l + m;
    let second = n + o + p + q + r + s + t + u + v + w + x + y + z;
    scale * first * second * (aa + bb + cc + dd)
}

fn main() {}
