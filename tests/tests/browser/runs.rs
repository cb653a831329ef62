//! Whole explorations beside the steps.

use crate::page::{Page, STORE_BUFFERING, settings};
use fantoccini::Locator;
use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::key::Key;
use litmoscope::explore::{Algorithm, Moment};
use litmoscope::model::Model;
use litmoscope::report::{RUN_VERSION, Report, ResultsJson, RunFile, RunGraphs};
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::syntax;
use serde_json::json;

/// Eight increments: 8! executions.
const FAI_8: &str = "fai(x) || fai(x) || fai(x) || fai(x) || fai(x) || fai(x) || fai(x) || fai(x)";
/// Nine writers and a reader: ten executions, and 10! with co.
const NW1R_8: &str = "x := 0 || x := 1 || x := 2 || x := 3 || x := 4 || x := 5 || x := 6 || x := 7 || x := 8 || r := x";
const RUN_OVER: &str = "return document.querySelector('#run-panel').dataset.going === 'false'
    && !!document.querySelector('#run-status')";
const RUN_GOES_ON: &str = "return / of about .* a second/.test(document.querySelector('#run-status')?.textContent)";

#[tokio::test]
async fn everything_is_explored_beside_the_steps() {
    let page = Page::open().await;
    page.type_program(FAI_8).await;
    page.click("#run-all").await;
    page.browser.settled().await;
    // The steps go on as they were.
    const ALGORITHM: &str = "return document.querySelector('#algorithm').value";
    assert_eq!(page.browser.script(ALGORITHM, vec![]).await, json!("genmc"));
    // Steps are made meanwhile.
    page.click("#forward").await;
    page.click("#next-execution").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    page.browser.wait_until(RUN_OVER, vec![]).await;
    assert_eq!(page.text("#count-complete").await, "40,320");
    assert!(page.text("#run-status").await.starts_with("40,320 executions in "));
    assert!(page.text("#verdict").await.contains("Everything was explored"));
    // Its first execution is drawn, until one steps on.
    let position = page.text("#position").await;
    page.click("#run-first").await;
    page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
    assert_eq!(page.count("#graph .node[data-label^='U(x']").await, 8);
    // What is drawn is said, and where the steps stand.
    let drawn = page.text("#elsewhere span").await;
    assert!(drawn.starts_with("Drawn is the first execution of the run, at its step "), "{drawn}");
    assert!(drawn.ends_with(&format!("You are at step {position}.")), "{drawn}");
    assert_eq!(page.count("#pending").await, 0);
    assert!(page.seen("#tree-own").await);
    page.click("#elsewhere-back").await;
    page.browser.wait_until("return !document.querySelector('#elsewhere')", vec![]).await;
    assert_eq!(page.text("#position").await, position);
    // An outcome leads to its first execution, step by step.
    page.click("#outcomes tbody tr button").await;
    page.browser.settled().await;
    assert_eq!(page.text("#step-name").await, "complete");
    assert_eq!(page.browser.script(ALGORITHM, vec![]).await, json!("trust"), "it is a step of the run's");
    // Put away, the results are those of the steps.
    page.click("#run-close").await;
    page.browser.wait_until("return !!document.querySelector('#run-all')", vec![]).await;
    assert_eq!(page.text("#count-complete").await, "1");
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_run_finds_what_a_session_finds() {
    let page = Page::open().await;
    let text = "x := 1 || x := 2; a := x || assert x != 2; b := x; c := fai(x)\nexists (P1:a = 1)";
    for algorithm in ["trust", "trust_co"] {
        page.type_program(text).await;
        page.choose_algorithm(algorithm).await;
        page.click("#run-all").await;
        page.browser.wait_until(RUN_OVER, vec![]).await;
        let found = page.text(".results").await;
        // The first violation is drawn.
        page.click("#run-violation").await;
        page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
        assert_eq!(page.text("#step-name").await, "error");
        assert_eq!(page.count("#graph .node.error").await, 1);
        page.click("#run-witness").await;
        page.browser.wait_until("return document.querySelector('#step-name').textContent === 'complete'", vec![]).await;
        // Steps lead to the same.
        page.click("#run-close").await;
        page.click("#run").await;
        page.browser.settled().await;
        let fingerprint = page.text(".fingerprint").await;
        assert_eq!(page.text(".results").await.replace(&fingerprint, ""), found, "{algorithm}");
        page.type_program("").await;
    }
    page.nothing_complained().await;
}

/// The worker that comes when somebody points at the button is the one that explores.
#[tokio::test]
async fn a_worker_comes_before_the_button_is_pressed() {
    let page = Page::open().await;
    page.type_program(FAI_8).await;
    const COUNT: &str = "window.came = 0;
        window.Worker = class extends Worker { constructor(...all) { super(...all); window.came += 1; } }";
    page.browser.script(COUNT, vec![]).await;
    let element = page.browser.find(Locator::Css("#run-all")).await.expect("it is there");
    let point = PointerAction::MoveToElement { element, duration: None, x: 0., y: 0. };
    let mouse = MouseActions::new("mouse".to_owned()).then(point);
    page.browser.perform_actions(mouse).await.expect("the mouse can be moved");
    page.browser.wait_until("return window.came === 1", vec![]).await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('a').await;
    page.browser.wait_until(RUN_OVER, vec![]).await;
    assert_eq!(page.text("#count-complete").await, "40,320");
    assert_eq!(page.browser.script("return window.came", vec![]).await, json!(1));
    // The next run has a worker of its own.
    page.press_char('a').await;
    page.browser.wait_until("return window.came === 2", vec![]).await;
    page.browser.wait_until(RUN_OVER, vec![]).await;
    assert_eq!(page.text("#count-complete").await, "40,320");
    page.nothing_complained().await;
}

/// Eleven threads, 11! executions with co.
#[tokio::test]
async fn a_large_run_shows_its_progress() {
    let page = Page::open().await;
    page.type_program(&format!("{NW1R_8} || x := 9")).await;
    page.choose_algorithm("trust_co").await;
    page.browser.script("document.activeElement.blur()", vec![]).await;
    page.press_char('a').await;
    page.browser.wait_until(RUN_GOES_ON, vec![]).await;
    for _ in 0..3 {
        page.press_char('n').await;
    }
    assert_eq!(page.text("#position").await, "3");
    // As far as it comes in the time that a test has.
    const OVER_OR_MILLIONS: &str = "return document.querySelector('#run-panel').dataset.going === 'false'
        || +document.querySelector('#count-complete').textContent.replace(/\\D/g, '') > 1e5";
    page.browser.wait_until(OVER_OR_MILLIONS, vec![]).await;
    page.browser.script("document.querySelector('#run-stop')?.click()", vec![]).await;
    page.browser.wait_until(RUN_OVER, vec![]).await;
    let counted = page.number("#count-complete").await;
    assert!(counted > 100_000 && counted <= 39_916_800, "{counted}");
    let whole = page.count("#verdict.ok").await == 1;
    assert_eq!(whole, counted == 39_916_800, "{counted}: {}", page.text("#verdict").await);
    page.nothing_complained().await;
}

/// What no machine explores before the test looks.
#[tokio::test]
async fn a_large_run_can_be_stopped() {
    let page = Page::open().await;
    let text = format!("{NW1R_8} || x := 9 || x := 10 || x := 11 || x := 12 || x := 13");
    page.type_program(&text).await;
    page.choose_algorithm("trust_co").await;
    page.click("#run-all").await;
    page.browser.wait_until(RUN_GOES_ON, vec![]).await;
    // Frames are drawn and steps are made while it goes on.
    page.browser.script("document.activeElement.blur()", vec![]).await;
    for _ in 0..5 {
        page.press_char('n').await;
    }
    assert_eq!(page.text("#position").await, "5");
    const GROWN: &str =
        "return +document.querySelector('#count-complete').textContent.replace(/\\D/g, '') > arguments[0]";
    let before = page.number("#count-complete").await;
    page.browser.wait_until(GROWN, vec![json!(before)]).await;
    page.click("#run-stop").await;
    page.browser.wait_until(RUN_OVER, vec![]).await;
    assert!(page.number("#count-complete").await > before);
    let verdict = page.text("#verdict").await;
    assert!(verdict.contains("stopped before its end"), "{verdict}");
    assert_eq!(page.count("#verdict.bounded").await, 1);
    assert_eq!(page.count("#contrast").await, 0);
    // What was found stays in sight, and another program ends it.
    page.click("#run-first").await;
    page.browser.wait_until("return document.querySelectorAll('#graph .node').length >= 10", vec![]).await;
    assert_eq!(page.program().await, text);
    page.type_program(STORE_BUFFERING).await;
    assert_eq!(page.count("#run-status").await, 0);
    assert_eq!(page.text("#position").await, "0");
    page.nothing_complained().await;
}

/// A run of SB that the command line would have saved.
fn saved_run(text: &str, model: Model) -> String {
    saved_run_of(text, model, Algorithm::default())
}

/// The same by another algorithm.
fn saved_run_of(text: &str, model: Model, algorithm: Algorithm) -> String {
    let settings = Settings { text: text.to_owned(), model, algorithm, ..Settings::default() };
    let mut session = Session::open(settings.clone()).expect("it is a program");
    session.run(u64::MAX);
    let report = Report {
        name: "saved",
        program: session.program(),
        source: text,
        model,
        algorithm: settings.algorithm,
        options: settings.options,
        counts: session.counts(),
        results: session.results(),
        seconds: 1.5,
        unfinished: None,
        questions: None,
    };
    let report = ResultsJson::from(&report);
    session.reset();
    session.next_violation(u64::MAX);
    let witness = Moment {
        position: session.position(),
        step: session.step().expect("it made steps"),
        graph: session.explorer().execution().clone(),
        co: None,
    };
    RunFile {
        litmoscope: RUN_VERSION,
        text: text.to_owned(),
        notation: syntax::notation(text),
        model,
        algorithm: settings.algorithm,
        options: settings.options,
        report,
        graphs: RunGraphs { witness: Some(witness), ..RunGraphs::default() },
        settled: None,
    }
    .encode()
}

/// Drops a file with some content onto the page.
const DROP: &str = "const data = new DataTransfer();
    data.items.add(new File([arguments[0]], 'run.json', { type: 'application/json' }));
    const target = document.querySelector('#stage');
    for (const type of ['dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));";

#[tokio::test]
async fn a_saved_run_is_opened() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    let run = saved_run(STORE_BUFFERING, Model::TSO);
    // By the file picker.
    let file = tempfile::NamedTempFile::with_suffix(".json").expect("there is room");
    std::fs::write(file.path(), &run).expect("it can be written");
    let input = page.browser.find(Locator::Css("#run-file")).await.expect("there is a picker");
    input.send_keys(&file.path().display().to_string()).await.expect("it takes a file");
    page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
    page.browser.settled().await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    assert_eq!(page.browser.script("return document.querySelector('#model').value", vec![]).await, json!("tso"));
    assert_eq!(page.text("#run-status").await, "4 executions in 2 s");
    assert_eq!(page.text("#count-complete").await, "4");
    assert_eq!(page.count("#outcomes tbody tr").await, 4);
    assert_eq!(page.count("#outcomes tr.satisfying").await, 1);
    assert!(page.text("#condition").await.contains("allowed: 1 of 4 executions ends so"));
    assert!(page.text("#verdict").await.contains("Everything was explored"));
    // Its witness is drawn: both reads miss the writes.
    assert_eq!(page.count("#graph .node[data-label='R(x,0)'], #graph .node[data-label='R(y,0)']").await, 2);
    page.click("#legend [data-relation=rf]").await;
    page.browser.wait_until("return !document.querySelector('#graph .edge[data-relation=rf]')", vec![]).await;
    // One can step through it, and has one's own text again.
    page.click("#forward").await;
    page.browser.settled().await;
    assert_eq!(page.text("#position").await, "1");
    page.click("#restore").await;
    page.browser.settled().await;
    assert_eq!(page.program().await, "mine := 1 || a := mine");
    assert_eq!(page.count("#run-status").await, 0);
    // By dropping it.
    page.browser.script(DROP, vec![json!(run)]).await;
    page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
    assert_eq!(page.program().await, STORE_BUFFERING);
    page.nothing_complained().await;
}

/// The command line explores by other algorithms than the page begins with: what they are loaded from is not there yet.
#[tokio::test]
async fn a_run_by_an_algorithm_that_was_not_loaded_is_opened() {
    let page = Page::open().await;
    for name in ["trust", "trust_co", "rf_smc"] {
        page.go("").await;
        let algorithm = name.parse().expect("it is an algorithm");
        page.browser.script(DROP, vec![json!(saved_run_of(STORE_BUFFERING, Model::TSO, algorithm))]).await;
        page.browser.wait_until("return !!document.querySelector('#elsewhere')", vec![]).await;
        page.browser.settled().await;
        assert_eq!(page.text("#count-complete").await, "4", "{name}");
        page.click("#forward").await;
        page.browser.settled().await;
        assert_eq!(page.text("#position").await, "1", "{name}");
    }
    page.nothing_complained().await;
}

#[tokio::test]
async fn a_damaged_run_changes_nothing() {
    let page = Page::open().await;
    page.type_program("mine := 1 || a := mine").await;
    let run = saved_run(STORE_BUFFERING, Model::TSO);
    let damaged = [
        String::new(),
        "no run".to_owned(),
        run[..run.len() / 2].to_owned(),
        run.replacen("\"litmoscope\":1", "\"litmoscope\":99", 1),
        run.replacen("x := 1 || y := 1", "x := 1 || (", 1),
        run.replacen("x := 1 || y := 1", "x := 1 || y := 2", 1),
        "[".repeat(100_000),
    ];
    for (at, content) in damaged.iter().enumerate() {
        assert_ne!(*content, run, "{at}");
        page.browser.script("document.querySelector('#run-trouble')?.replaceChildren()", vec![]).await;
        page.browser.script(DROP, vec![json!(content)]).await;
        page.browser
            .wait_until(
                "return /^Nothing was opened: ./.test(document.querySelector('#run-trouble')?.textContent)",
                vec![],
            )
            .await;
        assert_eq!(page.program().await, "mine := 1 || a := mine", "{at}");
        assert_eq!(page.count("#restore").await, 0, "{at}");
    }
    page.press(&[Key::Escape, Key::End]).await;
    assert_eq!(page.text("#step-name").await, "done");
    page.nothing_complained().await;
}

/// TruSt tries one thing after the other, and says of each revisit that it does not make why.
#[tokio::test]
async fn trust_shows_what_is_not_maximal() {
    let page = Page::open().await;
    let text = "a := x; b := y || y := 1; x := 1";
    page.type_program(text).await;
    page.choose_algorithm("trust").await;
    let settings = Settings { algorithm: Algorithm::Trust, ..settings(text, Model::SC, 0) };
    let mut session = Session::open(settings).expect("it is a program");
    let mut refused = 0;
    while !session.is_done() {
        session.forward();
        page.press(&[Key::Escape]).await;
        page.click("#forward").await;
        page.browser.settled().await;
        let view = session.view(&ViewRequest::default());
        assert_eq!(page.text("#step-name").await, view.step_name);
        assert_eq!(page.text("#explanation").await, view.explanation);
        for set in ["joins T", "to S", "in S", "from S", "U holds"] {
            assert!(!view.explanation.contains(set), "{}", view.explanation);
        }
        if view.step_name == "not maximal" {
            refused += 1;
            assert_eq!(page.count("#graph .node.mark-refusing").await, 1);
            assert_eq!(page.count("#graph .node.mark-read").await, 1);
            assert_eq!(page.count("#graph .node.mark-revisiting").await, 1);
            assert!(view.explanation.contains("is not maximal: "), "{}", view.explanation);
        }
    }
    assert!(refused > 0);
    let rows = session.tree().len() as u64;
    assert_eq!(page.count("#tree [role=treeitem]").await, rows);
    // A row leads to its visit.
    page.click("#tree [role=treeitem]:nth-of-type(2)").await;
    page.browser.settled().await;
    assert_eq!(page.count("#tree .row.current:nth-of-type(2)").await, 1);
    page.nothing_complained().await;
}
