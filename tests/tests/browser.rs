//! The built page in a real browser.

use std::time::Instant;

use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, ViewRequest, link};
use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::site::Site;
use serde_json::{Value, json};

const STORE_BUFFERING: &str = "x := 1 || y := 1\na := y || b := x\n\nexists (P0:a = 0 /\\ P1:b = 0)";

/// As many executions as eight threads have orders.
const LONG: &str = "a := fai(x) || b := fai(x) || c := fai(x) || d := fai(x) || e := fai(x) || f := fai(x) || \
                    g := fai(x) || h := fai(x)";

#[tokio::test]
async fn the_page_runs_at_the_root_of_a_server() {
    the_page_runs_under("/").await;
}

#[tokio::test]
async fn the_page_runs_under_any_path() {
    the_page_runs_under("/a/b/").await;
}

async fn the_page_runs_under(path: &str) {
    let site = Site::serve(path);
    let browser = Browser::start().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    browser.expect_text("h1", "Litmoscope").await;
    browser.expect_text("#step-name", "start").await;
    assert_eq!(browser.console_problems().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_page_allows_itself_nothing_from_elsewhere() {
    const POLICY: &str = "return document.querySelector('meta[http-equiv=Content-Security-Policy]').content";
    let site = Site::serve("/");
    let browser = Browser::start().await;
    browser.goto(site.url()).await.expect("the page can be opened");
    let policy = browser.execute(POLICY, vec![]).await.expect("the page has a policy");
    let policy = policy.as_str().expect("the policy is text");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for forbidden in ["'unsafe-inline'", "'unsafe-eval'", "http:", "https:", "*"] {
        assert!(!policy.contains(forbidden), "{forbidden} in {policy}");
    }
}

/// A page that is up, and what one does with it.
struct Page {
    browser: Browser,
    site: Site,
}

impl Page {
    async fn open() -> Self {
        let page = Self { browser: Browser::start().await, site: Site::serve("/") };
        page.go("").await;
        page
    }

    /// Opens the page anew, with a fragment.
    async fn go(&self, fragment: &str) {
        // From elsewhere, so that a change of the fragment alone loads the page too.
        self.browser.goto("about:blank").await.expect("there is an empty page");
        self.browser.goto(&format!("{}{fragment}", self.site.url())).await.expect("the page can be opened");
        self.browser.settled().await;
    }

    async fn click(&self, selector: &str) {
        let element = self.browser.find(Locator::Css(selector)).await.expect(selector);
        element.click().await.expect(selector);
    }

    /// Replaces the program, key by key.
    async fn type_program(&self, text: &str) {
        self.click("#editor").await;
        self.browser.script("document.querySelector('#editor').select()", vec![]).await;
        let editor = self.browser.find(Locator::Css("#editor")).await.expect("there is an editor");
        editor.send_keys(text).await.expect("the editor takes keys");
        self.browser.settled().await;
    }

    /// Presses keys one after the other, wherever the focus is.
    async fn press(&self, keys: &[Key]) {
        for &key in keys {
            self.press_char(char::from(key)).await;
        }
    }

    async fn press_char(&self, key: char) {
        let actions =
            KeyActions::new("keys".to_owned()).then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        self.browser.perform_actions(actions).await.expect("keys can be pressed");
        self.browser.settled().await;
    }

    async fn text(&self, selector: &str) -> String {
        let text = self
            .browser
            .script("return document.querySelector(arguments[0])?.textContent", vec![json!(selector)])
            .await;
        text.as_str().unwrap_or_default().to_owned()
    }

    async fn count(&self, selector: &str) -> u64 {
        let count =
            self.browser.script("return document.querySelectorAll(arguments[0]).length", vec![json!(selector)]).await;
        count.as_u64().expect("a count")
    }

    async fn program(&self) -> String {
        let text = self.browser.script("return document.querySelector('#editor').value", vec![]).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The labels of all nodes and the names of all edges: what the graph says.
    async fn graph(&self) -> Value {
        const GRAPH: &str = "return [
            [...document.querySelectorAll('#graph .node')].map(n => n.dataset.event + ' ' + n.dataset.label),
            [...document.querySelectorAll('#graph .edge')].map(e => `${e.dataset.from} ${e.dataset.relation} ${e.dataset.to}`),
        ]";
        self.browser.script(GRAPH, vec![]).await
    }

    async fn nothing_complained(&self) {
        assert_eq!(self.browser.console_problems().await, Vec::<String>::new());
    }
}

fn settings(text: &str, model: Model, position: u64) -> Settings {
    let text = text.to_owned();
    Settings { text, model, options: Options::default(), position, ..Settings::default() }
}

#[tokio::test]
async fn steps_show_what_the_engine_says() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let mut session = Session::open(settings(STORE_BUFFERING, Model::Sc, 0)).expect("it is a program");
    for _ in 0..200 {
        assert!(session.forward());
        page.click("#forward").await;
        page.browser.settled().await;
        // The page leaves out fr at first, as well as some relations that SC does not have.
        let hidden = page.browser.script("return localStorage.getItem('litmoscope.hidden')", vec![]).await;
        let hidden = hidden.as_str().expect("what is hidden is stored");
        let hidden = litmoscope::graph::RelationName::ALL
            .into_iter()
            .filter(|relation| hidden.split(' ').any(|name| name == relation.name()))
            .collect();
        let view = session.view(&ViewRequest { hidden, ..ViewRequest::default() });
        assert_eq!(page.text("#position").await, view.position.to_string());
        assert_eq!(page.text("#step-name").await, view.step_name);
        assert_eq!(page.text("#explanation").await, view.explanation);
        let labels: Vec<_> = view.drawing.nodes.iter().map(|node| format!("{} {}", node.name, node.label)).collect();
        let graph = page.graph().await;
        assert_eq!(graph[0], json!(labels));
        assert_eq!(graph[1].as_array().map(Vec::len), Some(view.drawing.edges.len()));
        if view.done {
            break;
        }
    }
    assert!(session.is_done());
    assert_eq!(page.text("#count-complete").await, "3");
    assert_eq!(page.text("#count-dropped").await, "1");
    assert_eq!(page.count("#outcomes tbody tr").await, 3);
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_outcome_leads_to_its_execution() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let select = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    select.select_by_value("tso").await.expect("TSO can be picked");
    page.browser.settled().await;
    page.click("#run").await;
    page.browser.settled().await;
    assert_eq!(page.text("#count-complete").await, "4");
    assert_eq!(page.count("#outcomes tr.satisfying").await, 1);
    page.click("#outcomes tr.satisfying button").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    assert_eq!(page.count("#graph .node[data-label='R(x,0)'], #graph .node[data-label='R(y,0)']").await, 2);
    // A relation can be taken out of the drawing.
    assert!(page.count("#graph .edge[data-relation=rf]").await > 0);
    page.click("#legend [data-relation=rf]").await;
    page.browser.settled().await;
    assert_eq!(page.count("#graph .edge[data-relation=rf]").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn an_error_is_shown_at_its_place_and_nothing_is_lost() {
    let page = Page::open().await;
    let broken = "x := 1 || a := x\nb := ) || c := x";
    page.type_program(broken).await;
    assert_eq!(page.program().await, broken);
    assert!(page.text("#problems .error .place").await.starts_with("2:"));
    assert_eq!(page.count(".gutter .mark.error").await, 1);
    assert!(page.count(".copy .line:nth-of-type(2) .error, .copy .line .error").await > 0);
    assert!(page.text("#stale").await.contains("errors"));
    // A click leads to it.
    page.click("#problems .problem.error").await;
    let at = page.browser.script("return document.querySelector('#editor').selectionStart", vec![]).await;
    assert!(at.as_u64().is_some_and(|at| at >= 17), "{at}");
    // The text is there after a reload.
    page.go("").await;
    assert_eq!(page.program().await, broken);
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_to_the_same_step() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    for _ in 0..11 {
        page.click("#forward").await;
        page.browser.settled().await;
    }
    page.click("#share").await;
    page.browser.wait_until("return document.querySelector('#notice').textContent.includes('ink')", vec![]).await;
    let address = page.browser.current_url().await.expect("the page has an address");
    let fragment = address.fragment().expect("the address holds the link");
    assert_eq!(link::decode(fragment).expect("it is a link"), settings(STORE_BUFFERING, Model::Sc, 11));

    let other = Page::open().await;
    other.go(&format!("#{fragment}")).await;
    assert_eq!(other.program().await, STORE_BUFFERING);
    assert_eq!(other.text("#position").await, "11");
    assert_eq!(other.text("#explanation").await, page.text("#explanation").await);
    assert_eq!(other.graph().await, page.graph().await);
    other.nothing_complained().await;
}

#[tokio::test]
async fn a_damaged_link_changes_nothing() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    let mut damaged = link::encode(&settings("y := 2 || b := y", Model::Ra, 3));
    damaged.truncate(damaged.len() - 9);
    page.go(&damaged).await;
    assert!(page.text("#notice").await.contains("link"), "{}", page.text("#notice").await);
    assert_eq!(page.program().await, STORE_BUFFERING);
    assert_eq!(page.text("#position").await, "0");
}

#[tokio::test]
async fn a_link_keeps_the_text_that_it_replaces() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::Tso, 2))).await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
}

