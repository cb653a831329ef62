//! What is around the threads' functions: the runtime, the schedule, shared variables, and the start.

use super::names::{Called, comment, literal};
use super::points::{Out, Points};
use super::terms::{Helper, Writer};
use super::{Language, Source};
use crate::native::Native;
use litmoscope_core::program::system::{Holds, Term, TransitionId};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many times inputs at the start are drawn until what is assumed holds.
const DRAWS: u32 = 1_000_000;

pub(super) fn program(source: &Source<'_>, language: Language) -> String {
    let (system, helpers) = (source.system, RefCell::new(BTreeSet::new()));
    let (called, native) = (Called::of(system), Native::of(system));
    let mut points = Points {
        language,
        system,
        source: source.text,
        called: &called,
        native: &native,
        schedule: source.schedule,
        helpers: &helpers,
        together: BTreeSet::new(),
    };
    points.look();
    let frame = Frame { source, points };
    match language {
        Language::Rust => frame.rust(),
        Language::C => frame.c(),
    }
}

struct Frame<'a> {
    source: &'a Source<'a>,
    points: Points<'a>,
}

impl Frame<'_> {
    fn writer(&self) -> Writer<'_> {
        Writer {
            language: self.points.language,
            system: self.source.system,
            called: self.points.called,
            seen: Vec::new(),
            parts: FxHashMap::default(),
            inputs: FxHashMap::default(),
            step: Cell::new(TransitionId(0)),
            helpers: self.points.helpers,
        }
    }

    fn has(&self, helper: Helper) -> bool {
        self.points.helpers.borrow().contains(&helper)
    }

    /// What is at the head of the file, each line behind `start`.
    fn head(&self, start: &str, compile: &str) -> String {
        let mut text = String::new();
        for line in ["A program of threads, exported by Litmoscope. It was:", ""] {
            text += format!("{start} {line}").trim_end();
            text.push('\n');
        }
        for line in self.source.text.lines() {
            text += format!("{start}     {}", comment(line)).trim_end();
            text.push('\n');
        }
        for line in ["", compile, "Arguments: how many seconds it runs, --unconstrained, --monitor, --seed N."] {
            text += format!("{start} {line}").trim_end();
            text.push('\n');
        }
        text
    }

    fn register_names(&self, thread: usize) -> Vec<(&String, i64)> {
        let system = self.source.system;
        let is_own =
            |variable: usize| matches!(system.variables[variable], Holds::Register(of, _) if usize::from(of) == thread);
        let own = self.points.called.registers.iter().filter(|(variable, _)| is_own(variable.0 as usize));
        own.map(|(variable, name)| (name, system.initial[variable.0 as usize])).collect()
    }

    /// The number of nodes and of threads, and whether threads are free behind the end.
    fn sizes(&self) -> (usize, usize, bool) {
        let nodes = self.source.schedule.map_or(1, |schedule| schedule.nodes.len().max(1));
        (self.source.system.threads.len(), nodes, self.source.schedule.is_some_and(|schedule| schedule.then_free))
    }

    fn assuming(&self, writer: &Writer<'_>) -> Option<String> {
        let all: Vec<&Arc<Term>> = self.source.system.assuming.iter().collect();
        writer.all(&all)
    }

    fn rust(&self) -> String {
        let system = self.source.system;
        let (threads, nodes, is_free_behind) = self.sizes();
        let called = self.points.called;
        let mut functions = Out::default();
        for (thread, name) in called.threads.iter().enumerate() {
            functions.line("");
            functions.line("#[allow(unused_assignments, unused_comparisons, unused_mut, unused_variables)]");
            functions.line(&format!(
                "fn thread_{name}(mut thread: Thread<'_>, shared: &Shared, mut random: Random) -> Result<(), Stopped> {{"
            ));
            functions.depth += 1;
            for (register, value) in self.register_names(thread) {
                functions.line(&format!("let mut {register} = {};", rust_integer(value)));
            }
            if self.points.native.has_to_work[thread] {
                functions.line("// Whether this round has written anything.");
                functions.line("let mut is_useful = false;");
            }
            functions.line(&format!("let mut point = {};", system.threads[thread].start.0));
            functions.line("loop {");
            functions.line("    match point {");
            functions.depth += 2;
            self.points.arms(thread, &mut functions);
            functions.line("_ => unreachable!(\"there are no more points\"),");
            functions.depth -= 2;
            functions.line("    }");
            functions.line("}");
            functions.depth -= 1;
            functions.line("}");
        }
        let writer = self.writer();
        let mut begin = Out { depth: 1, ..Out::default() };
        if !system.inputs.is_empty() || !system.assuming.is_empty() {
            begin.line(&format!("let has_begun = (0..{DRAWS}).any(|_| {{"));
            for (variable, input) in &system.inputs {
                let draw = self.points.draw(input, "random");
                begin.line(&format!("    {}.store({draw}, SeqCst);", writer.variable(*variable)));
            }
            begin.line(&format!("    {}", self.assuming(&writer).unwrap_or_else(|| "true".to_owned())));
            begin.line("});");
            begin.line("if !has_begun {");
            begin.line("    eprintln!(\"no inputs were found for which holds what is assumed at the start\");");
            begin.line("    return ExitCode::FAILURE;");
            begin.line("}");
        }
        let mut text = self.head("//!", "Compile it with: rustc --edition 2024 -O FILE");
        text += "\n#![allow(non_snake_case)]\n\n";
        let has = |helper| self.has(helper);
        let has_events = self.source.schedule.is_some_and(|schedule| !schedule.sections.is_empty());
        let event = if has_events { "Event, " } else { "" };
        let used = format!("use runtime::{{Edge, Ended, {event}Runtime, Schedule, Stopped, Thread");
        text += &format!("{used}{}}};\n", if has(Helper::Alone) { ", Turn" } else { "" });
        text += "use std::process::ExitCode;\n";
        let needs_fence = functions.text.contains("fence(SeqCst);");
        let atomics = if needs_fence { "AtomicI64, Ordering::SeqCst, fence" } else { "AtomicI64, Ordering::SeqCst" };
        let uses_shared = !called.fields.is_empty();
        if uses_shared || needs_fence {
            let uses_order = functions.text.contains("SeqCst") || begin.text.contains("SeqCst");
            let atomics = if uses_order { atomics } else { "AtomicI64" };
            text += &format!(
                "use std::sync::atomic::{{{}}};\n",
                if uses_shared { atomics } else { "Ordering::SeqCst, fence" }
            );
        }
        if has(Helper::Alone) {
            text += "use std::sync::{Mutex, MutexGuard, PoisonError};\n";
        }
        text += "use std::time::Duration;\n\n";
        text += &self.rust_schedule(threads, nodes);
        text += "\n/// What threads share.\n#[allow(dead_code)]\nstruct Shared {\n";
        for field in &called.fields {
            match field.length {
                Some(length) => text += &format!("    {}: [AtomicI64; {length}],\n", field.name),
                None => text += &format!("    {}: AtomicI64,\n", field.name),
            }
        }
        text += "}\n";
        text += RUST_RANDOM;
        if has(Helper::Below) {
            text += RUST_BELOW;
        }
        for (helper, of) in [
            (Helper::At, RUST_AT),
            (Helper::Alone, RUST_ALONE),
            (Helper::Divide, RUST_DIVIDE),
            (Helper::Remainder, RUST_REMAINDER),
            (Helper::Typed, RUST_TYPED),
        ] {
            if has(helper) {
                text += of;
            }
        }
        if functions.text.contains("wrong(") {
            text += RUST_WRONG;
        }
        text += &functions.text;
        text += "\nfn main() -> ExitCode {\n";
        text += &RUST_ARGUMENTS.replace("IS_FREE", if self.source.schedule.is_some() { "false" } else { "true" });
        text += "    let shared = Shared {\n";
        for field in &called.fields {
            let initial = |offset: usize| {
                format!("AtomicI64::new({})", rust_value(system.initial[field.first.0 as usize + offset]))
            };
            match field.length {
                Some(length) => {
                    let all: Vec<String> = (0..length).map(initial).collect();
                    text += &format!("        {}: [{}],\n", field.name, all.join(", "));
                }
                None => text += &format!("        {}: {},\n", field.name, initial(0)),
            }
        }
        text += "    };\n";
        if !begin.text.is_empty() {
            if !system.inputs.is_empty() {
                text += &format!("    let mut random = Random::new(seed, {threads});\n");
            }
            text += &begin.text;
        }
        let locks = self.points.native.locks.len();
        let behind = if is_free_behind { ".unconstrained_behind()" } else { "" };
        text += &format!(
            "    let mut runtime = Runtime::new(&SCHEDULE).expect(\"it is a schedule\").locks({locks}){behind};\n"
        );
        text += RUST_RUN_BEGIN;
        for (number, name) in called.threads.iter().enumerate() {
            text += &format!(
                "        scope.spawn(|| thread_{name}(runtime.thread({number}), &shared, Random::new(seed, {number})));\n"
            );
        }
        let names: Vec<String> = system.threads.iter().map(|thread| literal(&thread.name)).collect();
        text += &RUST_RUN_END.replace("NAMES", &names.join(", "));
        text += "\n/// The runtime: threads that keep to a schedule.\n#[allow(dead_code)]\nmod runtime {\n";
        text += litmoscope_runtime::RUST;
        text += "}\n";
        text
    }

    fn rust_schedule(&self, threads: usize, nodes: usize) -> String {
        let mut text = String::new();
        let sections = self.source.schedule.map_or(&[][..], |schedule| &schedule.sections);
        if !sections.is_empty() {
            text += "const fn event(thread: usize, transition: u32, after: &'static [usize]) -> Event<'static> {\n    Event { thread, transition, after }\n}\n\n";
        }
        text += "/// The sections, and the nodes between which they are. An event has its thread, what it does, and the events before it.\n";
        text += if sections.is_empty() {
            "const EDGES: &[Edge<'static>] = &["
        } else {
            "const EDGES: &[Edge<'static>] = &[\n"
        };
        for (number, section) in sections.iter().enumerate() {
            text += &format!(
                "    // Section {number}.\n    Edge {{\n        from: {},\n        to: {},\n        events: &[\n",
                section.from, section.to
            );
            for event in &section.events {
                let after: Vec<String> = event.after.iter().map(ToString::to_string).collect();
                text +=
                    &format!("            event({}, {}, &[{}]),\n", event.thread, event.transition.0, after.join(", "));
            }
            text += "        ],\n    },\n";
        }
        text += "];\n";
        text += &format!(
            "\nstatic SCHEDULE: Schedule<'static> = Schedule {{ threads: {threads}, nodes: {nodes}, start: 0, edges: EDGES }};\n"
        );
        text
    }

    fn c(&self) -> String {
        let system = self.source.system;
        let (threads, nodes, is_free_behind) = self.sizes();
        let called = self.points.called;
        let mut functions = Out::default();
        for (thread, name) in called.threads.iter().enumerate() {
            functions.line("");
            functions.line(&format!("static void thread_{name}(lm_thread *self, uint64_t *random) {{"));
            functions.depth += 1;
            functions.line("(void)random;");
            for (register, value) in self.register_names(thread) {
                functions.line(&format!("int64_t {register} = {};", c_value(value)));
                functions.line(&format!("(void){register};"));
            }
            if self.points.native.has_to_work[thread] {
                functions.line("bool is_useful = false; // Whether this round has written anything.");
                functions.line("(void)is_useful;");
            }
            functions.line(&format!("unsigned point = {};", system.threads[thread].start.0));
            functions.line("for (;;) {");
            functions.line("    switch (point) {");
            functions.depth += 1;
            self.points.arms(thread, &mut functions);
            functions.line("default: abort(); // There are no more points.");
            functions.depth -= 1;
            functions.line("    }");
            functions.line("}");
            functions.depth -= 1;
            functions.line("}");
            functions.line("");
            functions.line(&format!("static void *start_{name}(void *unused) {{"));
            functions.line(&format!("    lm_thread self = lm_begin(runtime, {thread});"));
            functions.line(&format!("    uint64_t random = seed * 1000003 + {thread};"));
            functions.line(&format!("    thread_{name}(&self, &random);"));
            functions.line("    lm_leave(&self);");
            functions.line("    return unused;");
            functions.line("}");
        }
        let writer = self.writer();
        let mut begin = Out { depth: 1, ..Out::default() };
        if !system.inputs.is_empty() || !system.assuming.is_empty() {
            begin.line(&format!("uint64_t random = seed * 1000003 + {threads};"));
            begin.line("bool has_begun = false;");
            begin.line(&format!("for (int tries = 0; !has_begun && tries < {DRAWS}; tries++) {{"));
            for (variable, input) in &system.inputs {
                let draw = self.points.draw(input, "&random");
                begin.line(&format!("    atomic_store({}, {draw});", writer.variable(*variable)));
            }
            begin.line(&format!("    has_begun = {};", self.assuming(&writer).unwrap_or_else(|| "true".to_owned())));
            begin.line("}");
            begin.line("(void)random;");
            begin.line("if (!has_begun) {");
            begin
                .line("    fprintf(stderr, \"no inputs were found for which holds what is assumed at the start\\n\");");
            begin.line("    return EXIT_FAILURE;");
            begin.line("}");
        }
        let mut text = self.head("//", "Compile it with: cc -std=c11 -O2 -pthread FILE");
        text += C_WARNINGS;
        text += "// The runtime: threads that keep to a schedule.\n";
        text += litmoscope_runtime::C;
        text += "\n";
        text += &self.c_schedule(threads, nodes);
        text += "\n// What threads share.\nstatic struct {\n";
        for field in &called.fields {
            match field.length {
                Some(length) => text += &format!("    _Atomic int64_t {}[{length}];\n", field.name),
                None => text += &format!("    _Atomic int64_t {};\n", field.name),
            }
        }
        if called.fields.is_empty() {
            text += "    char none;\n";
        }
        text += "} shared;\n\nstatic lm_runtime *runtime;\nstatic uint64_t seed = 1;\n";
        text += C_ARITHMETIC;
        for (helper, of) in
            [(Helper::At, C_AT), (Helper::Alone, C_ALONE), (Helper::Below, C_BELOW), (Helper::Typed, C_TYPED)]
        {
            if self.has(helper) {
                text += of;
            }
        }
        if functions.text.contains("wrong(") {
            text += C_WRONG;
        }
        text += &functions.text;
        text += "\nint main(int argc, char **argv) {\n";
        text += &C_ARGUMENTS.replace("IS_FREE", if self.source.schedule.is_some() { "false" } else { "true" });
        for (at, _) in system.variables.iter().enumerate().take(system.shared()) {
            let variable = litmoscope_core::program::system::Variable(at as u32);
            text += &format!("    atomic_store({}, {});\n", writer.variable(variable), c_value(system.initial[at]));
        }
        text += &begin.text;
        let names: Vec<String> = system.threads.iter().map(|thread| literal(&thread.name)).collect();
        let starts: Vec<String> = called.threads.iter().map(|name| format!("start_{name}")).collect();
        let behind = if is_free_behind { "    runtime->is_free_behind = true;\n" } else { "" };
        text += &C_RUN
            .replace("LOCKS", &self.points.native.locks.len().to_string())
            .replace("BEHIND\n", behind)
            .replace("THREADS", &threads.to_string())
            .replace("NAMES", &names.join(", "))
            .replace("STARTS", &starts.join(", "));
        text
    }

    fn c_schedule(&self, threads: usize, nodes: usize) -> String {
        let mut text = String::from(
            "// The sections, and the nodes between which they are. An event has its thread, what it does, and the events before it.\n",
        );
        let sections = self.source.schedule.map_or(&[][..], |schedule| &schedule.sections);
        for (number, section) in sections.iter().enumerate() {
            text += &format!("static const uint32_t after_{number}[] = {{");
            for event in &section.events {
                event.after.iter().for_each(|before| text += &format!("{before}, "));
            }
            text += "0};\n";
            text += &format!("static const lm_event events_{number}[] = {{\n");
            let mut at = 0;
            for event in &section.events {
                let count = event.after.len();
                text += &format!("    {{{}, {}, after_{number} + {at}, {count}}},\n", event.thread, event.transition.0);
                at += count;
            }
            text += "};\n";
        }
        if !sections.is_empty() {
            text += "static const lm_edge edges[] = {\n";
            for (number, section) in sections.iter().enumerate() {
                text +=
                    &format!("    {{{}, {}, events_{number}, {}}},\n", section.from, section.to, section.events.len());
            }
            text += "};\n";
        }
        let edges = if sections.is_empty() { "NULL" } else { "edges" };
        text +=
            &format!("static const lm_schedule schedule = {{{threads}, {nodes}, 0, {edges}, {}}};\n", sections.len());
        text
    }
}

