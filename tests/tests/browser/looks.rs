//! What a narrow screen and a lecture have no room for elsewhere.

use litmoscope::model::Model;
use litmoscope::session::link;
use serde_json::json;

use crate::page::{Page, settings};

/// Two writers and two readers.
const FOUR_THREADS: &str = "x := 1   ||   y := 1   ||   a :=acq x   ||   c :=acq y
         ||            ||   b :=acq y   ||   d :=acq x";

/// A line that no lecture has room for.
const LONG_LINE: &str =
    "// Two readers watch two writers, and they may well not agree on which of the two wrote first of all.";

impl Page {
    async fn holds(&self, code: &str) {
        self.browser.wait_until(&format!("return {code}"), vec![]).await;
    }

    async fn go_to_program(&self, text: &str, position: u64) {
        self.go(&link::encode(&settings(text, Model::RA, position))).await;
    }
}

#[tokio::test]
async fn four_threads_fit_a_telephone() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go_to_program(FOUR_THREADS, 15).await;
    page.holds("document.querySelectorAll('#graph .node').length >= 8").await;
    const LETTERS: &str = "(e => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)";
    page.holds("!document.querySelector('.minimap')").await;
    page.holds(&format!("{LETTERS}(document.querySelector('#graph .node .label')) >= 8.5")).await;
    // A wide window has more room between threads, from the moment that it is wide.
    const BETWEEN: &str = "(columns => columns[1].getBBox().x - columns[0].getBBox().x - columns[0].getBBox().width)(
        document.querySelectorAll('#graph .column rect'))";
    page.holds(&format!("{BETWEEN} < 50")).await;
    page.browser.resize(1280, 800).await;
    page.holds(&format!("{BETWEEN} > 70")).await;
    page.nothing_complained().await;
}