#[tokio::test]
async fn an_example_can_be_opened_and_the_own_text_comes_back() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    page.click("#open-gallery").await;
    page.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
    page.click("#gallery [data-example=IRIW]").await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('IRIW')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "start");
    assert_eq!(page.count("#graph .column").await, 4);
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_long_run_can_be_stopped_and_typing_goes_on() {
    let page = Page::open().await;
    page.type_program(LONG).await;
    page.click("#run").await;
    page.browser.wait_until("return !!document.querySelector('#progress')", vec![]).await;
    // Frames are drawn while it runs.
    const SLOWEST: &str = "const done = arguments[0]; let last = performance.now(), worst = 0, n = 0;
        requestAnimationFrame(function frame(now) {
            worst = Math.max(worst, now - last); last = now;
            if (++n < 40) requestAnimationFrame(frame); else done(worst);
        });";
    let worst = page.browser.execute_async(SLOWEST, vec![]).await.expect("frames are drawn");
    let started = Instant::now();
    page.click("#stop").await;
    page.browser.settled().await;
    println!("the slowest frame took {worst} ms, stopping {:?}", started.elapsed());
    let position: u64 = page.text("#position").await.parse().expect("a number");
    assert!(position > 100);
    // On it goes from there, until an edit ends it.
    page.click("#run").await;
    page.browser.wait_until("return !!document.querySelector('#progress')", vec![]).await;
    page.type_program(STORE_BUFFERING).await;
    assert_eq!(page.text("#position").await, "0");
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_keyboard_is_enough() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::Right, Key::Right]).await;
    page.press_char('n').await;
    assert_eq!(page.text("#position").await, "3");
    page.press_char('p').await;
    assert_eq!(page.text("#position").await, "2");
    page.press_char('e').await;
    assert_eq!(page.text("#step-name").await, "complete");
    page.press(&[Key::End]).await;
    assert_eq!(page.text("#step-name").await, "done");
    page.press(&[Key::Home]).await;
    assert_eq!(page.text("#position").await, "0");
    page.press_char('?').await;
    page.browser.wait_until("return document.querySelector('#help').open", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.querySelector('#help').open", vec![]).await;
    page.press_char('l').await;
    page.browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.body.dataset.lecture", vec![]).await;
    // Letters in the editor are text.
    page.press_char('i').await;
    page.press_char('n').await;
    assert_eq!(page.program().await.len(), STORE_BUFFERING.len() + 1);
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_tree_can_be_walked() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    page.browser.script("document.querySelector('#tree').focus()", vec![]).await;
    page.press(&[Key::Home, Key::Down, Key::Enter]).await;
    assert!(page.text("#step-name").await.contains("complete"));
    let rows = page.count("#tree [role=treeitem]").await;
    assert_eq!(rows, 4);
    page.press(&[Key::Home, Key::Left]).await;
    assert_eq!(page.count("#tree [role=treeitem]").await, 1);
    page.press(&[Key::Right]).await;
    assert_eq!(page.count("#tree [role=treeitem]").await, rows);
}

