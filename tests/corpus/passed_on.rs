//! References to constant memory that are passed on to functions without a derivative, which change it.

use autodiff::grad;

fn bump(list: &mut [f64]) {
    list[0] += 1.0;
}

fn bump_one(number: &mut f64) {
    *number += 1.0;
}

#[grad]
fn passed_on(x: f64) -> f64 {
    let mut list = [1.0, 2.0, 3.0];
    let mut s = x;
    {
        let r = &mut list[1];
        let before = std::mem::replace(r, 0.5);
        let between = *r;
        bump_one(r);
        s += x * before * between * *r;
    }
    for e in list.iter_mut() {
        let before = *e;
        s += x * before;
        bump_one(e);
        s *= *e * x;
    }
    let (left, right) = list.split_at_mut(1);
    bump(left);
    bump(right);
    s * list[0] + list[1] * x * x
}

#[test]
fn functions_change_what_they_are_lent() {
    for x in [0.7, -0.4, 1.3] {
        check!(passed_on(value x = x));
    }
}
