//! `litmoscope split`, `part` and `join`, as a job array runs them.
#![cfg(unix)]

use crate::common::run;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

const THREE: &str = "name Three\nx := 1; a := y; y := 1; b := z || y := 2; c := z; z := 1; d := x || z := 2; e := x; x := 2; f := y\n\
                     exists (a = 0 /\\ c = 0 /\\ e = 0)";
/// It takes a second or less.
const LARGE: &str =
    "name Large\nx := 1; a := y; y := 1 || x := 2; b := y; y := 2 || x := 3; c := y; y := 3 || x := 4; d := y; y := 4";
const WRONG: &str = "name Wrong\nx := 1; x := 2; x := 3 || a := x; b := x; assert a <= b || y := 1; c := x; d := y || y := 2; e := y; assert e != 1";

/// A folder of its own, which goes when the test is over.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn program(&self, text: &str) -> String {
        let path = self.path("program.lit");
        fs::write(&path, text).expect("a file");
        path
    }
}

fn good(options: &[&str], status: i32) -> String {
    let (found, out, err) = run(options, "");
    assert_eq!(found, status, "{options:?}\n{out}{err}");
    out + &err
}

/// A result as JSON, without what depends on clocks.
fn result(options: &[&str], status: i32) -> Value {
    let (found, out, err) = run(&[options, &["--json"]].concat(), "");
    assert_eq!(found, status, "{options:?}\n{out}{err}");
    let mut value: Value =
        serde_json::from_str(&out).unwrap_or_else(|wrong| panic!("{options:?}: {wrong}\n{out}{err}"));
    let object = value.as_object_mut().expect("an object");
    object.retain(|name, _| name != "seconds" && name != "estimate");
    value
}

/// The files of parts, in the order of their numbers.
fn parts(folder: &str) -> Vec<PathBuf> {
    (1..).map(|number| Path::new(folder).join(format!("{number}"))).take_while(|path| path.exists()).collect()
}

fn explore_part(path: &Path) {
    good(&["part", &path.display().to_string()], 0);
}

#[test]
fn parts_in_any_order_are_the_whole() {
    let folder = Folder::new();
    let program = folder.program(THREE);
    for (model, algorithm) in [("rc11", "auto"), ("tso", "trust_co")] {
        let how = ["--model", model, "--algorithm", algorithm];
        let whole = result(&[&["explore", &program][..], &how].concat(), 0);
        let out = folder.path(&format!("parts-{model}"));
        let said = good(&[&["split", &program, "--parts", "9", "--out", &out][..], &how].concat(), 0);
        assert!(said.contains("9 parts in ") && said.contains("/9`, anywhere and in any order"), "{said}");
        let all = parts(&out);
        assert_eq!(all.len(), 9);
        // Nothing yet, then from the last one on; what is not there is said, and nothing is called verified.
        let none = good(&["join", &out], 3);
        assert!(none.contains("not all parts were explored") && none.contains("/1 was not begun"), "{none}");
        for path in all.iter().rev().take(5) {
            explore_part(path);
        }
        assert!(good(&["join", &out], 3).contains("/4 was not begun"));
        // What is left is cut again, and a part is explored twice.
        let again = folder.path(&format!("again-{model}"));
        good(&["split", &out, "--parts", "6", "--out", &again], 0);
        assert_eq!(parts(&again).len(), 6);
        for path in parts(&again) {
            explore_part(&path);
            explore_part(&path);
        }
        assert_eq!(result(&["join", &again], 0), whole, "{model}");
        // The first folder is as it was; the rest of it is explored here.
        assert_eq!(result(&["join", &out, "--run", "--threads", "2"], 0), whole, "{model}");
        // A checkpoint of it is one that `explore` goes on with.
        let checkpoint = folder.path("checkpoint");
        good(&["join", &out, "--checkpoint", &checkpoint], 3);
        assert_eq!(result(&[&["explore", &program, "--resume", &checkpoint][..], &how].concat(), 0), whole, "{model}");
        let bounded = result(&[&["explore", &program, "--max-executions", "20"][..], &how].concat(), 3);
        assert_eq!(result(&["join", &out, "--run", "--max-executions", "20"], 3), bounded, "{model}");
    }
}