fn rust_value(value: i64) -> String {
    if value == i64::MIN { "i64::MIN".to_owned() } else { value.to_string() }
}

fn rust_integer(value: i64) -> String {
    if value == i64::MIN { "i64::MIN".to_owned() } else { format!("{value}_i64") }
}

fn c_value(value: i64) -> String {
    if value == i64::MIN { "INT64_MIN".to_owned() } else { format!("INT64_C({value})") }
}

const RUST_RANDOM: &str = "
/// Numbers at random, the same ones for a seed.
#[allow(dead_code)]
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        Self(seed.wrapping_mul(1_000_003).wrapping_add(stream))
    }
}
";

const RUST_BELOW: &str = "
impl Random {
    /// A number from 0 to this one.
    fn up_to(&mut self, last: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * (u128::from(last) + 1)) >> 64) as u64
    }
}
";

const RUST_AT: &str = "
/// An element of an array.
fn at(array: &[AtomicI64], index: i64) -> &AtomicI64 {
    &array[usize::try_from(index).unwrap_or(usize::MAX).min(array.len() - 1)]
}
";

const RUST_ALONE: &str = "
static ALONE: Mutex<()> = Mutex::new(());

/// Keeps others away from what is accessed together. Under a schedule they are.
fn alone(turn: &Turn<'_, '_>) -> Option<MutexGuard<'static, ()>> {
    turn.is_free().then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}
