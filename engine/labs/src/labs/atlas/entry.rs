//! The atlas as it is written down: tests, families, papers. Everything else of a page is computed.

use crate::generate::Cycle;
use serde::Deserialize;
use std::collections::BTreeSet;

/// What is written down of all pages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub families: Vec<Family>,
    pub papers: Vec<Paper>,
    pub tests: Vec<Entry>,
}

/// Tests that stand together on the index.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// What entries call it.
    pub id: String,
    /// What readers see.
    pub title: String,
    /// What its tests have in common, in a sentence or two.
    pub about: String,
}

/// A test of the atlas.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Other names of the literature.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The family's id.
    pub family: String,
    /// The cycle that it is made of, in diy's vocabulary.
    pub cycle: Option<String>,
    /// Or the file of the gallery that it is.
    pub program: Option<String>,
    /// The file of the gallery that has the same test, written by hand. It has no page of its own.
    pub gallery: Option<String>,
    /// What it asks, a sentence.
    pub asks: String,
    /// Why it matters, a few sentences; for a file of the gallery, what that says of it.
    pub matters: Option<String>,
    /// The papers that it appears in.
    #[serde(default)]
    pub papers: Vec<Citation>,
}

/// That a test appears in a paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Citation {
    /// The paper's key.
    Paper(String),
    /// The same with the place.
    Place {
        /// The paper's key.
        paper: String,
        /// Where in it, and under which name: `section 2.1, as Dekker's algorithm`.
        place: String,
    },
}

impl Citation {
    /// The paper's key.
    pub fn key(&self) -> &str {
        match self {
            Self::Paper(key) | Self::Place { paper: key, .. } => key,
        }
    }

    /// Where in it.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Paper(_) => None,
            Self::Place { place, .. } => Some(place),
        }
    }
}

/// A paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Its key, in entries and in BibTeX.
    pub key: String,
    /// BibTeX's kind of it.
    pub kind: PaperKind,
    /// Who wrote it: first names, then last names.
    pub authors: Vec<String>,
    /// Its title.
    pub title: String,
    /// The journal, the conference or the publisher.
    pub venue: String,
    /// The year.
    pub year: u16,
    /// The journal's volume.
    pub volume: Option<String>,
    /// The number in the volume.
    pub number: Option<String>,
}

/// BibTeX's kind of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaperKind {
    /// In a journal.
    Article,
    /// At a conference.
    Inproceedings,
    /// A manual.
    Manual,
    /// A report.
    Techreport,
    /// A book.
    Book,
}

/// A program of the gallery, as far as the atlas looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct GalleryProgram {
    pub file: String,
    pub name: String,
    pub title: String,
    pub unroll: u32,
    pub teaches: String,
}

/// Why there is no atlas.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AtlasError(pub String);

/// The address of a test's page, without the ending: `2+2w`, `sb+mfences`. Letters become small; digits, `+`, `-` and
/// `.` stay; a space becomes `-`; all else is left out. An address is for ever, so this rule never changes.
pub fn slug(name: &str) -> String {
    let safe = |c: char| match c {
        'a'..='z' | '0'..='9' | '+' | '-' | '.' => Some(c),
        'A'..='Z' => Some(c.to_ascii_lowercase()),
        ' ' => Some('-'),
        _ => None,
    };
    name.chars().filter_map(safe).collect::<String>().trim_matches('.').to_owned()
}

/// Whether a file's name leads to no other folder.
pub(super) fn is_plain(file: &str) -> bool {
    !file.is_empty() && !file.starts_with('.') && !file.contains(['/', '\\', ':'])
}

impl Written {
    /// Reads what is written down, and checks that all of it fits together.
    pub(super) fn read(atlas: &str, gallery: &[GalleryProgram]) -> Result<Self, AtlasError> {
        let written: Self =
            serde_json::from_str(atlas).map_err(|error| AtlasError(format!("the atlas can't be read: {error}")))?;
        let mut slugs = BTreeSet::from(["index".to_owned()]);
        let mut files = BTreeSet::new();
        let fail = |message: String| Err(AtlasError(message));
        for Entry { name, family, cycle, program, gallery: same, matters, papers, .. } in &written.tests {
            let slug = slug(name);
            if slug.is_empty() || !slugs.insert(slug.clone()) {
                return fail(format!("`{name}`: the page {slug}.html is taken, or the name has no letters"));
            }
            if !written.families.iter().any(|known| known.id == *family) {
                return fail(format!("`{name}`: there is no family `{family}`"));
            }
            if cycle.is_some() == program.is_some() {
                return fail(format!("`{name}`: a test has either a cycle or a program"));
            }
            if program.is_none() && matters.is_none() {
                return fail(format!("`{name}`: it is not said why it matters"));
            }
            if let Some(Err(errors)) = cycle.as_ref().map(|cycle| Cycle::parse(cycle)) {
                let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
                return fail(format!("`{name}`: {}", messages.join("; ")));
            }
            for file in program.iter().chain(same) {
                if !is_plain(file) || !gallery.iter().any(|known| known.file == *file) {
                    return fail(format!("`{name}`: the gallery has no `{file}`"));
                }
                if !files.insert(file.clone()) {
                    return fail(format!("`{name}`: `{file}` has a page already"));
                }
            }
            if let Some(citation) = papers.iter().find(|c| !written.papers.iter().any(|paper| paper.key == c.key())) {
                return fail(format!("`{name}`: there is no paper `{}`", citation.key()));
            }
        }
        if let Some(missing) = gallery.iter().find(|known| !files.contains(&known.file)) {
            return fail(format!("the gallery's `{}` has no page", missing.file));
        }
        Ok(written)
    }
}
