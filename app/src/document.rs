//! The text, what the parser says of it, and how it is to be explored.

pub mod examples;
pub mod place;
pub mod recent;

use leptos::prelude::*;
use litmoscope::document::Kind;
use litmoscope::explore::{Algorithm, Options, Parameters};
use litmoscope::model::{Because, Model, Usual};
use litmoscope::program::{Notation, Program};
use litmoscope::session::{Settings, link};
use litmoscope::syntax::{self, Diagnostic, Dialects};

use crate::browser::{self, Store};
use crate::ui::prose::plain;

/// What is in the editor when there is nothing else.
pub const FIRST_PROGRAM: &str = "\
// Store buffering: can both
// reads miss the writes?
x := 1 || y := 1
a := y || b := x

exists (P0:a = 0 /\\ P1:b = 0)
";

/// The name under which a text is kept that was replaced.
const KEPT: &str = "kept";

/// The name under which the file of the example is kept that is open.
const EXAMPLE: &str = "example";

/// What the parser says of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Errors, or what was inferred.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the text is no program.
    pub broken: bool,
    /// It is one, but what explores can't explore it: so say the messages.
    pub refused: bool,
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// It came from the gallery or the page, and need not be kept.
    Sample,
    /// The reader's own, or a link's.
    Readers,
}

/// The text and how it is to be explored.
#[derive(Clone, Copy)]
pub struct Document {
    /// The text in the editor.
    pub text: RwSignal<String>,
    /// What the parser says of it, and then what its exploration knows.
    pub checked: RwSignal<Checked>,
    /// What the parser alone said last.
    read: StoredValue<Checked>,
    /// How many readers of texts have come late.
    pub readers: RwSignal<u32>,
    /// Whether the text is in one of herd's dialects and nothing that reads them is there yet.
    pub awaits_dialects: RwSignal<bool>,
    /// The memory model.
    pub model: RwSignal<Model>,
    /// The algorithm.
    pub algorithm: RwSignal<Algorithm>,
    /// How to explore.
    pub options: RwSignal<Options>,
    /// The text that was replaced by an example or a link, as a link.
    pub kept: RwSignal<Option<String>>,
    /// A text that came from the gallery or the page and need not be kept.
    sample: StoredValue<String>,
    /// The file of the last example, and its text.
    example: RwSignal<Option<(String, String)>>,
    /// The model that the text last asked for by itself, and how.
    asked: RwSignal<Option<(Model, Because)>>,
    /// The model before the text's notation chose one.
    before_notation: StoredValue<Option<Model>>,
    /// Whether the text is a program with handlers.
    pub handlers: RwSignal<bool>,
    /// How programs without handlers were explored before one with handlers came.
    before_handlers: StoredValue<Option<(Algorithm, Model)>>,
    /// What the last link asked for, for the options that the page has no switch for.
    linked: RwSignal<Option<Settings>>,
}

impl Document {
    /// What these settings say.
    pub fn new(settings: &Settings) -> Self {
        Self::beside(settings, Store::Tab.get(KEPT))
    }

    fn beside(settings: &Settings, kept: Option<String>) -> Self {
        Self {
            text: RwSignal::new(settings.text.clone()),
            checked: RwSignal::default(),
            read: StoredValue::default(),
            readers: RwSignal::new(0),
            awaits_dialects: RwSignal::new(false),
            model: RwSignal::new(settings.model),
            algorithm: RwSignal::new(settings.algorithm),
            options: RwSignal::new(wanted(settings)),
            kept: RwSignal::new(kept),
            sample: StoredValue::new(FIRST_PROGRAM.to_owned()),
            example: RwSignal::new(None),
            asked: RwSignal::new(asked_by(&settings.text)),
            before_notation: StoredValue::new(None),
            handlers: RwSignal::new(false),
            before_handlers: StoredValue::new(None),
            linked: RwSignal::new(Some(settings.clone())),
        }
    }

    /// What the text is.
    pub fn kind(self) -> Kind {
        self.text.with(|text| Kind::of(text))
    }

