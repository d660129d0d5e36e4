//! The corpus, where each function runs on a tape as well; there are tests alone.
