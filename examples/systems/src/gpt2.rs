//! GPT-2 as llm.c has it, and its derivative by `#[grad]`.

mod parameters;

use autodiff::{Differentiable, Float, Tensor, grad};

pub use parameters::Stack;

/// What is not learnt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// How many positions there are.
    pub positions: usize,
    /// How many tokens there are.
    pub vocabulary: usize,
    /// How many rows the embedding of tokens has; those beyond the vocabulary are never used.
    pub padded: usize,
    /// How many layers there are.
    pub layers: usize,
    /// Among how many heads a layer divides its channels.
    pub heads: usize,
    /// How many numbers stand for a token.
    pub channels: usize,
    /// What normalisation adds to a variance.
    pub epsilon: f64,
}

/// What is learnt.
#[derive(Clone, Debug, Differentiable)]
pub struct Gpt<T: Float> {
    /// The embedding of tokens, (padded, channels); it reads the last layer as well.
    pub wte: Tensor<T>,
    /// The embedding of positions, (positions, channels).
    pub wpe: Tensor<T>,
    /// The layers.
    pub blocks: Vec<Block<T>>,
    /// The gain behind the last layer.
    pub lnfw: Tensor<T>,
    /// The offset behind the last layer.
    pub lnfb: Tensor<T>,
}

/// What is learnt in one layer; matrices are (out, in).
#[derive(Clone, Debug, Differentiable)]
pub struct Block<T: Float> {
    /// The gain before attention.
    pub ln1w: Tensor<T>,
    /// The offset before attention.
    pub ln1b: Tensor<T>,
    /// Queries, keys and values, (3 channels, channels).
    pub qkvw: Tensor<T>,
    /// Their offsets.
    pub qkvb: Tensor<T>,
    /// What attention found, back into the stream, (channels, channels).
    pub attprojw: Tensor<T>,
    /// Its offset.
    pub attprojb: Tensor<T>,
    /// The gain before the hidden layer.
    pub ln2w: Tensor<T>,
    /// The offset before the hidden layer.
    pub ln2b: Tensor<T>,
    /// The hidden layer, (4 channels, channels).
    pub fcw: Tensor<T>,
    /// Its offset.
    pub fcb: Tensor<T>,
    /// The hidden layer, back into the stream, (channels, 4 channels).
    pub fcprojw: Tensor<T>,
    /// Its offset.
    pub fcprojb: Tensor<T>,
}

/// The numbers of each token divided among the heads: (batch, head, time, number).
#[grad]
fn divided<T: Float>(x: &Tensor<T>, #[constant] heads: usize) -> Tensor<T> {
    let (batch, time, channels) = (x.shape()[0], x.shape()[1], x.shape()[2]);
    x.reshape(&[batch, time, heads, channels / heads])
        .permute(&[0, 2, 1, 3])
}

/// What each head finds for each token in the tokens up to it.
#[grad]
fn attention<T: Float>(qkv: &Tensor<T>, #[constant] heads: usize) -> Tensor<T> {
    let (batch, time, channels) = (qkv.shape()[0], qkv.shape()[1], qkv.shape()[2] / 3);
    let parts = qkv.chunk(2, 3);
    let q = divided(&parts[0], heads);
    let k = divided(&parts[1], heads);
    let v = divided(&parts[2], heads);
    let found = q.causal_attention(&k, &v);
    found
        .permute(&[0, 2, 1, 3])
        .reshape(&[batch, time, channels])
}

#[grad]
fn layer<T: Float>(block: &Block<T>, #[constant] config: Config, x: &Tensor<T>) -> Tensor<T> {
    let epsilon: f64 = config.epsilon;
    let y = x.layernorm(&block.ln1w, &block.ln1b, epsilon);
    let qkv = y.matmul(block.qkvw.t()) + &block.qkvb;
    // With its type, what is added to it is one loop.
    let found: Tensor<T> = attention(&qkv, config.heads);
    let x = x + (found.matmul(block.attprojw.t()) + &block.attprojb);
    let y = x.layernorm(&block.ln2w, &block.ln2b, epsilon);
    let hidden = (y.matmul(block.fcw.t()) + &block.fcb).gelu_tanh();
    x + (hidden.matmul(block.fcprojw.t()) + &block.fcprojb)
}

/// What the last layer has to say of each token, before it is compared with the embeddings.
#[grad]
fn features<T: Float>(
    gpt: &Gpt<T>,
    #[constant] config: Config,
    #[constant] tokens: &Tensor<usize>,
) -> Tensor<T> {
    let time: usize = tokens.shape()[1];
    let epsilon: f64 = config.epsilon;
    let mut x = gpt.wte.embedding(tokens) + gpt.wpe.narrow(0, 0, time);
    for block in &gpt.blocks {
        x = layer(block, config, &x);
    }
    x.layernorm(&gpt.lnfw, &gpt.lnfb, epsilon)
}

/// For each token of each text of the batch, a score of every token to come next.
#[grad]
pub fn logits<T: Float>(
    gpt: &Gpt<T>,
    #[constant] config: Config,
    #[constant] tokens: &Tensor<usize>,
) -> Tensor<T> {
    let vocabulary: usize = config.vocabulary;
    let words = gpt.wte.narrow(0, 0, vocabulary);
    features(gpt, config, tokens).matmul(words.t())
}

/// The mean of −ln softmax(logits) at the tokens that do come next.
#[grad]
pub fn loss<T: Float>(
    gpt: &Gpt<T>,
    #[constant] config: Config,
    #[constant] tokens: &Tensor<usize>,
    #[constant] targets: &Tensor<usize>,
) -> T {
    logits(gpt, config, tokens).cross_entropy(targets)
}
