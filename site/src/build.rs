//! From the sources to the page.
//!
//! # How the module is cut into parts
//!
//! - **It is cut after it was linked.** `wasm_split` marks a function. `wasm_split_cli_support` follows calls and addresses from
//!   there by the linker's relocations, and puts code and data that nothing else reaches into a file of its own. All files share
//!   one memory and one table of functions, so one Leptos and one engine are there, and values of any type go between them. The
//!   alternative, several modules of the same sources, would have each its own copy of Leptos and of most of the engine, and
//!   could only speak in messages. Binaryen's `wasm-split` wants lists of functions and leaves data where it is.
//! - The linker is asked for relocations (`--emit-relocs`) and to leave strings apart (`--no-merge-data-segments`, else all of
//!   them stay in the first file), and symbols are kept until the cut is made (`scripts/wasm.sh`, `Cargo.toml`).
//! - What several parts need is cut into pieces, one for each set of parts. Small ones (`LARGE`) are put into the file of each
//!   part, as sections of it, and are begun once (`app/parts.js`): most are smaller than a request.
//! - The names of all files have one hash: parts fit what was made with them and nothing else.
//!
//! wasm-bindgen is a library here, in the version of Cargo.lock. Binaryen makes the module smaller after each build
//! (`scripts/optimise.sh`). The style sheets, of the whole page in `styles/`, and of each lab and of the shell in their folders,
//! become one: nothing can be shown before the last of them is there, and each costs a telephone's slow network another answer.
//! Beside each file that is worth it stands the same compressed (`.gz`), which the server sends to who takes that.

use crate::files::{Files, short_hash};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use wasm_bindgen_cli_support::Bindgen;

/// The page's module as cargo names it, and wasm-bindgen after it.
const MODULE: &str = "litmoscope-app";
/// Where the pages that are there to be read lie, from the top of the repository on: `site/pages` makes them.
const PAGES: &str = "target/pages";
/// The script that loads the module's parts.
const PARTS: &str = "litmoscope-parts.js";

/// Where the repository is.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the repository")
}

/// Builds the site of this repository, the page with the book and the atlas, and puts it where `folder` is.
///
/// # Errors
///
/// If it does not compile, or something that it is made of is missing. What was in the folder is left as it was.
pub fn build(folder: &Path) -> Result<()> {
    let root = root();
    // The tests have a profile of their own, and want what they have compiled already.
    let profile = env::var("LITMOSCOPE_PROFILE").unwrap_or_else(|_| "release".to_owned());
    let features: &[&str] =
        if profile == "release" { &["--package", "litmoscope-pages"] } else { &["--workspace", "--all-features"] };
    let compiled = Command::new("cargo")
        .args(["build", "--profile", &profile, "--quiet", "--locked", "--bin", "pages"])
        .args(features)
        .current_dir(root)
        .status()
        .context("cargo")?;
    ensure!(compiled.success(), "the program that makes the book and the atlas does not compile");
    // Beside this one, as both are of one profile.
    let pages = env::current_exe()?.with_file_name(format!("pages{}", env::consts::EXE_SUFFIX));
    let made = Command::new(&pages).arg(PAGES).current_dir(root).status().context(pages.display().to_string())?;
    ensure!(made.success(), "the book and the atlas were not made");
    build_page(folder)
}

/// Builds the page alone, with the book and the atlas as they were made last, if they ever were.
///
/// # Errors
///
/// If it does not compile, or something that it is made of is missing. What was in the folder is left as it was.
pub fn build_page(folder: &Path) -> Result<()> {
    let root = root();
    let index = fs::read_to_string(root.join("index.html")).context("index.html")?;
    let mut files = Files::default();
    let index = add_styles(&mut files, index, &|name| styles(root, name))?;
    let index = add_module(&mut files, index, module(root)?)?;
    for name in ["start.js", "worker.js", "manifest.webmanifest"] {
        files.add_file(name, &root.join("app").join(name))?;
    }
    files.add_folder("public", &root.join("public"))?;
    if root.join(PAGES).is_dir() {
        files.add_folder("", &root.join(PAGES))?;
    }
    files.add("index.html", index);
    add_service_worker(&mut files)?;
    files.write(folder)
}

/// Makes a version of its own of a built page whose files were changed.
///
/// # Errors
///
/// If it cannot be read or written.
pub fn renew(folder: &Path) -> Result<()> {
    let mut files = Files::default();
    files.add_folder("", folder)?;
    add_service_worker(&mut files)?;
    files.write(folder)
}

