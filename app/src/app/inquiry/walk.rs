//! Steps that are gone through by keys and buttons, or played.

use gloo::timers::callback::Interval;
use leptos::prelude::*;

use crate::app::App;
use crate::ui::step_buttons::Move;

/// Plays the steps of a lab.
#[derive(Clone, Copy)]
pub struct Player {
    /// The page.
    pub app: App,
    /// It plays.
    pub playing: RwSignal<bool>,
    /// Something is worked on.
    pub running: RwSignal<bool>,
    timer: StoredValue<Option<Interval>, LocalStorage>,
}

impl Player {
    /// It does not play yet.
    pub fn new(app: App, running: RwSignal<bool>) -> Self {
        Self { app, playing: RwSignal::new(false), running, timer: StoredValue::new_local(None) }
    }
}

/// Something with steps. A step is how many of them are shown.
pub trait Walk: Copy + Send + Sync + 'static {
    /// How long a step is seen while they play, in milliseconds.
    const PERIOD: u32 = 900;

    /// What plays the steps.
    fn player(self) -> Player;

    /// The step that is asked for, and how many there are.
    fn place(self) -> (u32, u32);

    /// Shows so many steps; more than there are: all.
    fn go_to(self, step: u32);

    /// Whether what is asked for is seen.
    fn is_settled(self) -> bool {
        !self.player().running.get_untracked()
    }

    /// A step on.
    fn step(self) {
        let (step, all) = self.place();
        self.go_to(step.min(all) + 1);
    }

    /// A step back.
    fn step_back(self) {
        let (step, all) = self.place();
        self.go_to(step.min(all).saturating_sub(1));
    }

    /// Follows a button.
    fn go(self, to: Move) {
        match to {
            Move::First => self.go_to(0),
            Move::Back => self.step_back(),
            Move::On => self.step(),
            Move::Last => self.go_to(u32::MAX),
            Move::Play => self.toggle_play(),
        }
    }

    /// Plays the steps to the end, or stops.
    fn toggle_play(self) {
        let playing = !self.player().playing.get_untracked();
        let (step, all) = self.place();
        if playing && step >= all {
            self.go_to(0);
        }
        self.player().playing.set(playing);
    }

    /// Makes steps while they play.
    fn follow_play(self) {
        let Player { playing, timer, .. } = self.player();
        Effect::new(move |_| {
            let ticks = playing.get().then(|| {
                Interval::new(Self::PERIOD, move || {
                    // What is not seen yet is waited for.
                    if !self.is_settled() {
                        return;
                    }
                    self.step();
                    let (step, all) = self.place();
                    if step >= all {
                        playing.set(false);
                    }
                })
            });
            timer.set_value(ticks);
        });
    }
}
