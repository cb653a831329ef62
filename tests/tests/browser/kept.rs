//! What is kept, as sessions and preferences: nothing is lost, the page looks as one likes, and so do its parts elsewhere.

use crate::access::violations;
use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::graph::RelationName;
use litmoscope::model::Model;
use litmoscope::report::{Colours, Look, Theme};
use litmoscope::session::link;
use litmoscope_tests::browser::ColorScheme;
use litmoscope_tests::scenes::still;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

const MINE: &str = "// mine\nmine := 1 || a := mine";

impl Page {
    /// Presses a key together with Ctrl.
    pub async fn control(&self, key: &str) {
        let code = key.to_uppercase().chars().next().map_or(0, u32::from);
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({ "type": kind, "modifiers": 2, "key": key, "code": format!("Key{}", key.to_uppercase()),
                "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code });
            self.browser.devtools("Input.dispatchKeyEvent", event).await;
        }
    }

    /// What was done a moment ago is written down by now.
    pub async fn kept(&self) {
        self.browser.settled().await;
        sleep(Duration::from_millis(500)).await;
    }

    pub async fn new_tab(&self) {
        self.browser.new_tab().await;
        self.browser.resize(1280, 800).await;
        self.go("").await;
    }

    /// The rows of the recent sessions.
    async fn recent(&self) -> Vec<String> {
        const ROWS: &str =
            "return [...document.querySelectorAll('#recent-list .recent-open strong')].map(e => e.textContent)";
        serde_json::from_value(self.browser.script(ROWS, vec![]).await).expect("a list of texts")
    }

    async fn open_example(&self, name: &str) {
        self.click("#open-gallery").await;
        self.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
        self.click(&format!("#gallery [data-example={name}]")).await;
        self.browser
            .wait_until("return document.querySelector('#editor').value.includes(arguments[0])", vec![json!(name)])
            .await;
        self.browser.settled().await;
    }
}

#[tokio::test]
async fn a_reload_changes_nothing() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.choose_algorithm("trust_co").await;
    let model = page.browser.find(Locator::Css("#model")).await.expect("there is a picker");
    model.select_by_value("tso").await.expect("it can be picked");
    page.click("#stop-at-first").await;
    page.browser.settled().await;
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    for _ in 0..9 {
        page.press_char('n').await;
    }
    let (graph, words) = (page.graph().await, page.text("#explanation").await);
    page.kept().await;
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    assert_eq!(page.text("#position").await, "9");
    assert_eq!((page.graph().await, page.text("#explanation").await), (graph, words));
    const CHOSEN: &str = "return [document.querySelector('#model').value, document.querySelector('#algorithm').value,
        document.querySelector('#stop-at-first').checked]";
    assert_eq!(page.browser.script(CHOSEN, vec![]).await, json!(["tso", "trust_co", true]));
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_was_made_of_a_link_survives_a_reload() {
    let page = Page::open().await;
    let fragment = link::encode(&settings(STORE_BUFFERING, Model::TSO, 4));
    page.go(&fragment).await;
    page.type_program(MINE).await;
    page.kept().await;
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(page.program().await, MINE);
    // Opened anew, it is the link again.
    page.go(&fragment).await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    assert_eq!(page.text("#position").await, "4");
}

#[tokio::test]
async fn a_closed_tab_loses_nothing() {
    let page = Page::open().await;
    page.type_program(MINE).await;
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    page.press_char('n').await;
    page.kept().await;
    page.new_tab().await;
    assert_eq!(page.program().await, MINE);
    assert_eq!(page.text("#position").await, "2");
}

#[tokio::test]
async fn tabs_do_not_overwrite_each_other() {
    let page = Page::open().await;
    page.type_program(MINE).await;
    page.kept().await;
    let first = page.browser.window().await.expect("there is a tab");
    page.new_tab().await;
    page.type_program("// other\nother := 2 || b := other").await;
    page.kept().await;
    page.browser.switch_to_window(first).await.expect("it is still there");
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(page.program().await, MINE);
    page.press_char('o').await;
    assert_eq!(page.recent().await, ["other", "mine"]);
}

