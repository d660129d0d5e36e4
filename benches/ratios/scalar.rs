//! A scalar function of three variables with 50 operations, straight-line.

use std::hint::black_box;

use autodiff::grad;

use crate::problem::{Kind, Problem};

#[grad]
fn scalar(x: f64, y: f64, z: f64) -> f64 {
    let a = x * y + z; // 2
    let b = (x - 2.0 * z) * a; // 5
    let c = (a * 0.25).sin(); // 7
    let d = y / (1.5 + c * c); // 10
    let e = (-(d * d)).exp(); // 13
    let f = (x * x + y * y + 1.0).sqrt(); // 18
    let g = (f + e).ln(); // 20
    let h = b * g - a * e; // 23
    let i = (h * 0.5).cos() * d; // 26
    let j = (i + g) / (f + 2.0); // 29
    let k = j * j * j - 3.0 * j; // 33
    let l = (k * 0.125 + z).tanh(); // 36
    let m = l * i + c * j; // 39
    let n = m / (1.0 + m * m); // 42
    let o = (n * x - l * z) * k; // 46
    o + h * 0.1 + n * l // 50
}

/// Every intermediate value is at hand in the reverse sweep.
fn hand(x: f64, y: f64, z: f64) -> (f64, (f64, f64, f64)) {
    let a = x * y + z;
    let a2 = x - 2.0 * z;
    let b = a2 * a;
    let (c, dc_da) = {
        let (sin, cos) = (a * 0.25).sin_cos();
        (sin, 0.25 * cos)
    };
    let d2 = 1.0 / (1.5 + c * c);
    let d = y / (1.5 + c * c);
    let e = (-(d * d)).exp();
    let f = (x * x + y * y + 1.0).sqrt();
    let g = (f + e).ln();
    let h = b * g - a * e;
    let (sin, cos) = (h * 0.5).sin_cos();
    let i = cos * d;
    let j2 = 1.0 / (f + 2.0);
    let j = (i + g) / (f + 2.0);
    let k = j * j * j - 3.0 * j;
    let l = (k * 0.125 + z).tanh();
    let m = l * i + c * j;
    let n2 = 1.0 / (1.0 + m * m);
    let n = m / (1.0 + m * m);
    let o2 = n * x - l * z;
    let value = o2 * k + h * 0.1 + n * l;

    // o = o2 k, o2 = n x − l z, and the last sum.
    let dn = k * x + l;
    let dl = n - k * z;
    let dx = k * n;
    let dz = -(k * l);
    // n = m / (1 + m²)
    let dm = dn * (1.0 - 2.0 * n * m) * n2;
    // m = l i + c j
    let dl = dl + dm * i;
    // l = tanh(k/8 + z)
    let dt = dl * (1.0 - l * l);
    let dz = dz + dt;
    let dk = o2 + 0.125 * dt;
    // k = j³ − 3 j
    let dj = dm * c + dk * (3.0 * j * j - 3.0);
    // j = (i + g) / (f + 2)
    let dj2 = dj * j2;
    let di = dm * l + dj2;
    // i = cos(h/2) d
    let dh = 0.1 - 0.5 * di * sin * d;
    // h = b g − a e
    let db = dh * g;
    let dg = dj2 + dh * b;
    // g = ln(f + e)
    let dln = dg / (f + e);
    let de = dln - dh * a;
    let df = dln - dj2 * j;
    // f = √(x² + y² + 1)
    let dr = df / f;
    let dx = dx + dr * x;
    let dy = dr * y;
    // e = exp(−d²)
    let dd = di * cos - 2.0 * de * e * d;
    // d = y / (1.5 + c²)
    let dq = dd * d2;
    let dy = dy + dq;
    let dc = dm * j - 2.0 * dq * d * c;
    // c = sin(a/4), b = (x − 2z) a, a = x y + z
    let da = dc * dc_da + db * a2 - dh * e;
    let db = db * a;
    let dx = dx + db + da * y;
    let dy = dy + da * x;
    let dz = dz - 2.0 * db + da;
    (value, (dx, dy, dz))
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    const X: f64 = 0.7;
    const Y: f64 = 1.3;
    const Z: f64 = -0.4;
    Problem::new("scalar-50", vec![X, Y, Z], |p| scalar(p[0], p[1], p[2]))
        .primal(|| scalar(black_box(X), black_box(Y), black_box(Z)))
        .returns(Kind::Grad, || {
            scalar::value_and_grad(black_box(X), black_box(Y), black_box(Z))
        })
        .returns(Kind::Hand, || {
            hand(black_box(X), black_box(Y), black_box(Z))
        })
}
