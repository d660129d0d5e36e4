//! Products of matrices in `f32`, in the shapes of a step of GPT-2 and of the perceptron: by tensors, which have the kernels of `matrixmultiply`, and by the crate `gemm`.
//!
//!     cargo run --release --features products --bin products          (in this folder)
//!
//! One thread, in turns; each is as fast as its fastest round. See `benches/README.md` for a table.

use std::hint::black_box;
use std::time::Instant;

use autodiff::Tensor;

const ROUNDS: usize = 60;
/// Multiplications that a round has at least.
const LEAST: usize = 10_000_000;

/// Rows, inner length, columns; which operands lie transposed; how often a step of GPT-2 has it.
struct Product {
    name: &'static str,
    size: [usize; 3],
    turned: [bool; 2],
    times: usize,
}

/// The products of y = x Wᵀ: itself, and those of both cotangents.
fn layer(rows: usize, inputs: usize, outputs: usize, times: usize) -> [Product; 3] {
    let product = |name, size, turned| Product {
        name,
        size,
        turned,
        times,
    };
    [
        product("x Wᵀ", [rows, inputs, outputs], [false, true]),
        product("d W", [rows, outputs, inputs], [false, false]),
        product("dᵀ x", [outputs, rows, inputs], [true, false]),
    ]
}

/// Entries that both are given.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|k| (k % 17) as f32 * 0.1 - 0.8).collect()
}

/// C = A B by `gemm`, of dense matrices of which either may lie transposed.
fn by_gemm([m, k, n]: [usize; 3], [ta, tb]: [bool; 2], a: &[f32], b: &[f32], c: &mut [f32]) {
    assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
    let steps = |turned: bool, rows: usize, columns: usize| {
        if turned {
            (rows as isize, 1)
        } else {
            (1, columns as isize)
        }
    };
    let ((ac, ar), (bc, br)) = (steps(ta, m, k), steps(tb, k, n));
    // SAFETY: the entries are i·row + j·column with i, j below the sizes, all inside of the slices, whose lengths were just checked.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.as_ptr(),
            ac,
            ar,
            b.as_ptr(),
            bc,
            br,
            0.0_f32,
            1.0_f32,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn main() {
    let (tokens, c) = (256, 384);
    let mut products = Vec::new();
    for (inputs, outputs, times) in [
        (c, 3 * c, 6),
        (c, c, 6),
        (c, 4 * c, 6),
        (4 * c, c, 6),
        (c, 5000, 1),
    ] {
        products.extend(layer(tokens, inputs, outputs, times));
    }
    products.extend(layer(64, 784, 128, 0));
    let mut steps = [0.0, 0.0, 0.0];
    println!("| | size | matrixmultiply | gemm |");
    println!("|---|---|--:|--:|");
    for Product {
        name,
        size,
        turned,
        times,
    } in products
    {
        let [m, k, n] = size;
        let (a, b) = (numbers(m * k), numbers(k * n));
        let tensor = |entries: &[f32], rows, columns, turned| {
            if turned {
                Tensor::from_vec(&[columns, rows], entries.to_vec()).transpose(0, 1)
            } else {
                Tensor::from_vec(&[rows, columns], entries.to_vec())
            }
        };
        let [left, right] = [tensor(&a, m, k, turned[0]), tensor(&b, k, n, turned[1])];
        let mut result = vec![0.0; m * n];
        let calls = LEAST.div_ceil(m * k * n);
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (kind, fastest) in fastest.iter_mut().enumerate() {
                let start = Instant::now();
                for _ in 0..calls {
                    if kind == 0 {
                        black_box(left.matmul(&right));
                    } else {
                        by_gemm(size, turned, &a, &b, black_box(&mut result));
                    }
                }
                *fastest = fastest.min(start.elapsed().as_secs_f64() / calls as f64);
            }
        }
        let ours = left.matmul(&right).to_vec();
        assert!(ours.iter().zip(&result).all(|(x, y)| (x - y).abs() <= 1e-3));
        let speed = fastest.map(|seconds| 2e-9 * (m * k * n) as f64 / seconds);
        println!(
            "| `{name}` | {m} {k} {n} | {:.0} | {:.0} |",
            speed[0], speed[1]
        );
        for (step, seconds) in
            steps
                .iter_mut()
                .zip([fastest[0], fastest[1], fastest[0].min(fastest[1])])
        {
            *step += 1e3 * seconds * times as f64;
        }
    }
    println!();
    println!(
        "a step of GPT-2: {:.0} ms, {:.0} ms; by the faster one of each {:.0} ms",
        steps[0], steps[1], steps[2]
    );
}
