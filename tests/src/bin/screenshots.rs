//! Takes pictures of the built page, for people who judge how it looks:
//! `make screenshots`, or `screenshots FOLDER [SCENE ...]` with LITMOSCOPE_SITE set.

use std::error::Error;
use std::path::PathBuf;

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::scenes::{scenes, still};
use litmoscope_tests::site;

/// A laptop, a projector and a telephone.
const SIZES: [(u32, u32); 3] = [(1280, 800), (1920, 1080), (390, 844)];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: screenshots FOLDER [SCENE ...]")?);
    let wanted: Vec<_> = arguments.collect();
    std::fs::create_dir_all(&folder)?;

    let site = site::serve("/");
    let browser = Browser::without_service_workers().await;
    for scene in scenes() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == scene.name) {
            continue;
        }
        for (width, height) in SIZES {
            browser.resize(width, height).await;
            browser.prefer(ColorScheme::Light).await;
            scene.show(&browser, &site).await;
            // The page follows the preference at once.
            for (scheme, color) in [(ColorScheme::Light, "light"), (ColorScheme::Dark, "dark")] {
                browser.prefer(scheme).await;
                still(&browser).await;
                let file = folder.join(format!("{}-{width}x{height}-{color}.png", scene.name));
                browser.save_screenshot(&file).await?;
                println!("{}", file.display());
            }
        }
    }
    Ok(())
}