#[test]
fn a_part_is_gone_on_with_after_its_time() {
    let folder = Folder::new();
    let program = folder.program(LARGE);
    let out = folder.path("parts");
    good(&["split", &program, "--model", "rc11", "--algorithm", "trust_co", "--parts", "2", "--out", &out], 0);
    for path in parts(&out) {
        let path = path.display().to_string();
        let (status, said, err) = run(&["part", &path, "--timeout", "0.000000001"], "");
        // The time is over before it begins.
        assert!(status == 3 && said.contains("What is left is in the file"), "{said}{err}");
        let done = good(&["part", &path], 0);
        assert!(done.contains(" is explored"), "{done}");
        assert!(good(&["part", &path], 0).contains(" is explored already: "));
    }
    let whole = result(&["explore", &program, "--model", "rc11", "--algorithm", "trust_co"], 0);
    assert_eq!(result(&["join", &out], 0), whole);
    // One that takes years is put aside in the middle, and gone on with.
    let program = folder.program(&format!(
        "{LARGE} || x := 5; e := y; y := 5; f := x; x := 6; g := y; y := 6 || x := 7; h := y; y := 7; i := x; y := 8"
    ));
    let out = folder.path("years");
    good(&["split", &program, "--model", "rc11", "--algorithm", "trust_co", "--parts", "3", "--out", &out], 0);
    let path = format!("{out}/1");
    // However busy the machine is, it gets on some time.
    let beyond = |before: u64| {
        for _ in 0..100 {
            good(&["part", &path, "--timeout", "0.2"], 3);
            let known = result(&["join", &out], 3)["executions"]["complete"].as_u64().unwrap_or_default();
            if known > before {
                return known;
            }
        }
        panic!("it stays at {before}");
    };
    beyond(beyond(0));
}

#[test]
fn a_checkpoint_is_cut() {
    let folder = Folder::new();
    let program = folder.program(THREE);
    let (checkpoint, out) = (folder.path("checkpoint"), folder.path("parts"));
    let how = ["explore", &program, "--model", "tso", "--algorithm", "trust_co"];
    let whole = result(&how, 0);
    good(&[&how[..], &["--max-executions", "7", "--checkpoint", &checkpoint]].concat(), 3);
    good(&["split", &checkpoint, "--parts", "4", "--out", &out], 0);
    parts(&out).iter().for_each(|path| explore_part(path));
    assert_eq!(result(&["join", &out], 0), whole);
}

#[test]
fn the_first_error_ends_what_is_behind_it() {
    let folder = Folder::new();
    let program = folder.program(WRONG);
    let how = ["--model", "wra", "--algorithm", "trust_co", "--stop-at-first"];
    let alone = result(&[&["explore", &program][..], &how].concat(), 1);
    let out = folder.path("parts");
    good(&[&["split", &program, "--parts", "12", "--out", &out][..], &how].concat(), 0);
    let all = parts(&out);
    for path in &all {
        explore_part(path);
    }
    assert_eq!(result(&["join", &out], 1), alone);
    // Who begins behind the first one has nothing to do.
    let first: usize =
        fs::read_to_string(Path::new(&out).join("first")).expect("it was written").trim().parse().expect("a number");
    assert!(first < all.len(), "{first}");
    let again = folder.path("again");
    good(&[&["split", &program, "--parts", "12", "--out", &again][..], &how].concat(), 0);
    fs::write(Path::new(&again).join("first"), "1\n").expect("a file");
    let useless = good(&["part", &all[3].display().to_string().replace(&out, &again)], 0);
    assert!(useless.contains("does not count"), "{useless}");
}

