use autodiff::Differentiable;

#[derive(Differentiable)]
enum Never {}

fn main() {}
