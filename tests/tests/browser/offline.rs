//! The page without a network, and how a new version takes over.

use crate::page::{Page, STORE_BUFFERING, settings};
use litmoscope::model::Model;
use litmoscope::session::link;
use litmoscope_tests::browser::Browser;
use litmoscope_tests::site;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Whether everything is kept and a page's requests are answered from there.
const READY: &str = "return !!navigator.serviceWorker.controller";
const CACHES: &str = "return caches.keys().then((names) => names.sort())";
const GALLERY: &str = "return fetch('public/gallery.json').then((response) => response.text())";

impl Page {
    /// A site, and a window that shows nothing of it yet.
    async fn that_can_keep_itself() -> Self {
        Self { site: site::serve("/"), browser: Browser::start().await }
    }

    async fn keeps_itself(&self) {
        self.browser.wait_until(READY, vec![]).await;
    }

    /// Opens the page in a new tab.
    async fn another_tab(&self, fragment: &str) {
        self.browser.new_tab().await;
        self.browser.resize(1280, 800).await;
        self.go(fragment).await;
    }

    async fn pick(&self, name: &str) {
        self.click("#open-gallery").await;
        self.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
        self.click(&format!("#gallery [data-example={name}]")).await;
        const PICKED: &str = "return document.querySelector('#editor').value.includes(arguments[0])";
        self.browser.wait_until(PICKED, vec![json!(name)]).await;
        self.browser.settled().await;
    }

    async fn explore_everything(&self) {
        self.click("#run-all").await;
        const OVER: &str = "return document.querySelector('#run-panel')?.dataset.going !== 'true'
            && !!document.querySelector('#count-complete')";
        self.browser.wait_until(OVER, vec![]).await;
    }

    async fn title(&self) -> String {
        self.browser.title().await.expect("a page has a title")
    }

    async fn caches(&self) -> Vec<String> {
        let names = self.browser.script(CACHES, vec![]).await;
        serde_json::from_value(names).expect("a list of names")
    }
}

#[tokio::test]
async fn nothing_is_asked_of_the_network_after_the_first_visit() {
    let mut page = Page::that_can_keep_itself().await;
    page.go("").await;
    page.keeps_itself().await;
    page.site.stop();
    // What was opened first goes on,
    page.pick("IRIW").await;
    page.explore_everything().await;
    // and so does what is opened now.
    page.another_tab("").await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "1");
    page.pick("MP").await;
    page.explore_everything().await;
    page.press_char('m').await;
    page.browser.settled().await;
    page.go("#tour=store-buffering:3").await;
    let third = "return document.querySelector('#lecture-place').textContent === 'Scene 3 of 7'";
    page.browser.wait_until(third, vec![]).await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 5))).await;
    assert_eq!(page.text("#position").await, "5");
    page.go("?embed=graph").await;
    page.go("index.html").await;
    page.nothing_complained().await;
}

