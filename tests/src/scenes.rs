//! The page in all its states, for pictures and for what has to hold in each of them.

use std::path::Path;

use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, link};

use crate::browser::Browser;
use crate::site::Site;

/// Something to be seen: where it is, and what is done there.
pub struct Scene {
    /// Its name, for files and messages.
    pub name: &'static str,
    fragment: String,
    script: &'static str,
    /// What is true when there is all to be seen.
    until: &'static str,
    /// Whether it is seen in the lecture mode then.
    lecture: bool,
}

/// Shows the comparison of models, and has it at its end.
const COMPARE: &str = "document.querySelector('#tab-models').click()";
const COMPARED: &str = "return document.querySelector('.compare').dataset.over === 'true'
    && !!document.querySelector('#compare-table')
    && (!!document.querySelector('#forbidden-graph .node') || !!document.querySelector('.absent'))";
/// Builds a cycle, and has the verdicts of all models.
const CYCLE: &str = "document.querySelector('#open-cycle').click();
    when('#cycle-text', field => {
        field.value = 'PodWW Rfe PodRR Fre';
        field.dispatchEvent(new Event('input'));
    })";
const PART_OF_CYCLE: &str = "document.querySelector('#open-cycle').click();
    when('#cycle-text', field => {
        field.value = 'PodWW Rfe PodRR';
        field.dispatchEvent(new Event('input'));
    })";
const JUDGED: &str = "return document.querySelector('#cycle-verdicts')?.dataset.done === 'true'";

/// Asks the graph with the keyboard: of an event, of an edge, of the way from one event to another.
const ASK_EVENT: &str = "for (const key of ']]]]') press(key)";
const EVENT_TOLD: &str = "return document.querySelector('#reading-text').textContent.includes('porf prefix')";
const ASK_EDGE: &str = "document.querySelector('#legend [data-relation=hb]')?.click();
    for (const key of '}}}}}}}}}') press(key)";
const EDGE_TOLD: &str = "return !!document.querySelector('#graph .edge.pointed')
    && !!document.querySelector('#reading-text h3')";
const ASK_PATH: &str = "for (const key of [']', 'Enter', '[', 'Enter']) press(key)";
const PATH_TOLD: &str = "return document.querySelector('#reading-text').textContent.includes('shortest path')";
/// Shows the ways to share.
const SHARING: &str = "press('S')";
/// Shows all relations.
const ALL_RELATIONS: &str =
    "for (const button of document.querySelectorAll('#legend [aria-pressed=false]')) button.click()";
/// Explores everything, and shows the first violation.
const RUN: &str = "document.querySelector('#run-all').click(); document.querySelector('#tab-results').click()";
const RUN_GOES_ON: &str = "return / of about .* a second/.test(document.querySelector('#run-status')?.textContent)";
const RUN_OVER: &str = "const button = document.querySelector('#run-violation');
    if (document.querySelector('#run-panel').dataset.going !== 'false' || !button) return false;
    if (button.ariaPressed === 'false') button.click();
    return !!document.querySelector('#elsewhere')";
/// Moves the graph as far to the left as the keyboard can.
const MOVE: &str = "const stage = document.querySelector('#stage');
    stage.focus();
    const key = () => new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true });
    for (let times = 0; times < 100; times++) stage.dispatchEvent(key())";
/// Draws the tree.
const DRAW_TREE: &str =
    "document.querySelector('#tab-tree').click(); document.querySelector('#tree-as-drawing').click()";
const TREE_DRAWN: &str = "return !!document.querySelector('#tree-svg .tree-node')";
/// Draws the tree in the middle of the page, looks for something, and previews a node.
const WIDE_TREE: &str = "document.querySelector('#tab-tree').click();
    document.querySelector('#tree-as-drawing').click();
    document.querySelector('#tree-wide').click();
    const field = document.querySelector('#tree-search');
    field.value = 'dropped';
    field.dispatchEvent(new Event('input'));
    setTimeout(() => document.querySelector('#tree-preview').click(), 600)";