#[tokio::test]
async fn nothing_is_wider_than_the_screen() {
    const OVERFLOW: &str =
        "return document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth
        || document.documentElement.scrollHeight > innerHeight";
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    for (width, height) in [(1280, 800), (1920, 1080)] {
        page.browser.resize(width, height).await;
        assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{width}x{height}");
    }
    page.browser.resize(390, 844).await;
    for tab in ["#tab-program", "#tab-graph", "#tab-tree", "#tab-results"] {
        page.click(tab).await;
        assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{tab}");
        // Fingers need room.
        const SMALL: &str = "return [...document.querySelectorAll('button, select, input[type=number]')]
            .filter(e => e.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }))
            .filter(e => { const r = e.getBoundingClientRect(); return r.width < 39.5 || r.height < 39.5; })
            .map(e => e.id || e.className)";
        assert_eq!(page.browser.script(SMALL, vec![]).await, json!([]), "{tab}");
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_theme_follows_the_system_until_one_is_chosen() {
    let page = Page::open().await;
    let theme = "return document.documentElement.dataset.theme === arguments[0]";
    page.browser.prefer(ColorScheme::Dark).await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.browser.prefer(ColorScheme::Light).await;
    page.browser.wait_until(theme, vec![json!("light")]).await;
    page.click("#theme").await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.go("").await;
    page.browser.wait_until(theme, vec![json!("dark")]).await;
    page.nothing_complained().await;
}

/// The page takes the same steps as the native engine, for every program of the gallery under every model: the
/// fingerprints of whole explorations are equal.
#[tokio::test]
async fn the_whole_gallery_is_explored_as_natively() {
    let page = Page::open().await;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../public");
    let index = std::fs::read_to_string(folder.join("gallery.json")).expect("there is a gallery");
    let index: Vec<Value> = serde_json::from_str(&index).expect("the gallery is a list");
    assert!(index.len() >= 20);
    for entry in &index {
        let text = std::fs::read_to_string(folder.join(entry["file"].as_str().expect("a file"))).expect("it exists");
        let mut options = Options::default();
        if let Some(unroll) = entry["unroll"].as_u64() {
            options.limits.unroll = unroll as u32;
        }
        for model in Model::ALL {
            let settings = Settings { options, ..settings(&text, model, 0) };
            let mut native = Session::open(settings.clone()).expect("gallery programs can be explored");
            native.run(u64::MAX);
            page.go(&link::encode(&settings)).await;
            page.press(&[Key::Escape, Key::End]).await;
            page.browser.wait_until("return !!document.querySelector('#fingerprint')", vec![]).await;
            let name = entry["name"].as_str().unwrap_or_default();
            assert_eq!(page.text("#position").await, native.frontier().to_string(), "{name} under {model}");
            assert_eq!(page.text("#fingerprint").await, native.fingerprint(), "{name} under {model}");
        }
    }
    page.nothing_complained().await;
}
