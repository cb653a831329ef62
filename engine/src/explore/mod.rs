//! Exploration algorithms.

pub mod brute_force;
pub mod operational;
