//! Whether letters that were typed mean a text, and how well: each word's letters stand in it in their order, best at the
//! beginnings of words and beside one another.

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

/// What a character is worth by its place.
fn worth(text: &[char], at: usize) -> i32 {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return AT_START };
    let here = text[at];
    let begins = !before.is_alphanumeric() || (before.is_ascii_lowercase() && here.is_ascii_uppercase());
    if begins { AT_WORD } else { INSIDE }
}

fn fit_word(word: &[char], text: &[char]) -> Option<Fit> {
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
            if row == 0 {
                return Some((worth(text, at), at));
            }
            let beside = at.checked_sub(1).and_then(|place| {
                last.and_then(|last| last[place]).map(|(score, _)| (score + BESIDE.max(worth(text, at)), place))
            });
            let apart = apart.map(|(score, place)| (score + worth(text, at), place));
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
        assert_eq!(fit("", "Stop").map(|fit| fit.marks), Some(vec![]));
        assert_eq!(fit("mo rc", "Model: RC11").map(|fit| fit.marks), Some(vec![0, 1, 7, 8]));
    }

    proptest! {
        #[test]
        fn letters_that_are_marked_are_those_that_were_typed(word in "[a-cA-C:ß]{1,6}", text in "[a-cA-C :ßİ]{0,30}") {
            let letters: Vec<char> = text.chars().collect();
            let typed: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
            let mut rest = letters.iter();
            let stands_there = typed.iter().all(|letter| rest.any(|other| same(*letter, *other)));
            let fit = fit(&word, &text);
            prop_assert_eq!(fit.is_some(), stands_there);
            if let Some(fit) = fit {
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
