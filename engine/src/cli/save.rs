//! Files that are there whole or not at all.

use super::Failure;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file. Whatever happens meanwhile, the old one is there or the new one, whole.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), Failure> {
    try_replace(path, content).map_err(|error| Failure(format!("cannot write {}: {error}", path.display())))
}

fn try_replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A pipe or a device is written to as it is.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return File::options().write(true).open(path)?.write_all(content);
    }
    // What a link points to is replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name: OsString = path.as_os_str().to_owned();
    // Somebody else may be writing the same file.
    name.push(format!(".{:08x}.partial", RandomState::new().hash_one(0) as u32));
    let partial = PathBuf::from(name);
    let written = (|| {
        let mut file = File::create(&partial)?;
        file.write_all(content)?;
        // The name must not be there before the content is.
        file.sync_all()?;
        fs::rename(&partial, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
}
