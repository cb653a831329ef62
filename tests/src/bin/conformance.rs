//! Prints, for each family of litmus tests with known answers, how many there are and how many we agree on.
//!
//! Without arguments, the tests are those of the conformance folder, if there is one, and those made from the cycles of
//! the table. `table` prints the table's text, from the folder. Exits with 1 if anything differs.

use litmoscope_tests::conformance::{NoFolder, Row, folder, run_folder, run_table, table_text};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => run(),
        ["table"] => match folder() {
            Ok(folder) => {
                print!("{}", table_text(&folder));
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("no table: {why}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: conformance [table]; the table is made from the folder of tests");
            ExitCode::from(2)
        }
    }
}

fn run() -> ExitCode {
    let mut good = true;
    match folder() {
        Ok(folder) => {
            good &= show("tests of the folder", &run_folder(&folder));
            println!();
        }
        Err(NoFolder::Absent(why)) => println!("no tests of a folder: {why}\n"),
        Err(NoFolder::Missing(why)) => {
            eprintln!("no tests of a folder: {why}");
            return ExitCode::FAILURE;
        }
    }
    good &= show("tests made from cycles", &run_table());
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a table; whether there are tests, and all agree.
fn show(title: &str, rows: &BTreeMap<String, Row>) -> bool {
    println!("{title:24} {:>6}  {:8} {:>7} {:>7}", "tests", "models", "runs", "agree");
    let (mut tests, mut runs, mut failed) = (0, 0, 0);
    for (family, row) in rows {
        let models: Vec<&str> = row.models.iter().map(String::as_str).collect();
        let agree = row.runs - row.failures.len();
        println!("{family:24} {:>6}  {:8} {:>7} {agree:>7}", row.tests, models.join(" "), row.runs);
        tests += row.tests;
        runs += row.runs;
        failed += row.failures.len();
    }
    println!("{:24} {tests:>6}  {:8} {runs:>7} {:>7}", "all", "", runs - failed);
    println!("{runs} runs of {tests} tests, {failed} disagreements");
    for failure in rows.values().flat_map(|row| &row.failures).take(10) {
        println!("{failure}");
    }
    if runs == 0 {
        println!("there are no tests");
    }
    runs > 0 && failed == 0
}
