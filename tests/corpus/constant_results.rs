//! Functions that return an integer, a truth value or text of what has derivatives: constants to those that call them.

use autodiff::{Differentiable, Float, grad};

#[grad(constant)]
fn sector(x: f64, table: &[f64]) -> usize {
    table.iter().filter(|&&t| t < x).count()
}

#[grad(constant)]
fn side<T: Float>(a: T, b: T) -> i32 {
    if a * b < T::from_f64(0.0) { -1 } else { 1 }
}

#[grad(constant)]
fn signs(xs: &[f64]) -> (bool, [i8; 2]) {
    (xs[0] < 0.0, [xs[0].signum() as i8, xs[1].signum() as i8])
}

#[grad(order = 2)]
fn by_sectors(x: f64, y: f64, table: &[f64]) -> f64 {
    let k = sector(x, table);
    let n = side(x, y);
    let (flip, s) = signs(&[x, y]);
    let z = f64::from(n) * x * y * table[k] + k as f64 * y;
    if flip { z * x + f64::from(s[1]) } else { z * z }
}

#[derive(Clone, Differentiable)]
struct Track {
    at: f64,
    length: f64,
    turns: i64,
}

#[grad(order = 2)]
impl Track {
    fn crosses(from: f64, to: f64) -> i64 {
        i64::from(from < 1.0 && to >= 1.0)
    }

    fn ahead(&self, to: f64) -> u8 {
        u8::from(to > self.at)
    }

    fn go(&mut self, to: f64) {
        self.turns += Track::crosses(self.at, to);
        self.turns += 3 * Self::crosses(to, self.at);
        self.length += (to - self.at).powi(2) * (1.0 + f64::from(self.ahead(to)));
        self.at = to;
    }
}

#[grad(order = 2)]
fn driven(start: f64, x: f64, y: f64) -> f64 {
    let mut track = Track {
        at: start,
        length: 0.0,
        turns: 0,
    };
    track.go(x * y);
    track.go(y * start);
    track.length * (1.0 + track.turns as f64)
}

#[test]
fn integers_and_truth_values_have_no_derivative() {
    let table = [-1.0, 0.2, 0.9, 2.5];
    for (x, y) in [(0.5, 1.3), (0.5, -1.3), (-0.5, 1.3)] {
        check!(by_sectors(value x = x, value y = y, shared table = table));
        check_second!(by_sectors(value x = x, value y = y, shared table = table));
    }
    let (gx, gy, gt) = by_sectors::grad(0.5, 1.3, &table);
    let z = 0.5 * 1.3 * 0.9 + 2.0 * 1.3;
    crate::check::near(&gx, &(2.0 * z * 1.3 * 0.9), 1e-12);
    crate::check::near(&gy, &(2.0 * z * (0.5 * 0.9 + 2.0)), 1e-12);
    crate::check::near(&gt[2], &(2.0 * z * 0.5 * 1.3), 1e-12);
}

#[test]
fn constant_functions_of_a_block_are_called_through_its_type() {
    for start in [0.4, 1.7] {
        check!(driven(value start = start, value x = 1.1, value y = 0.8));
        check_second!(driven(value start = start, value x = 1.1, value y = 0.8));
    }
    assert_eq!(
        driven(0.4, 1.1, 1.2),
        (0.92f64.powi(2) * 2.0 + (0.48f64 - 1.32).powi(2)) * 5.0
    );
}

#[derive(Debug, PartialEq)]
enum Refusal {
    Behind(f64),
    Focal { name: String },
}

#[grad(constant)]
fn ring(r: f64) -> Result<usize, Refusal> {
    if r < 0.0 {
        return Err(Refusal::Behind(r));
    }
    Ok((r * 4.0) as usize)
}

#[derive(Clone, Differentiable)]
struct Lens {
    focal: f64,
    bend: f64,
}

#[grad(order = 2)]
impl Lens {
    fn validate(&self) -> Result<(), Refusal> {
        if self.focal <= 0.0 {
            return Err(Refusal::Focal {
                name: self.name().to_string(),
            });
        }
        Ok(())
    }

    fn sees(&self, z: f64) -> Result<bool, Refusal> {
        if z < -self.focal {
            return Err(Refusal::Behind(z));
        }
        Ok(z > f64::EPSILON)
    }