fn add_service_worker(files: &mut Files) -> Result<()> {
    const NAME: &str = "service-worker.js";
    let script = fs::read_to_string(root().join("app").join(NAME)).context(NAME)?;
    files.remove(NAME);
    files.add(NAME, files.service_worker(&script));
    Ok(())
}

/// What is made of the page's module, by plain names that the files themselves use: its script, what is loaded first, the script
/// that loads the parts, and the parts.
type Module = BTreeMap<String, Vec<u8>>;

/// Compiles the page's module, cuts it into parts and makes them small, which takes long and is done again only if the compiler
/// made another one.
fn module(root: &Path) -> Result<Module> {
    let built = Command::new("scripts/module.sh").current_dir(root).status().context("scripts/module.sh")?;
    ensure!(built.success(), "the page does not compile");
    let folder = root.join("target/wasm-build");
    let compiled = folder.join(format!("wasm32-unknown-unknown/wasm/{MODULE}.wasm"));
    let [kept_for, large, small] = ["small.for", "large", "small"].map(|name| folder.join(name));
    let compiled = read(&compiled)?;
    let loader = fs::read_to_string(root.join("app/parts.js")).context("parts.js")?;
    let mut made_from = [&compiled, loader.as_bytes(), &include_bytes!("build.rs")[..]].concat();
    for tool in ["optimise.mjs", "toolchain.sh"] {
        made_from.extend(read(&root.join("scripts").join(tool))?);
    }
    let made_from = short_hash(&made_from);
    if fs::read_to_string(&kept_for).ok().as_deref() != Some(&made_from) {
        println!("Making the page smaller (half a minute)");
        // If this ends on the way, what lies there is half of one module and half of another.
        if kept_for.exists() {
            fs::remove_file(&kept_for).with_context(|| kept_for.display().to_string())?;
        }
        for folder in [&large, &small] {
            if folder.exists() {
                fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
            }
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let cut = cut(&compiled, &large)?;
        let (script, first) = bind(&cut.first)?;
        fs::write(large.join(format!("{MODULE}_bg.wasm")), first)?;
        fs::remove_file(&cut.first)?;
        let optimised = Command::new("scripts/optimise.sh")
            .args([&large, &small])
            .current_dir(root)
            .status()
            .context("optimise.sh")?;
        ensure!(optimised.success(), "the page's module was not made small");
        fs::write(small.join(format!("{MODULE}.js")), script)?;
        fs::write(small.join(PARTS), join(&small, &cut, &loader)?)?;
        fs::write(&kept_for, made_from)?;
    }
    let mut module = Module::new();
    for entry in fs::read_dir(&small).with_context(|| small.display().to_string())? {
        let entry = entry?;
        module.insert(entry.file_name().to_string_lossy().into_owned(), read(&entry.path())?);
    }
    Ok(module)
}

/// A module that was cut.
struct Cut {
    /// What is loaded first, before wasm-bindgen has seen it.
    first: PathBuf,
    /// What the other parts use of it, beside functions and data: names with commas.
    shared: String,
    /// The files that each part needs, without endings; last its own, which no other needs.
    parts: BTreeMap<String, Vec<String>>,
}

/// Cuts a module at the functions that it marks, and puts what is loaded first and the parts into a folder.
fn cut(compiled: &[u8], folder: &Path) -> Result<Cut> {
    let first = folder.join("first.wasm");
    let (link, main) = (format!("./{PARTS}"), format!("./{MODULE}.js"));
    let mut options = wasm_split_cli_support::Options::new(compiled);
    (options.output_dir, options.main_out_path) = (folder, &first);
    (options.link_name, options.main_module) = (&link, &main);
    let cut =
        wasm_split_cli_support::transform(options).map_err(|error| anyhow!("the module can't be cut: {error:?}"))?;
    for part in &cut.split_modules {
        fs::write(part, without_custom_sections(&read(part)?)?)?;
    }
    // It would load each file by itself, however many small ones there are.
    let loader = folder.join(PARTS);
    let script = String::from_utf8(read(&loader)?).context("the loader of the parts is no text")?;
    fs::remove_file(&loader)?;
    Ok(Cut { first, shared: shared(&script)?.to_owned(), parts: cut.prefetch_map.into_iter().collect() })
}

/// What parts use of what is loaded first, by the loader that is made with them.
fn shared(loader: &str) -> Result<&str> {
    let names = loader.split_once(" } = initSync(").and_then(|(before, _)| before.rsplit_once("const { "));
    Ok(names.context("the loader of the parts is another one than expected")?.1.trim().trim_end_matches(','))
}

/// What several parts need is a file of its own from this size on, in bytes. What is smaller is in each of them: a request
/// costs more.
const LARGE: usize = 16 * 1024;

/// Puts what is small into the parts that need it, and makes the script that loads them.
fn join(folder: &Path, cut: &Cut, loader: &str) -> Result<String> {
    let file = |name: &str| folder.join(format!("{name}.wasm"));
    let (mut files, mut lines, mut apart) = (String::new(), String::new(), BTreeMap::new());
    for (part, needed) in &cut.parts {
        let Some((own, needed)) = needed.split_last().filter(|(own, _)| **own == format!("split_{part}")) else {
            bail!("the part {part} has no file of its own");
        };
        let mut module = read(&file(own))?;
        for name in needed {
            let content = read(&file(name))?;
            if content.len() < LARGE {
                module.extend(custom_section(name, &content));
            }
            apart.insert(name, content.len());
        }
        let size = module.len();
        fs::write(file(own), module)?;
        let needed: Vec<String> = needed.iter().map(|name| format!("\"{name}\"")).collect();
        lines += &format!(
            "export const __wasm_split_load_{part} = part(\"{part}\", [{}], \"./{own}.wasm\", {size});\n",
            needed.join(", ")
        );
    }
    for (name, size) in apart {
        if size >= LARGE {
            files += &format!("{name}: [\"./{name}.wasm\", {size}], ");
        } else {
            fs::remove_file(file(name))?;
        }
    }
    let shared = &cut.shared;
    Ok(format!(
        "import {{ initSync }} from \"./{MODULE}.js\";\nconst MAIN = ({{ {shared} }}) => ({{ {shared} }});\n\
         const FILES = {{ {files}}};\n{loader}{lines}"
    ))
}

/// A module without what means nothing to who runs it: the names of all functions, in each part.
fn without_custom_sections(module: &[u8]) -> Result<Vec<u8>> {
    const HEAD: usize = 8;
    let mut kept = module.get(..HEAD).context("a part is no module")?.to_vec();
    let mut rest = &module[HEAD..];
    while let Some((&kind, behind)) = rest.split_first() {
        let length = behind.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
        let size = behind.iter().take(length).rev().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f));
        let section = rest.get(..1 + length + size).context("a part ends within a section")?;
        if kind != 0 {
            kept.extend(section);
        }
        rest = &rest[section.len()..];
    }
    Ok(kept)
}

