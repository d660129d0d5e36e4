//! A weighted power spectrum of 1,024 complex numbers, by the fast Fourier transform in place.

use std::f64::consts::PI;
use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 1024;

/// `cos` and `sin` are those of −2πk/n, for the first half of all k.
#[grad]
fn spectrum(
    re: &[f64],
    im: &[f64],
    #[constant] cos: &[f64],
    #[constant] sin: &[f64],
    #[constant] weights: &[f64],
) -> f64 {
    let n = re.len();
    let mut re = re.to_vec();
    let mut im = im.to_vec();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n / 2;
        while j & bit != 0 {
            j ^= bit;
            bit /= 2;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    while len <= n {
        let half = len / 2;
        for start in (0..n).step_by(len) {
            for k in 0..half {
                let (c, s) = (cos[k * (n / len)], sin[k * (n / len)]);
                let (a, b) = (start + k, start + k + half);
                let t_re = re[b] * c - im[b] * s;
                let t_im = re[b] * s + im[b] * c;
                re[b] = re[a] - t_re;
                im[b] = im[a] - t_im;
                re[a] += t_re;
                im[a] += t_im;
            }
        }
        len *= 2;
    }
    let mut power = 0.0;
    for k in 0..n {
        power += weights[k] * (re[k] * re[k] + im[k] * im[k]);
    }
    power
}

/// Exchanges each entry with that of the mirrored index, which undoes itself.
fn mirror(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n / 2;
        while j & bit != 0 {
            j ^= bit;
            bit /= 2;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
}

/// The transform is linear, so nothing is remembered; its result becomes the cotangent in place.
fn hand(
    re: &[f64],
    im: &[f64],
    cos: &[f64],
    sin: &[f64],
    weights: &[f64],
) -> (f64, (Vec<f64>, Vec<f64>)) {
    let n = re.len();
    let mut re = re.to_vec();
    let mut im = im.to_vec();
    mirror(&mut re, &mut im);
    let mut len = 2;
    while len <= n {
        let (half, stride) = (len / 2, n / len);
        for (re, im) in re.chunks_exact_mut(len).zip(im.chunks_exact_mut(len)) {
            let ((re_a, re_b), (im_a, im_b)) = (re.split_at_mut(half), im.split_at_mut(half));
            let a = re_a.iter_mut().zip(im_a);
            let b = re_b.iter_mut().zip(im_b);
            let roots = cos.iter().step_by(stride).zip(sin.iter().step_by(stride));
            for (((re_a, im_a), (re_b, im_b)), (c, s)) in a.zip(b).zip(roots) {
                let t_re = *re_b * c - *im_b * s;
                let t_im = *re_b * s + *im_b * c;
                *re_b = *re_a - t_re;
                *im_b = *im_a - t_im;
                *re_a += t_re;
                *im_a += t_im;
            }
        }
        len *= 2;
    }
    let mut power = 0.0;
    for ((re, im), w) in re.iter_mut().zip(&mut im).zip(weights) {
        power += w * (*re * *re + *im * *im);
        *re *= 2.0 * w;
        *im *= 2.0 * w;
    }
    while len > 2 {
        len /= 2;
        let (half, stride) = (len / 2, n / len);
        for (re, im) in re.chunks_exact_mut(len).zip(im.chunks_exact_mut(len)) {
            let ((re_a, re_b), (im_a, im_b)) = (re.split_at_mut(half), im.split_at_mut(half));
            let a = re_a.iter_mut().zip(im_a);
            let b = re_b.iter_mut().zip(im_b);
            let roots = cos.iter().step_by(stride).zip(sin.iter().step_by(stride));
            for (((re_a, im_a), (re_b, im_b)), (c, s)) in a.zip(b).zip(roots) {
                let t_re = *re_a - *re_b;
                let t_im = *im_a - *im_b;
                *re_a += *re_b;
                *im_a += *im_b;
                *re_b = t_re * c + t_im * s;
                *im_b = t_im * c - t_re * s;
            }
        }
    }
    mirror(&mut re, &mut im);
    (power, (re, im))
}

fn hand_into(
    re: &[f64],
    im: &[f64],
    cos: &[f64],
    sin: &[f64],
    weights: &[f64],
    (dre, dim): &mut (Vec<f64>, Vec<f64>),
) -> f64 {
    assert_eq!(re.len(), dre.len());
    assert_eq!(im.len(), dim.len());
    let (power, (from_re, from_im)) = hand(re, im, cos, sin, weights);
    dre.iter_mut().zip(from_re).for_each(|(d, from)| *d += from);
    dim.iter_mut().zip(from_im).for_each(|(d, from)| *d += from);
    power
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    let mut random = Random::new(7);
    let point = random.vec(2 * N, -1.0, 1.0);
    let weights: &'static [f64] = random.vec(N, 0.0, 1.0).leak();
    let angle = |k: usize| -2.0 * PI * k as f64 / N as f64;
    let cos: &'static [f64] = (0..N / 2)
        .map(|k| angle(k).cos())
        .collect::<Vec<_>>()
        .leak();
    let sin: &'static [f64] = (0..N / 2)
        .map(|k| angle(k).sin())
        .collect::<Vec<_>>()
        .leak();
    let (re, im) = point.clone().leak().split_at(N);
    Problem::new("fft", point, move |p| {
        spectrum(&p[..N], &p[N..], cos, sin, weights)
    })
    .primal(move || spectrum(black_box(re), black_box(im), cos, sin, weights))
    .returns(Kind::Grad, move || {
        spectrum::value_and_grad(black_box(re), black_box(im), cos, sin, weights)
    })
    .returns(Kind::Hand, move || {
        hand(black_box(re), black_box(im), cos, sin, weights)
    })
    .adds(Kind::GradInto, zeros(), move |(dre, dim)| {
        let (re, im) = black_box((re, im));
        spectrum::grad_into(re, im, cos, sin, weights, dre, dim)
    })
    .adds(Kind::HandInto, zeros(), move |g| {
        hand_into(black_box(re), black_box(im), cos, sin, weights, g)
    })
}

fn zeros() -> (Vec<f64>, Vec<f64>) {
    (vec![0.0; N], vec![0.0; N])
}
