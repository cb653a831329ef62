//! The atlas: the engine computes a page for each named litmus test.
//!
//! That takes a while, so pages that were made of the same by the same program are taken as they are.

use crate::{Files, book};
use anyhow::{Context, Result, anyhow};
use litmoscope::labs::atlas::{AtlasError, Source, files};
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

/// Makes the pages of the atlas from the folder with its list and the gallery, by their names in it; or takes them from the folder
/// in which they were put after they were made last.
///
/// # Errors
///
/// If a file is missing, or something is wrong with it.
pub fn make(public: &Path, made: &Path) -> Result<Files> {
    let key = key(public)?;
    let kept_for = made.with_extension("for");
    if made.is_dir() && fs::read_to_string(&kept_for).is_ok_and(|kept| kept == key) {
        let mut kept = Files::new();
        book::collect(made, "", &mut kept)?;
        return Ok(kept);
    }
    let read = |file: &str| fs::read_to_string(public.join(file)).map_err(|error| error.to_string());
    let needed =
        |file: &str| fs::read_to_string(public.join(file)).with_context(|| public.join(file).display().to_string());
    let (written, gallery) = (needed("atlas.json")?, needed("gallery.json")?);
    let source = Source { atlas: &written, gallery: &gallery, read: &read, address: None };
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let found = files(source, cores).map_err(|AtlasError(message)| anyhow!("the atlas: {message}"))?;
    let pages: Files = found.into_iter().map(|file| (file.name, file.content.into_bytes())).collect();
    if made.exists() {
        fs::remove_dir_all(made)?;
    }
    fs::create_dir_all(made)?;
    for (name, content) in &pages {
        fs::write(made.join(name), content).with_context(|| name.clone())?;
    }
    fs::write(kept_for, key)?;
    Ok(pages)
}

/// What is another one as soon as the program or what the pages are made of is.
fn key(public: &Path) -> Result<String> {
    let mut all = BTreeMap::new();
    book::collect(public, "", &mut all)?;
    let program = fs::read(std::env::current_exe()?)?;
    let mut hasher = DefaultHasher::new();
    (program, all).hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}