#[test]
fn what_is_wrong_with_parts_is_said() {
    let folder = Folder::new();
    let program = folder.program(THREE);
    let (out, other) = (folder.path("parts"), folder.path("other"));
    good(&["split", &program, "--parts", "5", "--out", &out], 0);
    let large = folder.path("large.lit");
    fs::write(&large, LARGE).expect("a file");
    good(&["split", &large, "--parts", "5", "--out", &other], 0);
    assert!(good(&["split", &program, "--parts", "5", "--out", &out], 2).contains("there is something in it already"));
    assert!(good(&["join", &folder.path("nowhere")], 2).contains("is no folder of parts"));
    assert!(good(&["part", &program], 2).contains("it is no checkpoint"));
    parts(&out).iter().for_each(|path| explore_part(path));
    let whole = result(&["join", &out], 0);
    let content = fs::read(Path::new(&out).join("2")).expect("it is there");
    let kept = fs::read(Path::new(&out).join("3")).expect("it is there");
    // Cut short, of another program, cut elsewhere, gone.
    for (bytes, why) in [
        (Some(content[..content.len() / 2].to_vec()), "it is cut short"),
        (Some(fs::read(Path::new(&other).join("1")).expect("it is there")), "the program is not the same"),
        (Some(kept), "is a part that was cut at another time"),
        (None, "is not there"),
    ] {
        let path = Path::new(&out).join("2");
        match bytes {
            Some(bytes) => fs::write(&path, bytes).expect("a file"),
            None => fs::remove_file(&path).expect("it is there"),
        }
        let said = good(&["join", &out], 3);
        assert!(said.contains(why) && said.contains("It counts as not explored."), "{why}: {said}");
        // Nothing is lost: what is missing is explored here.
        assert_eq!(result(&["join", &out, "--run"], 0), whole, "{why}");
    }
    let version = String::from_utf8(content).expect("text").replace("\"engine\":\"", "\"engine\":\"9");
    let (line, body) = version.split_once('\n').expect("two parts");
    assert!(line.starts_with("litmoscope checkpoint 2 "), "{line}");
    let sealed = litmoscope::run::checkpoint::seal(body.as_bytes());
    fs::write(Path::new(&out).join("2"), sealed).expect("a file");
    assert!(good(&["join", &out], 3).contains("the version of Litmoscope is not the same"));
}

/// What ends with the test: the daemons of a cluster of one machine.
struct Cluster {
    folder: tempfile::TempDir,
    pids: Vec<&'static str>,
}

