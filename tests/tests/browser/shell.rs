//! What is around the labs: the bar and its menus, the palette, the columns, what the page has to say.

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use litmoscope::model::Model;
use litmoscope::session::link::encode;
use litmoscope_tests::scenes::still;
use serde_json::{Value, json};

use crate::page::{Page, STORE_BUFFERING, settings};

/// Telephones, tablets and computers, and what lies between them.
const SIZES: [(u32, u32); 8] =
    [(1280, 800), (1920, 1080), (390, 844), (360, 740), (600, 900), (768, 1024), (920, 700), (1100, 800)];

async fn holds(page: &Page, code: &str) {
    page.browser.wait_until(&format!("return {code}"), vec![]).await;
}

/// Presses a key with Ctrl held.
async fn press_control(page: &Page, key: char) {
    let control = char::from(Key::Control);
    let actions = KeyActions::new("keys".to_owned())
        .then(KeyAction::Down { value: control })
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key })
        .then(KeyAction::Up { value: control });
    page.browser.perform_actions(actions).await.expect("keys can be pressed");
    page.browser.settled().await;
}

async fn type_in(page: &Page, text: &str) {
    for letter in text.chars() {
        page.press_char(letter).await;
    }
}

async fn open_palette(page: &Page) {
    press_control(page, 'k').await;
    holds(page, "document.querySelector('#palette').open && document.activeElement.id === 'palette-input'").await;
}

/// Opens the palette, types, and does what stands first.
async fn command(page: &Page, typed: &str, title: &str) {
    open_palette(page).await;
    // What is fetched the first time.
    holds(page, "document.querySelectorAll('.palette-row').length > 50").await;
    type_in(page, typed).await;
    let first = "document.querySelector('.palette-row[aria-selected=true] .palette-title')?.textContent";
    page.browser.wait_until(&format!("return {first} === arguments[0]"), vec![json!(title)]).await;
    page.press(&[Key::Enter]).await;
    holds(page, "!document.querySelector('#palette').open").await;
}

/// The element that has the focus, by its name in the document or the command that it does.
async fn focused(page: &Page) -> String {
    const FOCUSED: &str =
        "return document.activeElement.id || document.activeElement.dataset.command || document.activeElement.tagName";
    page.browser.script(FOCUSED, vec![]).await.as_str().unwrap_or_default().to_owned()
}

async fn numbers(page: &Page, code: &str) -> Vec<f64> {
    let numbers = page.browser.script(&format!("return {code}"), vec![]).await;
    serde_json::from_value(numbers).expect("numbers")
}

