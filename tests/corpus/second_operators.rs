//! Second derivatives through operators of the user's own types.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, Sub, SubAssign};

use autodiff::{Differentiable, Float, grad};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Vector {
    x: f64,
    y: f64,
    z: f64,
}

#[grad(order = 2)]
impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

#[grad(order = 2)]
impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

#[grad(order = 2)]
impl<'a> Sub<&'a Vector> for &'a Vector {
    type Output = Vector;
    fn sub(self, other: &Vector) -> Vector {
        *self - *other
    }
}

#[grad(order = 2)]
impl Mul<f64> for Vector {
    type Output = Vector;
    fn mul(self, by: f64) -> Vector {
        Vector::new(self.x * by, self.y * by, self.z * by)
    }
}

#[grad(order = 2)]
impl Mul<Vector> for f64 {
    type Output = Vector;
    fn mul(self, v: Vector) -> Vector {
        v * self
    }
}

/// The inner product.
#[grad(order = 2)]
impl Mul for Vector {
    type Output = f64;
    fn mul(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[grad(order = 2)]
impl Div<f64> for Vector {
    type Output = Vector;
    fn div(self, by: f64) -> Vector {
        self * (1.0 / by)
    }
}

/// The cross product.
#[grad(order = 2)]
impl Rem for Vector {
    type Output = Vector;
    fn rem(self, o: Vector) -> Vector {
        Vector {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

#[grad(order = 2)]
impl Neg for Vector {
    type Output = Vector;
    fn neg(self) -> Vector {
        Vector::new(-self.x, -self.y, -self.z)
    }
}

#[grad(order = 2)]
impl AddAssign for Vector {
    fn add_assign(&mut self, other: Vector) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }
}

#[grad(order = 2)]
impl SubAssign<&Vector> for Vector {
    fn sub_assign(&mut self, other: &Vector) {
        self.x -= other.x * other.y;
        self.y -= other.y;
        self.z -= other.z.sin();
    }
}

#[grad(order = 2)]
impl MulAssign<f64> for Vector {
    fn mul_assign(&mut self, by: f64) {
        self.x *= by;
        self.y *= by;
        self.z *= by * by;
    }
}

#[grad(order = 2)]
impl DivAssign<f64> for Vector {
    fn div_assign(&mut self, by: f64) {
        *self = *self / by;
    }
}

#[grad(order = 2)]
impl Vector {
    fn new(x: f64, y: f64, z: f64) -> Vector {
        Vector { x, y, z }
    }

    fn length(&self) -> f64 {
        (*self * *self).sqrt()
    }

    fn unit(self) -> Vector {
        self / self.length()
    }
}

#[grad(order = 2)]
fn of_products(a: &Vector, k: f64) -> f64 {
    let b = Vector::new(k.sin(), 2.0, a.x * k);
    let c = *a + b * k - 2.0 * *a % b;
    c * b + (*a % b).length() + (a - &c).unit() * c
}

/// An orbit: operators in a loop, whose operands are kept for the way back.
#[grad(order = 2)]
fn orbit(position: &Vector, speed: f64) -> f64 {
    let mut p = *position;
    let mut v = Vector::new(0.0, speed, 0.1);
    for _ in 0..4 {
        let r = p.length();
        v = v + -p / (r * r * r) * 0.1;
        p += v * 0.1;
    }
    p * v + p.x
}

#[grad(order = 2)]
fn assigning(a: &Vector, k: f64) -> f64 {
    let mut b = *a + *a;
    b *= k;
    b -= a;
    b += -*a * k;
    b /= a.y + 3.0;
    let c = &b;
    let mut d = *c * 0.5;
    d -= c;
    d * *a + b.length()
}

/// Parts of a value, of which operators may be their own or those of numbers.
#[derive(Clone, Debug, Differentiable)]
struct Body {
    position: Vector,
    velocity: Vector,
    mass: f64,
    count: usize,
}

#[grad(order = 2)]
impl Body {
    fn step(&mut self, dt: f64) {
        let a = self.position * (-1.0 / self.mass);
        self.velocity = self.velocity + a * dt;
        self.position += self.velocity * dt;
    }

    fn energy(&self) -> f64 {
        let kinetic = 0.5 * self.mass * (self.velocity * self.velocity);
        kinetic + self.position * self.position * self.count as f64 + (self.count * 2) as f64
    }
}

#[grad(order = 2)]
fn of_parts(body: &Body, dt: f64) -> f64 {
    let mut body = body.clone();
    for _ in 0..3 {
        body.step(dt);
    }
    body.energy() * body.mass / dt % 5.0
}

#[grad(order = 2)]
fn of_lists(points: &[Vector], k: f64) -> f64 {
    let mut sum = Vector::new(0.0, 0.0, 0.0);
    for p in points {
        sum += *p * k;
    }
    let centre = sum / points.len() as f64;
    let inertia = points
        .iter()
        .map(|&p| (p - centre) * (p - centre))
        .sum::<f64>();
    let turned = points.iter().fold(centre, |a, p| a % *p + -a);
    if turned.x > 100.0 {
        inertia
    } else {
        inertia + turned.length()
    }
}

/// Of a type parameter.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Complex<T> {
    re: T,
    im: T,
}

#[grad(order = 2)]
impl<T: Float> Mul for Complex<T> {
    type Output = Complex<T>;
    fn mul(self, by: Complex<T>) -> Complex<T> {
        Complex {
            re: self.re * by.re - self.im * by.im,
            im: self.re * by.im + self.im * by.re,
        }
    }
}

#[grad(order = 2)]
impl<T: Float> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

#[grad(order = 2)]
fn escaping(c: &Complex<f64>) -> f64 {
    let mut z = Complex { re: 0.0, im: 0.0 };
    let mut rounds = 0;
    while rounds < 4 && z.re * z.re + z.im * z.im < 4.0 {
        z = z * z + *c;
        rounds += 1;
    }
    z.re * z.im
}

/// Arithmetic of numbers that stand in a value, in every operator and with every kind of operand.
#[grad(order = 2)]
fn of_numbers(a: &Vector, k: f64) -> f64 {
    let p = a.x * 3.0 + a.y / 2.0 - 0.5 * a.z;
    let q = -(p / a.z) * (2.0 / a.x) - a.y;
    let mut r = a.x;
    r += a.y * q;
    r -= 0.3 * a.z;
    r *= a.x;
    r /= a.z + 2.0;
    r %= a.y + 3.0;
    let s = (a.x * a.y) % a.z;
    (q * r).sin() + s * k + &a.x * &r
}

/// A function of three numbers and one more, from one of a vector.
macro_rules! of_components {
    ($($name:ident: $of:ident)*) => {$(
        #[grad(order = 2)]
        fn $name(x: f64, y: f64, z: f64, k: f64) -> f64 {
            $of(&Vector::new(x, y, z), k)
        }
    )*};
}

of_components! {
    products: of_products
    orbits: orbit
    assigned: assigning
    numbers: of_numbers
}

#[grad(order = 2)]
fn parts(x: f64, y: f64, z: f64, dt: f64) -> f64 {
    let body = Body {
        position: Vector::new(x, y, z),
        velocity: Vector { x: y, y: z, z: x },
        mass: 1.5 + x * x,
        count: 3,
    };
    of_parts(&body, dt)
}

#[grad(order = 2)]
fn lists(x: f64, y: f64, z: f64, k: f64) -> f64 {
    let a = Vector::new(x, y, z);
    let b = Vector::new(y, z, k);
    of_lists(&[a, b, a % b], k)
}

#[grad(order = 2)]
fn escapes(x: f64, y: f64) -> f64 {
    escaping(&Complex {
        re: 0.3 * x,
        im: 0.2 * y,
    })
}

/// Puts functions of four numbers to all checks, and their second derivatives.
macro_rules! check_both {
    ($v:expr; $($f:ident)*) => {$(
        check!($f(value x = $v[0], value y = $v[1], value z = $v[2], value k = $v[3]));
        check_second!($f(value x = $v[0], value y = $v[1], value z = $v[2], value k = $v[3]));
    )*};
}

#[test]
fn second_derivatives() {
    for v in [[0.7, -0.4, 1.1, 0.9], [1.3, 0.6, -0.8, -1.2]] {
        check_both!(v; products orbits assigned numbers parts lists);
        check_second!(escapes(value x = v[0], value y = v[1]));
    }
}
