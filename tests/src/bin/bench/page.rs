//! The same explorations natively and in the built page.

use crate::histories::MONITORED;
use crate::markdown::{geometric_mean, short, table};
use crate::measure::{Bench, Expected, Task, text};
use crate::parts::{wanted, with_co};
use crate::repair::RING;
use crate::{Arguments, Failure};
use fantoccini::wd::TimeoutConfiguration;
use litmoscope::explore::Options;
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope::session::{Settings, link};
use litmoscope::words::grouped;
use litmoscope_tests::browser::Browser;
use litmoscope_tests::peers::long;
use litmoscope_tests::site;
use serde_json::Value;
use std::thread::available_parallelism;
use std::time::Duration;

/// How many operations a recording has that the page is given.
const RECORDED: u32 = 100_000;

/// Explores everything with so many workers at most, and says after how many milliseconds the page had the result, and how
/// many executions that shows.
const RUN: &str = "const [workers, done] = arguments;
    Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => workers });
    const start = performance.now();
    document.querySelector('#run-all').click();
    const look = () => document.querySelector('#run-panel').dataset.going === 'true'
        ? setTimeout(look, 1)
        : done([
            performance.now() - start,
            Number(document.querySelector('#count-complete')?.textContent.replace(/\\D/g, '')),
        ]);
    setTimeout(look, 1);";

/// Gives the lab of histories a file, and says after how many milliseconds its verdict was there.
const JUDGE: &str = "const [text, operations, done] = arguments;
    const data = new DataTransfer();
    data.items.add(new File([text], 'recording.txt', { type: 'text/plain' }));
    const input = document.querySelector('#history-file');
    input.files = data.files;
    const start = performance.now();
    input.dispatchEvent(new Event('change', { bubbles: true }));
    const is_there = () => document.querySelector('#history-sentence')?.textContent.includes(operations + ' operations')
        && !!document.querySelector('#history-timeline :is(.history-bar, .history-crowd)');
    const look = () => is_there()
        ? done([performance.now() - start, document.querySelector('#history-verdict').textContent])
        : setTimeout(look, 1);
    look();";

/// Opens the lab of repairs, and says after how many milliseconds it was done, and what it says.
const REPAIR: &str = "const [done] = arguments;
    const start = performance.now();
    document.querySelector('#open-repair').click();
    const is_there = () => document.querySelector('.inquiry.repair')?.dataset.over === 'true'
        && document.querySelector('#repair-found li');
    const look = () => is_there()
        ? done([performance.now() - start, document.querySelector('#repair-answer').textContent])
        : setTimeout(look, 1);
    look();";

/// The times of both, from the press or the command to the end, and how many times as long the page takes.
pub fn page(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let parts = [
        runtime.block_on(measure(bench, arguments))?,
        runtime.block_on(recordings(bench, arguments))?,
        runtime.block_on(repairs(bench, arguments))?,
    ];
    Ok(parts.join("\n"))
}

/// Long recordings, from the choice of the file to verdict and timeline.
async fn recordings(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let site = site::serve("/");
    let browser = Browser::start().await;
    let mut rows = Vec::new();
    for object in MONITORED {
        let path = bench.folder().join("recording.txt");
        bench.record(&path, object, RECORDED, false)?;
        let text = std::fs::read_to_string(&path)?;
        let native = bench.linearize(&path)?.ok_or("the command does not find it linearizable")?;
        let mut best = f64::INFINITY;
        for _ in 0..arguments.runs {
            browser.goto("about:blank").await?;
            let small = Settings { text: "history h stack\nT1: push 1 [0,1]".to_owned(), ..Settings::default() };
            browser.goto(&format!("{}{}", site.url(), link::encode(&small))).await?;
            browser.wait_until("return !!document.querySelector('#history-timeline .history-bar')", vec![]).await;
            let operations = grouped(u64::from(RECORDED));
            let shown = browser.execute_async(JUDGE, vec![text.as_str().into(), operations.into()]).await?;
            best = best.min(shown.get(0).and_then(Value::as_f64).ok_or("the page gives no time")? / 1e3);
            if shown.get(1).and_then(Value::as_str) != Some("✓ linearizable") {
                bench.wrong.push(format!("the page says of a {}: {}", object.name(), shown[1]));
            }
        }
        rows.push([object.name().to_owned(), short(native.wall), short(best)]);
    }
    let operations = grouped(u64::from(RECORDED));
    Ok(format!(
        "#### Recordings in the page\n\nSeconds for {operations} random operations of 8 threads: from the start of the command to its end, and \
         from the choice of the file to verdict and timeline in the headless browser.\n\n{}",
        table(["object", "native", "page"], 1, &rows)
    ))
}