const TREE_PREVIEWED: &str = "return !!document.querySelector('#preview img')?.naturalWidth
    && document.querySelector('#tree-found').textContent.includes('dropped')";
/// Explores an x86 test under a model that is not that of x86.
const UNFITTING: &str = "document.querySelector('#tab-program').click();
    const model = document.querySelector('#model');
    model.value = 'rc11';
    model.dispatchEvent(new Event('change', { bubbles: true }))";
/// What can't be opened.
const NO_RUN: &str = "const data = new DataTransfer();
    data.items.add(new File(['no run'], 'run.json'));
    const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector('#stage').dispatchEvent(drop)";
const REFUSED: &str = "return !!document.querySelector('#run-trouble')";

/// A scene of the ready-made ones in the lecture mode, a question and its answer, and the dialog.
const LECTURE: &str = "document.querySelector('#lecture').click()";
const ASKED: &str = "return !!document.querySelector('#question-sentence')";
const REVEAL: &str = "document.querySelector('#say-allowed').click()";
const LECTURE_REVEAL: &str =
    "document.querySelector('#lecture').click(); document.querySelector('#question-on').click()";
const ANSWERED: &str = "return !!document.querySelector('#question-graph .node')";
const SCENES: &str = "document.querySelector('#question-on').click(); document.querySelector('#question-on').click();
    press('t')";
/// What finds commands.
const PALETTE: &str = "document.querySelector('#open-palette').click()";
const TYPED: &str = "document.querySelector('#open-palette').click();
    setTimeout(() => {
        const field = document.querySelector('#palette-input');
        field.value = 'sto';
        field.dispatchEvent(new Event('input', { bubbles: true }));
    }, 300)";
const NOTHING: &str = "document.querySelector('#open-palette').click();
    setTimeout(() => {
        const field = document.querySelector('#palette-input');
        field.value = 'xqzqx';
        field.dispatchEvent(new Event('input', { bubbles: true }));
    }, 300)";
/// Unfolds the algorithm's pseudo-code.
const UNFOLD: &str = "document.querySelector('#pseudo-code summary').click()";
const UNFOLDED: &str = "return document.querySelector('#pseudo-code').open";
/// The other views of an execution.
const TIME: &str = "document.querySelector('#view-time').click()";
const LECTURE_TIME: &str = "document.querySelector('#view-time').click(); document.querySelector('#lecture').click()";
const MANY_IN_TIME: &str = "document.querySelector('#next-execution').click();
    document.querySelector('#view-time').click()";
const TIMED: &str =
    "return !!document.querySelector('#time-table') || !!document.querySelector('.time-account.forbidden')";
const TABLE: &str = "document.querySelector('#view-table').click()";
const MANY_IN_TABLE: &str = "document.querySelector('#next-execution').click();
    document.querySelector('#view-table').click()";
const TABLED: &str = "return !!document.querySelector('#event-table tbody tr')";
const TEXT: &str = "document.querySelector('#view-text').click()";
const WRITTEN: &str = "return document.querySelector('#text-content').value.length > 0";
const COPY: &str = "document.querySelector('#copy-as').click()";
const COPIES: &str = "return !document.querySelector('#copying [aria-disabled=true]')";
/// Asks why the condition's outcome is not allowed.
const ASK_WHY: &str = "document.querySelector('#ask-condition').click()";
const WHY: &str = "return document.querySelector('.why-not').dataset.over === 'true'
    && !!document.querySelector('#why-graph .node')";
/// Each coherence order has a cycle of its own.
const ORDERS: &str = "x := 1 || x := 2 || a := x; b := x || c := x; d := x
exists (P2:a = 1 /\\ P2:b = 2 /\\ P3:c = 2 /\\ P3:d = 1)";
const ASK_NONSENSE: &str = "document.querySelector('#ask-condition').click();
    // After the condition was put there.
    setTimeout(() => {
        const field = document.querySelector('#why-question');
        field.value = 'a=0, k=1';
        field.dispatchEvent(new Event('input'));
    }, 100)";
