//! What Litmoscope explores: programs ([`program`]), their notations ([`syntax`]), litmus tests from cycles ([`generate`]),
//! execution graphs ([`graph`]), libraries of mutexes and channels ([`library`]), memory models ([`model`]), and what is to be
//! put in order ([`consistency`]), and
//! histories of concurrent objects ([`linearizability`]). Each module knows only the ones before it in this list; [`budget`],
//! by which work is paused, [`sort`], [`random`] and [`words`] are for all.
#![warn(missing_docs)]

pub mod budget;
pub mod consistency;
pub mod generate;
pub mod graph;
pub mod library;
pub mod linearizability;
pub mod model;
pub mod program;
pub mod protocol;
pub mod random;
pub mod sort;
pub mod syntax;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod words;
