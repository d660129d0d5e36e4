//! Lists that loops overwrite: between their rounds the cotangents are zero, here and there or everywhere.

use autodiff::grad;

#[grad]
fn stages(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    let mut k = vec![0.0; n];
    let mut t = vec![0.0; n];
    for _ in 0..steps {
        for i in 0..n {
            k[i] = x[i] * y[i];
        }
        for i in 0..n {
            t[i] = y[i] + 0.5 * k[i];
        }
        for i in 0..n {
            y[i] += 0.1 * t[i].sin() + 0.2 * k[i];
        }
    }
    y.iter().sum()
}

/// The ends stay as they are, whose cotangents are not zero.
#[grad]
fn the_inner_ones(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut u = x.to_vec();
    let mut next = x.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] * u[i] + u[i + 1]);
        }
        for i in 1..n - 1 {
            u[i] = next[i];
        }
    }
    u.iter().map(|u| u * u).sum()
}

/// What one loop overwrites is not all that the other reads.
#[grad]
fn other_ranges(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut a = vec![1.0; n];
    let mut b = x.to_vec();
    for s in 0..steps {
        for i in s..n {
            a[i] = a[i] * b[i];
        }
        for i in 0..n - s {
            b[i] = a[i].cos() + x[i];
        }
    }
    a.iter().sum::<f64>() + b[0] * b[n - 1]
}

#[grad]
fn of_a_matrix(x: &[f64; 3], steps: usize) -> f64 {
    let mut m = [[0.5; 3]; 3];
    let mut t = [[0.0; 3]; 3];
    for _ in 0..steps {
        for i in 0..3 {
            for j in 0..3 {
                t[i][j] = m[i][j] * x[j] - m[j][i];
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = t[i][j].sin() + x[i];
            }
        }
    }
    m[0][1] + m[1][2] * m[2][0]
}

#[grad]
fn of_a_triangle(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut m = vec![vec![1.0; n]; n];
    for _ in 0..steps {
        for i in 0..n {
            for j in 0..i {
                m[i][j] = m[i][j] * x[j] + 0.1 * m[i][i];
            }
            for j in i..n {
                m[i][j] = m[i][j].sin() + x[i] * m[j][i];
            }
        }
    }
    m.iter().map(|row| row.iter().sum::<f64>()).sum()
}

#[grad]
fn in_an_arm(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    let mut t = vec![0.3; n];
    for s in 0..steps {
        if s % 2 == 0 {
            for i in 0..n {
                t[i] = x[i] * y[i];
            }
        }
        for i in 0..n {
            y[i] = 0.5 * t[i] + 0.3 * y[i].sin();
        }
    }
    y.iter().sum()
}

#[grad]
fn left_early(x: &[f64], limit: f64) -> f64 {
    let n = x.len();
    let mut t = vec![0.0; n];
    let mut sum = 0.0;
    for s in 0..3 {
        for i in 0..n {
            if x[i] > limit {
                break;
            }
            t[i] = x[i] * (s as f64 + 1.0 + t[i]);
        }
        for i in 0..n {
            sum += t[i] * t[i];
        }
    }
    sum
}

#[grad]
fn while_it_lasts(x: &[f64], most: f64) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    let mut t = vec![0.0; n];
    let mut norm = 0.0;
    while norm < most {
        for i in 0..n {
            t[i] = y[i] * 1.1 + x[i] * x[i];
        }
        norm = 0.0;
        for i in 0..n {
            y[i] = t[i];
            norm += t[i] * t[i];
        }
    }
    y.iter().map(|y| y.sin()).sum()
}

#[grad]
fn exchanged(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut old = x.to_vec();
    let mut new = vec![0.0; n];
    for _ in 0..steps {
        for i in 0..n {
            new[i] = old[i] * old[n - 1 - i] + x[i];
        }
        std::mem::swap(&mut old, &mut new);
    }
    old[0] - new[n - 1] * old[1]
}

#[grad]
fn lent(a: &[f64], to: &mut [f64]) {
    for i in 1..a.len() {
        to[i] = a[i] * a[i - 1];
    }
}

/// What the callee does not write stays as it was.
#[grad]
fn by_a_callee(x: &[f64], steps: usize) -> f64 {
    let mut y = x.to_vec();
    let mut t = vec![0.4; x.len()];
    for _ in 0..steps {
        lent(&y, &mut t);
        for i in 0..x.len() {
            y[i] = t[i] + 0.5 * y[i] * x[i];
        }
        t[0] *= 0.5;
    }
    y.iter().sum()
}

#[grad]
fn lists_of_a_struct(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut s = (x.to_vec(), vec![0.0; n]);
    for _ in 0..steps {
        for i in 0..n {
            s.1[i] = s.0[i] * x[i];
        }
        for i in 0..n {
            s.0[i] = s.1[i].cos();
        }
    }
    s.0.iter().zip(&s.1).map(|(a, b)| a * b).sum()
}

#[grad]
fn twice_the_same(x: &[f64], at: usize) -> f64 {
    let mut a = [1.0, 2.0, 3.0];
    for i in 0..x.len() {
        a[at] = x[i] * a[0] + a[1];
        a[1] = a[at] * a[2];
    }
    a[0] + a[1] * a[at]
}

#[test]
fn what_is_overwritten_has_its_part() {
    let x = [0.4, -1.2, 0.7, 0.9, -0.3];
    check!(stages(shared x = x, constant steps = 3));
    check!(stages(shared x = x, constant steps = 0));
    check!(the_inner_ones(shared x = x, constant steps = 3));
    check!(other_ranges(shared x = x, constant steps = 4));
    check!(of_a_triangle(shared x = x, constant steps = 3));
    check!(in_an_arm(shared x = x, constant steps = 5));
    check!(exchanged(shared x = x, constant steps = 1));
    check!(exchanged(shared x = x, constant steps = 4));
    check!(by_a_callee(shared x = x, constant steps = 3));
    check!(lists_of_a_struct(shared x = x, constant steps = 3));
    for at in 0..3 {
        check!(twice_the_same(shared x = x, constant at = at));
    }
}

#[test]
fn what_is_overwritten_in_a_matrix_has_its_part() {
    check!(of_a_matrix(shared x = [0.4, -1.2, 0.7], constant steps = 3));
}

#[test]
fn what_some_rounds_overwrite_has_its_part() {
    let x = [0.4, -1.2, 0.7, 0.9, -0.3];
    check!(left_early(shared x = x, value limit = 0.8));
    check!(left_early(shared x = x, value limit = 5.0));
    check!(while_it_lasts(shared x = x, value most = 40.0));
}
