//! Lectures, scenes and questions, moved by real keys.

use fantoccini::Locator;
use fantoccini::key::Key;
use litmoscope::graph::RelationName;
use litmoscope::model::Model;
use litmoscope::session::link::{self, encode_script};
use litmoscope::session::script::{Scene, SceneLab, SceneQuestion, Script};
use litmoscope_tests::browser::ColorScheme;
use serde_json::json;

use crate::page::{Page, STORE_BUFFERING, settings};

/// Three scenes of store buffering: a start, a step with a note, and a question under another model.
pub fn script() -> Script {
    let scene = |note: &str, model, position| Scene {
        settings: settings(STORE_BUFFERING, model, position),
        note: note.to_owned(),
        ..Scene::default()
    };
    let shown = vec![RelationName::Po, RelationName::Rf];
    let second = Scene {
        show: Some(shown),
        highlight: vec![RelationName::Rf],
        point: Some("P1.2".to_owned()),
        ..scene("Both reads are there.", Model::SC, 9)
    };
    let third = Scene { question: Some(SceneQuestion::default()), ..scene("And under TSO?", Model::TSO, 9) };
    Script {
        title: "Three scenes".to_owned(),
        about: String::new(),
        scenes: vec![scene("Two threads.", Model::SC, 0), second, third],
    }
}

impl Page {
    pub async fn lecture(&self, on: bool) {
        let code = "return (document.body.dataset.lecture === 'true') === arguments[0]";
        self.browser.wait_until(code, vec![json!(on)]).await;
    }

    pub async fn says(&self, selector: &str, text: &str) {
        let code = "return document.querySelector(arguments[0])?.textContent === arguments[1]";
        self.browser.wait_until(code, vec![json!(selector), json!(text)]).await;
    }

    pub async fn seen(&self, selector: &str) -> bool {
        let code = "return !!document.querySelector(arguments[0])?.checkVisibility()";
        self.browser.script(code, vec![json!(selector)]).await == json!(true)
    }

    async fn fill(&self, selector: &str, text: &str) {
        let field = self.browser.find(Locator::Css(selector)).await.expect(selector);
        field.clear().await.expect(selector);
        field.send_keys(text).await.expect(selector);
    }
}