#[tokio::test]
async fn recent_programs_are_listed_opened_and_deleted() {
    let page = Page::open().await;
    page.type_program(MINE).await;
    page.press(&[Key::Escape]).await;
    for _ in 0..3 {
        page.press_char('n').await;
    }
    page.open_example("IRIW").await;
    page.open_example("MP").await;
    page.click("#open-recent").await;
    let rows = page.recent().await;
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[2], "mine");
    assert!(page.text("#recent-list li:last-child .recent-open span").await.contains("step 3"));
    assert_eq!(page.count("#recent-list [aria-current]").await, 1);
    // Typing goes on in the same entry.
    page.press(&[Key::Escape]).await;
    page.click("#editor").await;
    page.browser.find(Locator::Css("#editor")).await.expect("it is there").send_keys(" ").await.expect("it takes keys");
    page.kept().await;
    page.click("#open-recent").await;
    assert_eq!(page.recent().await.len(), 3);
    // By keys: the last row.
    page.browser.script("document.querySelector('#recent-list li:last-child .recent-open').focus()", vec![]).await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('mine')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "3");
    page.press_char('o').await;
    const FIRST: &str = "return document.querySelector('#recent-list .recent-open strong').textContent === 'mine'";
    page.browser.wait_until(FIRST, vec![]).await;
    page.click("#recent-list li:last-child .close").await;
    assert_eq!(page.recent().await.len(), 2);
    page.click("#recent-clear").await;
    assert_eq!(page.recent().await, ["mine"]);
    page.nothing_complained().await;
}

