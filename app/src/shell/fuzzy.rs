//! Whether letters that were typed mean a text, and how well: each word's letters stand in it in their order, each at the beginning
//! of a word or beside the one before; or all of them beside one another, wherever that is.

/// How well a text fits, and which of its characters were meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The larger, the better.
    pub score: i32,
    /// Positions of characters, in their order.
    pub marks: Vec<usize>,
}

const AT_START: i32 = 12;
const AT_WORD: i32 = 9;
const BESIDE: i32 = 7;
const INSIDE: i32 = 1;
/// What a character between two that were meant costs.
const GAP: i32 = 1;
/// Fewer letters beside one another within a word are there by chance.
const SHORTEST_RUN: usize = 3;
/// More is not looked at, of what is typed and of a text.
const LONGEST: (usize, usize) = (40, 160);

/// How well a text fits what was typed; `None` if a word of that is not in it.
pub fn fit(typed: &str, text: &str) -> Option<Fit> {
    let text: Vec<char> = text.chars().take(LONGEST.1).collect();
    let mut all = Fit { score: 0, marks: Vec::new() };
    for word in typed.split_whitespace() {
        let word: Vec<char> = word.chars().take(LONGEST.0).flat_map(char::to_lowercase).collect();
        let fit = fit_word(&word, &text)?;
        all.score += fit.score;
        all.marks.extend(fit.marks);
    }
    all.marks.sort_unstable();
    all.marks.dedup();
    // Of two that fit as well, the shorter one was meant.
    all.score = all.score * 8 - text.len() as i32;
    Some(all)
}

fn same(letter: char, other: char) -> bool {
    other.to_lowercase().eq([letter])
}

/// What a character is worth where something begins with it; `None` within a word.
fn worth(text: &[char], at: usize) -> Option<i32> {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return Some(AT_START) };
    let here = text[at];
    let begins = !before.is_alphanumeric() || (before.is_ascii_lowercase() && here.is_ascii_uppercase());
    begins.then_some(AT_WORD)
}

/// A word that stands in the text as it was typed.
fn fit_run(word: &[char], text: &[char]) -> Option<Fit> {
    let is_there = |at: &usize| word.iter().zip(&text[*at..]).all(|(letter, other)| same(*letter, *other));
    let last = text.len().checked_sub(word.len().max(SHORTEST_RUN))?;
    let at = (word.len() >= SHORTEST_RUN).then(|| (0..=last).find(is_there)).flatten()?;
    Some(Fit { score: INSIDE + BESIDE * (word.len() as i32 - 1), marks: (at..at + word.len()).collect() })
}

fn fit_word(word: &[char], text: &[char]) -> Option<Fit> {
    let (begun, run) = (fit_begun(word, text), fit_run(word, text));
    begun.into_iter().chain(run).max_by_key(|fit| fit.score)
}

