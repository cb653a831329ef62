//! The same explorations natively and in the built page.

use crate::markdown::{geometric_mean, short, table};
use crate::measure::{Bench, Expected, Task, text};
use crate::parts::{wanted, with_co};
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

/// The times of both, from the press or the command to the end, and how many times as long the page takes.
pub fn page(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(bench, arguments))
}

async fn measure(bench: &mut Bench, arguments: &Arguments) -> Result<String, Failure> {
    let site = site::serve("/");
    let browser = Browser::start().await;
    let mut timeouts = TimeoutConfiguration::default();
    timeouts.set_script(Some(Duration::from_secs(4 * arguments.limit)));
    browser.update_timeouts(timeouts).await?;
    let cores = available_parallelism().map_or(1, usize::from);
    let model = Model::Rc11;
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