";

const RUST_DIVIDE: &str = "
fn divide(left: i64, right: i64) -> i64 {
    if right == 0 { 0 } else { left.wrapping_div(right) }
}
";

const RUST_REMAINDER: &str = "
fn remainder(left: i64, right: i64) -> i64 {
    if right == 0 { 0 } else { left.wrapping_rem(right) }
}
";

const RUST_TYPED: &str = "
/// An operator of C in a type of so many bits, with a sign or without. `None` where C leaves it undefined.
fn typed(operator: char, left: i64, right: i64, bits: u32, is_signed: bool) -> Option<i64> {
    let wide = |value: i64| if bits == 64 && !is_signed { i128::from(value as u64) } else { i128::from(value) };
    let fit = |exact: i128| {
        let (least, most) = (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1);
        match is_signed {
            true => (least..=most).contains(&exact).then_some(exact as i64),
            false => Some((exact & ((1_i128 << bits) - 1)) as u64 as i64),
        }
    };
    let (one, other) = (wide(left), wide(right));
    match operator {
        '+' => fit(one + other),
        '-' => fit(one - other),
        '*' => fit(one.wrapping_mul(other)),
        '/' if other != 0 => fit(one / other),
        '%' if other != 0 => fit(one / other).map(|_| (one % other) as u64 as i64),
        '<' if (0..i64::from(bits)).contains(&right) && (!is_signed || left >= 0) => {
            if is_signed { fit(one << right) } else { fit(i128::from(left.wrapping_shl(right as u32))) }
        }
        '>' if (0..i64::from(bits)).contains(&right) => Some((one >> right) as u64 as i64),
        _ => None,
    }
}
";

