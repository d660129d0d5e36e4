//! Everything at once: exits, views, vectors that grow, closures and chains in the same bodies.

programs! {
    [(0.7, 1.3), (2.13, 0.4), (-0.3, 0.9), (1.6, -1.1)];

    fn vectors_in_a_while(x: f64, y: f64) -> f64 {
        let mut hist = Vec::new();
        let mut t = x;
        let mut push = |v: f64| {
            hist.push(v * y);
        };
        while t.abs() < 5.0 {
            push(t);
            t = t * 1.5 + 0.3 * y.signum();
            if t.abs() < 1e-3 {
                break;
            }
        }
        let s: f64 = hist
            .iter()
            .zip(hist.iter().skip(1))
            .map(|(a, b)| a * b)
            .sum();
        let m = hist.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        s + m * t
    }

    // The vector of a round is exchanged with one from outside, and nothing reads either of them again.
    fn exchanged_with_a_round(x: f64, y: f64) -> f64 {
        let mut b = vec![x.cos(), y * 0.7];
        let mut left = vec![y, x];
        while let Some(e) = left.pop() {
            let mut a = b.iter().map(|&z| z * (x * z).exp()).collect::<Vec<f64>>();
            std::mem::swap(&mut a, &mut b);
        }
        b[0].sin() + b[1] / (2.0 + b[1].sin())
    }

    fn halves_and_rests(x: f64, y: f64) -> f64 {
        let mut a = [x, y, x * y, 1.0, x - y, 0.5];
        {
            let (l, r) = a.split_at_mut(3);
            for (p, q) in l.iter_mut().zip(r.iter()) {
                *p = *p * *q + p.sin();
            }
            r[0] = l[2] * l[1];
        }
        let mut rest = &a[..];
        let mut s = 0.0;
        while rest.len() > 1 {
            s += rest[0] * rest[rest.len() - 1];
            rest = &rest[1..];
            if s > 30.0 {
                return s * x;
            }
        }
        a[1] = s;
        a.swap(1, 4);
        a.iter()
            .enumerate()
            .filter(|(i, _)| i % 2 == 0)
            .map(|(_, v)| v * v)
            .sum::<f64>()
    }

    fn buffers_that_take_turns(x: f64, y: f64) -> f64 {
        let mut cur = [x, y, 0.3];
        let mut next = [0.0; 3];
        let (mut p, mut q) = (&mut cur, &mut next);
        for k in 0..5 {
            for i in 0..3 {
                q[i] = p[i] * 0.9 + p[(i + 1) % 3] * p[(i + 2) % 3] * 0.2;
            }
            std::mem::swap(&mut p, &mut q);
            if p[0] > 1.0 && k > 2 {
                break;
            }
        }
        p[0] * q[1] + p[2]
    }

    fn growing_and_shrinking(x: f64, y: f64) -> f64 {
        let mut v = vec![x, y];
        let mut s = 0.0;
        for i in 0..6 {
            if i % 3 == 2 {
                if let Some(t) = v.pop() {
                    s += t * t;
                } else {
                    continue;
                }
            } else {
                let l = v.len();
                let last = if l > 0 { v[l - 1] } else { x };
                v.push(last * y + s * 0.1);
            }
            if v.len() > 4 {
                v.truncate(2);
            }
        }
        while let Some(t) = v.pop() {
            s = s * 0.5 + t.sin();
        }
        s
    }

    fn closures_that_return(x: f64, y: f64) -> f64 {
        let f = |t: f64| -> f64 {
            if t < 0.0 {
                return t * y;
            }
            let u = t.sqrt();
            u * x
        };
        let mut s = 0.0;
        for i in 0..4 {
            s += f(x + i as f64 - 1.5);
            if s > 8.0 {
                break;
            }
        }
        s * f(y)
    }

    fn chains_of_all_kinds(x: f64, y: f64) -> f64 {
        let xs = [x, y, x + y, x * y];
        let r = xs
            .iter()
            .scan(0.0, |acc, v| {
                *acc = *acc * 0.5 + v * x;
                if *acc > 6.0 { None } else { Some(*acc) }
            })
            .map(|v| v.sin())
            .sum::<f64>();
        let c: Vec<f64> = xs.windows(2).map(|w| w[0] * w[1]).collect();
        let g: f64 = c.chunks(2).map(|c| c.iter().product::<f64>()).sum();
        let best = xs
            .iter()
            .copied()
            .max_by(|a, b| a.partial_cmp(b).unwrap())
            .unwrap();
        r * g + best
    }

    fn rows_that_move(x: f64, y: f64) -> f64 {
        let mut rows = vec![vec![x; 3]; 2];
        rows[1][2] = y;
        for r in rows.iter_mut() {
            for v in r.iter_mut() {
                *v *= y;
            }
            r[0] += r[2];
        }
        let (a, b) = rows.split_at_mut(1);
        a[0].copy_from_slice(&b[0]);
        b[0].fill(x * y);
        a[0][1] = b[0][2] * a[0][2];
        let old = std::mem::replace(&mut rows[0], vec![y, x]);
        rows.push(old);
        rows.iter()
            .map(|r| r.iter().sum::<f64>() * r.len() as f64)
            .sum::<f64>()
            + rows[2][1]
    }

    fn a_walk_with_a_stack(x: f64, y: f64) -> f64 {
        let mut st = vec![x];
        let mut total = 0.0;
        let mut n = 0;
        'walk: loop {
            let Some(top) = st.pop() else { break 'walk };
            n += 1;
            total += top * top * y;
            if n > 9 {
                break;
            }
            if top.abs() < 3.0 {
                st.push(top * 1.7 + 0.2);
                if n % 2 == 0 {
                    st.push(top - 1.0);
                }
            }
        }
        total + n as f64 * x
    }

    fn arrays_moved_out_of_rounds(x: f64, y: f64) -> f64 {
        let mut a = [x, y, 1.0];
        let mut best = a;
        let mut score = -1e9;
        for k in 0..4 {
            let trial = a.map(|v| v * 0.9 + k as f64 * 0.1 * y);
            let sc = trial.iter().map(|v| v.cos()).sum::<f64>();
            if sc > score {
                score = sc;
                best = trial;
            } else {
                continue;
            }
            a = [trial[1], trial[2], trial[0] * x];
        }
        best[0] * best[1] + best[2] * score
    }

    fn determinant_in_place(x: f64, y: f64) -> f64 {
        let n = 4;
        let mut m = [[0.0; 4]; 4];
        for i in 0..n {
            for j in 0..n {
                m[i][j] = if i == j {
                    4.0 + x * x
                } else {
                    (x * (i + 2 * j) as f64).sin() * y * 0.3
                };
            }
        }
        let mut det = 1.0;
        for k in 0..n {
            let p = m[k][k];
            if p.abs() < 1e-12 {
                return 0.0;
            }
            det *= p;
            for i in k + 1..n {
                let f = m[i][k] / p;
                if f == 0.0 {
                    continue;
                }
                let (top, bottom) = m.split_at_mut(i);
                for (c, t) in bottom[0][k..].iter_mut().zip(&top[k][k..]) {
                    *c -= f * t;
                }
            }
        }
        det.abs().ln()
    }

    fn a_closure_that_updates(x: f64, y: f64) -> f64 {
        let mut acc = x;
        let mut upd = |d: f64| {
            acc = acc * 0.8 + d;
            acc
        };
        let p = upd(y);
        let q = upd(p * x);
        for _ in 0..3 {
            upd(q);
        }
        acc * p + q
    }

    fn moved_captures(x: f64, y: f64) -> f64 {
        let mut c = x;
        let f = move |t: f64| t * c + y;
        c = c * 5.0;
        let mut k = 1.0;
        let mut g = move |t: f64| {
            k *= t;
            k
        };
        let a = g(x);
        let b = g(y);
        f(c) + a * b + k
    }

    fn memory_of_an_arm_is_not_put_back(x: f64, y: f64) -> f64 {
        let mut s = y;
        let t = if y >= 1.0 {
            y * 2.0
        } else {
            let mut a = vec![x, y, x * y, 0.7];
            let o = if a[0] >= 0.5 { Some(x.max(0.0)) } else { None };
            if let Some(_) = o {
                let _ = a[0].cos();
            } else {
                a[0] = (y * 0.42 + a[2]).atan();
                s += 0.15 * a[3].tanh() * a[0];
                a[1] += 0.16 * s;
            }
            0.3 * a[1]
        };
        s * t
    }

    fn a_constant_stack_is_popped(x: f64, y: f64) -> f64 {
        let mut stack = vec![0.5, 2.0, 1.5];
        let weights = [1.0, 0.3, 0.2, 0.1];
        let mut s = x;
        while let Some(top) = stack.pop() {
            s = s * s * weights[stack.len()] + y * top;
            if top > 1.9 {
                match stack.pop() {
                    Some(next) => s *= next,
                    None => return s,
                }
            }
        }
        s
    }
}
