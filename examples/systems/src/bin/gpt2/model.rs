//! GPT-2 as llm.c has it, and its derivative by `#[grad]`.

use autodiff::{Differentiable, Float, Tensor, grad};

/// What is not learnt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Config {
    /// How many positions there are.
    pub(crate) positions: usize,
    /// How many tokens there are.
    pub(crate) vocabulary: usize,
    /// How many rows the embedding of tokens has; those beyond the vocabulary are never used.
    pub(crate) padded: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) channels: usize,
    pub(crate) epsilon: f64,
}

/// What is learnt.
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Gpt<T: Float> {
    pub(crate) wte: Tensor<T>,
    pub(crate) wpe: Tensor<T>,
    pub(crate) blocks: Vec<Block<T>>,
    pub(crate) lnfw: Tensor<T>,
    pub(crate) lnfb: Tensor<T>,
}

/// What is learnt in one layer; matrices are (out, in).
#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Block<T: Float> {
    pub(crate) ln1w: Tensor<T>,
    pub(crate) ln1b: Tensor<T>,
    pub(crate) qkvw: Tensor<T>,
    pub(crate) qkvb: Tensor<T>,
    pub(crate) attprojw: Tensor<T>,
    pub(crate) attprojb: Tensor<T>,
    pub(crate) ln2w: Tensor<T>,
    pub(crate) ln2b: Tensor<T>,
    pub(crate) fcw: Tensor<T>,
    pub(crate) fcb: Tensor<T>,
    pub(crate) fcprojw: Tensor<T>,
    pub(crate) fcprojb: Tensor<T>,
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
pub(crate) fn logits<T: Float>(
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
pub(crate) fn loss<T: Float>(
    gpt: &Gpt<T>,
    #[constant] config: Config,
    #[constant] tokens: &Tensor<usize>,
    #[constant] targets: &Tensor<usize>,
) -> T {
    logits(gpt, config, tokens).cross_entropy(targets)
}
