//! Scratch memory that loops lend to functions, which overwrite all of it, or do not.
//! Each caller stands here twice, the second time with both sweeps apart.

use autodiff::grad;

#[grad(order = 2)]
fn subtract(x: &[f64], y: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i] - y[i];
    }
}

/// Multiplies by a lower triangular matrix.
#[grad(order = 2)]
fn multiply(diagonal: &[f64], l: &[f64], x: &[f64], out: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        out[i] = diagonal[i] * x[i];
    }
    let mut at = 0;
    for i in 0..d {
        for j in i + 1..d {
            out[j] += l[at] * x[i];
            at += 1;
        }
    }
}

#[grad(order = 2)]
fn squared_norm(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum
}

/// What was there stays in it.
#[grad(order = 2)]
fn smooth(x: &[f64], k: f64, out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = k * out[i] + x[i];
    }
}

#[grad(order = 2)]
fn all_but_first(x: &[f64], k: f64, out: &mut [f64]) {
    for i in 1..x.len() {
        out[i] = k * x[i] * x[i - 1];
    }
}

#[grad(order = 2)]
fn unless_negative(x: &[f64], k: f64, out: &mut [f64]) {
    if x[0] < 0.0 {
        return;
    }
    for i in 0..x.len() {
        out[i] = k * x[i];
    }
}

#[grad(order = 2)]
fn cubes(k: f64, out: &mut [f64; 3]) {
    for i in 0..3 {
        out[i] = k * k * (i as f64 + k);
    }
}

#[grad(order = 2)]
fn refilled(x: &[f64], k: f64, out: &mut Vec<f64>) {
    out.clear();
    for i in 0..x.len() {
        out.push(x[i] * k);
    }
}

#[grad(order = 2)]
fn totals(x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..x.len() {
        out[i] += x[i] * x[i];
    }
}

/// The equations of a chain.
#[grad(order = 2)]
fn slope(x: &[f64], y: &[f64], out: &mut [f64]) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] * y[i - 1];
    }
}

#[grad(order = 2)]
fn parts(x: &[f64], y: &[f64], sums: &mut [f64], products: &mut [f64]) {
    for i in 0..x.len() {
        sums[i] = x[i] + y[i] * y[i];
        products[i] = x[i] * y[i];
    }
}

/// Its own pullback changes what its caller lent it, and puts it back.
#[grad(order = 2)]
fn lent_on(x: &[f64], k: f64, out: &mut [f64]) {
    let mut y = x.to_vec();
    for _ in 0..3 {
        slope(x, &y, out);
        for i in 0..x.len() {
            y[i] = y[i] * k + out[i];
        }
    }
    for i in 0..x.len() {
        out[i] += y[i];
    }
}

/// It changes nothing, whatever it is lent by.
#[grad(order = 2)]
fn first_by_second(x: &[f64]) -> f64 {
    x[0] * x[1]
}

#[grad]
fn lent_as_if_changed(x: &[f64]) -> [f64; 2] {
    let mut t = [x[0], x[1] * x[0]];
    let _ = first_by_second(&mut t);
    [t[1], t[0]]
}

