//! Where chains and closures meet loops, exits, options, memory that changes, and each other.

three! {
    fn stops_early(xs: &[f64], t: f64) -> f64 {
        let a: f64 = xs.iter().take_while(|x| **x > -0.5).map(|x| x * t).sum();
        let b: f64 = xs.iter().skip_while(|x| **x > 0.0).map(|x| x * x).sum();
        let c: f64 = xs.iter().map_while(|&x| if x > -0.5 { Some(x.exp()) } else { None }).sum();
        let d: f64 = xs.iter().filter(|x| **x > 0.0).take(2).map(|x| x * t).product();
        let e = xs.iter().scan(t, |s, x| {
            *s *= x;
            if s.abs() > 0.01 { Some(*s + x) } else { None }
        }).fold(0.0, |a, v| a * t + v);
        a * b + c * d + e
    } = [shared xs = [0.7, 0.4, -0.6, 0.9, 0.01], value t = 0.6];

    fn in_a_loop(xs: &[f64], n: usize) -> f64 {
        let mut u = xs.to_vec();
        let mut y = 0.0;
        for k in 0..n {
            let mean = u.iter().sum::<f64>() / u.len() as f64;
            let next: Vec<f64> = u.iter().enumerate().map(|(i, v)| v * v * 0.5 + mean * i as f64 + y).collect();
            y += next.iter().zip(&u).filter(|(a, b)| a > b).map(|(a, b)| a * b).sum::<f64>();
            u[k % 3] = y * next[0];
            u = next.iter().rev().map(|v| v.sin()).collect();
        }
        u.iter().product::<f64>() + y
    } = [shared xs = [0.7, -0.4, 1.2], constant n = 3];

    fn early_returns(xs: &[f64], t: f64) -> f64 {
        let soft = |v: f64, k: usize| {
            if v < 0.0 {
                return v.exp() - 1.0;
            }
            let mut s = v;
            for i in 0..k {
                if s > 2.0 {
                    return s * t;
                }
                s += v * i as f64;
            }
            s * v
        };
        xs.iter().enumerate().map(|(i, x)| soft(x * 2.0, i) + soft(-x, 2)).map(|v| {
            if v > 1.0 { return v.ln(); }
            v * t
        }).sum::<f64>() * soft(t, 4)
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn options(xs: &[f64], t: f64) -> f64 {
        let top = xs.iter().copied().reduce(f64::max).unwrap();
        let low = xs.iter().map(|x| x * t).reduce(|a, b| if a < b { a } else { b }).unwrap();
        let last = xs.iter().map(|x| x * x).last().unwrap();
        let second = xs.iter().map(|x| x.sin()).nth(1).unwrap();
        let first = match xs.iter().find(|x| **x < 0.0) {
            Some(x) => x * t,
            None => t,
        };
        let best = xs.iter().max_by(|a, b| a.total_cmp(b)).unwrap();
        let worst = xs.iter().map(|x| (x - t).abs()).min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
        top * low + last * second + first * best + worst
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn pushes(xs: &[f64], t: f64) -> f64 {
        let big: Vec<f64> = xs.iter().filter(|x| **x > 0.0).map(|x| x * t).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = xs.iter().map(|x| (x.sin(), x * t)).unzip();
        let rows: Vec<Vec<f64>> = xs.iter().map(|x| big.iter().map(|b| b * x).collect()).collect();
        let pairs: Vec<(f64, f64)> = a.iter().zip(&b).map(|(a, b)| (a * b, a + b)).collect();
        let mut s = 0.0;
        for (p, row) in pairs.iter().zip(&rows) {
            s = s * 0.5 + p.0 * p.1 + row.iter().sum::<f64>();
        }
        s * big.len() as f64
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn writes_on_the_way(xs: &[f64], t: f64) -> f64 {
        let mut seen = [0.0; 4];
        let mut k = 0;
        let s: f64 = xs.iter().map(|x| {
            seen[k] = x * t;
            k += 1;
            if k > 1 { seen[k - 1] * seen[k - 2] } else { *x }
        }).sum();
        seen.iter_mut().for_each(|v| *v = *v * *v + s);
        seen.iter_mut().enumerate().skip(1).for_each(|(i, v)| *v *= i as f64);
        let mut rows = [[t, 1.0], [2.0, t * t]];
        rows.iter_mut().for_each(|row| row.iter_mut().zip(xs).for_each(|(v, x)| *v += x * *v));
        seen.iter().product::<f64>() + rows.iter().flatten().map(|v| v * v).sum::<f64>()
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn closures_in_chains_in_closures(xs: &[f64], t: f64) -> f64 {
        let weight = |i: usize| t.powi(i as i32);
        let poly = |c: &[f64], x: f64| c.iter().enumerate().map(|(i, c)| c * x.powi(i as i32) * weight(i)).sum::<f64>();
        let mut total = 0.0;
        let mut add = |v: f64| {
            total += v * v;
            total
        };
        let peak = xs.iter().map(|&x| add(poly(xs, x))).fold(0.0, |a: f64, b| a.max(b));
        peak * total + poly(&xs[1..], total)
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn nothing_to_do(xs: &[f64], t: f64) -> f64 {
        let none = &xs[..0];
        let a: f64 = none.iter().map(|x| x * t).sum();
        let b: f64 = none.iter().map(|x| x * t).product();
        let c = none.iter().map(|x| x * t).fold(t, |s, x| s * x);
        let d: Vec<f64> = none.iter().map(|x| x * t).collect();
        let e: f64 = xs.iter().take(0).skip(3).chain(none).map(|x| x * t).sum();
        let f = if let Some(f) = xs.iter().skip(9).map(|x| x * t).reduce(|a, b| a * b) { f } else { t };
        a + b * c + d.len() as f64 + e + f * t
    } = [shared xs = [0.7, -0.4], value t = 0.6];

    fn flat_maps(xs: &[f64], m: &[Vec<f64>]) -> f64 {
        let a: f64 = (0..xs.len()).flat_map(|i| (i + 1..xs.len()).map(move |j| (i, j)))
            .filter(|&(i, j)| (i + j) % 2 == 1)
            .map(|(i, j)| (xs[i] - xs[j]).powi(2))
            .sum();
        let b: f64 = m.iter().flat_map(|row| row.iter().zip(xs)).map(|(v, x)| v * x).sum();
        let mut c = 0.0;
        for v in m.iter().flat_map(|row| row.iter().map(|v| v * v)) {
            if v < 0.1 {
                continue;
            }
            c += v * a;
            if c > 2.0 {
                break;
            }
        }
        a * b + c
    } = [shared xs = [0.7, -0.4, 1.2], shared m = vec![vec![0.3, 0.1], vec![0.5, 0.9, 1.4]]];

    fn named(xs: &[f64], t: f64) -> f64 {
        let mut n = 2;
        let pairs = xs.iter().zip(xs.iter().skip(1)).take(n);
        n += 1;
        let s: f64 = pairs.map(|(a, b)| a * b).sum();
        let mut it = xs.iter().map(|x| x * t);
        let mut u = 1.0;
        while let Some(x) = it.next() {
            u = u * 0.5 + x * s;
        }
        u * n as f64
    } = [shared xs = [0.7, -0.4, 1.2, 0.9], value t = 0.6];

    fn windows(xs: &[f64], t: f64) -> f64 {
        let a: f64 = xs.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
        let b: f64 = xs.chunks(2).map(|c| c.iter().product::<f64>()).map(|p| p * t).sum();
        let c: Vec<f64> = xs.chunks_exact(3).map(|c| c[0] * c[2]).collect();
        let d: f64 = xs.windows(2).zip(xs.iter().skip(1)).map(|(w, x)| w[0] * x * w[1]).sum();
        let e: f64 = xs.windows(3).enumerate().map(|(i, w)| w.iter().sum::<f64>() * i as f64).sum();
        a * b + c[0] * d + e
    } = [shared xs = [0.7, -0.4, 1.2, 0.9, 0.3], value t = 0.6];

    fn moved_in(xs: &[f64], t: f64) -> f64 {
        let mut state = t;
        let mut step = move |x: f64| {
            state = state * 0.5 + x;
            state
        };
        let a: f64 = xs.iter().map(|&x| step(x)).sum();
        let mut last = t;
        let b: f64 = xs.iter().map(move |x| {
            last = last * x;
            last
        }).sum();
        state = state * 3.0;
        a * b + state * last + step(t)
    } = [shared xs = [0.7, -0.4, 1.2], value t = 0.6];

    fn tuples_and_arrays(xs: &[f64], t: f64) -> f64 {
        let (s, p) = xs.iter().fold((0.0, 1.0), |(s, p), x| (s + x * t, p * x));
        let sums = xs.iter().fold([t, 0.0, 1.0], |mut acc, x| {
            acc[0] += x;
            acc[1] = acc[1] * 0.5 + acc[0] * x;
            acc[2] *= acc[1];
            acc
        });
        let (mean, count) = xs.iter().enumerate().fold((0.0, 0), |(m, _), (i, x)| (m + (x - m) / (i + 1) as f64, i + 1));
        s * p + sums[1] * sums[2] + mean * count as f64
    } = [shared xs = [0.7, -0.4, 1.2], value t = 0.6];

    fn mixed_with_inactive(xs: &[f64], t: f64) -> f64 {
        let order = [2usize, 0, 1];
        let weights: Vec<f64> = (0..3).map(|i| 1.0 / (i as f64 + 1.0)).collect();
        let a: f64 = order.iter().map(|&i| xs[i] * weights[i]).sum();
        let b: f64 = order.iter().zip(&weights).map(|(&i, w)| xs[i].powi(i as i32 + 1) * w).sum();
        let c = xs.iter().zip(weights).map(|(x, w)| x * w * t).fold(0.0, f64::max);
        let mut count = 0;
        xs.iter().for_each(|x| if *x > 0.0 { count += 1 });
        a * b + c * count as f64
    } = [shared xs = [0.7, -0.4, 1.2], value t = 0.6];

    fn sources(xs: [f64; 3], t: f64) -> f64 {
        let a: f64 = [t, xs[1], t * t].iter().map(|v| v.sin()).sum();
        let b: f64 = vec![xs[0], t].into_iter().map(|v| v * v).sum();
        let c: f64 = xs.into_iter().zip([1.0, t, 3.0]).map(|(x, w)| x * w).sum();
        let d: f64 = std::iter::once(t).chain(xs.iter().copied()).map(|v| v.cos()).product();
        let e: f64 = xs.iter().zip(std::iter::repeat(t)).map(|(x, t)| x * t).sum();
        let f: f64 = std::iter::zip(&xs, &xs[1..]).map(|(a, b)| a * b).sum();
        a * b + c * d + e * f
    } = [value xs = [0.7, -0.4, 1.2], value t = 0.6];

    fn stepped(xs: &[f64], t: f64) -> f64 {
        let a: f64 = xs.iter().step_by(2).enumerate().map(|(i, x)| x * t * i as f64).sum();
        let b: f64 = xs.iter().map(|x| x * t).step_by(3).product();
        let c: f64 = xs.iter().rev().step_by(2).zip(1..).map(|(x, k)| x / k as f64).sum();
        let d: f64 = (0..xs.len()).rev().step_by(2).map(|i| xs[i] * i as f64).sum();
        a * b + c + d
    } = [shared xs = [0.7, -0.4, 1.2, 0.9, 0.3], value t = 0.6];

    fn scanned_behind_a_filter(xs: &[f64], t: f64) -> f64 {
        let kept: Vec<f64> = xs.iter().filter(|x| **x > 0.0).map(|x| x * t).scan(t, |c, z| {
            *c = *c * 0.5 + z * c.sin();
            Some(*c * z)
        }).collect();
        kept.iter().rev().map(|z| z * z).sum::<f64>() * kept.len() as f64
    } = [shared xs = [0.7, -0.4, 1.2], value t = 0.6];

    fn again_and_again(xs: &[f64], t: f64, n: usize) -> f64 {
        let turns: f64 = xs.iter().cycle().take(n).enumerate().map(|(i, x)| x * x * i as f64).sum();
        let signs: f64 = xs.iter().zip([t, -1.0].into_iter().cycle()).map(|(x, s)| s * x.exp()).sum();
        let none: f64 = xs[..0].iter().cycle().zip(xs).map(|(a, b)| a * b).sum();
        let mut y = t;
        for (i, x) in xs[1..].iter().cycle().enumerate() {
            y = y * x.cos() + turns;
            if i >= n || y > 1e6 {
                break;
            }
        }
        let powers: f64 = (1..4).cycle().skip(2).take(n).map(|k| t.powi(k)).sum();
        let pairs: f64 = xs.iter().zip(xs[1..].iter()).cycle().take(n).map(|(a, b)| a * b * b).sum();
        turns * signs + none + y * powers + pairs
    } = [shared xs = [0.7, 0.4, -0.6], value t = 0.6, constant n = 5];

    fn one_from_the_other(xs: &[f64], t: f64, n: usize) -> f64 {
        let a: f64 = std::iter::successors(Some(t), |v| Some(v * 0.5 + xs[0])).take(n).sum();
        let b: f64 = std::iter::successors(Some(xs[1]), |&v| if v < 3.0 { Some(v * v + 0.9) } else { None }).sum();
        let c = std::iter::successors(Some(1.0), |v: &f64| Some(0.5 * (v + a / v))).nth(6).unwrap();
        let d: f64 = xs.iter().zip(std::iter::successors(Some(1.0), |p| Some(p * t))).map(|(x, p)| x * p).sum();
        let e: f64 = std::iter::successors(Some([t, xs[2]]), |p| {
            let next = [p[1], p[0] * 0.5 + p[1]];
            if next[1].abs() > 5.0 {
                return None;
            }
            Some(next)
        }).take(n).map(|p| p[0]).sum();
        a * b + c * d + e
    } = [shared xs = [0.7, 0.4, -0.6], value t = 0.6, constant n = 4];

    fn until_none(xs: &[f64], t: f64) -> f64 {
        let a = xs.iter().try_fold(t, |s, x| if *x > -1.0 { Some(s * 0.5 + x * x) } else { None });
        let b = xs.iter().chain(&[t, -2.0]).try_fold((0.0, 1.0), |(s, p), x| (*x > -1.5).then(|| (s + x, p * x)));
        let c = xs.iter().try_fold(1.0, |s, x| match x.sin() {
            v if v < -0.9 => None,
            v => Some(s * v),
        });
        match (a, b) {
            (Some(a), None) => a * c.unwrap_or(t),
            (Some(a), Some((s, p))) => a * s * p,
            (None, _) => t,
        }
    } = [shared xs = [0.7, 0.4, -0.6], value t = 0.6];

    fn joined_in_step(xs: &[f64], t: f64) -> f64 {
        let ring: f64 = xs.iter().zip(xs.iter().skip(1).chain(std::iter::once(&t))).map(|(a, b)| a * b * b).sum();
        let padded: f64 = std::iter::once(t).chain(xs.iter().copied()).zip(xs.iter().copied().chain(std::iter::once(t * t))).map(|(a, b)| a * b).sum();
        let chosen: f64 = xs.iter().zip(xs.iter().filter(|x| **x > 0.0)).map(|(a, b)| a.sin() * b).sum();
        let sums: f64 = xs.iter().scan(t, |s, x| { *s *= x; Some(*s) }).zip(xs).map(|(s, x)| s * x).sum();
        ring + padded * chosen + sums
    } = [shared xs = [0.7, 0.4, -0.6], value t = 0.6];
}