    /// What was chosen, at the exploration's start.
    pub fn settings(self) -> Settings {
        let Options { limits, stop_at_first, no_races, stuck_loops, spurious, leave_out_waits, parameters, .. } =
            self.options.get();
        let algorithm = self.algorithm.get();
        let options = Options { stop_at_first, no_races, stuck_loops, spurious, ..Options::default() };
        let options = Options { leave_out_waits, parameters, ..options };
        let mut settings = Settings {
            text: self.text.get(),
            model: self.model.get(),
            algorithm,
            options: options.heeded_by(algorithm),
            position: 0,
        };
        settings.options.limits.unroll = limits.unroll;
        settings.options.limits.unroll_spins = limits.unroll_spins;
        let same = |linked: &Settings| {
            linked.text == settings.text && linked.model == settings.model && linked.algorithm == settings.algorithm
        };
        if let Some(linked) = self.linked.get().filter(same) {
            let Options { symmetry, preemptions, contexts, .. } = linked.options;
            settings.options = Options { symmetry, preemptions, contexts, ..settings.options };
            // A session has no room for so many events, and says so, rather than cut threads where the link's don't end.
            settings.options.limits.events = linked.options.limits.events;
        }
        settings
    }

    /// Another algorithm, with its usual parameters.
    pub fn use_algorithm(self, algorithm: Algorithm) {
        if self.algorithm.get_untracked() != algorithm {
            self.options.update(|options| options.parameters = Parameters::USUAL);
            self.algorithm.set(algorithm);
        }
    }

    /// Asks the parser. A line that names a model picks it once; the picker has the last word.
    pub fn check(self, text: &str) {
        let checked = self.read(text);
        if self.checked.with_untracked(|old| *old != checked) {
            self.checked.set(checked);
        }
    }

    fn read(self, text: &str) -> Checked {
        let checked = match Kind::of(text).read(text) {
            Ok(summary) => {
                self.follow_text(summary.program.as_ref().and_then(asked));
                self.follow_handlers(summary.program.as_ref().is_some_and(Program::has_handlers));
                // What is no program is asked about, not explored.
                Checked { diagnostics: summary.notes, broken: summary.program.is_none(), refused: false }
            }
            // That nothing is there yet is no error.
            Err(_) if text.trim().is_empty() => Checked { broken: true, ..Checked::default() },
            Err(diagnostics) => Checked { diagnostics, broken: true, refused: false },
        };
        self.read.set_value(checked.clone());
        let awaits = !Dialects::can_read(text);
        if self.awaits_dialects.get_untracked() != awaits {
            self.awaits_dialects.set(awaits);
        }
        checked
    }

    /// What was chosen, for another text, with the model that it asks for.
    pub fn settings_for(self, text: String) -> Settings {
        let settings = untrack(|| self.settings());
        let asked = asked_by(&text);
        let model = asked.map_or(settings.model, |(model, _)| model);
        let algorithm = fitting(settings.algorithm, model);
        let leave_out_waits = self.options.with_untracked(|options| options.leave_out_waits);
        let options = Options { leave_out_waits, ..settings.options }.heeded_by(algorithm);
        Settings { text, model, algorithm, options, ..settings }
    }

    /// Takes the model that a text asks for, once; that of its notation until the notation is another one.
    fn follow_text(self, asked: Option<(Model, Because)>) {
        let before = self.asked.get_untracked();
        if asked == before {
            return;
        }
        self.asked.set(asked);
        let now = self.model.get_untracked();
        let is_of_notation = before == Some((now, Because::Notation));
        let model = match asked {
            Some((model, because)) => {
                if because == Because::Notation && !is_of_notation {
                    self.before_notation.set_value(Some(now));
                }
                Some(model)
            }
            None => self.before_notation.get_value().filter(|_| is_of_notation),
        };
        let Some(model) = model else { return };
        self.model.set(model);
        self.use_algorithm(fitting(self.algorithm.get_untracked(), model));
    }

    /// Why the program is explored under its model, where the reader did not choose it and the text does not name it.
    pub fn because(self) -> Option<String> {
        let (model, because) = self.asked.get()?;
        let notation = self.text.with(|text| notation(text));
        because.text(model, notation).filter(|_| self.model.get() == model)
    }

    /// Takes what an exploration of this text knows about it, beside what the parser says.
    pub fn learn(self, text: &str, notes: &[Diagnostic]) {
        let is_news = self.text.with_untracked(|own| own == text)
            && self.checked.with_untracked(|checked| !checked.broken && checked.diagnostics != notes);
        if is_news {
            self.checked.update(|checked| checked.diagnostics = notes.to_vec());
        }
    }

