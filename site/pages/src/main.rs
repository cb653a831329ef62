//! `pages FOLDER` puts the book and the atlas into a folder, in the place of what was there.

use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}.");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder] = &arguments[..] else { bail!("say where to put them: 'pages FOLDER'") };
    let folder = Path::new(folder);
    let files = litmoscope_pages::make()?;
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
