//! Measures the built page as its users have it, and prints a table in Markdown: `make figures`, or `measure` with
//! LITMOSCOPE_SITE set.

use std::error::Error;
use std::fs;

use fantoccini::wd::TimeoutConfiguration;
use litmoscope_tests::browser::Browser;
use litmoscope_tests::site;
use serde_json::{Value, json};
use std::time::Duration;

/// How many first visits there are, each with a browser of its own.
const VISITS: usize = 5;

/// When something was painted first, and when the page had its first answer from the engine, in milliseconds.
const OPENED: &str = "const done = arguments[0];
    const look = () => {
        const paint = performance.getEntriesByName('first-contentful-paint')[0];
        if (!paint || document.body.dataset.ready !== 'true' || 'busy' in document.body.dataset) return setTimeout(look, 1);
        done([paint.startTime, performance.now()]);
    };
    look();";

/// Presses what a selector finds, and says how many milliseconds it took until the next frame was painted, and until
/// one with the engine's answer was. Nothing if there is nothing to press, or it can't be pressed now.
const PRESS: &str = "const [selector, done] = arguments;
    const element = [...document.querySelectorAll(selector)].find((e) => e.checkVisibility());
    if (!element || element.disabled) return done(null);
    const painted = (then) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = then;
        port2.postMessage(null);
    });
    // Not between two frames by chance, but after one.
    painted(() => {
        const start = performance.now();
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }));
        painted(() => {
            const frame = performance.now() - start;
            // An example is there when its dialog has closed.
            const waits = () => 'busy' in document.body.dataset || element.closest('dialog')?.open;
            const look = () => painted(() => waits() ? look() : done([frame, performance.now() - start]));
            waits() ? look() : done([frame, frame]);
        });
    });";

/// What is pressed in each program of the gallery, in this order.
const CLICKS: &[(&str, &str, usize)] = &[
    ("forward", "#forward", 12),
    ("back", "#back", 4),
    ("next execution", "#next-execution", 3),
    ("selecting an event", "#graph .node:last-of-type", 1),
    ("view: time", "#view-time", 1),
    ("view: table", "#view-table", 1),
    ("view: text", "#view-text", 1),
    ("view: graph", "#view-graph", 1),
    ("the tree, drawn", "#tree-as-drawing", 1),
    ("forward, with the tree drawn", "#forward", 3),
    ("the tree, as an outline", "#tree-as-outline", 1),
    ("to the start", "#reset", 1),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    sizes().await?;
    first_openings().await?;

    let site = site::serve("/");
    let (mut painted, mut ready) = (Vec::new(), Vec::new());
    for _ in 0..VISITS {
        let browser = Browser::start().await;
        browser.goto(site.url()).await?;
        let times = browser.execute_async(OPENED, vec![]).await?;
        painted.extend(times[0].as_f64());
        ready.extend(times[1].as_f64());
    }
    println!("first visit: painted after {:.0} ms, interactive after {:.0} ms\n", median(painted), median(ready));

    let browser = Browser::start().await;
    let mut timeouts = TimeoutConfiguration::default();
    timeouts.set_script(Some(Duration::from_secs(60)));
    browser.update_timeouts(timeouts).await?;
    browser.goto(site.url()).await?;
    browser.settled().await;
    let gallery: Value = serde_json::from_slice(&fs::read(site::built().join("public/gallery.json"))?)?;
    let names = gallery.as_array().into_iter().flatten().filter_map(|example| example["name"].as_str());
    let mut kinds: Vec<Kind> = Vec::new();
    for name in names {
        press(&browser, &mut kinds, "the gallery", "#open-gallery", name).await?;
        browser.wait_until("return !!document.querySelector('#gallery .card')", vec![]).await;
        press(&browser, &mut kinds, "opening an example", &format!("#gallery [data-example=\"{name}\"]"), name).await?;
        const OPENED: &str = "return !document.querySelector('#gallery').open";
        browser.wait_until(OPENED, vec![]).await;
        browser.settled().await;
        for &(kind, selector, times) in CLICKS {
            for _ in 0..times {
                press(&browser, &mut kinds, kind, selector, name).await?;
            }
        }
    }
    println!(
        "| click | clicks | next frame, median | next frame, slowest | answer, median | answer, slowest | which |"
    );
    println!("| ----- | -----: | ---: | ---: | ---: | ---: | ----- |");
    for kind in kinds {
        let slowest = kind.answers.iter().copied().fold(0.0, f64::max);
        let frame = kind.frames.iter().copied().fold(0.0, f64::max);
        println!(
            "| {} | {} | {:.0} | {frame:.0} | {:.0} | {slowest:.0} | {} |",
            kind.name,
            kind.frames.len(),
            median(kind.frames),
            median(kind.answers),
            kind.which
        );
    }
    Ok(())
}

