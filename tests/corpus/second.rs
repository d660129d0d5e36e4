//! Second derivatives: closed forms, and every construct against differences of the gradient, with symmetry.

use autodiff::grad;

use crate::check::near;

#[grad(order = 2)]
fn rosenbrock(x: f64, y: f64) -> f64 {
    let a = 1.0 - x;
    let b = y - x * x;
    a * a + 100.0 * b * b
}

#[grad(order = 2)]
fn power_sum(xs: &[f64], n: i32) -> f64 {
    let mut s = 0.0;
    for x in xs {
        s += x.powi(n);
    }
    s
}

#[grad(order = 2)]
fn product(xs: [f64; 3], k: f64) -> f64 {
    xs[0] * xs[1] * xs[2] * k
}

#[grad(order = 2)]
fn only(x: f64) -> f64 {
    x.sin()
}

#[grad(order = 2)]
fn nothing(x: f64) -> f64 {
    let _ = x;
    3.0
}

#[test]
fn closed_forms() {
    let (x, y) = (0.3, 0.7);
    let expected = [
        1200.0 * x * x - 400.0 * y + 2.0,
        -400.0 * x,
        -400.0 * x,
        200.0,
    ];
    near(rosenbrock::hessian(x, y).as_slice(), &expected[..], 1e-13);
    let (gradient, column) = rosenbrock::hvp(x, y, (1.0, 0.0));
    assert_eq!(gradient, rosenbrock::vjp(x, y, 1.0).1);
    near(&column, &(expected[0], expected[2]), 1e-13);
    let (value, gradient, hessian) = rosenbrock::value_grad_hessian(x, y);
    assert_eq!(value.to_bits(), rosenbrock(x, y).to_bits());
    assert_eq!(gradient, rosenbrock::grad(x, y));
    assert_eq!(hessian, rosenbrock::hessian(x, y));

    let xs = [0.5, -2.0];
    let (gradient, curvature) = power_sum::hvp(&xs, 4, &[1.0, 3.0]);
    near(&gradient, &xs.map(|x: f64| 4.0 * x.powi(3)).to_vec(), 1e-15);
    near(&curvature, &vec![12.0 * 0.25, 3.0 * 12.0 * 4.0], 1e-15);

    let hessian = product::hessian([2.0, 3.0, 5.0], 7.0);
    let expected = [
        [0.0, 35.0, 21.0, 15.0],
        [35.0, 0.0, 14.0, 10.0],
        [21.0, 14.0, 0.0, 6.0],
        [15.0, 10.0, 6.0, 0.0],
    ];
    assert_eq!(hessian.as_slice(), expected.concat());

    assert_eq!(only::hvp(0.5, 2.0), (0.5_f64.cos(), -2.0 * 0.5_f64.sin()));
    assert_eq!(nothing::hvp(0.5, 2.0), (0.0, 0.0));
    assert_eq!(nothing::hessian(0.5).as_slice(), [0.0]);
    assert_eq!(power_sum::hessian(&[], 2).as_slice(), [0.0; 0]);
}

/// sinh, with derivatives that say so.
#[grad(order = 2, partials = (0.5 * (x.exp() + (-x).exp())))]
fn own_sinh(x: f64) -> f64 {
    x.sinh()
}

#[grad(order = 2, partials = (b, a))]
fn own_product(a: f64, b: f64) -> f64 {
    a * b
}

#[grad(constant)]
fn weight(x: f64) -> f64 {
    x * x
}

#[grad(order = 2)]
fn with_own(x: f64, y: f64) -> f64 {
    own_product(own_sinh(x * y), x) * weight(y) + own_product(x, x)
}

#[test]
fn partials_of_the_users_own_are_differentiated() {
    let (x, y) = (0.3_f64, 0.7_f64);
    assert_eq!(own_product::hessian(x, y).as_slice(), [0.0, 1.0, 1.0, 0.0]);
    near(own_sinh::hessian(x).as_slice(), &[x.sinh()][..], 1e-15);
    // w x sinh(x y) + x², where w is a constant.
    let (w, s, c) = (y * y, (x * y).sinh(), (x * y).cosh());
    let mixed = w * (2.0 * x * c + x * x * y * s);
    let expected = [
        w * (2.0 * y * c + x * y * y * s) + 2.0,
        mixed,
        mixed,
        w * x * x * x * s,
    ];
    near(with_own::hessian(x, y).as_slice(), &expected[..], 1e-14);
}

#[grad(order = 2)]
fn mixed_widths(x: f32, y: f64) -> f64 {
    let a = x as f64;
    a * y * y + f64::from(x * x) * a
}

#[test]
fn both_widths() {
    // Entries of the gradient have the width of their parameters.
    let hessian = mixed_widths::hessian(0.5, 0.7);
    near(hessian.as_slice(), &[3.0, 1.4, 1.4, 1.0][..], 1e-7);
}

#[test]
#[should_panic(expected = "has length 2, but its tangent or gradient buffer has length 3")]
fn lengths_are_checked() {
    power_sum::hvp(&[1.0, 2.0], 3, &[1.0, 2.0, 3.0]);
}

