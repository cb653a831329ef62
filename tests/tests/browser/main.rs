//! The built page in a real browser.

mod access;
mod begin;
mod beside;
mod books;
mod consistency;
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
mod resumed;
mod runs;
mod shell;
mod stepping;
mod touch;
mod traces;
mod tree;
mod views;
