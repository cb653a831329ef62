//! Links: what was shared once opens for ever, and nothing that is no link does harm.

use litmoscope::explore::{Algorithm, Options};
use litmoscope::graph::RelationName;
use litmoscope::model::Model;
use litmoscope::program::Limits;
use litmoscope::session::link::{Linked, decode, encode, encode_lab, encode_pair, encode_script, open};
use litmoscope::session::script::{MAX_SCENES, Scene, SceneLab, SceneQuestion, Script};
use litmoscope::session::{LabPlace, LinkError, Pair, Session, Settings, ViewRequest};
use proptest::prelude::*;
use serde_json::json;

fn settings() -> impl Strategy<Value = Settings> {
    let text = prop_oneof![".*", "[xyz] := [0-9]( \\|\\| [abc] := [xyz])*"];
    let model = proptest::sample::select(&Model::ALL[..]);
    let algorithm = proptest::sample::select(&Algorithm::ALL[..]);
    let bounds = (proptest::option::of(any::<u32>()), proptest::option::of(any::<u32>()));
    let options = (1..=1000u32, any::<[bool; 7]>(), bounds).prop_map(|(unroll, switches, (preemptions, contexts))| {
        let [stop_at_first, no_races, stuck_loops, spurious, unroll_spins, leave_out_waits, symmetry] = switches;
        let limits = Limits { unroll, unroll_spins, ..Limits::default() };
        let options = Options { limits, stop_at_first, no_races, stuck_loops, spurious, ..Options::default() };
        Options { leave_out_waits, symmetry, preemptions, contexts, ..options }
    });
    let numbers = [(); 4].map(|()| proptest::option::of(0..10u32));
    (text, model, algorithm, options, numbers, any::<u64>()).prop_map(
        |(text, model, algorithm, options, numbers, position)| {
            let algorithm = if algorithm.knows(model) { algorithm } else { Algorithm::default() };
            let valid = options.validate_for(algorithm, model).is_ok();
            let options = if valid { options } else { options.without_reductions() };
            let mut options = options.heeded_by(algorithm);
            for (place, parameter) in algorithm.definition().parameters.iter().enumerate() {
                options
                    .parameters
                    .choose(place, numbers[place].filter(|n| (parameter.least..=parameter.most).contains(n)));
            }
            Settings { text, model, algorithm, options, position }
        },
    )
}

fn scene() -> impl Strategy<Value = Scene> {
    let relations = || proptest::sample::subsequence(&RelationName::ALL[..], 0..=RelationName::ALL.len());
    let outcome = proptest::option::of(proptest::option::of(".{1,40}"));
    let point = proptest::option::of("(P[0-9]{1,3}\\.[0-9]{1,3}|init [xyz])");
    let place = (any::<u32>(), ".{0,40}").prop_map(|(step, words)| json!({ "step": step, "at": [0.5, null, words] }));
    let lab = ("[a-z]{1,20}", proptest::option::of(place)).prop_map(|(name, place)| SceneLab { name, place });
    let lab = proptest::option::of(lab);
    (settings(), ".{0,80}", proptest::option::of(relations()), relations(), point, outcome, lab).prop_map(
        |(settings, note, show, highlight, point, outcome, lab)| {
            let question = outcome.map(|outcome| SceneQuestion { outcome });
            Scene { settings, note, show, highlight, point, question, lab }
        },
    )
}

