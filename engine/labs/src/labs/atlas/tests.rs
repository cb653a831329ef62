//! What pages have to say, and what they must never do.

use super::*;
use crate::explore::Options;
use crate::generate::{Cycle, Dialect};
use crate::model::Model;
use crate::program::Notation;
use crate::session::link;
use crate::syntax;
use occurrence::Occurrence;
use repair::mend;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn atlas() -> Atlas {
    let (written, gallery) = (read("public/atlas.json"), read("public/gallery.json"));
    let text = |file: &str| Ok(read(&format!("public/{file}")));
    let source = Source { atlas: &written, gallery: &gallery, read: &text, address: None };
    Atlas::read(source).unwrap_or_else(|error| panic!("{error}"))
}

fn page(atlas: &Atlas, name: &str) -> Page {
    let at = atlas.entries().iter().position(|entry| entry.name == name).unwrap_or_else(|| panic!("no {name}"));
    atlas.page(at).unwrap_or_else(|error| panic!("{error}"))
}

fn allowing(page: &Page) -> Vec<&'static str> {
    let answers = Model::ALL.iter().zip(&page.verdicts);
    answers.filter(|(_, v)| matches!(v, Verdict::Allowed { .. })).map(|(model, _)| model.name()).collect()
}

/// The names of the pages that there are. Addresses are for ever: this list may only grow.
#[test]
fn addresses_stay() {
    let slugs: Vec<String> = atlas().entries().iter().map(|entry| slug(&entry.name)).collect();
    let kept: Vec<&str> = include_str!("slugs.txt").lines().collect();
    let missing: Vec<&&str> = kept.iter().filter(|&&kept| !slugs.iter().any(|slug| slug == kept)).collect();
    assert!(missing.is_empty(), "these pages are gone: {missing:?}");
    let new: Vec<&String> = slugs.iter().filter(|slug| !kept.contains(&slug.as_str())).collect();
    assert!(new.is_empty(), "these pages are new, add them to slugs.txt: {new:?}");
    assert!(kept.len() >= 98, "{}", kept.len());
}

#[test]
fn slugs_are_safe() {
    for (name, expected) in [
        ("2+2W", "2+2w"),
        ("SB+mfences", "sb+mfences"),
        ("Z6.0", "z6.0"),
        ("3.SB", "3.sb"),
        ("w+RW+W", "w+rw+w"),
        ("a b/../c<d>\"'&", "a-b..cd"),
        ("..", ""),
    ] {
        assert_eq!(slug(name), expected);
    }
}

/// Verdicts that the literature prints.
#[test]
fn known_verdicts() {
    let atlas = atlas();
    let relaxed = ["pso", "rc11", "rc20", "coherence"];
    for (name, models) in [
        ("SB", vec!["tso", "pso", "sra", "ra", "wra", "rc11", "rc20", "coherence"]),
        ("MP", relaxed.to_vec()),
        // Acyclic porf.
        ("LB", vec![]),
        ("2+2W", vec!["pso", "ra", "wra", "rc11", "rc20", "coherence"]),
        ("IRIW", vec!["sra", "ra", "wra", "rc11", "rc20", "coherence"]),
        ("WRC", vec!["rc11", "rc20", "coherence"]),
        ("CoRR", vec![]),
        ("RSEQ", vec!["pso", "rc20", "coherence"]),
        ("SB+rfi", vec!["tso", "pso", "sra", "ra", "wra", "rc11", "coherence"]),
        ("SB+mfences", vec!["coherence"]),
        ("Peterson", vec!["tso", "pso", "sra", "ra", "wra", "rc11", "rc20", "coherence"]),
    ] {
        let page = page(&atlas, name);
        assert_eq!(allowing(&page), models, "{name}");
        assert!(!page.is_bounded(), "{name}");
    }
}

