//! Whether the links of pages lead somewhere.

use crate::Files;
use std::collections::HashSet;

/// What is wrong with the links of pages: `page: link`. Links that leave the site, and those to the page itself, whose fragments it
/// makes of programs, are not looked at.
pub fn broken(files: &Files) -> Vec<String> {
    let pages = files.iter().filter(|(name, _)| name.ends_with(".html"));
    let texts: Vec<(&str, String)> =
        pages.map(|(name, content)| (name.as_str(), String::from_utf8_lossy(content).into_owned())).collect();
    let ids: HashSet<(&str, &str)> =
        texts.iter().flat_map(|(name, text)| attribute(text, "id").map(|id| (*name, id))).collect();
    let mut broken = Vec::new();
    for (page, text) in &texts {
        for link in attribute(text, "href").chain(attribute(text, "src")) {
            if link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:") {
                continue;
            }
            let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = resolve(page, path);
            // The page itself, and what belongs to it.
            if target.as_deref().is_some_and(|target| target.is_empty() || target.starts_with("public/")) {
                continue;
            }
            let there = target.as_deref().is_some_and(|target| {
                files.contains_key(target) && (fragment.is_empty() || ids.contains(&(target, fragment)))
            });
            if !there {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    broken
}

/// The tags of a page, without what is in angle brackets: text has none.
pub(crate) fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag)
}

/// The values of an attribute in a page.
fn attribute<'a>(page: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let begins = format!(" {name}=\"");
    tags(page).filter_map(move |tag| tag.split_once(&begins)?.1.split('"').next())
}

/// The file that a relative address in a page means, by its name in the site; none outside of it.
fn resolve(page: &str, address: &str) -> Option<String> {
    if address.is_empty() {
        return Some(page.to_owned());
    }
    let mut path: Vec<&str> = page.split('/').collect();
    path.pop();
    for step in address.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            step => path.push(step),
        }
    }
    let mut target = path.join("/");
    if address.ends_with('/') && !target.is_empty() {
        target += "/index.html";
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let page = |text: &str| text.as_bytes().to_vec();
        let files: Files = [
            (
                "a/index.html",
                page("<a href=\"b.html#x\"> <a href=\"b.html#y\"> <a href=\"../#z\"> <a href=\"#here\" id=\"here\">"),
            ),
            (
                "a/b.html",
                page("<h1 id=\"x\"> <a href=\"./\"> <a href=\"../../out\"> <img src=\"c.svg\"> <img src=\"d.svg\">"),
            ),
            ("a/c.svg", page("picture")),
        ]
        .map(|(name, content)| (name.to_owned(), content))
        .into();
        assert_eq!(broken(&files), ["a/b.html: ../../out", "a/b.html: d.svg", "a/index.html: b.html#y"]);
    }
}