#[tokio::test]
async fn no_more_than_thirty_programs_are_kept() {
    let page = Page::open().await;
    const FILL: &str = "const entry = { text: '', link: arguments[0], time: 0 };
        for (let i = 0; i < 40; i++) {
            entry.text = `// ${i}\\nx := ${i}`; entry.time = i;
            localStorage.setItem(`litmoscope.recent.${i}`, JSON.stringify(entry));
        }
        localStorage.setItem('litmoscope.recent.odd', '{');
        localStorage.setItem('litmoscope.recent.odder', '{\"text\":\"x\",\"link\":\"#9.x\",\"time\":99}');";
    page.browser.script(FILL, vec![json!(link::encode(&settings("", Model::RA, 0)))]).await;
    page.press_char('o').await;
    assert!(page.text("#recent-broken").await.contains('2'), "{}", page.text("#recent-broken").await);
    page.press(&[Key::Escape]).await;
    page.type_program(MINE).await;
    page.kept().await;
    page.press_char('o').await;
    page.press(&[Key::Escape]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('o').await;
    let rows = page.recent().await;
    assert_eq!((rows.len(), rows[0].as_str(), rows[1].as_str()), (30, "mine", "39"), "{rows:?}");
    assert_eq!(page.count("#recent-broken").await, 0);
    page.nothing_complained().await;
}

#[tokio::test]
async fn undo_brings_back_a_text_that_was_replaced() {
    let page = Page::open().await;
    page.type_program(MINE).await;
    page.open_example("IRIW").await;
    // Wherever the focus is.
    page.control("z").await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('mine')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.program().await, MINE);
    page.browser
        .script("location.hash = arguments[0]", vec![json!(link::encode(&settings(STORE_BUFFERING, Model::TSO, 1)))])
        .await;
    page.browser.wait_until("return document.querySelector('#editor').value.includes('b := x')", vec![]).await;
    page.browser.settled().await;
    page.click("#editor").await;
    page.browser.find(Locator::Css("#editor")).await.expect("it is there").send_keys("z").await.expect("it takes keys");
    page.control("z").await;
    page.browser
        .wait_until("return document.querySelector('#editor').value === arguments[0]", vec![json!(STORE_BUFFERING)])
        .await;
    page.control("z").await;
    page.browser.wait_until("return document.querySelector('#editor').value === arguments[0]", vec![json!(MINE)]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_page_works_where_nothing_can_be_kept() {
    let page = Page::open().await;
    const FORBIDDEN: &str = "for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })";
    page.before(FORBIDDEN).await;
    page.go("").await;
    page.type_program(MINE).await;
    page.browser.wait_until("return !!document.querySelector('.notice.bad')", vec![]).await;
    assert!(page.text("#notice").await.contains("does not let the page keep anything"));
    page.click(".notice .close").await;
    page.type_program("x := 3").await;
    page.kept().await;
    assert_eq!(page.count(".notice.bad").await, 0, "it is said once");
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    assert_eq!(page.text("#position").await, "1");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_full_storage_is_told_of_and_loses_nothing() {
    let page = Page::open().await;
    const FILL: &str = "localStorage.clear(); let part = 'x'.repeat(1 << 20);
        for (let i = 0; part.length > 0; i++)
            try { localStorage.setItem(`other ${i}`, part) } catch { part = part.slice(0, part.length >> 1) }
        return localStorage.length";
    let filled = page.browser.script(FILL, vec![]).await;
    assert!(filled.as_u64() > Some(4), "{filled}");
    page.type_program(MINE).await;
    page.browser.wait_until("return !!document.querySelector('.notice.bad')", vec![]).await;
    assert!(page.text("#notice").await.contains("is full"));
    page.browser.refresh().await.expect("the page can be loaded again");
    page.browser.settled().await;
    assert_eq!(page.program().await, MINE);
    // Old sessions make room for new ones.
    page.browser
        .script("localStorage.clear(); localStorage.setItem('litmoscope.recent.old', 'x'.repeat(1000))", vec![])
        .await;
    page.browser.script(&FILL.replace("localStorage.clear();", ""), vec![]).await;
    page.type_program("// newer\nx := 4").await;
    page.kept().await;
    assert_eq!(page.browser.script("return localStorage.getItem('litmoscope.recent.old')", vec![]).await, Value::Null);
}

#[tokio::test]
async fn broken_storage_is_no_obstacle() {
    let page = Page::open().await;
    page.browser.script("sessionStorage.setItem('litmoscope.session', '{\"text\":[')", vec![]).await;
    // The page writes when it is left: not this time.
    page.before("sessionStorage.setItem('litmoscope.session', '{\"text\":[')").await;
    page.go("").await;
    assert!(page.text("#notice").await.contains("can't be read"), "{}", page.text("#notice").await);
    page.type_program(MINE).await;
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    assert_eq!(page.text("#position").await, "1");
}

#[tokio::test]
async fn a_page_that_fails_keeps_everything() {
    let page = Page::open().await;
    // A worker that answers nonsense.
    const WORKERS: &str = "const Whole = window.Worker; window.workers = [];
        window.Worker = class extends Whole { constructor(...all) { super(...all); window.workers.push(this) } }";
    page.before(WORKERS).await;
    page.go("").await;
    page.type_program(MINE).await;
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    page.press_char('n').await;
    page.kept().await;
    page.browser.script("workers[0].dispatchEvent(new MessageEvent('message', { data: 'nonsense' }))", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#page-failed a')", vec![]).await;
    page.browser.console_problems().await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !document.querySelector('#page-failed')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.program().await, MINE);
    assert_eq!(page.text("#position").await, "2");
}

const ROOT: &str = "const data = document.documentElement.dataset; return [data.theme, data.size, data.motion]";

/// The colour of the graph's rf edges.
const RF: &str = "return document.querySelector('#graph .rel-rf .curve').getAttribute('stroke')";

#[tokio::test]
async fn settings_change_what_is_seen_and_stay() {
    let page = Page::open().await;
    page.browser.prefer(ColorScheme::Light).await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::SC, u64::MAX))).await;
    let look = |theme, colours| json!(Look { theme, colours }.color(RelationName::Rf));
    assert_eq!(page.browser.script(RF, vec![]).await, look(Theme::Light, Colours::Standard));
    let size = "return getComputedStyle(document.querySelector('#editor')).fontSize";
    let before = page.browser.script(size, vec![]).await;
    page.press_char(',').await;
    for choice in ["colours][value=safe", "theme][value=dark", "size][value=huge", "motion][value=off"] {
        page.click(&format!("#preferences [name=preferred-{choice}]")).await;
    }
    page.press(&[Key::Escape]).await;
    let chosen = json!(["dark", "huge", "off"]);
    assert_eq!(page.browser.script(ROOT, vec![]).await, chosen);
    assert_eq!(page.browser.script(RF, vec![]).await, look(Theme::Dark, Colours::Safe));
    assert_eq!((before, page.browser.script(size, vec![]).await), (json!("14px"), json!("22px")));
    page.go("").await;
    assert_eq!(page.browser.script(ROOT, vec![]).await, chosen);
    // By keys: to high contrast, and back to the defaults.
    page.press_char(',').await;
    page.browser.script("document.querySelector('[name=preferred-theme]:checked').focus()", vec![]).await;
    page.press(&[Key::Right]).await;
    assert_eq!(page.browser.script(ROOT, vec![]).await[0], json!("contrast"));
    page.click("#preferences-reset").await;
    assert_eq!(page.browser.script(ROOT, vec![]).await, json!(["light", "normal", "system"]));
    page.press(&[Key::Escape]).await;
    assert_eq!(page.browser.script(RF, vec![]).await, look(Theme::Light, Colours::Standard));
    // Now the system's theme is followed again.
    page.browser.prefer(ColorScheme::Dark).await;
    page.browser.wait_until("return document.documentElement.dataset.theme === 'dark'", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn settings_go_into_a_link_only_if_asked_for() {
    let page = Page::open().await;
    page.browser.prefer(ColorScheme::Light).await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    page.press_char(',').await;
    page.click("#preferences [name=preferred-theme][value=contrast]").await;
    page.click("#preferences [name=preferred-colours][value=safe]").await;
    page.press(&[Key::Escape]).await;
    page.press_char('S').await;
    const LINK: &str = "return document.querySelector('#sharing-link').value";
    page.browser.wait_until("return !!document.querySelector('#sharing-link')?.value.includes('#')", vec![]).await;
    let plain = page.browser.script(LINK, vec![]).await;
    let plain = plain.as_str().expect("there is a link");
    let expected = link::encode(&settings(STORE_BUFFERING, Model::default(), 1));
    assert!(plain.ends_with(&expected) && !plain.contains('&'), "{plain}");
    page.click("#with-settings").await;
    let whole = page.browser.script(LINK, vec![]).await;
    let whole = whole.as_str().expect("there is a link").to_owned();
    assert_eq!(whole, format!("{plain}&colours=safe&theme=contrast"));
    assert_eq!(link::decode(&whole), link::decode(plain));
    // In another browser: it looks so, and nothing is kept of that.
    let other = Page::open().await;
    other.browser.prefer(ColorScheme::Light).await;
    let fragment = whole.split_once('#').expect("it has a fragment").1;
    other.go(&format!("#{fragment}")).await;
    assert_eq!(other.text("#position").await, "1");
    assert_eq!(other.browser.script(ROOT, vec![]).await[0], json!("contrast"));
    other.go("").await;
    assert_eq!(other.browser.script(ROOT, vec![]).await[0], json!("light"));
    other.nothing_complained().await;
}

/// What a camera reads from a picture of an element.
fn read_code(png: &[u8]) -> String {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("it is a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("it has a size")];
    let info = reader.next_frame(&mut pixels).expect("it has a picture");
    let channels = info.color_type.samples();
    let (width, height) = (info.width as usize, info.height as usize);
    let mut picture =
        rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| pixels[(y * width + x) * channels]);
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1, "one code");
    codes[0].decode().expect("the code can be read").1
}

#[tokio::test]
async fn a_qr_code_can_be_read_in_every_theme() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('n').await;
    for theme in ["light", "dark", "contrast"] {
        page.press_char(',').await;
        page.click(&format!("#preferences [name=preferred-theme][value={theme}]")).await;
        page.press(&[Key::Escape]).await;
        page.click("#share").await;
        page.click("#share-more, #link-more").await;
        for large in [false, true] {
            if large {
                page.click("#qr-large").await;
            }
            let code = page.browser.find(Locator::Css("#qr")).await.expect("there is a code");
            let picture = code.screenshot().await.expect("it can be seen");
            let address = page.browser.script("return document.querySelector('#sharing-link').value", vec![]).await;
            assert_eq!(json!(read_code(&picture)), address, "{theme}");
        }
        page.press(&[Key::Escape]).await;
    }
    // Too long for one.
    let long: Vec<_> = (0..900).map(|i| format!("x{i} := {}", i * i % 977)).collect();
    page.go(&link::encode(&settings(&long.join("\n"), Model::SC, 0))).await;
    page.press_char('S').await;
    assert!(page.text("#qr-none").await.contains("too many for a QR code"));
    assert_eq!(page.count("#qr").await, 0);
    page.nothing_complained().await;
}

