use autodiff::{Differentiable, grad};

#[derive(Clone, Copy)]
struct Member {
    start: usize,
    end: usize,
}

#[derive(Clone, Differentiable)]
struct Truss {
    nodes: Vec<f64>,
    #[constant]
    members: Vec<Member>,
}

#[grad]
impl Truss {
    fn length(&self, m: &Member) -> f64 {
        self.nodes[m.start] - self.nodes[m.end]
    }

    fn total(&self) -> f64 {
        let mut sum = 0.0;
        for m in &self.members {
            sum += self.length(m);
        }
        sum
    }
}

fn main() {}