/// Of the model and the algorithm, on a laptop and on a telephone.
#[tokio::test]
async fn every_chosen_name_is_whole() {
    const CUT: &str = "return (async of => {
        const measure = document.createElement('canvas').getContext('2d');
        const room = select => {
            const style = getComputedStyle(select);
            measure.font = style.font;
            // And its arrow.
            return select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 18;
        };
        const select = document.querySelector(of), cut = [];
        for (const option of select.options) {
            select.value = option.value;
            select.dispatchEvent(new Event('change', { bubbles: true }));
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            for (const each of document.querySelectorAll('#model, #algorithm')) {
                const name = each.selectedOptions[0].textContent;
                if (measure.measureText(name).width > room(each)) cut.push(name);
            }
        }
        return cut;
    })(arguments[0])";
    let page = Page::open().await;
    for (width, height) in [(1280, 800), (390, 844), (640, 400)] {
        page.browser.resize(width, height).await;
        page.browser.script("document.querySelector('#tab-program').click()", vec![]).await;
        for select in ["#model", "#algorithm"] {
            let cut = page.browser.script(CUT, vec![json!(select)]).await;
            assert_eq!(cut, json!([]), "{select} at {width}x{height}");
        }
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn nothing_of_a_program_is_cut_in_a_lecture() {
    let page = Page::open().await;
    let text = format!("{LONG_LINE}\n{FOUR_THREADS}");
    page.go_to_program(&text, 3).await;
    page.press_char('l').await;
    for (width, height) in [(1920, 1080), (1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        page.holds("document.querySelector('#editor').scrollWidth <= document.querySelector('#editor').clientWidth")
            .await;
        // The comment is broken, the program is not; the step's line is where it stands now.
        const HEIGHTS: &str = "[...document.querySelectorAll('.copy .line')].map(line => line.offsetHeight)";
        page.holds(&format!(
            "(([long, ...code]) => code.every(height => height === code[0]) && long > code[0])({HEIGHTS})"
        ))
        .await;
        page.holds("document.querySelectorAll('.copy .line.step').length === 1").await;
        page.holds("!document.querySelector('.band')?.checkVisibility()").await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_the_page_says_in_a_lecture_is_no_larger_than_its_words() {
    let page = Page::open().await;
    page.go("#tour=store-buffering:5").await;
    page.holds("!!document.querySelector('#lecture-place')").await;
    page.press_char('l').await;
    for (width, height) in [(1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        const HEIGHT: &str = "return document.querySelector('.messages').getBoundingClientRect().height < arguments[0]";
        page.browser.wait_until(HEIGHT, vec![json!(120)]).await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn models_are_compared_in_a_lecture() {
    let page = Page::open().await;
    page.press_char('l').await;
    page.press_char('m').await;
    for (width, height) in [(1920, 1080), (1280, 800), (390, 844)] {
        page.browser.resize(width, height).await;
        page.holds("document.querySelector('.panel.models').getBoundingClientRect().height > innerHeight * 0.8").await;
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_graph_that_is_wider_than_its_panel_begins_with_events() {
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    let writers: Vec<_> = (0..14).map(|value| format!("x := {value}")).collect();
    page.go_to_program(&format!("{} || r := x", writers.join(" || ")), 0).await;
    const IN_SIGHT: &str = "((box, panel) => box.left > panel.left && box.right < panel.right)(
        document.querySelector(`#graph .node[data-label='${label}'] .box`).getBoundingClientRect(),
        document.querySelector('#stage').getBoundingClientRect())";
    let in_sight = |label: &str| IN_SIGHT.replace("${label}", label);
    page.holds(&in_sight("[x=0]")).await;
    page.click("#forward").await;
    page.browser.settled().await;
    page.holds(&in_sight("W(x,0)")).await;
    // The map is as wide as it may be, and high enough to be hit.
    page.holds("!!document.querySelector('#stage-map')").await;
    let [x, y, width, height] = page.rectangle("#stage-map").await;
    assert!(width > 100.0 && height >= 36.0, "{width} {height}");
    let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
    page.mouse("mousePressed", x + width / 2.0, y + height / 2.0, held.clone()).await;
    page.holds(&in_sight("[x=0]")).await;
    page.mouse("mouseMoved", x + 4.0, y + height / 2.0, held.clone()).await;
    page.holds(&in_sight("W(x,0)")).await;
    page.mouse("mouseReleased", x + 4.0, y + height / 2.0, held).await;
    page.nothing_complained().await;
}

/// Three threads of twelve events each.
fn many_events() -> String {
    let long =
        |thread: usize| format!("x{thread} := 1; a{thread} := y; b{thread} := fai(y); z := {thread}; ").repeat(3);
    (0..3).map(long).collect::<Vec<_>>().join(" || ")
}

#[tokio::test]
async fn on_a_telephone_tables_and_questions_fit() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go_to_program(&many_events(), 127).await;
    let fits = async |selector: &str| {
        page.holds(&format!("(e => e && e.scrollWidth <= e.clientWidth)(document.querySelector('{selector}'))")).await;
    };
    page.click("#view-table").await;
    page.holds("!!document.querySelector('#event-table tbody tr')").await;
    fits(".event-scroll").await;
    // Threads stand below one another, each event with its thread's name.
    page.click("#view-time").await;
    page.holds("!!document.querySelector('#time-table.many')").await;
    fits(".time").await;
    page.holds("document.querySelector('.time-row.current .time-lane').innerText === 'P2'").await;
    page.press_char('l').await;
    page.holds("!!document.querySelector('.time-row.current')?.checkVisibility()").await;
    fits(".time").await;
    page.press_char('l').await;
    page.browser.resize(1280, 800).await;
    page.holds("document.querySelector('#time-table thead').checkVisibility()").await;
    page.holds("!document.querySelector('.time-lane').checkVisibility()").await;

    page.browser.resize(390, 844).await;
    page.go_to_program(&format!("{FOUR_THREADS}\nexists (P2:a = 1 /\\ P2:b = 0 /\\ P3:c = 1 /\\ P3:d = 0)"), 0).await;
    page.press_char('m').await;
    page.holds("document.querySelector('.compare').dataset.over === 'true'").await;
    page.holds("!!document.querySelector('#compare-table .compared')").await;
    fits(".compare-table").await;
    const HEADS_APART: &str =
        "((heads) => heads.length > 10 && heads.every((head, at) => at === 0 || head.left >= heads[at - 1].right + 2))(
        [...document.querySelectorAll('#compare-table thead th')].filter(e => !e.querySelector('.sr-only')).map(e => {
            const range = document.createRange();
            range.selectNodeContents(e);
            return range.getBoundingClientRect();
        }))";
    page.holds(HEADS_APART).await;
    page.press_char('m').await;

    page.press_char('q').await;
    page.holds("!!document.querySelector('#quiz-order')").await;
    let order = page.browser.find(fantoccini::Locator::Id("quiz-order")).await.expect("there is a picker");
    order.select_by_value("gallery").await.expect("it can be picked");
    for _ in 0..12 {
        page.holds("!!document.querySelector('#question-sentence')").await;
        fits("#question-program").await;
        page.click("#question-on").await;
        page.holds("!!document.querySelector('#answer')").await;
        page.click("#question-on").await;
        page.holds("!document.querySelector('#answer')").await;
    }
    page.nothing_complained().await;
}

/// What the algorithm keeps is a table, and a row of it is no table.
#[tokio::test]
async fn a_laptop_shows_rows_of_what_is_kept() {
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    page.go_to_program(&many_events(), 127).await;
    page.holds("document.body.dataset.tall === 'true'").await;
    const ROWS: &str = "(panel => [...document.querySelectorAll('#pending tbody tr')].filter(
        row => row.getBoundingClientRect().bottom <= panel.bottom + 1).length)(
        document.querySelector('.pending-panel').getBoundingClientRect())";
    for view in ["graph", "time", "table"] {
        page.click(&format!("#view-{view}")).await;
        page.holds(&format!("{ROWS} >= 3")).await;
    }
    page.click("#pseudo-code summary").await;
    page.holds(&format!("document.querySelector('#pseudo-code').open && {ROWS} >= 3")).await;
    // However it is unfolded, it belongs to the steps.
    for unfolded in [true, false] {
        page.press_char('m').await;
        page.holds("document.body.dataset.lab === 'models'").await;
        page.holds("!document.querySelector('.panel.words').checkVisibility()").await;
        page.press_char('m').await;
        page.holds("document.querySelector('.panel.words').checkVisibility()").await;
        if unfolded {
            page.click("#pseudo-code summary").await;
        }
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn on_a_telephone_what_the_page_says_covers_no_lecture() {
    let page = Page::open().await;
    page.browser.resize(390, 844).await;
    page.go("#tour=store-buffering:5").await;
    page.holds("!!document.querySelector('#lecture-place')").await;
    page.press_char('l').await;
    const ABOVE: &str = "(said => said.height > 20 && said.top >= 0 && [...document.querySelectorAll('.panel')].every(
        panel => !panel.checkVisibility() || panel.getBoundingClientRect().top >= said.bottom))(
        document.querySelector('.notice').getBoundingClientRect())";
    page.holds(ABOVE).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn models_with_many_outcomes_leave_room_for_the_cycle() {
    let page = Page::open().await;
    page.browser.resize(1280, 800).await;
    page.go_to_program(&format!("{FOUR_THREADS}\nexists (P2:a = 1 /\\ P2:b = 0 /\\ P3:c = 1 /\\ P3:d = 0)"), 0).await;
    page.press_char('m').await;
    page.holds("!!document.querySelector('#forbidden-graph .node') && !!document.querySelector('.side-cycle')").await;
    page.holds("(e => e.scrollHeight <= e.clientHeight)(document.querySelector('.side-cycle'))").await;
    page.holds("document.querySelector('#forbidden-stage').clientHeight >= 180").await;
    page.holds("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.compare-table'))").await;
    page.nothing_complained().await;
}
