//! The library as the corpus sees it where it is put to one check more: `#[grad]` compares compiled code with the tape.

pub use autodiff_twin_attribute::grad;
#[doc(hidden)]
pub use plain::grad as __grad;
pub use plain::*;
