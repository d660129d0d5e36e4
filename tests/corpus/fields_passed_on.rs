//! Fields that are references, passed on by their names: each function has the derivatives of the same function of a struct that owns its fields and lends them.

use autodiff::{Differentiable, Tangent, grad};

use crate::check::near;

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Model {
    pub(crate) a: f64,
    pub(crate) b: f64,
}

#[grad(order = 2)]
impl Model {
    fn scaled(&self, by: f64) -> f64 {
        self.a * by + self.b * by * by
    }
}

#[grad(order = 2)]
fn predict(m: &Model, x: f64) -> f64 {
    m.a * x + (m.b * x).sin()
}

#[grad(order = 2)]
fn misfit(xs: &[f64], ys: &[f64], slope: f64) -> f64 {
    xs.iter()
        .zip(ys)
        .map(|(x, y)| (slope * x - y).powi(2))
        .sum()
}

#[grad(order = 2)]
fn power(k: f64, x: f64) -> f64 {
    k * k * x * x
}

#[grad(constant)]
fn weight(name: &str, n: usize) -> f64 {
    name.len() as f64 + n as f64
}

/// A struct, and functions of it; of one that owns its fields, `lend` is what lends them.
macro_rules! problem {
    ($of:ident [$($lifetime:tt)*] $model:ty, $xs:ty, $ys:ty, $name:ty, { $($lend:tt)* }) => {
        pub(super) mod $of {
            use super::*;

            #[derive(Clone, Debug, Differentiable)]
            pub(crate) struct Inner $($lifetime)* {
                #[constant]
                pub(crate) xs: $xs,
                pub(crate) ys: $ys,
                pub(crate) k: f64,
            }

            #[derive(Clone, Debug, Differentiable)]
            pub(crate) struct Problem $($lifetime)* {
                pub(crate) model: $model,
                pub(crate) inner: Inner $($lifetime)*,
                pub(crate) many: Vec<Inner $($lifetime)*>,
                pub(crate) k: f64,
                #[constant]
                pub(crate) c: f64,
                #[constant]
                pub(crate) name: $name,
                #[constant]
                pub(crate) n: usize,
            }

            #[grad(order = 2)]
            impl $($lifetime)* Inner $($lifetime)* {
                pub(crate) fn cost(&self, slope: f64) -> f64 {
                    misfit($($lend)* self.xs, $($lend)* self.ys, slope) * self.k
                }
            }

            #[grad(order = 2)]
            impl $($lifetime)* Problem $($lifetime)* {
                pub(crate) fn direct(&self, x: f64) -> f64 {
                    predict($($lend)* self.model, x)
                }

                pub(crate) fn beside_numbers(&self, x: f64) -> f64 {
                    power(self.k, x) * predict($($lend)* self.model, power(self.c, x)) + power(self.inner.k, self.k)
                }

                pub(crate) fn of_fields(&self, x: f64) -> f64 {
                    misfit($($lend)* self.inner.xs, $($lend)* self.inner.ys, x) * weight($($lend)* self.name, self.n)
                }

                pub(crate) fn twice(&self, x: f64) -> f64 {
                    misfit($($lend)* self.inner.ys, $($lend)* self.inner.ys, x)
                }

                pub(crate) fn of_elements(&self, x: f64) -> f64 {
                    let mut s = 0.0;
                    for one in &self.many {
                        s += misfit($($lend)* one.xs, $($lend)* one.ys, x) * power(one.k, x);
                    }
                    s
                }

                pub(crate) fn in_chains(&self, x: f64) -> f64 {
                    self.many.iter().map(|one| power(one.k, x) * misfit($($lend)* one.xs, $($lend)* one.ys, x)).sum()
                }

                pub(crate) fn of_indexed(&self, x: f64) -> f64 {
                    let mut s = x;
                    for i in 0..self.many.len() {
                        s = (s * power(self.many[i].k, 0.5)).sin() + misfit($($lend)* self.many[i].xs, $($lend)* self.many[i].ys, s);
                    }
                    s
                }

                pub(crate) fn declared(&self, x: f64) -> f64 {
                    let model = $($lend)* self.model;
                    let k = self.k;
                    predict(model, x) * power(k, x) + k
                }

                pub(crate) fn declared_together(&self, x: f64) -> f64 {
                    let (model, k) = ($($lend)* self.model, self.k);
                    let ys = $($lend)* self.inner.ys;
                    predict(model, x) * model.b * k + ys[0] * misfit(ys, $($lend)* self.inner.xs, x)
                }

                pub(crate) fn in_closures(&self, x: f64) -> f64 {
                    let f = |t: f64| predict($($lend)* self.model, t) * self.k;
                    f(x) * f(2.0 * x)
                }

                pub(crate) fn of_methods(&self, x: f64) -> f64 {
                    self.inner.cost(x) + self.model.scaled(x) * self.given($($lend)* self.model, self.k, x)
                }

                pub(crate) fn given(&self, model: &Model, k: f64, x: f64) -> f64 {
                    model.a * k * x + self.k
                }

                pub(crate) fn by_value(self, x: f64) -> f64 {
                    predict($($lend)* self.model, x) * power(self.k, x)
                }
            }
        }
    };
}
problem!(owning [] Model, Vec<f64>, Vec<f64>, String, { & });
problem!(borrowing [<'a>] &'a Model, &'a [f64], &'a Vec<f64>, &'a str, {});

/// What does not see the lifetime: the type is not written with it, or the block is not at hand.
mod unseen {
    use super::borrowing::{Inner, Problem};
    use super::{Model, misfit, power, predict};
    use autodiff::grad;

    #[grad]
    pub(super) fn elided(p: &Problem, x: f64) -> f64 {
        let model = p.model;
        predict(model, x) * power(p.k, x) + misfit(p.inner.xs, p.inner.ys, x)
    }

    #[grad(order = 2)]
    pub(super) fn written(p: &Problem<'_>, x: f64) -> f64 {
        predict(p.model, x) * power(p.k, x) + misfit(p.inner.xs, p.inner.ys, x)
    }

    #[grad(order = 2)]
    pub(super) fn changed(p: &mut Inner<'_>, m: &Model, x: f64) -> f64 {
        p.k *= x;
        let r = misfit(p.xs, p.ys, x) * power(p.k, m.a);
        p.k = r * m.b;
        r * power(p.k, x)
    }

    impl Problem<'_> {
        #[grad(order = 2)]
        pub(super) fn alone(&self, x: f64) -> f64 {
            predict(self.model, x) * power(self.k, x) + misfit(self.inner.xs, self.inner.ys, x)
        }
    }
}

const XS: [f64; 3] = [0.4, -1.2, 0.9];

fn owned() -> owning::Problem {
    let inner = |k: f64| owning::Inner {
        xs: XS.to_vec(),
        ys: vec![0.3 * k, 1.1, -0.7],
        k,
    };
    owning::Problem {
        model: Model { a: 0.8, b: 1.3 },
        inner: inner(0.6),
        many: vec![inner(1.1), inner(0.7)],
        k: 0.9,
        c: 0.7,
        name: "abc".to_owned(),
        n: 2,
    }
}

fn lent(p: &owning::Problem) -> borrowing::Problem<'_> {
    fn inner(of: &owning::Inner) -> borrowing::Inner<'_> {
        borrowing::Inner {
            xs: &of.xs,
            ys: &of.ys,
            k: of.k,
        }
    }
    borrowing::Problem {
        model: &p.model,
        inner: inner(&p.inner),
        many: p.many.iter().map(inner).collect(),
        k: p.k,
        c: p.c,
        name: &p.name,
        n: p.n,
    }
}

