//! Runs whole commands and says what they took.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a command took.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// User CPU time in seconds.
    pub user: f64,
    /// User and system CPU time of all its threads, in seconds.
    pub cpu: f64,
    /// From its start to its end, in seconds.
    pub wall: f64,
    /// Its largest resident set, in bytes. Never less than that of the process that starts it.
    pub peak: u64,
}

/// A command that has come to its end.
pub struct Finished {
    pub usage: Usage,
    pub output: String,
    /// Its exit status; `None` if a signal ended it.
    pub code: Option<i32>,
}

/// Runs a command; `None` if it was not at its end in time and was killed.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Option<Finished>> {
    // A file, so that the command never waits for a reader.
    let mut output = tempfile::tempfile()?;
    // A group of its own, so that what it has started ends with it.
    command.stdin(Stdio::null()).stdout(output.try_clone()?).process_group(0);
    let start = Instant::now();
    let child = command.spawn()?;
    let ended = id(&child).and_then(|child| within(child, limit));
    if !matches!(ended, Ok(true)) {
        kill_process_group(id(&child)?, Signal::KILL)?;
    }
    let end = child.wait4()?;
    let wall = start.elapsed().as_secs_f64();
    if !ended? {
        return Ok(None);
    }
    let mut text = String::new();
    output.rewind()?;
    output.read_to_string(&mut text)?;
    let user = end.rusage.utime.as_secs_f64();
    let usage = Usage { user, cpu: user + end.rusage.stime.as_secs_f64(), wall, peak: end.rusage.maxrss };
    Ok(Some(Finished { usage, output: text, code: end.status.code() }))
}

fn id(child: &Child) -> io::Result<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("no process id"))
}

/// Waits for the end of a child; whether it came in time. The child can still be asked what it took.
fn within(child: Pid, limit: Duration) -> io::Result<bool> {
    let child = pidfd_open(child, PidfdFlags::empty())?;
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    loop {
        match poll(&mut [PollFd::new(&child, PollFlags::IN)], Some(&limit)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