/// Whether all that the service worker lists is kept. The book and the atlas come last, when the page is idle.
const ALL: &str = "return Promise.all([
        fetch('service-worker.js').then((script) => script.text()),
        caches.keys().then((names) => Promise.all(names.map(async (name) => (await caches.open(name)).keys()))),
    ]).then(([script, kept]) => {
        const listed = [...script.matchAll(/^ {2}\"(.*)\": \"sha256-/gm)].map(([, name]) => new URL(name, location).href);
        const addresses = new Set(kept.flat().map(({ url }) => url));
        return listed.some((url) => url.includes('book/')) && listed.every((url) => addresses.has(url));
    })";

#[tokio::test]
async fn the_book_can_be_read_and_searched_without_a_network() {
    let mut page = Page::that_can_keep_itself().await;
    page.go("").await;
    page.keeps_itself().await;
    page.browser.wait_until(ALL, vec![]).await;
    page.site.stop();
    page.read("book/").await;
    page.look_up("out of thin air").await;
    const FOUND: &str =
        "return [...document.querySelectorAll('#found a')].some(({ href }) => href.includes('models/rc11'))";
    page.browser.wait_until(FOUND, vec![]).await;
    page.click("header .brand").await;
    page.browser.settled().await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_new_version_takes_over_at_the_next_load() {
    let first = version("first");
    let page = Page { site: site::serve("/some/where/"), browser: Browser::start().await };
    page.site.publish(first.path()).expect("it is there");
    page.go("").await;
    page.keeps_itself().await;
    let old = page.caches().await;
    assert_eq!(old.len(), 2, "one version, and who has it: {old:?}");
    // Neither another program's at the same origin, nor another copy's.
    let others = ["something else", "litmoscope http://127.0.0.1/elsewhere/ 1"];
    page.browser.script("return Promise.all(arguments[0].map((name) => caches.open(name)))", vec![json!(others)]).await;

    let second = version("second");
    page.site.publish(second.path()).expect("it is there");
    page.go("").await;
    assert_eq!(page.title().await, "first");
    // It is there by now, but this page stays whole.
    let arrived = "return caches.keys().then((names) => names.length === 5)";
    page.browser.wait_until(arrived, vec![]).await;
    let active = "return navigator.serviceWorker.getRegistration().then((r) => !r.installing && !r.waiting)";
    page.browser.wait_until(active, vec![]).await;
    assert!(of(page.browser.script(GALLERY, vec![]).await, "first"));
    let first_tab = page.browser.window().await.expect("there is a tab");
    page.another_tab("").await;
    assert_eq!(page.title().await, "second");
    assert!(of(page.browser.script(GALLERY, vec![]).await, "second"));
    page.browser.switch_to_window(first_tab).await.expect("it is still there");
    assert!(of(page.browser.script(GALLERY, vec![]).await, "first"));
    page.explore_everything().await;
    page.go("").await;
    assert_eq!(page.title().await, "second");
    let gone = "return caches.keys().then((names) => names.length === 4 && !names.includes(arguments[0]))";
    page.browser.wait_until(gone, vec![json!(old[0])]).await;
    let left = page.caches().await;
    assert!(others.iter().all(|other| left.iter().any(|name| name == other)), "{left:?}");

    // What is not whole is not taken.
    let third = version("third");
    fs::write(third.path().join("public/gallery.json"), "half of the").expect("it can be written");
    page.site.publish(third.path()).expect("it is there");
    let refused = "return navigator.serviceWorker.getRegistration().then((r) => r.update()).then(
        (r) => new Promise((done) => {
            const look = () => r.installing ? setTimeout(look, 10) : done(true);
            look();
        }), () => true)";
    page.browser.script(refused, vec![]).await;
    page.go("").await;
    assert_eq!(page.title().await, "second");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_part_in_another_page_keeps_nothing() {
    let page = Page::that_can_keep_itself().await;
    page.go("?embed=stepper").await;
    page.has_kept_nothing().await;
    page.nothing_complained().await;
    // Nor does the whole page in a frame.
    page.browser.goto(&format!("{}public/sb.lit", page.site.url())).await.expect("there is a text");
    const PUT: &str = "const frame = document.createElement('iframe'); frame.src = arguments[0];
        document.body.replaceChildren(frame)";
    page.browser.script(PUT, vec![json!(page.site.url())]).await;
    let frame = page.browser.find(fantoccini::Locator::Css("iframe")).await.expect("there is a frame");
    frame.enter_frame().await.expect("it can be entered");
    page.browser.settled().await;
    page.has_kept_nothing().await;
}

impl Page {
    /// Long enough after the start for everything that is kept to be asked for.
    async fn has_kept_nothing(&self) {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        const NONE: &str = "return Promise.all([caches.keys(), navigator.serviceWorker.getRegistrations()])
            .then((kept) => kept.flat().length)";
        assert_eq!(self.browser.script(NONE, vec![]).await, json!(0));
    }
}

#[tokio::test]
async fn the_page_does_without_service_workers() {
    let refusals = [
        "delete Navigator.prototype.serviceWorker",
        "if (window.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('no', 'SecurityError'))",
    ];
    for refusal in refusals {
        let page = Page::that_can_keep_itself().await;
        page.before(refusal).await;
        page.go("").await;
        page.pick("IRIW").await;
        page.nothing_complained().await;
    }
}

#[tokio::test]
async fn the_page_can_be_installed() {
    let page = Page::that_can_keep_itself().await;
    page.go("").await;
    page.keeps_itself().await;
    let manifest = page.browser.devtools("Page.getAppManifest", json!({})).await;
    assert_eq!(manifest["errors"], json!([]), "{manifest}");
    assert_eq!(manifest["url"], json!(format!("{}manifest.webmanifest", page.site.url())));
    let obstacles = page.browser.devtools("Page.getInstallabilityErrors", json!({})).await;
    assert_eq!(obstacles["installabilityErrors"], json!([]), "{obstacles}");
    let manifest: Value =
        serde_json::from_str(manifest["data"].as_str().unwrap_or_default()).expect("the manifest is JSON");
    // Relative, so that the site may be anywhere.
    assert_eq!((&manifest["start_url"], &manifest["scope"]), (&json!("./"), &json!("./")));
    assert_eq!(manifest["display"], json!("standalone"));
    let icons = manifest["icons"].as_array().expect("there are icons");
    for (size, purpose) in [(192, "any"), (512, "any"), (512, "maskable")] {
        let sizes = format!("{size}x{size}");
        let icon = icons.iter().find(|icon| icon["sizes"] == json!(sizes) && icon["purpose"] == json!(purpose));
        let name = icon.and_then(|icon| icon["src"].as_str()).unwrap_or_else(|| panic!("no {purpose} icon of {size}"));
        let file = fs::File::open(site::built().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("it is a PNG file");
        assert_eq!((reader.info().width, reader.info().height), (size, size), "{name}");
    }
    page.nothing_complained().await;
}

/// As before the page was idle for the first time.
const NEVER_IDLE: &str = "self.requestIdleCallback = () => 0";

#[tokio::test]
async fn a_first_visit_loads_what_the_steps_need() {
    const MOST: [(&[&str], usize); 2] = [(&["wasm"], 1_210_000), (&["js", "css"], 60_000)];
    let page = Page::that_can_keep_itself().await;
    page.before(NEVER_IDLE).await;
    page.go("").await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "1");
    let asked = page.site.asked();
    for (endings, most) in MOST {
        let is_one = |file: &&PathBuf| file.extension().is_some_and(|end| endings.iter().any(|name| end == *name));
        let files: Vec<&PathBuf> = asked.iter().filter(is_one).collect();
        let size: usize = files.iter().map(|file| site::gzipped(&fs::read(file).expect("it can be read"))).sum();
        assert!(!files.is_empty() && size <= most, "{size} bytes, compressed, of {files:?}");
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_can_not_be_loaded_is_said_and_loaded_again() {
    let lacking = without(&["models", "trust", "why_not_half"]);
    let page = Page::unopened().await;
    page.site.publish(lacking.path()).expect("it is there");
    page.go("").await;
    // A panel.
    page.press_char('m').await;
    const SAID: &str = "return document.querySelector('.models .failed [role=alert]')
        .textContent.startsWith('Could not load the comparison of models')";
    page.browser.wait_until(SAID, vec![]).await;
    page.press_char('m').await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "1");
    page.press_char('m').await;
    page.site.publish(&site::built()).expect("it is there");
    page.click(".models .load-again").await;
    page.browser.wait_until("return !!document.querySelector('#compare-table .compared')", vec![]).await;
    assert_eq!(page.count(".failed").await, 0);
    page.press_char('m').await;
    // What a lab's worker needs.
    page.site.publish(lacking.path()).expect("it is there");
    page.press_char('w').await;
    page.browser.wait_until("return !!document.querySelector('.lacking')", vec![]).await;
    page.site.publish(&site::built()).expect("it is there");
    page.click(".lacking .load-again").await;
    page.browser.wait_until("return !!document.querySelector('#why-verdict')", vec![]).await;
    assert_eq!(page.count(".lacking").await, 0);
    page.press_char('w').await;
    // An algorithm: the one before goes on instead.
    page.site.publish(lacking.path()).expect("it is there");
    let choose = "const select = document.querySelector('#algorithm'); select.value = arguments[0];
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.script(choose, vec![json!("trust")]).await;
    page.browser.wait_until("return !!document.querySelector('.lacking')", vec![]).await;
    assert!(page.text(".lacking [role=alert]").await.starts_with("Could not load TruSt:"));
    page.choose_algorithm("genmc").await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "1");
    // What was said before must not be taken for what is said of the next try.
    page.click(".lacking .close").await;
    page.browser.wait_until("return !document.querySelector('.lacking')", vec![]).await;
    page.browser.script(choose, vec![json!("trust")]).await;
    page.browser.wait_until("return !!document.querySelector('.lacking')", vec![]).await;
    page.site.publish(&site::built()).expect("it is there");
    page.click(".lacking .load-again").await;
    page.browser.settled().await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!((page.text("#position").await, page.count(".lacking").await), ("1".to_owned(), 0));
}

/// Store buffering in herd's C.
const C11: &str = "C SB
{}
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int a = atomic_load_explicit(y, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int b = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:a=0 /\\ 1:b=0)
";

#[tokio::test]
async fn programs_in_herds_dialects_bring_what_reads_them() {
    let page = Page::unopened().await;
    page.before(NEVER_IDLE).await;
    // A link is opened where it leads to, under its model.
    page.go(&link::encode(&settings(C11, Model::SRA, 3))).await;
    assert_eq!(page.text("#position").await, "3");
    let chosen = "return document.querySelector('#model').value";
    assert_eq!(page.browser.script(chosen, vec![]).await, json!("sra"));
    assert_eq!(page.count(".problems.broken").await, 0);
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.number("#count-complete").await, 4);
    page.nothing_complained().await;
}

#[tokio::test]
async fn programs_in_herds_dialects_wait_and_are_not_lost() {
    let lacking = without(&["dialects"]);
    let page = Page::unopened().await;
    page.site.publish(lacking.path()).expect("it is there");
    page.before(NEVER_IDLE).await;
    page.go("").await;
    page.click("#editor").await;
    page.browser.script("document.querySelector('#editor').select()", vec![]).await;
    page.browser
        .find(fantoccini::Locator::Css("#editor"))
        .await
        .expect("an editor")
        .send_keys(C11)
        .await
        .expect("keys");
    page.browser.wait_until("return !!document.querySelector('.lacking')", vec![]).await;
    assert!(page.text(".lacking [role=alert]").await.starts_with("Could not load what reads such programs:"));
    assert!(page.text(".problems").await.contains("what reads such programs is still being loaded"));
    assert_eq!(page.program().await, C11);
    page.site.publish(&site::built()).expect("it is there");
    page.click(".lacking .load-again").await;
    page.browser.wait_until("return !document.querySelector('.lacking, .problems.broken')", vec![]).await;
    page.browser.settled().await;
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!((page.text("#position").await, page.program().await), ("1".to_owned(), C11.to_owned()));
}

#[tokio::test]
async fn a_part_that_takes_long_says_how_much_of_it_has_come() {
    let page = Page::unopened().await;
    page.before(NEVER_IDLE).await;
    page.go("").await;
    page.site.slow_down("split_models", std::time::Duration::from_millis(150));
    // All that the line says while it is there.
    const WATCH: &str = "window.said = []; new MutationObserver(() => {
        const share = document.querySelector('.models .part .share');
        if (share) said.push(share.innerText);
    }).observe(document.body, { subtree: true, childList: true, characterData: true })";
    page.browser.script(WATCH, vec![]).await;
    page.press_char('m').await;
    page.browser.wait_until("return !!document.querySelector('#compare-table .compared')", vec![]).await;
    let said = page.browser.script("return said", vec![]).await;
    let said: Vec<String> = serde_json::from_value(said).expect("texts");
    assert_eq!(said.first().map(String::as_str), Some(""), "at first it may be there soon: {said:?}");
    let shares = said.iter().filter(|text| !text.is_empty());
    let shares: Vec<u32> = shares.map(|text| text.trim_end_matches(" %").trim().parse().expect("a number")).collect();
    assert!(shares.is_sorted() && shares.iter().any(|share| (1..100).contains(share)), "{shares:?}");
    assert!(shares.iter().all(|share| *share <= 100), "{shares:?}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn all_parts_open_without_a_network() {
    let mut page = Page::that_can_keep_itself().await;
    page.go("").await;
    page.keeps_itself().await;
    page.site.stop();
    for (key, shown) in [
        ('m', "#compare-table"),
        ('w', ".why-not"),
        ('h', ".panel.consistency h2"),
        ('b', ".beside-body"),
        ('R', ".racing"),
        ('c', "dialog#cycle[open]"),
        ('u', "dialog#lessons[open]"),
        ('t', "dialog#scenes[open]"),
        ('y', "dialog#copying[open]"),
        ('S', "dialog#sharing[open]"),
        ('o', "dialog#recent[open]"),
        (',', "dialog#preferences[open]"),
        ('?', "dialog#help[open]"),
        ('q', "#question"),
    ] {
        page.another_tab("").await;
        page.press_char(key).await;
        page.browser.wait_until("return !!document.querySelector(arguments[0])", vec![json!(shown)]).await;
    }
    page.another_tab("").await;
    for algorithm in [
        "genmc_co",
        "trust",
        "trust_co",
        "rvf_smc",
        "vc_dpor",
        "eager_por",
        "messages",
        "rf_smc",
        "optimal_dpor",
        "brute_force",
        "sample",
    ] {
        if algorithm == "rf_smc" {
            page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 0))).await;
        }
        page.choose_algorithm(algorithm).await;
        page.click("#forward").await;
        page.browser.settled().await;
        assert_eq!(page.text("#position").await, "1", "{algorithm}");
    }
    page.nothing_complained().await;
}

