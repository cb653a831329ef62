//! What holds for the files around the code: what the scripts install and build with, and that packages are fetched by name.
//!
//! Scripts run on a machine that lacks something or has another version of it. No file names a registry's address: packages are
//! fetched by name, by the registry's own client.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a machine has for the scripts: commands that come before those of the system, and a folder of tools.
struct Machine {
    folder: PathBuf,
    /// Programs are written while no other test starts one, which would keep them open and so from being run.
    _alone: MutexGuard<'static, ()>,
}

impl Machine {
    /// A compiler for the page is there, as the scripts want it. Node.js and npm fail.
    fn new(name: &str) -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("what an earlier run left can be removed");
        }
        for inner in ["commands", "tools", "sysroot/lib/rustlib/wasm32-unknown-unknown/lib"] {
            fs::create_dir_all(folder.join(inner)).expect("a folder can be made");
        }
        let machine = Self { folder, _alone: alone };
        let sysroot = machine.folder.join("sysroot");
        let rustc = format!("[ \"$1\" = --version ] && echo rustc 9999.0.0 || echo '{}'", sysroot.display());
        machine.has("commands/rustc", &rustc);
        for command in ["cargo", "node", "npm"] {
            machine.has(&format!("commands/{command}"), "exit 1");
        }
        machine
    }

    /// Adds a command or replaces it.
    fn has(&self, path: &str, script: &str) {
        let path = self.folder.join(path);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a command can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    }

    /// Has a script of the repository run: whether it succeeds, and all it says.
    fn runs(&self, script: &str, arguments: &[&str]) -> (bool, String) {
        let system = std::env::var("PATH").expect("there is a PATH");
        let Output { status, stdout, stderr } = Command::new(script)
            .args(arguments)
            .current_dir(root())
            .env("PATH", format!("{}:{system}", self.folder.join("commands").display()))
            .env("LITMOSCOPE_TOOLS", self.folder.join("tools"))
            .output()
            .expect("the script starts");
        let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        (status.success(), said)
    }

    /// What is in the folder of tools, without what every setup leaves there.
    fn tools(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join("tools")).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned());
        names.filter(|name| !["setup.lock", "setup.log"].contains(&name.as_str())).collect()
    }
}

/// What `scripts/toolchain.sh` sets a variable to.
fn pinned(variable: &str) -> String {
    let text = fs::read_to_string(root().join("scripts/toolchain.sh")).expect("the script is there");
    let value = text.lines().find_map(|line| line.strip_prefix(variable)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("{variable} is set")).to_owned()
}

#[test]
fn no_page_is_built_without_the_binaryen_that_belongs_to_it() {
    let machine = Machine::new("no-binaryen");
    let [large, small] =
        ["large", "small"].map(|name| machine.folder.join(name).to_str().expect("a plain path").to_owned());
    for folder in [&large, &small] {
        fs::create_dir(folder).expect("a folder can be made");
    }
    fs::write(Path::new(&large).join("page.wasm"), "as compiled").expect("it can be written");
    let smaller = Path::new(&small).join("page.wasm");
    let optimise = || machine.runs("scripts/optimise.sh", &[&large, &small]);
    let version = pinned("binaryen_version");
    // Whichever wasm-opt lies on the PATH is not asked.
    machine.has("commands/wasm-opt", "while [ $1 != -o ]; do shift; done\necho another >$2");

    // Called with Binaryen alone, the script sees that it can be loaded; with folders, it does its work.
    let node = |loads: &str, works: &str| machine.has("commands/node", &format!("[ $# = 2 ] && {loads}\n{works}"));
    let wanted = format!("needs Binaryen {version}");
    let tool = format!("tools/binaryen-{version}.mjs");
    for (there, loads) in [("tools/binaryen-108.0.0.mjs", "exit 0"), (&*tool, "exit 1")] {
        machine.has(there, "");
        node(loads, "echo another >$4/page.wasm");
        let (good, said) = optimise();
        assert!(!good && said.contains(&wanted) && said.contains("scripts/setup.sh page"), "{there}: {said}");
        assert!(!smaller.exists(), "{there}");
    }

    node("exit 0", "echo unknown feature >&2; exit 1");
    let (good, said) = optimise();
    assert!(!good && said.contains("unknown feature\nBinaryen failed on"), "{said}");
    assert!(!smaller.exists());

    node("exit 0", "printf smaller >$4/page.wasm");
    assert_eq!(optimise(), (true, String::new()));
    assert_eq!(fs::read_to_string(smaller).expect("it is there"), "smaller");
}

