//! The book: mdBook makes pages of its chapters, with the theme in `book/theme`.
//!
//! What is done here beside: programs get the editor's colours and a link that opens them in the page, and the table of contents stands
//! in each page. mdBook would put it there by a script, and its own theme has scripts within pages, which the site's content security
//! policy forbids.
//!
//! mdBook's own theme also fetches its table of contents by script.

use crate::Files;
use anyhow::{Context, Result};
use litmoscope::document::{self, Kind};
use litmoscope::model::Model;
use litmoscope::session::{Settings, link};
use mdbook_driver::MDBook;
use mdbook_driver::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Makes the pages of the book in a folder, by their names in it.
///
/// # Errors
///
/// If mdBook does not take it.
pub fn make(folder: &Path) -> Result<Files> {
    let out = tempfile::tempdir().context("a folder for the book")?;
    let mut book = MDBook::load(folder)?;
    book.config.build.build_dir = out.path().to_owned();
    book.with_preprocessor(Programs);
    book.build()?;
    let mut files = Files::new();
    collect(out.path(), "", &mut files)?;
    let items: Vec<BookItem> = book.book.items.clone();
    // What mdBook makes for its own theme alone.
    files.retain(|name, _| !matches!(name.as_str(), "toc.html" | "404.html" | "print.html"));
    for (name, content) in files.iter_mut().filter(|(name, _)| name.ends_with(".html")) {
        let page = String::from_utf8_lossy(content);
        let mut page = page.replace("<!--contents-->", &contents(&items, name));
        // Keys scroll what is wider than its box.
        page = page.replace("<pre><code", "<pre tabindex=\"0\"><code");
        page = page.replace("<div class=\"table-wrapper\">", "<div class=\"table-wrapper\" tabindex=\"0\">");
        // The policy forbids styles within pages, too.
        for side in ["left", "center", "right"] {
            page = page.replace(&format!(" style=\"text-align: {side}\""), &format!(" class=\"{side}\""));
        }
        *content = page.into_bytes();
    }
    keep_what_is_named(&mut files);
    Ok(files)
}

