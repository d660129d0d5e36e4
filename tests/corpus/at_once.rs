//! Calls that are given their seeds, and loops behind guards: what is reversed right after it has run.
//! Each stands here twice, the second time with both sweeps apart.

use autodiff::{Differentiable, grad};

use crate::check::near;

#[grad(order = 2)]
fn likelihood(x: &[f64], mu: f64, s: f64) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    if s <= 0.0 {
        return f64::INFINITY;
    }
    let mut sum = 0.0;
    for v in x {
        let z = (v - mu) / s;
        sum += 0.5 * z * z;
    }
    sum + x.len() as f64 * s.ln()
}

#[grad(order = 2)]
fn pair(a: &[f64], b: &[f64], k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len().min(b.len()) {
        sum += a[i] * b[i] * k * k;
    }
    sum
}

#[grad(order = 2)]
fn visit(x: &[f64], next: &mut [usize], mu: f64) -> f64 {
    let n = next.len();
    if n < 2 {
        return mu * x[next[0]];
    }
    next.rotate_left(1);
    let mut sum = 0.0;
    for k in 0..n - 1 {
        sum += x[next[k]] * x[next[k + 1]] * mu;
    }
    sum
}

in_both_ways! {
    without __fuse_nothing;

    fn total(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut sum = 0.0;
        for row in x.chunks(2) {
            sum += likelihood(row, mu, s);
        }
        sum / (x.len() as f64)
    }

    // The cotangent of each call depends on what both arms do with it.
    fn signs(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..x.len() {
            let w = x[k] * mu;
            let l = likelihood(&x[..k], w, s);
            if k % 2 == 0 {
                sum += w * l;
            } else {
                let half = 0.5 * w;
                sum -= half * l + l;
            }
        }
        sum * s.sin()
    }

    // Only one arm uses it: it is reversed with the rest.
    fn only_one(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut sum = 0.0;
        for k in 0..x.len() {
            let l = likelihood(&x[k..], mu, s);
            if k > 0 {
                sum += l * x[k];
            }
        }
        sum
    }

    // What the call reads is overwritten later, or its result is used by more than a sum.
    fn late(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut y = x.to_vec();
        let first = likelihood(&y, mu, s);
        y[0] = first * mu;
        let second = likelihood(&y, s, mu * mu + 1.0);
        (first * second).sin() + second * y[0]
    }

    // Both arms give something to what stands outside, and one diverges.
    fn arms(x: &[f64], mu: f64, s: f64) -> f64 {
        let scale = (mu * s).cos();
        let base = match x.len() {
            0 => panic!("there is nothing"),
            1 => mu * x[0],
            2 | 3 => {
                let mut a = mu;
                for v in x {
                    a += v * v * scale;
                }
                a
            }
            _ => {
                let mut a = 0.0;
                let mut b = s;
                for v in x {
                    a -= v * scale;
                    b += (v * mu).sin();
                }
                a * s + b
            }
        };
        base * 3.0 - likelihood(x, scale, s + 2.0)
    }

    // Loops in arms in loops, an inner one with a recurrence.
    fn nested(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            if x[i] > mu {
                for j in 0..i {
                    sum += (x[j] * x[i]).sin() * s;
                }
            } else {
                let mut z = x[i];
                for j in 0..3 {
                    z = (z * s + x[j % x.len()]).cos();
                }
                sum += z * mu;
            }
        }
        sum
    }

    // A place of an arm, and one that a round makes and lends.
    fn places(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut sum = 0.0;
        for k in 1..x.len() {
            let mut y = [0.0; 3];
            for j in 0..3 {
                y[j] = x[(k + j) % x.len()] * mu;
            }
            y[1] *= y[0];
            if k > 1 {
                let mut z = y.to_vec();
                z.push(x[k]);
                sum += likelihood(&z, s, 1.5) + likelihood(&y, mu, s);
            } else {
                sum -= likelihood(&y[1..], y[0], s);
            }
        }
        sum
    }

    // Memory that each round overwrites before it reads it.
    fn scratch(x: &[f64], mu: f64, s: f64) -> f64 {
        let d = 3;
        let n = x.len();
        let (mut a, mut b, mut terms) = (vec![mu; d], [s; 3], vec![0.0; n]);
        let mut sum = 0.0;
        for i in 0..n {
            for k in 0..n {
                for j in 0..d {
                    a[j] = x[(i + j) % n] - mu * x[k];
                    b[j] = a[j] * s;
                }
                for p in 0..d {
                    for q in p + 1..d {
                        b[q] += a[p] * x[q % n];
                    }
                }
                let mut norm = 0.0;
                for j in 0..d {
                    norm += b[j] * b[j];
                }
                terms[k] = (norm + 1.0).sqrt();
            }
            sum -= likelihood(&terms, mu, s) * x[i];
        }
        sum
    }

    // A weight at an index of integers that is computed later, and a seed of too many terms.
    fn wrapped(x: &[f64], mu: f64, s: f64) -> f64 {
        let n = x.len();
        let mut sum = 0.0;
        for i in 0..n {
            sum += likelihood(x, mu, s) * x[(i * 2) % n] * ((n / 2) % (i + 1)) as f64;
        }
        sum
    }

    fn doubled(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut l = likelihood(x, mu, s);
        l = l + l * 0.1 * x[0 % x.len()];
        l = l + l * 0.1 * x[1 % x.len()];
        l = l + l * 0.1 * x[2 % x.len()];
        l = l + l * 0.1 * x[3 % x.len()];
        l = l + l * 0.1 * x[4 % x.len()];
        l = l + l * 0.1 * x[5 % x.len()];
        l = l + l * 0.1 * x[6 % x.len()];
        l = l + l * 0.1 * x[7 % x.len()];
        l = l + l * 0.1 * x[8 % x.len()];
        l = l + l * 0.1 * x[9 % x.len()];
        l = l + l * 0.1 * x[10 % x.len()];
        l = l + l * 0.1 * x[11 % x.len()];
        l = l + l * 0.1 * x[12 % x.len()];
        l = l + l * 0.1 * x[13 % x.len()];
        l = l + l * 0.1 * x[14 % x.len()];
        l = l + l * 0.1 * x[15 % x.len()];
        l = l + l * 0.1 * x[16 % x.len()];
        l = l + l * 0.1 * x[17 % x.len()];
        l = l + l * 0.1 * x[18 % x.len()];
        l = l + l * 0.1 * x[19 % x.len()];
        l = l + l * 0.1 * x[20 % x.len()];
        l = l + l * 0.1 * x[21 % x.len()];
        l = l + l * 0.1 * x[22 % x.len()];
        l = l + l * 0.1 * x[23 % x.len()];
        if mu > 0.0 {
            l = l * 2.0 + l * s;
        }
        if s > 0.0 {
            l = l / 3.0 - l * mu;
        }
        l
    }

    // Two parts of one list at once.
    fn parts(x: &[f64], mu: f64, s: f64) -> f64 {
        pair(x, &x[1..], mu) * 2.0 + pair(&x[..2], x, s)
    }

    // Integers that both sweeps read change on the way.
    fn order(x: &[f64], mu: f64, s: f64) -> f64 {
        let mut next: Vec<usize> = (0..x.len()).collect();
        let mut at = 0;
        let mut sum = 0.0;
        for k in 0..x.len() {
            next.swap(0, k);
            at = next[at % x.len()];
            sum += visit(x, &mut next, mu) * x[at] * s;
        }
        sum
    }

}

