//! What was found in words, and as JSON.

use crate::goal::Goal;
use crate::reasons::{Needed, RuledOut};
use crate::search::{Minimal, Search, Start};
use crate::sites::{Aim, Choice, Owner, Setting, SiteKind};
use litmoscope_core::graph::{Edge, Execution, Label, RelationName};
use litmoscope_core::model::{Model, Violation};
use litmoscope_core::program::{Notation, Program};
use litmoscope_core::syntax;
use litmoscope_core::words::{count, plural};
use litmoscope_draw::{DrawingInput, InitialWrites, Room, Speaker, event_text, graph_text, mode_words};
use litmoscope_explore::compare::proposition_text;
use serde::Serialize;
use std::fmt::Write;

/// A change of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeLine {
    /// Whose it is: `P0`, `stack.push`.
    pub owner: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is there now, as the text has it; of a gap, the statement behind it.
    pub text: String,
    /// What is done, in words: `put fence sc in front`, `make it an sc write`.
    pub what: String,
    /// What it costs.
    pub cost: u64,
    /// Whether a fence is put in front of what stands there.
    #[serde(skip)]
    pub is_gap: bool,
    /// The fence that is put in: `fence sc`.
    #[serde(skip)]
    pub put: String,
}

/// What was found, to be told.
pub struct RepairReport<'r> {
    /// What the program is called; empty if it has no name.
    pub name: &'r str,
    /// Its text.
    pub source: &'r str,
    /// The search.
    pub search: &'r Search,
    /// It was told to stop.
    pub stopped: bool,
    /// Of a program that could be weaker: what is needed.
    pub needed: &'r [Needed],
}

fn noun(kind: SiteKind) -> &'static str {
    match kind {
        SiteKind::Read => "read",
        SiteKind::Write => "write",
        SiteKind::Update => "read-modify-write",
        SiteKind::Fence | SiteKind::Gap => "fence",
    }
}

/// A program in its own notation, or in ours if that has no words for it.
pub(crate) fn printed(program: &Program) -> String {
    let own = syntax::print(program, program.notation);
    own.or_else(|_| syntax::print(program, Notation::Litmoscope)).unwrap_or_default()
}

