//! Takes pictures of the built page, for people who judge how it looks:
//! `make screenshots`, or `screenshots FOLDER` with LITMOSCOPE_SITE set.

use std::error::Error;
use std::path::PathBuf;

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::site::Site;

/// A laptop, a projector and a telephone.
const SIZES: [(u32, u32); 3] = [(1280, 800), (1920, 1080), (390, 844)];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: screenshots FOLDER")?);
    std::fs::create_dir_all(&folder)?;

    let site = Site::serve("/");
    let browser = Browser::start().await;
    for (scheme, name) in [(ColorScheme::Light, "light"), (ColorScheme::Dark, "dark")] {
        browser.prefer(scheme).await;
        for (width, height) in SIZES {
            browser.resize(width, height).await;
            browser.goto(site.url()).await?;
            browser.settled().await;
            // Into the middle of the first exploration: an empty graph shows little.
            browser.script("document.querySelector('#next-execution').click()", vec![]).await;
            browser.settled().await;
            let file = folder.join(format!("{width}x{height}-{name}.png"));
            browser.save_screenshot(&file).await?;
            println!("{}", file.display());
        }
    }
    Ok(())
}