in_both_ways! {
    without __fuse_nothing;

    // The mixture's inner loops.
    fn distances(mu: &[f64], diagonal: &[f64], l: &[f64], x: &[f64], d: usize) -> f64 {
        let mut centered = vec![0.0; d];
        let mut product = vec![0.0; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            subtract(&x[i * d..(i + 1) * d], mu, &mut centered);
            multiply(diagonal, l, &centered, &mut product);
            total += squared_norm(&product).sqrt();
        }
        total
    }

    // A list of one number to a round, which is read when all are there.
    fn nested(mu: &[f64], x: &[f64], d: usize) -> f64 {
        let k = mu.len() / d;
        let mut centered = vec![0.0; d];
        let mut terms = vec![0.0; k];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            for j in 0..k {
                subtract(&x[i * d..(i + 1) * d], &mu[j * d..(j + 1) * d], &mut centered);
                terms[j] = (-squared_norm(&centered)).exp();
            }
            total += squared_norm(&terms);
        }
        total
    }

    // The memory is longer than what is overwritten: the rest of it stays from the round before.
    fn longer(x: &[f64], k: f64) -> f64 {
        let mut kept = vec![k; 4];
        let mut total = 0.0;
        for i in 0..x.len() / 2 {
            let n = 4 - i.min(3);
            subtract(&x[..n], &x[1..n + 1], &mut kept);
            total += squared_norm(&kept) * k;
        }
        total
    }

    fn carried(x: &[f64], k: f64, d: usize) -> f64 {
        let mut state = vec![0.0; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            smooth(&x[i * d..(i + 1) * d], k, &mut state);
            total += squared_norm(&state);
        }
        total
    }

    fn first_is_kept(x: &[f64], k: f64, d: usize) -> f64 {
        let mut state = vec![k; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            all_but_first(&x[i * d..(i + 1) * d], k, &mut state);
            total += squared_norm(&state);
            state[0] = state[0] * state[1].sin();
        }
        total
    }

    fn only_sometimes(x: &[f64], k: f64, d: usize) -> f64 {
        let mut state = vec![k; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            unless_negative(&x[i * d..(i + 1) * d], k, &mut state);
            total += squared_norm(&state) * x[i];
        }
        total
    }

    fn an_array(x: &[f64]) -> f64 {
        let mut powers = [0.0; 3];
        let mut total = 0.0;
        for v in x {
            cubes(*v, &mut powers);
            total += squared_norm(&powers) + powers[1];
        }
        total
    }

    fn another_length(x: &[f64], k: f64) -> f64 {
        let mut list = vec![0.0; 2];
        let mut total = 0.0;
        for n in 1..x.len() {
            refilled(&x[..n], k, &mut list);
            total += squared_norm(&list) * k;
        }
        total
    }

    fn filled_first(x: &[f64], k: f64, d: usize) -> f64 {
        let mut sums = vec![0.0; d];
        let mut total = 0.0;
        for row in x.chunks(d) {
            totals(row, &mut sums);
            total += k * squared_norm(&sums);
        }
        total
    }

    // The second slice is shorter: `|` binds weaker than `+`.
    fn by_bits(x: &[f64], k: f64) -> f64 {
        let d = 3;
        let mut state = [k; 3];
        let mut total = 0.0;
        for i in 0..2 {
            subtract(&x[i | 2..i | 2 + d], &x[1..], &mut state);
            total += squared_norm(&state) * k;
        }
        total
    }

    // By variables that are references, to one that changes it and to one that does not.
    fn by_reference(x: &[f64], k: f64) -> f64 {
        let mut state = [k; 3];
        let mut total = 0.0;
        for v in x {
            let lent = &mut state;
            cubes(*v, lent);
            total += first_by_second(lent) * k + first_by_second(&mut state);
        }
        total
    }

    // Read before it is lent.
    fn read_before(x: &[f64], k: f64, d: usize) -> f64 {
        let mut state = vec![k; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            total += state[0] * state[d - 1];
            subtract(&x[i * d..(i + 1) * d], &x[..d], &mut state);
            total += squared_norm(&state);
        }
        total
    }

    // Read behind the loop.
    fn read_after(x: &[f64], k: f64, d: usize) -> f64 {
        let mut state = vec![k; d];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            subtract(&x[i * d..(i + 1) * d], &x[1..d + 1], &mut state);
            total += squared_norm(&state);
        }
        total + k * state[0] * state[1]
    }

    // What a call has overwritten nobody reads again: its pullback leaves it.
    fn stages(x: &[f64], k: f64, rounds: usize) -> f64 {
        let n = x.len();
        let (mut y, mut at) = (vec![k; n], vec![0.0; n]);
        let (mut one, mut two) = (vec![0.0; n], vec![0.0; n]);
        for _ in 0..rounds {
            slope(x, &y, &mut one);
            for i in 0..n {
                at[i] = y[i] + k * one[i] / 2.0;
            }
            slope(x, &at, &mut two);
            for i in 0..n {
                y[i] += 0.3 * (one[i] + 2.0 * two[i]);
            }
        }
        squared_norm(&y)
    }

    // It is read again: in the next round what this one has overwritten, and behind it.
    fn stages_read_again(x: &[f64], k: f64, rounds: usize) -> f64 {
        let n = x.len();
        let (mut y, mut one) = (vec![k; n], vec![0.0; n]);
        for _ in 0..rounds {
            slope(x, &y, &mut one);
            for i in 0..n {
                y[i] = y[i] * 0.5 + one[i].sin() * k;
            }
            slope(&y, x, &mut one);
            for i in 0..n {
                y[i] = y[i] * one[i];
            }
        }
        squared_norm(&y) + squared_norm(&one)
    }

    // Two functions take turns with one list, of which one reads what the other left.
    fn stages_of_two(x: &[f64], k: f64, rounds: usize) -> f64 {
        let (mut y, mut one) = (vec![k; x.len()], vec![0.5; x.len()]);
        for _ in 0..rounds {
            slope(x, &y, &mut one);
            smooth(&y, k, &mut one);
            for i in 0..x.len() {
                y[i] = y[i].cos() + one[i] * 0.1;
            }
        }
        squared_norm(&y)
    }

    // One function with two lists, which change places.
    fn crossed(x: &[f64], k: f64, rounds: usize) -> f64 {
        let (mut y, mut a, mut b) = (vec![k; x.len()], vec![0.1; x.len()], vec![0.2; x.len()]);
        for r in 0..rounds {
            parts(x, &y, &mut a, &mut b);
            y[0] += k * a[0] * b[1];
            if r % 2 == 0 {
                parts(&y, x, &mut b, &mut a);
            }
            for i in 0..x.len() {
                y[i] = y[i].sin() + a[i] - b[i];
            }
        }
        squared_norm(&y)
    }

    // Where it is lent once more to be read.
    fn handed_on(x: &[f64], k: f64, rounds: usize) -> f64 {
        let (mut y, mut one, mut two) = (vec![k; x.len()], vec![0.0; x.len()], vec![0.0; x.len()]);
        for _ in 0..rounds {
            slope(x, &y, &mut one);
            slope(&y, &one, &mut two);
            for i in 0..x.len() {
                y[i] = 0.2 * two[i] + k * y[i];
            }
        }
        squared_norm(&y)
    }

    // Only what the loop has stepped over is overwritten; the rest is read as it was.
    fn a_part(x: &[f64], k: f64, rounds: usize) -> f64 {
        let (mut y, mut one) = (vec![k; x.len()], vec![0.3; x.len()]);
        for r in 0..rounds {
            slope(&x[..2 + r], &y, &mut one[1..]);
            one[r] = one[r] * y[r];
            for i in 0..x.len() {
                y[i] = y[i].sin() + k * one[i];
            }
        }
        squared_norm(&y)
    }

    // The callee lends it on.
    fn lent_on_in_rounds(x: &[f64], k: f64, rounds: usize) -> f64 {
        let (mut y, mut one) = (x.to_vec(), vec![0.3; x.len()]);
        for _ in 0..rounds {
            lent_on(&y, k, &mut one);
            for i in 0..x.len() {
                y[i] = y[i].sin() + 0.1 * one[i];
            }
        }
        squared_norm(&y)
    }

    // The same memory is read and overwritten by one call.
    fn in_turn(x: &[f64], k: f64, d: usize) -> f64 {
        let (mut one, mut other) = (vec![k; d], vec![0.0; d]);
        let mut total = 0.0;
        for i in 0..x.len() / d {
            subtract(&x[i * d..(i + 1) * d], &one, &mut other);
            subtract(&other, &x[..d], &mut one);
            total += squared_norm(&one);
        }
        total
    }
}