const NOT_UNDERSTOOD: &str = "return document.querySelector('#why-status').textContent.includes('there is no')";
/// In a lecture, other views are opened when it has begun.
const LECTURE_COMPARE: &str = "press('l'); setTimeout(() => press('m'), 200)";
const LECTURE_WHY: &str = "press('l'); setTimeout(() => document.querySelector('#ask-condition').click(), 200)";
/// Asks whether an execution is consistent; and lays its closure or its search open.
const CLOSURE: &str = "setTimeout(() => press('End'), 1500)";
const CLOSED: &str =
    "const [step, steps] = (document.querySelector('#check-place')?.textContent.match(/[0-9]+/g) ?? [0, 1]);
    return step === steps && !!document.querySelector('#check-graph .node')";
const APART: &str = "const end = setInterval(() => {
        const apart = document.querySelector('#check-apart');
        if (apart) { clearInterval(end); apart.click(); setTimeout(() => press('End'), 500) }
    }, 100)";
const SEARCHED: &str = "when('#check-search', button => button.click())";
const LAID_OPEN: &str = "return !!document.querySelector('#check-board')";
const CHECKED: &str = "press('h')";
const CHECKED_OVER: &str = "return !!document.querySelector('#check-graph .node')";
/// Explores twice, both to their ends.
const BESIDE: &str = "document.querySelector('#open-beside').click()";
const TWO: &str = "const run = document.querySelector('#both-run');
    if (!document.querySelector('#race')) return false;
    if (!run.dataset.pressed) { run.dataset.pressed = 'true'; run.click(); return false; }
    return document.querySelector('.beside-body').dataset.busy === 'false'
        && document.querySelector('#race-words').textContent.includes('Both')";

