//! The gradient of the mixture by hand: all of one point in one round, with the components' scaled offsets remembered.

use super::Parameters;

/// The value and, in place of `terms`, their softmax.
fn softmax<const K: usize>(terms: &mut [f64; K]) -> f64 {
    let mut max = terms[0];
    for k in 1..K {
        max = max.max(terms[k]);
    }
    let mut sum = 0.0;
    for term in terms.iter_mut() {
        *term = (*term - max).exp();
        sum += *term;
    }
    for term in terms.iter_mut() {
        *term /= sum;
    }
    max + sum.ln()
}

/// The value; adds the gradient to `gradient`.
pub(super) fn hand_into<const D: usize, const K: usize, const T: usize>(
    (alpha, mu, q, l): &Parameters<D, K, T>,
    x: &[[f64; D]],
    (gamma, m, constant): (f64, f64, f64),
    (dalpha, dmu, dq, dl): &mut Parameters<D, K, T>,
) -> f64 {
    let mut diagonal = [[0.0; D]; K];
    let mut log_det = [0.0; K];
    for k in 0..K {
        for i in 0..D {
            diagonal[k][i] = q[k][i].exp();
            log_det[k] += q[k][i];
        }
    }
    let mut ddiagonal = [[0.0; D]; K];
    let mut dlog_det = [0.0; K];
    let mut likelihood = 0.0;
    for point in x {
        let mut scaled = [[0.0; D]; K];
        let mut terms = [0.0; K];
        for k in 0..K {
            let mut offset = [0.0; D];
            let mut row = [0.0; D];
            for i in 0..D {
                offset[i] = point[i] - mu[k][i];
                row[i] = diagonal[k][i] * offset[i];
            }
            for i in 0..D {
                let start = i * (2 * D - i - 1) / 2;
                for j in i + 1..D {
                    row[j] += l[k][start + j - i - 1] * offset[i];
                }
            }
            let mut square = 0.0;
            for i in 0..D {
                square += row[i] * row[i];
            }
            scaled[k] = row;
            terms[k] = alpha[k] + log_det[k] - 0.5 * square;
        }
        likelihood += softmax(&mut terms);
        for k in 0..K {
            let share = terms[k];
            dlog_det[k] += share;
            let mut offset = [0.0; D];
            let mut dscaled = [0.0; D];
            let mut doffset = [0.0; D];
            for i in 0..D {
                offset[i] = point[i] - mu[k][i];
                dscaled[i] = -share * scaled[k][i];
                doffset[i] = diagonal[k][i] * dscaled[i];
                ddiagonal[k][i] += offset[i] * dscaled[i];
            }
            // From the last entry to the first: a twentieth faster, as it happens.
            for i in (0..D).rev() {
                let start = i * (2 * D - i - 1) / 2;
                for j in (i + 1..D).rev() {
                    let at = start + j - i - 1;
                    doffset[i] += l[k][at] * dscaled[j];
                    dl[k][at] += offset[i] * dscaled[j];
                }
            }
            for i in 0..D {
                dmu[k][i] -= doffset[i];
            }
        }
    }
    let mut shares = *alpha;
    let points = x.len() as f64;
    likelihood -= points * softmax(&mut shares);

    let mut squares = 0.0;
    let mut sum = 0.0;
    for k in 0..K {
        dalpha[k] += dlog_det[k] - points * shares[k];
        for i in 0..D {
            squares += diagonal[k][i] * diagonal[k][i];
            let d = ddiagonal[k][i] - gamma * gamma * diagonal[k][i];
            dq[k][i] += d * diagonal[k][i] + dlog_det[k] + m;
        }
        for i in 0..T {
            squares += l[k][i] * l[k][i];
            dl[k][i] -= gamma * gamma * l[k][i];
        }
        sum += log_det[k];
    }
    constant + likelihood - 0.5 * gamma * gamma * squares + m * sum
}
