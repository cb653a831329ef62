//! Takes pictures of the built page, for people who judge how it looks:
//! `make screenshots`, or `screenshots FOLDER [SCENE ...]` with LITMOSCOPE_SITE set.

use std::error::Error;
use std::path::{Path, PathBuf};

use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, link};
use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::site::Site;

/// A laptop, a projector and a telephone.
const SIZES: [(u32, u32); 3] = [(1280, 800), (1920, 1080), (390, 844)];

/// Something to be seen: where it is, and what is done there.
struct Scene {
    name: &'static str,
    fragment: String,
    script: &'static str,
    /// What is true when there is all to be seen.
    until: &'static str,
}

/// Shows the comparison of models, and has it at its end.
const COMPARE: &str = "document.querySelector('#tab-models').click()";
const COMPARED: &str = "return document.querySelector('.compare').dataset.over === 'true'
    && !!document.querySelector('#compare-table')
    && (!!document.querySelector('#forbidden-graph .node') || !!document.querySelector('.absent'))";
/// Builds a cycle, and has the verdicts of all models.
const CYCLE: &str = "document.querySelector('#open-cycle').click();
    const field = document.querySelector('#cycle-text');
    field.value = 'PodWW Rfe PodRR Fre';
    field.dispatchEvent(new Event('input'))";
const PART_OF_CYCLE: &str = "document.querySelector('#open-cycle').click();
    const field = document.querySelector('#cycle-text');
    field.value = 'PodWW Rfe PodRR';
    field.dispatchEvent(new Event('input'))";
const JUDGED: &str = "return document.querySelector('#cycle-verdicts')?.dataset.done === 'true'";

/// Explores everything, and shows the first violation.
const RUN: &str = "document.querySelector('#run-all').click(); document.querySelector('#tab-results').click()";
const RUN_GOES_ON: &str = "return / of about .* a second/.test(document.querySelector('#run-status')?.textContent)";
const RUN_OVER: &str = "const button = document.querySelector('#run-violation');
    if (document.querySelector('#run-panel').dataset.going !== 'false' || !button) return false;
    if (button.ariaPressed === 'false') button.click();
    return !!document.querySelector('#elsewhere')";
/// What can't be opened.
const NO_RUN: &str = "const data = new DataTransfer();
    data.items.add(new File(['no run'], 'run.json'));
    const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector('#stage').dispatchEvent(drop)";
const REFUSED: &str = "return !!document.querySelector('#run-trouble')";

fn scenes() -> Vec<Scene> {
    let example = |name, file: &str, model, unroll, go: &dyn Fn(&mut Session)| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public").join(file);
        let text = std::fs::read_to_string(path).expect("the gallery has it");
        let mut options = Options::default();
        options.limits.unroll = unroll;
        let settings = Settings { text, model, options, ..Settings::default() };
        let mut session = Session::open(settings).expect("gallery programs can be explored");
        go(&mut session);
        Scene { name, fragment: session.link(), script: "", until: "return true" }
    };
    let with_co = |scene: Scene, position| {
        let settings = link::decode(&scene.fragment).expect("it was made here");
        let settings = Settings { algorithm: Algorithm::GenmcCo, position, ..settings };
        Scene { fragment: link::encode(&settings), ..scene }
    };
    let then = |scene: Scene, name, script| Scene { name, script, ..scene };
    let until = |scene: Scene, until| Scene { until, ..scene };
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
    // Results are those of the whole exploration.
    let whole = |session: &mut Session| {
        session.run(u64::MAX);
    };
    let dropped = |session: &mut Session| {
        while session.view(&Default::default()).violation.is_none() && session.forward() {}
    };
    let of_text = |name, text: &str, algorithm| {
        let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
        Scene { name, fragment: link::encode(&settings), script: "", until: "return true" }
    };
    let not_maximal = || {
        let text = "a := x; b := y || y := 1; x := 1".to_owned();
        let settings = Settings { text, algorithm: Algorithm::Trust, ..Settings::default() };
        let mut session = Session::open(settings).expect("it is a program");
        while !matches!(session.step(), Some(Step::NotMaximal { .. })) && session.forward() {}
        Scene { name: "not-maximal", fragment: session.link(), script: "", until: "return true" }
    };
    let writers: Vec<_> = (0..14).map(|value| format!("x := {value}")).collect();
    let start = || Scene { name: "start", fragment: String::new(), script: "", until: "return true" };
    vec![
        start(),
        example("step", "sb.lit", Model::Sc, 8, &to(7)),
        example("revisit", "w-rw-w.lit", Model::Sc, 8, &to(9)),
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
        example("crowded", "iriw.lit", Model::Ra, 8, &whole),
        then(
            example("", "peterson.lit", Model::Tso, 8, &whole),
            "outcomes",
            "document.querySelector('#tab-results').click()",
        ),
        then(example("", "sb.lit", Model::Tso, 8, &to(12)), "tree", "document.querySelector('#tab-tree').click()"),
        until(
            then(start(), "gallery", "document.querySelector('#open-gallery').click()"),
            "return !!document.querySelector('#gallery .card')",
        ),
        then(start(), "help", "document.querySelector('#open-help').click()"),
        then(example("", "sb.lit", Model::Sc, 8, &to(9)), "lecture", "document.querySelector('#lecture').click()"),
        Scene {
            name: "error",
            fragment: link::encode(&broken),
            script: "document.querySelector('#tab-program').click()",
            until: "return true",
        },
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
        until(then(start(), "cycle", CYCLE), JUDGED),
        then(start(), "cycle-part", PART_OF_CYCLE),
    ]
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: screenshots FOLDER [SCENE ...]")?);
    let wanted: Vec<_> = arguments.collect();
    std::fs::create_dir_all(&folder)?;

    let site = Site::serve("/");
    let browser = Browser::start().await;
    for scene in scenes() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == scene.name) {
            continue;
        }
        for (scheme, color) in [(ColorScheme::Light, "light"), (ColorScheme::Dark, "dark")] {
            browser.prefer(scheme).await;
            for (width, height) in SIZES {
                browser.resize(width, height).await;
                browser.goto("about:blank").await?;
                browser.goto(site.url()).await?;
                browser.script("localStorage.clear()", vec![]).await;
                browser.goto("about:blank").await?;
                browser.goto(&format!("{}{}", site.url(), scene.fragment)).await?;
                browser.settled().await;
                browser.script(scene.script, vec![]).await;
                browser.settled().await;
                browser.wait_until(scene.until, vec![]).await;
                let file = folder.join(format!("{}-{width}x{height}-{color}.png", scene.name));
                browser.save_screenshot(&file).await?;
                println!("{}", file.display());
            }
        }
    }
    Ok(())
}