/// A changed program as text, with a comment where it differs from the one before. Without comments if its notation has none that hold them.
/// Quadratic in the number of lines.
pub(crate) fn marked(before: &Program, after: &Program) -> String {
    let (open, close) =
        if matches!(after.notation, Notation::X86 | Notation::X86_64) { ("(* ", " *)") } else { ("// ", "") };
    let (before, plain) = (printed(before), printed(after));
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), plain.lines().collect());
    // By place in both: how many lines are the same from there on.
    let mut same = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for (i, old) in old.iter().enumerate().rev() {
        for (j, new) in new.iter().enumerate().rev() {
            same[i][j] = if old == new { same[i + 1][j + 1] + 1 } else { same[i + 1][j].max(same[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            let _ = writeln!(text, "{}", new[j]);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        // All that differs here, before something is the same again.
        let (from, to) = (i, j);
        while i < old.len() || j < new.len() {
            match (old.get(i), new.get(j)) {
                (Some(before), Some(after)) if before == after => break,
                (Some(_), None) => i += 1,
                (None, _) => j += 1,
                (Some(_), Some(_)) if same[i + 1][j] > same[i][j + 1] => i += 1,
                (Some(_), Some(_)) => j += 1,
            }
        }
        let is_fence = |line: &&str| line.trim_start().starts_with("fence");
        let mut gone = old[from..i].iter().copied();
        for line in &new[to..j] {
            // A line that is there in other words, or one that was put in.
            let was = if is_fence(line) && !old[from..i].iter().any(is_fence) { None } else { gone.next() };
            let note = was.map_or("put in".to_owned(), |was| format!("was: {}", was.trim()));
            let _ = writeln!(text, "{line}  {open}{note}{close}");
        }
        for line in gone {
            let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let _ = writeln!(text, "{indent}{open}dropped: {}{close}", line.trim());
        }
    }
    let is_same = |text: &str| syntax::parse(text).is_ok_and(|parsed| printed(&parsed.program) == plain);
    if is_same(&text) { text } else { plain }
}

impl RepairReport<'_> {
    pub(crate) fn weakens(&self) -> bool {
        self.search.subject().aim == Aim::Weaken
    }

    /// What is not to happen, in words.
    pub fn goal(&self) -> String {
        let Goal { outcome, errors, states } = self.search.goal();
        let program = &self.search.subject().program;
        let mut all = Vec::new();
        all.extend(
            outcome
                .as_ref()
                .map(|outcome| format!("an execution that ends with {}", proposition_text(program, outcome))),
        );
        if states.is_some() {
            all.push("an execution that ends in a new state".to_owned());
        }
        if *errors {
            all.push("an error or a data race".to_owned());
        }
        all.join(", or ")
    }

    /// That it does not happen.
    fn absence(&self) -> String {
        let Goal { outcome, errors, .. } = self.search.goal();
        let program = &self.search.subject().program;
        let ends =
            outcome.as_ref().map(|outcome| format!("no execution ends with {}", proposition_text(program, outcome)));
        let errors = errors.then(|| "there is no error and no data race".to_owned());
        ends.into_iter().chain(errors).collect::<Vec<_>>().join(", and ")
    }

    /// Whose a site is: `P0`, `stack.push`.
    pub(crate) fn owner(&self, owner: Owner) -> String {
        let program = &self.search.subject().program;
        match owner {
            Owner::Thread(thread) => program.thread_name(usize::from(thread)),
            Owner::Method(structure, method) => {
                let structure = &program.structures[usize::from(structure)];
                format!("{}.{}", structure.name, structure.methods[usize::from(method)].name)
            }
        }
    }

    /// What a choice changes, in the order of the text: of a weakening, what is weaker than in the program.
    pub fn changes(&self, choice: &Choice) -> Vec<ChangeLine> {
        let subject = self.search.subject();
        let mut lines = Vec::new();
        for (site, level) in subject.sites.iter().zip(choice) {
            let own = if self.weakens() { site.levels.len() - 1 } else { 0 };
            if usize::from(*level) == own {
                continue;
            }
            let to = site.levels[usize::from(*level)];
            let what = match (site.kind, to) {
                (SiteKind::Gap, Setting::Fence(mode)) => format!("put a fence in front: fence {}", mode.keyword()),
                (_, Setting::NoFence) => "drop it".to_owned(),
                (_, Setting::Fence(mode)) => format!("make it fence {}", mode.keyword()),
                (kind, Setting::Access(mode)) => {
                    let mode = mode_words(mode);
                    let article = if mode.starts_with(['a', 'S']) { "an" } else { "a" };
                    format!("make the {} {article} {mode} one", noun(kind))
                }
                (_, Setting::Exchange) => "make it an exchange".to_owned(),
            };
            let costs = self.search.costs();
            let cost = costs.of(site, to).saturating_sub(costs.of(site, site.levels[0]));
            lines.push(ChangeLine {
                owner: self.owner(site.owner),
                line: site.span.line,
                column: site.span.column,
                text: site.span.event_text(self.source, 60),
                what,
                cost,
                is_gap: site.kind == SiteKind::Gap,
                put: match to {
                    Setting::Fence(mode) => format!("fence {}", mode.keyword()),
                    _ => String::new(),
                },
            });
        }
        lines
    }

    /// What would be weaker of a site that is needed.
    pub(crate) fn needed(&self, needed: &Needed) -> ChangeLine {
        let mut choice = self.search.subject().strongest();
        choice[needed.site] = needed.level;
        self.changes(&choice).swap_remove(0)
    }

    /// What was found, the cheapest first. Of weakenings, those are the ones that cost the least to run.
    pub fn found(&self) -> Vec<&Minimal> {
        let mut found: Vec<&Minimal> = self.search.found().iter().collect();
        found.sort_by_cached_key(|minimal| (minimal.cost, minimal.places()));
        found
    }

    /// Whether nothing can go wrong with the program, whatever is weakened, since its text says of nothing that it is wrong.
    pub fn asks_nothing(&self) -> bool {
        let (subject, goal) = (self.search.subject(), self.search.goal());
        let text = printed(&subject.program);
        let is_word = |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|own| own == word);
        goal.outcome.is_none() && goal.states.is_none() && !is_word("assert") && !is_word("na") && !text.contains("*")
    }

    /// Whether something was cut: there may be more, or what is there may be more than is needed.
    pub fn is_open(&self) -> bool {
        let cut = matches!(self.search.start(), None | Some(Start::Unknown | Start::Good { bounded: true }));
        let is_good = matches!(self.search.start(), Some(Start::Good { .. }));
        cut || !is_good && !self.search.is_whole()
    }

    /// Whether a bound cut what was explored of something that was found.
    pub fn is_bounded(&self) -> bool {
        self.search.found().iter().any(|found| found.bounded)
            || self.search.start() == Some(Start::Good { bounded: true })
    }

    /// Whether the program is as weak as it can be.
    fn is_tight(&self) -> bool {
        let strongest = self.search.subject().strongest();
        self.weakens() && self.search.found().iter().any(|found| found.choice == strongest)
    }

    /// How many repairs there are and the cheapest one, in a line; `None` if nothing needs to change or not all is known.
    pub fn headline(&self) -> Option<String> {
        if self.search.start() != Some(Start::Bad) || !self.search.is_whole() || self.weakens() {
            return None;
        }
        let found = self.found();
        let Some(first) = found.first() else { return Some("Nothing forbids it.".to_owned()) };
        let change = |change: &ChangeLine| format!("{}, `{}`: {}", change.owner, change.text, change.what);
        let changes: Vec<String> = self.changes(&first.choice).iter().map(change).collect();
        let all = match found.len() {
            1 => "The one minimal repair".to_owned(),
            all => format!("The cheapest of {all} minimal repairs"),
        };
        Some(format!("{all}: {}.", changes.join("; ")))
    }

    /// What comes out, in a sentence or two.
    pub fn summary(&self) -> String {
        let subject = self.search.subject();
        let name = if self.name.is_empty() { "The program" } else { self.name };
        let (model, goal) = (subject.model.title(), self.goal());
        let found = self.search.found().len() as u64;
        let kind = if self.weakens() { "maximal weakening" } else { "minimal repair" };
        let but = if self.search.is_whole() { "" } else { " There may be more: the search was not over." };
        match self.search.start() {
            None | Some(Start::Unknown) => {
                format!(
                    "{name} under {model}: it is not known whether there is {goal}. Exploring the program was stopped."
                )
            }
            Some(Start::Good { bounded }) if !self.weakens() => {
                let cut = if bounded { " as far as was explored: a bound cut something" } else { "" };
                format!("{name} under {model}: {}{cut}. Nothing needs to change.", self.absence())
            }
            Some(Start::Good { .. }) => {
                let all = if subject.sites.is_empty() {
                    "it has nothing that could be weaker."
                } else {
                    "all that could be weaker can be so at once."
                };
                format!("{name} under {model}: {all}")
            }
            Some(Start::Bad) if found == 0 && self.search.stays().is_some() => {
                if self.weakens() {
                    return format!("{name} under {model}: there is {goal} already, before anything is weakened.");
                }
                let hint = if subject.model == Model::STRONGEST {
                    format!(" {model} orders all that a thread does: no fence and no mode adds to that.")
                } else if subject.sites.is_empty() {
                    " It has nothing that could be stronger.".to_owned()
                } else {
                    String::new()
                };
                format!("{name} under {model}: nothing forbids {goal}. One stays, whatever is strengthened.{hint}")
            }
            Some(Start::Bad) if found == 0 => {
                format!("{name} under {model}: no {kind} is known yet.{but}")
            }
            Some(Start::Bad) if self.is_tight() => {
                format!("{name} under {model}: nothing can be weaker. Else there would be {goal}.")
            }
            Some(Start::Bad) => {
                let found = count(found, kind);
                let what = match (self.weakens(), self.search.found().len()) {
                    (false, 1) => format!("It rules out {goal}."),
                    (false, _) => format!("Each rules out {goal}."),
                    (true, 1) => format!("It still rules out {goal}."),
                    (true, _) => format!("Each still rules out {goal}."),
                };
                format!("{name} under {model}: {found}. {what}{but}")
            }
        }
    }

    /// The cycle in a line. Edges that a change made are thick.
    pub(crate) fn cycle(&self, program: &Program, graph: &Execution, violation: &Violation, made: &[Edge]) -> String {
        let name = |e| event_text(program, graph.event(e));
        let mut text = violation.cycle.first().map(|edge| name(edge.from)).unwrap_or_default();
        for edge in &violation.cycle {
            let thick = if made.contains(edge) { "=" } else { "-" };
            let _ = write!(text, " {thick}{}{thick}> {}", relation(edge.relation), name(edge.to));
        }
        text
    }

    /// Why an execution is ruled out, in a line.
    pub fn reason(&self, program: &Program, ruled: &RuledOut) -> String {
        match &ruled.violation {
            Some(violation) => {
                format!("{}: {}", violation.axiom, self.cycle(program, &ruled.graph, violation, &ruled.made()))
            }
            None => match ruled.without_race {
                Some((first, second)) => {
                    let name = |e| event_text(program, ruled.graph.event(e));
                    let is_atomic = |e| match ruled.graph.event(e).label {
                        Label::Read { mode, .. } | Label::Write { mode, .. } | Label::Update { mode, .. } => {
                            mode.is_atomic()
                        }
                        _ => true,
                    };
                    let why = if is_atomic(first) && is_atomic(second) {
                        "both are atomic"
                    } else {
                        "one happens before the other"
                    };
                    format!("{} and {} do not race: {why}", name(first), name(second))
                }
                None => "there are too many coherence orders to show a cycle".to_owned(),
            },
        }
    }

    /// The execution that stays, drawn.
    pub fn stays(&self) -> Option<String> {
        let bad = self.search.stays()?;
        let program = &self.search.subject().program;
        let mut input = DrawingInput::new(program, &bad.graph);
        input.room = Room::Narrow;
        input.initial = InitialWrites::Relevant;
        Some(graph_text(&input))
    }
}

fn relation(relation: RelationName) -> String {
    relation.to_string()
}

/// How many executions are told of a repair where not all are wanted.
const FEW: usize = 1;
/// How many are told at most.
const MOST: usize = 50;

/// All of it as text: the repairs, up to `most` of them, with the cycle of the first execution that each rules out, or of all.
pub fn repair_text(report: &RepairReport<'_>, most: usize, explain: bool) -> String {
    let mut out = report.summary() + "\n";
    if report.weakens() && report.asks_nothing() {
        out.push_str("Its text calls nothing wrong: it has no assertion, no condition that has to hold and no non-atomic access.\n");
        out.push_str("--same-outcomes asks for the same final states.\n");
    }
    let found = report.found();
    for (at, minimal) in found.iter().take(most).enumerate().filter(|_| !report.is_tight()) {
        let notes = [(minimal.bounded, "bounded"), (!minimal.is_minimal, "not known to be minimal")];
        let notes: String = notes.iter().filter(|(is, _)| *is).map(|(_, note)| format!(", {note}")).collect();
        let _ = writeln!(out, "\n{}. cost {}{notes}", at + 1, minimal.cost);
        let changes = report.changes(&minimal.choice);
        let places: Vec<String> =
            changes.iter().map(|change| format!("{}, line {}", change.owner, change.line)).collect();
        let width = places.iter().map(String::len).max().unwrap_or(0);
        let texts = changes.iter().map(|change| change.text.chars().count()).max().unwrap_or(0);
        for (change, place) in changes.iter().zip(&places) {
            let _ = writeln!(out, "   {place:width$}  {:texts$}  {}", change.text, change.what);
        }
        if report.weakens() {
            continue;
        }
        let (program, ruled) = report.search.ruled_out(&minimal.choice, MOST);
        let shown = if explain { ruled.len() } else { FEW.min(ruled.len()) };
        for ruled in &ruled[..shown] {
            let _ = writeln!(out, "   {}", report.reason(&program, ruled));
        }
        let rest = (report.search.known().len() - shown) as u64;
        if rest > 0 {
            let least = if report.search.knows_all() { "" } else { "at least " };
            let _ = writeln!(out, "   and {least}{rest} more {} ruled out", plural(rest, "execution"));
        }
        if explain {
            let text = printed(&program);
            let _ =
                writeln!(out, "{}", text.lines().map(|line| format!("     {line}\n")).collect::<String>().trim_end());
        }
    }
    if found.len() > most {
        let _ = writeln!(out, "\nand {} more: --most says how many are printed.", found.len() - most);
    }
    if !report.needed.is_empty() {
        let _ = writeln!(out, "\nNeeded, even if nothing else is weaker:");
        let lines: Vec<ChangeLine> = report.needed.iter().map(|needed| report.needed(needed)).collect();
        let texts = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
        for (needed, line) in report.needed.iter().zip(&lines) {
            let _ = writeln!(out, "   {}, line {}  {:texts$}  {}", line.owner, line.line, line.text, line.what);
            let program = &report.search.subject().program;
            let _ = writeln!(out, "      it sees to this: {}", report.reason(program, &needed.ruled_out));
            if explain {
                let mut input = DrawingInput::new(&needed.program, &needed.bad.graph);
                input.room = Room::Narrow;
                input.initial = InitialWrites::Relevant;
                let _ = writeln!(out, "{}", graph_text(&input).trim_end());
            }
        }
    }
    if let Some(drawing) = report.stays().filter(|_| found.is_empty()) {
        let _ = write!(out, "\n{drawing}");
    }
    out
}

/// A repair as JSON.
#[derive(Clone, Debug, Serialize)]
struct FoundJson {
    cost: u64,
    bounded: bool,
    minimal: bool,
    changes: Vec<ChangeLine>,
    /// The program with the changes.
    program: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ruled_out: Vec<RuledJson>,
}

#[derive(Clone, Debug, Serialize)]
struct RuledJson {
    axiom: Option<String>,
    cycle: Vec<StepJson>,
}

#[derive(Clone, Debug, Serialize)]
struct StepJson {
    from: String,
    relation: String,
    to: String,
    /// Whether the change made it.
    made: bool,
}

/// All of it as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct RepairJson {
    name: String,
    model: String,
    aim: &'static str,
    goal: String,
    /// `found`, `none`, `nothing_to_do` or `unknown`.
    verdict: &'static str,
    /// Whether all that there is was found.
    whole: bool,
    bounded: bool,
    stopped: bool,
    sites: usize,
    explored: u64,
    executions: u64,
    bad_executions: usize,
    found: Vec<FoundJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needed: Vec<NeededJson>,
}

