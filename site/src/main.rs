//! `site build` makes the site in `dist/`; `site serve [PORT]` makes the page, serves it, makes the rest, and all again when a file
//! changes.

use anyhow::{Context, Result, bail};
use litmoscope_site::build::{build, build_page, root};
use litmoscope_site::server::Server;
use litmoscope_site::watch::Changes;
use std::env;
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
    let dist = root().join("dist");
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["build"] => build(&dist),
        ["serve", rest @ ..] => {
            let port = match rest {
                [] => 8080,
                [port] => port.parse().with_context(|| format!("{port} is no port: a number up to 65535 is"))?,
                _ => bail!("one port is enough"),
            };
            // First of all: whoever has the port already is told before minutes of building.
            let server = Server::bind(port).with_context(|| {
                format!(
                    "port {port} is not free: end the program that has it, or choose another with 'make run PORT=8081'"
                )
            })?;
            println!("Building the page (half a minute, or 4 where all of it is compiled anew)");
            // What changes while it is built counts, too.
            let changes = Changes::watch()?;
            build_page(&dist)?;
            let site = server.serve("/", &dist)?;
            println!("Litmoscope is at {}", site.url());
            println!("Making the book and the atlas (minutes the first time)");
            loop {
                match build(&dist) {
                    Ok(()) => println!("Made the book and the atlas"),
                    Err(error) => eprintln!("{error:#}. They are still those before."),
                }
                changes.wait();
                println!("Building the page again");
                match build_page(&dist) {
                    Ok(()) => println!("Built: load the page again"),
                    Err(error) => eprintln!("{error:#}. The page is still the one before."),
                }
            }
        }
        _ => bail!("say what to do: 'site build', or 'site serve 8080'"),
    }
}
