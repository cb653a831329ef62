//! The runtime's source in programs of their own, compiled with nothing but a compiler: Rust's with the text as a
//! module, and C's with the text as a header.

use super::oracle::is_permitted;
use super::tables::{Random, Ring};
use litmoscope_runtime::{C, RUST};
use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What both programs print: under a schedule two threads with two locks go round 50 times, and without one they are
/// stuck.
const PRINTED: &str = "[50, 50]\nstuck: T1 waits for lock 1, which T2 holds; T2 waits for lock 0, which T1 holds\n\
    not permitted: T1 took transition 7, where the schedule permits it 0\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// What a program prints, made by this command.
fn printed(mut compiler: Command, program: &Path, arguments: &[&str]) -> String {
    let compiled = compiler.arg("-o").arg(program).output().expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(program).args(arguments).output().expect("the program runs");
    let (out, error) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{out}{error}");
    out.into_owned()
}

#[test]
fn a_program_in_rust_has_all_that_it_needs() {
    let folder = folder("pasted-rust");
    let main = folder.join("main.rs");
    let text = format!("{}\n#[allow(dead_code)]\nmod runtime {{\n{RUST}\n}}\n", include_str!("double_lock.rs.txt"));
    fs::write(&main, text).expect("the folder can be written to");
    let mut compiler = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.args(["--edition", "2024", "-D", "warnings"]).arg(main);
    assert_eq!(printed(compiler, &folder.join("main"), &[]), PRINTED);
}

/// The compiler of C, if there is one, with all warnings as errors.
fn c() -> Option<Command> {
    let name = env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
    if let Err(error) = Command::new(&name).arg("--version").output() {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        println!("not tested: there is no {}", name.display());
        return None;
    }
    let mut compiler = Command::new(name);
    compiler.args(["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    Some(compiler)
}

#[test]
fn a_program_in_c_has_all_that_it_needs() {
    let Some(mut compiler) = c() else { return };
    let folder = folder("pasted-c");
    let main = folder.join("main.c");
    fs::write(folder.join("runtime.h"), C).expect("the folder can be written to");
    fs::write(&main, include_str!("double_lock.c.txt")).expect("the folder can be written to");
    compiler.arg(main);
    assert_eq!(printed(compiler, &folder.join("main"), &[]), PRINTED);
}

#[test]
fn the_example_in_c_runs() {
    let Some(mut compiler) = c() else { return };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    compiler.arg("-O2").arg("-I").arg(here.join("src")).arg(here.join("examples/producer_consumer.c"));
    let out = printed(compiler, &folder("example-c").join("main"), &["0.05"]);
    assert_eq!(out.matches("stopped").count(), 2, "{out}");
}

/// A program in C whose threads go round a ring, and which prints what happened.
fn goes_round(ring: &Ring, rounds: usize) -> Result<String, std::fmt::Error> {
    let (table, mut text) = (&ring.table, String::from("#include \"runtime.h\"\n"));
    let mut edges = String::new();
    for (number, edge) in table.edges.iter().enumerate() {
        let mut events = String::new();
        for (event, (thread, transition, after)) in edge.events.iter().enumerate() {
            let list: String = after.iter().map(|before| format!("{before}, ")).collect();
            writeln!(text, "static const uint32_t after_{number}_{event}[] = {{{list}0}};")?;
            write!(events, "{{{thread}, {transition}, after_{number}_{event}, {}}}, ", after.len())?;
        }
        writeln!(text, "static const lm_event events_{number}[] = {{{events}}};")?;
        write!(edges, "{{{}, {}, events_{number}, {}}}, ", edge.from, edge.to, edge.events.len())?;
    }
    writeln!(text, "static const lm_edge edges[] = {{{edges}}};")?;
    let (threads, nodes, count) = (table.threads, table.nodes, table.edges.len());
    writeln!(text, "static const lm_schedule schedule = {{{threads}, {nodes}, 0, edges, {count}}};")?;
    for thread in 0..threads {
        let steps: String = ring.program(thread).iter().map(|(ways, first)| format!("{{{ways}, {first}}}, ")).collect();
        writeln!(text, "static const uint32_t program_{thread}[][2] = {{{steps}{{0, 0}}}};")?;
    }
    let programs: String = (0..threads).map(|thread| format!("program_{thread}, ")).collect();
    writeln!(text, "static const uint32_t (*const programs[])[2] = {{{programs}}};")?;
    writeln!(text, "enum {{ ROUNDS = {rounds}, EVENTS = {} }};", rounds * ring.size())?;
    text.push_str(include_str!("ring.c.txt"));
    Ok(text)
}

/// Branches, many threads, and waits of any kind, as in Rust.
#[test]
fn threads_in_c_keep_to_schedules() {
    for (seed, threads) in [(1, 2), (2, 3), (3, 5)] {
        let Some(mut compiler) = c() else { return };
        let ring = Ring::random(&mut Random::new(seed), threads, 3, 40);
        let folder = folder(&format!("ring-c-{seed}"));
        let main = folder.join("main.c");
        fs::write(folder.join("runtime.h"), C).expect("the folder can be written to");
        fs::write(&main, goes_round(&ring, 6).expect("text")).expect("the folder can be written to");
        compiler.arg(main);
        let out = printed(compiler, &folder.join("main"), &[]);
        let events: Vec<(usize, u32)> = out
            .lines()
            .map(|line| line.split_once(' ').expect("a thread and a transition"))
            .map(|(thread, transition)| (thread.parse().expect("a number"), transition.parse().expect("a number")))
            .collect();
        assert_eq!(events.len(), 6 * ring.size());
        assert!(is_permitted(&[&ring.table], &events), "seed {seed}: {events:?}");
    }
}