    fn name(&self) -> &'static str {
        if self.bend > 1.0 {
            "fisheye"
        } else {
            "pinhole"
        }
    }

    #[grad(constant)]
    fn level(&self, x: f64) -> Result<f64, Refusal> {
        Ok((x * self.focal).floor())
    }

    #[grad(skip)]
    fn widened(&mut self, by: &str) -> Result<(), std::num::ParseFloatError> {
        self.focal *= by.parse::<f64>()?;
        Ok(())
    }

    fn project(&self, x: f64, z: f64) -> Result<f64, Refusal> {
        self.validate()?;
        if !self.sees(z)? {
            return Err(Refusal::Behind(z));
        }
        let rounded = self.level(x)?;
        let n = ring(z)? as f64;
        let y = self.focal * x / z + self.bend * x * x * n;
        Ok(if self.name() == "fisheye" {
            y * y * rounded
        } else {
            y * z + rounded
        })
    }
}

#[grad(order = 2)]
fn seen(focal: f64, bend: f64, x: f64, z: f64) -> f64 {
    let lens = Lens { focal, bend };
    let kind = lens.name();
    let y = lens.project(x, z).unwrap_or(x * z);
    if kind == "pinhole" { y * focal } else { y }
}

#[grad]
trait Scaled {
    fn scaled(&self, x: f64) -> f64;

    #[grad(skip)]
    fn read(&mut self, text: &str) -> Result<(), std::num::ParseFloatError>;

    #[grad(skip)]
    fn described(&self) -> String {
        format!("{:.1}", self.scaled(1.0))
    }
}

#[grad]
impl Scaled for Lens {
    fn scaled(&self, x: f64) -> f64 {
        self.focal * x * x
    }

    #[grad(skip)]
    fn read(&mut self, text: &str) -> Result<(), std::num::ParseFloatError> {
        self.focal = text.trim().parse()?;
        Ok(())
    }
}

#[grad]
fn of_scaled<S: Scaled + Clone + Differentiable>(s: &S, x: f64) -> f64 {
    s.scaled(x) * x
}

#[test]
fn results_that_only_decide_have_no_derivative() {
    for (focal, bend) in [(1.5, 0.2), (1.5, 1.2), (-1.5, 0.2)] {
        for (x, z) in [(2.3, 0.9), (2.3, -0.5), (2.3, -7.0)] {
            check!(seen(value f = focal, value b = bend, value x = x, value z = z));
            check_second!(seen(value f = focal, value b = bend, value x = x, value z = z));
        }
    }
    let lens = Lens {
        focal: 1.5,
        bend: 0.2,
    };
    // y z + floor(x f), with y = f x / z + b x² n and n = 3.
    let (value, (by_lens, by_x, by_z)) = lens.project_value_and_grad(2.3, 0.9).unwrap();
    let expected = 1.5 * 2.3 + 0.2 * 2.3 * 2.3 * 3.0 * 0.9 + 3.0;
    crate::check::near(&value, &expected, 1e-12);
    crate::check::near(&by_lens.focal, &2.3, 1e-12);
    crate::check::near(&by_lens.bend, &(2.3 * 2.3 * 3.0 * 0.9), 1e-12);
    crate::check::near(&by_x, &(1.5 + 0.4 * 2.3 * 3.0 * 0.9), 1e-12);
    crate::check::near(&by_z, &(0.2 * 2.3 * 2.3 * 3.0), 1e-12);
    assert_eq!(
        lens.project_grad(2.3, -9.0).map(|_| ()),
        Err(Refusal::Behind(-9.0))
    );
}

#[test]
fn functions_that_are_skipped_are_what_they_were() {
    let mut lens = Lens {
        focal: 1.5,
        bend: 0.2,
    };
    lens.widened("2").unwrap();
    assert!(lens.widened("x").is_err());
    assert_eq!(lens.focal, 3.0);
    lens.read(" 2.5 ").unwrap();
    assert_eq!(lens.described(), "2.5");
    let (by_lens, by_x) = of_scaled::grad(&lens, 2.0);
    assert_eq!((by_lens.focal, by_lens.bend, by_x), (8.0, 0.0, 30.0));
}