/// All minimal repairs of four threads with twelve accesses, from the press to the last one.
async fn repairs(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let site = site::serve("/");
    let browser = Browser::start().await;
    let mut rows = Vec::new();
    for model in [Model::TSO, Model::PSO, Model::RC11] {
        let settings = Settings { text: RING.to_owned(), model, ..Settings::default() };
        let mut best = f64::INFINITY;
        let mut said = String::new();
        for _ in 0..arguments.runs {
            browser.goto("about:blank").await?;
            browser.goto(&format!("{}{}", site.url(), link::encode(&settings))).await?;
            browser.settled().await;
            let shown = browser.execute_async(REPAIR, vec![]).await?;
            best = best.min(shown.get(0).and_then(Value::as_f64).ok_or("the page gives no time")? / 1e3);
            said = shown.get(1).and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        if !said.contains("minimal repairs. ") {
            bench.wrong.push(format!("the page says of repairs under {model}: {said}"));
        }
        rows.push([model.title().to_owned(), short(best)]);
    }
    Ok(format!(
        "#### Repairs in the page\n\nSeconds for all minimal repairs of four threads with three accesses each, from the press of the button to the \
         last repair in the headless browser, with loading the lab.\n\n{}",
        table(["model", "page"], 1, &rows)
    ))
}

async fn measure(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let site = site::serve("/");
    let browser = Browser::start().await;
    let mut timeouts = TimeoutConfiguration::default();
    timeouts.set_script(Some(Duration::from_secs(4 * arguments.limit)));
    browser.update_timeouts(timeouts).await?;
    let cores = available_parallelism().map_or(1, usize::from);
    let model = Model::RC11;
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for peer in long().iter().filter(|peer| wanted(peer, arguments)) {
        let Some((size, expected)) = peer.sizes.iter().find_map(|size| Some((size, with_co(size, model)?))) else {
            continue;
        };
        let task = Task {
            peer,
            size,
            model,
            algorithm: &arguments.algorithm,
            threads: 1,
            expected: Expected::Executions(expected),
        };
        let Some(native) = bench.measure(&[task])?.pop().flatten() else { continue };
        let limits = Limits { unroll: (peer.unroll)(size.n), ..Limits::default() };
        let settings = Settings {
            text: text(peer, size.n, arguments.outcomes),
            model,
            algorithm: arguments.algorithm.parse()?,
            options: Options { limits, ..Options::default() },
            position: 0,
        };
        let mut best = [f64::INFINITY; 2];
        for _ in 0..arguments.runs {
            for (workers, best) in [1, cores].into_iter().zip(&mut best) {
                browser.goto("about:blank").await?;
                browser.goto(&format!("{}{}", site.url(), link::encode(&settings))).await?;
                browser.settled().await;
                let shown = browser.execute_async(RUN, vec![workers.into()]).await?;
                let milliseconds = shown.get(0).and_then(Value::as_f64).ok_or("the page gives no time")?;
                *best = best.min(milliseconds / 1e3);
                if shown.get(1).and_then(Value::as_u64) != Some(expected) {
                    bench.wrong.push(format!("{} in the page has {}, not {expected}", task.name(), shown[1]));
                }
            }
        }
        let ratio = best[0] / native.usage.wall;
        ratios.push(ratio);
        let seconds = [native.usage.wall, best[0], ratio, best[1]].map(short);
        let [native, one, ratio, many] = seconds;
        rows.push([task.name(), grouped(expected), native, one, ratio, many]);
    }
    let mean = geometric_mean(ratios).map_or_else(String::new, |mean| {
        format!("; the page with one worker takes {} times as long, the geometric mean", short(mean))
    });
    let many = format!("page, {cores} workers");
    let head = ["program", "executions", "native, 1 thread", "page, 1 worker", "times", &many];
    Ok(format!(
        "#### Natively and in the page\n\nSeconds from the start of the command to its end, and from the press on “Explore \
         everything” to the result in the headless browser, under RC11{mean}.\n\n{}",
        table(head, 1, &rows)
    ))
}
