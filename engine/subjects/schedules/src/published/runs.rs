//! The programs of `public/schedules/`, run by real threads under what is proven first. The monitor looks at each event.

use super::tests::{index, verified};
use crate::interpret::{End, Interpreter, Running};
use crate::sections::{Opt, Options, ProgramSchedule};
use litmoscope_core::testing::seeds;
use litmoscope_runtime::Ended;
use std::thread;
use std::time::Duration;

/// After how many sections a run is stopped. Nobody looks at a clock.
const SECTIONS: u64 = 6;

/// How many runs there are of each program at each level: 1,000 in a long run, else a few.
fn runs() -> u64 {
    let all = seeds(200);
    let count = all.end - all.start;
    if count >= 1_000 { count } else { 3 }
}

#[test]
fn short_runs_keep_to_what_is_permitted() {
    let (mut programs, mut ran) = (0, 0);
    for entry in index() {
        let file = entry["file"].as_str().expect("a file");
        let name = file.strip_prefix("schedules/").and_then(|name| name.strip_suffix(".lit")).expect("a program");
        // Its first schedule takes minutes: that is what traces are for.
        if name == "indexer-15" {
            continue;
        }
        let verifier = verified(name, 1);
        let system = verifier.system();
        let art = verifier.found()[0].art.as_ref().expect("a schedule");
        for opt in [Opt::Opt0, Opt::Opt1, Opt::Opt2] {
            let schedule = ProgramSchedule::of(system, art, Options { opt, keeps_all: false }).expect("a schedule");
            for seed in 0..runs() {
                let running = Running { time: Duration::from_secs(3600), unconstrained: false, monitored: true, seed };
                let interpreter = Interpreter::new(system, &schedule, running).expect("it can run");
                let end = thread::scope(|scope| {
                    let run = scope.spawn(|| interpreter.run());
                    while !run.is_finished() && interpreter.sections() < SECTIONS {
                        thread::yield_now();
                    }
                    interpreter.stop();
                    run.join().expect("it ends").end
                });
                let is_right = matches!(end, End::Ended(Ended::Stopped | Ended::Left));
                assert!(is_right, "{name}, {opt:?}, seed {seed}: {end:?}");
                ran += 1;
            }
        }
        programs += 1;
    }
    println!("{programs} programs, {ran} runs");
    assert!(programs >= 20, "{programs}");
}