const RUST_WRONG: &str = "
/// Says what went wrong, and ends the process.
fn wrong(what: &str) -> ! {
    eprintln!(\"{what}\");
    std::process::exit(1)
}
";

const RUST_ARGUMENTS: &str =
    "    let (mut seconds, mut is_free, mut is_watched, mut seed) = (2.0, IS_FREE, false, 1_u64);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let is_right = match argument.as_str() {
            \"--unconstrained\" => {
                is_free = true;
                true
            }
            \"--monitor\" => {
                is_watched = true;
                true
            }
            \"--seed\" => arguments.next().and_then(|text| text.parse().ok()).map(|number| seed = number).is_some(),
            text => text.parse().ok().map(|number| seconds = number).is_some(),
        };
        if !is_right {
            eprintln!(\"usage: [SECONDS] [--unconstrained] [--monitor] [--seed N]\");
            return ExitCode::FAILURE;
        }
    }
    let Ok(time) = Duration::try_from_secs_f64(seconds) else {
        eprintln!(\"{seconds} is no number of seconds\");
        return ExitCode::FAILURE;
    };
";

const RUST_RUN_BEGIN: &str = "    if is_free {
        runtime = runtime.unconstrained();
    }
    if is_watched {
        runtime = runtime.monitored(20);
    }
    let ended = std::thread::scope(|scope| {
";

const RUST_RUN_END: &str = "        runtime.run_for(time)
    });
    for (number, (name, rounds)) in [NAMES].iter().zip(runtime.rounds()).enumerate() {
        println!(\"T{} ({name}): {rounds} useful rounds\", number + 1);
    }
    println!(\"{ended}\");
    if matches!(ended, Ended::Stopped | Ended::Left) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
";

const C_WARNINGS: &str = "
// What a program compares is up to it.
#if defined(__clang__)
#pragma clang diagnostic ignored \"-Wunused-function\"
#pragma clang diagnostic ignored \"-Wtautological-compare\"
#pragma clang diagnostic ignored \"-Wsign-compare\"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#pragma GCC diagnostic ignored \"-Wsign-compare\"
#pragma GCC diagnostic ignored \"-Wtype-limits\"
#pragma GCC diagnostic ignored \"-Wbool-compare\"
#pragma GCC diagnostic ignored \"-Wbool-operation\"
#endif

";

const C_ARITHMETIC: &str = "
static inline int64_t add(int64_t left, int64_t right) { return (int64_t)((uint64_t)left + (uint64_t)right); }
static inline int64_t subtract(int64_t left, int64_t right) { return (int64_t)((uint64_t)left - (uint64_t)right); }
static inline int64_t multiply(int64_t left, int64_t right) { return (int64_t)((uint64_t)left * (uint64_t)right); }
static inline int64_t negate(int64_t value) { return subtract(0, value); }
static inline int64_t divide(int64_t left, int64_t right) { return right == 0 ? 0 : right == -1 ? negate(left) : left / right; }
static inline int64_t remainder_of(int64_t left, int64_t right) { return right == 0 || right == -1 ? 0 : left % right; }
static inline int64_t shift_left(int64_t left, int64_t right) { return (int64_t)((uint64_t)left << ((uint64_t)right & 63)); }
static inline int64_t shift_right(int64_t left, int64_t right) { return left >> ((uint64_t)right & 63); }

// Returns what was there before.
static inline int64_t compare_exchange(_Atomic int64_t *place, int64_t expected, int64_t desired) {
    atomic_compare_exchange_strong(place, &expected, desired);
    return expected;
}
";

const C_AT: &str = "
// An element of an array.
static inline _Atomic int64_t *at(_Atomic int64_t *array, int64_t length, int64_t index) {
    return array + (index < 0 || index >= length ? length - 1 : index);
}
";

const C_ALONE: &str = "
static pthread_mutex_t others = PTHREAD_MUTEX_INITIALIZER;

// Keeps others away from what is accessed together. Under a schedule they are.
static inline bool alone(lm_thread *self) { return self->is_free && pthread_mutex_lock(&others) == 0; }
static inline void not_alone(bool is_alone) {
    if (is_alone) pthread_mutex_unlock(&others);
}
";

const C_BELOW: &str = "
// A number from 0 to this one, at random.
static inline uint64_t up_to(uint64_t *random, uint64_t last) {
    uint64_t z = *random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return last == UINT64_MAX ? z : z % (last + 1);
}
";

const C_TYPED: &str = "
__extension__ typedef __int128 wide;

typedef struct {
    int64_t value;
    bool is_defined;
} result;

static inline result fit(wide exact, int bits, bool is_signed) {
    const wide most = ((wide)1 << (bits - 1)) - 1;
    if (is_signed) return (result){(int64_t)exact, exact >= -most - 1 && exact <= most};
    return (result){(int64_t)(uint64_t)(exact & (((wide)1 << bits) - 1)), true};
}

// An operator of C in a type of so many bits, with a sign or without.
static inline result typed(char operator, int64_t left, int64_t right, int bits, bool is_signed) {
    const bool is_large = bits == 64 && !is_signed, has_distance = right >= 0 && right < bits;
    const wide one = is_large ? (wide)(uint64_t)left : left, other = is_large ? (wide)(uint64_t)right : right;
    result quotient = {0, false};
    if (other != 0) quotient = fit(one / other, bits, is_signed);
    switch (operator) {
    case '+': return fit(one + other, bits, is_signed);
    case '-': return fit(one - other, bits, is_signed);
    case '*': return is_signed ? fit(one * other, bits, true) : fit((wide)((uint64_t)left * (uint64_t)right), bits, false);
    case '/': return quotient;
    case '%': return quotient.is_defined ? (result){(int64_t)(uint64_t)(one % other), true} : quotient;
    case '<':
        if (!has_distance || (is_signed && left < 0)) break;
        return is_signed ? fit(one << right, bits, true) : fit((wide)((uint64_t)left << right), bits, false);
    default:
        if (has_distance) return (result){(int64_t)(uint64_t)(one >> right), true};
    }
    return (result){0, false};
}
";

const C_WRONG: &str = "
// Says what went wrong, and ends the process.
static _Noreturn void wrong(const char *what) {
    fprintf(stderr, \"%s\\n\", what);
    exit(1);
}
";

const C_ARGUMENTS: &str = "    double seconds = 2;
    bool is_free = IS_FREE, is_watched = false;
    for (int i = 1; i < argc; i++) {
        char *end = \"\";
        if (strcmp(argv[i], \"--unconstrained\") == 0) is_free = true;
        else if (strcmp(argv[i], \"--monitor\") == 0) is_watched = true;
        else if (strcmp(argv[i], \"--seed\") == 0 && i + 1 < argc) seed = strtoull(argv[++i], &end, 10);
        else seconds = strtod(argv[i], &end);
        if (*end || !(seconds >= 0)) {
            fprintf(stderr, \"usage: [SECONDS] [--unconstrained] [--monitor] [--seed N]\\n\");
            return EXIT_FAILURE;
        }
    }
";

const C_RUN: &str = "    const char *wrong_with_it;
    runtime = lm_new(&schedule, LOCKS, is_free, &wrong_with_it);
    if (!runtime || (is_watched && !lm_watch(runtime))) {
        fprintf(stderr, \"%s\\n\", runtime ? \"there is not enough memory\" : wrong_with_it);
        return EXIT_FAILURE;
    }
BEHIND
    static const char *const names[] = {NAMES};
    static void *(*const starts[])(void *) = {STARTS};
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, starts[i], NULL)) return EXIT_FAILURE;
    }
    const lm_ended ended = lm_run_for(runtime, seconds);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        printf(\"T%u (%s): %llu useful rounds\\n\", i + 1, names[i], (unsigned long long)lm_rounds(runtime, i));
    printf(\"%s\\n\", lm_why(runtime));
    lm_free(runtime);
    return ended == LM_STOPPED || ended == LM_LEFT ? EXIT_SUCCESS : EXIT_FAILURE;
}
";
