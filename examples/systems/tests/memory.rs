//! What the reverse sweep of a model has of the forward sweep, in memory.

use autodiff::{Tensor, kept_memory, release_memory, set_memory_limit};
use systems::generator;
use systems::gpt2::{Config, Gpt, loss};

const CONFIG: Config = Config {
    positions: 32,
    vocabulary: 50,
    padded: 64,
    layers: 1,
    heads: 4,
    channels: 128,
    epsilon: 1e-5,
};

/// How many numbers a pullback of the loss holds in tensors of 1024 and more, of a model with so many layers.
fn held(layers: usize) -> usize {
    let config = Config { layers, ..CONFIG };
    let gpt = Gpt::<f32>::random(&config, &mut generator(1));
    let tokens = Tensor::from_fn(&[2, 32], |at| (7 * at[0] + 3 * at[1]) % 50);
    let targets = Tensor::from_fn(&[2, 32], |at| (7 * at[0] + 3 * at[1] + 3) % 50);
    // Whatever else is used goes back to the system.
    set_memory_limit(0);
    let (_, back) = loss::pullback(&gpt, config, &tokens, &targets);
    release_memory();
    set_memory_limit(1 << 30);
    drop(back);
    let held = kept_memory() / size_of::<f32>();
    release_memory();
    held
}

#[test]
fn a_layer_holds_eleven_numbers_for_each_channel_of_a_token() {
    let layer = held(3) - held(2);
    let each = layer as f64 / (2 * 32 * CONFIG.channels) as f64;
    assert_eq!(each, 11.0);
}
