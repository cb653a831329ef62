//! From the sources to the page.

use crate::files::{Files, short_hash};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

/// The page's module as cargo names it, and wasm-bindgen after it.
const MODULE: &str = "litmoscope-app";

/// Where the repository is.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the repository")
}

/// Builds the page of this repository and puts it where `folder` is.
///
/// # Errors
///
/// If it does not compile, or something that it is made of is missing. What was in the folder is left as it was.
pub fn build(folder: &Path) -> Result<()> {
    let root = root();
    let index = fs::read_to_string(root.join("index.html")).context("index.html")?;
    let mut files = Files::default();
    let index =
        add_styles(&mut files, index, &|sheet| fs::read_to_string(root.join(sheet)).with_context(|| sheet.to_owned()))?;
    let index = add_module(&mut files, index, module(root)?)?;
    for name in ["start.js", "worker.js", "manifest.webmanifest"] {
        files.add_file(name, &root.join("app").join(name))?;
    }
    files.add_folder("public", &root.join("public"))?;
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

/// A script and the WebAssembly that it starts.
struct Module {
    script: Vec<u8>,
    wasm: Vec<u8>,
}

/// Compiles the page's module and makes it small, which takes long and is done again only if the compiler made another one.
fn module(root: &Path) -> Result<Module> {
    let built = Command::new("scripts/wasm.sh")
        .args(["cargo", "build", "--locked", "--quiet", "--profile", "wasm", "--target", "wasm32-unknown-unknown"])
        .args(["--package", MODULE, "--bin", MODULE])
        .current_dir(root)
        .status()
        .context("scripts/wasm.sh")?;
    ensure!(built.success(), "the page does not compile");
    let folder = root.join("target/wasm-build");
    let compiled = folder.join(format!("wasm32-unknown-unknown/wasm/{MODULE}.wasm"));
    let [kept_for, script, large, small] =
        ["small.for", "small.js", "large.wasm", "small.wasm"].map(|name| folder.join(name));
    let mut made_from = read(&compiled)?;
    for tool in ["optimise.sh", "toolchain.sh"] {
        made_from.extend(read(&root.join("scripts").join(tool))?);
    }
    let made_from = short_hash(&made_from);
    if fs::read_to_string(&kept_for).ok().as_deref() != Some(&made_from) {
        // If this ends on the way, what lies there is half of one module and half of another.
        if kept_for.exists() {
            fs::remove_file(&kept_for).with_context(|| kept_for.display().to_string())?;
        }
        fs::write(&large, bind(&compiled, &script)?).with_context(|| large.display().to_string())?;
        let optimised = Command::new("scripts/optimise.sh")
            .args([&large, &small])
            .current_dir(root)
            .status()
            .context("optimise.sh")?;
        ensure!(optimised.success(), "the page's module was not made small");
        fs::write(&kept_for, made_from)?;
    }
    Ok(Module { script: read(&script)?, wasm: read(&small)? })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

/// Lets a compiled module be called by the page: writes its script, and returns what is left of the module.
fn bind(compiled: &Path, script: &Path) -> Result<Vec<u8>> {
    let mut bound = Bindgen::new()
        .input_path(compiled)
        .out_name(MODULE)
        .web(true)?
        .typescript(false)
        .generate_output()
        .with_context(|| format!("wasm-bindgen, on {}", compiled.display()))?;
    // They would have to be among the site's files.
    let scripts = bound.snippets().iter().filter(|(_, scripts)| !scripts.is_empty()).map(|(name, _)| name);
    let scripts: Vec<&String> = scripts.chain(bound.local_modules().keys()).collect();
    ensure!(scripts.is_empty(), "crates bring scripts of their own: {scripts:?}");
    fs::write(script, bound.js()).with_context(|| script.display().to_string())?;
    Ok(bound.wasm_mut().emit_wasm())
}

/// Names the module's two files after their content, in the page as well.
fn add_module(files: &mut Files, index: String, module: Module) -> Result<String> {
    let hash = short_hash(&[&module.script[..], &module.wasm].concat());
    let mut index = index;
    for (ending, content) in [(".js", module.script), ("_bg.wasm", module.wasm)] {
        let (plain, hashed) = (format!("\"{MODULE}{ending}\""), format!("{MODULE}-{hash}{ending}"));
        ensure!(index.matches(&plain).count() == 1, "index.html should name {plain} once");
        index = index.replace(&plain, &format!("\"{hashed}\""));
        files.add(hashed, content);
    }
    Ok(index)
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
    fn a_module_is_named_after_its_content() {
        let module = |wasm: &[u8]| Module { script: b"start".to_vec(), wasm: wasm.to_owned() };
        let index = "\"litmoscope-app.js\" \"litmoscope-app_bg.wasm\"".to_owned();
        let named = |wasm| add_module(&mut Files::default(), index.clone(), module(wasm)).expect("both are named");
        let hash = short_hash(b"start1");
        assert_eq!(named(b"1"), format!("\"litmoscope-app-{hash}.js\" \"litmoscope-app-{hash}_bg.wasm\""));
        assert_ne!(named(b"1"), named(b"2"));
        assert!(add_module(&mut Files::default(), String::new(), module(b"1")).is_err());
    }
}
