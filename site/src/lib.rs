//! Builds the page as a folder of static files, and serves such a folder on this machine.
//!
//! A new machine compiles this program while it compiles the page (`scripts/site.sh`), whose last half, link-time optimisation,
//! has one thread.

pub mod build;
mod files;
pub mod server;
pub mod watch;
