//! Exploration algorithms.

pub mod brute_force;
