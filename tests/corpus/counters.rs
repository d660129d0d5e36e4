//! Integers that loops inside of loops count on: the reverse sweep runs them back.
//! Each stands here twice, the second time with everything remembered.

use autodiff::grad;

in_both_ways! {
    without __remember_all;

    // Each column of a packed triangle begins with its diagonal.
    fn packed(l: &[f64], x: &[f64]) -> f64 {
        let n = x.len();
        let mut y = vec![1.0; n];
        let mut at = 0;
        for i in 0..n {
            y[i] *= l[at] * x[i];
            at += 1;
            for j in i + 1..n {
                y[j] *= l[at] * x[i].sin();
                at += 1;
            }
        }
        let mut sum = 0.0;
        for i in 0..n {
            sum += y[i] * y[i];
        }
        sum
    }

    // Three loops deep, forwards and backwards at once.
    fn kernel(w: &[f64], x: &[f64]) -> f64 {
        let mut at = 0;
        let mut from = w.len() as i32;
        let mut s = 1.0;
        for r in 0..2 {
            for c in 0..3 {
                for k in 0..=1 {
                    from -= 1;
                    s *= w[at] + x[r + c + k] * w[from as usize];
                    at += 1;
                }
            }
        }
        s
    }

    // By more than one, by a number of the caller, and again between the loops inside.
    fn strides(x: &[f64], #[constant] stride: usize) -> f64 {
        let mut at = 0;
        let mut s = x[0];
        for i in 0..3 {
            for j in 0..i + 1 {
                s = s * x[at] + x[j];
                at += stride;
            }
            s += x[at] * s;
            at += 2;
            for _ in (1..3).rev() {
                s = (s * x[at]).cos();
                at -= 1;
            }
        }
        s * x[at]
    }

    // How often the loop inside runs depends on where it begins: that is remembered.
    fn doubling(x: &[f64]) -> f64 {
        let mut at = 1;
        let mut s = x[0];
        for _ in 0..3 {
            for j in 0..at {
                s = s * x[at] + x[j];
                at += 1;
            }
        }
        s
    }

    // A loop that may end early steps by what it ran, and so does one whose rounds differ.
    fn uneven(x: &[f64], #[constant] limit: f64) -> f64 {
        let mut at = 0;
        let mut s = x[0];
        for _ in 0..2 {
            for j in 0..3 {
                if x[at] > limit {
                    break;
                }
                s = s * x[at] + x[j];
                at += 1;
            }
            for j in 0..3 {
                s *= x[at] + x[j];
                if j > 0 {
                    at += 1;
                }
            }
        }
        s
    }

    // The step is read from memory that changes.
    fn steps_in_memory(x: &[f64]) -> f64 {
        let mut steps = [1, 2, 3];
        let mut at = 0;
        let mut s = x[0];
        for r in 0..3 {
            let step = steps[r];
            for _ in 0..2 {
                s = s * x[at] + x[r];
                at += step;
            }
            steps[r] = 7;
        }
        s
    }

    // The ends of the loop inside are read from memory that changes.
    fn rounds_in_memory(x: &[f64]) -> f64 {
        let mut rounds = [2, 0, 3];
        let mut at = 0;
        let mut s = x[0];
        for r in 0..3 {
            for _ in 0..rounds[r] {
                s = s * x[at] + x[r];
                at += 1;
            }
            rounds[r] = 9;
        }
        s
    }

    // Inside of what the rounds of another loop choose, and of a loop that ends when it likes.
    fn chosen_rounds(x: &[f64], #[constant] limit: f64) -> f64 {
        let mut s = x[0];
        let mut k = 0;
        while k < 3 && s < limit {
            let mut at = k;
            for i in 0..2 {
                if x[i + k] > 0.0 {
                    for j in 0..2 {
                        s *= x[at] + x[j + i];
                    }
                }
                for j in 0..i + 1 {
                    s += x[at] * x[j];
                    at += 1;
                }
            }
            k += 1;
        }
        s
    }
}

const L: [f64; 10] = [0.3, -0.7, 1.1, 0.4, -0.2, 0.9, 0.6, -1.3, 0.8, 0.5];
const X: [f64; 16] = [
    0.4, -0.3, 0.9, 0.7, -0.8, 1.2, 0.5, -0.6, 1.1, 0.2, 0.35, -0.9, 0.65, 0.15, -0.45, 0.75,
];

macro_rules! held {
    ($name:ident($($how:ident $p:ident = $value:expr),*)) => {
        check!($name($($how $p = $value),*));
        check_second!($name($($how $p = $value),*));
        assert_eq!(
            $name::grad($(held!(@ $how $value)),*),
            apart::$name::grad($(held!(@ $how $value)),*)
        );
    };
    (@ shared $value:expr) => { &$value };
    (@ constant $value:expr) => { $value };
}

#[test]
fn counters_are_run_back() {
    for n in 0..=4 {
        held!(packed(shared l = L, shared x = X[..n].to_vec()));
    }
    held!(kernel(shared w = X[..12].to_vec(), shared x = L));
    held!(strides(shared x = X, constant stride = 1));
    held!(strides(shared x = X, constant stride = 2));
    held!(doubling(shared x = X));
    held!(uneven(shared x = X, constant limit = 0.8));
    held!(uneven(shared x = X, constant limit = 2.0));
    held!(steps_in_memory(shared x = X));
    held!(rounds_in_memory(shared x = X));
    held!(chosen_rounds(shared x = X, constant limit = 50.0));
}
