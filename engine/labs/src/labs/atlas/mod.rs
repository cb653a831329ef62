//! The atlas: a page for each named litmus test of the literature and for each program of the gallery. What the tests
//! are called, what they ask and where they appear is written down; verdicts, executions, cycles and repairs are
//! computed.
//!
//! `litmoscope atlas DIR` writes a static page for each test of `public/atlas.json`, and [`files`] gives the same files to
//! whoever builds the site. The program of a test is a cycle for the generator or a file of the gallery, each of which has
//! exactly one page. A page's address is made of its name by a rule that never changes, and `slugs.txt` has all that were
//! published.

mod bib;
mod entry;
mod html;
mod occurrence;
mod page;
mod repair;
#[cfg(test)]
mod tests;
mod write;

pub use entry::{AtlasError, Citation, Entry, Family, Paper, PaperKind, slug};
pub use occurrence::Question;
pub use page::{AbsenceView, Figure, Links, Page, ReasonView, Row, Table, Verdict};
pub use repair::{ChangeText, Means, Mending, Repair, Repairs, What};

use bib::Address;
use entry::{GalleryProgram, Written, is_plain};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What an atlas is made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Tests, families and papers: `public/atlas.json`.
    pub atlas: &'a str,
    /// The gallery's list: `public/gallery.json`.
    pub gallery: &'a str,
    /// The text of a file of the gallery.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// Where readers find the atlas: `https://example.org/atlas`. Citations name it.
    pub address: Option<&'a str>,
}

/// A file of the atlas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub content: String,
}

/// An atlas whose pages can be computed, one by one and in any order.
pub struct Atlas {
    written: Written,
    gallery: Vec<GalleryProgram>,
    /// By entry: the text of the gallery's file that it is.
    texts: Vec<Option<String>>,
    address: Option<String>,
}

impl Atlas {
    /// Reads what is written down, and the programs.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(source: Source) -> Result<Self, AtlasError> {
        let gallery: Vec<GalleryProgram> = serde_json::from_str(source.gallery)
            .map_err(|error| AtlasError(format!("the gallery's list can't be read: {error}")))?;
        let written = Written::read(source.atlas, &gallery)?;
        let text = |entry: &Entry| match &entry.program {
            Some(file) if is_plain(file) => {
                (source.read)(file).map(Some).map_err(|error| AtlasError(format!("{file}: {error}")))
            }
            _ => Ok(None),
        };
        let texts = written.tests.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Self { written, gallery, texts, address: source.address.map(str::to_owned) })
    }

    /// The tests, in the order of their families.
    pub fn entries(&self) -> &[Entry] {
        &self.written.tests
    }

    /// Computes the page of a test, the index of an entry.
    ///
    /// # Errors
    /// What is wrong with its program.
    pub fn page(&self, test: usize) -> Result<Page, AtlasError> {
        let entry = &self.written.tests[test];
        let find = |file: &Option<String>| {
            file.as_ref().and_then(|file| self.gallery.iter().find(|known| known.file == *file))
        };
        let file = find(&entry.program).zip(self.texts[test].clone());
        Page::new(entry, file, find(&entry.gallery)).map_err(|error| AtlasError(format!("`{}`: {error}", entry.name)))
    }

    /// Computes the pages of all tests, in the order of the entries whichever of so many threads computes them.
    ///
    /// # Errors
    /// What is wrong with the first program that is wrong.
    pub fn pages(&self, threads: NonZeroUsize) -> Result<Vec<Page>, AtlasError> {
        let count = self.entries().len();
        let next = AtomicUsize::new(0);
        let done: Vec<OnceLock<Result<Page, AtlasError>>> = (0..count).map(|_| OnceLock::new()).collect();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(place) = done.get(at) else { return };
                let _ = place.set(self.page(at));
            }
        };
        thread::scope(|scope| {
            // Fewer where the system has no more.
            for _ in 1..threads.get() {
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        done.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// The files of an atlas whose pages were computed, in the order of the entries.
    pub fn files(&self, pages: &[Page]) -> Vec<File> {
        let address = Address(self.address.as_deref());
        let file = |name: &str, content: String| File { name: name.to_owned(), content };
        let mut files = vec![file("index.html", write::index(&self.written, pages))];
        files.extend(pages.iter().map(|page| {
            let name = format!("{}.html", slug(&page.entry.name));
            File { name, content: write::page(&self.written, page, address) }
        }));
        files.push(file("style.css", write::style()));
        let mut bib: Vec<String> = self.written.tests.iter().map(|e| bib::page_entry(&e.name, address)).collect();
        bib.extend(self.written.papers.iter().map(bib::paper_entry));
        files.push(file("atlas.bib", bib.join("\n")));
        files
    }
}

/// All files of an atlas.
///
/// # Errors
/// What is wrong with what is written down, or with a program.
pub fn files(source: Source, threads: NonZeroUsize) -> Result<Vec<File>, AtlasError> {
    let atlas = Atlas::read(source)?;
    Ok(atlas.files(&atlas.pages(threads)?))
}