macro_rules! twice {
    ($($f:ident($($p:tt)*),)*) => {
        $(
            check!($f($($p)*));
            check_second!($f($($p)*));
        )*
        {
            use apart::*;
            $(check!($f($($p)*));)*
        }
    };
}

const X: [f64; 8] = [0.3, -0.8, 0.5, 1.2, -0.4, 0.9, 0.2, -0.6];

#[test]
fn what_is_overwritten_is_private_to_the_round() {
    twice! {
        distances(shared mu = [0.1, 0.4], shared diagonal = [1.1, 0.7], shared l = [0.6], shared x = X, constant d = 2),
        nested(shared mu = [0.1, 0.2, -0.3, 0.7], shared x = X, constant d = 2),
        an_array(shared x = X),
        filled_first(shared x = X, value k = 0.7, constant d = 2),
        by_reference(shared x = X, value k = 0.7),
    }
}

#[test]
fn what_is_lent_as_if_it_changed_has_its_jacobian() {
    assert_eq!(
        lent_as_if_changed::jacobian(&[3.0, 5.0]).as_slice(),
        [5.0, 3.0, 1.0, 0.0]
    );
}

#[test]
fn what_is_not_has_derivatives_from_round_to_round() {
    twice! {
        longer(shared x = X, value k = 0.7),
        by_bits(shared x = X, value k = 0.7),
        carried(shared x = X, value k = 0.7, constant d = 2),
        first_is_kept(shared x = X, value k = 0.7, constant d = 2),
        only_sometimes(shared x = X, value k = 0.7, constant d = 2),
        another_length(shared x = X, value k = 0.7),
        read_before(shared x = X, value k = 0.7, constant d = 2),
        read_after(shared x = X, value k = 0.7, constant d = 2),
        in_turn(shared x = X, value k = 0.7, constant d = 2),
    }
}

#[test]
fn pullbacks_leave_what_nobody_reads_again() {
    twice! {
        stages(shared x = X, value k = 0.7, constant rounds = 3),
        stages_read_again(shared x = X, value k = 0.7, constant rounds = 3),
        stages_of_two(shared x = X, value k = 0.7, constant rounds = 3),
        crossed(shared x = X, value k = 0.7, constant rounds = 3),
        handed_on(shared x = X, value k = 0.7, constant rounds = 3),
        a_part(shared x = X, value k = 0.7, constant rounds = 3),
        lent_on_in_rounds(shared x = X, value k = 0.7, constant rounds = 2),
    }
}
