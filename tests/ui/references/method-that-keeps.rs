use std::cell::RefCell;

use autodiff::grad;

struct Log(RefCell<Vec<f64>>);

impl Log {
    fn keep(&self, x: f64) {
        self.0.borrow_mut().push(x);
    }

    fn last(&self) -> f64 {
        self.0.borrow()[0]
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let log = Log(RefCell::new(Vec::new()));
    log.keep(x);
    log.last() * 2.0
}

fn main() {}
