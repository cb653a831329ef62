//! Tests of our own notation.

use crate::program::Notation;
use crate::program::{Program, arbitrary};
use crate::syntax::{Parsed, parse, print, render};
use proptest::prelude::*;

/// Parses and prints, and fails with the rendered messages.
fn read(text: &str) -> Parsed {
    parse(text).unwrap_or_else(|errors| panic!("{text}\n{}", render(text, "test", &errors)))
}

fn write(program: &Program) -> String {
    print(program, Notation::Litmoscope).unwrap_or_else(|error| panic!("{error}: {program:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn what_is_printed_parses_to_the_same(program in arbitrary::program()) {
        let text = write(&program);
        let parsed = read(&text).program.without_spans();
        prop_assert_eq!(parsed, program, "{}", text);
    }
}
