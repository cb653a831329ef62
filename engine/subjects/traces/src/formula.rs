//! Why consistency is hard: a formula as the text of a trace, with words on how it became one.

use crate::words::{count, list};
use crate::{Formula, FormulaError, Reduction, Trace, print_trace};

/// The trace of a formula as a text, which says in comments how it was made: `(1 2) (-1 -2)`.
///
/// # Errors
/// What is wrong with the formula, and where.
pub fn formula_text(formula: &str) -> Result<String, FormulaError> {
    let formula = Formula::parse(formula)?;
    let most = formula.clauses().iter().map(Vec::len).max().unwrap_or(0);
    let carriers = list((1..=most).map(|at| format!("h{at}")));
    let clauses = list((1..=most + 1).map(|at| format!("hC{at}")));
    let about = [
        format!(
            "The formula {formula} as a trace: it is consistent if and only if the formula can be satisfied. {}, {}.",
            count(formula.variables() as u64, "variable"),
            count(formula.clauses().len() as u64, "clause")
        ),
        "A variable i is a pair of messages, m_i_T on h1 and m_i_F on h2. They race: the one that gets ahead is the value. Nothing in \
         the trace says which, so the solver has to guess."
            .to_owned(),
        format!(
            "Each of the two is passed on to h0 once for every clause, and from there by {carriers} to hW, as w_i_j_T and w_i_j_F for clause j. All \
             these mailboxes are queues, so every copy has the order of the pair: a variable has one value in all clauses."
        ),
        format!(
            "A clause j is the messages c_j_1, c_j_2 and so on, each on a handler of its own ({clauses}). From one to the next there is one \
             way for each literal: it leads through w_i_j_T and w_i_j_F on hW, and holds what comes before it only if the literal is false."
        ),
        "The last message of a clause writes z_j, which the first one reads. So if all literals of a clause are false, \
         its ways form a cycle. If one is true, there is a gap."
            .to_owned(),
    ];
    let mut text = String::new();
    for paragraph in about {
        text += &wrapped(&paragraph);
        text += "#\n";
    }
    // A first line that goes on with a parenthesis may be that of a program.
    let name = Some(format!("formula {formula}"));
    text += &print_trace(&Trace { name, ..Reduction::new(formula).trace });
    Ok(text)
}

/// Comment lines of at most 100 characters.
fn wrapped(paragraph: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in paragraph.split_whitespace() {
        let is_full = lines.last().is_some_and(|line| line.chars().count() + 1 + word.chars().count() > 100);
        if is_full {
            lines.push("#".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, Meter};
    use crate::{begins_trace, parse_trace, solve};

    #[test]
    fn a_formula_is_a_trace_that_says_how() {
        for (formula, satisfiable) in [("(1 2)", true), ("(1 2) (1 -2) (-1 2) (-1 -2)", false)] {
            let text = formula_text(formula).expect("it is a formula");
            assert!(text.starts_with(&format!("# The formula {formula} as a trace")), "{text}");
            assert!(text.lines().filter(|line| line.starts_with('#')).all(|line| line.chars().count() <= 100));
            assert!(begins_trace(&text));
            let trace = parse_trace(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"));
            let answer = solve(&trace, &mut Meter::unlimited(&mut Budget::unlimited())).expect("there is no limit");
            assert_eq!(answer.schedule.is_some(), satisfiable, "{formula}");
        }
        assert!(formula_text("(1 1)").is_err_and(|error| error.message.contains("twice")));
    }
}
