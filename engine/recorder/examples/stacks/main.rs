//! Records two stacks on real threads, a good one and one whose pops forget each other, and writes a file for each:
//!
//! ```sh
//! cargo run --release --package litmoscope-recorder --example stacks -- target/recordings
//! litmoscope linearize target/recordings/good.txt
//! litmoscope linearize target/recordings/broken.txt
//! ```

mod stack;

use litmoscope_recorder::{Object, Recorder, Recording};
use stack::Stack;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Barrier, atomic};
use std::{env, fs, io, thread};

const THREADS: usize = 4;
/// How many values each thread pushes.
const VALUES: usize = 500;

fn main() -> ExitCode {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: stacks FOLDER");
        return ExitCode::FAILURE;
    };
    match write(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let size = THREADS * VALUES;
    fs::write(folder.join("good.txt"), record(&Stack::good(size)).to_string())?;
    // Others may come in between, also where there is one core.
    fs::write(folder.join("broken.txt"), record(&Stack::broken(size, thread::yield_now)).to_string())
}

/// Threads push two values and pop two, again and again.
fn record<W: Fn() + Sync>(stack: &Stack<W>) -> Recording<usize> {
    let recorder = Recorder::new(Object::Stack);
    let begin = Barrier::new(THREADS);
    thread::scope(|scope| {
        for first in (0..THREADS).map(|thread| thread * VALUES) {
            let (recorder, begin) = (&recorder, &begin);
            scope.spawn(move || {
                let mut log = recorder.log();
                begin.wait();
                for value in (first..first + VALUES).step_by(2) {
                    log.insert(value, |value| stack.push(value));
                    log.insert(value + 1, |value| stack.push(value));
                    log.remove(|| stack.pop());
                    log.remove(|| stack.pop());
                }
            });
        }
    });
    recorder.finish()
}
