//! The built page in a real browser.
//!
//! A browser of the tests has no service workers, as in a private window, unless a test wants them (`offline.rs`): else each
//! page would go on to keep all files of the site, book and atlas included, which took longer than what most tests look at. Of
//! the gallery, each program is explored in the page as natively under every third model, others for each program and each
//! `LITMOSCOPE_SEED`; `make test-long` takes all.

mod access;
mod begin;
mod beside;
mod books;
mod consistency;
mod desks;
mod fairness;
mod folder;
mod graph;
mod handlers;
mod histories;
mod kept;
mod lecture;
mod looks;
mod memories;
mod models;
mod offline;
mod page;
mod race;
mod reading;
mod repair;
mod resumed;
mod runs;
mod schedules;
mod shell;
mod stepping;
mod touch;
mod traces;
mod tree;
mod views;