/// Fills a tangent with numbers that no formula has.
fn directed<T: Tangent>(mut t: T) -> T {
    let along: Vec<f64> = (0..t.scalar_count())
        .map(|k| (1.3 * k as f64 + 0.4).sin())
        .collect();
    t.read_flat(&along);
    t
}

macro_rules! as_owned {
    ($($f:ident $value_and_grad:ident $jvp:ident $hessian:ident $hvp:ident;)*) => {$({
        let (p, x) = (owned(), 0.7);
        let q = lent(&p);
        let (value, (by_p, by_x)) = p.$value_and_grad(x);
        let (other, (by_q, by_y)) = q.$value_and_grad(x);
        assert_eq!(value, other, stringify!($f));
        near(&by_q.to_flat(), &by_p.to_flat(), 1e-14);
        near(&by_y, &by_x, 1e-14);
        let (of_p, of_q) = (directed(p.zero_tangent()), directed(q.zero_tangent()));
        let (along, other) = (p.$jvp(x, (&of_p, 0.3)), q.$jvp(x, (&of_q, 0.3)));
        near(&[other.0, other.1], &[along.0, along.1], 1e-14);
        near(q.$hessian(x).as_slice(), p.$hessian(x).as_slice(), 1e-13);
        let (along, other) = (p.$hvp(x, (&of_p, 0.3)).1, q.$hvp(x, (&of_q, 0.3)).1);
        near(&other.0.to_flat(), &along.0.to_flat(), 1e-13);
        near(&other.1, &along.1, 1e-13);
    })*};
}

