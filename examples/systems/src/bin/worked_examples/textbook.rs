//! The examples that everyone knows, as one writes them in a program.

use autodiff::{grad, relu, sigmoid};

use crate::question::Example;

#[grad]
fn fork_product(x: f64, y: f64) -> f64 {
    let p = x + y;
    let q = x - y;
    p * q
}

#[grad]
fn relu_affine(a: f64, b: f64, d: f64) -> f64 {
    let c = a * b;
    let e = c + d;
    relu(e)
}

#[grad]
fn mul_add_fork(a: f64, b: f64) -> f64 {
    let c = a * b;
    c + a
}

#[grad]
fn double_use(a: f64) -> f64 {
    a + a
}

#[grad]
fn chain_square(x: f64) -> f64 {
    let g = 3.0 * x + 1.0;
    g * g
}

#[grad]
fn mul(a: f64, b: f64) -> f64 {
    a * b
}

#[grad]
fn wx_plus_b_squared(w: f64, x: f64, b: f64) -> f64 {
    let z = w * x + b;
    z.powi(2)
}

/// A network with two inputs, two hidden neurons and one output.
#[grad]
fn network(x: [f64; 2], w: [[f64; 2]; 2], b: [f64; 2], v: [f64; 2], c: f64, y: f64) -> f64 {
    let mut z = c;
    for i in 0..2 {
        let h = sigmoid(w[i][0] * x[0] + w[i][1] * x[1] + b[i]);
        z += v[i] * h;
    }
    let error = sigmoid(z) - y;
    0.5 * error * error
}

#[grad]
fn sigmoids(x: f64, depth: usize) -> f64 {
    let mut x = x;
    for _ in 0..depth {
        x = sigmoid(x) - 0.5;
    }
    x
}

#[grad]
fn relus(x: f64, depth: usize) -> f64 {
    let mut x = x;
    for _ in 0..depth {
        x = relu(x);
    }
    x
}

#[grad]
fn matmul(x: &[Vec<f64>], w: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut y = vec![vec![0.0; w[0].len()]; x.len()];
    for i in 0..x.len() {
        for j in 0..w[0].len() {
            for k in 0..w.len() {
                y[i][j] += x[i][k] * w[k][j];
            }
        }
    }
    y
}

#[grad]
fn add_bias(x: &[Vec<f64>], b: &[f64]) -> Vec<Vec<f64>> {
    let mut y = x.to_vec();
    for row in &mut y {
        for (y, b) in row.iter_mut().zip(b) {
            *y += b;
        }
    }
    y
}

/// Numbers of an example that is written out here, by their names; nothing of any other.
pub(crate) fn written_out(example: &Example) -> Vec<(String, f64)> {
    numbers(example).unwrap_or_default()
}

fn numbers(example: &Example) -> Option<Vec<(String, f64)>> {
    let at = |name: &str| example.inputs.get(name).copied();
    let is = |name: &str, formulas: &str| {
        example.name == name && example.expression.starts_with(formulas)
    };
    let found = if is("fork_product", "p=x+y; q=x-y; f=p*q") {
        let (f, (x, y)) = fork_product::value_and_grad(at("x")?, at("y")?);
        named([("f", f), ("x.grad", x), ("y.grad", y)])
    } else if is("relu_affine", "c=a*b; e=c+d; f=relu(e)") {
        let (f, (a, b, d)) = relu_affine::value_and_grad(at("a")?, at("b")?, at("d")?);
        named([("f", f), ("a.grad", a), ("b.grad", b), ("d.grad", d)])
    } else if is("mul_add_fork", "c=a*b; d=c+a") {
        let (d, (a, b)) = mul_add_fork::value_and_grad(at("a")?, at("b")?);
        named([("d", d), ("a.grad", a), ("b.grad", b)])
    } else if is("double_use", "b=a+a") {
        let (b, a) = double_use::value_and_grad(at("a")?);
        named([("b", b), ("a.grad", a)])
    } else if is("chain_square", "g=3x+1; y=g^2") {
        let (y, x) = chain_square::value_and_grad(at("x")?);
        named([("y", y), ("x.grad", x)])
    } else if is("mul", "c=a*b") {
        let (c, (a, b)) = mul::value_and_grad(at("a")?, at("b")?);
        named([("c", c), ("a.grad", a), ("b.grad", b)])
    } else if is("wx_plus_b_squared", "u=W*x; z=u+b; L=z^2") {
        let (l, (w, x, b)) = wx_plus_b_squared::value_and_grad(at("W")?, at("x")?, at("b")?);
        named([("L", l), ("W.grad", w), ("x.grad", x), ("b.grad", b)])
    } else if is(
        "mlp_2_2_1_reconstructed",
        "h=sigmoid(W x + b) (2 units); z=v.h+c; yhat=sigmoid(z); L=0.5*(yhat-y)^2",
    ) {
        let (l, (x, w, b, v, c, y)) = network::value_and_grad(
            [at("x1")?, at("x2")?],
            [[at("w11")?, at("w12")?], [at("w21")?, at("w22")?]],
            [at("b1")?, at("b2")?],
            [at("v1")?, at("v2")?],
            at("c")?,
            at("y")?,
        );
        named([
            ("L", l),
            ("x1.grad", x[0]),
            ("x2.grad", x[1]),
            ("w11.grad", w[0][0]),
            ("w12.grad", w[0][1]),
            ("w21.grad", w[1][0]),
            ("w22.grad", w[1][1]),
            ("b1.grad", b[0]),
            ("b2.grad", b[1]),
            ("v1.grad", v[0]),
            ("v2.grad", v[1]),
            ("c.grad", c),
            ("y.grad", y),
        ])
    } else if example
        .expression
        .starts_with("chain of d sigmoids each at input 0 (s(v)-0.5), vs d relus at 1")
    {
        let depth = example.depth()?;
        let (s, x) = sigmoids::value_and_grad(at("x")?, depth);
        let (r, dr) = relus::value_and_grad(at("r")?, depth);
        named([
            ("sigmoid_chain", s),
            ("sigmoid_chain.grad", x),
            ("relu_chain", r),
            ("relu_chain.grad", dr),
        ])
    } else if is("matmul_rule", "Y=X@W;") {
        let (x, w) = (example.rows("X")?, example.rows("W")?);
        let (y, (dx, dw)) = matmul::vjp(&x, &w, example.rows("dY")?);
        [elements("Y", &y), elements("dX", &dx), elements("dW", &dw)].concat()
    } else if is("broadcast_bias", "Y=X+b,") {
        let (x, b) = (example.rows("X")?, example.rows("b")?.concat());
        let (y, (dx, db)) = add_bias::vjp(&x, &b, example.rows("dY")?);
        [
            elements("Y", &y),
            elements("dX", &dx),
            elements("db", &[db]),
        ]
        .concat()
    } else {
        return None;
    };
    Some(found)
}

fn named<const N: usize>(numbers: [(&str, f64); N]) -> Vec<(String, f64)> {
    numbers
        .map(|(name, number)| (name.to_owned(), number))
        .to_vec()
}

fn elements(name: &str, rows: &[Vec<f64>]) -> Vec<(String, f64)> {
    let numbers = rows.iter().flatten().enumerate();
    numbers
        .map(|(k, number)| (format!("{name}[{k}]"), *number))
        .collect()
}
