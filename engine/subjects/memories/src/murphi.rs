//! A machine and the search for shapes of cycles as a model for Murphi, so that a model checker that shares nothing with this engine can
//! be asked the same.
//!
//! The notation is that of CMurphi and Rumur. A state of the model is a configuration of the search, with the number of its shape; each
//! shape has a state to begin with. The invariant says that the reads of some pair have not all come. Where it holds, there are as many states as
//! the search meets configurations.

use super::machine::{Machine, Operation, RegisterIndex};
use super::pco::Causality;
use super::run::Initial;
use super::shapes::{Plan, Shape, Slot};
use std::fmt::Write as _;

/// How many shapes a model may have.
const MAX_SHAPES: usize = 1_000;

/// Why there is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycles have more than {MAX_SHAPES} shapes here: use fewer threads or variables, or ask for a weaker model")]
pub struct TooManyShapes;

/// Writes the model: whether all runs of a machine are this consistent.
///
/// # Errors
/// There are too many shapes.
///
/// # Panics
/// If the machine has more than 8 threads and more than weak causality is asked for.
pub fn murphi(machine: &Machine, causality: Causality, initial: Initial) -> Result<String, TooManyShapes> {
    let (threads, variables) = (machine.threads.len(), machine.variables.len());
    assert!(threads <= 8 || causality == Causality::Weak, "too many threads");
    let mut shapes: Vec<Shape> = Vec::new();
    // Most of what is gone through is no shape.
    const MOST: usize = 1 << 22;
    for (at, shape) in Shape::all(causality, threads, variables, initial).enumerate() {
        shapes.extend(shape.filter(|shape| !shape.is_initial || holds_initially(machine, shape).next().is_some()));
        if shapes.len() > MAX_SHAPES || at > MOST {
            return Err(TooManyShapes);
        }
    }
    let plans: Vec<(Shape, Plan)> = shapes.into_iter().map(|shape| (shape.clone(), Plan::new(&shape))).collect();
    let mut out = head(machine, causality, &plans);
    out += PROCEDURES;
    for transition in machine.transitions() {
        let (from, to) = (transition.from.0, transition.to.0);
        let operation = machine.operation_text(transition.operation);
        let register = |register: RegisterIndex| threads + register.index();
        let (guard, body, is_picked) = match transition.operation {
            Operation::Write { thread, variable, register: a } => {
                let (t, x, a) = (thread.0, variable.0, register(a));
                let guard = format!("keeps({a}) & (pick = 0 | may_pick(pick - 1, {t}, {x}))");
                let body = format!("write({t}, {a}); if pick != 0 then take(pick - 1, {t}, {a}); end;");
                (guard, body, true)
            }
            Operation::Read { thread, variable, register: a } => {
                ("true".to_owned(), format!("answer({}, {}, {});", thread.0, variable.0, register(a)), false)
            }
            Operation::Copy { to, from } => {
                let (to, from) = (register(to), register(from));
                (format!("keeps_copied({to}, {from})"), format!("copy({to}, {from});"), false)
            }
            Operation::Fence { .. } | Operation::Step => ("true".to_owned(), String::new(), false),
        };
        let (begin, end) = if is_picked { ("ruleset pick: pick_t do ", " end;") } else { ("", "") };
        let _ = writeln!(
            out,
            "{begin}rule \"{operation}\" state = {from} & {guard} ==> begin {body} state := {to}; end;{end}"
        );
    }
    Ok(out)
}

/// The registers that hold the initial write that a shape is about.
fn holds_initially<'m>(machine: &'m Machine, shape: &Shape) -> impl Iterator<Item = usize> + 'm {
    let variable = shape.pairs[0].0;
    let all = machine.registers.iter().enumerate();
    all.filter(move |(_, register)| register.variable == Some(variable)).map(|(at, _)| machine.threads.len() + at)
}

