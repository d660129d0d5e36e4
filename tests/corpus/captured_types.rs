//! Closures that are passed to calls and capture structs, pairs and rows with lists in them: they share one copy and one sum of cotangents.

use autodiff::{Differentiable, Float, grad};

#[grad(order = 2)]
fn apply<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * f(0.5 * x)
}

#[grad(order = 2)]
fn both<F: Fn(f64) -> f64, G: Fn(f64) -> f64>(f: F, g: G, x: f64) -> f64 {
    f(g(x)) + g(f(x) * x)
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    w: Vec<f64>,
    bias: f64,
}

#[grad(order = 2)]
fn in_a_loop(m: &Model, x: f64) -> f64 {
    let mut s = x;
    for k in 0..5 {
        s += apply(|t| (t * m.w[k % 3]).sin() + m.bias, s * 0.3);
    }
    s
}

#[grad(order = 2)]
fn owned(m: Model, x: f64) -> f64 {
    let mut s = x;
    for k in 0..5 {
        s += apply(|t| (t * m.w[k % 3]).sin() + m.bias, s * 0.3) * m.w[1];
    }
    s * m.bias
}

/// The list of one field, and two closures of one struct.
#[grad(order = 2)]
fn fields(m: &Model, x: f64) -> f64 {
    let mut s = m.w[0];
    for k in 0..3 {
        s += both(|t| t * m.w[k], |t| (t * m.bias).cos() + m.w[2], s * x);
    }
    s
}

#[grad]
fn apply_any<T: Float, F: Fn(T) -> T>(f: F, x: T) -> T {
    f(x) * f(x * x)
}

#[derive(Clone, Debug, Differentiable)]
struct AnyModel<T: Float> {
    w: Vec<T>,
    bias: T,
}

#[grad]
fn of_any_float<T: Float>(m: &AnyModel<T>, x: T) -> T {
    let mut s = x;
    for k in 0..3 {
        s = apply_any(|t| (t * m.w[k]).sin() + m.bias, s);
    }
    s
}

#[grad]
fn as_any_float(w: &[f64], x: f64) -> f64 {
    let m = AnyModel {
        w: w.to_vec(),
        bias: x,
    };
    of_any_float(&m, x)
}

/// It writes to a list that it is lent, which closures of its caller have seen before.
#[grad(order = 2)]
fn kick(m: &mut Model, k: usize, by: f64) {
    m.w[k] *= by;
    m.bias += by;
}

const W: [f64; 3] = [0.4, 0.7, -0.3];

each_way! {
    fn lent(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x * w[0] };
        in_a_loop(&m, x) * m.w[2]
    } = [shared w = W, value x = 0.8];
    fn given(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x };
        owned(m, x)
    } = [shared w = W, value x = 0.8];
    fn one_field(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x };
        fields(&m, x)
    } = [shared w = W, value x = 0.8];
    fn used_between(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x };
        let a = apply(|t| t * m.w[0] + m.bias, x);
        let b = a * m.w[1] + m.bias * m.w[0];
        let mut c = b;
        for k in 0..3 {
            c += m.w[k] * apply(|t| t * m.w[k] * m.bias, c);
        }
        c * apply(|t| t.sin() * m.w[2], b)
    } = [shared w = W, value x = 0.8];
    fn changed(w: &[f64], x: f64) {
        let mut m = Model { w: w.to_vec(), bias: x };
        let mut s = x;
        for k in 0..3 {
            s += apply(|t| t * m.w[k] + m.bias, s);
            m.w[k] *= s;
            kick(&mut m, k, x);
            s += apply(|t| (t * m.w[k]).cos() * m.bias, x);
        }
        s
    } = [shared w = W, value x = 0.8];
    fn made_in_a_round(w: &[f64], x: f64) {
        let mut s = x;
        for k in 0..3 {
            let m = Model { w: vec![s, w[k]], bias: x * s };
            s += apply(|t| t * m.w[0] + m.bias, x) * apply(|t| (t * m.w[1]).sin(), s);
        }
        s
    } = [shared w = W, value x = 0.8];
    fn under_a_condition(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x };
        let mut s = x;
        for k in 0..4 {
            if k % 2 == 0 {
                s += apply(|t| t * m.w[k / 2] + m.bias, s);
            } else if s > 100.0 {
                s += apply(|t| t * m.w[2], s);
            }
        }
        s
    } = [shared w = W, value x = 0.8];
    fn within(w: &[f64], x: f64) {
        let m = Model { w: w.to_vec(), bias: x };
        let mut s = x;
        for k in 0..2 {
            s += apply(|t| apply(|u| u * m.w[k] + t * m.bias, t * m.w[2]), s);
        }
        s
    } = [shared w = W, value x = 0.8];
    fn pair(w: &[f64], x: f64) {
        let m = (w.to_vec(), x * x);
        let mut s = x;
        for k in 0..3 {
            s += apply(|t| t * m.0[k] + m.1, s);
        }
        s
    } = [shared w = W, value x = 0.8];
    fn rows(w: &[f64], x: f64) {
        let m = vec![w.to_vec(), vec![x, x * w[1]]];
        let mut s = x;
        for k in 0..2 {
            s += apply(|t| t * m[0][k] + m[1][k], s);
        }
        s
    } = [shared w = W, value x = 0.8];
    fn array(w: [f64; 3], x: f64) {
        let mut s = x;
        for k in 0..3 {
            s += apply(|t| (t * w[k]).sin(), s);
        }
        s
    } = [value w = W, value x = 0.8];
    fn list_used_whole_and_by_elements(w: &[f64], x: f64) {
        let mut s = x;
        for k in 0..3 {
            s += apply(|t| t * w[k], s) + apply(|t| t * w.iter().sum::<f64>(), x);
        }
        s
    } = [shared w = W, value x = 0.8];
}

#[test]
fn structs_of_any_float() {
    check!(as_any_float(shared w = W, value x = 0.8));
}