#[tokio::test]
async fn a_presenter_moves_a_lecture() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('l').await;
    page.lecture(true).await;
    for (count, key) in [Key::PageDown, Key::Right, Key::Down].into_iter().enumerate() {
        page.press(&[key]).await;
        page.says("#position", &(count + 1).to_string()).await;
    }
    page.press_char(' ').await;
    page.says("#position", "4").await;
    assert!(!page.seen("#controls").await && !page.seen(".top").await && !page.seen("#outcomes").await);
    for (count, key) in [Key::PageUp, Key::Left, Key::Up].into_iter().enumerate() {
        page.press(&[key]).await;
        page.says("#position", &(3 - count).to_string()).await;
    }
    // A click on the graph does not take the arrow keys away.
    page.click("#stage").await;
    page.press(&[Key::Right]).await;
    page.says("#position", "2").await;
    for blank in ['.', 'b'] {
        page.press_char(blank).await;
        assert!(page.seen("#blank").await, "{blank}");
        page.press(&[Key::PageDown]).await;
        assert!(!page.seen("#blank").await, "any key brings the lecture back");
        page.says("#position", "2").await;
    }
    page.click("#lecture-on").await;
    page.says("#position", "3").await;
    page.press_char(' ').await;
    page.says("#position", "4").await;
    page.click("#lecture-blank").await;
    page.click("#blank").await;
    assert!(!page.seen("#blank").await);
    page.press(&[Key::Escape]).await;
    page.lecture(false).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn the_last_row_can_read_a_lecture() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape, Key::End]).await;
    page.press_char('l').await;
    page.lecture(true).await;
    const SMALLEST: &str = "const scale = e => e.getScreenCTM().a;
        const px = s => [...document.querySelectorAll(s)].map(e => parseFloat(getComputedStyle(e).fontSize)
            * (e.ownerSVGElement ? scale(e) : 1));
        return Math.min(...['#explanation', '.copy .line', '#graph .node .label', '#graph .edge-label'].flatMap(px))";
    for scheme in [ColorScheme::Light, ColorScheme::Dark] {
        page.browser.prefer(scheme).await;
        for (width, height, least) in [(1920, 1080, 24.0), (1280, 800, 16.0), (390, 844, 8.0)] {
            page.browser.resize(width, height).await;
            let large = format!("{SMALLEST} >= arguments[0]");
            let least = json!(least);
            page.browser.wait_until(&large, vec![least]).await;
            const OVERFLOW: &str = "return document.documentElement.scrollWidth > innerWidth
                || document.documentElement.scrollHeight > innerHeight";
            assert_eq!(page.browser.script(OVERFLOW, vec![]).await, json!(false), "{width}x{height}");
            for part in ["#editor", "#graph", "#explanation"] {
                assert!(page.seen(part).await, "{part} at {width}x{height}");
            }
        }
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_finds_commands_grows_with_a_lecture() {
    let page = Page::open().await;
    page.browser.resize(1920, 1080).await;
    const SIZES: &str = "return [document.querySelector('#palette').clientWidth,
        ...['#palette-input', '.palette-title', '.palette-row kbd'].map(
            s => parseFloat(getComputedStyle(document.querySelector(s)).fontSize))]";
    let sizes = async || {
        page.click("#open-palette").await;
        page.browser.wait_until("return !!document.querySelector('.palette-row kbd')", vec![]).await;
        let sizes = page.browser.script(SIZES, vec![]).await;
        page.press(&[Key::Escape]).await;
        serde_json::from_value::<[f64; 4]>(sizes).expect("numbers")
    };
    let usual = sizes().await;
    // Its button is hidden in a lecture, but its keys are not.
    page.press_char('l').await;
    page.lecture(true).await;
    page.browser.script("document.querySelector('#open-palette').click()", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('.palette-row kbd')", vec![]).await;
    let large: [f64; 4] = serde_json::from_value(page.browser.script(SIZES, vec![]).await).expect("numbers");
    for (usual, large) in usual.into_iter().zip(large) {
        assert!(large > 1.4 * usual, "{usual} {large}");
    }
    assert!(large[1] >= large[2] && large[2] >= 24.0, "{large:?}");
    page.nothing_complained().await;
}

#[tokio::test]
async fn scenes_are_made_played_and_kept() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('T').await;
    page.press(&[Key::Right, Key::Right, Key::Right]).await;
    page.press_char('t').await;
    page.click("#scene-add").await;
    assert_eq!(page.count(".scene").await, 2);
    page.fill(".scene:nth-child(1) .scene-note", "The start.").await;
    page.fill(".scene:nth-child(2) .scene-note", "Three steps on.").await;
    page.fill("#scenes-name", "Two scenes").await;
    // Later and earlier, by buttons and keys.
    page.click(".scene:nth-child(1) .scene-down").await;
    page.browser
        .wait_until("return document.querySelector('.scene:nth-child(2) .scene-note').value === 'The start.'", vec![])
        .await;
    page.browser
        .wait_until(
            "return document.activeElement === document.querySelector('.scene:nth-child(2) .scene-down')",
            vec![],
        )
        .await;
    page.click(".scene:nth-child(2) .scene-up").await;
    page.browser
        .wait_until("return document.querySelector('.scene:nth-child(1) .scene-note').value === 'The start.'", vec![])
        .await;
    page.click(".scene:nth-child(2) .scene-copy").await;
    assert_eq!(page.count(".scene").await, 3);
    page.click(".scene:nth-child(3) .scene-delete").await;
    page.click(".scene:nth-child(1) .scene-delete").await;
    assert_eq!(page.count(".scene").await, 1);
    page.click("#scenes-undo").await;
    assert_eq!(page.count(".scene").await, 2);
    page.click("#scenes-play").await;
    page.lecture(true).await;
    page.says("#explanation", "The start.").await;
    page.says("#lecture-place", "Scene 1 of 2").await;
    page.press(&[Key::PageDown]).await;
    page.says("#explanation", "Three steps on.").await;
    page.says("#position", "3").await;
    // Whoever steps on hears of the step again.
    page.press(&[Key::Right]).await;
    page.says("#position", "4").await;
    assert_ne!(page.text("#explanation").await, "Three steps on.");
    page.press(&[Key::PageUp]).await;
    page.says("#explanation", "The start.").await;
    page.says("#position", "0").await;
    // All of it is there after a reload.
    page.go("").await;
    page.press_char('t').await;
    assert_eq!(page.count(".scene").await, 2);
    let note = "return document.querySelector('.scene:nth-child(2) .scene-note').value";
    assert_eq!(page.browser.script(note, vec![]).await, json!("Three steps on."));
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_link_leads_through_its_scenes() {
    let page = Page::open().await;
    page.type_program("x := 1 || mine := x").await;
    page.press(&[Key::Escape]).await;
    page.press_char('T').await;
    page.go(&encode_script(&script()).expect("it is short")).await;
    page.says("#explanation", "Two threads.").await;
    page.says("#lecture-place", "Scene 1 of 3").await;
    page.press(&[Key::PageDown]).await;
    page.says("#explanation", "Both reads are there.").await;
    page.says("#position", "9").await;
    page.browser.wait_until("return !!document.querySelector('#graph .edge.rel-rf.thick')", vec![]).await;
    page.browser
        .wait_until("return !!document.querySelector('#graph .node.pointed[data-event=\"P1.2\"]')", vec![])
        .await;
    assert_eq!(page.count("#graph .edge.rel-co, #graph .edge.rel-wb").await, 0);
    // The scenes that were there can be had back, and the text.
    page.press_char('t').await;
    page.click("#scenes-restore").await;
    assert_eq!(page.count(".scene").await, 1);
    assert!(page.text(".scene-title").await.contains("start"), "{}", page.text(".scene-title").await);
    page.press(&[Key::Escape]).await;
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "x := 1 || mine := x");
    // What can't be opened is said, and nothing changes.
    page.browser.script("location.hash = '#2.AAAA'", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('.notice.bad')", vec![]).await;
    page.browser.script("location.hash = '#tour=../x'", vec![]).await;
    page.browser
        .wait_until("return document.querySelector('#notice').textContent.startsWith('There is no such tour')", vec![])
        .await;
    assert_eq!(page.program().await, "x := 1 || mine := x");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_scene_that_is_no_more_is_shown_as_near_as_can_be() {
    let page = Page::open().await;
    let mut script = script();
    script.scenes.truncate(1);
    script.scenes[0].settings.position = 1000;
    page.go(&encode_script(&script).expect("it is short")).await;
    page.browser
        .wait_until(
            "return document.querySelector('#notice').textContent.startsWith('This scene is step 1000, but')",
            vec![],
        )
        .await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_question_hides_what_answers_it() {
    let page = Page::open().await;
    page.go(&encode_script(&script()).expect("it is short")).await;
    page.says("#explanation", "Two threads.").await;
    page.press_char('l').await;
    page.lecture(true).await;
    page.press(&[Key::PageDown, Key::PageDown]).await;
    page.says("#question-sentence", "Can it end so under TSO?").await;
    page.says("#question-outcome", "P0:a = 0 /\\ P1:b = 0").await;
    page.says("#question-note", "And under TSO?").await;
    let listing = page.text("#question-program").await;
    assert!(listing.contains("x := 1 || y := 1") && !listing.contains("exists"), "{listing}");
    // Neither panels nor keys give it away.
    for key in ['v', 'e', 'm', 'a'] {
        page.press_char(key).await;
        for part in
            ["#graph", "#outcomes", "#verdict", "#explanation", "#compare-table", "#answer", "#question-graph .node"]
        {
            assert!(!page.seen(part).await, "{part} after {key}");
        }
    }
    page.press_char('2').await;
    page.says("#answer", "You said forbidden, but it is allowed.").await;
    page.says(
        "#answer-because",
        "TSO allows it: one execution ends so. TSO does not keep W(x,1) before R(y,0): the write waits in P0's store \
         buffer while the read goes ahead. TSO does not keep W(y,1) before R(x,0): the write waits in P1's store buffer \
         while the read goes ahead.",
    )
    .await;
    page.browser.wait_until("return document.querySelectorAll('#question-graph .node').length === 6", vec![]).await;
    page.click("#question-open").await;
    page.browser.settled().await;
    page.says("#step-name", "complete").await;
    page.press(&[Key::PageUp]).await;
    page.says("#explanation", "Both reads are there.").await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_quiz_asks_about_the_gallery() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('q').await;
    page.browser.wait_until("return !!document.querySelector('#question-sentence')", vec![]).await;
    let pick = |id: &'static str, value: &'static str| {
        let page = &page;
        async move {
            let select = page.browser.find(Locator::Css(id)).await.expect("there is a picker");
            select.select_by_value(value).await.expect("it can be picked");
        }
    };
    pick("#quiz-model", "sc").await;
    pick("#quiz-order", "gallery").await;
    page.says("#question-sentence", "Can it end so under SC?").await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('2').await;
    page.browser.wait_until("return !!document.querySelector('#answer')", vec![]).await;
    let tally = page.text("#quiz-tally").await;
    assert!(tally == "1 of 1 right" || tally == "0 of 1 right", "{tally}");
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !document.querySelector('#answer')", vec![]).await;
    // Revealed without an answer, it does not count.
    page.press_char(' ').await;
    page.browser.wait_until("return !!document.querySelector('#answer')", vec![]).await;
    assert_eq!(page.text("#quiz-tally").await, tally);
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.querySelector('#question')", vec![]).await;
    assert_eq!(page.program().await, STORE_BUFFERING, "the text is not touched");
    page.nothing_complained().await;
}

#[tokio::test]
async fn tours_are_listed_and_opened_by_name() {
    let page = Page::open().await;
    page.press_char('u').await;
    page.browser.wait_until("return !!document.querySelector('[data-tour=store-buffering]')", vec![]).await;
    page.click("[data-tour=store-buffering]").await;
    page.says("#lecture-place", "Scene 1 of 7").await;
    page.go("#tour=store-buffering:3").await;
    page.says("#lecture-place", "Scene 3 of 7").await;
    page.browser.settled().await;
    page.says("#step-name", "done").await;
    page.nothing_complained().await;
}

/// Presses Tab until the element has the focus.
async fn tab_to(page: &Page, selector: &str) {
    const FOCUSED: &str = "return document.activeElement?.matches(arguments[0]) === true";
    for _ in 0..60 {
        if page.browser.script(FOCUSED, vec![json!(selector)]).await == json!(true) {
            return;
        }
        page.press(&[Key::Tab]).await;
    }
    panic!("Tab does not lead to {selector}");
}

#[tokio::test]
async fn gallery_lessons_and_quiz_work_with_the_keyboard_alone() {
    let page = Page::open().await;
    // From the first key on: nothing has been clicked.
    tab_to(&page, "#open-gallery").await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
    for character in "message".chars() {
        page.press_char(character).await;
    }
    page.press(&[Key::Down]).await;
    page.press(&[Key::Right]).await;
    page.press(&[Key::Left]).await;
    page.press(&[Key::Enter]).await;
    const OPENED: &str = "return !document.querySelector('#gallery').open
        && document.querySelector('#editor').value.includes('name MP')";
    page.browser.wait_until(OPENED, vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.count("dialog[open]").await, 0);

    page.press_char('u').await;
    page.browser.wait_until("return !!document.querySelector('#lessons .card')", vec![]).await;
    tab_to(&page, "#lessons [data-tour=interleavings]").await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !!document.querySelector('#lecture-place')", vec![]).await;
    page.press_char('l').await;
    let place = page.text("#lecture-place").await;
    let scenes: u32 = place.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("it says how many");
    for scene in 2..=scenes {
        page.press(&[Key::PageDown]).await;
        // A question takes a key to be revealed, and one to go on.
        for _ in 0..3 {
            page.browser.settled().await;
            if page.text("#lecture-place").await == format!("Scene {scene} of {scenes}") {
                break;
            }
            page.press(&[Key::PageDown]).await;
        }
        assert_eq!(page.text("#lecture-place").await, format!("Scene {scene} of {scenes}"));
    }
    page.press(&[Key::Escape]).await;
    assert_eq!(page.count("body[data-lecture]").await, 0);

    page.press_char('q').await;
    page.browser.wait_until("return !!document.querySelector('#question-sentence')", vec![]).await;
    page.press_char('1').await;
    page.browser.wait_until("return !!document.querySelector('#answer')", vec![]).await;
    page.press(&[Key::Enter]).await;
    page.browser.wait_until("return !document.querySelector('#answer')", vec![]).await;
    page.press(&[Key::Escape]).await;
    page.browser.wait_until("return !document.querySelector('#question')", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn what_does_not_fit_is_in_a_menu() {
    let page = Page::open().await;
    assert_eq!(
        page.browser.script("return document.querySelector('#more').checkVisibility()", vec![]).await,
        json!(false)
    );
    page.browser.resize(390, 844).await;
    const SEEN: &str = "return document.querySelector('#open-quiz').checkVisibility()";
    assert_eq!(page.browser.script(SEEN, vec![]).await, json!(false));
    page.click("#show").await;
    assert_eq!(page.browser.script(SEEN, vec![]).await, json!(true));
    page.click("#open-lessons").await;
    page.browser.wait_until("return !!document.querySelector('#lessons .card')", vec![]).await;
    assert_eq!(page.browser.script(SEEN, vec![]).await, json!(false), "the menu is closed");
    page.nothing_complained().await;
}

#[tokio::test]
async fn another_view_takes_the_place_of_a_question() {
    let page = Page::open().await;
    page.press_char('q').await;
    page.browser.wait_until("return !!document.querySelector('#question-sentence')", vec![]).await;
    // Keys that would give something away do nothing.
    page.press_char('b').await;
    page.press_char('m').await;
    assert_eq!(page.count("body:is([data-lab=beside], [data-lab=models])").await, 0);
    page.click("#models").await;
    page.browser.wait_until("return !document.querySelector('#question')", vec![]).await;
    page.browser.wait_until("return !!document.querySelector('#compare-table')", vec![]).await;
    page.nothing_complained().await;
}

/// The lesson on recordings, by its keys: each scene is in the lab, as its note says, and the last key ends it where it began.
#[tokio::test]
async fn a_lesson_goes_through_a_lab() {
    let page = Page::open().await;
    page.go("#tour=linearizability").await;
    page.press_char('l').await;
    page.lecture(true).await;
    let legal = |legal| format!("document.querySelector('#history-order')?.dataset.legal === '{legal}'");
    // What the lab says, and a part of the note.
    let scenes = [
        ("✓ linearizable", legal(false), "the dequeue of 1 finds 2 in front"),
        ("✓ linearizable", legal(true), "before 2. All turns are allowed"),
        ("✓ linearizable", legal(true), "The monitor finds another solution"),
        ("✓ linearizable", legal(true), "Two operations never returned"),
        ("✗ not linearizable", "!document.querySelector('.history-dot')".to_owned(), "two such values"),
        ("✓ linearizable", at_step(4), "The monitor takes a stack apart"),
        ("✗ not linearizable", at_step(0), "leave out any one of the four"),
        ("✗ not linearizable", at_step(2), "The same history in steps"),
        ("✗ not linearizable", at_step(0), "a set holds x only once"),
        ("✗ not linearizable", "document.querySelector('#history-choice').value === '0'".to_owned(), "A broken stack"),
        ("✓ linearizable", "document.querySelector('#history-choice').value === '1'".to_owned(), "The same run"),
    ];
    for (at, (verdict, condition, note)) in scenes.iter().enumerate() {
        page.says("#lecture-place", &format!("Scene {} of {}", at + 1, scenes.len())).await;
        page.says("#history-verdict", verdict).await;
        page.browser.wait_until(&format!("return {condition}"), vec![]).await;
        assert!(page.seen("#history-timeline .history-bar").await && page.seen("#scene-words").await, "{note}");
        let said = page.text("#scene-words").await;
        assert!(said.contains(note), "{said}");
        page.press(&[Key::PageDown]).await;
    }
    page.says("#notice", "This is the last scene. Press u for the lessons.").await;
    // Its own keys move the lab and leave the note where it is.
    page.press(&[Key::PageUp, Key::PageUp, Key::PageUp]).await;
    page.says("#lecture-place", "Scene 8 of 11").await;
    page.browser.wait_until(&format!("return {}", at_step(2)), vec![]).await;
    page.press(&[Key::Left]).await;
    page.browser.wait_until(&format!("return {}", at_step(1)), vec![]).await;
    assert!(page.text("#scene-words").await.starts_with("The same history in steps."));
    // To a lesson among the steps, and the lab is gone.
    page.go("#tour=interleavings").await;
    page.says("#lecture-place", "Scene 1 of 7").await;
    page.browser.wait_until("return document.body.dataset.lab === 'stepping'", vec![]).await;
    assert!(!page.seen("#scene-words").await && page.seen("#graph .node, #graph").await);
    page.nothing_complained().await;
}

fn at_step(step: u32) -> String {
    format!("document.querySelector('#history-step-place')?.textContent.startsWith('step {step} of ')")
}

/// The lesson on code: the same program comes again under another model and by another order.
#[tokio::test]
async fn a_lesson_judges_code() {
    let page = Page::open().await;
    page.go("#tour=objects").await;
    let scenes = [
        ("✓ linearizable", "sc", "client"),
        ("✗ not linearizable", "sc", "client"),
        ("✓ linearizable", "sc", "time"),
        ("✓ linearizable", "sc", "time"),
        ("✗ not linearizable", "tso", "time"),
        ("✓ linearizable", "tso", "client"),
        ("✗ not linearizable", "pso", "client"),
        ("✓ linearizable", "pso", "client"),
        ("✓ linearizable", "pso", "time"),
    ];
    for (at, (verdict, model, order)) in scenes.iter().enumerate() {
        page.says("#lecture-place", &format!("Scene {} of {}", at + 1, scenes.len())).await;
        page.browser
            .wait_until(
                "return document.querySelector('#history-order-by')?.value === arguments[0]",
                vec![json!(order)],
            )
            .await;
        page.says("#history-verdict", verdict).await;
        assert_eq!(page.browser.script("return document.querySelector('#model').value", vec![]).await, json!(model));
        assert!(page.seen("#scene-words").await);
        page.press(&[Key::PageDown]).await;
    }
    page.press(&[Key::PageUp]).await;
    page.says("#lecture-place", "Scene 8 of 9").await;
    // A reload is at the same scene, in the lab.
    page.kept().await;
    page.browser.refresh().await.expect("it can be loaded again");
    page.browser.settled().await;
    page.says("#lecture-place", "Scene 8 of 9").await;
    page.says("#history-verdict", "✓ linearizable").await;
    page.browser.wait_until("return document.body.dataset.lab === 'histories'", vec![]).await;
    page.nothing_complained().await;
}

/// What a lab shows becomes a scene as a step does, and is played from the steps.
#[tokio::test]
async fn scenes_are_made_in_a_lab() {
    let page = Page::open().await;
    page.type_program(STORE_BUFFERING).await;
    page.press(&[Key::Escape]).await;
    page.press_char('T').await;
    let history = "history typed queue\nT1: enq 1 [0,3]; deq 2 [4,5]\nT2: enq 2 [1,2]";
    page.go(&link::encode(&settings(history, Model::SC, 0))).await;
    page.browser.wait_until("return !!document.querySelector('#history-timeline .history-bar')", vec![]).await;
    page.click("#history-solve").await;
    page.browser.wait_until("return !!document.querySelector('#history-timeline .history-dot')", vec![]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('T').await;
    page.says("#notice", "What is shown is scene 2.").await;
    page.press_char('t').await;
    page.says(".scene:nth-child(2) .scene-title", "history typed queue, histories").await;
    page.fill(".scene:nth-child(2) .scene-note", "Solved.").await;
    page.click(".scene:nth-child(1) .scene-play").await;
    page.lecture(true).await;
    page.says("#lecture-place", "Scene 1 of 2").await;
    page.browser.wait_until("return document.body.dataset.lab === 'stepping'", vec![]).await;
    page.press(&[Key::PageDown]).await;
    page.says("#scene-words", "Solved.").await;
    page.browser.wait_until("return document.body.dataset.lab === 'histories'", vec![]).await;
    page.browser.wait_until("return document.querySelector('#history-order')?.dataset.legal === 'true'", vec![]).await;
    assert_eq!(page.program().await, history);
    page.press(&[Key::PageUp]).await;
    page.says("#position", "0").await;
    page.browser.wait_until("return document.body.dataset.lab === 'stepping'", vec![]).await;
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_lab_that_is_no_more_is_named() {
    let page = Page::open().await;
    let mut script = script();
    script.scenes.truncate(1);
    script.scenes[0].lab = Some(SceneLab { name: "alchemy".to_owned(), place: Some(json!({ "gold": 1 })) });
    page.go(&encode_script(&script).expect("it is short")).await;
    page.says("#notice", "This scene belongs to the lab “alchemy”, and this page does not have it.").await;
    page.says("#explanation", "Two threads.").await;
    page.nothing_complained().await;
}