/// What is undefined or infinite at a kink stays out where nothing flows.
#[grad(order = 2)]
fn kinks(x: f64, y: f64) -> f64 {
    x.abs() * y + x.max(0.0).powi(2) * y + y.powi(0) + x.powi(1) * y * y
}

#[grad(order = 2)]
fn roots(x: f64, y: f64) -> f64 {
    if x > 0.0 { x.sqrt() * y } else { y * y }
}

#[test]
fn edges() {
    // |x|'' = 0 and |x|' = 0 at 0; relu²'' is that of the constant on a tie.
    assert_eq!(
        kinks::hessian(0.0, 3.0).as_slice(),
        [kinks::hessian(0.0, 3.0)[[0, 0]], 6.0, 6.0, 0.0]
    );
    assert_eq!(roots::hessian(0.0, 3.0).as_slice(), [0.0, 0.0, 0.0, 2.0]);
    // An argument of zero that the direction does not move.
    let (_, along) = zero_products::hvp(0.0, 2.0, (0.0, 1.0));
    assert_eq!(along, (0.0, 0.0));
}

#[grad(order = 2)]
fn zero_products(x: f64, y: f64) -> f64 {
    x * x * y.ln() * 0.0 + x * x * y - x * x * y
}

mod constructs {
    use autodiff::grad;

    #[grad(order = 2)]
    fn helper(x: f64, w: f64) -> f64 {
        (x * w).sin() / (1.0 + x * x)
    }

    #[grad(order = 2)]
    fn total(xs: &[f64], k: f64) -> f64 {
        let mut s = k;
        for i in 0..xs.len() {
            s = s * xs[i].cos() + xs[i] * xs[i];
        }
        s
    }

    #[grad(order = 2)]
    fn smooth(u: &mut [f64], dt: f64) -> f64 {
        let mut change = 0.0;
        for i in 1..u.len() {
            let d = dt * (u[i - 1] - u[i]) * u[i];
            u[i] += d;
            change += d * d;
        }
        u[0] = u[0] * u[u.len() - 1];
        change
    }

    #[grad(order = 2)]
    fn pair(x: f64, xs: Vec<f64>) -> (f64, Vec<f64>) {
        let mut out = xs.clone();
        for v in out.iter_mut() {
            *v = *v * x;
        }
        (x * xs[0], out)
    }

    #[grad(order = 2)]
    fn tower(x: f64, n: u32) -> f64 {
        if n == 0 {
            x
        } else {
            tower(x.sin(), n - 1) * x + 0.5
        }
    }

    #[grad(order = 2)]
    fn any<T: autodiff::Float>(x: T, y: T) -> T {
        let mut t = x * y;
        for _ in 0..3 {
            t = t.sin() + x / y;
        }
        t * t
    }