    /// Chooses an algorithm that knows handlers, and SC, when a program with handlers comes, and what was chosen before when it
    /// goes. The pickers have the last word.
    fn follow_handlers(self, has_handlers: bool) {
        if self.handlers.get_untracked() != has_handlers {
            self.handlers.set(has_handlers);
        }
        let (algorithm, model) = (self.algorithm.get_untracked(), self.model.get_untracked());
        let knows = algorithm.traits().handlers;
        match self.before_handlers.get_value() {
            None if has_handlers && !knows => {
                self.before_handlers.set_value(Some((algorithm, model)));
                let takes_turns = |model: &Model| model.rules().takes_turns();
                self.model
                    .set(Some(model).filter(takes_turns).or(Model::ALL.into_iter().find(takes_turns)).unwrap_or(model));
                let fits = |other: &Algorithm| other.traits().handlers && other.tracks_co() == algorithm.tracks_co();
                self.use_algorithm(Algorithm::ALL.into_iter().find(fits).unwrap_or(algorithm));
            }
            Some((algorithm, model)) if !has_handlers => {
                self.before_handlers.set_value(None);
                if knows {
                    self.use_algorithm(algorithm);
                    self.model.set(model);
                }
            }
            _ => {}
        }
    }

    /// What reads texts has come: it is given to who asks for it, and the text is read again. Where that says nothing else than
    /// before, what an exploration has told since stays.
    pub fn take_reader(self, give: impl FnOnce()) {
        give();
        self.readers.update(|readers| *readers += 1);
        let before = self.read.get_value();
        let checked = self.text.with_untracked(|text| self.read(text));
        if checked != before {
            self.checked.set(checked);
        }
    }

    /// Replaces everything by what a link or an example says.
    pub fn set(self, settings: &Settings, whose: Whose) {
        if whose == Whose::Sample {
            self.sample.set_value(settings.text.clone());
        }
        self.asked.set(asked_by(&settings.text));
        self.before_notation.set_value(None);
        self.linked.set(Some(settings.clone()));
        self.text.set(settings.text.clone());
        self.model.set(settings.model);
        self.algorithm.set(settings.algorithm);
        self.options.set(wanted(settings));
    }

    /// An example, a file of the site, with what was chosen and the model that it asks for.
    ///
    /// # Errors
    /// Why it can't be had, in words.
    pub async fn example(self, file: &str) -> Result<Settings, String> {
        let text = browser::fetch(&format!("public/{file}")).await?;
        self.take_example(file, &text);
        Ok(self.settings_for(text))
    }

    /// Takes note of an example that is about to be opened.
    pub fn take_example(self, file: &str, text: &str) {
        self.example.set(Some((file.to_owned(), text.to_owned())));
        let _ = Store::Tab.put(EXAMPLE, file);
    }

    /// The file of the example that is open.
    pub fn open_example(self) -> Option<String> {
        let (file, text) = self.example.get()?;
        self.text.with(|own| *own == text).then_some(file)
    }

    /// Finds out, of a text that was there before the page, whether it is the last example, if that is one of these.
    pub async fn recognise(self, files: &[String]) {
        let Some(file) = Store::Tab.get(EXAMPLE).filter(|file| files.contains(file)) else { return };
        if self.example.with_untracked(Option::is_none)
            && let Ok(text) = browser::fetch(&format!("public/{file}")).await
        {
            self.example.set(Some((file, text)));
        }
    }

    /// Whether the text is the reader's own, and another one would replace it.
    pub fn is_worth_keeping(self, next: &str) -> bool {
        let text = self.text.get_untracked();
        !(text.trim().is_empty() || text == next || self.sample.with_value(|sample| *sample == text))
    }

    /// Keeps a text, and how it is explored, as a link.
    pub fn keep(self, link: String) {
        let _ = Store::Tab.put(KEPT, &link);
        self.kept.set(Some(link));
    }

    /// The text that was replaced, and how it was explored.
    pub fn kept(self) -> Option<Settings> {
        self.kept.get().and_then(|kept| link::decode(&kept).ok())
    }

    /// Puts away the offer to bring a text back.
    pub fn drop_kept(self) {
        self.kept.set(None);
        Store::Tab.remove(KEPT);
    }
}

/// How to explore, as some settings say. What their algorithm does not heed, they don't say: there it is as at first.
fn wanted(settings: &Settings) -> Options {
    let says = settings.algorithm.traits().leaves_out_waits;
    Options { leave_out_waits: settings.options.leave_out_waits || !says, ..settings.options }
}

/// The notation of a program; of other texts, our own.
pub fn notation(text: &str) -> Notation {
    Kind::of(text).definition().notation.unwrap_or_default()
}

