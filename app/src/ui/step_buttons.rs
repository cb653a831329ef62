//! Buttons that lead through steps: to the first, back, on, to the last, and to play them, with where that is.

use leptos::prelude::*;

/// Where a button leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Before the first step.
    First,
    /// A step back.
    Back,
    /// A step on.
    On,
    /// Behind the last step.
    Last,
    /// Plays the steps, or stops.
    Play,
}

/// The buttons and the place. `ids` are those of the buttons and of the place, `titles` those of all buttons but the last; `place` is the step that is shown and how many there are.
pub fn step_buttons(
    ids: [&'static str; 6],
    titles: [&'static str; 4],
    place: Memo<(u32, u32)>,
    go: impl Fn(Move) + Copy + 'static,
) -> impl IntoView {
    let [first, back, on, last, play, shown] = ids;
    let [to_first, to_back, to_on, to_last] = titles;
    let button = move |id: &'static str, title: &'static str, sign: &'static str, to: Move, off: Signal<bool>| {
        view! {
            <button type="button" id=id title=title aria-label=title disabled=off on:click=move |_| go(to)>
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    let at_start = Signal::derive(move || place.get().0 == 0);
    let at_end = Signal::derive(move || place.get().0 >= place.get().1);
    let none = Signal::derive(move || place.get().1 == 0);
    view! {
        {button(first, to_first, "|←", Move::First, at_start)}
        {button(back, to_back, "←", Move::Back, at_start)}
        {button(on, to_on, "→", Move::On, at_end)}
        {button(last, to_last, "→|", Move::Last, at_end)}
        {button(play, "Play, or stop (Space)", "▶", Move::Play, none)}
        <span class="step-place" id=shown>{move || format!("step {} of {}", place.get().0, place.get().1)}</span>
    }
}