/// A section of a module that means nothing to who runs it.
fn custom_section(name: &str, content: &[u8]) -> Vec<u8> {
    let name = [&leb128(name.len()), name.as_bytes()].concat();
    [&[0][..], &leb128(name.len() + content.len()), &name, content].concat()
}

/// A number as WebAssembly has them.
fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

/// Lets a compiled module be called by the page: its script, and what is left of the module.
fn bind(compiled: &Path) -> Result<(String, Vec<u8>)> {
    let mut bound = Bindgen::new()
        .input_path(compiled)
        .out_name(MODULE)
        .web(true)?
        .typescript(false)
        // A fifth of the module; the cut needs them, nobody else does.
        .remove_name_section(true)
        // The parts put their functions into its table.
        .keep_lld_exports(true)
        .generate_output()
        .with_context(|| format!("wasm-bindgen, on {}", compiled.display()))?;
    // They would have to be among the site's files.
    let scripts = bound.snippets().iter().filter(|(_, scripts)| !scripts.is_empty()).map(|(name, _)| name);
    let scripts: Vec<&String> = scripts.chain(bound.local_modules().keys()).collect();
    ensure!(scripts.is_empty(), "crates bring scripts of their own: {scripts:?}");
    Ok((bound.js().to_owned(), bound.wasm_mut().emit_wasm()))
}

