//! Explorations in parts, by the real command: on threads, and killed by SIGKILL at random moments until they are done.
#![cfg(unix)]

use litmoscope::explore::{Algorithm, Options, Work};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::syntax;
use serde_json::Value;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Some of its executions are stuck for good: the last thread waits for a value that the other one has overwritten.
const TEXT: &str = "shared x, y\n\
    a := fai(x) || a := fai(x) || a := fai(x) || a := fai(x) || a := fai(x) || a := fai(x) || b := x; fai(y); c := y || fai(y); d := x; while y = 2 { }\n\
    ~exists (P0:a = 3 /\\ P6:b = 4 /\\ P7:d = 2)";

/// Those whose explorations can be cut into parts.
fn algorithms() -> Vec<Algorithm> {
    let program = Arc::new(syntax::parse(TEXT).expect("it is a program").program);
    let code = Arc::new(Code::compile(&program).expect("it compiles"));
    let can_be_cut = |algorithm: &Algorithm| {
        let (program, code) = (Arc::clone(&program), Arc::clone(&code));
        algorithm.walk(code, program, Model::RC11, Options::default(), &Work::default()).is_some()
    };
    Algorithm::ALL.into_iter().filter(can_be_cut).collect()
}

/// What there is to compare of a run: all but the time it took.
fn outcome(output: &Output, saved: &str) -> (Option<i32>, Value, Value) {
    let parse = |text: &[u8]| -> Value { serde_json::from_slice(text).expect("JSON") };
    let mut report = parse(&output.stdout);
    report["seconds"].take();
    let mut run = parse(&fs::read(saved).expect("it was saved"));
    run["report"]["seconds"].take();
    (output.status.code(), report, run)
}

#[test]
fn threads_make_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (program, saved) = (path("p.lit"), path("p.json"));
    let assert = TEXT.replace("d := x", "d := x; assert d != 3");
    for algorithm in algorithms() {
        for text in [TEXT, &assert] {
            fs::write(&program, text).expect("a file");
            for more in [&[][..], &["--stop-at-first"], &["--max-executions", "1"], &["--max-executions", "2345"]] {
                let run = |threads: &str| {
                    let mut command = Command::new(env!("CARGO_BIN_EXE_litmoscope"));
                    let options = ["--model", "rc11", "--algorithm", algorithm.name(), "--threads", threads];
                    command.args(["explore", &program, "--json", "--quiet", "--save", &saved]).args(options);
                    let mut outcome = outcome(&command.args(more).output().expect("it runs"), &saved);
                    // What is still to come is estimated, as wide as there is time for.
                    outcome.1["estimate"].take();
                    outcome.2["report"]["estimate"].take();
                    outcome
                };
                let expected = run("1");
                for threads in ["2", "5"] {
                    assert_eq!(run(threads), expected, "{} {more:?}, {threads} threads: {text}", algorithm.name());
                }
            }
        }
    }
}

#[test]
fn a_killed_run_ends_as_if_it_had_not_been() {
    // Another one each time: what goes wrong at one moment in a million is found some day.
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as u64;
    println!("seed {seed}");
    let mut random = seed | 1;
    let mut up_to = |n: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % n
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (program, checkpoint, saved) = (path("p.lit"), path("p.run"), path("p.json"));
    fs::write(&program, TEXT).expect("a file");
    for algorithm in algorithms() {
        for threads in ["1", "3"] {
            let command = |more: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_litmoscope"));
                let options = ["--model", "rc11", "--algorithm", algorithm.name(), "--threads", threads];
                command.args(["explore", &program, "--json", "--quiet", "--save", &saved]).args(options).args(more);
                command
            };
            let start = Instant::now();
            let expected = outcome(&command(&[]).output().expect("it runs"), &saved);
            let longest = start.elapsed().as_micros() as u64 / 5;
            assert_eq!(expected.1["interrupted"], Value::Null);
            let _ = fs::remove_file(&checkpoint);
            let keep = ["--checkpoint", &checkpoint, "--checkpoint-every", "0.005"];
            let resume = ["--resume", &checkpoint];
            let options = || {
                let known = fs::exists(&checkpoint).expect("the folder is there");
                [&keep[..], if known { &resume[..] } else { &[] }].concat()
            };
            let mut kills = 0;
            for _ in 0..40 {
                let mut child = command(&options()).stdout(Stdio::null()).spawn().expect("it runs");
                thread::sleep(Duration::from_micros(up_to(longest)));
                if child.try_wait().expect("it is there").is_some() {
                    break;
                }
                child.kill().expect("it can be killed");
                child.wait().expect("it ends");
                kills += 1;
            }
            let last = command(&options()).output().expect("it runs");
            let name = algorithm.name();
            println!("{name}, {threads} threads: killed {kills} times");
            assert_eq!(outcome(&last, &saved), expected, "{name}, {threads} threads, {kills} kills, seed {seed}");
            // What is over stays so.
            let again = command(&options()).output().expect("it runs");
            assert_eq!(outcome(&again, &saved), expected);
            // Damaged.
            let content = fs::read(&checkpoint).expect("it was written");
            fs::write(&checkpoint, &content[..content.len() / 2]).expect("a file");
            let output = command(&resume).output().expect("it runs");
            assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]));
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(message.contains("cannot continue from") && message.contains("it is cut short"), "{message}");
        }
    }
}
