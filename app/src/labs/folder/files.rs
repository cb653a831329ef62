//! Files and folders from the reader's machine.

use js_sys::{Array, Promise, Reflect};
use litmoscope::labs::folder::Role;
use litmoscope::labs::folder::archive::{Format, MAX_ARCHIVE};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

use super::worker::{Content, Request};
use crate::browser::{self, Dropped};

/// How deep folders may lie in each other.
const MAX_DEPTH: usize = 64;
/// How many files may be in what is dropped.
const MAX_FILES: usize = 50_000;
/// How many bytes of it are read.
const MAX_BYTES: f64 = 256.0 * 1024.0 * 1024.0;

/// A file, with the folders that it is in.
pub struct Picked {
    name: String,
    file: File,
}

/// The files of a picker; of a folder, with their places in it.
pub fn picked(list: &FileList) -> Vec<Picked> {
    let files = (0..list.length()).filter_map(|at| list.get(at));
    let named = files.map(|file| {
        let place = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|place| place.as_string());
        Picked { name: place.filter(|place| !place.is_empty()).unwrap_or_else(|| file.name()), file }
    });
    named.collect()
}

/// The files of what was dropped, and what is in its folders.
///
/// # Errors
/// Why they can't be had, in a sentence.
pub async fn dropped(dropped: Dropped) -> Result<Vec<Picked>, String> {
    let mut files: Vec<Picked> = dropped.files.into_iter().map(|file| Picked { name: file.name(), file }).collect();
    let mut folders: Vec<(FileSystemDirectoryEntry, usize)> =
        dropped.folders.into_iter().map(|folder| (folder, 1)).collect();
    let mut seen = files.len();
    while let Some((folder, depth)) = folders.pop() {
        let place = folder.full_path();
        let place = place.trim_start_matches('/');
        if depth > MAX_DEPTH {
            return Err(format!("Folders are nested more than {MAX_DEPTH} deep: {place}."));
        }
        for entry in entries(&folder).await.ok_or_else(|| format!("The folder {place} can't be read."))? {
            seen += 1;
            if seen > MAX_FILES {
                return Err(format!(
                    "There are more than {MAX_FILES} files: choose a part of them, or use the command line."
                ));
            }
            if entry.is_directory() {
                folders.push((entry.unchecked_into(), depth + 1));
            } else {
                let name = entry.full_path().trim_start_matches('/').to_owned();
                // What is there for something else is not even looked at.
                if Role::of(&name).is_some() {
                    let file =
                        file(entry.unchecked_ref()).await.ok_or_else(|| format!("The file {name} can't be read."))?;
                    files.push(Picked { name, file });
                }
            }
        }
    }
    Ok(files)
}

/// What is in a folder. The browser tells it piece by piece.
async fn entries(folder: &FileSystemDirectoryEntry) -> Option<Vec<FileSystemEntry>> {
    let reader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        let next = Promise::new(&mut |done, failed| {
            let _ = reader.read_entries_with_callback_and_callback(&done, &failed);
        });
        let some = Array::from(&JsFuture::from(next).await.ok()?);
        if some.length() == 0 {
            return Some(all);
        }
        all.extend(some.iter().map(|entry| entry.unchecked_into::<FileSystemEntry>()));
    }
}

async fn file(entry: &FileSystemFileEntry) -> Option<File> {
    let file = Promise::new(&mut |done, failed| entry.file_with_callback_and_callback(&done, &failed));
    JsFuture::from(file).await.ok().map(JsValue::unchecked_into)
}

/// Reads files and hands them on, as many as fit.
///
/// # Errors
/// Why they are too many, in a sentence.
pub async fn read(files: Vec<Picked>, mut hand_on: impl FnMut(Request)) -> Result<(), String> {
    let mut left = MAX_BYTES;
    for Picked { name, file } in files {
        // In a folder, an archive is a file like any other, as on the command line.
        let format = Format::of(&name).filter(|_| !name.contains('/'));
        let most = match (format, Role::of(&name)) {
            (Some(_), _) => MAX_ARCHIVE,
            (None, Some(role)) => role.most(),
            (None, None) => continue,
        };
        let content = if file.size() > most as f64 {
            Err(format!("it has more than {most} bytes"))
        } else {
            left -= file.size();
            if left < 0.0 {
                return Err("These are more than 256 MB: choose a part of them, or use the command line.".to_owned());
            }
            browser::read_bytes(&file).await.map(Content).ok_or_else(|| "it can't be read".to_owned())
        };
        hand_on(Request::Add { name, format, content });
    }
    Ok(())
}
