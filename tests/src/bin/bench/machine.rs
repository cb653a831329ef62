//! Where and when it was measured.

use std::process::Command;
use std::thread::available_parallelism;

/// One sentence on the machine, the compiler and the day.
pub fn describe() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("an unknown processor", |(_, model)| model.trim());
    let cores = available_parallelism().map_or(1, usize::from);
    let rustc = first_line(Command::new("rustc").arg("--version")).unwrap_or_else(|| "an unknown rustc".to_owned());
    let rustc = rustc.split(" (").next().unwrap_or_default();
    let date = first_line(Command::new("date").arg("+%F")).unwrap_or_else(|| "an unknown day".to_owned());
    format!("{model}, {cores} cores; {rustc}; {date}")
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.lines().next().map(str::to_owned)
}