    second! {
        fn elementary(x: f64, y: f64) -> f64 {
            let a = (x.sin() * y.exp()).tanh() + (x * y).sqrt().ln();
            a / (1.0 + x * x) + x.powf(y) * y.powi(3) + x.hypot(y) + y.atan2(x)
        } = [value x = 0.3, value y = 0.7];

        fn branches(x: f64, y: f64) -> f64 {
            let mut a = x * y;
            if x > 0.5 { a = a * a.sin(); } else { a = a.exp() * x; }
            let b = match (x * 10.0) as i32 { 3 => a * x, 4 => { let k = a.cos(); k * k * y } _ => y * y * y };
            a * b
        } = [value x = 0.31, value y = 0.7], [value x = 0.42, value y = 0.7], [value x = 0.9, value y = 0.7];

        fn recurrence(x: f64, y: f64, n: usize) -> f64 {
            let mut s = x;
            for i in 0..n {
                if i % 3 == 0 { s = (s * y).sin() } else { s += s * s * x * 0.1; }
            }
            s
        } = [value x = 0.9, value y = 0.7, constant n = 0], [value x = 0.9, value y = 0.7, constant n = 1], [value x = 0.9, value y = 0.7, constant n = 20];

        fn exits(x: f64, y: f64) -> f64 {
            let mut s = x;
            let mut k = 0;
            while k < 40 {
                s = s * 1.3 + y * s.sin();
                k += 1;
                if s > 7.0 { break; }
                if k % 5 == 0 { continue; }
                s += 0.01 * x * y;
            }
            if s > 100.0 { return s; }
            s * y
        } = [value x = 0.9, value y = 0.7], [value x = 0.01, value y = 0.2];

        fn in_place(a: &[f64], b: [f64; 3]) -> f64 {
            let mut w = [0.0; 4];
            for i in 0..a.len() {
                w[i % 4] += a[i] * b[i % 3];
                w[(i + 1) % 4] = w[i % 4] * a[i].sin();
            }
            for i in (0..4).rev() {
                let t = w[i];
                w[i] = w[(i + 3) % 4] * t + b[2];
                w.swap(0, i);
            }
            w[0] * w[1] + w[2] * w[3] * w[3]
        } = [shared a = [0.1, 0.5, -0.3, 0.8, 1.1], value b = [0.4, 0.6, -0.7]];

        fn vectors(a: &[f64], k: f64) -> f64 {
            let mut v = a.to_vec();
            for i in 1..v.len() { v[i] = v[i - 1] * v[i] + k; }
            v.push(v[0] * k);
            let last = v.pop().unwrap();
            v.insert(1, last * k);
            let gone = v.remove(0);
            v.extend_from_slice(&[k, gone * k]);
            v.truncate(4);
            let mut s = last;
            for (x, y) in v.iter().zip(a) { s += x * y * y * k; }
            s * gone
        } = [shared a = [0.4, 0.6, -0.7, 1.2], value k = 1.3];

        fn bulk(a: &[f64], k: f64) -> f64 {
            let mut u = [k; 5];
            u[1..4].copy_from_slice(&a[..3]);
            let mut w = u;
            w.fill(k * k);
            w[..2].copy_from_slice(&u[2..4]);
            std::mem::swap(&mut u[0], &mut w[1]);
            let mut s = 0.0;
            for (x, y) in u.iter().zip(&w) { s += x * y * y; }
            s
        } = [shared a = [0.4, 0.6, -0.7], value k = 1.3];

        fn early_sums(a: &[f64], k: f64) -> f64 {
            let mut s = 0.0;
            let mut t = 0.0;
            for x in a {
                let d = x - k;
                s += d * d * d.exp();
                t -= d / k;
            }
            s * 0.5 + t
        } = [shared a = [0.4, 0.6, -0.7], value k = 1.3];

        fn nested(rows: &[Vec<f64>], x: f64) -> f64 {
            let mut s = x;
            for row in rows {
                let mut best = row[0];
                for &v in row {
                    if v > best { best = v * x; }
                    let mut k = 0;
                    while k < 2 { s += (best * v).sin() * s * 0.1; k += 1; }
                }
                s += total(row, best);
            }
            s
        } = [shared rows = vec![vec![0.4, 0.6], vec![0.9, -0.2, 0.3]], value x = 1.3];

        fn calls(x: f64, y: f64) -> f64 {
            let mut s = helper(x, y);
            for i in 0..3 {
                s += helper(s, x * i as f64) * helper(y, 2.0);
                if s > 0.2 { s = helper(s, s); }
            }
            let (p, q) = pair(s, vec![x, y, 1.0]);
            p * q[1] + q[0] + total(&q, x) + tower(x, 3) + any(x, y)
        } = [value x = 0.3, value y = 0.7];

        fn lent(x: f64, y: f64, n: usize) -> f64 {
            let mut u = [x, y, x * y, 1.0];
            let mut s = 0.0;
            for _ in 0..n {
                s += smooth(&mut u, 0.3 * x);
                s += smooth(&mut u[1..], y) * u[2];
            }
            s + total(&u, s)
        } = [value x = 0.3, value y = 0.7, constant n = 3];

        fn views(a: &[f64], x: f64) -> f64 {
            let mut u = a.to_vec();
            let (left, right) = u.split_at_mut(2);
            for (l, r) in left.iter_mut().zip(right) { *l = *l * *r * x; *r += *l; }
            let t = &mut u[1];
            *t *= x;
            let v = *t;
            for w in u.windows(2) { if w[0] < w[1] { return v * w[0] * w[1]; } }
            v * x
        } = [shared a = [0.4, 0.6, -0.7, 1.2], value x = 1.3], [shared a = [4.0, 0.6, -0.7, -1.2], value x = 1.3];

        fn tuples(x: f64, y: f64) -> f64 {
            let mut p = (x * y, [x, y], x);
            p.1[0] = p.0 * p.2;
            let (a, b, _) = p;
            let o = if x > y { None } else { Some((a, b[0])) };
            match o { Some((c, d)) => c * d * b[1], None => a * a }
        } = [value x = 0.3, value y = 0.7], [value x = 0.9, value y = 0.7];

        fn chains(a: &[f64], k: f64) -> f64 {
            let s: f64 = a.iter().zip(a.iter().skip(1)).map(|(x, y)| (x * y * k).sin()).sum();
            let v: Vec<f64> = a.iter().filter(|x| **x > 0.0).map(|x| x * s).collect();
            let f = |t: f64| t * t * k;
            v.iter().fold(s, |m, x| m * 0.5 + f(*x)) + a.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        } = [shared a = [0.4, 0.6, -0.7, 1.2], value k = 1.3];

        fn table(x: f64, y: f64) -> f64 {
            autodiff::sigmoid(x * y) * autodiff::softplus(x) - autodiff::gelu(y) * autodiff::erf(x)
                + autodiff::relu(y) * autodiff::silu(x) + autodiff::erfc(x * y)
                + autodiff::gelu_tanh(x) + autodiff::logsumexp(&[x, y, x * y])
        } = [value x = 0.3, value y = 0.7];

        fn single(x: f32, y: f32) -> f32 {
            let t = x * y;
            (t.sin() + x).exp() * y
        } = [value x = 0.3, value y = 0.7];
    }
}