impl Cluster {
    /// `None` if Slurm is not installed.
    fn start() -> Option<Self> {
        let is_there = |name: &str| Command::new(name).arg("--version").output().is_ok();
        if !["munged", "slurmctld", "slurmd", "sbatch"].into_iter().all(is_there) {
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let host =
            String::from_utf8(Command::new("hostname").arg("-s").output().expect("it runs").stdout).expect("a name");
        let (host, root) = (host.trim(), folder.path().display());
        let conf = format!(
            "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort=16817\nSlurmdPort=16818\nSlurmUser=root\nAuthType=auth/munge\n\
             AuthInfo=socket={root}/munge.sock\nCredType=cred/munge\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\n\
             SelectType=select/cons_tres\nStateSaveLocation={root}/state\nSlurmdSpoolDir={root}/spool\nSlurmctldPidFile={root}/slurmctld.pid\n\
             SlurmdPidFile={root}/slurmd.pid\nSlurmctldLogFile={root}/slurmctld.log\nSlurmdLogFile={root}/slurmd.log\nReturnToService=2\n\
             MpiDefault=none\nSchedulerParameters=sched_interval=1,batch_sched_delay=0\nNodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        );
        fs::write(path("slurm.conf"), conf).expect("a file");
        fs::write(path("key"), [7; 1024]).expect("a file");
        fs::set_permissions(path("key"), std::os::unix::fs::PermissionsExt::from_mode(0o400)).expect("it is ours");
        let cluster = Self { pids: vec!["slurmd.pid", "slurmctld.pid", "munge.pid"], folder };
        let munge = ["key-file=key", "socket=munge.sock", "pid-file=munge.pid", "log-file=munge.log", "seed-file=seed"]
            .map(|option| option.replacen('=', &format!("={root}/", root = cluster.folder.path().display()), 1))
            .map(|option| format!("--{option}"));
        assert!(Command::new("munged").arg("--force").args(munge).status().expect("it runs").success());
        for daemon in ["slurmctld", "slurmd"] {
            assert!(cluster.command(daemon).status().expect("it runs").success(), "{daemon}");
        }
        Some(cluster)
    }

    /// A command that knows the cluster.
    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf")).current_dir(self.folder.path());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for pid in self.pids.iter().filter_map(|pid| fs::read_to_string(self.folder.path().join(pid)).ok()) {
            let _ = Command::new("kill").arg(pid.trim()).status();
            let end = Instant::now() + Duration::from_secs(10);
            while Path::new("/proc").join(pid.trim()).exists() && Instant::now() < end {
                thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// The script of the book, by Slurm's own daemons, if they are installed and may be started.
#[test]
fn an_array_job_explores_the_parts() {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let Some(cluster) = is_root.then(Cluster::start).flatten() else {
        println!("skipped: Slurm is not installed, or this is not root");
        return;
    };
    let folder = Folder::new();
    let program = folder.program(LARGE);
    let out = folder.path("parts");
    let how = ["--model", "rc11", "--algorithm", "trust_co"];
    good(&[&["split", &program, "--parts", "12", "--out", &out][..], &how].concat(), 0);
    let last = parts(&out).len();
    let chapter = include_str!("../../../book/src/cli/clusters.md");
    let script = chapter.split("```sh\n").find(|block| block.starts_with("#!/bin/sh")).expect("the script is there");
    let script = script.split("```").next().expect("it ends");
    fs::write(folder.path("array.sh"), script).expect("a file");
    let binary = Path::new(env!("CARGO_BIN_EXE_litmoscope")).parent().expect("it is in a folder");
    let paths = format!("{}:{}", binary.display(), std::env::var("PATH").expect("there is one"));
    let job = cluster
        .command("sbatch")
        .env("PATH", paths)
        .args([&format!("--array=1-{last}"), &folder.path("array.sh"), &out])
        .output()
        .expect("it runs");
    assert!(job.status.success(), "{}", String::from_utf8_lossy(&job.stderr));
    // `--wait` looks more and more seldom.
    let end = Instant::now() + Duration::from_secs(120);
    while !cluster.command("squeue").arg("--noheader").output().expect("it runs").stdout.is_empty() {
        assert!(Instant::now() < end, "the jobs do not end");
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(result(&["join", &out], 0), result(&[&["explore", &program][..], &how].concat(), 0));
}

/// The matrix of the book, its commands by the shell and its artifacts by copies: each job begins in an empty folder.
#[test]
fn a_matrix_of_jobs_explores_the_parts() {
    let folder = Folder::new();
    let chapter = include_str!("../../../book/src/cli/clusters.md");
    let matrix = chapter.split("```yaml\n").nth(1).and_then(|block| block.split("```").next()).expect("it is there");
    let commands: Vec<&str> = matrix.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    let [split, part, join] = commands[..] else { panic!("{commands:?}") };
    let numbers = matrix.lines().find_map(|line| line.trim().strip_prefix("matrix: { part: [")).expect("a matrix");
    let numbers: Vec<&str> = numbers.trim_end_matches("] }").split(", ").collect();
    let binary = Path::new(env!("CARGO_BIN_EXE_litmoscope")).parent().expect("it is in a folder");
    let paths = format!("{}:{}", binary.display(), std::env::var("PATH").expect("there is one"));
    let job = |name: &str, command: &str| {
        let place = Path::new(&folder.path(name)).to_owned();
        let output = Command::new("sh")
            .args(["-ec", command])
            .env("PATH", &paths)
            .current_dir(&place)
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let begin = |name: &str| fs::create_dir_all(Path::new(&folder.path(name)).join("parts")).expect("a folder");
    let copy = |from: &Path, to: &Path| {
        for entry in fs::read_dir(from).expect("a folder") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
        }
    };
    fs::create_dir_all(folder.path("first")).expect("a folder");
    fs::write(Path::new(&folder.path("first")).join("large.lit"), LARGE).expect("a file");
    job("first", split);
    let artifact = Path::new(&folder.path("first")).join("parts");
    assert_eq!(parts(&artifact.display().to_string()).len(), numbers.len());
    begin("last");
    copy(&artifact, &Path::new(&folder.path("last")).join("parts"));
    for number in numbers {
        begin(number);
        let own = Path::new(&folder.path(number)).join("parts");
        copy(&artifact, &own);
        job(number, &part.replace("${{ matrix.part }}", number));
        fs::copy(own.join(number), Path::new(&folder.path("last")).join("parts").join(number)).expect("a copy");
    }
    let program = folder.program(LARGE);
    let whole = good(&["explore", &program, "--model", "rc11"], 0);
    let counts =
        |text: &str| text.lines().filter(|line| line.contains(" complete, ")).map(str::to_owned).collect::<Vec<_>>();
    let (joined, whole) = (counts(&job("last", join)), counts(&whole));
    assert!(!whole.is_empty());
    assert_eq!(joined, whole);
}
