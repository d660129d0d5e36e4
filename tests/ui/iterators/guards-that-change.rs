use autodiff::grad;

#[grad]
fn part(x: f64, y: f64) -> f64 {
    let mut t = (x, y);
    let r = match 1usize {
        1 if { t.1 = x * x; y } > 0.3 => x,
        _ => y,
    };
    r + t.1
}

#[grad]
fn counter(x: f64, y: f64) -> f64 {
    let mut n = 0;
    let mut s = x;
    for i in 0..4 {
        match i {
            0 | 2 if { n += 1; n > 1 } => s *= y,
            _ => s += x,
        }
    }
    s
}

#[grad]
fn taken(x: f64, y: f64) -> f64 {
    let mut it = [1usize, 2, 3].into_iter();
    let mut v = vec![x, y];
    match v.len() {
        0 if it.next() == Some(2) => x,
        2 if v.pop().unwrap() > 1.0 => y,
        _ => x * y,
    }
}

fn main() {}
