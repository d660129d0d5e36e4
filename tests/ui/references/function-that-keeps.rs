use std::cell::RefCell;

use autodiff::grad;

struct Log(RefCell<Vec<f64>>);

fn keep(log: &Log, x: f64) {
    log.0.borrow_mut().push(x);
}

impl Log {
    fn last(&self) -> f64 {
        self.0.borrow()[0]
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let log = Log(RefCell::new(Vec::new()));
    keep(&log, x);
    log.last() * 2.0
}

fn main() {}
