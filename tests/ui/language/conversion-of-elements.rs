use autodiff::grad;

struct Place([f64; 2]);

#[grad]
fn first(places: &[impl Into<Place> + Clone]) -> f64 {
    let place: Place = places[0].clone().into();
    place.0[0]
}

fn main() {}
