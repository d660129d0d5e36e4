//! `kmeans`: only the nearest centroid of a point has a derivative.

use crate::evals::kmeans::Input;

pub(crate) fn dir(input: &Input) -> Vec<f64> {
    let Input {
        d,
        points,
        centroids,
    } = input;
    let d = *d;
    let mut gradient = vec![0.0; centroids.len()];
    let mut diagonal = vec![0.0; centroids.len() / d];
    for point in points.chunks_exact(d) {
        let (mut closest, mut at) = (f64::INFINITY, 0);
        for (j, centroid) in centroids.chunks_exact(d).enumerate() {
            let mut sum = 0.0;
            for i in 0..d {
                sum += (point[i] - centroid[i]) * (point[i] - centroid[i]);
            }
            if sum < closest {
                (closest, at) = (sum, j);
            }
        }
        let (centroid, g) = (&centroids[at * d..][..d], &mut gradient[at * d..][..d]);
        for i in 0..d {
            g[i] += 2.0 * (centroid[i] - point[i]);
        }
        diagonal[at] += 2.0;
    }
    for (g, h) in gradient.chunks_exact_mut(d).zip(&diagonal) {
        g.iter_mut().for_each(|g| *g /= h);
    }
    gradient
}
