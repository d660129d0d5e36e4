use autodiff::grad;

#[grad]
trait Field<T> {
    fn at(&self, x: T) -> T;
}

fn main() {}
