//! The built page in a real browser.

mod models;
mod page;
mod runs;
mod stepping;
