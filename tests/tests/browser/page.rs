//! A page that is up, and what one does with it.

use fantoccini::Locator;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::session::Settings;
use litmoscope_tests::browser::Browser;
use litmoscope_tests::site::{self, Site};
use serde_json::{Value, json};

/// Each thread writes, then reads what the other writes.
pub const STORE_BUFFERING: &str = "x := 1 || y := 1\na := y || b := x\n\nexists (P0:a = 0 /\\ P1:b = 0)";

/// As many executions as ten threads have orders.
pub const LONG: &str = "a := fai(x) || b := fai(x) || c := fai(x) || d := fai(x) || e := fai(x) || f := fai(x) || \
                    g := fai(x) || h := fai(x) || i := fai(x) || j := fai(x)";

/// A page that is up, and what one does with it.
pub struct Page {
    pub browser: Browser,
    pub site: Site,
}

impl Page {
    pub async fn open() -> Self {
        let page = Self::unopened().await;
        page.go("").await;
        page
    }

    /// A site and a window that shows nothing of it yet, and can keep nothing of it.
    pub async fn unopened() -> Self {
        Self { site: site::serve("/"), browser: Browser::without_service_workers().await }
    }

    /// Opens the page anew, with a fragment.
    pub async fn go(&self, fragment: &str) {
        // From elsewhere, so that a change of the fragment alone loads the page too.
        self.browser.goto("about:blank").await.expect("there is an empty page");
        self.browser.goto(&format!("{}{fragment}", self.site.url())).await.expect("the page can be opened");
        self.browser.settled().await;
    }

    /// Clicks on something as soon as it is there, since dialogs may have to be loaded. What the bar has in a menu is looked for
    /// there, and the menu is opened first.
    pub async fn click(&self, selector: &str) {
        const IS_THERE: &str = "return document.querySelector(arguments[0]) !== null";
        self.browser.wait_until(IS_THERE, vec![json!(selector)]).await;
        const IN_A_MENU: &str = "const wanted = document.querySelector(arguments[0]);
            if (!wanted?.closest('.top') || wanted.checkVisibility({ visibilityProperty: true })) return null;
            const entry = wanted.closest('.menu') ? wanted : document.querySelector(`.menu [data-command='${wanted.id}']`);
            return entry && [
                `[popovertarget='${entry.closest('.menu').id}'].menu-button`, `.menu [data-command='${entry.dataset.command}']`]";
        let menu = self.browser.script(IN_A_MENU, vec![json!(selector)]).await;
        let path = serde_json::from_value::<Option<[String; 2]>>(menu).expect("a button and an entry, or nothing");
        let path = path.map_or_else(|| vec![selector.to_owned()], Vec::from);
        for selector in path {
            let mut clicked = self.browser.find(Locator::Css(&selector)).await.expect(&selector).click().await;
            // The page may have drawn it anew between the two.
            for _ in 0..3 {
                if clicked.as_ref().is_err_and(CmdError::is_stale_element_reference) {
                    clicked = self.browser.find(Locator::Css(&selector)).await.expect(&selector).click().await;
                }
            }
            clicked.expect(&selector);
        }
    }

    /// Replaces the program, key by key.
    pub async fn type_program(&self, text: &str) {
        self.click("#editor").await;
        self.browser.script("document.querySelector('#editor').select()", vec![]).await;
        let editor = self.browser.find(Locator::Css("#editor")).await.expect("there is an editor");
        editor.send_keys(text).await.expect("the editor takes keys");
        self.browser.settled().await;
    }

    /// Presses keys one after the other, wherever the focus is.
    pub async fn press(&self, keys: &[Key]) {
        for &key in keys {
            self.press_char(char::from(key)).await;
        }
    }

    pub async fn press_char(&self, key: char) {
        self.press_often(key, 1).await;
    }

    /// Presses a key so many times, and waits once for what comes of it.
    pub async fn press_often(&self, key: char, times: usize) {
        let mut actions = KeyActions::new("keys".to_owned());
        for _ in 0..times {
            actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        }
        self.browser.perform_actions(actions).await.expect("keys can be pressed");
        self.browser.settled().await;
    }

