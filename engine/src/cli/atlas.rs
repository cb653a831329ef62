//! `litmoscope atlas`

use super::save::replace;
use super::{Failure, print};
use crate::AtlasTask;
use litmoscope::labs::atlas::{Atlas, AtlasError, Source};
use litmoscope::words;
use std::fs;
use std::num::NonZeroUsize;
use std::thread;

/// Writes the atlas to a folder.
pub fn atlas(task: &AtlasTask) -> Result<u8, Failure> {
    let read = |file: &str| fs::read_to_string(task.from.join(file)).map_err(|error| error.to_string());
    let needed = |file: &str| {
        let path = task.from.join(file);
        read(file).map_err(|error| {
            Failure(format!(
                "cannot read {}: {error}; name the folder with atlas.json and gallery.json: --from public",
                path.display()
            ))
        })
    };
    let refuse = |AtlasError(message)| Failure(message);
    let (written, gallery) = (needed("atlas.json")?, needed("gallery.json")?);
    let source = Source { atlas: &written, gallery: &gallery, read: &read, address: task.address.as_deref() };
    let atlas = Atlas::read(source).map_err(refuse)?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = task.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).unwrap_or(cores);
    let pages = atlas.pages(threads).map_err(refuse)?;
    let cannot = |error| Failure(format!("cannot make the folder {}: {error}", task.folder.display()));
    fs::create_dir_all(&task.folder).map_err(cannot)?;
    let files = atlas.files(&pages);
    for file in &files {
        replace(&task.folder.join(&file.name), file.content.as_bytes())?;
    }
    let (pages, files) = (words::count(pages.len() as u64, "page"), words::count(files.len() as u64, "file"));
    print(&format!("{pages} of the atlas, {files} in {}\n", task.folder.display()))?;
    Ok(0)
}
