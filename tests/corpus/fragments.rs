//! Functions made by `macro_rules!` of expressions: a fragment keeps together.

use autodiff::grad;

macro_rules! layer {
    ($name:ident, |$v:ident| $body:expr) => {
        #[grad]
        fn $name($v: f64, w: f64) -> f64 {
            $body * w
        }
    };
}
layer!(affine, |t| t + 1.0);
layer!(of_a_block, |t| if t > 0.5 { t } else { t * t });

macro_rules! of_constants {
    ($name:ident, $e:expr, $n:expr, $t:ty) => {
        #[grad]
        fn $name(x: $t) -> f64 {
            const TWICE: f64 = 2.0 * $e;
            let c = $e;
            let mut s = (x[0] - $e).powi(2) * -$e + $e.sin() * x[1] / $e + c * TWICE;
            for i in 0..2 * $n {
                s += x[0].powi($n * 2) * $n as f64 + i as f64 * x[1];
            }
            let list = [s; $n * 2];
            assert!(2 * $n == 6);
            let more = vec![$e * 2.0; 2 * $n];
            list[1] * more[$n + 2]
        }
    };
}
of_constants!(constants, 1.0f64 - 2.0f64, 1 + 2, &[f64; 2]);

/// The same without fragments.
fn constants_by_hand(x: &[f64; 2]) -> f64 {
    let mut s = (x[0] + 1.0).powi(2) * 1.0 + (-1.0f64).sin() * x[1] / -1.0 + 2.0;
    for i in 0..6 {
        s += x[0].powi(6) * 3.0 + i as f64 * x[1];
    }
    s * -2.0
}

#[test]
fn fragments_keep_together() {
    assert_eq!(affine(1.0, 0.5), 1.0);
    check!(affine(value t = 1.0, value w = 0.5));
    check!(of_a_block(value t = 0.4, value w = 0.5));
    let x = [0.7, 0.3];
    assert_eq!(constants(&x), constants_by_hand(&x));
    check!(constants(shared x = [0.7, 0.3]));
}

macro_rules! of_blocks {
    ($name:ident, $s:ident, $x:ident, $body:block, $e:expr, $step:stmt) => {
        #[grad(order = 2)]
        fn $name($x: f64) -> f64 {
            let mut $s = 0.1;
            $body;
            $body
            for _ in 0..2 $body
            while $s < 1.0 $body
            $step;
            let list = [$e, $e * 2.0];
            let f = |$x: f64| $e;
            let boxed = Some($e);
            if $s > 0.0 $body else { $s = 0.0 }
            match $e {
                v if v > 100.0 => $s += v,
                _ => $body,
            }
            $s + list[1] * f($x) - $e / boxed.unwrap() + ($e).sin() + $e.abs()
        }
    };
}
of_blocks!(
    blocks,
    s,
    x,
    {
        s += x * x;
    },
    x + 1.0,
    s *= x
);

macro_rules! of_a_body {
    ($name:ident, $x:ident, $body:block) => {
        #[grad(order = 2)]
        fn $name($x: f64) -> f64 $body
    };
}
of_a_body!(whole_body, x, {
    let y = x.sin();
    y * x
});

fn blocks_by_hand(x: f64) -> f64 {
    let mut s = 0.1;
    for _ in 0..4 {
        s += x * x;
    }
    while s < 1.0 {
        s += x * x;
    }
    s *= x;
    s += x * x;
    s += x * x;
    let e = x + 1.0;
    s + e * 2.0 * e - e / e + e.sin() + e.abs()
}

#[test]
fn blocks_are_fragments() {
    assert_eq!(blocks(0.4), blocks_by_hand(0.4));
    check!(blocks(value x = 0.4));
    check_second!(blocks(value x = 0.4));
    check!(whole_body(value x = 0.4));
    check_second!(whole_body(value x = 0.4));
}