/// A word whose letters stand at the beginnings of words, or beside the letter before.
fn fit_begun(word: &[char], text: &[char]) -> Option<Fit> {
    // For each letter of the word, the best score with that letter at each place, and where the letter before stood.
    let mut rows: Vec<Vec<Option<(i32, usize)>>> = Vec::with_capacity(word.len());
    for (row, &letter) in word.iter().enumerate() {
        // The best of the row before that is not beside: what it is worth here, and its place.
        let mut apart: Option<(i32, usize)> = None;
        let places = (0..text.len()).map(|at| {
            let last = rows.last();
            if let Some((score, _)) = apart.as_mut() {
                *score -= GAP;
            }
            if let Some((score, place)) = at
                .checked_sub(2)
                .and_then(|place| last.and_then(|last| last[place]).map(|(score, _)| (score - GAP, place)))
                && apart.is_none_or(|(best, _)| score > best)
            {
                apart = Some((score, place));
            }
            if !same(letter, text[at]) {
                return None;
            }
            let worth = worth(text, at);
            if row == 0 {
                return Some((worth?, at));
            }
            let beside = at.checked_sub(1).and_then(|place| {
                last.and_then(|last| last[place]).map(|(score, _)| (score + BESIDE.max(worth.unwrap_or(INSIDE)), place))
            });
            let apart = apart.and_then(|(score, place)| Some((score + worth?, place)));
            beside.into_iter().chain(apart).max_by_key(|(score, _)| *score)
        });
        let places = places.collect();
        rows.push(places);
    }
    let ends = rows.last()?.iter().enumerate().filter_map(|(at, end)| Some((end.as_ref()?.0, at)));
    // Of the best, the first.
    let (score, mut at) = ends.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)))?;
    let mut marks = vec![at];
    for row in rows[1..].iter().rev() {
        at = row[at]?.1;
        marks.push(at);
    }
    marks.reverse();
    Some(Fit { score, marks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn best<'a>(typed: &str, texts: &[&'a str]) -> &'a str {
        texts.iter().max_by_key(|text| fit(typed, text).map(|fit| fit.score)).expect("there are some")
    }

    #[test]
    fn what_is_meant_comes_first() {
        let texts = [
            "Compare models",
            "Model: RC11",
            "Model: RA",
            "Algorithm: TruSt",
            "Algorithm: TruSt (co)",
            "Lecture mode",
            "Lessons",
            "Side by side",
            "Zoom in",
            "SB: Store buffering",
            "MP: Message passing",
            "Step forward",
            "Stop",
            "Settings",
        ];
        for (typed, meant) in [
            ("model rc11", "Model: RC11"),
            ("rc", "Model: RC11"),
            ("algorithm trust", "Algorithm: TruSt"),
            ("trust co", "Algorithm: TruSt (co)"),
            ("cm", "Compare models"),
            ("side s", "Side by side"),
            ("sb", "SB: Store buffering"),
            ("store", "SB: Store buffering"),
            ("mp", "MP: Message passing"),
            ("lec", "Lecture mode"),
            ("stop", "Stop"),
            ("sf", "Step forward"),
            ("ZOOM", "Zoom in"),
        ] {
            assert_eq!(best(typed, &texts), meant, "{typed}");
        }
        assert_eq!(fit("rc11", "Compare models"), None);
        // Within words, and scattered.
        assert_eq!(fit("ffer", "SB: Store buffering").map(|fit| fit.marks), Some(vec![12, 13, 14, 15]));
        for scattered in ["sre", "bfrg", "oe", "en"] {
            assert_eq!(fit(scattered, "SB: Store buffering"), None, "{scattered}");
        }
        assert_eq!(fit("", "Stop").map(|fit| fit.marks), Some(vec![]));
        assert_eq!(fit("mo rc", "Model: RC11").map(|fit| fit.marks), Some(vec![0, 1, 7, 8]));
    }

    proptest! {
        #[test]
        fn letters_that_are_marked_are_those_that_were_typed(word in "[a-cA-C:ß]{1,6}", text in "[a-cA-C :ßİ]{0,30}") {
            let letters: Vec<char> = text.chars().collect();
            let typed: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
            let is_there = |at: usize| typed.iter().zip(&letters[at..]).all(|(letter, other)| same(*letter, *other));
            let places = 0..(letters.len() + 1).saturating_sub(typed.len());
            let stands_there = typed.len() >= SHORTEST_RUN && places.into_iter().any(is_there);
            let fit = fit(&word, &text);
            prop_assert!(fit.is_some() || !stands_there);
            if let Some(fit) = fit {
                let beside = |two: &[usize]| two[1] == two[0] + 1;
                let whole = typed.len() >= SHORTEST_RUN && fit.marks.windows(2).all(beside);
                let begun = |at: usize| worth(&letters, at).is_some();
                let all_begun = fit.marks.windows(2).all(|two| beside(two) || begun(two[1])) && begun(fit.marks[0]);
                prop_assert!(whole || all_begun);
                prop_assert!(fit.marks.windows(2).all(|two| two[0] < two[1]));
                prop_assert_eq!(fit.marks.len(), typed.len());
                prop_assert!(fit.marks.iter().zip(&typed).all(|(at, letter)| same(*letter, letters[*at])));
            }
        }

        #[test]
        fn nothing_that_is_typed_fails(typed in ".{0,60}", text in ".{0,200}") {
            let count = text.chars().count();
            prop_assert!(fit(&typed, &text).is_none_or(|fit| fit.marks.iter().all(|at| *at < count)));
        }
    }
}