#[tokio::test]
async fn the_palette_finds_and_does() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    // From within the editor, whose text it leaves alone.
    assert_eq!(focused(&page).await, "editor");
    open_palette(&page).await;
    type_in(&page, "cmp").await;
    holds(&page, "document.querySelector('.palette-row mark')?.textContent.length > 0").await;
    page.press(&[Key::Escape]).await;
    holds(&page, "!document.querySelector('#palette').open").await;
    assert_eq!(focused(&page).await, "editor");
    assert_eq!(page.program().await, STORE_BUFFERING);

    command(&page, "compare", "Compare models").await;
    holds(&page, "document.body.dataset.lab === 'models'").await;
    page.browser.settled().await;
    // What a lab chooses itself is chosen for the steps.
    command(&page, "model pso", "Model PSO").await;
    page.says("#notice", "The steps have the model PSO now. “Compare models” chooses its own.").await;
    page.browser.settled().await;
    command(&page, "stepping", "Stepping").await;
    holds(&page, "document.body.dataset.lab === 'stepping'").await;
    command(&page, "model rc11", "Model RC11").await;
    holds(&page, "document.querySelector('#model').value === 'rc11'").await;
    page.browser.settled().await;
    command(&page, "algorithm trust co", "Algorithm TruSt (co)").await;
    holds(&page, "document.querySelector('#algorithm').value === 'trust_co'").await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.browser.settled().await;

    // Programs of the gallery, lessons, and what was there before.
    command(&page, "mp: mess", "MP: Message passing").await;
    holds(&page, "document.querySelector('#editor').value.includes('name MP')").await;
    page.browser.settled().await;
    page.kept().await;
    command(&page, "coherence writes", "Coherence: the writes of one location").await;
    holds(&page, "document.querySelector('#lecture-place')?.textContent.startsWith('Scene 1')").await;
    page.browser.settled().await;
    command(&page, "recent x := 1 || y", "x := 1 || y := 1").await;
    page.browser
        .wait_until("return document.querySelector('#editor').value === arguments[0]", vec![json!(STORE_BUFFERING)])
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_palette_shows_what_is_likely_and_is_read_aloud() {
    let page = Page::open().await;
    open_palette(&page).await;
    holds(&page, "document.querySelector('.palette-heading').textContent === 'Labs'").await;
    // The field names the line that is chosen, and the lines are chosen round and round.
    const CHOSEN: &str = "((field, rows) => rows.length === 1 && field.getAttribute('aria-activedescendant') === rows[0].id
        && rows[0].getBoundingClientRect().bottom <= document.querySelector('#palette-list').getBoundingClientRect().bottom + 1)(
        document.querySelector('#palette-input'), document.querySelectorAll('.palette-row[aria-selected=true]'))";
    for key in [Key::Down, Key::Down, Key::Up, Key::Up, Key::Up, Key::PageUp, Key::Down] {
        page.press(&[key]).await;
        holds(&page, CHOSEN).await;
    }
    type_in(&page, "zoom").await;
    holds(&page, CHOSEN).await;
    page.press(&[Key::Enter]).await;
    holds(&page, "!document.querySelector('#palette').open").await;
    open_palette(&page).await;
    holds(&page, "document.querySelector('.palette-heading').textContent === 'Used last'").await;
    holds(&page, "document.querySelector('.palette-title').textContent === 'Zoom in'").await;
    type_in(&page, "qqqqzz").await;
    holds(&page, "!!document.querySelector('.palette-none') && !document.querySelector('.palette-row')").await;
    // The keys that opened it close it.
    press_control(&page, 'k').await;
    holds(&page, "!document.querySelector('#palette').open").await;
    // A click beside it does, too.
    page.click("#open-palette").await;
    holds(&page, "document.querySelector('#palette').open").await;
    let beside = json!({ "button": "left", "clickCount": 1 });
    page.mouse("mousePressed", 10.0, 700.0, beside.clone()).await;
    page.mouse("mouseReleased", 10.0, 700.0, beside).await;
    holds(&page, "!document.querySelector('#palette').open").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_palette_works_in_a_lecture() {
    let page = Page::open().await;
    page.press_char('l').await;
    holds(&page, "document.body.dataset.lecture === 'true'").await;
    command(&page, "step forw", "Step forward").await;
    page.browser.settled().await;
    holds(&page, "document.querySelector('#lecture-place').textContent.startsWith('1 of')").await;
    open_palette(&page).await;
    // Neither the lecture's keys nor its end are meant.
    type_in(&page, "b ").await;
    page.press(&[Key::PageDown, Key::Escape]).await;
    holds(&page, "!document.querySelector('#palette').open && document.body.dataset.lecture === 'true'").await;
    assert_eq!(page.count("#blank").await, 0);
    holds(&page, "document.querySelector('#lecture-place').textContent.startsWith('1 of')").await;
    page.nothing_complained().await;
}

async fn tap(page: &Page, selector: &str) {
    let (x, y) = page.at_rest(selector).await;
    page.touch("touchStart", &[(0, x, y)]).await;
    page.touch("touchEnd", &[]).await;
}