/// A browser that is never idle asks for nothing that it does not need yet.
const NEVER_IDLE: &str = "self.requestIdleCallback = () => 0";

async fn before(browser: &Browser, script: &str) {
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await;
}

/// Prints how large what a first visit loads is, and the parts that come later.
async fn sizes() -> Result<(), Box<dyn Error>> {
    let site = site::serve("/");
    let browser = Browser::start().await;
    before(&browser, NEVER_IDLE).await;
    browser.goto(site.url()).await?;
    browser.settled().await;
    let first = site.asked();
    println!("| file | bytes | as servers compress it (gzip -9) | loaded |");
    println!("| ---- | ----: | ----: | ------ |");
    let mut sums = [(0, 0); 2];
    let mut files =
        fs::read_dir(site::built())?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    files.sort();
    for file in
        files.iter().filter(|file| file.extension().is_some_and(|end| end == "wasm" || end == "js" || end == "css"))
    {
        let content = fs::read(file)?;
        let (size, compressed, early) = (content.len(), site::gzipped(&content), first.contains(file));
        let sum = &mut sums[usize::from(early)];
        *sum = (sum.0 + size, sum.1 + compressed);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("| {name} | {size} | {compressed} | {} |", if early { "first" } else { "later" });
    }
    for ((size, compressed), when) in sums.into_iter().zip(["later", "first"]) {
        println!("| all | {size} | {compressed} | {when} |");
    }
    println!();
    Ok(())
}

/// Keys that open a lab or a dialog, and what is to be seen then.
const OPENINGS: &[(&str, &str)] = &[
    ("m", ".compare"),
    ("w", ".why-not"),
    ("h", ".panel.consistency h2"),
    ("b", ".beside-body"),
    ("c", "dialog#cycle[open]"),
    ("u", "dialog#lessons[open]"),
    ("t", "dialog#scenes[open]"),
    ("q", "#question"),
    ("y", "dialog#copying[open]"),
    ("S", "dialog#sharing[open]"),
    ("o", "dialog#recent[open]"),
    (",", "dialog#preferences[open]"),
    ("?", "dialog#help[open]"),
];

/// Presses a key, and says how many milliseconds it took until what a selector finds was painted.
const OPEN: &str = "const [key, selector, done] = arguments;
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    const look = () => requestAnimationFrame(() =>
        document.querySelector(selector)?.checkVisibility() ? setTimeout(() => done(performance.now() - start)) : look());
    look();";

/// Prints how long labs and dialogs take to open for the first time, when nothing of them is there yet.
async fn first_openings() -> Result<(), Box<dyn Error>> {
    println!("| key | first opening, in ms |");
    println!("| --- | ---: |");
    for (key, selector) in OPENINGS {
        let site = site::serve("/");
        let browser = Browser::start().await;
        before(&browser, NEVER_IDLE).await;
        browser.goto(site.url()).await?;
        browser.settled().await;
        let time = browser.execute_async(OPEN, vec![json!(key), json!(selector)]).await?;
        println!("| {key} | {:.0} |", time.as_f64().unwrap_or(f64::NAN));
    }
    println!();
    Ok(())
}

/// What was measured of one kind of click, in milliseconds.
struct Kind {
    name: String,
    frames: Vec<f64>,
    answers: Vec<f64>,
    /// The program of the slowest answer.
    which: String,
}

async fn press(
    browser: &Browser,
    kinds: &mut Vec<Kind>,
    name: &str,
    selector: &str,
    program: &str,
) -> Result<(), Box<dyn Error>> {
    let times = browser.execute_async(PRESS, vec![json!(selector)]).await?;
    let (Some(frame), Some(answer)) = (times[0].as_f64(), times[1].as_f64()) else { return Ok(()) };
    if !kinds.iter().any(|kind| kind.name == name) {
        kinds.push(Kind { name: name.to_owned(), frames: vec![], answers: vec![], which: String::new() });
    }
    if let Some(kind) = kinds.iter_mut().find(|kind| kind.name == name) {
        if kind.answers.iter().all(|&other| other < answer) {
            kind.which = program.to_owned();
        }
        kind.frames.push(frame);
        kind.answers.push(answer);
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
