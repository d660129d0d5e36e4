//! Memory without derivative that calls are lent, and that other code changes between the calls: pullbacks borrow it as it was.

use autodiff::grad;

#[grad]
fn weighed(b: &[f64], s: f64) -> f64 {
    let mut t = 0.0;
    for v in b {
        t += (v * s).sin();
    }
    t
}

#[grad]
fn scaled(b: &mut [f64], k: f64) {
    for v in b.iter_mut() {
        *v *= k;
    }
}

fn plain(b: &mut [f64]) {
    b[0] *= 1.3;
    b.reverse();
}

#[grad]
fn by_a_call(x: f64) -> f64 {
    let mut buffer = vec![1.3, 0.4, -0.2];
    let mut s = x;
    for _ in 0..3 {
        s += weighed(&buffer, s);
        scaled(&mut buffer, 1.3);
    }
    s
}

/// What the syntax cannot tell from an active value has no derivative in the graph.
#[grad]
fn by_a_call_of_what_was_active(x: f64) -> f64 {
    let mut t = x;
    assert!(t.is_finite());
    t = 1.3;
    let mut buffer = vec![t; 3];
    let mut s = x;
    for _ in 0..3 {
        s += weighed(&buffer, s);
        scaled(&mut buffer, t);
    }
    s
}

#[grad]
fn by_other_code(x: f64) -> f64 {
    let mut buffer = vec![1.3, 0.4, -0.2];
    let mut s = x;
    for k in 0..3 {
        s += weighed(&buffer, s) * buffer[0];
        buffer.sort_by(|a, b| a.total_cmp(b));
        plain(&mut buffer);
        if k == 1 {
            buffer.extend([0.3, -0.7]);
        }
        match buffer.pop() {
            Some(last) if last > 0.0 => s *= last.cos(),
            _ => s += x,
        }
        while let Some(last) = buffer.pop() {
            if last < 0.5 {
                buffer.push(0.6);
                break;
            }
        }
        s = s.sin() + weighed(&buffer, x);
    }
    s
}

#[grad]
fn in_sums(x: f64) -> f64 {
    let mut buffer = [1.3, 0.4, -0.2];
    let mut s = 0.0;
    for k in 0..3 {
        s += weighed(&buffer, x);
        scaled(&mut buffer, 1.3);
        s += weighed(&buffer[k..], x * x);
        plain(&mut buffer);
    }
    s * x
}

#[grad]
fn frozen(x: f64) -> f64 {
    let mut buffer = vec![1.3, 0.4, -0.2];
    buffer[1] = 0.5;
    let mut s = x;
    for _ in 0..3 {
        s += weighed(&buffer, s);
        let _ = autodiff::stop_gradient(plain(&mut buffer));
    }
    s
}

#[grad]
fn lent_on(x: f64, #[constant] buffer: &mut [f64]) -> f64 {
    let first = weighed(&buffer[..], x);
    scaled(&mut buffer[1..], 1.2);
    plain(&mut buffer[..]);
    first * weighed(&buffer[1..], x)
}

#[grad]
fn in_the_caller(x: f64) -> f64 {
    let mut buffer = [1.3, 0.4, -0.2];
    let mut s = x;
    for _ in 0..3 {
        s += weighed(&buffer, s) + lent_on(s, &mut buffer) * buffer[0];
    }
    s.sin()
}

#[derive(Clone, autodiff::Differentiable)]
struct Body {
    v: f64,
    rate: f64,
}

#[grad]
impl Body {
    fn step(&mut self, k: f64) {
        self.v *= k;
        self.rate += self.v;
    }

    fn energy(&self, k: f64) -> f64 {
        (self.v * k).sin() + self.rate
    }
}

#[grad]
fn by_a_method(x: f64) -> f64 {
    let mut t = x;
    assert!(t.is_finite());
    t = 1.3;
    let mut body = Body { v: t, rate: t };
    let mut s = x;
    for _ in 0..3 {
        s += x * body.v * s;
        body.step(t);
        s += body.energy(s).sin();
        body.rate -= 0.2;
    }
    s.sin()
}

#[grad]
fn of_no_use(x: f64) -> f64 {
    for _ in 0..3 {
        let mut body = Body {
            v: x,
            rate: x.sin(),
        };
        for k in 0..2 {
            body.step(x);
            std::mem::swap(&mut body.v, &mut body.rate);
            body.rate = body.energy(x);
            let _ = k;
        }
    }
    x
}

#[test]
fn pullbacks_borrow_what_their_calls_were_lent() {
    check!(by_a_call(value x = 0.7));
    check!(by_a_call_of_what_was_active(value x = 0.7));
    check!(by_other_code(value x = 0.7));
    check!(in_sums(value x = 0.7));
    check!(frozen(value x = 0.7));
    check!(in_the_caller(value x = 0.7));
    check!(by_a_method(value x = 0.7));
    check!(of_no_use(value x = 0.7));
}