#[test]
fn a_package_that_is_not_the_expected_one_is_not_installed() {
    let machine = Machine::new("another-package");
    let version = pinned("binaryen_version");
    let archive = format!("binaryen-{version}.tgz");
    machine.has("commands/npm", &format!("echo something else >{archive}"));
    let (good, said) = machine.runs("scripts/setup.sh", &["page"]);
    assert!(!good && said.contains(&format!("npm fetched another binaryen {version} than expected")), "{said}");
    assert!(said.contains(&pinned("binaryen_sha256")), "{said}");
    assert_eq!(machine.tools(), [""; 0]);

    // Half an archive is none.
    machine.has("commands/npm", &format!("echo half >{archive}; exit 1"));
    let (good, said) = machine.runs("scripts/setup.sh", &["page"]);
    assert!(!good && said.contains(&format!("npm cannot fetch binaryen {version}")), "{said}");
    assert_eq!(machine.tools(), [""; 0]);
}

/// All files that belong to the repository, without what `.gitignore` names.
#[test]
fn the_doctor_says_what_is_missing_and_changes_nothing() {
    let machine = Machine::new("doctor");
    let inside = || fs::read_dir(machine.folder.join("tools")).expect("the folder is there").count();
    let (_, said) = machine.runs("scripts/doctor.sh", &[]);
    assert!(said.starts_with("there    Rust 9999.0.0 ("), "{said}");
    assert!(said.contains("there    the compiler's library for the browser\n"), "{said}");
    let missing = format!(
        "missing  Binaryen, which makes the page smaller: make run installs npm's package binaryen {}",
        pinned("binaryen_version")
    );
    assert!(said.contains(&missing) && said.contains("missing  rustfmt: "), "{said}");
    assert_eq!(inside(), 0);
    // What nobody installs here is a failure.
    machine.has("commands/rustc", "[ \"$1\" = --version ] && echo rustc 1.0.0 || echo /nowhere");
    // What only the package needs is none.
    machine.has("commands/python3", "exit 1");
    let (good, said) = machine.runs("scripts/doctor.sh", &[]);
    assert!(said.contains("without  Python 3.10 or newer with venv"), "{said}");
    assert!(!good && said.contains("or newer (this one is 1.0.0): please install a newer one"), "{said}");
    assert_eq!(inside(), 0);
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let entry = entry.expect("it can be read");
        let kind = entry.file_type().expect("it is a file or a folder");
        let name = entry.file_name();
        if [".git", "target", "dist", "node_modules", "artifacts"].iter().any(|other| name == *other) {
            continue;
        }
        if kind.is_dir() {
            files(&entry.path(), into);
        } else if kind.is_file() && name != "Cargo.lock" {
            into.push(entry.path());
        }
    }
}

/// Which registry packages come from is for each machine to say, so they are fetched by name, by the registry's own client.
#[test]
fn no_file_names_the_address_of_a_registry() {
    let hosts = [
        "registry npmjs",
        "registry yarnpkg",
        "registry npmmirror",
        "unpkg com",
        "jsdelivr net",
        "crates io",
        "static rust-lang org",
        "pypi org",
        "pythonhosted org",
        "deb debian org",
        "security debian org",
        "archive ubuntu com",
        "proxy golang org",
        "rubygems org",
    ]
    .map(|host| host.replace(' ', "."));
    let mut all = Vec::new();
    files(&root(), &mut all);
    assert!(all.iter().any(|file| file.ends_with("scripts/setup.sh")) && all.len() > 300, "{} files", all.len());
    let mut found = Vec::new();
    for file in &all {
        let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let text = String::from_utf8_lossy(&bytes);
        let path = file.strip_prefix(root()).expect("it is below the root");
        let named = hosts.iter().filter(|host| text.contains(host.as_str()));
        found.extend(named.map(|host| format!("{}: {host}", path.display())));
        // What builds and tests knows no address at all but that of this machine.
        if path.starts_with("scripts") || path.starts_with(".ci") || path == Path::new("Makefile") {
            let addresses = text.match_indices("://").filter(|&(at, _)| !text[at..].starts_with("://127.0.0.1:"));
            found.extend(addresses.map(|(at, _)| format!("{}: an address at byte {at}", path.display())));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
