//! The files of a site while it is put together.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Contents by the file's name, relative to the site, with `/` between folders.
#[derive(Default)]
pub(crate) struct Files(BTreeMap<String, Vec<u8>>);

/// The first 16 digits of a content's hash: another content gets another name, so that no cache mixes two versions.
pub(crate) fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The ending of a compressed file, beside the file itself: what many servers look for.
pub(crate) const COMPRESSED: &str = "gz";
/// What is smaller is sent in a packet or two as it is.
const WORTH: usize = 1 << 10;

/// A content compressed, if that is worth it.
fn compressed(name: &str, content: &[u8]) -> Result<Option<Vec<u8>>> {
    const TEXTS: [&str; 8] = ["css", "html", "js", "json", "lit", "svg", "wasm", "webmanifest"];
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if content.len() < WORTH || !TEXTS.contains(&ending) {
        return Ok(None);
    }
    // The same content has the same file.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    let compressed = encoder.finish()?;
    Ok((compressed.len() < content.len()).then_some(compressed))
}

/// Whether it belongs to the book or the atlas: the page works without.
fn is_to_be_read(name: &str) -> bool {
    ["book/", "atlas/"].iter().any(|folder| name.starts_with(folder))
}

impl Files {
    pub(crate) fn add(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.0.insert(name.into(), content.into());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    #[cfg(test)]
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    pub(crate) fn add_file(&mut self, name: &str, path: &Path) -> Result<()> {
        self.add(name, fs::read(path).with_context(|| path.display().to_string())?);
        Ok(())
    }

    /// Adds all files of a folder but those that are compressed, under the folder's `name`; without one, as those of the site.
    pub(crate) fn add_folder(&mut self, name: &str, path: &Path) -> Result<()> {
        for entry in fs::read_dir(path).with_context(|| path.display().to_string())? {
            let entry = entry?;
            let inner = [name, "/", &entry.file_name().to_string_lossy()].concat();
            let inner = inner.trim_start_matches('/');
            if entry.file_type()?.is_dir() {
                self.add_folder(inner, &entry.path())?;
            } else if entry.path().extension().is_none_or(|ending| ending != COMPRESSED) {
                self.add_file(inner, &entry.path())?;
            }
        }
        Ok(())
    }

    /// The service worker, told the names of all files, the hash of each as browsers check it, and a version made from them.
    /// What pages to read share, as their style, comes before them: who loses the network meanwhile has them whole.
    pub(crate) fn service_worker(&self, script: &str) -> String {
        let list = |wanted: bool| {
            let mut list = String::from("{\n");
            let mut files: Vec<_> = self.0.iter().filter(|(name, _)| is_to_be_read(name) == wanted).collect();
            files.sort_by_key(|(name, _)| name.ends_with(".html"));
            for (name, content) in files {
                // The page's address is that of its folder.
                let name = if name == "index.html" { "" } else { name };
                list.push_str(&format!("  \"{name}\": \"sha256-{}\",\n", STANDARD.encode(Sha256::digest(content))));
            }
            list + "};\n"
        };
        let lists = format!("const FILES = {}const PAGES_TO_READ = {}{script}", list(false), list(true));
        format!("const VERSION = \"{}\";\n{lists}", short_hash(lists.as_bytes()))
    }

    /// Puts the site, with each file that is worth it compressed beside itself, where `folder` is, in the place of what was there. Whoever looks meanwhile sees the one or the other.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let (new, old) = (folder.with_extension("new"), folder.with_extension("old"));
        for left in [&new, &old] {
            if left.exists() {
                fs::remove_dir_all(left).with_context(|| left.display().to_string())?;
            }
        }
        for (name, content) in &self.0 {
            ensure!(!name.split('/').any(|part| matches!(part, "" | "." | "..")), "no file of a site is named {name}");
            let path = new.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&new))?;
            fs::write(&path, content).with_context(|| path.display().to_string())?;
            if let Some(small) = compressed(name, content)? {
                let path = new.join(format!("{name}.{COMPRESSED}"));
                fs::write(&path, small).with_context(|| path.display().to_string())?;
            }
        }
        if folder.exists() {
            fs::rename(folder, &old)?;
        }
        fs::rename(&new, folder).with_context(|| folder.display().to_string())?;
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_worker_knows_all_files_and_a_version_of_its_own() {
        let mut files = Files::default();
        files.add("index.html", "page");
        files.add("public/a.lit", "x := 1");
        files.add("book/index.html", "page");
        files.add("book/theme/style.css", "x := 1");
        let worker = files.service_worker("go();\n");
        // `printf page | sha256sum`, in base64.
        let page = STANDARD.encode(Sha256::digest("page"));
        let test = STANDARD.encode(Sha256::digest("x := 1"));
        let list = format!(
            "const FILES = {{\n  \"public/a.lit\": \"sha256-{test}\",\n  \"\": \"sha256-{page}\",\n}};\n\
             const PAGES_TO_READ = {{\n  \"book/theme/style.css\": \"sha256-{test}\",\n  \
             \"book/index.html\": \"sha256-{page}\",\n}};\ngo();\n"
        );
        let (version, rest) = worker.split_once('\n').expect("two parts");
        assert_eq!(rest, list);
        assert_eq!(version, format!("const VERSION = \"{}\";", short_hash(list.as_bytes())));
        files.add("public/a.lit", "x := 2");
        assert!(!files.service_worker("go();\n").starts_with(version));
    }

    #[test]
    fn a_site_takes_the_place_of_the_one_before() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let site = folder.path().join("dist");
        let mut files = Files::default();
        files.add("old.js", "1");
        files.write(&site).expect("it can be written");
        let mut files = Files::default();
        files.add("deep/er/new.js", "2");
        files.write(&site).expect("it can be written");
        assert!(!site.join("old.js").exists());
        assert_eq!(fs::read(site.join("deep/er/new.js")).expect("it is there"), b"2");
        assert_eq!(fs::read_dir(folder.path()).expect("it is a folder").count(), 1);
        // What is long is there twice, and the second time short.
        let mut files = Files::default();
        files.add("long.js", "x".repeat(10_000));
        files.add("long.png", "x".repeat(10_000));
        files.add("short.js", "x");
        files.write(&site).expect("it can be written");
        let small = fs::read(site.join("long.js.gz")).expect("it is there");
        let mut large = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&small[..]), &mut large)
            .expect("it was compressed");
        assert!(small.len() < 100 && large == "x".repeat(10_000));
        assert!(!site.join("long.png.gz").exists() && !site.join("short.js.gz").exists());
        let mut again = Files::default();
        again.add_folder("", &site).expect("it is there");
        assert_eq!(again.0, files.0);
        let mut files = Files::default();
        files.add("deep/er/new.js", "2");
        files.write(&site).expect("it can be written");
        let mut files = Files::default();
        files.add("../outside", "3");
        assert!(files.write(&site).is_err());
        assert!(site.join("deep/er/new.js").exists());
    }
}