/// The same of a text, of which nothing has to be read where the notation says enough: what reads it may not be there yet.
fn asked_by(text: &str) -> Option<(Model, Because)> {
    let notation = notation(text);
    if notation == Notation::default() {
        return syntax::parse(text).ok().and_then(|parsed| asked(&parsed.program));
    }
    Some((Usual::default().of(notation), Because::Notation))
}

/// An algorithm, or one that knows a model as the algorithm does not.
fn fitting(algorithm: Algorithm, model: Model) -> Algorithm {
    let fits = |other: &Algorithm| other.knows(model) && other.tracks_co() == algorithm.tracks_co();
    if algorithm.knows(model) { algorithm } else { Algorithm::ALL.into_iter().find(fits).unwrap_or_default() }
}

/// The model that a program's text asks for, by its name or by its notation.
fn asked(program: &Program) -> Option<(Model, Because)> {
    Usual::default().model(program).ok().filter(|(_, because)| *because != Because::Usual)
}

/// The bounds that the engine takes.
pub fn valid_unroll(unroll: u32) -> bool {
    let mut options = Options::default();
    options.limits.unroll = unroll;
    options.validate().is_ok()
}

/// The most letters of a headline.
const HEADLINE: usize = 70;

/// A text in a line: the first that says something, of a comment its first sentence.
pub fn headline(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).peekable();
    let words = |line: &str| line.trim_start_matches("//").trim_start_matches("# ").trim().to_owned();
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with("# ");
    let Some(first) = lines.find(|line| !words(line).trim_start_matches('#').is_empty()) else {
        return "empty".to_owned();
    };
    let mut headline = words(first);
    if let Some(name) = headline.strip_prefix("name ").filter(|_| !is_comment(first)) {
        headline = name.trim().to_owned();
    }
    // Comments are broken into lines anywhere.
    while is_comment(first)
        && !headline.ends_with(['.', '?', '!', ':'])
        && headline.len() < HEADLINE
        && let Some(next) = lines.next_if(|line| is_comment(line)).map(words).filter(|next| !next.is_empty())
    {
        headline = format!("{headline} {next}");
    }
    let ends = |&(at, sign): &(usize, char)| {
        let behind = headline[at + 1..].strip_prefix(' ').and_then(|behind| behind.chars().next());
        matches!(sign, '.' | '?' | '!') && behind.is_some_and(char::is_uppercase)
    };
    if let Some((at, _)) = headline.char_indices().find(ends) {
        headline.truncate(at + 1);
    }
    shortened(&plain(&headline))
}

/// A line that is not too long: it ends behind a word, then.
fn shortened(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(HEADLINE) else { return line.to_owned() };
    let cut = line[..end].rfind(' ').unwrap_or(end);
    format!("{}…", line[..cut].trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use litmoscope::program::Span;

    use super::*;

    #[test]
    fn a_reader_of_other_texts_leaves_what_was_learned() {
        let owner = Owner::new();
        owner.with(|| {
            let text = "x :=rel 1 || a :=acq x";
            let document = Document::beside(&Settings { text: text.to_owned(), ..Settings::default() }, None);
            document.check(text);
            let read = document.checked.get_untracked();
            let notes = [Diagnostic::note("SC ignores access modes".to_owned(), Span::default())];
            document.learn(text, &notes);
            document.take_reader(|| {});
            assert_eq!(document.checked.get_untracked().diagnostics, notes);
            // An edited text is read anew.
            document.check(text);
            assert_eq!(document.checked.get_untracked(), read);
        });
    }

    #[test]
    fn a_program_has_a_headline() {
        assert_eq!(headline("\n//\n// Store buffering \nx := 1"), "Store buffering");
        assert_eq!(headline("name SB\n// Store buffering\nx := 1"), "SB");
        assert_eq!(headline("C SB\n{}"), "C SB");
        assert_eq!(headline("# Four values.\nhistory s1"), "Four values.");
        assert_eq!(headline("  \n"), "empty");
        assert_eq!(headline("#\n# Four."), "Four.");
        assert_eq!(headline("// can both\n// reads miss? No.\n// More"), "can both reads miss?");
        assert_eq!(headline("// SB\n\n// other\nx := 1"), "SB");
        assert_eq!(headline("# The point of `enq 1`. Then"), "The point of enq 1.");
        let long = headline(&format!("# {}", "word, ".repeat(20)));
        assert!(long.chars().count() <= HEADLINE + 1 && long.ends_with("word…"), "{long}");
    }
}
