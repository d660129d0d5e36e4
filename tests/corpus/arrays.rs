//! Fixed arrays and nested ones.

use autodiff::grad;

#[grad]
fn literal(x: f64, y: f64) -> f64 {
    let a = [x, x * y, 2.0, y];
    let z = [0.5 * y; 3];
    a[0] * a[1] + a[2] * a[3] * z[1] - z[0] * z[2]
}

#[grad]
fn stored_elements(x: f64, y: f64) -> f64 {
    let mut a = [x, y, 1.0];
    a[2] = a[0] * a[1];
    a[0] = a[2] * a[2];
    a[1] *= a[0];
    a[1] += a[1] * a[2];
    a[0] * a[1] + a[2]
}

#[grad]
fn by_value(a: [f64; 3], k: f64) -> f64 {
    let mut b = a;
    b[1] = b[1] * k;
    a[1] * b[1] + b[0] * b[2]
}

#[grad]
fn by_reference(a: &[f64; 3]) -> f64 {
    let b = *a;
    b[0] * a[1] + a[2] * a[2] * a.len() as f64
}

#[grad]
fn matrix(m: &[[f64; 3]; 2], x: f64) -> f64 {
    let mut c = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..3 {
                c[i][j] += m[i][k] * m[j][k];
            }
            c[i][j] *= x;
        }
    }
    c[0][0] * c[1][1] - c[0][1] * c[1][0]
}

#[grad]
fn rows_moved(x: f64, y: f64) -> f64 {
    let mut m = [[x, y], [y * y, x * y]];
    let row = m[0];
    m[0] = m[1];
    m[1] = row;
    m[0][1] += row[0] * m[1][1];
    m[0][0] * m[0][1] + m[1][0]
}

#[grad]
fn elimination(a: [[f64; 3]; 3]) -> f64 {
    let mut a = a;
    let mut det = 1.0;
    for k in 0..3 {
        det *= a[k][k];
        for i in k + 1..3 {
            let factor = a[i][k] / a[k][k];
            for j in k..3 {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    det
}

#[grad]
fn index_array(a: &[f64; 4], index: &[usize], x: f64) -> f64 {
    let mut b = [0.0; 4];
    for k in 0..index.len() {
        b[index[k]] += a[k % 4] * x;
        b[index[k]] *= b[(index[k] + 1) % 4] + 1.0;
    }
    b[0] * b[1] + b[2] - b[3] * b[3]
}

#[grad]
fn index_from_a_float(x: f64, y: f64) -> f64 {
    let table = [1.0, y, y * y, y * y * y];
    let cell = (x * 3.0) as usize;
    let t = x * 3.0 - cell as f64;
    table[cell] * (1.0 - t) + table[cell + 1] * t
}

#[test]
fn arrays() {
    check!(literal(value x = 0.7, value y = -0.4));
    check!(stored_elements(value x = 0.7, value y = -0.4));
    check!(by_value(value a = [0.7, -0.4, 1.2], value k = 0.6));
    check!(by_reference(shared a = [0.7, -0.4, 1.2]));
}

#[test]
fn nested_arrays() {
    check!(matrix(shared m = [[0.7, -0.4, 1.2], [0.3, 0.9, -1.1]], value x = 0.8));
    check!(rows_moved(value x = 0.7, value y = -0.4));
    check!(elimination(value a = [[2.0, 0.3, -0.4], [0.5, 1.5, 0.2], [-0.7, 0.1, 3.0]]));
}

#[test]
fn elements_by_computed_index() {
    check!(index_array(shared a = [0.7, -0.4, 1.2, 0.1], constant index = &[2, 0, 2, 3, 1, 1], value x = 0.9));
    check!(index_from_a_float(value x = 0.5, value y = 1.2));
}

/// What a value is that a block breaks with, rustc knows.
#[grad]
fn mapped_of_a_block(x: f64, n: usize) -> f64 {
    let v = 'block: {
        if n == 0 {
            break 'block x.sin();
        }
        x * x
    };
    let a = [v; 5];
    let b = a.map(|z| z * (z / (1.5 + z * z)));
    b[0] + b[4] * a[1] * x
}

#[test]
fn arrays_of_what_a_block_yields_are_mapped() {
    for n in [0, 1] {
        check!(mapped_of_a_block(value x = 0.4, constant n = n));
    }
}

#[grad]
fn first_three(x: &[f64]) -> [f64; 3] {
    x[..3].try_into().unwrap()
}

#[grad]
fn squares_of_all<const N: usize>(x: &[f64]) -> [f64; N] {
    let a: [f64; N] = x.try_into().expect("a list of that length");
    a.map(|v| v * v)
}

#[grad]
fn of_three(a: &[f64; 3]) -> f64 {
    a[0] * a[1] - a[2]
}

#[grad]
fn arrays_of_lists(x: &[f64]) -> f64 {
    let mut a: [f64; 3] = x[1..4].try_into().unwrap();
    a[0] *= x[0];
    let b: &[f64; 3] = x[1..4].try_into().unwrap();
    let [p, q, r] = b;
    let v: Vec<f64> = x.iter().map(|v| v * x[0]).collect();
    let c = <[f64; 5]>::try_from(v).unwrap();
    let d = <&[f64; 2]>::try_from(&x[..2]).unwrap();
    let mut s = of_three(&a) * of_three(b) + p * q - r + c[3] * d[1];
    for pair in x.chunks_exact(2) {
        let [a, b]: [f64; 2] = pair.try_into().unwrap();
        s += a * b * s;
    }
    s + first_three(x)[1] * squares_of_all::<4>(&x[..4])[3]
}

#[test]
fn made_of_lists() {
    check!(arrays_of_lists(shared x = [1.3, 0.7, -0.4, 1.1, 0.6]));
}

const WEIGHTS: [f64; 3] = [0.1, 0.7, -0.4];
const POWERS: [i32; 6] = [0, 1, 2, 3, 4, 5];

/// Constants by what is active, whatever they are.
#[grad(order = 2)]
fn constants_mapped(x: f64, y: f64) -> f64 {
    let weighted = WEIGHTS.map(|w| (w * x).sin());
    let powers: f64 = POWERS.map(|n| y.powi(n)).iter().sum();
    weighted[0] * weighted[1] + weighted[2] * powers
}

#[grad]
fn constants_returned(x: f64) -> [f64; 3] {
    WEIGHTS.map(|w| w * x * x)
}

#[test]
fn constants_are_mapped() {
    check!(constants_mapped(value x = 0.7, value y = 0.9));
    check_second!(constants_mapped(value x = 0.7, value y = 0.9));
    check_vector!(constants_returned(value x = 1.3));
}
