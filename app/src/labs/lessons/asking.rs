//! A question to the room, and what becomes of it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::explore::Options;
use litmoscope::labs::comparison::{Answered, Asked, QuizAnswer};
use litmoscope::model::Model;

use crate::browser;
use crate::document::examples::{Example, PROGRAMS, examples};
use crate::document::valid_unroll;
use crate::worker::comparison::Comparison;

/// The question that is put, and what became of it.
#[derive(Clone, Copy)]
pub struct Quiz {
    /// The question; nothing else is on the page then.
    pub asked: RwSignal<Option<Arc<Asked>>>,
    pub options: RwSignal<Options>,
    /// Why there is none.
    pub trouble: RwSignal<Option<String>>,
    pub said: RwSignal<Option<QuizAnswer>>,
    pub revealed: RwSignal<bool>,
    pub comparison: Comparison,
    /// It is one of many, on the programs of the gallery.
    pub series: RwSignal<bool>,
    examples: RwSignal<Vec<Example>>,
    /// In the order of the gallery, or at random.
    pub random: RwSignal<bool>,
    /// The only model asked for, if it is one.
    pub model: RwSignal<Option<Model>>,
    /// How many questions came before.
    count: StoredValue<usize>,
    /// The question that is fetched now.
    fetching: StoredValue<u32>,
    pub right: RwSignal<u32>,
    pub answered: RwSignal<u32>,
    pub counted: StoredValue<bool>,
}

impl Quiz {
    /// Nothing asked yet.
    pub fn new() -> Self {
        Self {
            asked: RwSignal::new(None),
            options: RwSignal::default(),
            trouble: RwSignal::new(None),
            said: RwSignal::new(None),
            revealed: RwSignal::new(false),
            comparison: Comparison::new(),
            series: RwSignal::new(false),
            examples: RwSignal::default(),
            random: RwSignal::new(true),
            model: RwSignal::new(None),
            count: StoredValue::new(0),
            fetching: StoredValue::new(0),
            right: RwSignal::new(0),
            answered: RwSignal::new(0),
            counted: StoredValue::new(false),
        }
    }

    /// That of this page.
    pub fn get() -> Self {
        expect_context()
    }

    /// Runs an effect again when there is another question.
    pub fn track(self) {
        self.asked.track();
    }

    /// Whether the page shows a question and nothing else.
    pub fn active(self) -> bool {
        self.asked.with(Option::is_some) || self.series.get()
    }

    /// Puts a question, and starts to explore.
    pub fn ask(self, asked: Asked, options: Options) {
        self.said.set(None);
        self.revealed.set(false);
        self.counted.set_value(false);
        let options = Options { stop_at_first: false, ..options.without_reductions() };
        let subject = Some((asked.text.clone(), options));
        if self.comparison.subject.get_untracked() != subject {
            self.comparison.forget();
            self.comparison.start(&asked.text, options);
        }
        self.comparison.contrast.set(None);
        self.trouble.set(None);
        self.options.set(options);
        self.asked.set(Some(Arc::new(asked)));
    }

    /// Takes the question away.
    pub fn leave(self) {
        self.fetching.update_value(|id| *id += 1);
        self.asked.set(None);
        self.series.set(false);
        self.trouble.set(None);
        self.revealed.set(false);
    }

    /// What somebody says; the answer is shown at once.
    pub fn say(self, answer: QuizAnswer) {
        if !self.revealed.get_untracked() && self.asked.with_untracked(Option::is_some) {
            self.said.set(Some(answer));
            self.revealed.set(true);
        }
    }

    /// Reveals the answer, or goes on to the next question; whether there was one.
    pub fn go_on(self) -> bool {
        if self.asked.with_untracked(Option::is_some) && !self.revealed.get_untracked() {
            self.revealed.set(true);
        } else if self.series.get_untracked() {
            self.next();
        } else {
            self.leave();
            return false;
        }
        true
    }

    /// Starts asking about the programs of the gallery.
    pub fn start(self) {
        self.series.set(true);
        self.right.set(0);
        self.answered.set(0);
        self.count.set_value(0);
        if self.examples.with_untracked(Vec::is_empty) {
            spawn_local(async move {
                match examples(&[PROGRAMS]).await {
                    Ok(list) => {
                        self.examples.set(list);
                        self.next();
                    }
                    Err(why) => self.trouble.set(Some(format!("There is nothing to ask: {why}."))),
                }
            });
        } else {
            self.next();
        }
    }

    /// Puts the next question of the gallery.
    pub fn next(self) {
        self.fetching.update_value(|id| *id += 1);
        let id = self.fetching.get_value();
        spawn_local(async move {
            let examples = self.examples.get_untracked();
            // Not every program has a condition.
            for _ in 0..4 * examples.len() {
                let count = self.count.get_value();
                self.count.set_value(count + 1);
                let models: Vec<_> =
                    self.model.get_untracked().map_or_else(|| Model::ALL.to_vec(), |model| vec![model]);
                let pairs = examples.len() * models.len();
                let pair = if self.random.get_untracked() { browser::random(pairs) } else { count % pairs.max(1) };
                let (Some(example), Some(model)) = (examples.get(pair / models.len()), models.get(pair % models.len()))
                else {
                    break;
                };
                let Ok(text) = example.text().await else { continue };
                if self.fetching.get_value() != id {
                    return;
                }
                let mut options = Options::default();
                if let Some(unroll) = example.unroll.filter(|&unroll| valid_unroll(unroll)) {
                    options.limits.unroll = unroll;
                }
                if let Ok(asked) = Asked::new(&text, None, *model) {
                    self.ask(asked, options);
                    return;
                }
            }
            self.trouble.set(Some("There is nothing to ask: the gallery can't be read.".to_owned()));
        });
    }

    /// The answer, as soon as everything is explored.
    pub fn answer(self) -> Option<Answered> {
        let asked = self.asked.get()?;
        let of = self.comparison.subject.get().is_some_and(|(text, _)| text == asked.text);
        self.comparison.view.get().filter(|_| of).and_then(|view| asked.answer(&view))
    }
}

impl Default for Quiz {
    fn default() -> Self {
        Self::new()
    }
}