/// Names the module's files after the content of all of them, in the page and in each other as well: parts fit what was made with
/// them and nothing else.
fn add_module(files: &mut Files, index: String, module: Module) -> Result<String> {
    let hash = short_hash(&module.iter().flat_map(|(name, file)| [name.as_bytes(), file]).collect::<Vec<_>>().concat());
    let hashed = |name: &str| match name.strip_prefix(MODULE) {
        // A worker is told how the names of these two begin.
        Some(ending) => format!("{MODULE}-{hash}{ending}"),
        None => name.replacen('.', &format!("-{hash}."), 1),
    };
    let mut index = index;
    for name in [&format!("{MODULE}.js"), &format!("{MODULE}_bg.wasm"), PARTS] {
        ensure!(module.contains_key(name), "the module has no {name}");
        let plain = format!("\"{name}\"");
        ensure!(index.matches(&plain).count() == 1, "index.html should name {plain} once");
        index = index.replace(&plain, &format!("\"{}\"", hashed(name)));
    }
    let names: Vec<String> = module.keys().cloned().collect();
    for (name, mut file) in module {
        if name.ends_with(".js") {
            let mut script = String::from_utf8(file).with_context(|| name.clone())?;
            for other in &names {
                // A script is imported, a part fetched. The module itself knows the script of the parts by its plain name.
                let before = if other.ends_with(".js") { "from " } else { "" };
                let named = |name: &str| format!("{before}\"./{name}\"");
                script = script.replace(&named(other), &named(&hashed(other)));
            }
            file = script.into_bytes();
        }
        files.add(hashed(&name), file);
    }
    Ok(index)
}

/// The style sheets of a name in which a star stands for any folder, or as `*.css` for any of them; in the order of their names.
fn styles(root: &Path, name: &str) -> Result<String> {
    let mut found = vec![root.to_owned()];
    for step in name.split('/') {
        let mut next = Vec::new();
        for path in found {
            if step.starts_with('*') {
                let entries = fs::read_dir(&path).with_context(|| path.display().to_string())?;
                let mut inner = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
                inner.retain(
                    |path| if step == "*" { path.is_dir() } else { path.to_string_lossy().ends_with(&step[1..]) },
                );
                inner.sort();
                next.extend(inner);
            } else {
                next.push(path.join(step));
            }
        }
        found = next;
    }
    ensure!(!found.is_empty(), "there is no style sheet {name}");
    let sheets = found.iter().map(|path| fs::read_to_string(path).with_context(|| path.display().to_string()));
    sheets.collect()
}

