//! The programs of the cookbook: each solves a problem, checks what it found, and draws it into the book.
//!
//!     cargo run -p autodiff-book --example cookbook             # all
//!     cargo run -p autodiff-book --example cookbook -- ode_fit  # one
#![forbid(unsafe_code)]

mod bundle_adjustment;
mod gaussian_process;
mod hamiltonian_monte_carlo;
mod implicit_layer;
mod inverse_kinematics;
mod logistic_regression;
mod neural_ode;
mod ode_fit;
mod physics_informed;
mod picture;
mod pid_tuning;
mod portfolio;
mod trajectory;

/// Runs those that are asked for, and each in a test.
macro_rules! programs {
    ($($name:ident)*) => {
        fn main() {
            let asked: Vec<String> = std::env::args().skip(1).collect();
            $(
                if asked.is_empty() || asked.iter().any(|a| a == stringify!($name)) {
                    println!("{}", stringify!($name));
                    $name::main();
                }
            )*
        }

        #[cfg(test)]
        mod tests {
            $(
                #[test]
                fn $name() {
                    super::$name::main();
                }
            )*
        }
    };
}

programs! {
    logistic_regression
    gaussian_process
    bundle_adjustment
    ode_fit
    hamiltonian_monte_carlo
    portfolio
    trajectory
    pid_tuning
    inverse_kinematics
    physics_informed
    neural_ode
    implicit_layer
}
