//! Builds the page as a folder of static files, and serves such a folder on this machine.

pub mod build;
mod files;
pub mod server;
pub mod watch;
