//! What is done with hostile input: for the fuzzer (`fuzz/`) and for the tests, which repeat what it found.
//!
//! Each function takes any bytes and has to come back soon, without a panic, whatever they are.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use litmoscope::explore::Options;
use litmoscope::generate::{Dialect, generate};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Notation};
use litmoscope::session::link::Linked;
use litmoscope::session::{Asked, LinkError, Session, Settings, ViewRequest, link};
use litmoscope::syntax::{self, highlight};

/// What is done with some bytes.
pub type Target = fn(&[u8]);

/// The targets of the fuzzer by name.
pub const TARGETS: [(&str, Target); 6] =
    [("litmoscope", litmoscope), ("c11", c11), ("x86", x86), ("cycle", cycle), ("link", self::link), ("json", json)];

/// A program in our notation.
pub fn litmoscope(bytes: &[u8]) {
    text(&[Notation::Litmoscope], bytes);
}

/// A program in herd's C.
pub fn c11(bytes: &[u8]) {
    text(&[Notation::C11], bytes);
}

/// A program in either of herd's x86 dialects.
pub fn x86(bytes: &[u8]) {
    text(&[Notation::X86, Notation::X86_64], bytes);
}

/// A cycle to make a test from.
pub fn cycle(bytes: &[u8]) {
    let cycle = String::from_utf8_lossy(bytes);
    for notation in [Notation::Litmoscope, Notation::C11, Notation::X86, Notation::X86_64] {
        match generate(&cycle, Dialect::from(notation)) {
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "a refusal says why");
                syntax::render(&cycle, "fuzz", &diagnostics);
            }
            Ok(generated) => {
                let parsed = syntax::parse_as(notation, &generated.text);
                assert!(parsed.is_ok(), "{}", generated.text);
            }
        }
    }
}

/// The fragment of an address.
pub fn link(bytes: &[u8]) {
    open(&String::from_utf8_lossy(bytes));
}

/// What a link holds before it is packed.
pub fn json(bytes: &[u8]) {
    let packed = miniz_oxide::deflate::compress_to_vec(bytes, 1);
    let packed = URL_SAFE_NO_PAD.encode(packed);
    open(&format!("#1.{packed}"));
    open(&format!("#2.{packed}"));
    open(&format!("#3.{packed}"));
}

fn open(address: &str) {
    let opened = link::open(address);
    let again = match &opened {
        Ok(Linked::Session(settings)) => link::open(&link::encode(settings)),
        Ok(Linked::Script(script)) => link::encode_script(script).and_then(|link| link::open(&link)),
        Ok(Linked::Pair(pair)) => link::encode_pair(pair).and_then(|link| link::open(&link)),
        Err(_) => return,
    };
    // What is written once where it was read may take more room.
    if again == Err(LinkError::TooLarge) {
        return;
    }
    assert_eq!(again, opened, "a link opens as it was made");
    match opened {
        Ok(Linked::Session(settings)) => step(settings, 20),
        Ok(Linked::Script(script)) => {
            for scene in script.scenes.into_iter().take(3) {
                if let Some(question) = &scene.question {
                    let _ = Asked::new(&scene.settings.text, question.outcome.as_deref(), scene.settings.model);
                }
                step(scene.settings, 20);
            }
        }
        Ok(Linked::Pair(pair)) => [pair.left, pair.right].into_iter().for_each(|settings| step(settings, 20)),
        Err(_) => {}
    }
}

fn text(notations: &[Notation], bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = syntax::detect(&text);
    for &notation in notations {
        highlight(&text, notation);
        match syntax::parse_as(notation, &text) {
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "a refusal says why");
                syntax::render(&text, "fuzz", &diagnostics);
            }
            Ok(parsed) => {
                syntax::render(&text, "fuzz", &parsed.notes);
                if let Ok(printed) = syntax::print(&parsed.program, notation) {
                    let again = syntax::parse_as(notation, &printed).map(|parsed| parsed.program);
                    let again = again.unwrap_or_else(|refusals| panic!("printed:\n{printed}\n{refusals:#?}"));
                    assert_eq!(syntax::print(&again, notation), Ok(printed));
                }
                if Code::compile(&parsed.program).is_ok() {
                    step(Settings { text: text.clone().into_owned(), ..Settings::default() }, 200);
                }
            }
        }
    }
}

/// Some steps under the weakest and the strongest model, and a look at what they led to.
fn step(settings: Settings, steps: u64) {
    for model in [Model::Sc, Model::Rc11] {
        let limits = Limits { local_steps: 1000, ..settings.options.limits };
        let options = Options { limits, ..settings.options };
        let Ok(mut session) = Session::open(Settings { model, options, position: 0, ..settings.clone() }) else {
            return;
        };
        session.run(steps);
        session.view(&ViewRequest::default());
    }
}
