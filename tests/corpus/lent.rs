//! What has no derivative is lent to calls, wherever it comes from, and may change afterwards.

use autodiff::grad;

#[grad]
fn folded(p: &[f64], x: f64) -> f64 {
    let mut s = x;
    for z in p {
        s = s.sin() * *z + 0.5;
    }
    s * x - p[0] / (1.0 + s * s)
}

#[grad]
fn ordered(order: &[usize; 3], x: f64) -> f64 {
    let mut s = x;
    for (k, &o) in order.iter().enumerate() {
        s = (s * (o as f64 + 1.0)).sin() + 0.1 * k as f64 * x;
    }
    s
}

#[derive(Clone)]
struct Model {
    table: Vec<f64>,
    first: usize,
}

impl Model {
    fn new() -> Model {
        Model {
            table: vec![0.4, 0.6],
            first: 1,
        }
    }

    fn table(&self) -> &[f64] {
        &self.table
    }
}

const TABLE: [f64; 2] = [0.3, 0.5];
static LIST: &[f64] = &[0.3, 0.5];

#[grad]
fn overwritten(x: f64) -> f64 {
    let mut a = vec![0.5; 3];
    let y = folded(&a[0..2], x);
    a[0] = 2.0;
    y + folded(&a[0..2], x)
}

#[grad]
fn permuted(x: f64, n: usize) -> f64 {
    let mut order = [0, 1, 2];
    let mut y = x;
    for _ in 0..n {
        y = ordered(&order, y);
        order.swap(0, 1);
    }
    y
}

#[grad]
fn permuted_in_arms(x: f64, n: usize) -> f64 {
    let mut order = [0, 1, 2];
    let mut y = x;
    for i in 0..n {
        if i % 2 == 0 {
            y = ordered(&order, y) * y;
        }
        order.rotate_left(1);
        if i > 1 {
            y += ordered(&order, y).cos();
            order[0] = 5;
        }
    }
    y
}

#[grad]
fn step(x: f64, order: &mut [usize]) -> f64 {
    let first = order[0];
    order[0] = order[1];
    order[1] = first;
    (x * (order[0] as f64 + 1.3)).sin() * x
}

#[grad]
fn changed_by_the_call_and_after(x: f64, n: usize) -> f64 {
    let w = [0.3, 0.7, 1.1];
    let mut order = [0, 1, 2];
    let mut s = x;
    for _ in 0..n {
        s = s * w[order[0]];
        s += step(s, &mut order);
        order.rotate_left(1);
        s = s.sin() * w[order[1]];
    }
    s
}

#[grad]
fn of_each_round(x: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..3 {
        let mut a = vec![0.1 * i as f64, 0.4];
        let y = folded(&a, x);
        a[1] = 0.9;
        total += y * folded(&a[1..], y);
        a.clear();
    }
    total
}

#[grad]
fn in_a_sum(a: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    let mut order = [0, 1, 2];
    for v in a {
        s += ordered(&order, *v) * x;
        order[1] += 1;
    }
    s
}

#[grad]
fn fields_of_a_local(x: f64) -> f64 {
    let model = Model::new();
    let mut s = x;
    for _ in 0..3 {
        s += folded(&model.table, s);
        s += folded(&model.table[model.first..], s);
    }
    s
}

#[grad]
fn fields_that_change(x: f64) -> f64 {
    let mut s = x;
    let mut model = Model::new();
    for i in 0..4 {
        if i > 1 {
            s += folded(&model.table, s) * model.table[0];
        }
        model.table[0] += 0.1;
    }
    s
}

#[grad]
fn fields_of_a_constant(x: f64, #[constant] model: &Model) -> f64 {
    x * folded(&model.table, x) + folded(&model.table()[..], x) + folded(&*model.table(), x)
}

#[grad]
fn temporaries(x: f64) -> f64 {
    let pair = (vec![0.4], 3);
    let rows = [[0.3, 0.4], [0.5, 0.6]];
    x * folded(&[0.3, 0.4], x) + folded(&vec![0.5; 3], x) * folded(&pair.0, x) + folded(&rows[1], x)
}

#[grad]
fn items(x: f64) -> f64 {
    let mut y = x;
    for _ in 0..4 {
        y = x * folded(&TABLE, y) + folded(&TABLE[1..], x);
    }
    y + folded(&LIST[..], x) + folded(&*LIST, y)
}

#[test]
fn what_is_lent_is_what_it_was_at_the_call() {
    check!(overwritten(value x = 0.7));
    check!(permuted(value x = 0.7, constant n = 4));
    check!(permuted_in_arms(value x = 0.7, constant n = 4));
    check!(changed_by_the_call_and_after(value x = 0.7, constant n = 4));
    check!(of_each_round(value x = 0.7));
    check!(in_a_sum(shared a = [0.2, 0.3, 0.4], value x = 0.7));
    check!(fields_that_change(value x = 0.7));
}

#[test]
fn anything_may_be_lent() {
    check!(fields_of_a_local(value x = 0.7));
    check!(temporaries(value x = 0.7));
    check!(items(value x = 0.7));
    let model = Model::new();
    let (value, slope) = fields_of_a_constant::jvp(0.7, &model, 1.0);
    assert_eq!(value, fields_of_a_constant(0.7, &model));
    let (_, gradient) = fields_of_a_constant::vjp(0.7, &model, 1.0);
    assert!((gradient - slope).abs() < 1e-14);
    let h = 1e-6;
    let (up, down) = (
        fields_of_a_constant(0.7 + h, &model),
        fields_of_a_constant(0.7 - h, &model),
    );
    assert!(((up - down) / (2.0 * h) - slope).abs() < 1e-8);
}