    /// Presses a key as often with Shift held.
    pub async fn press_shifted(&self, key: Key, times: usize) {
        let [shift, value] = [Key::Shift, key].map(char::from);
        let mut actions = KeyActions::new("keys".to_owned()).then(KeyAction::Down { value: shift });
        for _ in 0..times {
            actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        let actions = actions.then(KeyAction::Up { value: shift });
        self.browser.perform_actions(actions).await.expect("keys can be pressed");
        self.browser.settled().await;
    }

    /// Asserts that a quarter of a panel's drawing is in sight, of what the panel has room for, and one of its events: all of
    /// it, or half a panel of it.
    pub async fn sees(&self, panel: &str, after: &str) {
        const SIGHT: &str = "const rectangle = element => element.getBoundingClientRect();
            const panel = rectangle(document.querySelector(arguments[0]));
            const boxes = [...document.querySelectorAll(`${arguments[0]} .node:not(.ghost) .box`)].map(rectangle);
            const seen = (low, high, [from, to]) => Math.max(0, Math.min(high, to) - Math.max(low, from));
            const [across, down] = [[panel.left, panel.right], [panel.top, panel.bottom]];
            const all = (low, high, room) => {
                const [from, to] = [Math.min(...boxes.map(box => box[low])), Math.max(...boxes.map(box => box[high]))];
                return seen(from, to, room) / Math.min(to - from, room[1] - room[0]);
            };
            const one = (from, to, room) => seen(from, to, room) >= Math.min(to - from, (room[1] - room[0]) / 2) - 1;
            return [
                all('left', 'right', across) * all('top', 'bottom', down),
                boxes.filter(box => one(box.left, box.right, across) && one(box.top, box.bottom, down)).length,
            ]";
        self.rectangle(panel).await;
        let sight = self.browser.script(SIGHT, vec![json!(panel)]).await;
        let [share, events]: [f64; 2] = serde_json::from_value(sight).expect("two numbers");
        assert!(share >= 0.25 && events >= 1.0, "{panel} after {after}: {share} of it and {events} events");
    }

    pub async fn text(&self, selector: &str) -> String {
        let text = self
            .browser
            .script("return document.querySelector(arguments[0])?.textContent", vec![json!(selector)])
            .await;
        text.as_str().unwrap_or_default().to_owned()
    }

    pub async fn count(&self, selector: &str) -> u64 {
        let count =
            self.browser.script("return document.querySelectorAll(arguments[0]).length", vec![json!(selector)]).await;
        count.as_u64().expect("a count")
    }

    pub async fn program(&self) -> String {
        let text = self.browser.script("return document.querySelector('#editor').value", vec![]).await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The labels of all nodes and the names of all edges: what the graph says.
    pub async fn graph(&self) -> Value {
        const GRAPH: &str = "return [
            [...document.querySelectorAll('#graph .node')].map(n => n.dataset.event + ' ' + n.dataset.label),
            [...document.querySelectorAll('#graph .edge')].map(e => `${e.dataset.from} ${e.dataset.relation} ${e.dataset.to}`),
        ]";
        self.browser.script(GRAPH, vec![]).await
    }

    /// A script for every page opened from now on, before anything of its own runs.
    pub async fn before(&self, script: &str) {
        self.browser.before(script).await;
    }

    /// Does something with the mouse, as the system would.
    pub async fn mouse(&self, kind: &str, x: f64, y: f64, more: Value) {
        let mut event = json!({ "type": kind, "x": x, "y": y });
        if let (Value::Object(event), Value::Object(more)) = (&mut event, more) {
            event.extend(more);
        }
        self.browser.devtools("Input.dispatchMouseEvent", event).await;
    }

    /// Puts fingers down, moves them, or lifts them, all if none is named, as the system would. The page hears of it with its
    /// next frame.
    pub async fn touch(&self, kind: &str, fingers: &[(u32, f64, f64)]) {
        let points: Vec<Value> = fingers.iter().map(|(id, x, y)| json!({ "id": id, "x": x, "y": y })).collect();
        self.browser.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).await;
        self.next_frame().await;
    }

    /// Waits until a frame was painted in which all is as it was asked for.
    pub async fn next_frame(&self) {
        const PAINTED: &str = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))";
        self.browser.execute_async(PAINTED, vec![]).await.expect("the page is painted");
    }

    /// Left, top, width and height of an element, when the graph has come to rest.
    pub async fn rectangle(&self, selector: &str) -> [f64; 4] {
        const AT_REST: &str =
            "return !document.getAnimations().some(animation => animation.effect?.target?.closest?.('.graph'))";
        self.browser.wait_until(AT_REST, vec![]).await;
        const RECTANGLE: &str = "const r = document.querySelector(arguments[0]).getBoundingClientRect();
            return [r.left, r.top, r.width, r.height]";
        let rectangle = self.browser.script(RECTANGLE, vec![json!(selector)]).await;
        serde_json::from_value(rectangle).expect("four numbers")
    }

    pub async fn corner(&self, selector: &str) -> (f64, f64) {
        let [x, y, ..] = self.rectangle(selector).await;
        (x, y)
    }

    pub async fn middle(&self, selector: &str) -> (f64, f64) {
        let [x, y, width, height] = self.rectangle(selector).await;
        (x + width / 2.0, y + height / 2.0)
    }

    /// The middle of something that may still be on its way, as after the window has changed.
    pub async fn at_rest(&self, selector: &str) -> (f64, f64) {
        let mut before = self.middle(selector).await;
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(150)).await;
            let now = self.middle(selector).await;
            if now == before {
                return now;
            }
            before = now;
        }
    }

    pub async fn nothing_complained(&self) {
        assert_eq!(self.browser.console_problems().await, Vec::<String>::new());
    }

    pub async fn choose_algorithm(&self, name: &str) {
        let select = self.browser.find(Locator::Css("#algorithm")).await.expect("there is a picker");
        select.select_by_value(name).await.expect("it can be picked");
        self.browser.settled().await;
    }

    /// The number at the start of a text with commas between thousands.
    pub async fn number(&self, selector: &str) -> u64 {
        let text = self.text(selector).await;
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse().unwrap_or_else(|_| panic!("{selector} begins with no number: {text}"))
    }
}

/// A program at a position, with everything else as it is at first.
pub fn settings(text: &str, model: Model, position: u64) -> Settings {
    let text = text.to_owned();
    let options = Options { stuck_loops: true, ..Options::default() };
    Settings { text, model, options, position, ..Settings::default() }
}
