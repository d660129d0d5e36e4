//! Inputs by the recipes of the benchmark, from numbers of our own.

use crate::evals::{ba, det, gmm, ht, kmeans, llsq, lse, lstm, ode};

/// Random numbers, the same ones on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Steele, Lea and Flood's `SplitMix64`.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Box and Muller's method.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn uniforms(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.uniform()).collect()
    }

    fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }
}

pub(crate) fn gmm(d: usize, k: usize, n: usize) -> gmm::Input {
    let mut random = Random::new(31337);
    gmm::Input {
        d,
        gamma: 1.0,
        m: 0,
        x: random.normals(n * d),
        alpha: random.normals(k),
        mu: random.uniforms(k * d),
        q: random.normals(k * d),
        l: random.normals(k * d * (d - 1) / 2),
    }
}

pub(crate) fn ba(n: usize, m: usize, p: usize) -> ba::Input {
    let given = ba::Given {
        n,
        m,
        p,
        cam: [
            -0.758, -1.11, -0.846, 34.6, 39.7, 53.9, 419.2, 5.86, -8.52, 0.0878, 0.00274,
        ],
        x: [7.2, 0.00114, 3.02],
        w: 0.417,
        feat: [271.8, 834.2],
    };
    given.try_into().expect("sizes within bounds")
}

pub(crate) fn kmeans(k: usize, n: usize, d: usize) -> kmeans::Input {
    let points = Random::new(1).uniforms(n * d);
    kmeans::Input {
        d,
        centroids: points[(n - k) * d..].to_vec(),
        points,
    }
}

pub(crate) fn lstm(l: usize, c: usize, b: usize) -> lstm::Input {
    let mut random = Random::new(5);
    lstm::Input {
        b,
        main_params: random.uniforms(8 * l * b),
        extra_params: random.uniforms(3 * b),
        state: random.uniforms(2 * l * b),
        sequence: (0..c * b).map(|_| (random.bits() >> 63) as f64).collect(),
    }
}

/// A hand of so many vertices, each of which three bones move, and so many points.
pub(crate) fn ht(vertices: usize, points: usize) -> ht::Input {
    const BONES: usize = 22;
    let mut random = Random::new(9);
    let mut matrix = |_| {
        let mut matrix = [[0.0; 4]; 4];
        for row in &mut matrix[..3] {
            row.iter_mut().for_each(|x| *x = random.normal());
        }
        matrix[3][3] = 1.0;
        matrix
    };
    let base_relatives = (0..BONES).map(&mut matrix).collect();
    let inverse_base_absolutes = (0..BONES).map(&mut matrix).collect();
    let mut weights = vec![0.0; vertices * BONES];
    for weights in weights.chunks_exact_mut(BONES) {
        for _ in 0..3 {
            weights[random.bits() as usize % BONES] += 1.0 / 3.0;
        }
    }
    let parent = |bone: usize| match bone {
        0 => None,
        _ if bone % 4 == 2 => Some(1),
        _ => Some(bone - 1),
    };
    let mut vertex = |_| random.bits() as usize % vertices;
    let triangles = (0..points).map(|_| [0, 1, 2].map(&mut vertex)).collect();
    let us = (0..points).map(|_| [random.uniform(), random.uniform()]);
    let us = us.collect();
    ht::Input {
        theta: std::array::from_fn(|_| 0.3 * random.normal()),
        model: ht::Model {
            parents: (0..BONES).map(parent).collect(),
            base_relatives,
            inverse_base_absolutes,
            base_positions: (0..vertices)
                .map(|_| [random.normal(), random.normal(), random.normal(), 1.0])
                .collect(),
            weights,
            is_mirrored: false,
        },
        places: ht::Places::Triangles(triangles, us),
        points: (0..points)
            .map(|_| [random.normal(), random.normal(), random.normal()])
            .collect(),
    }
}

pub(crate) fn ode(n: usize, s: usize) -> ode::Input {
    ode::Input {
        x: Random::new(1).uniforms(n),
        s,
    }
}

pub(crate) fn det(ell: usize) -> det::Input {
    det::Input {
        a: Random::new(1).uniforms(ell * ell),
        ell,
    }
}

pub(crate) fn llsq(n: usize, m: usize) -> llsq::Input {
    llsq::Input {
        x: Random::new(1).uniforms(m),
        n,
    }
}

pub(crate) fn lse(n: usize) -> lse::Input {
    lse::Input {
        x: Random::new(1).uniforms(n),
    }
}
