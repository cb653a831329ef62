//! Takes pictures of the built page, for people who judge how it looks:
//! `make screenshots`, or `screenshots FOLDER [SCENE | SIZE | THEME ...]` with LITMOSCOPE_SITE set. What is named is taken: all
//! scenes, sizes (`1280x800`) and themes (`light`, `dark`, `high-contrast`) where none is.

use std::error::Error;
use std::path::PathBuf;

use litmoscope_tests::browser::{Browser, ColorScheme};
use litmoscope_tests::scenes::{scenes, still};
use litmoscope_tests::site;

/// A laptop, a projector, a telephone, one on its side, and a laptop at twice the size.
const SIZES: [(u32, u32); 5] = [(1280, 800), (1920, 1080), (390, 844), (844, 390), (640, 400)];
/// Those that the page takes from the system at once.
const SCHEMES: [(ColorScheme, &str); 2] = [(ColorScheme::Light, "light"), (ColorScheme::Dark, "dark")];
/// What only a reader chooses, and how the page keeps it.
const CONTRAST: (&str, &str) = ("high-contrast", r#"{"theme":"contrast"}"#);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "usage: screenshots FOLDER [SCENE | SIZE | THEME ...]";
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let named: Vec<_> = arguments.collect();
    // Of a kind of which none is named, all are wanted.
    let wanted = |kind: &[String]| -> Vec<String> {
        let some: Vec<_> = kind.iter().filter(|name| named.contains(name)).cloned().collect();
        if some.is_empty() { kind.to_vec() } else { some }
    };
    let scenes = scenes();
    let names = scenes.iter().map(|scene| scene.name.to_owned()).collect::<Vec<_>>();
    let sizes = SIZES.map(|(width, height)| format!("{width}x{height}"));
    let themes = ["light", "dark", CONTRAST.0].map(str::to_owned);
    let known = |name: &String| names.contains(name) || sizes.contains(name) || themes.contains(name);
    if let Some(unknown) = named.iter().find(|name| !known(name)) {
        return Err(format!("{unknown} is no scene, no size and no theme\n{USAGE}").into());
    }
    let (names, sizes, themes) = (wanted(&names), wanted(&sizes), wanted(&themes));
    std::fs::create_dir_all(&folder)?;

    let site = site::serve("/");
    let browser = Browser::without_service_workers().await;
    let save = async |scene: &str, size: &str, theme: &str| {
        still(&browser).await;
        let file = folder.join(format!("{scene}-{size}-{theme}.png"));
        browser.save_screenshot(&file).await?;
        println!("{}", file.display());
        Ok::<_, std::io::Error>(())
    };
    for scene in scenes.iter().filter(|scene| names.iter().any(|name| name == scene.name)) {
        for ((width, height), size) in SIZES.iter().map(|of| (of, format!("{}x{}", of.0, of.1))) {
            if !sizes.contains(&size) {
                continue;
            }
            browser.resize(*width, *height).await;
            let schemes = || SCHEMES.iter().filter(|(_, name)| themes.iter().any(|theme| theme == name));
            if let Some((first, _)) = schemes().next() {
                browser.prefer(*first).await;
                scene.show(&browser, &site).await;
            }
            for (scheme, name) in schemes() {
                browser.prefer(*scheme).await;
                save(scene.name, &size, name).await?;
            }
            if themes.iter().any(|theme| theme == CONTRAST.0) {
                scene.show_with(&browser, &site, CONTRAST.1).await;
                save(scene.name, &size, CONTRAST.0).await?;
            }
        }
    }
    Ok(())
}
