//! The pages of the site that are there to be read: the book, which mdBook makes of `book/`, and the atlas, which the engine makes.
//!
//! They are a program of their own, since it takes minutes to compile: the page is there before.

pub mod atlas;
pub mod book;
pub mod links;

use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// Contents by the file's name, relative to the site, with `/` between folders.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Where the repository is.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("this crate is in a folder of a folder of it")
}

/// Makes all pages of this repository.
///
/// # Errors
///
/// If mdBook does not take the book, something that the pages are made of is missing or wrong, or a link of theirs leads nowhere.
pub fn make() -> Result<Files> {
    let root = root();
    let book = book::make(&root.join("book"))?.into_iter().map(|(name, content)| (format!("book/{name}"), content));
    let atlas = atlas::make(&root.join("public"), &root.join("target/atlas"))?.into_iter();
    let files: Files = book.chain(atlas.map(|(name, content)| (format!("atlas/{name}"), content))).collect();
    let broken = links::broken(&files);
    ensure!(broken.is_empty(), "links lead nowhere: {}", broken.join(", "));
    Ok(files)
}

/// The Rust programs of the book, which are compiled and run as tests of documentation are.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/developers/crate.md")]
struct Chapter;