/// A table with the answers of another tool has most of the cycles.
#[test]
fn cycles_end_as_is_known() {
    let table = read("tests/generated.tsv");
    let mut known: FxHashMap<(Notation, String), Vec<(Model, bool)>> = FxHashMap::default();
    let (mut notation, mut models) = (Notation::C11, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("> ") {
            let mut words = header.split(' ');
            let family = words.next().unwrap_or_default();
            notation = match family.split('/').next() {
                Some("c11") => Notation::C11,
                Some("x86") => Notation::X86,
                _ => Notation::X86_64,
            };
            models = words.map(|model| model.parse::<Model>().expect("a model")).collect();
            continue;
        }
        let mut fields = line.split('\t');
        let cycle = Cycle::parse(fields.next().unwrap_or_default()).expect("a cycle");
        // An event without an annotation is plain there, and relaxed here.
        if notation == Notation::C11 && cycle.edges().iter().any(|edge| edge.annotations.is_none()) {
            continue;
        }
        let name = cycle.name(Dialect::from(notation));
        let answers = models.iter().copied().zip(fields.map(|field| !field.starts_with('N')));
        known.insert((notation, name), answers.collect());
    }
    let mut compared = 0;
    for entry in atlas().entries() {
        let Some(cycle) = &entry.cycle else { continue };
        for notation in [Notation::C11, Notation::X86, Notation::X86_64] {
            let Ok(cycle) = Cycle::parse(&page::in_dialect(cycle, notation)) else { continue };
            let dialect = Dialect::from(notation);
            let Ok(program) = cycle.program(dialect) else { continue };
            let Some(answers) = known.get(&(notation, cycle.name(dialect))) else { continue };
            for &(model, allowed) in answers {
                let found = Question::of(&program).occurs(&program, model, Options::default(), 1_000_000);
                assert_eq!(matches!(found, Occurrence::Yes(_)), allowed, "{} under {model}, {notation:?}", entry.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 100, "only {compared} answers are in the table");
}

/// The gallery's program of an entry has the same answers as its cycle.
#[test]
fn the_gallery_agrees_with_the_cycles() {
    let mut compared = 0;
    for entry in atlas().entries() {
        let (Some(cycle), Some(file)) = (&entry.cycle, &entry.gallery) else { continue };
        let program = Cycle::parse(cycle).expect("a cycle").program(Notation::Litmoscope.into()).expect("a test");
        let other = syntax::parse(&read(&format!("public/{file}"))).expect("a program").program;
        for model in Model::ALL {
            let occurs = |program| {
                matches!(
                    Question::of(program).occurs(program, model, Options::default(), 1_000_000),
                    Occurrence::Yes(_)
                )
            };
            assert_eq!(occurs(&program), occurs(&other), "{} and {file} under {model}", entry.name);
            compared += 1;
        }
    }
    assert!(compared > 80, "{compared}");
}

/// The changes of the first repairs in a line each.
fn changes(repairs: &Repairs) -> Vec<String> {
    let line = |ChangeText { thread, what }: &ChangeText| match what {
        What::Insert { line, behind, before } => format!("{thread}: {behind}; {line}; {before}"),
        What::Replace { old, new } => format!("{thread}: {old} -> {new}"),
    };
    repairs.shown().iter().map(|repair| repair.changes.iter().map(line).collect::<Vec<_>>().join(", ")).collect()
}

fn mended(text: &str, model: Model) -> Mending {
    let program = syntax::parse(text).expect("a program").program;
    mend(&program, &Question::of(&program), model, Options::default())
}

const SB: &str = "shared x, y\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)";
const MP: &str = "shared x, y\nx := 1; y := 1 || a := y; b := x\nexists (P1:a = 1 /\\ P1:b = 0)";

#[test]
fn store_buffering_is_mended_by_two_fences() {
    let mending = mended(SB, Model::TSO);
    let fences = "P0: x := 1; fence sc; a := y, P1: y := 1; fence sc; b := x";
    assert_eq!(changes(&mending.any)[0], fences);
    // A fence or an exchange in each thread: four ways, three of them shown.
    assert!(matches!(&mending.any, Repairs::Found { shown, more: 1, all: true } if shown.len() == 3), "{mending:?}");
    for model in [Model::SRA, Model::RA, Model::WRA] {
        assert_eq!(changes(&mended(SB, model).any), [fences], "{model}");
    }
    // Orders alone: all accesses have to be sc.
    let mending = mended(SB, Model::RC11);
    assert_eq!(changes(&mending.any), [fences]);
    let alone = &mending.alone[0];
    assert_eq!(alone.0, Means::Orders);
    assert_eq!(
        changes(&alone.1),
        ["P0: x := 1 -> x :=sc 1, P0: a := y -> a :=sc y, P1: y := 1 -> y :=sc 1, P1: b := x -> b :=sc x"]
    );
    let text = &mending.any.shown()[0].text;
    assert_eq!(text.matches("fence sc").count(), 2, "{text}");
    assert!(syntax::parse(text).is_ok());
}

#[test]
fn message_passing_is_mended_by_release_and_acquire() {
    let mending = mended(MP, Model::RC11);
    assert_eq!(changes(&mending.any)[0], "P0: y := 1 -> y :=rel 1, P1: a := y -> a :=acq y");
    // A write or a fence that releases, with a read or a fence that acquires. Nothing stronger counts.
    assert!(matches!(&mending.any, Repairs::Found { shown, more: 1, all: true } if shown.len() == 3), "{mending:?}");
    assert!(mending.alone.is_empty(), "{mending:?}");
    // One store-store fence.
    assert_eq!(changes(&mended(MP, Model::PSO).any)[0], "P0: x := 1; fence rel; y := 1");
}

#[test]
fn what_nothing_mends_is_said() {
    let hopeless = mended(MP, Model::COHERENCE);
    assert_eq!(hopeless.any, Repairs::None { tried: 0, hopeless: true });
    assert!(hopeless.alone.is_empty());
}

/// The repaired programs that pages link to do forbid the outcome.
#[test]
fn repairs_repair() {
    let atlas = atlas();
    for name in ["S", "R", "2+2W", "SB+mfence+po", "MP+rel+rlx"] {
        let page = page(&atlas, name);
        for (models, mending) in &page.repairs {
            for repair in mending.any.shown() {
                let program = syntax::parse(&repair.text).expect("a program").program;
                for &model in models {
                    let again = Question::of(&program).occurs(&program, model, Options::default(), 1_000_000);
                    assert_eq!(again, Occurrence::No, "{name} under {model}:\n{}", repair.text);
                }
            }
        }
        assert!(!page.repairs.is_empty(), "{name}");
    }
}

/// What a page of strangers would have to be refused, and what holds of all pages.
fn assert_clean(file: &File) {
    let text = &file.content;
    for refused in [" style=", "<script", "<style", "javascript:", "<base", "<form", "http-equiv=\"refresh"] {
        assert!(!text.contains(refused), "{refused} in {}", file.name);
    }
    // No event handlers: no attribute begins with `on`.
    for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let mut quoted = false;
        for (at, part) in tag.split('"').enumerate() {
            quoted = at % 2 == 1;
            assert!(quoted || !part.contains(" on"), "{tag} in {}", file.name);
        }
        assert!(!quoted, "{tag} in {}", file.name);
    }
    assert!(text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{}", file.name);
    let policy = "default-src &#39;none&#39;; style-src &#39;self&#39;; img-src &#39;self&#39; data:";
    assert!(text.contains(policy), "{}", file.name);
    assert_eq!(text.matches("<h1>").count(), 1, "{}", file.name);
    for tag in ["p", "section", "table", "tr", "td", "th", "li", "ul", "ol", "details", "figure", "div", "main", "a"] {
        let begun = text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
        assert_eq!(begun, text.matches(&format!("</{tag}>")).count(), "<{tag}> in {}", file.name);
    }
}

/// The values of an attribute.
fn values<'t>(text: &'t str, attribute: &str) -> Vec<&'t str> {
    let begin = format!(" {attribute}=\"");
    text.split(begin.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn pages_are_static_and_lead_somewhere() {
    let atlas = atlas();
    let names = ["SB", "MP", "LB", "IRIW", "CoWR0", "MP+rel+acq", "Peterson", "Race", "Loop", "n6", "FAI-2"];
    let pages: Vec<Page> = names.iter().map(|name| page(&atlas, name)).collect();
    let files = atlas.files(&pages);
    let slugs: BTreeSet<String> = atlas.entries().iter().map(|entry| format!("{}.html", slug(&entry.name))).collect();
    for file in files.iter().filter(|file| file.name.ends_with(".html")) {
        assert_clean(file);
        let ids = values(&file.content, "id");
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{}", file.name);
        for href in values(&file.content, "href") {
            match href {
                "../" | "../book/" | "style.css" | "atlas.bib" | "index.html" => {}
                _ if slugs.contains(href) => {}
                _ if href.starts_with('#') => assert!(ids.contains(&&href[1..]), "{href} in {}", file.name),
                _ => {
                    let behind = href.strip_prefix("../").unwrap_or_else(|| panic!("{href} in {}", file.name));
                    if behind.starts_with('#') {
                        let settings = link::decode(behind).unwrap_or_else(|error| panic!("{href}: {error}"));
                        assert!(syntax::parse(&settings.text).is_ok(), "{}", settings.text);
                    } else {
                        assert!(root().join(behind).is_file(), "{href} in {}", file.name);
                    }
                }
            }
        }
    }
    // Once more, the same.
    let again: Vec<Page> = names[..4].iter().map(|name| page(&atlas, name)).collect();
    assert_eq!(again, pages[..4]);
    let style = files.iter().find(|file| file.name == "style.css").expect("a style sheet");
    assert!(!style.content.contains("url(") && !style.content.contains("@import"));
    let bib = files.iter().find(|file| file.name == "atlas.bib").expect("citations");
    assert_eq!(bib.content.matches("\n@").count() + 1, atlas.entries().len() + atlas.written.papers.len());
    assert_eq!(bib.content.matches('{').count(), bib.content.matches('}').count());
}

/// The link to an execution leads to one with the outcome.
#[test]
fn links_lead_to_the_execution() {
    let page = page(&atlas(), "SB");
    let settings = link::decode(page.links.witness.as_deref().expect("TSO allows it")).expect("a link");
    assert_eq!(settings.model, Model::TSO);
    let mut session = crate::session::Session::open(settings.clone()).expect("a session");
    while session.position() < settings.position && session.forward() {}
    let graph = session.explorer().execution();
    let read = graph.events().filter(|(_, event)| !event.is_init() && event.value_written.is_none());
    let values: Vec<_> = read.map(|(e, _)| graph.source(e).map(|w| graph.event(w).is_init())).collect();
    assert_eq!(values, [Some(true), Some(true)]);
}

/// A page says what it is asked of, by which cycle it is forbidden, and draws that.
#[test]
fn a_page_explains_itself() {
    let atlas = atlas();
    let sb = page(&atlas, "SB");
    assert_eq!(sb.reasons.len(), 1);
    assert_eq!(sb.reasons[0].models, [Model::SC]);
    assert_eq!(sb.reasons[0].steps.len(), 4);
    let figure = sb.reasons[0].figure.as_ref().expect("a drawing");
    assert_eq!(figure.svg.matches("class=\"halo\"").count(), 4, "{}", figure.svg);
    assert_eq!(
        sb.texts.iter().map(|(notation, _)| *notation).collect::<Vec<_>>(),
        ["Litmoscope", "herd, C11", "herd, x86"]
    );
    // No candidate at all: the cycle of po and rf is drawn.
    let lb = page(&atlas, "LB");
    let (steps, figure) = lb.absent[0].cycle.as_ref().expect("a cycle");
    assert_eq!((steps.len(), figure.svg.matches("class=\"halo\"").count()), (4, 4));
    assert!(lb.repairs.is_empty());
    assert_eq!(lb.table.rows.iter().filter(|row| row.asked).count(), 1, "the outcome without candidates is listed");
    // An error instead of an outcome.
    let peterson = page(&atlas, "Peterson");
    assert_eq!(peterson.question, Question::Error);
    assert!(peterson.reasons.iter().any(|reason| reason.models == [Model::SC]), "{:?}", peterson.reasons);
    // A bound cuts the loop whose rounds are shown. A repair is asked for the condition alone, for which they do not matter.
    let cut = page(&atlas, "Loop");
    assert!(cut.is_bounded());
    assert_eq!(cut.repairs[0].0[..], [Model::PSO]);
    assert!(matches!(cut.repairs[0].1.any, Repairs::Found { .. }), "{:?}", cut.repairs[0].1);
    // That SC knows no races is no cycle.
    let race = page(&atlas, "Race");
    assert!(race.reasons.is_empty() && race.witness.is_some_and(|figure| figure.caption.contains("race")));
    assert_eq!(allowing(&page(&atlas, "Race")), ["rc11", "rc20"]);
}

#[test]
fn what_is_wrong_with_the_list_is_said() {
    let gallery = r#"[{"file":"sb.lit","name":"SB","title":"Store buffering","unroll":8,"teaches":"T"}]"#;
    let text = |_: &str| Ok("x := 1 || a := x".to_owned());
    let families = r#""families":[{"id":"f","title":"F","about":"A"}],"papers":[]"#;
    for (tests, message) in [
        ("", "the gallery's `sb.lit` has no page"),
        (r#"{"name":"A","family":"g","program":"sb.lit","asks":"?"}"#, "`A`: there is no family `g`"),
        (r#"{"name":"A","family":"f","asks":"?"}"#, "`A`: a test has either a cycle or a program"),
        (r#"{"name":"A","family":"f","cycle":"Rfe Fre","asks":"?","matters":"m"}"#, "`A`: "),
        (r#"{"name":"A","family":"f","cycle":"PosWW Coe","asks":"?"}"#, "`A`: it is not said why it matters"),
        (r#"{"name":"Index","family":"f","program":"sb.lit","asks":"?"}"#, "`Index`: the page index.html is taken"),
        (r#"{"name":"A","family":"f","program":"../sb.lit","asks":"?"}"#, "`A`: the gallery has no `../sb.lit`"),
        (r#"{"name":"A","family":"f","program":"sb.lit","asks":"?","papers":["k"]}"#, "`A`: there is no paper `k`"),
        (r#"{"name":"A","family":"f","program":"sb.lit","asks":"?","colour":"red"}"#, "the atlas can't be read"),
    ] {
        let atlas = format!("{{{families},\"tests\":[{tests}]}}");
        let source = Source { atlas: &atlas, gallery, read: &text, address: None };
        let error = files(source, NonZeroUsize::MIN).expect_err(tests);
        assert!(error.0.starts_with(message), "{error}");
    }
}

/// Names from elsewhere do nothing.
#[test]
fn texts_are_escaped() {
    let gallery = r#"[{"file":"a.lit","name":"<i>","title":"\"><b>","unroll":8,"teaches":"<img src=x onerror=y>"}]"#;
    let text = |_: &str| Ok("name <script>alert(1)</script>\nshared x\nx := 1 || a := x\nexists (P1:a = 1)".to_owned());
    let atlas = r#"{"families":[{"id":"f","title":"<u>F","about":"&amp;"}],
        "papers":[{"key":"k","kind":"article","authors":["<A>"],"title":"T<","venue":"V","year":2000}],
        "tests":[{"name":"a<b","family":"f","program":"a.lit","asks":"<p>?","papers":[{"paper":"k","place":"\"<"}]}]}"#;
    let files =
        files(Source { atlas, gallery, read: &text, address: Some("https://example.org/\"<") }, NonZeroUsize::MIN);
    for file in files.expect("files").iter().filter(|file| file.name.ends_with(".html")) {
        assert_clean(file);
        for refused in ["<i>", "<u>", "<img", "<A>", "<p>?", "example.org/\"<"] {
            assert!(!file.content.contains(refused), "{refused} in {}", file.name);
        }
    }
}
