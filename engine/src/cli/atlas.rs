//! `litmoscope atlas`

use super::save::replace;
use super::{Failure, print};
use crate::AtlasTask;
use litmoscope::labs::atlas::{Atlas, AtlasError, Page, Source};
use litmoscope::words;
use std::fs;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
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
    let pages = pages(&atlas, task.threads).map_err(refuse)?;
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

/// All pages, in the order of the entries whichever thread computes them.
fn pages(atlas: &Atlas, threads: Option<u32>) -> Result<Vec<Page>, AtlasError> {
    let count = atlas.entries().len();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.map_or(cores, |threads| threads as usize).min(count).max(1);
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Page, AtlasError>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = done.get(at) else { return };
            let page = atlas.page(at);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(page);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    done.into_iter().filter_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}
