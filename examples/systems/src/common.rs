//! Arguments that every system takes.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use clap::Args;

/// The arguments of everything that is trained; `#[command(flatten)]` puts them beside a program's own.
#[derive(Args, Clone, Debug)]
pub struct Run {
    /// Where the picture of the loss goes [default: the program's name with .svg, in the current directory]
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How many steps to train [default: as many as it takes to see something]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub steps: Option<u32>,
    /// Where the random numbers start
    #[arg(long, value_name = "N", default_value_t = 1337)]
    pub seed: u64,
}

/// The arguments of systems that there are figures for.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Start from the configuration in this JSON file, and check all figures in it: exit code 1 if they are missed, 2 if the file cannot be used
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steps", "seed"])]
    pub reference: Option<PathBuf>,
    #[command(flatten)]
    run: Run,
}

impl Deref for Common {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl Run {
    /// How many steps to train, if a program by itself takes `default`.
    pub fn steps(&self, default: usize) -> usize {
        self.steps.map_or(default, |steps| steps as usize)
    }

    /// Where the picture of the loss goes, if by itself it has the name `default`.
    pub fn svg<'a>(&'a self, default: &'a str) -> &'a Path {
        self.svg.as_deref().unwrap_or(Path::new(default))
    }
}