#[grad(order = 2)]
fn minor(a: &[f64], n: usize, m: usize, rows: &mut [usize], columns: &mut [usize]) -> f64 {
    let row = rows[n];
    let mut column = columns[n];
    if m == 1 {
        return a[row * n + column];
    }
    let mut det = 0.0;
    let mut sign = 1;
    rows[n] = rows[row];
    let mut before = n;
    for _ in 0..m {
        let factor = a[row * n + column];
        columns[before] = columns[column];
        let inner = minor(a, n, m - 1, rows, columns);
        columns[before] = column;
        if sign > 0 {
            det += factor * inner;
        } else {
            det -= factor * inner;
        }
        before = column;
        column = columns[column];
        sign = -sign;
    }
    rows[n] = row;
    det
}

#[grad(order = 2)]
fn determinant(a: &[f64], #[constant] n: usize) -> f64 {
    let mut rows = vec![0; n + 1];
    let mut columns = vec![0; n + 1];
    for i in 0..n {
        rows[i] = i + 1;
        columns[i] = i + 1;
    }
    minor(a, n, n, &mut rows, &mut columns)
}

// Where a type parameter stands for integers, what is lent has no derivative.
#[grad]
fn rotated<T: Clone + autodiff::Differentiable>(list: &mut [T], x: &[f64]) -> f64 {
    list.rotate_left(1);
    x[0] * x[1]
}

#[grad]
fn of_rotated(x: &[f64]) -> f64 {
    let mut list: Vec<usize> = vec![0, 1];
    let a = rotated(&mut list, x) * 3.0;
    a * x[list[0]]
}