#[derive(Clone, Debug, Serialize)]
struct NeededJson {
    change: ChangeLine,
    ruled_out: RuledJson,
}

fn ruled_json(program: &Program, model: Model, ruled: &RuledOut) -> RuledJson {
    let speaker = Speaker { program, graph: &ruled.graph, model };
    let made = ruled.made();
    let step = |edge: &Edge| StepJson {
        from: speaker.event(edge.from),
        relation: relation(edge.relation),
        to: speaker.event(edge.to),
        made: made.contains(edge),
    };
    let edges = ruled.violation.iter().flat_map(|violation| &violation.cycle);
    RuledJson {
        axiom: ruled.violation.as_ref().map(|violation| violation.axiom.clone()),
        cycle: edges.map(step).collect(),
    }
}

impl From<&RepairReport<'_>> for RepairJson {
    fn from(report: &RepairReport<'_>) -> Self {
        let search = report.search;
        let subject = search.subject();
        let effort = search.effort();
        let found = report.found().into_iter().map(|minimal| {
            let (program, ruled) = match report.weakens() {
                true => (subject.changed(&minimal.choice), Vec::new()),
                false => search.ruled_out(&minimal.choice, MOST),
            };
            FoundJson {
                cost: minimal.cost,
                bounded: minimal.bounded,
                minimal: minimal.is_minimal,
                changes: report.changes(&minimal.choice),
                program: printed(&program),
                ruled_out: ruled.iter().map(|ruled| ruled_json(&program, subject.model, ruled)).collect(),
            }
        });
        let needed = report.needed.iter().map(|needed| NeededJson {
            change: report.needed(needed),
            ruled_out: ruled_json(&subject.program, subject.model, &needed.ruled_out),
        });
        let verdict = match search.start() {
            None | Some(Start::Unknown) => "unknown",
            Some(Start::Good { .. }) if search.found().is_empty() => "nothing_to_do",
            Some(Start::Good { .. }) => "found",
            Some(Start::Bad) if !search.found().is_empty() => "found",
            Some(Start::Bad) if search.is_whole() => "none",
            Some(Start::Bad) => "unknown",
        };
        Self {
            name: report.name.to_owned(),
            model: subject.model.name().to_owned(),
            aim: if report.weakens() { "weaken" } else { "strengthen" },
            goal: report.goal(),
            verdict,
            whole: search.is_whole(),
            bounded: report.is_bounded(),
            stopped: report.stopped,
            sites: subject.sites.len(),
            explored: effort.explored,
            executions: effort.executions,
            bad_executions: effort.bad,
            found: found.collect(),
            needed: needed.collect(),
        }
    }
}
