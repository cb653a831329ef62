//! Pages as HTML. There are no scripts and no style attributes: the pages' security policy refuses both.

use super::bib::{Address, around_title, page_entry, paper_entry};
use super::entry::{Citation, Paper, Written, slug};
use super::html::Html;
use super::occurrence::Question;
use super::page::{Figure, Page, Verdict};
use super::repair::{ChangeText, MAX_CHANGES, Means, Repair, Repairs, What};
use crate::model::Model;
use crate::report::inline_style;
use crate::session::StepView;
use crate::words;

/// What the pages may load.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/// The style sheet of all pages.
pub(super) fn style() -> String {
    format!("{}\n/* Execution graphs. */\n\n{}", include_str!("style.css"), inline_style())
}

/// A page's beginning, up to where its own content stands.
fn begin(title: &str, description: &str) -> Html {
    let mut html = Html::default();
    html.tag("!DOCTYPE html", &[]);
    html.text("\n");
    html.begin("html", &[("lang", "en")]);
    html.begin("head", &[]);
    html.tag("meta", &[("charset", "utf-8")]);
    html.tag("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    html.tag("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    html.tag("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    html.tag("meta", &[("name", "description"), ("content", description)]);
    html.element("title", &[], title);
    html.tag("link", &[("rel", "icon"), ("href", "../public/icon.svg")]);
    html.tag("link", &[("rel", "stylesheet"), ("href", "style.css")]);
    html.end();
    html.begin("body", &[]);
    html.element("a", &[("class", "skip"), ("href", "#main")], "Skip to the content");
    html.begin("header", &[]);
    html.begin("nav", &[("aria-label", "Litmoscope")]);
    for (href, text) in [("../", "Litmoscope"), ("../book/", "Book"), ("index.html", "Atlas")] {
        html.element("a", &[("href", href)], text);
    }
    html.end();
    html.end();
    html.begin("main", &[("id", "main")]);
    html
}

fn finish(mut html: Html) -> String {
    html.end();
    html.begin("footer", &[]);
    html.paragraph(&format!(
        "Every verdict, number, execution, cycle and repair on these pages was computed by Litmoscope {}.",
        env!("CARGO_PKG_VERSION")
    ));
    html.end();
    html.finish()
}

/// A table in a box in which it scrolls. The box takes the focus, so that keys scroll it.
fn begin_table(html: &mut Html, class: &str, caption: &str) {
    html.begin("div", &[("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", caption)]);
    html.begin("table", &[("class", class)]);
    html.element("caption", &[], caption);
}

fn end_table(html: &mut Html) {
    html.end();
    html.end();
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed { .. } => "allowed",
        Verdict::Forbidden => "forbidden",
        Verdict::Unknown => "unknown",
    }
}

/// The files and where they lead.
pub(super) fn index(written: &Written, pages: &[Page]) -> String {
    let description =
        "Litmus tests of the literature: which memory models allow which outcome, why, and how to forbid it.";
    let mut html = begin("The atlas of litmus tests", description);
    html.element("h1", &[], "The atlas of litmus tests");
    let models = words::list(Model::ALL.iter().map(|model| model.title()));
    html.paragraph(&format!(
        "A litmus test is a small program with a question: can it end so? This atlas has a page for each test that \
         the literature on memory models names, and for each program of Litmoscope's gallery: {} in all. Each page \
         has the program, the answer of {} memory models ({models}), the execution, the cycle by which a model \
         forbids it, and the smallest repairs.",
        pages.len(),
        Model::ALL.len()
    ));
    html.begin("p", &[]);
    html.text(
        "“yes”: the model allows the outcome, or some execution goes wrong. “no”: it does not. “?”: that was not \
         found out within bounds. All citations: ",
    );
    html.element("a", &[("href", "atlas.bib")], "atlas.bib");
    html.text(".");
    html.end();
    html.begin("ul", &[("class", "families")]);
    for family in &written.families {
        html.begin("li", &[]);
        html.element("a", &[("href", &format!("#{}", family.id))], &family.title);
        html.end();
    }
    html.end();
    differences(&mut html, pages);
    for family in &written.families {
        let own: Vec<&Page> = pages.iter().filter(|page| page.entry.family == family.id).collect();
        html.begin("section", &[("id", &family.id)]);
        html.element("h2", &[], &family.title);
        html.paragraph(&family.about);
        begin_table(&mut html, "index", &format!("{}: does it happen?", family.title));
        html.begin("thead", &[]);
        html.begin("tr", &[]);
        html.element("th", &[("scope", "col")], "Test");
        for model in Model::ALL {
            html.element("th", &[("scope", "col")], model.title());
        }
        html.element("th", &[("scope", "col")], "It asks");
        html.end();
        html.end();
        html.begin("tbody", &[]);
        for page in own {
            html.begin("tr", &[]);
            html.begin("th", &[("scope", "row")]);
            html.element("a", &[("href", &format!("{}.html", slug(&page.entry.name)))], &page.entry.name);
            html.end();
            for &verdict in &page.verdicts {
                let word = match verdict {
                    Verdict::Allowed { .. } => "yes",
                    Verdict::Forbidden => "no",
                    Verdict::Unknown => "?",
                };
                html.element("td", &[("class", class(verdict))], word);
            }
            html.element("td", &[("class", "asks")], &page.entry.asks);
            html.end();
        }
        html.end();
        end_table(&mut html);
        html.end();
    }
    html.begin("section", &[("id", "sources")]);
    html.element("h2", &[], "Sources");
    html.paragraph(
        "Names are those of the literature, and cycles are in the vocabulary of diy (Alglave and others, 2010). A page \
         lists papers in which its test appears.",
    );
    html.begin("ul", &[("class", "papers")]);
    for paper in &written.papers {
        html.begin("li", &[]);
        cite(&mut html, paper);
        html.end();
    }
    html.end();
    html.end();
    finish(html)
}

/// The tests that tell two models of C and C++ apart.
fn differences(html: &mut Html, pages: &[Page]) {
    for (at, first) in Model::ALL.into_iter().enumerate() {
        for (other, second) in Model::ALL.into_iter().enumerate().skip(at + 1) {
            let differs = |page: &&Page| {
                let verdict = |at: usize| match page.verdicts[at] {
                    Verdict::Allowed { .. } => Some(true),
                    Verdict::Forbidden => Some(false),
                    Verdict::Unknown => None,
                };
                verdict(at).zip(verdict(other)).is_some_and(|(first, second)| first != second)
            };
            let apart: Vec<&Page> = pages.iter().filter(differs).collect();
            if !first.rules().is_alike(second.rules()) || apart.is_empty() {
                continue;
            }
            html.begin("p", &[("class", "differences")]);
            html.text(&format!("{} and {} answer differently of ", first.title(), second.title()));
            for (number, page) in apart.iter().enumerate() {
                html.text(match number {
                    0 => "",
                    last if last + 1 == apart.len() => " and ",
                    _ => ", ",
                });
                html.element("a", &[("href", &format!("{}.html", slug(&page.entry.name)))], &page.entry.name);
            }
            html.text(".");
            html.end();
        }
    }
}

fn cite(html: &mut Html, paper: &Paper) {
    let (authors, venue) = around_title(paper);
    html.text(&format!("{authors}: "));
    html.element("cite", &[], &paper.title);
    html.text(&format!(". {venue}."));
}

/// The page of a test.
pub(super) fn page(written: &Written, page: &Page, address: Address) -> String {
    let name = &page.entry.name;
    let mut html = begin(&format!("{name} – the atlas of litmus tests"), &page.entry.asks);
    html.element("h1", &[], name);
    if !page.aliases.is_empty() {
        html.begin("p", &[("class", "aka")]);
        html.text("Also called ");
        for (at, alias) in page.aliases.iter().enumerate() {
            html.text(if at == 0 { "" } else { ", " });
            html.element("b", &[], alias);
        }
        html.text(".");
        html.end();
    }
    html.element("p", &[("class", "asks")], &page.entry.asks);
    if !page.matters.is_empty() {
        html.paragraph(&page.matters);
    }
    actions(&mut html, page);
    verdicts(&mut html, page);
    programs(&mut html, page);
    executions(&mut html, page);
    repairs(&mut html, page);
    outcomes(&mut html, page);
    papers(&mut html, written, page, address);
    neighbours(&mut html, written, page);
    finish(html)
}

fn actions(html: &mut Html, page: &Page) {
    let links = &page.links;
    html.begin("p", &[("class", "actions")]);
    html.element("a", &[("href", &format!("../{}", links.start))], "Step through it");
    if let Some(witness) = &links.witness {
        html.element("a", &[("href", &format!("../{witness}"))], "See the execution with this outcome");
    }
    html.end();
    let opens = if links.witness.is_some() { "Both open" } else { "It opens" };
    let note = format!(
        "{opens} the program in Litmoscope under {}. There, the key m compares all models.",
        links.model.title()
    );
    html.element("p", &[("class", "note")], &note);
}

fn verdicts(html: &mut Html, page: &Page) {
    html.begin("section", &[]);
    html.element("h2", &[], "What the models say");
    html.begin("p", &[]);
    match &page.question {
        Question::Outcome { text, .. } => {
            html.text("The outcome asked for is ");
            html.element("code", &[], text);
            html.text(".");
        }
        Question::Error => {
            html.text(
                "The program has no final condition. The question is whether an assertion fails, or anything else \
                 goes wrong.",
            );
        }
    }
    html.end();
    begin_table(html, "verdicts", "The answer of each model");
    html.begin("thead", &[]);
    html.begin("tr", &[]);
    for model in Model::ALL {
        html.element("th", &[("scope", "col")], model.title());
    }
    html.end();
    html.end();
    html.begin("tbody", &[]);
    html.begin("tr", &[]);
    for &verdict in &page.verdicts {
        let word = match (verdict, &page.question) {
            (Verdict::Allowed { executions }, Question::Outcome { .. }) => {
                format!("allowed, by {}", words::count(executions, "execution"))
            }
            (Verdict::Allowed { executions }, Question::Error) => {
                format!("goes wrong, in {}", words::count(executions, "execution"))
            }
            (Verdict::Forbidden, Question::Outcome { .. }) => "forbidden".to_owned(),
            (Verdict::Forbidden, Question::Error) => "never goes wrong".to_owned(),
            (Verdict::Unknown, _) => "not found within the bound".to_owned(),
        };
        html.element("td", &[("class", class(verdict))], &word);
    }
    html.end();
    html.end();
    end_table(html);
    if page.is_bounded() {
        html.element("p", &[("class", "note")], "These answers are bounded: not all executions were explored.");
    }
    html.end();
}

fn programs(html: &mut Html, page: &Page) {
    html.begin("section", &[]);
    html.element("h2", &[], "The program");
    for (at, (notation, text)) in page.texts.iter().enumerate() {
        let mut attributes = vec![("class", "program")];
        if at == 0 {
            attributes.push(("open", ""));
        }
        html.begin("details", &attributes);
        html.element("summary", &[], notation);
        html.element("pre", &[("tabindex", "0")], text.trim_end());
        html.end();
    }
    if let Some((file, title)) = &page.gallery {
        html.begin("p", &[("class", "note")]);
        html.text(&format!("In Litmoscope's gallery: “{title}”, "));
        html.element("a", &[("href", &format!("../public/{file}"))], file);
        html.text(".");
        html.end();
    }
    html.end();
}

fn figure(html: &mut Html, figure: &Figure) {
    html.begin("figure", &[]);
    html.begin("div", &[("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", "Execution graph")]);
    html.drawing(&figure.svg);
    html.end();
    html.element("figcaption", &[], &figure.caption);
    html.end();
}

fn steps(html: &mut Html, steps: &[StepView]) {
    html.begin("ol", &[("class", "cycle")]);
    for step in steps {
        html.begin("li", &[]);
        html.element("code", &[], &step.from);
        html.text(" ");
        html.element("b", &[], &step.arrow);
        html.text(" ");
        html.element("code", &[], &step.to);
        html.end();
    }
    html.end();
}

fn titles(models: &[Model]) -> String {
    words::list(models.iter().map(|model| model.title()))
}

fn executions(html: &mut Html, page: &Page) {
    if page.reasons.is_empty() && page.witness.is_none() && page.absent.is_empty() {
        return;
    }
    html.begin("section", &[]);
    let is_explained = !page.reasons.is_empty() || !page.absent.is_empty();
    html.element("h2", &[], if is_explained { "The execution, and why it is forbidden" } else { "The execution" });
    let (allowing, forbidding) = (allowing(page), page.reasons.iter().flat_map(|reason| &reason.models));
    let forbidding: Vec<Model> = forbidding.copied().collect();
    if !allowing.is_empty() && !forbidding.is_empty() {
        let (has, have) = match &page.question {
            Question::Outcome { .. } => ("allows the outcome", "allow the outcome"),
            Question::Error => ("lets something go wrong", "let something go wrong"),
        };
        html.paragraph(&format!(
            "{} {}. {} {} it: the execution below has a cycle that an axiom rules out.",
            titles(&allowing),
            words::by_number(allowing.len() as u64, has, have),
            titles(&forbidding),
            words::by_number(forbidding.len() as u64, "forbids", "forbid"),
        ));
    }
    if let Some(witness) = &page.witness {
        figure(html, witness);
    }
    for absence in &page.absent {
        html.paragraph(&absence.sentence);
        if let Some((cycle, drawing)) = &absence.cycle {
            figure(html, drawing);
            steps(html, cycle);
        }
    }
    for reason in &page.reasons {
        html.element("h3", &[], &format!("Forbidden by {}: {}", titles(&reason.models), reason.axiom));
        if let Some(drawing) = &reason.figure {
            figure(html, drawing);
        }
        html.begin("p", &[]);
        html.text("The axiom ");
        html.element("b", &[], &reason.axiom);
        html.text(&format!(": {} {}", reason.meaning, reason.breach));
        html.end();
        steps(html, &reason.steps);
        html.element("p", &[("class", "note")], &reason.remark);
        if !reason.shortest {
            html.element("p", &[("class", "note")], "Another execution with this outcome may have a shorter cycle.");
        }
    }
    html.end();
}

fn allowing(page: &Page) -> Vec<Model> {
    let answers = Model::ALL.iter().zip(&page.verdicts);
    answers.filter(|(_, verdict)| matches!(verdict, Verdict::Allowed { .. })).map(|(model, _)| *model).collect()
}

/// A line without the bracket that opens a block.
fn bare(line: &str) -> &str {
    line.trim_end_matches('{').trim_end()
}

fn change(html: &mut Html, ChangeText { thread, what }: &ChangeText) {
    html.begin("li", &[]);
    html.text(&format!("{thread}: "));
    match what {
        What::Insert { line, behind, before } => {
            html.element("code", &[], line);
            // The bracket at the end of a block says little.
            if behind == "}" {
                html.text(" in front of ");
            } else {
                html.text(" between ");
                html.element("code", &[], bare(behind));
                html.text(" and ");
            }
            html.element("code", &[], bare(before));
        }
        What::Replace { old, new } => {
            html.element("code", &[], bare(old));
            html.text(" becomes ");
            html.element("code", &[], bare(new));
        }
    }
    html.end();
}

fn repair(html: &mut Html, repair: &Repair, link: Option<&String>) {
    html.begin("li", &[]);
    html.begin("ul", &[("class", "changes")]);
    for one in &repair.changes {
        change(html, one);
    }
    html.end();
    if let Some(link) = link {
        html.element("a", &[("href", &format!("../{link}"))], "Step through the repaired program");
    }
    html.end();
}

/// What was found with some means: `with` ends the sentence.
fn found(html: &mut Html, repairs: &Repairs, with: &str, links: &[String]) {
    match repairs {
        Repairs::Found { shown, more, all } => {
            let changes = shown.first().map_or(0, |repair| repair.changes.len()) as u64;
            let ways = (shown.len() + more) as u64;
            let mut sentence = format!("{}{with}", words::count_in_words(changes, "change"));
            sentence = format!("{} {} enough", words::capitalised(&sentence), words::by_number(changes, "is", "are"));
            let number = words::count_in_words(ways, "way");
            sentence += &match (ways, all) {
                (_, false) => format!(", in at least {number}:"),
                _ if *more == 0 => format!(", in {number}:"),
                _ => format!(", in {number}, of which {} are shown:", shown.len()),
            };
            html.paragraph(&sentence);
            html.begin(if shown.len() > 1 { "ol" } else { "ul" }, &[("class", "repairs")]);
            for (at, one) in shown.iter().enumerate() {
                repair(html, one, links.get(at));
            }
            html.end();
        }
        Repairs::Open => html.paragraph(&format!(
            "Not all executions of the changed programs were explored, so it is not known whether there is a \
             repair{with}."
        )),
        Repairs::None { hopeless: true, .. } => html.paragraph(&match with {
            "" => "There is no repair: with all of these changes together, it is still allowed.".to_owned(),
            with => format!("Changes{with} are no repair, not even all of them together."),
        }),
        Repairs::None { tried: 0, .. } => {
            html.paragraph(&format!("Too many places could be changed to look for a repair{with}."));
        }
        Repairs::None { tried, .. } => {
            html.paragraph(&format!("There is no repair in up to {}{with}.", words::count(*tried as u64, "change")));
        }
    }
}

fn repairs(html: &mut Html, page: &Page) {
    html.begin("section", &[]);
    html.element("h2", &[], "The repair");
    if page.repairs.is_empty() {
        html.paragraph("No model allows it, so there is nothing to repair.");
    } else {
        html.paragraph(&format!(
            "These are the weakest changes after which a model no longer allows it: fewest changes first, and none of \
             them can be weaker. Litmoscope tries fences between accesses, stronger orders of access where the model \
             heeds them, and exchanges instead of writes where the model has store buffers; up to {MAX_CHANGES} \
             changes at once."
        ));
    }
    for (at, (models, mending)) in page.repairs.iter().enumerate() {
        html.element("h3", &[], &format!("Under {}", titles(models)));
        found(html, &mending.any, "", &page.links.repaired[at]);
        for (means, repairs) in &mending.alone {
            found(html, repairs, &alone(*means), &[]);
        }
    }
    html.end();
}

fn alone(means: Means) -> String {
    format!(" of {} alone", means.title())
}

fn outcomes(html: &mut Html, page: &Page) {
    html.begin("section", &[]);
    html.element("h2", &[], "All outcomes");
    let table = &page.table;
    begin_table(html, "outcomes", "Executions with each outcome, by model");
    html.begin("thead", &[]);
    html.begin("tr", &[]);
    for column in &table.columns {
        html.begin("th", &[("scope", "col")]);
        html.element("code", &[], column);
        html.end();
    }
    html.element("th", &[("scope", "col")], "Asked for");
    for model in Model::ALL {
        html.element("th", &[("scope", "col")], model.title());
    }
    html.end();
    html.end();
    html.begin("tbody", &[]);
    for row in &table.rows {
        html.begin("tr", if row.asked { &[("class", "asked")] } else { &[] });
        for value in &row.values {
            html.element("td", &[], value);
        }
        html.element("td", &[], if row.asked { "yes" } else { "" });
        for &verdict in &row.verdicts {
            let text = match verdict {
                Verdict::Allowed { executions } => executions.to_string(),
                Verdict::Forbidden => "–".to_owned(),
                Verdict::Unknown => "?".to_owned(),
            };
            html.element("td", &[("class", class(verdict))], &text);
        }
        html.end();
    }
    html.end();
    end_table(html);
    html.element("p", &[("class", "note")], "A number: so many executions end so. “–”: the model forbids it.");
    for (count, what) in
        [(table.left_out, "is not listed"), (table.forbidden, "is forbidden by all models and not listed")]
    {
        if count > 0 {
            let what = if count == 1 { what.to_owned() } else { what.replacen("is", "are", 1) };
            html.element("p", &[("class", "note")], &format!("{} {what}.", words::count(count as u64, "more outcome")));
        }
    }
    for note in &table.notes {
        html.element("p", &[("class", "note")], note);
    }
    html.end();
}

fn papers(html: &mut Html, written: &Written, page: &Page, address: Address) {
    let cited: Vec<(&Citation, &Paper)> = page
        .entry
        .papers
        .iter()
        .filter_map(|citation| Some((citation, written.papers.iter().find(|paper| paper.key == citation.key())?)))
        .collect();
    html.begin("section", &[]);
    html.element("h2", &[], "Where it appears, and how to cite it");
    if !cited.is_empty() {
        html.begin("ul", &[("class", "papers")]);
        for (citation, paper) in &cited {
            html.begin("li", &[]);
            cite(html, paper);
            if let Some(place) = citation.place() {
                html.text(&format!(" {}.", words::capitalised(place)));
            }
            html.end();
        }
        html.end();
    }
    html.begin("details", &[("class", "program")]);
    html.element("summary", &[], "BibTeX");
    let entries: Vec<String> = [page_entry(&page.entry.name, address)]
        .into_iter()
        .chain(cited.iter().map(|(_, paper)| paper_entry(paper)))
        .collect();
    html.element("pre", &[("tabindex", "0")], entries.join("\n").trim_end());
    html.end();
    html.end();
}

/// The other tests of the family.
fn neighbours(html: &mut Html, written: &Written, page: &Page) {
    let Some(family) = written.families.iter().find(|family| family.id == page.entry.family) else { return };
    html.begin("section", &[("class", "neighbours")]);
    html.element("h2", &[], &family.title);
    html.begin("ul", &[("class", "families")]);
    for other in written.tests.iter().filter(|other| other.family == family.id) {
        html.begin("li", &[]);
        if other.name == page.entry.name {
            html.element("b", &[("aria-current", "page")], &other.name);
        } else {
            html.element("a", &[("href", &format!("{}.html", slug(&other.name)))], &other.name);
        }
        html.end();
    }
    html.end();
    html.end();
}
