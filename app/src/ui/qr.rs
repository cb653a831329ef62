//! QR codes, so that a room can open what the projector shows.

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

/// Larger codes are more than a camera can read from the back of a room: 141 by 141 dots, 1,732 characters.
const LARGEST: u8 = 30;
/// The white space around that readers need, in dots.
const QUIET: i32 = 4;

/// A code to be painted black on white.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Dots a side, with the white space.
    pub size: i32,
    /// The black ones as the data of an SVG path.
    pub path: String,
}

/// The code of a text; `None` if the text is too long. Linear in its size.
pub fn code(text: &str) -> Option<Code> {
    let segments = QrSegment::make_segments(text);
    let largest = Version::new(LARGEST);
    // As robust as there is room for.
    let code = QrCode::encode_segments_advanced(&segments, QrCodeEcc::Low, Version::MIN, largest, None, true).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let length = (x..code.size()).take_while(|&x| code.get_module(x, y)).count() as i32;
            if length > 0 {
                path += &format!("M{} {}h{length}v1h-{length}z", x + QUIET, y + QUIET);
            }
            x += length.max(1);
        }
    }
    Some(Code { size: code.size() + 2 * QUIET, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_have_no_code() {
        assert!(code(&"a".repeat(1732)).is_some());
        assert_eq!(code(&"a".repeat(1733)), None);
    }

    #[test]
    fn a_code_has_white_around_it() {
        let code = code("https://example.org/#1.abc").expect("it is short");
        assert!(code.size >= 21 + 8);
        assert!(code.path.starts_with("M4 4h7v1h-7z"), "{}", code.path);
    }
}