#[tokio::test]
async fn bar_and_palette_work_with_a_finger() {
    let page = Page::open().await;
    page.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 3 })).await;
    let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true });
    page.browser.devtools("Emulation.setDeviceMetricsOverride", size).await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 3))).await;
    const LARGE: &str = "[...document.querySelectorAll('.top button, .palette-row')]
        .filter(button => button.checkVisibility({ visibilityProperty: true }))
        .every(button => (r => r.width >= 44 && r.height >= 44)(button.getBoundingClientRect()))";
    holds(&page, LARGE).await;
    for menu in ["labs", "open", "show", "more"] {
        tap(&page, &format!("#{menu}")).await;
        holds(&page, &format!("document.querySelector('#{menu}-menu').matches(':popover-open')")).await;
        holds(&page, LARGE).await;
        tap(&page, &format!("#{menu}")).await;
        holds(&page, &format!("!document.querySelector('#{menu}-menu').matches(':popover-open')")).await;
    }
    tap(&page, "#labs").await;
    tap(&page, "#labs-menu [data-command=models]").await;
    holds(&page, "document.body.dataset.lab === 'models'").await;
    holds(&page, "!document.querySelector('.menu:popover-open')").await;
    page.browser.settled().await;
    tap(&page, "#open-palette").await;
    holds(&page, "document.querySelectorAll('.palette-row').length > 10").await;
    holds(&page, LARGE).await;
    type_in(&page, "stepping").await;
    tap(&page, ".palette-row").await;
    holds(&page, "document.body.dataset.lab === 'stepping' && !document.querySelector('#palette').open").await;
    page.nothing_complained().await;
}

/// What of the bar is cut, lies over something else, or is outside of the window.
const WRONG: &str = "const seen = [...document.querySelectorAll('.top button, .top h1')]
        .filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.closest('.menu:not(:popover-open)'));
    const name = e => e.id || e.dataset.command || e.tagName;
    const open = document.querySelector('.menu:popover-open');
    const inside = (a, b) => a.left >= b.left && a.top >= b.top && a.right <= b.right && a.bottom <= b.bottom;
    const page = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const box = e => e.getBoundingClientRect();
    const wrong = seen.filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)
        .map(e => `${name(e)} is cut`);
    wrong.push(...seen.filter(e => !inside(box(e), page)).map(e => `${name(e)} is outside`));
    for (const a of seen) for (const b of seen) {
        const [one, two] = [box(a), box(b)];
        const over = one.left < two.right - .5 && two.left < one.right - .5 && one.top < two.bottom - .5 && two.top < one.bottom - .5;
        if (a !== b && over && a.closest('.menu') === b.closest('.menu')) wrong.push(`${name(a)} and ${name(b)} overlap`);
    }
    if (open && !inside(box(open), page)) wrong.push(`${open.id} is outside`);
    if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is too wide');
    return wrong";