/// Everything that the page can show, in one example at least.
///
/// # Panics
///
/// If the gallery lacks a program.
pub fn scenes() -> Vec<Scene> {
    let example = |name, file: &str, model, unroll, go: &dyn Fn(&mut Session)| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public").join(file);
        let text = std::fs::read_to_string(path).expect("the gallery has it");
        let mut options = Options::default();
        options.limits.unroll = unroll;
        let settings = Settings { text, model, options, ..Settings::default() };
        let mut session = Session::open(settings).expect("gallery programs can be explored");
        go(&mut session);
        Scene { name, fragment: session.link(), script: "", until: "return true", lecture: false }
    };
    let by = |algorithm, scene: Scene, position| {
        let settings = link::decode(&scene.fragment).expect("it was made here");
        let settings = Settings { algorithm, position, ..settings };
        Scene { fragment: link::encode(&settings), ..scene }
    };
    let with_co = |scene, position| by(Algorithm::GenmcCo, scene, position);
    let then = |scene: Scene, name, script| Scene { name, script, ..scene };
    let until = |scene: Scene, until| Scene { until, ..scene };
    let lecture = |scene: Scene, name| Scene { name, lecture: true, ..scene };
    let embedded =
        |name, part, scene: Scene| Scene { name, fragment: format!("?embed={part}{}", scene.fragment), ..scene };
    let execution_text = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/executions").join(file);
        std::fs::read_to_string(path).expect("it is one of the examples")
    };
    let checked = |name, file: &str, model, script, then_until| {
        let settings = Settings { text: execution_text(file), model, ..Settings::default() };
        Scene { name, fragment: link::encode(&settings), script, until: then_until, lecture: false }
    };
    let compared = |name, file| until(then(example("", file, Model::Sc, 8, &|_| {}), name, COMPARE), COMPARED);
    let broken = Settings { text: "x := 1 || a := x\nb := ) || c := x".to_owned(), ..Settings::default() };
    let to = |position: u64| {
        move |session: &mut Session| {
            session.go_to(position, u64::MAX);
        }
    };
    let violation = |session: &mut Session| {
        session.next_violation(u64::MAX);
    };
    let execution = |session: &mut Session| {
        session.next_execution(u64::MAX);
    };
    // Results are those of the whole exploration.
    let whole = |session: &mut Session| {
        session.run(u64::MAX);
    };
    let dropped = |session: &mut Session| {
        while session.view(&Default::default()).violation.is_none() && session.forward() {}
    };
    let of_text = |name, text: &str, algorithm| {
        let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
        Scene { name, fragment: link::encode(&settings), script: "", until: "return true", lecture: false }
    };
    let schedules = {
        let text = "x := 1; a := y || y := 1; b := x".to_owned();
        let settings = Settings { text, model: Model::Tso, algorithm: Algorithm::RfSmc, ..Settings::default() };
        let mut session = Session::open(settings).expect("it is a program");
        session.next_execution(u64::MAX);
        session.forward();
        Scene { name: "rf-smc", fragment: session.link(), script: "", until: "return true", lecture: false }
    };
    let not_maximal = || {
        let text = "a := x; b := y || y := 1; x := 1".to_owned();
        let settings = Settings { text, algorithm: Algorithm::Trust, ..Settings::default() };
        let mut session = Session::open(settings).expect("it is a program");
        while !matches!(session.step(), Some(Step::NotMaximal { .. })) && session.forward() {}
        Scene { name: "not-maximal", fragment: session.link(), script: "", until: "return true", lecture: false }
    };
    let long =
        |thread: usize| format!("x{thread} := 1; a{thread} := y; b{thread} := fai(y); z := {thread}; ").repeat(3);
    let many = (0..3).map(long).collect::<Vec<_>>().join(" || ");
    let writers: Vec<_> = (0..14).map(|value| format!("x := {value}")).collect();
    let tour = |at: u32| Scene {
        name: "",
        fragment: format!("#tour=store-buffering:{at}"),
        script: "",
        until: "return true",
        lecture: false,
    };
    let start = || Scene { name: "start", fragment: String::new(), script: "", until: "return true", lecture: false };
    vec![
        start(),
        example("step", "sb.lit", Model::Sc, 8, &to(7)),
        example("revisit", "w-rw-w.lit", Model::Sc, 8, &to(9)),
        until(then(example("", "w-rw-w.lit", Model::Sc, 8, &to(9)), "pseudo-code", UNFOLD), UNFOLDED),
        until(then(with_co(example("", "4w1r.lit", Model::Sc, 8, &to(0)), 30), "pseudo-code-co", UNFOLD), UNFOLDED),
        until(then(not_maximal(), "pseudo-code-trust", UNFOLD), UNFOLDED),
        by(Algorithm::Sample, example("random-runs", "iriw.lit", Model::Ra, 8, &to(0)), u64::MAX),
        example("dropped", "mp.lit", Model::Sc, 8, &dropped),
        example("race", "race.lit", Model::Rc11, 8, &violation),
        with_co(example("co", "4w1r.lit", Model::Sc, 8, &to(0)), u64::MAX),
        example("deadlock", "abba.lit", Model::Sc, 8, &violation),
        then(
            with_co(example("", "4w1r.lit", Model::Sc, 8, &to(0)), 30),
            "switches",
            "document.querySelector('#tab-program').click()",
        ),
        then(
            with_co(example("", "4w1r.lit", Model::Sc, 8, &to(0)), u64::MAX),
            "contrast",
            "document.querySelector('#tab-results').click()",
        ),
        example("waiting", "spin.lit", Model::Sc, 8, &whole),
        example("bounded", "loop.lit", Model::Rc11, 3, &whole),
        example("tall", "../tests/programs/four-by-twelve.lit", Model::Sc, 8, &execution),
        example("crowded", "iriw.lit", Model::Ra, 8, &whole),
        then(example("", "iriw.lit", Model::Ra, 8, &execution), "moved", MOVE),
        then(
            example("", "peterson.lit", Model::Tso, 8, &whole),
            "outcomes",
            "document.querySelector('#tab-results').click()",
        ),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "tree", "document.querySelector('#tab-tree').click()"),
        until(then(example("", "w-rw-w.lit", Model::Sc, 8, &whole), "tree-drawn", DRAW_TREE), TREE_DRAWN),
        until(then(example("", "4w1r.lit", Model::Sc, 8, &whole), "tree-wide", WIDE_TREE), TREE_PREVIEWED),
        until(
            then(start(), "gallery", "document.querySelector('#open-gallery').click()"),
            "return !!document.querySelector('#gallery .card')",
        ),
        then(start(), "help", "document.querySelector('#open-help').click()"),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "recent", "document.querySelector('#open-recent').click()"),
        then(start(), "settings", "document.querySelector('#open-preferences').click()"),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "sharing", SHARING),
        then(example("", "sb.lit", Model::Sc, 8, &to(9)), "lecture", "document.querySelector('#lecture').click()"),
        until(then(tour(5), "lecture-scene", LECTURE), "return !!document.querySelector('#graph .edge.thick')"),
        until(then(tour(2), "question", ""), ASKED),
        until(then(tour(2), "answer", REVEAL), ANSWERED),
        until(then(tour(4), "lecture-answer", LECTURE_REVEAL), ANSWERED),
        until(
            then(start(), "lessons", "document.querySelector('#open-lessons').click()"),
            "return !!document.querySelector('#lessons .card')",
        ),
        until(then(tour(2), "scenes", SCENES), "return !!document.querySelector('#scenes .scene')"),
        then(start(), "no-scenes", "press('t')"),
        then(start(), "labs-menu", "document.querySelector('#labs').click()"),
        then(start(), "open-menu", "document.querySelector('#open').click()"),
        then(start(), "show-menu", "document.querySelector('#show').click()"),
        then(start(), "more", "const more = document.querySelector('#more'); if (more.checkVisibility()) more.click()"),
        until(then(start(), "palette", PALETTE), "return !!document.querySelector('.palette-row')"),
        until(then(start(), "palette-typed", TYPED), "return !!document.querySelector('.palette-row mark')"),
        until(then(start(), "palette-nothing", NOTHING), "return !!document.querySelector('.palette-none')"),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "folded", "press('('); press(')')"),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "said", "press('d'); press('D')"),
        lecture(then(example("", "sb.lit", Model::Tso, 8, &to(12)), "", "press('d'); press('D')"), "lecture-said"),
        lecture(
            until(then(start(), "", TYPED), "return !!document.querySelector('.palette-row mark')"),
            "lecture-palette",
        ),
        until(then(start(), "quiz", "document.querySelector('#open-quiz').click()"), ASKED),
        Scene {
            name: "error",
            fragment: link::encode(&broken),
            script: "document.querySelector('#tab-program').click()",
            until: "return true",
            lecture: false,
        },
        then(start(), "empty", "document.querySelector('#new').click()"),
        until(
            then(example("", "sb-x86.litmus", Model::Tso, 8, &to(4)), "unfitting", UNFITTING),
            "return !!document.querySelector('#fitting')",
        ),
        not_maximal(),
        until(
            then(of_text("", &format!("{} || r := x", writers.join(" || ")), Algorithm::TrustCo), "run", RUN),
            RUN_GOES_ON,
        ),
        until(
            then(
                of_text("", "x := 1 || x := 2; a := x || b := x; c := x; assert b != 2", Algorithm::Genmc),
                "run-over",
                RUN,
            ),
            RUN_OVER,
        ),
        until(then(start(), "no-run", NO_RUN), REFUSED),
        compared("compare", "sb.lit"),
        compared("compare-crowded", "iriw.lit"),
        compared("compare-absent", "lb.lit"),
        until(then(example("", "mp.lit", Model::Rc11, 8, &execution), "event", ASK_EVENT), EVENT_TOLD),
        until(then(example("", "mp.lit", Model::Ra, 8, &execution), "edge", ASK_EDGE), EDGE_TOLD),
        until(then(example("", "iriw.lit", Model::Ra, 8, &execution), "path", ASK_PATH), PATH_TOLD),
        embedded("embed-stepper", "stepper", example("", "sb.lit", Model::Tso, 8, &to(12))),
        embedded("embed-graph", "graph", example("", "iriw.lit", Model::Ra, 8, &execution)),
        until(then(example("", "sb.lit", Model::Sc, 8, &whole), "why", ASK_WHY), WHY),
        until(then(example("", "sb.lit", Model::Tso, 8, &whole), "why-allowed", ASK_WHY), WHY),
        until(then(of_text("", ORDERS, Algorithm::Genmc), "why-orders", ASK_WHY), WHY),
        until(then(example("", "sb.lit", Model::Sc, 8, &whole), "why-wrong", ASK_NONSENSE), NOT_UNDERSTOOD),
        until(then(example("", "4w1r.lit", Model::Sc, 8, &to(12)), "beside", BESIDE), TWO),
        until(then(start(), "cycle", CYCLE), JUDGED),
        until(then(start(), "cycle-part", PART_OF_CYCLE), "return !!document.querySelector('#cycle-text')"),
        until(then(example("", "sb.lit", Model::Tso, 8, &violation), "time-tso", TIME), TIMED),
        until(then(example("", "mp.lit", Model::Pso, 8, &violation), "time-pso", TIME), TIMED),
        until(then(example("", "mp.lit", Model::Ra, 8, &execution), "time-ra", TIME), TIMED),
        until(then(example("", "mp.lit", Model::Sc, 8, &dropped), "time-none", TIME), TIMED),
        until(then(example("", "lock-counter.lit", Model::Tso, 8, &execution), "time-lock", TIME), TIMED),
        until(then(of_text("", &many, Algorithm::Genmc), "time-many", MANY_IN_TIME), TIMED),
        until(then(example("", "sb.lit", Model::Tso, 8, &violation), "lecture-time", LECTURE_TIME), TIMED),
        until(then(example("", "sb.lit", Model::Tso, 8, &violation), "table", TABLE), TABLED),
        until(then(of_text("", &many, Algorithm::Genmc), "table-many", MANY_IN_TABLE), TABLED),
        until(then(example("", "sb.lit", Model::Tso, 8, &violation), "text", TEXT), WRITTEN),
        until(then(example("", "sb.lit", Model::Tso, 8, &violation), "copy", COPY), COPIES),
        example("c11", "mp-c11.litmus", Model::Rc11, 8, &execution),
        example("x86", "n6.litmus", Model::Tso, 8, &execution),
        then(example("", "iriw.lit", Model::Ra, 8, &execution), "relations", ALL_RELATIONS),
        then(example("", "mp-rel-acq.lit", Model::Rc11, 8, &execution), "relations-few", ALL_RELATIONS),
        lecture(start(), "lecture-start"),
        lecture(example("", "mp-c11.litmus", Model::Rc11, 8, &execution), "lecture-c11"),
        lecture(example("", "iriw.lit", Model::Ra, 8, &execution), "lecture-four"),
        lecture(then(example("", "iriw.lit", Model::Ra, 8, &execution), "", ALL_RELATIONS), "lecture-relations"),
        lecture(example("", "race.lit", Model::Rc11, 8, &violation), "lecture-race"),
        lecture(
            until(then(example("", "w-rw-w.lit", Model::Sc, 8, &to(9)), "", UNFOLD), UNFOLDED),
            "lecture-pseudo-code",
        ),
        lecture(example("", "mcs.lit", Model::Sc, 8, &execution), "lecture-long"),
        lecture(
            until(then(example("", "mp.lit", Model::Rc11, 8, &execution), "", ASK_EVENT), EVENT_TOLD),
            "lecture-event",
        ),
        lecture(
            until(then(example("", "w-rw-w.lit", Model::Sc, 8, &whole), "", DRAW_TREE), TREE_DRAWN),
            "lecture-tree",
        ),
        lecture(
            until(then(example("", "4w1r.lit", Model::Sc, 8, &whole), "", WIDE_TREE), TREE_PREVIEWED),
            "lecture-tree-wide",
        ),
        lecture(until(then(example("", "sb.lit", Model::Tso, 8, &violation), "", TABLE), TABLED), "lecture-table"),
        lecture(until(then(example("", "sb.lit", Model::Tso, 8, &violation), "", TEXT), WRITTEN), "lecture-text"),
        lecture(until(then(example("", "mp.lit", Model::Ra, 8, &execution), "", TIME), TIMED), "lecture-time-ra"),
        lecture(until(then(of_text("", &many, Algorithm::Genmc), "", MANY_IN_TIME), TIMED), "lecture-time-many"),
        until(then(example("", "sb.lit", Model::Sc, 8, &|_| {}), "lecture-compare", LECTURE_COMPARE), COMPARED),
        until(
            then(example("", "iriw.lit", Model::Sc, 8, &|_| {}), "lecture-compare-crowded", LECTURE_COMPARE),
            COMPARED,
        ),
        until(then(example("", "sb.lit", Model::Sc, 8, &whole), "lecture-why", LECTURE_WHY), WHY),
        until(then(example("", "sb.lit", Model::Tso, 8, &whole), "lecture-why-allowed", LECTURE_WHY), WHY),
        lecture(until(then(start(), "", "document.querySelector('#open-quiz').click()"), ASKED), "lecture-quiz"),
        lecture(until(then(tour(2), "", ""), ASKED), "lecture-question"),
        lecture(until(then(example("", "4w1r.lit", Model::Sc, 8, &to(12)), "", BESIDE), TWO), "lecture-beside"),
        checked("check-closure", "annotated.exec", Model::Sc, CLOSURE, CLOSED),
        checked("check-no-source", "mp.exec", Model::Tso, CLOSURE, CLOSED),
        checked("check-apart", "fence-map.exec", Model::Pso, APART, CLOSED),
        checked("check-search", "search-only.exec", Model::Tso, SEARCHED, LAID_OPEN),
        checked("check-axioms", "mp.exec", Model::Ra, "", CHECKED_OVER),
        until(then(example("", "iriw.lit", Model::Sc, 8, &execution), "check-graph", CHECKED), CHECKED_OVER),
        lecture(checked("", "search-only.exec", Model::Sc, CLOSURE, CLOSED), "lecture-check"),
        schedules,
    ]
}