/// What is declared, what is known of the shapes, and the states to begin with.
fn head(machine: &Machine, causality: Causality, plans: &[(Shape, Plan)]) -> String {
    let slots = plans.iter().map(|(_, plan)| plan.slots.len()).max().unwrap_or(1);
    let pairs = plans.iter().map(|(_, plan)| plan.pairs.len()).max().unwrap_or(1);
    let entities = machine.threads.len() + machine.registers.len();
    let mut out = format!(
        "-- {} against {}, by the shapes of cycles.\n\
         -- With Rumur: rumur --deadlock-detection off FILE --output FILE.c\n\
         -- The invariant fails iff some run violates it. Self-loops are what the search drops.\n\
         -- Threads: {}. Registers: {}.\n\n",
        if machine.name.is_empty() { "A machine" } else { &machine.name },
        causality.name().to_uppercase(),
        machine.threads.join(" "),
        machine.registers.iter().map(|register| register.name.as_str()).collect::<Vec<_>>().join(" "),
    );
    let last = |count: usize| count.max(1) - 1;
    let _ = write!(
        out,
        "type\n  state_t: 0..{};\n  shape_t: 0..{};\n  entity_t: 0..{};\n  variable_t: 0..{};\n  slot_t: 0..{};\n  pair_t: 0..{};\n  \
         pick_t: 0..{slots};\n  set_t: array [entity_t] of boolean;\n\n\
         var\n  state: state_t;\n  shape: shape_t;\n  written: array [slot_t] of boolean;\n  answered: array [pair_t] of boolean;\n  \
         know: array [slot_t] of set_t;\n  hold: array [slot_t] of set_t;\n\n",
        last(machine.states.len()),
        last(plans.len()),
        last(entities),
        last(machine.variables.len()),
        last(slots),
        last(pairs),
    );
    // Tables by shape and slot or pair; 0 is nothing where there may be nothing, and numbers are one more then.
    let some = |at: Option<usize>| at.map_or(0, |at| at + 1);
    table(&mut out, "slot_count", "", slots, plans, |plan| vec![plan.slots.len()]);
    table(&mut out, "pair_count", "", pairs, plans, |plan| vec![plan.pairs.len()]);
    table(&mut out, "variable_of", "; s: slot_t", last(machine.variables.len()), plans, |plan| {
        plan.slots.iter().map(|slot| slot.variable.index()).collect()
    });
    let of_other = |name: &str, most: usize, of: fn(&Slot) -> Option<usize>, out: &mut String| {
        let values = |plan: &Plan| plan.slots.iter().map(|slot| some(of(slot))).collect();
        table(out, name, "; s: slot_t", most, plans, values);
    };
    of_other("earlier_of", pairs, |slot| slot.earlier_of, &mut out);
    of_other("later_of", pairs, |slot| slot.later_of, &mut out);
    of_other("behind", slots, |slot| slot.behind, &mut out);
    of_other("ahead", slots, |slot| slot.ahead, &mut out);
    table(&mut out, "earlier", "; p: pair_t", last(slots), plans, |plan| {
        plan.pairs.iter().map(|pair| pair.0).collect()
    });
    table(&mut out, "later", "; p: pair_t", last(slots), plans, |plan| plan.pairs.iter().map(|pair| pair.1).collect());
    for (number, (shape, plan)) in plans.iter().enumerate() {
        let _ = write!(
            out,
            "startstate \"shape {number}\" begin state := 0; shape := {number};\n  \
             for s: slot_t do written[s] := false; for e: entity_t do know[s][e] := false; hold[s][e] := false; end; end;\n  \
             for p: pair_t do answered[p] := false; end;"
        );
        if shape.is_initial {
            let slot = plan.pairs[0].1;
            let _ = write!(out, "\n  written[{slot}] := true;");
            for entity in holds_initially(machine, shape) {
                let _ = write!(out, " hold[{slot}][{entity}] := true;");
            }
        }
        out += "\nend;\n";
    }
    out
}

/// A function that looks something up by shape, and by slot or pair if it has more than one value.
fn table(
    out: &mut String,
    name: &str,
    parameter: &str,
    most: usize,
    plans: &[(Shape, Plan)],
    values: impl Fn(&Plan) -> Vec<usize>,
) {
    let _ = writeln!(out, "function {name}(h: shape_t{parameter}): 0..{most}; begin");
    let by = parameter.trim_start_matches("; ").split(':').next().unwrap_or_default();
    for (number, (_, plan)) in plans.iter().enumerate() {
        for (at, value) in values(plan).into_iter().enumerate().filter(|(_, value)| *value != 0) {
            let place = if by.is_empty() { String::new() } else { format!(" & {by} = {at}") };
            let _ = writeln!(out, "  if h = {number}{place} then return {value}; end;");
        }
    }
    *out += "  return 0;\nend;\n";
}

/// What happens to a configuration, as in the search.
const PROCEDURES: &str = "
-- Whether each later write that waits for its read is still in some register.
function keeps(a: entity_t): boolean; begin
  for p: pair_t do
    if p < pair_count(shape) & !answered[p] & written[later(shape, p)] then
      if !exists e: entity_t do e != a & hold[later(shape, p)][e] end then return false; end;
    end;
  end;
  return true;
end;
function keeps_copied(b: entity_t; a: entity_t): boolean; begin
  for p: pair_t do
    if p < pair_count(shape) & !answered[p] & written[later(shape, p)] & !hold[later(shape, p)][a] then
      if !exists e: entity_t do e != b & hold[later(shape, p)][e] end then return false; end;
    end;
  end;
  return true;
end;
-- Lets go of what does not matter any more.
procedure forget(); begin
  for s: slot_t do
    if s < slot_count(shape) then
      if !(earlier_of(shape, s) != 0 & !answered[earlier_of(shape, s) - 1]) &
         !(ahead(shape, s) != 0 & !written[ahead(shape, s) - 1]) then
        for e: entity_t do know[s][e] := false; end;
      end;
      if !(later_of(shape, s) != 0 & !answered[later_of(shape, s) - 1]) then
        for e: entity_t do hold[s][e] := false; end;
      end;
    end;
  end;
end;
procedure write(t: entity_t; a: entity_t); begin
  for s: slot_t do know[s][a] := know[s][t]; hold[s][a] := false; end;
end;
-- The write is that of a slot.
function may_pick(s: slot_t; t: entity_t; x: variable_t): boolean; begin
  return s < slot_count(shape) & variable_of(shape, s) = x & !written[s] &
    (behind(shape, s) = 0 | know[behind(shape, s) - 1][t]);
end;
procedure take(s: slot_t; t: entity_t; a: entity_t); begin
  written[s] := true;
  for e: entity_t do know[s][e] := e = t | e = a; hold[s][e] := e = a; end;
  forget();
end;
procedure copy(b: entity_t; a: entity_t); begin
  for s: slot_t do know[s][b] := know[s][a]; hold[s][b] := hold[s][a]; end;
end;
procedure answer(t: entity_t; x: variable_t; a: entity_t); begin
  for s: slot_t do if know[s][a] then know[s][t] := true; end; end;
  for p: pair_t do
    if p < pair_count(shape) & !answered[p] & variable_of(shape, earlier(shape, p)) = x &
       hold[later(shape, p)][a] & know[earlier(shape, p)][t] then
      answered[p] := true;
    end;
  end;
  forget();
end;
invariant \"no cycle\" exists p: pair_t do p < pair_count(shape) & !answered[p] end;

";