#[tokio::test]
async fn the_bar_fits_every_window() {
    let page = Page::open().await;
    for (width, height) in SIZES {
        page.browser.resize(width, height).await;
        page.at_rest("#labs, #more").await;
        for menu in ["", "labs", "open", "show", "more"] {
            if !menu.is_empty() {
                const SEEN: &str = "return document.querySelector(arguments[0]).checkVisibility()";
                if page.browser.script(SEEN, vec![json!(format!("#{menu}"))]).await == json!(false) {
                    assert!(menu == "more" && width > 760, "{menu} at {width}");
                    continue;
                }
                page.click(&format!("#{menu}")).await;
            }
            let wrong = page.browser.script(WRONG, vec![]).await;
            assert_eq!(wrong, json!([]), "{menu} at {width} by {height}");
            if !menu.is_empty() {
                // Each entry has a title and a sentence.
                const SAID: &str = "[...document.querySelectorAll('.menu:popover-open .entry')].every(entry =>
                    [...entry.querySelectorAll('.entry-title, .entry-about')].every(e => e.innerText.length > 2))";
                holds(&page, SAID).await;
                page.press(&[Key::Escape]).await;
                holds(&page, "!document.querySelector('.menu:popover-open')").await;
            }
        }
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_bar_is_reached_by_keys_alone() {
    let page = Page::open().await;
    for (width, height) in [(1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        page.go("").await;
        const BUTTONS: &str = "return [...document.querySelectorAll('.top button')]
            .filter(e => e.checkVisibility({ visibilityProperty: true })).map(e => e.id)";
        let buttons = page.browser.script(BUTTONS, vec![]).await;
        let buttons: Vec<String> = serde_json::from_value(buttons).expect("names");
        assert!(buttons.len() >= 5, "{buttons:?}");
        // The first key leads past the bar, for those who want to.
        page.press(&[Key::Tab]).await;
        for button in &buttons {
            page.press(&[Key::Tab]).await;
            assert_eq!(focused(&page).await, *button);
        }
        for button in buttons.iter().rev().skip(1) {
            page.press(&[Key::Left]).await;
            assert_eq!(focused(&page).await, *button);
        }
        for menu in ["labs", "open", "show"] {
            while focused(&page).await != menu {
                page.press(&[Key::Right]).await;
            }
            let entries = format!("[...document.querySelectorAll('#{menu}-menu .entry')].map(e => e.dataset.command)");
            let entries = page.browser.script(&format!("return {entries}"), vec![]).await;
            let entries: Vec<String> = serde_json::from_value(entries).expect("names");
            for entry in &entries {
                page.press(&[Key::Down]).await;
                const COMMAND: &str = "return document.activeElement.dataset.command";
                assert_eq!(page.browser.script(COMMAND, vec![]).await, json!(entry));
            }
            page.press(&[Key::Escape]).await;
            holds(&page, "!document.querySelector('.menu:popover-open')").await;
            assert_eq!(focused(&page).await, menu);
        }
    }
    // A button that does something with a key.
    while focused(&page).await != "labs" {
        page.press(&[Key::Left]).await;
    }
    page.press(&[Key::Down, Key::Down, Key::Enter]).await;
    holds(&page, "document.body.dataset.lab === 'models' && !document.querySelector('.menu:popover-open')").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_dialog_of_a_menu_gives_the_focus_back_to_its_button() {
    let page = Page::open().await;
    for (menu, entry, dialog) in
        [("open", "open-recent", "recent"), ("open", "open-cycle", "cycle"), ("show", "open-lessons", "lessons")]
    {
        // As often as it takes for the dialog to be there from the start.
        for _ in 0..2 {
            page.browser.script("document.getElementById(arguments[0]).focus()", vec![json!(menu)]).await;
            page.press(&[Key::Enter]).await;
            page.browser.script("document.getElementById(arguments[0]).focus()", vec![json!(entry)]).await;
            page.press(&[Key::Enter]).await;
            holds(&page, &format!("document.querySelector('dialog#{dialog}')?.open")).await;
            page.press(&[Key::Escape]).await;
            holds(&page, &format!("!document.querySelector('dialog#{dialog}').open")).await;
            assert_eq!(focused(&page).await, menu, "{dialog}");
        }
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_bar_says_which_lab_is_shown() {
    let page = Page::open().await;
    const PRESSED: &str = "return [...document.querySelectorAll('.lab[aria-pressed=true]')].map(e => e.id)";
    for (lab, shown) in [
        ("#models", "body[data-lab=models]"),
        ("#open-why", "body[data-lab=why]"),
        ("#open-check", "body[data-lab=consistency]"),
        ("#open-beside", "body[data-lab=beside]"),
        ("#stepping", "body[data-lab=stepping]"),
    ] {
        page.click(lab).await;
        page.browser.wait_until("return !!document.querySelector(arguments[0])", vec![json!(shown)]).await;
        page.browser.settled().await;
        assert_eq!(page.browser.script(PRESSED, vec![]).await, json!([&lab[1..]]));
    }
    // Whoever clicks goes on stepping with the arrow keys.
    page.press(&[Key::Right, Key::Right]).await;
    page.browser.expect_text("#position", "2").await;
    page.click("#models").await;
    page.click("#models").await;
    holds(&page, "document.body.dataset.lab === 'stepping'").await;
    page.nothing_complained().await;
}

/// The widths of program, drawing and tree, and of the window.
const WIDTHS: &str = "[...['.panel.program', '#stage', '.panel.side'].map(
    s => document.querySelector(s).getBoundingClientRect().width), innerWidth]";

#[tokio::test]
async fn the_drawing_has_half_of_the_screen() {
    let page = Page::open().await;
    for (width, height) in [(1440, 900), (1920, 1080), (1280, 800)] {
        page.browser.resize(width, height).await;
        page.go("").await;
        let widths = numbers(&page, WIDTHS).await;
        assert!(widths[1] >= f64::from(width) / 2.0, "{widths:?}");
        assert!(widths[0] >= 290.0 && widths[2] >= 250.0, "{widths:?}");
    }
    page.nothing_complained().await;
}

async fn drag(page: &Page, border: &str, by: f64) {
    let (x, y) = page.at_rest(border).await;
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    page.mouse("mouseMoved", x, y, json!({})).await;
    page.mouse("mousePressed", x, y, held.clone()).await;
    for part in 1..=4 {
        page.mouse("mouseMoved", x + by * f64::from(part) / 4.0, y, held.clone()).await;
    }
    page.mouse("mouseReleased", x + by, y, held).await;
    page.browser.settled().await;
}

#[tokio::test]
async fn columns_are_dragged_and_stay_so() {
    let page = Page::open().await;
    page.browser.resize(1440, 900).await;
    // Longer than the usual column.
    let long = "// A line of some seventy characters, more than usual columns show.\nx := 1 || a := x";
    page.go(&encode(&settings(long, Model::SC, 2))).await;
    let usual = numbers(&page, WIDTHS).await;
    const CUT: &str = "(e => e.scrollWidth > e.clientWidth)(document.querySelector('#editor'))";
    holds(&page, CUT).await;
    drag(&page, "#program-border", 420.0).await;
    drag(&page, "#results-border", 60.0).await;
    let wide = numbers(&page, WIDTHS).await;
    assert!(
        (wide[0] - usual[0] - 420.0).abs() < 12.0 && (usual[2] - wide[2] - 60.0).abs() < 12.0,
        "{usual:?} {wide:?}"
    );
    holds(&page, &format!("!{CUT}")).await;
    page.go("").await;
    assert_eq!(numbers(&page, WIDTHS).await, wide);
    // The other labs keep the program as wide.
    page.click("#models").await;
    holds(&page, &format!("Math.abs(document.querySelector('.panel.program').offsetWidth - {}) < 3", wide[0])).await;
    page.click("#models").await;

    // The drawing keeps some room.
    drag(&page, "#program-border", 1200.0).await;
    let widest = numbers(&page, WIDTHS).await;
    assert!(widest[1] >= 300.0 && widest[0] <= 1440.0 * 0.62, "{widest:?}");
    let (x, y) = page.at_rest("#program-border").await;
    for count in [1, 2] {
        let held = json!({ "button": "left", "buttons": 1, "clickCount": count });
        page.mouse("mousePressed", x, y, held.clone()).await;
        page.mouse("mouseReleased", x, y, held).await;
    }
    holds(&page, &format!("document.querySelector('.panel.program').getBoundingClientRect().width === {}", usual[0]))
        .await;

    // By keys.
    page.browser.script("document.querySelector('#program-border').focus()", vec![]).await;
    let place = page.text("#position").await;
    let now = "document.querySelector('#program-border').ariaValueNow";
    // The border says it with the next picture.
    let share = usual[0] * 100.0 / 1440.0;
    holds(&page, &format!("Math.abs(+{now} - {share}) <= 2")).await;
    let before = page.browser.script(&format!("return +{now}"), vec![]).await.as_f64().expect("a number");
    page.press(&[Key::Right, Key::Right, Key::Right]).await;
    page.browser.wait_until(&format!("return Math.abs(+{now} - arguments[0] - 6) <= 1"), vec![json!(before)]).await;
    page.press(&[Key::Left]).await;
    page.browser.wait_until(&format!("return Math.abs(+{now} - arguments[0] - 4) <= 1"), vec![json!(before)]).await;
    page.press(&[Key::End]).await;
    holds(&page, "document.querySelector('#stage').clientWidth >= 300").await;
    page.press(&[Key::Home]).await;
    holds(&page, "document.querySelector('.panel.program').offsetWidth <= 210").await;
    assert_eq!(page.text("#position").await, place, "arrow keys make no steps there");
    page.nothing_complained().await;
}

#[tokio::test]
async fn columns_are_folded_away_and_come_back() {
    let page = Page::open().await;
    page.browser.resize(1440, 900).await;
    page.go(&encode(&settings(STORE_BUFFERING, Model::SC, 4))).await;
    const SEEN: &str = "return ['.panel.program', '.panel.side', '.panel.found']
        .map(s => document.querySelector(s).checkVisibility())";
    let seen = async || page.browser.script(SEEN, vec![]).await;
    let usual = numbers(&page, "[document.querySelector('#stage').clientWidth]").await[0];
    page.press_char('(').await;
    assert_eq!(seen().await, json!([false, true, true]));
    page.press_char(')').await;
    assert_eq!(seen().await, json!([false, false, false]));
    let all = numbers(&page, "[document.querySelector('#stage').clientWidth]").await[0];
    assert!(all > usual + 500.0 && all > 1360.0, "{usual} {all}");
    page.go("").await;
    assert_eq!(seen().await, json!([false, false, false]));
    // What leads there brings them back; so do the buttons that folded them.
    page.press_char('i').await;
    holds(&page, "document.activeElement.id === 'editor'").await;
    assert_eq!(seen().await, json!([true, false, false]));
    page.press(&[Key::Escape]).await;
    page.click("#fold-results").await;
    assert_eq!(seen().await, json!([true, true, true]));
    page.click("#fold-program").await;
    page.click("#fold-results").await;
    assert_eq!(seen().await, json!([false, false, false]));
    // A telephone has tabs, and a lecture shows the program.
    page.browser.resize(390, 844).await;
    page.click("#tab-program").await;
    assert_eq!(seen().await[0], json!(true));
    page.click("#tab-tree").await;
    assert_eq!(seen().await[1], json!(true));
    page.browser.resize(1440, 900).await;
    page.press_char('l').await;
    holds(&page, "document.querySelector('.panel.program').checkVisibility()").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_the_page_says_covers_nothing() {
    let page = Page::open().await;
    const FREE: &str = "((said, box) => said.height > 10 && said.top >= 0 && said.bottom <= innerHeight
        && [...document.querySelectorAll('.panel, .top, .tabs, .lecture-bar > *')].every(e => {
            const other = e.getBoundingClientRect();
            return !e.checkVisibility() || other.width === 0 || said.bottom <= other.top + .5 || said.top >= other.bottom - .5
                || said.right <= other.left + .5 || said.left >= other.right - .5;
        }))(document.querySelector('.notice:not(.away)')?.getBoundingClientRect() ?? { height: 0 })";
    const COVERED: &str = "document.querySelector('.notice:not(.away)')?.textContent";
    for (width, height) in [(1280, 800), (1920, 1080), (390, 844), (768, 1024)] {
        page.browser.resize(width, height).await;
        for lecture in [false, true] {
            page.go("").await;
            if lecture {
                if page.count("body[data-lecture]").await == 0 {
                    page.press_char('l').await;
                }
                holds(&page, "document.body.dataset.lecture === 'true'").await;
            }
            // The name of a view, and a failure in many words.
            page.press_char('d').await;
            holds(&page, FREE).await;
            page.go(if lecture { "#tour=No-such-tour" } else { "#9.broken" }).await;
            holds(&page, &format!("{COVERED}?.length > 20")).await;
            holds(&page, FREE).await;
        }
    }
    page.browser.resize(1280, 800).await;
    page.go("#tour=store-buffering:1").await;
    holds(&page, "!!document.querySelector('#lecture-place')").await;
    page.press_char('l').await;
    holds(&page, FREE).await;
    still(&page.browser).await;
    page.press_char('l').await;
    page.press_char('T').await;
    holds(&page, FREE).await;
    page.browser.console_problems().await;
}

/// All that the bar's menus and the palette call by a key does that with the key.
#[tokio::test]
async fn the_help_lists_the_keys_of_all_groups() {
    let page = Page::open().await;
    page.press_char('?').await;
    holds(&page, "document.querySelector('#help').open").await;
    let headings =
        page.browser.script("return [...document.querySelectorAll('#help h4')].map(e => e.textContent)", vec![]);
    let Value::Array(headings) = headings.await else { panic!("no headings") };
    assert!(headings.contains(&json!("Labs")) && headings.len() >= 7, "{headings:?}");
    holds(&page, "document.querySelectorAll('#help .key-list kbd').length > 60").await;
    holds(&page, "document.querySelector('#help').innerText.includes('Ctrl K')").await;
    // And what stands in drawings.
    const DRAWN: &str = "[...document.querySelectorAll('#help .drawn dt')].map(one => one.textContent)";
    for name in ["[x=0]", "W(x,1)", "R(y,0)", "po", "rf", "co", "fr", "wb", "hb"] {
        holds(&page, &format!("{DRAWN}.includes('{name}')")).await;
    }
    page.nothing_complained().await;
}
