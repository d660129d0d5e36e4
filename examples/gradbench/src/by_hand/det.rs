//! `det`: the seed of a minor is known before the minor, so nothing is remembered.

use crate::evals::det::Input;

struct Sweep<'a> {
    a: &'a [f64],
    n: usize,
    rows: &'a mut [usize],
    columns: &'a mut [usize],
    gradient: &'a mut [f64],
}

impl Sweep<'_> {
    /// The determinant of the minor; adds its gradient, times `seed`.
    fn minor(&mut self, m: usize, seed: f64) -> f64 {
        let n = self.n;
        let row = self.rows[n];
        let mut column = self.columns[n];
        if m == 1 {
            self.gradient[row * n + column] += seed;
            return self.a[row * n + column];
        }
        let mut det = 0.0;
        let mut sign = 1.0;
        self.rows[n] = self.rows[row];
        let mut before = n;
        for _ in 0..m {
            let at = row * n + column;
            let factor = sign * self.a[at];
            self.columns[before] = self.columns[column];
            let minor = self.minor(m - 1, seed * factor);
            self.columns[before] = column;
            self.gradient[at] += seed * sign * minor;
            det += factor * minor;
            before = column;
            column = self.columns[column];
            sign = -sign;
        }
        self.rows[n] = row;
        det
    }
}

pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    let ell = input.ell;
    let list: Vec<usize> = (1..=ell).chain([0]).collect();
    let (mut rows, mut columns) = (list.clone(), list);
    let mut gradient = vec![0.0; input.a.len()];
    let mut sweep = Sweep {
        a: &input.a,
        n: ell,
        rows: &mut rows,
        columns: &mut columns,
        gradient: &mut gradient,
    };
    sweep.minor(ell, 1.0);
    gradient
}