/// Reads all files of a folder, by their names in it behind `name`.
pub(crate) fn collect(folder: &Path, name: &str, into: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let inner = [name, &entry.file_name().to_string_lossy()].concat();
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{inner}/"), into)?;
        } else {
            into.insert(inner, fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// Drops the files that no page names: mdBook's fonts, scripts and icons.
fn keep_what_is_named(files: &mut Files) {
    let pages = files.iter().filter(|(name, _)| name.ends_with(".html"));
    let text: String = pages.map(|(_, content)| String::from_utf8_lossy(content).into_owned()).collect();
    files.retain(|name, _| name.ends_with(".html") || text.contains(name.rsplit('/').next().unwrap_or(name)));
}

/// The table of contents for a page: links relative to it, its own marked.
fn contents(items: &[BookItem], page: &str) -> String {
    let up = "../".repeat(page.matches('/').count());
    let mut html = String::new();
    list(items, &up, page, &mut html);
    html
}

fn list(items: &[BookItem], up: &str, page: &str, html: &mut String) {
    let mut open = false;
    for item in items {
        match item {
            BookItem::Chapter(chapter) => {
                if !open {
                    html.push_str("<ol>\n");
                    open = true;
                }
                html.push_str("<li>");
                if let Some(path) = &chapter.path {
                    let address = address(path);
                    let current = if address == page { " aria-current=\"page\"" } else { "" };
                    let _ = write!(html, "<a href=\"{up}{address}\"{current}>{}</a>", escape(&chapter.name));
                }
                list(&chapter.sub_items, up, page, html);
                html.push_str("</li>\n");
            }
            BookItem::Separator | BookItem::PartTitle(_) => {
                if open {
                    html.push_str("</ol>\n");
                    open = false;
                }
                if let BookItem::PartTitle(title) = item {
                    let _ = writeln!(html, "<h2>{}</h2>", escape(title));
                }
            }
        }
    }
    if open {
        html.push_str("</ol>\n");
    }
}

/// What becomes of a chapter's file.
fn address(path: &Path) -> String {
    path.with_extension("html")
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A block of code in a chapter.
pub struct Block {
    /// What it is: the word behind the fence.
    pub kind: String,
    /// What is in it.
    pub text: String,
    /// Its bytes in the chapter, fences included.
    pub range: Range<usize>,
}

/// The fenced blocks of a chapter, in their order.
pub fn blocks(chapter: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside = false;
    for (event, range) in
        Parser::new_ext(chapter, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES).into_offset_iter()
    {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                inside = true;
                found.push(Block { kind: kind.into_string(), text: String::new(), range });
            }
            Event::Text(text) if inside => {
                if let Some(block) = found.last_mut() {
                    block.text.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            _ => {}
        }
    }
    found
}

/// The names of blocks that hold a whole text of some kind.
pub const TEXTS: [&str; 8] = ["lit", "c11", "x86", "execution", "trace", "history", "protocol", "fairness"];

/// The chapters of a book, with their paths from its sources on.
///
/// # Errors
///
/// If the book can't be read.
pub fn chapters(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let book = MDBook::load(folder)?;
    let chapters = book.book.chapters().filter_map(|chapter| Some((chapter.path.clone()?, chapter.content.clone())));
    Ok(chapters.collect())
}

/// Gives programs colours and links.
struct Programs;

impl Preprocessor for Programs {
    fn name(&self) -> &str {
        "programs"
    }

    fn run(&self, _: &PreprocessorContext, mut book: Book) -> Result<Book> {
        book.for_each_chapter_mut(in_chapter);
        Ok(book)
    }
}

fn in_chapter(chapter: &mut Chapter) {
    let depth = chapter.path.as_ref().map_or(0, |path| path.components().count() - 1);
    for block in blocks(&chapter.content).into_iter().rev() {
        let html = match &*block.kind {
            "console" => transcript(&block.text),
            kind if TEXTS.contains(&kind) => program(&block.text, depth),
            _ => continue,
        };
        chapter.content.replace_range(block.range, &html);
    }
}

/// What somebody types, brought out among what is printed.
fn transcript(text: &str) -> String {
    let mut html = String::from("<pre tabindex=\"0\"><code>");
    for line in text.lines() {
        let (command, text) = (line.starts_with("$ "), escape(line));
        let _ =
            if command { writeln!(html, "<span class=\"command\">{text}</span>") } else { writeln!(html, "{text}") };
    }
    html + "</code></pre>\n"
}

/// A text in the editor's colours, with a link that opens it. To Markdown, `pre` ends where it is closed, and what else is HTML at the
/// next free line.
fn program(text: &str, depth: usize) -> String {
    let mut html = String::from("<pre class=\"program\" tabindex=\"0\"><code>");
    let mut at = 0;
    let kind = Kind::of(text);
    for (range, class) in kind.highlight(text) {
        html.push_str(&escape(&text[at..range.start]));
        let _ = write!(html, "<span class=\"{}\">{}</span>", class.style_class(), escape(&text[range.clone()]));
        at = range.end;
    }
    html.push_str(&escape(&text[at..]));
    html.push_str("</code></pre>\n");
    let open = if kind.is(&document::PROGRAM) { "Step through it" } else { "Open it in the page" };
    let made_for = kind.definition().notation.and_then(Model::of_notation);
    let settings = Settings { text: text.to_owned(), model: made_for.unwrap_or_default(), ..Settings::default() };
    let link = link::encode(&settings);
    let _ = write!(html, "<p class=\"open\"><a href=\"{}../{link}\">{open}</a></p>\n\n", "../".repeat(depth));
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root;
    use litmoscope::syntax::Severity;

    #[test]
    fn programs_get_colours_and_links_and_stay_text() {
        let text = "shared x\nx := 1 || r := x // <b>\nexists (r = 0 /\\ x < 2)\n";
        let mut chapter = Chapter::new(
            "A",
            format!("# A\n\n```lit\n{text}```\nend\n\n```text\nas it is\n```\n"),
            "b/a.md",
            Vec::new(),
        );
        in_chapter(&mut chapter);
        let html = &chapter.content;
        assert!(
            html.starts_with("# A\n\n<pre class=\"program\"") && html.ends_with("end\n\n```text\nas it is\n```\n"),
            "{html}"
        );
        assert!(html.contains("<span class=\"tok-comment\">// &lt;b&gt;</span>") && !html.contains("<b>"), "{html}");
        let link = html.split("<a href=\"../../").nth(1).and_then(|rest| rest.split('"').next()).expect("a link");
        assert!(matches!(link::open(link), Ok(link::Linked::Session(settings)) if settings.text == text));
        assert_eq!(
            transcript("$ a <b\nc\n"),
            "<pre tabindex=\"0\"><code><span class=\"command\">$ a &lt;b</span>\nc\n</code></pre>\n"
        );
    }

    #[test]
    fn the_table_of_contents_knows_its_page() {
        let mut outer = Chapter::new("A & B", String::new(), "a/index.md", Vec::new());
        outer.sub_items.push(Chapter::new("C", String::new(), "a/c.md", Vec::new()).into());
        let items = [BookItem::PartTitle("Part".to_owned()), outer.into()];
        assert_eq!(
            contents(&items, "a/c.html"),
            "<h2>Part</h2>\n<ol>\n<li><a href=\"../a/index.html\">A &amp; B</a><ol>\n\
             <li><a href=\"../a/c.html\" aria-current=\"page\">C</a></li>\n</ol>\n</li>\n</ol>\n"
        );
    }

    #[test]
    fn texts_of_the_book_can_be_read() {
        let (mut read, mut wrong) = (0, String::new());
        for (path, chapter) in chapters(&root().join("book")).expect("the book can be read") {
            for Block { kind, text, .. } in blocks(&chapter) {
                let said = match &*kind {
                    kind if TEXTS.contains(&kind) => Kind::of(&text).read(&text).err().map(|problems| {
                        let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
                        errors.map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ")
                    }),
                    "console" | "json" | "rust" | "sh" | "text" | "toml" | "html" | "latex" | "python" | "xml"
                    | "yaml" => {
                        continue;
                    }
                    _ => Some("what kind of block is this?".to_owned()),
                };
                read += 1;
                if let Some(said) = said {
                    let _ = writeln!(wrong, "{}: {kind}: {said}\n{text}", path.display());
                }
            }
        }
        assert!(wrong.is_empty() && read > 15, "{read} texts\n{wrong}");
    }

    #[test]
    fn the_pages_are_clean_and_their_links_lead_somewhere() {
        let files = make(&root().join("book")).expect("mdBook takes it");
        for (name, content) in files.iter().filter(|(name, _)| name.ends_with(".html")) {
            let page = String::from_utf8_lossy(content);
            assert!(page.contains("aria-current=\"page\""), "{name} is not in its table of contents");
            for tag in crate::links::tags(&page) {
                let script = tag.starts_with("script") && !tag.contains(" src=\"");
                let forbidden = ["style", "iframe", "object", "form"].iter().any(|name| tag.starts_with(name));
                assert!(!script && !forbidden && !tag.contains(" style=") && !tag.contains(" on"), "{name}: <{tag}>");
            }
        }
        assert!(
            files.keys().any(|name| name.starts_with("searchindex")) && !files.keys().any(|name| name.contains("font"))
        );
        let site: Files = files.into_iter().map(|(name, content)| (format!("book/{name}"), content)).collect();
        let broken = crate::links::broken(&site);
        // The atlas is looked at with the whole site.
        let broken: Vec<&String> = broken.iter().filter(|link| !link.contains("atlas/")).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    /// The values of a block's variables, by their names.
    fn variables<'a>(sheet: &'a str, beginning: &str) -> Vec<(&'a str, &'a str)> {
        let (_, block) = sheet.split_once(beginning).expect("the block is there");
        let (block, _) = block.split_once('}').expect("it ends");
        block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(": ")).collect()
    }

    #[test]
    fn the_book_has_the_colours_of_the_page() {
        let read = |name: &str| fs::read_to_string(root().join(name)).expect("a style sheet");
        let (page, book) = (read("styles/main.css"), read("book/theme/book.css"));
        for (of_page, of_book) in [
            (":root {", ":root {"),
            (":root[data-theme=\"dark\"] {", "@media (prefers-color-scheme: dark) {\n  :root {"),
        ] {
            let (known, own) = (variables(&page, of_page), variables(&book, of_book));
            assert!(own.len() > 10, "{of_book}: {own:?}");
            for (name, value) in own {
                // Its own names are those of its boxes.
                let known = known.iter().find(|(other, _)| *other == name);
                assert!(known.is_none_or(|(_, other)| *other == value), "{name} is {value} in {of_book}");
                assert!(known.is_some() || ["mark", "note", "warning"].contains(&name), "{name}");
            }
        }
    }
}