/// The theme of high contrast has seven to one throughout.
#[tokio::test]
async fn high_contrast_is_high() {
    let page = Page::open().await;
    page.press_char(',').await;
    page.click("#preferences [name=preferred-theme][value=contrast]").await;
    page.press(&[Key::Escape]).await;
    let mut wrong = Vec::new();
    for (name, button) in [("start", "#forward"), ("end", "#run"), ("models", "#models"), ("gallery", "#open-gallery")]
    {
        page.click(button).await;
        page.browser.settled().await;
        still(&page.browser).await;
        wrong.extend(violations(&page.browser, name, ColorScheme::Light, &["color-contrast-enhanced"]).await);
    }
    assert_eq!(wrong, Vec::<Value>::new());
}

#[tokio::test]
async fn a_part_stands_in_another_page() {
    let page = Page::open().await;
    // Whatever it asks to be kept there is refused, as in browsers that keep pages apart.
    const FORBIDDEN: &str = "if (window !== top) for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })";
    page.before(FORBIDDEN).await;
    page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 5))).await;
    page.press_char('S').await;
    for part in ["graph", "buttons", "stepper"] {
        page.click(&format!("#sharing [name=embedded-part][value={part}]")).await;
        let snippet = page.browser.script("return document.querySelector('#snippet').value", vec![]).await;
        // The page itself lets nothing stand in it: another one on the same server does.
        const PUT: &str =
            "const parsed = new DOMParser().parseFromString(arguments[0], 'text/html').querySelector('iframe');
            const frame = document.createElement('iframe');
            for (const { name, value } of parsed.attributes) frame.setAttribute(name, value);
            document.body.replaceChildren(frame); return frame.sandbox.value";
        page.browser.goto(&format!("{}public/sb.lit", page.site.url())).await.expect("there is a text");
        let sandbox = page.browser.script(PUT, vec![snippet]).await;
        assert_eq!(sandbox, json!("allow-scripts allow-same-origin allow-popups"));
        let frame = page.browser.find(Locator::Css("iframe")).await.expect("there is a frame");
        frame.enter_frame().await.expect("it can be entered");
        page.browser.settled().await;
        assert_eq!(page.text("#position").await, "5", "{part}");
        const SEEN: &str = "return ['.program', '.found', '.side', '.top', '#forward', '#explanation', '#graph']
            .filter((name) => document.querySelector(name).checkVisibility())";
        let seen = page.browser.script(SEEN, vec![]).await;
        let expected = match part {
            "graph" => json!(["#graph"]),
            "buttons" => json!(["#forward", "#graph"]),
            _ => json!(["#forward", "#explanation", "#graph"]),
        };
        assert_eq!(seen, expected);
        if part == "stepper" {
            page.click("#forward").await;
            page.browser.settled().await;
            assert_eq!(page.text("#position").await, "6");
            page.press_char('m').await;
            assert_eq!(page.count("body[data-lab=models], dialog[open]").await, 0);
        }
        let whole = page.browser.script("return document.querySelector('#whole').href", vec![]).await;
        let position = if part == "stepper" { 6 } else { 5 };
        let link = link::encode(&settings(STORE_BUFFERING, Model::TSO, position));
        assert_eq!(whole, json!(format!("{}{link}", page.site.url())));
        assert_eq!(page.count(".notice.bad").await, 0);
        page.browser.clone().enter_parent_frame().await.expect("there is a page around it");
        page.go(&link::encode(&settings(STORE_BUFFERING, Model::TSO, 5))).await;
        page.press_char('S').await;
    }
}

#[tokio::test]
async fn something_is_painted_within_a_second() {
    let page = Page::open().await;
    const PAINT: &str = "const done = arguments[0];
        new PerformanceObserver((list) => {
            const entry = list.getEntriesByName('first-contentful-paint')[0];
            if (entry) done(entry.startTime);
        }).observe({ type: 'paint', buffered: true })";
    // The best of a few: the machine may be busy.
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        page.go("").await;
        let time = page.browser.execute_async(PAINT, vec![]).await.expect("it is painted");
        best = best.min(time.as_f64().expect("a time"));
    }
    assert!(best < 1000.0, "{best} ms");
}