/// Makes one style sheet of those that the page names, in their order, since nothing can be shown before the last is there.
fn add_styles(files: &mut Files, index: String, read: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    const LINK: &str = "<link rel=\"stylesheet\" href=\"";
    let (mut style, mut lines) = (String::new(), Vec::new());
    let mut place = None;
    for line in index.lines() {
        let Some(rest) = line.strip_prefix(LINK) else {
            lines.push(line.to_owned());
            continue;
        };
        let Some(sheet) = rest.strip_suffix("\">") else { bail!("index.html: what is this style sheet? {line}") };
        if place.is_none() {
            place = Some(lines.len());
            lines.push(String::new());
        }
        style += &read(sheet)?;
    }
    let place = place.context("index.html names no style sheet")?;
    let name = format!("style-{}.css", short_hash(style.as_bytes()));
    lines[place] = format!("{LINK}{name}\">");
    files.add(name, style);
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheets(sheet: &str) -> Result<String> {
        match sheet {
            "a.css" => Ok("a {}\n".to_owned()),
            "b.css" => Ok("b {}\n".to_owned()),
            _ => bail!("{sheet} is missing"),
        }
    }

    #[test]
    fn style_sheets_become_one() {
        let mut files = Files::default();
        let link = |name: &str| format!("<link rel=\"stylesheet\" href=\"{name}\">\n");
        let index = format!("<head>\n{}<title>\n{}</head>\n", link("a.css"), link("b.css"));
        let index = add_styles(&mut files, index, &sheets).expect("both are there");
        let name = format!("style-{}.css", short_hash(b"a {}\nb {}\n"));
        assert_eq!(index, format!("<head>\n{}<title>\n</head>\n", link(&name)));
        assert!(add_styles(&mut files, link("c.css"), &sheets).is_err());
        assert!(add_styles(&mut files, "<head>".to_owned(), &sheets).is_err());
    }

    #[test]
    fn a_folder_brings_its_style_sheets() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in
            [("labs/b/style.css", "b"), ("labs/a/z.css", "z"), ("labs/a/c.css", "c"), ("labs/a/d.rs", "d")]
        {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        fs::write(root.path().join("labs/no.css"), "no").expect("a file");
        assert_eq!(styles(root.path(), "labs/*/*.css").expect("they are there"), "czb");
        assert_eq!(styles(root.path(), "labs/b/style.css").expect("it is there"), "b");
        assert!(styles(root.path(), "labs/*/*.txt").is_err() && styles(root.path(), "labs/c/style.css").is_err());
    }

    #[test]
    fn a_module_is_named_after_its_content() {
        let script = "import * as parts from \"./litmoscope-parts.js\"; { \"./litmoscope-parts.js\": parts }";
        let loader = "import { a } from \"./litmoscope-app.js\"; fetch(\"./split_a.wasm\")";
        let named = |part: &str| {
            let made = [
                ("litmoscope-app.js", script),
                ("litmoscope-app_bg.wasm", "first"),
                ("litmoscope-parts.js", loader),
                ("split_a.wasm", part),
            ];
            let module: Module = made.map(|(name, file)| (name.to_owned(), file.as_bytes().to_vec())).into();
            let mut files = Files::default();
            let index = "\"litmoscope-app.js\" \"litmoscope-app_bg.wasm\" \"litmoscope-parts.js\"".to_owned();
            let index = add_module(&mut files, index, module).expect("all are named");
            (index, files)
        };
        let (index, files) = named("1");
        let hash = index.split(['-', '.']).nth(2).expect("it is in the first name").to_owned();
        let app = format!("litmoscope-app-{hash}");
        assert_eq!(index, format!("\"{app}.js\" \"{app}_bg.wasm\" \"litmoscope-parts-{hash}.js\""));
        let text = |name: String| String::from_utf8_lossy(files.get(&name).expect("it is there")).into_owned();
        assert_eq!(
            text(format!("{app}.js")),
            format!("import * as parts from \"./litmoscope-parts-{hash}.js\"; {{ \"./litmoscope-parts.js\": parts }}")
        );
        assert_eq!(
            text(format!("litmoscope-parts-{hash}.js")),
            format!("import {{ a }} from \"./{app}.js\"; fetch(\"./split_a-{hash}.wasm\")")
        );
        assert_eq!(text(format!("split_a-{hash}.wasm")), "1");
        assert_ne!(named("2").0, index);
        assert!(add_module(&mut Files::default(), String::new(), Module::new()).is_err());
    }

    #[test]
    fn what_is_small_is_in_each_part_that_needs_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = |name: &str| folder.path().join(name);
        let large = vec![7; LARGE];
        for (name, content) in
            [("split_a.wasm", &b"a"[..]), ("split_b.wasm", b"b"), ("chunk_1.wasm", &large), ("chunk_2.wasm", b"two")]
        {
            fs::write(file(name), content).expect("it can be written");
        }
        let parts = [("a", vec!["chunk_1", "chunk_2", "split_a"]), ("b", vec!["chunk_2", "split_b"])];
        let parts = parts.map(|(part, files)| (part.to_owned(), files.into_iter().map(str::to_owned).collect())).into();
        let cut = Cut { first: PathBuf::new(), shared: "memory".to_owned(), parts };
        let script = join(folder.path(), &cut, "// loads\n").expect("all are there");
        let size = 1 + b"\0\x0b\x07chunk_2two".len();
        assert_eq!(
            script,
            format!(
                "import {{ initSync }} from \"./litmoscope-app.js\";\nconst MAIN = ({{ memory }}) => ({{ memory }});\n\
                 const FILES = {{ chunk_1: [\"./chunk_1.wasm\", {LARGE}], }};\n// loads\n\
                 export const __wasm_split_load_a = part(\"a\", [\"chunk_1\", \"chunk_2\"], \"./split_a.wasm\", {size});\n\
                 export const __wasm_split_load_b = part(\"b\", [\"chunk_2\"], \"./split_b.wasm\", {size});\n"
            )
        );
        let section = b"\0\x0b\x07chunk_2two";
        assert_eq!(fs::read(file("split_a.wasm")).expect("it is there"), [b"a", &section[..]].concat());
        assert_eq!(fs::read(file("split_b.wasm")).expect("it is there"), [b"b", &section[..]].concat());
        assert!(file("chunk_1.wasm").exists() && !file("chunk_2.wasm").exists());
        assert_eq!(leb128(300), [0xac, 0x02]);
        let module = [b"\0asm\x01\0\0\0", &[10, 1, 5][..]].concat();
        let named = [&module, &custom_section("name", &large)[..], &[11, 0]].concat();
        assert_eq!(without_custom_sections(&named).expect("it is one"), [&module[..], &[11, 0]].concat());
        assert!(without_custom_sections(&named[..20]).is_err() && without_custom_sections(b"").is_err());
        let without = Cut { parts: [("c".to_owned(), Vec::new())].into(), ..cut };
        assert!(join(folder.path(), &without, "").is_err());
    }

    #[test]
    fn what_parts_share_is_read_from_the_loader() {
        let loader =
            "x = { };\n        const { __indirect_function_table, memory,  } = initSync(undefined, undefined);";
        assert_eq!(shared(loader).expect("it is there"), "__indirect_function_table, memory");
        assert!(shared("").is_err());
    }
}