const X: [f64; 5] = [0.6, -0.4, 1.3, 0.25, -0.9];

#[test]
fn both_ways_agree() {
    macro_rules! both {
        ($($name:ident),*) => {$(
            check!($name(shared x = X, value mu = 0.3, value s = 1.7));
            check_second!($name(shared x = X, value mu = 0.3, value s = 1.7));
            for n in 2..=X.len() {
                let (x, mu, s) = (&X[..n], 0.3, 1.7);
                let along: Vec<f64> = (0..n).map(|k| 0.4 - 0.3 * k as f64).collect();
                assert_eq!($name(x, mu, s).to_bits(), $name::value_and_grad(x, mu, s).0.to_bits());
                near(&$name::grad(x, mu, s), &apart::$name::grad(x, mu, s), 1e-13);
                let second = apart::$name::hvp(x, mu, s, (&along, 0.7, -0.2));
                near(&$name::hvp(x, mu, s, (&along, 0.7, -0.2)), &second, 1e-12);
            }
        )*};
    }
    check!(likelihood(shared x = X, value mu = 0.3, value s = 1.7));
    both!(
        total, signs, only_one, late, arms, nested, places, parts, order
    );
}

#[test]
fn the_gradient_of_a_determinant_is_its_cofactors() {
    let a = [2.0, 3.0, 1.0, 5.0, 7.0, 1.0, 0.5, 0.25, 2.0];
    let cofactors = [13.75, -9.5, -2.25, -5.75, 3.5, 1.0, -4.0, 3.0, -1.0];
    let (value, gradient) = determinant::value_and_grad(&a, 3);
    near(&value, &(2.0 * 13.75 - 3.0 * 9.5 - 2.25), 1e-14);
    near(&gradient, &cofactors, 1e-14);
    // The derivative by two entries of one row is zero.
    let mut along = [0.0; 9];
    along[0] = 1.0;
    let (_, bent) = determinant::hvp(&a, 3, &along);
    near(
        &bent,
        &[0.0, 0.0, 0.0, 0.0, 2.0, -0.25, 0.0, -1.0, 7.0],
        1e-14,
    );
}

#[test]
fn memory_of_integers_is_left_as_the_call_leaves_it() {
    let (mut rows, mut columns) = (vec![1, 2, 0], vec![1, 2, 0]);
    let gradient = minor::grad(&[1.0, 2.0, 3.0, 4.0], 2, 2, &mut rows, &mut columns);
    assert_eq!(gradient, [4.0, -3.0, -2.0, 1.0]);
    assert_eq!((rows, columns), (vec![1, 2, 0], vec![1, 2, 0]));
    let mut next = vec![2, 0, 1];
    let (x, mu) = visit::grad(&[1.0, 2.0, 3.0], &mut next, 2.0);
    assert_eq!(next, [0, 1, 2]);
    assert_eq!((x, mu), (vec![4.0, 8.0, 4.0], 8.0));
    assert_eq!(of_rotated::grad(&[2.0, 5.0]), [75.0, 60.0]);
}

#[derive(Clone, Differentiable)]
struct Gaussian {
    mu: f64,
    sigma: f64,
}

#[grad]
impl Gaussian {
    fn logarithms(&self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for v in x {
            let z = (v - self.mu) / self.sigma;
            sum -= 0.5 * z * z + self.sigma.ln();
        }
        sum
    }

    fn likelihood(&self, x: &[f64], w: f64) -> f64 {
        let mut sum = 0.0;
        for row in x.chunks(2) {
            sum -= self.logarithms(row) * w;
        }
        sum * self.mu
    }
}

#[grad]
fn of_gaussian(x: &[f64], mu: f64, sigma: f64, w: f64) -> f64 {
    Gaussian { mu, sigma }.likelihood(x, w)
}

#[grad]
fn of_gaussian_by_parts(x: &[f64], mu: f64, sigma: f64, w: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        let z = (v - mu) / sigma;
        sum += (0.5 * z * z + sigma.ln()) * w;
    }
    sum * mu
}

#[test]
fn methods_beside_are_given_their_seeds() {
    check!(of_gaussian(shared x = X, value mu = 0.3, value sigma = 1.7, value w = 0.4));
    let model = Gaussian {
        mu: 0.3,
        sigma: 1.7,
    };
    let (of_model, x, w) = model.likelihood_grad(&X, 0.4);
    let parts = of_gaussian_by_parts::grad(&X, 0.3, 1.7, 0.4);
    near(&(x, of_model.mu, of_model.sigma, w), &parts, 1e-13);
}
