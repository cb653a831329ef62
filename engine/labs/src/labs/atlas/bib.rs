//! Citations as BibTeX and as text.

use super::entry::{Paper, PaperKind, slug};
use std::fmt::Write;

/// A text in BibTeX, with what LaTeX reads otherwise marked.
fn tex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Where readers find the atlas, as far as whoever builds it says so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Address<'a>(pub Option<&'a str>);

impl Address<'_> {
    /// The address of a file of the atlas.
    pub(super) fn of(self, file: &str) -> Option<String> {
        self.0.map(|base| format!("{}/{file}", base.trim_end_matches('/')))
    }
}

/// The entry for a page of the atlas.
pub(super) fn page_entry(name: &str, address: Address) -> String {
    let slug = slug(name);
    let (name, version) = (tex(name), env!("CARGO_PKG_VERSION"));
    let mut out = format!("@misc{{litmoscope:{slug},\n  author = {{{{Litmoscope}}}},\n");
    let _ = writeln!(out, "  title = {{The litmus test {{{name}}}}},");
    let _ = writeln!(out, "  howpublished = {{The atlas of litmus tests of Litmoscope {version}}},");
    if let Some(url) = address.of(&format!("{slug}.html")) {
        let _ = writeln!(out, "  url = {{{url}}},");
    }
    out.push_str("}\n");
    out
}

/// The entry for a paper.
pub(super) fn paper_entry(paper: &Paper) -> String {
    let (kind, venue) = match paper.kind {
        PaperKind::Article => ("article", "journal"),
        PaperKind::Inproceedings => ("inproceedings", "booktitle"),
        PaperKind::Manual => ("manual", "organization"),
        PaperKind::Techreport => ("techreport", "institution"),
        PaperKind::Book => ("book", "publisher"),
    };
    let authors: Vec<String> = paper.authors.iter().map(|author| tex(author)).collect();
    let mut out = format!("@{kind}{{{},\n", paper.key);
    // A manual's author is a company, whose name is not to be taken apart.
    let authors = authors.join(" and ");
    let authors = if paper.kind == PaperKind::Manual { format!("{{{authors}}}") } else { authors };
    let _ = writeln!(out, "  author = {{{authors}}},");
    let _ = writeln!(out, "  title = {{{{{}}}}},", tex(&paper.title));
    let _ = writeln!(out, "  {venue} = {{{}}},", tex(&paper.venue));
    for (field, value) in [("volume", &paper.volume), ("number", &paper.number)] {
        if let Some(value) = value {
            let _ = writeln!(out, "  {field} = {{{}}},", tex(value));
        }
    }
    let _ = writeln!(out, "  year = {{{}}}\n}}", paper.year);
    out
}

/// Who wrote a paper, and where it appeared: what stands around its title.
pub(super) fn around_title(paper: &Paper) -> (String, String) {
    let number = match (&paper.volume, &paper.number) {
        (Some(volume), Some(number)) => format!(" {volume}({number})"),
        (Some(volume), None) => format!(" {volume}"),
        (None, _) => String::new(),
    };
    (crate::words::list(paper.authors.iter().cloned()), format!("{}{number}, {}", paper.venue, paper.year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bibtex_is_escaped() {
        assert_eq!(
            tex("a_b & 100% {x} \\ ~ ^ # $"),
            "a\\_b \\& 100\\% \\{x\\} \\textbackslash{} \\textasciitilde{} \\textasciicircum{} \\# \\$"
        );
        let entry = page_entry("2+2W", Address(Some("https://example.org/atlas/")));
        assert!(
            entry.contains("url = {https://example.org/atlas/2+2w.html}")
                && entry.starts_with("@misc{litmoscope:2+2w,")
        );
        assert!(!page_entry("SB", Address(None)).contains("url"));
    }
}
