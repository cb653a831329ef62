//! Draws graphs as the page does, light and dark, for looking at many of them at once:
//!
//! ```sh
//! cargo run --release --package litmoscope --example drawings -- target/drawings
//! ```
//!
//! Of each program it draws the first execution, the first graph dropped with the cycle that says why, and the first
//! backward revisit with what it keeps and cuts.

use litmoscope::explore::{Direction, Step};
use litmoscope::model::Model;
use litmoscope::report::{Theme, svg};
use litmoscope::session::{Session, Settings, ViewRequest};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

const PROGRAMS: [(&str, Model, &str); 10] = [
    ("sb", Model::SC, "x := 1; a := y || y := 1; b := x"),
    ("mp", Model::RC11, "x := 1; y :=rel 1 || a :=acq y; b := x"),
    ("iriw", Model::SC, "x := 1 || a := x; b := y || c := y; d := x || y := 1"),
    ("wrc", Model::RA, "x := 1 || a := x; y := 1 || b := y; c := x"),
    ("2+2w", Model::PSO, "x := 1; y := 2; a := x || y := 1; x := 2; b := y"),
    ("corr2", Model::TSO, "x := 1 || x := 2 || a := x; b := x || c := x; d := x"),
    ("fai3", Model::SRA, "fai(x) || fai(x) || fai(x)"),
    ("revisit", Model::SC, "x := 1 || a := x; y := 1; y := 2 || y := 3; x := 2"),
    ("wbchain", Model::RC11, "x := 1; fai(x) || x := 10; fai(x) || fai(x) || fai(x)"),
    (
        "large",
        Model::RC11,
        "a := x; y :=rel a + 1; a := x; y :=rel a + 2; a := x; y :=rel a + 3 || \
         b :=acq y; z :=sc b; b :=acq y; z :=sc b; b :=acq y; z :=sc b || \
         c :=sc z; x := c; fence sc; c := z; x := c; c := z; x := c",
    ),
];

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("say which folder to write to");
        return ExitCode::FAILURE;
    };
    match write_all(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

fn write_all(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, model, text) in PROGRAMS {
        let settings = Settings { text: text.to_owned(), model, ..Settings::default() };
        let mut session = Session::open(settings).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}"));
        let mut wanted = vec!["execution", "dropped", "revisit"];
        while !wanted.is_empty() && session.forward() {
            let now = match session.step() {
                Some(Step::Execution { .. }) => "execution",
                Some(Step::Drop) => "dropped",
                Some(Step::TakeRevisit { direction: Direction::Backward, .. }) => "revisit",
                _ => continue,
            };
            let Some(index) = wanted.iter().position(|&what| what == now) else { continue };
            wanted.remove(index);
            let drawing = session.view(&ViewRequest::default()).drawing;
            for (theme, suffix) in [(Theme::Light, ""), (Theme::Dark, "-dark")] {
                fs::write(folder.join(format!("{name}-{now}{suffix}.svg")), svg(&drawing, theme))?;
            }
        }
    }
    Ok(())
}
