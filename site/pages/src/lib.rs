//! The pages of the site that are there to be read: the book, which mdBook makes of `book/`, and the atlas, which the engine makes.
//!
//! They are a program of their own, since it takes minutes to compile: the page is there before.

pub mod book;
pub mod links;

use anyhow::Result;
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
/// If mdBook does not take the book, or something that it is made of is missing.
pub fn make() -> Result<Files> {
    let mut files = Files::new();
    for (name, content) in book::make(&root().join("book"))? {
        files.insert(format!("book/{name}"), content);
    }
    Ok(files)
}