fn script() -> impl Strategy<Value = Script> {
    (".{0,40}", "(.|\n){0,60}", proptest::collection::vec(scene(), 0..6)).prop_map(|(title, about, scenes)| Script {
        title,
        about,
        scenes,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn scenes_open_as_they_were_made(script in script()) {
        let link = encode_script(&script).expect("it is short");
        prop_assert!(link.starts_with("#2."));
        prop_assert_eq!(open(&link), Ok(Linked::Script(script.clone())));
        prop_assert_eq!(decode(&link), Err(LinkError::NoSession));
        prop_assert_eq!(Script::read(&script.write()), Ok(script));
    }

    #[test]
    fn damaged_scenes_are_refused_or_opened(script in script(), at in any::<prop::sample::Index>(), byte in 0..128u8) {
        let link = encode_script(&script).expect("it is short");
        let at = at.index(link.len());
        let _ = open(&link[..at]);
        let mut changed = link.into_bytes();
        changed[at] = byte;
        let _ = open(&String::from_utf8(changed).expect("ASCII"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_link_opens_as_it_was_made(settings in settings()) {
        let link = encode(&settings);
        prop_assert!(link.starts_with("#1."));
        prop_assert!(link[3..].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        prop_assert_eq!(decode(&link), Ok(settings.clone()));
        prop_assert_eq!(decode(&format!("https://example.org/a/b/index.html?x{link}")), Ok(settings));
    }

    #[test]
    fn a_pair_opens_as_it_was_made(left in settings(), right in settings(), same: bool, together: bool) {
        let text = if same || right.text.is_empty() { left.text.clone() } else { right.text.clone() };
        let pair = Pair { left, right: Settings { text, ..right }, together };
        let link = encode_pair(&pair).expect("it is short");
        prop_assert!(link.starts_with("#3."));
        prop_assert_eq!(decode(&link), Err(LinkError::NoSession));
        prop_assert_eq!(open(&link), Ok(Linked::Pair(Box::new(pair))));
    }

    #[test]
    fn a_labs_place_opens_as_it_was_made(settings in settings(), lab in "[a-z]{1,20}", step in any::<u32>(), words in ".{0,40}") {
        let place = json!({ "step": step, "words": [words], "at": [0.5, null] });
        let shown = LabPlace { settings, lab, place };
        let link = encode_lab(&shown).expect("it is short");
        prop_assert!(link.starts_with("#4."));
        prop_assert_eq!(decode(&link), Err(LinkError::NoSession));
        prop_assert_eq!(open(&link), Ok(Linked::Lab(Box::new(shown))));
    }

    #[test]
    fn anything_is_refused_or_opened(text in ".*") {
        let _ = decode(&text);
        let _ = decode(&format!("#1.{text}"));
        let _ = open(&format!("#2.{text}"));
        let _ = open(&format!("#3.{text}"));
        let _ = open(&format!("#4.{text}"));
        let _ = Script::read(&text);
    }

    /// Bytes changed, lost or cut give another session or a message, never a panic.
    #[test]
    fn damaged_links_are_refused_or_opened(settings in settings(), at in any::<prop::sample::Index>(), byte in 0..128u8) {
        let link = encode(&settings);
        let at = at.index(link.len());
        let _ = decode(&link[..at]);
        let mut changed = link.into_bytes();
        changed[at] = byte;
        let _ = decode(&String::from_utf8(changed).expect("ASCII"));
    }
}

/// A text of 40 lines, as long as they get on slides.
fn forty_lines() -> String {
    let mut text = "name MP with a twist\nshared data, flag, turn[4]\n".to_owned();
    for thread in 0..3 {
        for line in 0..11 {
            text +=
                &format!("  r{line} :=acq turn[{}]; if r{line} = {thread} {{ data :=rel {} }}\n", line % 4, line * 7);
        }
        text += "||\n";
    }
    text + "  fence sc; flag :=sc 1\n\nexists (P0:r1 = 1 /\\ P1:r2 = 0 /\\ data = 7)\n"
}

#[test]
fn a_link_of_forty_lines_is_short() {
    let text = forty_lines();
    assert_eq!(text.lines().count(), 41);
    Session::open(Settings { text: text.clone(), ..Settings::default() }).expect("a program");
    let link = encode(&Settings { text, model: Model::RC11, position: 123_456, ..Settings::default() });
    assert!(link.len() < 1500, "{} characters", link.len());
}

/// Links of version 1 as they were made when it was published, each with where it leads. They have to open for ever.
#[rustfmt::skip]
const KEPT: [(&str, Model, u64, &str, &str); 4] = [
    ("#1.PcyxCoAgFIXhVznc1YZqy_AlWlxcJIwavAQJGdm7d2tw--Ac_psSaWIfA041WWUdZ2iDDqXAf8ojtkVo0CKtgXHV_X_2jqmhKJVjFuykh-cF", Model::SC, 9, "take revisit", "[x=0] W(x,1) R(x,2) W(y,1) W(x,2)"),
    ("#1.AUAAv_97InQiOiJuYW1lIEZBSTJcbmEgOj0gZmFpKHgpIHx8IGIgOj0gZmFpKHgpXG4iLCJtIjoicmMxMSIsInAiOjl9", Model::RC11, 9, "drop", "[x=0] U(x,0→1) U(x,0→1)"),
    ("#1.HYxBCoAgEEWv8plVQVBCK8UjBB1gNgYuWjgFulCyu6et3oP_eQ8l0iQueGw7S4a2UAblJ2qF61YMjs7M4vMZU8Tg0A8zc1sslpGFJgqtleLV7Cat1vcD", Model::TSO, 14, "choose source", "[x=0] [y=0] W(x,1) W(y,1) R(y,1) R(x,1)"),
    ("#1.pZA9C8IwEIb_ypGplYKJY6WL_gHBNRBKe0MgH-WSISH0v5sKRRcddHvvuOd4eAuLrGdXuF-kK6t0N96M0Vs9Ke3iAVIH72NuoUgH-y5ET6gwLUZPOjb1WHRg0XrKytOMpAjNmHBuzxtVXwBxGHbc-HF-0fkzunmJ373yX17pqxcmHWKAhvfEBw5HKUE8Yysd65it5dIkRI0L68VpfQA", Model::RC11, 12, "take revisit", "[x=0] [y=0] W(x,1) R(y,1) W(y,1) R(x,1)"),
];

#[test]
fn kept_links_open() {
    for (link, model, position, step, state) in KEPT {
        let settings = decode(link).unwrap_or_else(|error| panic!("{error}: {link}"));
        assert_eq!((settings.model, settings.position), (model, position), "{link}");
        let mut session = Session::open(settings).expect("a kept link holds a program");
        assert!(session.go_to(position, u64::MAX));
        let view = session.view(&ViewRequest::default());
        assert_eq!((view.position, view.step_name.as_str()), (position, step), "{link}");
        let labels: Vec<_> = view.drawing.nodes.iter().map(|node| node.label.as_str()).collect();
        assert_eq!(labels.join(" "), state, "{link}");
        assert_eq!(session.link(), link, "made anew, it is the same");
    }
}

/// A link of version 2 from when it was published.
const KEPT_SCENES: &str = "#2.RY7BTsMwDIZfxfIJpGqs3Ii0C09QCW7bhLI2NJHaOMQe69T13Yk7EAdLv7_f9u8ZhyAjcUvJoUFuXXSMFX67zIEimrpCCTKo-fZajJSpz3ZEs8cJzA5quN3guqriWhVXRSdVU0FuCiwMD83WWNjBFp4OB2hqc9LmEY8VjtS5YQ0v478fmP2MkURj3y8E4rOzHW9wqWZMxEHW517KvKeLPpOoLOdPvedD74dSovyOEoVYWmzqzfN64y9TWPfs0FMO4kcl-czy0Sr-D0IXuwK-zo7vYF6W4_ID";

#[test]
fn kept_scenes_open() {
    let Ok(Linked::Script(script)) = open(KEPT_SCENES) else { panic!("they open for ever") };
    assert_eq!(script.title, "SB");
    let [first, second, third] = &script.scenes[..] else { panic!("three scenes") };
    assert_eq!((first.note.as_str(), first.settings.model), ("Two threads.", Model::SC));
    assert_eq!((second.settings.position, second.point.as_deref()), (9, Some("P1.2")));
    assert_eq!((third.settings.model, third.settings.algorithm), (Model::TSO, Algorithm::TrustCo));
    assert_eq!(third.question, Some(SceneQuestion::default()));
    for scene in script.scenes {
        let mut session = Session::open(scene.settings.clone()).expect("a kept link holds programs");
        session.go_to(scene.settings.position, u64::MAX);
        assert_eq!(scene.arrival(&session.view(&ViewRequest::default())), None);
    }
}

/// A link of version 3 from when it was published.
const KEPT_PAIR: &str = "#3.XY1LCsMwDESvImbVgqHxsoLcIQcwFCdkEWidYingkOTutfrZdKWnYT4b7uANCkYhbsnTvtP6ppCi3dWU3qiEFNJYJlGhU9dwpJYauoRAnefenjMcHrVKhgoC1ryMDk_w9XDIv6GvSWWuFI3yInob5r-Q9zU1fYTjBQ";

#[test]
fn a_kept_pair_opens() {
    let Ok(Linked::Pair(pair)) = open(KEPT_PAIR) else { panic!("it opens for ever") };
    assert_eq!((pair.left.model, pair.left.algorithm, pair.left.position), (Model::SC, Algorithm::Genmc, 9));
    assert_eq!((pair.right.model, pair.right.algorithm, pair.right.position), (Model::TSO, Algorithm::TrustCo, 11));
    assert!(!pair.together);
    assert_eq!(pair.left.text, pair.right.text);
    for settings in [pair.left.clone(), pair.right.clone()] {
        let position = settings.position;
        let mut session = Session::open(settings).expect("a kept link holds programs");
        assert!(session.go_to(position, u64::MAX));
        assert_eq!(session.position(), position);
    }
    assert_eq!(encode_pair(&pair), Ok(KEPT_PAIR.to_owned()), "made anew, it is the same");
}

#[test]
fn hostile_pairs_get_a_message() {
    let said = |content: &str| open(&packed(content).replacen("#1.", "#3.", 1)).expect_err(content);
    let one = r#"{"t":"x := 1","m":"sc"}"#;
    let no_session = LinkError::Content("its content is not a session; copy the whole address again".into());
    for content in ["{}", "[]", one, &format!(r#"{{"l":{one}}}"#), &format!(r#"{{"l":{one},"r":{one},"z":1}}"#)] {
        assert_eq!(said(content), no_session, "{content}");
    }
    let right = |rest: &str| said(&format!(r#"{{"l":{one},"r":{{"t":"","m":{rest}}}}}"#)).to_string();
    assert!(right(r#""arm""#).contains("arm"));
    assert!(right(r#""sc","u":100000"#).contains("100000"));
    assert!(right(r#""sc","a":"magic""#).contains("magic"));
    assert_eq!(open(&packed(&"\0".repeat(100_000_000)).replacen("#1.", "#3.", 1)), Err(LinkError::TooLarge));
    // Each has a link, both have none.
    let mut random = 1u64;
    let mut noise = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + (random >> 33) as u8 % 90)
    };
    let mut long =
        || Settings { text: std::iter::repeat_with(&mut noise).take(1_200_000).collect(), ..Settings::default() };
    let (left, right) = (long(), long());
    assert_eq!(encode_pair(&Pair { left, right, together: true }), Err(LinkError::TooLarge));
}

/// A link of version 4 from when it was published.
const KEPT_LAB: &str = "#4.LYxBDsIgFESvQmb9bUq1NsFruENWlqQkFYif2kXD3f1Ed_PmTeYAwxwoMLhro_LGi9LK9qTd7UeDsgOdG6Xc1IXGP4i50uQeEYSXHPATlbBKWgKX9A6exeT2n1OIhdsmrR8_S83Fi9GEPcQ57TD2pLuepm50tX4B";

#[test]
fn a_kept_place_of_a_lab_opens() {
    let Ok(Linked::Lab(shown)) = open(KEPT_LAB) else { panic!("it opens for ever") };
    assert_eq!(shown.lab, "histories");
    assert_eq!(shown.settings.text, "T1: push 1 [0,1]; push 2 [2,3]; pop 1 [4,5]; pop 2 [6,7]\n");
    assert_eq!(shown.place, json!({ "step": 1, "window": [-1.0, 7.5], "points": "solved" }));
    let again = encode_lab(&shown).expect("it is short");
    assert_eq!(open(&again), Ok(Linked::Lab(shown)));
}

#[test]
fn hostile_places_of_labs_get_a_message() {
    let said = |content: &str| open(&packed(content).replacen("#1.", "#4.", 1)).expect_err(content);
    let one = r#"{"t":"x := 1","m":"sc"}"#;
    let no_session = LinkError::Content("its content is not a session; copy the whole address again".into());
    let deep = format!(r#"{{"s":{one},"l":"histories","p":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let without = [
        r#"{"l":"a","p":{}}"#.to_owned(),
        format!(r#"{{"s":{one},"p":{{}}}}"#),
        format!(r#"{{"s":{one},"l":7,"p":1}}"#),
    ];
    for content in without.iter().chain([&deep]) {
        assert_eq!(said(content), no_session, "{}", &content[..40.min(content.len())]);
    }
    assert!(said(r#"{"s":{"t":"x","m":"arm"},"l":"a","p":{}}"#).to_string().contains("arm"));
    assert_eq!(open(&packed(&"\0".repeat(100_000_000)).replacen("#1.", "#4.", 1)), Err(LinkError::TooLarge));
    let text = "x".repeat(1_200_000);
    let long = LabPlace {
        settings: Settings { text: text.clone(), ..Settings::default() },
        lab: "a".into(),
        place: json!(text),
    };
    assert_eq!(encode_lab(&long), Err(LinkError::TooLarge));
}

/// Whatever text the parser takes, its link opens: incompressible ones, and those that JSON escapes, too.
#[test]
fn the_largest_texts_have_links() {
    let mut random = 1u64;
    let noise = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + (random >> 33) as u8 % 95)
    });
    let noise: String = noise.take(litmoscope::syntax::MAX_SOURCE).collect();
    for text in [noise, "\u{1}".repeat(litmoscope::syntax::MAX_SOURCE)] {
        let settings = Settings { text, ..Settings::default() };
        assert_eq!(decode(&encode(&settings)), Ok(settings));
    }
}

#[test]
fn hostile_scenes_get_a_message() {
    let said = |content: &str| open(&packed(content).replacen("#1.", "#2.", 1)).expect_err(content).to_string();
    let script =
        |scenes: &str| format!(r#"{{"litmoscope":"scenes","version":1,"program":"x := 1","scenes":{scenes}}}"#);
    assert!(said("{}").starts_with("the scenes of this link can't be read: it is no script of scenes"));
    assert!(said(&script(r#"[{"show":["magic"]}]"#)).contains("scene 1: there is no relation `magic`"));
    assert!(said(&script(r#"[{"options":{"unroll":100000}}]"#)).contains("scene 1: the unroll bound is 100000"));
    assert!(said(&script(&format!("[{}]", vec!["{}"; MAX_SCENES + 1].join(",")))).contains("there may be 200"));
    assert!(said(&script("[{\"note\":1}]")).contains("it is no script of scenes"));
    assert!(said(&script(r#"[{"place":{"step":1}}]"#)).contains("scene 1: it has a place, but no lab"));
    let large = format!(r#"[{{"lab":"histories","place":"{}"}}]"#, "p".repeat(100_000));
    assert!(said(&script(&large)).contains("scene 1: its place in the lab has 100002 bytes"));
    let deep = format!(r#"[{{"lab":"histories","place":{}1{}}}]"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(said(&script(&deep)).contains("recursion limit"));
    assert_eq!(open(&packed(&"\0".repeat(100_000_000)).replacen("#1.", "#2.", 1)), Err(LinkError::TooLarge));
    // Too long for a link, not for a file.
    let mut random = 1u64;
    let mut noise = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + (random >> 33) as u8 % 90)
    };
    let mut long = || Scene {
        settings: Settings { text: std::iter::repeat_with(&mut noise).take(200_000).collect(), ..Settings::default() },
        ..Scene::default()
    };
    let scenes = std::iter::repeat_with(&mut long).take(12).collect();
    assert_eq!(encode_script(&Script { scenes, ..Script::default() }), Err(LinkError::TooLarge));
}

fn packed(content: &str) -> String {
    use base64::Engine as _;
    let deflated = miniz_oxide::deflate::compress_to_vec(content.as_bytes(), 10);
    format!("#1.{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(deflated))
}

#[test]
fn hostile_links_get_a_message() {
    let good = encode(&Settings { text: "x := 1 || a := x".into(), ..Settings::default() });
    assert_eq!(decode(""), Err(LinkError::NoLink));
    assert_eq!(decode("#"), Err(LinkError::NoLink));
    assert_eq!(decode("#top"), Err(LinkError::NoLink));
    assert_eq!(decode("#foo.bar"), Err(LinkError::NoLink));
    assert_eq!(decode("#5.AAAA"), Err(LinkError::UnknownVersion("5".into())));
    assert_eq!(decode("#99999.AAAA"), Err(LinkError::NoLink));
    assert_eq!(decode(&format!("#1.{}", "A".repeat(3_000_000))), Err(LinkError::TooLong(3_000_002)));
    assert!(matches!(decode("#1.ab cd"), Err(LinkError::NotBase64(_))));
    assert_eq!(decode(&good[..good.len() - 8]), Err(LinkError::Truncated));
    assert_eq!(decode(&packed("{")), decode(&packed("[]")));
    assert!(matches!(decode(&packed("{\"t\":\"x := 1\"}")), Err(LinkError::Content(_))));
    // 100 MB of zeros deflate to 100 kB.
    assert_eq!(decode(&packed(&"\0".repeat(100_000_000))), Err(LinkError::TooLarge));
    assert_eq!(
        decode(&packed(&format!("{{\"t\":\"{}\",\"m\":\"sc\"}}", "x".repeat(3_000_000)))),
        Err(LinkError::TooLarge)
    );
    let with = |rest: &str| decode(&packed(&format!("{{\"t\":\"x := 1\",\"m\":\"sc\"{rest}}}")));
    assert!(with("").is_ok());
    for rest in [",\"u\":0", ",\"u\":1000000", ",\"a\":\"magic\"", ",\"p\":-1", ",\"z\":1", ",\"m\":\"sc\""] {
        let error = with(rest).expect_err(rest);
        assert!(matches!(error, LinkError::Content(_)), "{rest}: {error}");
    }
    let unknown = decode(&packed("{\"t\":\"x := 1\",\"m\":\"arm\"}")).expect_err("no such model");
    assert!(unknown.to_string().contains("arm"), "{unknown}");
}