impl Scene {
    /// Shows it, in a page that remembers nothing.
    ///
    /// # Panics
    ///
    /// If it does not come about.
    pub async fn show(&self, browser: &Browser, site: &Site) {
        let go = async |address: &str| browser.goto(address).await.expect("the page can be opened");
        // What is stored belongs to the origin, and is forgotten from a file of it that starts nothing.
        go(&format!("{}public/sb.lit", site.url())).await;
        browser.script("localStorage.clear(); sessionStorage.clear()", vec![]).await;
        go(&format!("{}{}", site.url(), self.fragment)).await;
        browser.settled().await;
        if self.fragment.starts_with("#tour=") {
            browser.wait_until("return !!document.querySelector('#lecture-place')", vec![]).await;
            browser.settled().await;
        }
        // Some of what is opened is loaded then.
        const WORDS: &str = "const press = key => document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true }));
            const when = (selector, then) => {
                const element = document.querySelector(selector);
                if (element) then(element); else setTimeout(() => when(selector, then), 20);
            };";
        browser.script(&format!("{WORDS}{}", self.script), vec![]).await;
        browser.settled().await;
        browser.wait_until(&format!("try {{ {} }} catch {{ return false; }}", self.until), vec![]).await;
        if self.lecture {
            // The tab may remember that it was in one.
            const BEGIN: &str =
                "if (document.body.dataset.lecture !== 'true') document.querySelector('#lecture').click()";
            browser.script(BEGIN, vec![]).await;
            browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
            browser.settled().await;
        }
        still(browser).await;
    }
}

/// Waits until everything is there: what appears or moves is seen when it has come to rest.
pub async fn still(browser: &Browser) {
    const STILL: &str = "return document.getAnimations().every(a => a.playState !== 'running' ||
        a.effect.getComputedTiming().endTime === Infinity)";
    browser.settled().await;
    browser.wait_until(STILL, vec![]).await;
}