/// A copy of the built site whose title and gallery bear a name.
fn version(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    copy(&site::built(), folder.path());
    for (file, from, to) in [
        ("index.html", "<title>Litmoscope</title>", format!("<title>{name}</title>")),
        ("public/gallery.json", "\"Store buffering", format!("\"{name} store buffering")),
    ] {
        let file = folder.path().join(file);
        let text = fs::read_to_string(&file).expect("the site has this file");
        assert!(text.contains(from), "{from} in {}", file.display());
        fs::write(&file, text.replace(from, &to)).expect("it can be written");
    }
    litmoscope_site::build::renew(folder.path()).expect("it can be written");
    folder
}

/// A copy of the built site that lacks these parts of the module.
fn without(parts: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    copy(&site::built(), folder.path());
    for part in parts {
        let files = fs::read_dir(folder.path()).expect("it is there").map(|entry| entry.expect("a file").path());
        let begins = format!("split_{part}-");
        let is_it = |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins));
        let files: Vec<PathBuf> = files.filter(is_it).collect();
        assert!(!files.is_empty(), "there is no part {part}");
        files.iter().for_each(|file| fs::remove_file(file).expect("it can be deleted"));
    }
    folder
}

/// Whether this gallery is that of a version.
fn of(gallery: Value, name: &str) -> bool {
    gallery.as_str().is_some_and(|text| text.contains(&format!("\"{name} store buffering")))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("there is a folder") {
        let entry: PathBuf = entry.expect("it can be read").path();
        let target = to.join(entry.file_name().expect("it has a name"));
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            fs::copy(&entry, &target).expect("it can be copied");
        }
    }
}