#[test]
fn references_by_their_names() {
    as_owned! {
        direct direct_value_and_grad direct_jvp direct_hessian direct_hvp;
        beside_numbers beside_numbers_value_and_grad beside_numbers_jvp beside_numbers_hessian beside_numbers_hvp;
        of_fields of_fields_value_and_grad of_fields_jvp of_fields_hessian of_fields_hvp;
        twice twice_value_and_grad twice_jvp twice_hessian twice_hvp;
        of_elements of_elements_value_and_grad of_elements_jvp of_elements_hessian of_elements_hvp;
        in_chains in_chains_value_and_grad in_chains_jvp in_chains_hessian in_chains_hvp;
        of_indexed of_indexed_value_and_grad of_indexed_jvp of_indexed_hessian of_indexed_hvp;
        declared declared_value_and_grad declared_jvp declared_hessian declared_hvp;
        declared_together declared_together_value_and_grad declared_together_jvp declared_together_hessian declared_together_hvp;
        in_closures in_closures_value_and_grad in_closures_jvp in_closures_hessian in_closures_hvp;
        of_methods of_methods_value_and_grad of_methods_jvp of_methods_hessian of_methods_hvp;
    }
    let (p, x) = (owned(), 0.7);
    let (by_p, by_x) = p.clone().by_value_grad(x);
    let (by_q, by_y) = lent(&p).by_value_grad(x);
    near(&by_q.to_flat(), &by_p.to_flat(), 1e-14);
    near(&by_y, &by_x, 1e-14);
}

#[test]
fn lifetimes_that_are_not_seen() {
    let (p, x) = (owned(), 0.7);
    let q = lent(&p);
    let (by_p, by_x) = unseen::written::grad(&q, x);
    for (by_q, by_y) in [unseen::elided::grad(&q, x), q.alone_grad(x)] {
        near(&by_q.to_flat(), &by_p.to_flat(), 1e-14);
        near(&by_y, &by_x, 1e-14);
    }
    let hessian = unseen::written::hessian(&q, x);
    near(q.alone_hessian(x).as_slice(), hessian.as_slice(), 1e-14);
    // Against differences, by `k` and `x`.
    let slope = |f: &dyn Fn(f64) -> f64| (f(1e-5) - f(-1e-5)) / 2e-5;
    let at = |k: f64| borrowing::Problem { k, ..q.clone() };
    near(&by_x, &slope(&|h| unseen::written(&q, x + h)), 1e-8);
    near(&by_p.k, &slope(&|h| unseen::written(&at(q.k + h), x)), 1e-8);
    let by_a = slope(&|h| {
        let model = Model {
            a: p.model.a + h,
            ..p.model.clone()
        };
        unseen::written(
            &borrowing::Problem {
                model: &model,
                ..q.clone()
            },
            x,
        )
    });
    near(&by_p.model.a, &by_a, 1e-8);
}

#[test]
fn what_changes_beside_references() {
    let (p, x) = (owned(), 0.7);
    let q = lent(&p);
    let value = |k: f64, m: &Model, x: f64| {
        let mut inner = borrowing::Inner {
            k,
            ..q.inner.clone()
        };
        unseen::changed(&mut inner, m, x)
    };
    let slope = |f: &dyn Fn(f64) -> f64| (f(1e-6) - f(-1e-6)) / 2e-6;
    let mut inner = q.inner.clone();
    let mut bar = inner.zero_tangent();
    let (y, (by_m, by_x)) = unseen::changed::vjp(&mut inner, &p.model, x, 1.0, &mut bar);
    let k = q.inner.k;
    assert_eq!(y, value(k, &p.model, x));
    near(&bar.k, &slope(&|h| value(k + h, &p.model, x)), 1e-7);
    near(&by_x, &slope(&|h| value(k, &p.model, x + h)), 1e-7);
    let moved = |h| Model {
        b: p.model.b + h,
        ..p.model.clone()
    };
    near(&by_m.b, &slope(&|h| value(k, &moved(h), x)), 1e-7);
}
