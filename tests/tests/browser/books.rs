//! The pages that are there to be read: the book and the atlas.

use crate::access::{OF_COLOURS, RULES, violations};
use crate::page::Page;
use fantoccini::key::Key;
use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::site;
use serde_json::{Value, json};
use std::path::Path;

impl Page {
    /// Opens a page to be read.
    pub async fn read(&self, name: &str) {
        self.browser.goto(&format!("{}{name}", self.site.url())).await.expect("it can be opened");
    }

    /// Searches the book by its key.
    pub async fn look_up(&self, words: &str) {
        self.type_keys("/").await;
        assert_eq!(self.browser.script("return document.activeElement.id", vec![]).await, json!("search"));
        self.type_keys(words).await;
    }

    async fn type_keys(&self, text: &str) {
        use fantoccini::actions::{InputSource, KeyAction, KeyActions};
        let keys = text.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let actions = keys.fold(KeyActions::new("keys".to_owned()), InputSource::then);
        self.browser.perform_actions(actions).await.expect("keys can be pressed");
    }

    async fn only_to_be_read() -> Self {
        Self { site: site::serve("/at/"), browser: Browser::without_service_workers().await }
    }
}

/// The pages of the book and the atlas, by their names in the site.
fn pages(folder: &str) -> Vec<String> {
    fn collect(folder: &Path, name: &str, into: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("it is built") {
            let entry = entry.expect("it can be read");
            let inner = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                collect(&entry.path(), &inner, into);
            } else if inner.ends_with(".html") {
                into.push(inner);
            }
        }
    }
    let mut found = Vec::new();
    collect(&site::built().join(folder), folder, &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn pages_to_be_read_are_accessible_and_fit() {
    const SIZES: [(u32, u32); 2] = [(1280, 800), (390, 844)];
    /// Nothing but what scrolls by itself is wider than the window.
    const FITS: &str = "return document.documentElement.scrollWidth <= innerWidth";
    let page = Page::only_to_be_read().await;
    let mut wrong: Vec<Value> = Vec::new();
    let all: Vec<String> = pages("book").into_iter().chain(pages("atlas").into_iter().step_by(8)).collect();
    assert!(all.len() > 30, "{all:?}");
    for name in &all {
        page.read(name).await;
        for (width, height) in SIZES {
            page.browser.resize(width, height).await;
            if page.browser.script(FITS, vec![]).await != json!(true) {
                wrong.push(json!([name, width, "is wider than the window"]));
            }
        }
        for (scheme, rules) in [(ColorScheme::Light, &RULES[..]), (ColorScheme::Dark, &OF_COLOURS)] {
            wrong.extend(violations(&page.browser, name, scheme, rules).await);
        }
    }
    assert!(wrong.is_empty(), "{}", serde_json::to_string_pretty(&wrong).expect("JSON"));
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_book_is_searched_and_leafed_through_with_keys() {
    let page = Page::only_to_be_read().await;
    page.browser.resize(1280, 800).await;
    page.read("book/tutorial/store-buffering.html").await;
    page.look_up("release acquire").await;
    page.browser.wait_until("return document.querySelectorAll('#found mark').length > 0", vec![]).await;
    // Down to the second, up to the first, and there.
    let [down, up, enter, escape, right] = [Key::Down, Key::Up, Key::Enter, Key::Escape, Key::Right].map(char::from);
    page.type_keys(&[down, down, up].iter().collect::<String>()).await;
    let first = "return document.activeElement === document.querySelector('#found a')";
    assert_eq!(page.browser.script(first, vec![]).await, json!(true));
    let address = page.browser.script("return document.querySelector('#found a').href", vec![]).await;
    page.type_keys(&enter.to_string()).await;
    page.browser.wait_until("return location.href === arguments[0]", vec![address]).await;
    // What is not there is said; nothing that is typed becomes markup.
    page.look_up("<b>zyzzyva</b>").await;
    page.browser.expect_text("#found [role=status]", "“<b>zyzzyva</b>” is not in the book.").await;
    page.type_keys(&escape.to_string()).await;
    assert_eq!(page.browser.script("return document.querySelector('#found').hidden", vec![]).await, json!(true));
    page.read("book/models/tso.html").await;
    page.type_keys(&right.to_string()).await;
    page.browser.wait_until("return location.pathname.endsWith('/book/models/pso.html')", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_program_of_the_book_is_opened_in_the_page() {
    let page = Page::only_to_be_read().await;
    page.read("book/tutorial/store-buffering.html").await;
    let text = page.text(".program code").await;
    assert!(text.lines().count() > 2, "{text}");
    page.click(".open a").await;
    page.browser.settled().await;
    assert_eq!(page.program().await.trim_end(), text.trim_end());
    page.nothing_complained().await;
}
