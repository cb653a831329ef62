//! Tests of our own notation.

use super::is_read_late;
use super::parser::{MAX_CLAUSES, MAX_DEPTH, MAX_HEIGHT};
use crate::program::{
    Access, AccessKind, CasResult, Expression, Mailbox, Mode, Notation, Origin, Program, Span, Statement,
    StatementKind, Thread, ThreadKind, arbitrary,
};
use crate::syntax::{Diagnostic, MAX_SOURCE, Parsed, Severity, parse, print, render};
use proptest::prelude::*;

/// Parses, and fails with the rendered messages.
fn read(text: &str) -> Parsed {
    parse(text).unwrap_or_else(|errors| panic!("{text}\n{}", render(text, "test", &errors)))
}

fn write(program: &Program) -> String {
    print(program, Notation::Litmoscope).unwrap_or_else(|error| panic!("{error}: {program:?}"))
}

/// The text in its canonical form.
fn canonical(text: &str) -> String {
    let program = read(text).program;
    let printed = write(&program);
    let mut declared = program.without_spans();
    declared.objects.iter_mut().for_each(|object| object.origin = Origin::Declared);
    assert_eq!(read(&printed).program.without_spans(), declared, "{printed}");
    printed
}

/// The canonical form of one thread's statements, x, y and q[4] being shared and a, b, e registers.
fn thread(text: &str) -> String {
    let all = canonical(&format!("shared x, y, q[4]\ninit {{ P0:a = 0; P0:b = 0; P0:e = 0 }}\n{text}"));
    all.split_once("\n\n").map_or(String::new(), |(_, body)| body.trim_end().to_owned())
}

/// The first error: `line:column message (help)`.
fn error(text: &str) -> String {
    match parse(text) {
        Ok(parsed) => panic!("no error in {text}\n{}", write(&parsed.program)),
        Err(errors) => {
            assert!(errors.iter().all(|error| error.severity == Severity::Error));
            shown(&errors[0])
        }
    }
}

fn shown(diagnostic: &Diagnostic) -> String {
    let Span { line, column, .. } = diagnostic.span;
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!("{line}:{column} {}{help}", diagnostic.message)
}

fn notes(text: &str) -> Vec<String> {
    read(text).notes.iter().map(|note| format!("{:?} {}", note.severity, shown(note))).collect()
}

#[test]
fn statements() {
    for (text, expected) in [
        ("x := 1", "x := 1"),
        ("x ≔ 1; y ← 2;;", "x := 1\ny := 2"),
        ("a := x", "a := x"),
        ("a := b + 1", "a := b + 1"),
        ("x :=rel 1; a :=acq x; b := na y", "x :=rel 1\na :=acq x\nb :=na y"),
        ("a := fai(x); fai(x, 2)", "a := fai(x)\nfai(x, 2)"),
        ("fetch_add(x, 1, acq); faa(x, rel); fas(x, 1)", "fai(x, 1, acq)\nfai(x, 1, rel)\nfetch_sub(x, 1)"),
        ("fetch_and(x, 1); fetch_or(x, 1); fetch_xor(x, 1)", "fetch_and(x, 1)\nfetch_or(x, 1)\nfetch_xor(x, 1)"),
        ("a :=acqrel xchg(x, 1)", "a :=acqrel xchg(x, 1)"),
        ("a := cas(x, 0, 1); a := cas(x, &e, 1, sc)", "a := cas(x, 0, 1)\na :=sc cas(x, &e, 1)"),
        ("a := load(x, acq); load(x)", "a :=acq x\nload(x)"),
        ("_ := x + 1", "_ := x + 1"),
        ("fence sc; fence; fence(acq)", "fence sc\nfence sc\nfence acq"),
        (
            "r := &x; r := &q[1]; *r := 1; *r :=rel 2; a := *r; a :=acq *(r + 1); fai(*r); a := cas(*r, &r, &x); lock *r",
            "r := &x\nr := &q[1]\n*r := 1\n*r :=rel 2\na := *r\na :=acq *(r + 1)\nfai(*r)\na := cas(*r, &r, &x)\nlock *r",
        ),
        ("a := **r * *r & -*(&q[a] - &q[2])", "a := **r * *r & -*(&q[0] + a - &q[2])"),
        ("a := wcas(x, 0, 1); a := WCAS(x, &e, 1, sc)", "a := wcas(x, 0, 1)\na :=sc wcas(x, &e, 1)"),
        ("a := CAS(x, 0, 1); FAI(x)", "a := cas(x, 0, 1)\nfai(x)"),
        ("if a = 0 { x := 1 } else { skip }", "if a = 0 {\n  x := 1\n} else {\n  skip\n}"),
        ("if a = 0 then x := 1", "if a = 0 {\n  x := 1\n}"),
        ("if a then x := 1 else y := 1; b := 2", "if a {\n  x := 1\n} else {\n  y := 1\n}\nb := 2"),
        ("if a then\n  x := 1\nelse\n  y := 1", "if a {\n  x := 1\n} else {\n  y := 1\n}"),
        ("if a {}\nelse if b { }\nelse { skip }", "if a {\n} else if b {\n} else {\n  skip\n}"),
        ("while x = 0 { a := 1; }", "while x = 0 {\n  a := 1\n}"),
        ("while acq x = 0\n{ }", "while acq x = 0 {\n}"),
        ("repeat { a := x }\nuntil acq (x = 1)", "repeat {\n  a := x\n} until acq x = 1"),
        ("assert x = 1; assert (a != 1)", "assert x = 1\nassert a != 1"),
        ("assume(y = 1 acq); assume acq y = 1", "assume acq y = 1\nassume acq y = 1"),
        ("assume acq (y = 1) and a = 1", "assume acq y = 1 and a = 1"),
        ("assume (y = 1 acq) and x = 1", "assume acq y = 1 and load(x, rlx) = 1"),
        ("skip; error; assert 0", "skip\nerror\nerror"),
        ("lock x; unlock(x)", "lock x\nunlock x"),
        ("send(x, 1); SEND(x, a + y)", "send(x, 1)\nsend(x, a + y)"),
        ("a := receive(x); receive(x); b :=acq y + Receive(x)", "a := receive(x)\nreceive(x)\nb :=acq y + receive(x)"),
        ("q[a + 1] := q[0]", "q[a + 1] := q[0]"),
        ("x := 1 // c\n# c\ny := 2 # c", "x := 1\ny := 2"),
        ("x\u{a0}:=\u{a0}1\r\ny := −2", "x := 1\ny := -2"),
        ("a := 1 +\n  2; b := (1\n  + 2)", "a := 1 + 2\nb := 1 + 2"),
        ("a := 0x1F; b := -0x10; e := 0xffffffffffffffff", "a := 31\nb := -16\ne := -1"),
        ("a := -9223372036854775808", "a := -9223372036854775808"),
    ] {
        assert_eq!(thread(text), expected, "{text}");
    }
}

#[test]
fn operators() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4", "1 + 2 * 3 - 4"),
        ("(1 + 2) * 3 / (4 % 5)", "(1 + 2) * 3 / (4 % 5)"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("a == 1 && b <> 2 ∧ x ≠ 3 /\\ y ≤ 4", "a = 1 and b != 2 and x != 3 and y <= 4"),
        ("a = 1 ∨ b = 2 and x = 3", "a = 1 or b = 2 and x = 3"),
        ("(a = 1 ∨ b = 2) and x = 3", "(a = 1 or b = 2) and x = 3"),
        ("not a = 1", "not a = 1"),
        ("!a = 1", "(not a) = 1"),
        ("¬(a = 1 and b = 1)", "not (a = 1 and b = 1)"),
        ("a | b ^ x & y << 1 + 2", "a | b ^ x & y << 1 + 2"),
        ("((a | b) ^ x) & y", "((a | b) ^ x) & y"),
        ("a & 1 = 0", "a & 1 = 0"),
        ("-a * ~b", "-a * ~b"),
        ("-(5) - -5", "-(5) - -5"),
        ("(a < b) < e", "(a < b) < e"),
        ("a << 1 >> 2 >= 3", "a << 1 >> 2 >= 3"),
    ] {
        assert_eq!(thread(&format!("e := {text}")), format!("e := {expected}"), "{text}");
    }
}

#[test]
fn modes_fall_to_each_access() {
    fn modes(text: &str) -> Vec<Mode> {
        fn walk(e: &Expression, into: &mut Vec<Mode>) {
            match e {
                Expression::Access(access) => {
                    into.push(access.mode);
                    into.extend(access.place.operand().into_iter().flat_map(|index| {
                        let mut inner = Vec::new();
                        walk(index, &mut inner);
                        inner
                    }));
                    if let AccessKind::CompareAndSwap { failure, .. } = access.kind {
                        into.push(failure);
                    }
                }
                Expression::Unary(_, e) => walk(e, into),
                Expression::Binary(_, l, r) => {
                    walk(l, into);
                    walk(r, into);
                }
                Expression::Constant(_) | Expression::Register(_) => {}
            }
        }
        let mut modes = Vec::new();
        match &read(text).program.threads[0].body[0].kind {
            StatementKind::Write { place, mode, value } => {
                modes.push(*mode);
                place.operand().into_iter().for_each(|index| walk(index, &mut modes));
                walk(value, &mut modes);
            }
            StatementKind::Assign { value, .. } | StatementKind::Assume(value) => walk(value, &mut modes),
            _ => {}
        }
        modes
    }
    use Mode::{Acquire as Acq, AcquireRelease as AcqRel, NonAtomic as Na, Relaxed as Rlx, Release as Rel};
    assert_eq!(modes("x := y"), [Rlx, Rlx]);
    assert_eq!(modes("x :=rel y"), [Rel, Rlx]);
    assert_eq!(modes("x :=acq y"), [Rlx, Acq]);
    assert_eq!(modes("x :=acqrel y"), [Rel, Acq]);
    assert_eq!(modes("x :=na y + load(z, acq)"), [Na, Na, Acq]);
    assert_eq!(modes("shared q[4], y, z\nq[y] :=acqrel z"), [Rel, Acq, Acq]);
    assert_eq!(modes("a :=acqrel fai(x)"), [AcqRel]);
    assert_eq!(modes("a :=rel cas(x, 0, 1)"), [Rel, Rlx]);
    assert_eq!(modes("a :=acqrel cas(x, 0, 1)"), [AcqRel, Acq]);
    assert_eq!(modes("a := cas(x, 0, 1, acqrel, rlx)"), [AcqRel, Rlx]);
    assert_eq!(modes("a :=rel x"), [Rlx]);
    assert_eq!(modes("assume acq x = y"), [Acq, Acq]);
    assert_eq!(modes("assume (x = 1 acq) and y = 1"), [Acq, Rlx]);
}

#[test]
fn spans_are_exact() {
    let text = "y := 1 ||\n  if é = 0 {\n    a := x + fai(q[2])\n  }";
    let program = read(text).program;
    let place = |span: Span| (span.line, span.column, &text[span.start as usize..span.end as usize]);
    let Statement { kind: StatementKind::If { then, .. }, span } = &program.threads[1].body[0] else { panic!() };
    assert_eq!(place(*span), (2, 3, "if é = 0"));
    assert_eq!(place(then[0].span), (3, 5, "a := x + fai(q[2])"));
    let StatementKind::Assign { value: Expression::Binary(_, left, right), .. } = &then[0].kind else { panic!() };
    let (Expression::Access(left), Expression::Access(right)) = (&**left, &**right) else { panic!() };
    assert_eq!(place(left.span), (3, 10, "x"));
    assert_eq!(place(right.span), (3, 14, "fai(q[2])"));
    assert_eq!(place(right.place.span), (3, 18, "q[2]"));
}

#[test]
fn cas_with_a_result_stores_to_its_register() {
    let program = read("b := cas(x, &e, 1)").program;
    let StatementKind::Assign { value: Expression::Access(access), .. } = &program.threads[0].body[0].kind else {
        panic!()
    };
    let Access { kind: AccessKind::CompareAndSwap { expected, result, .. }, .. } = &**access else { panic!() };
    let CasResult::Success(register) = result else { panic!() };
    assert_eq!(program.threads[0].registers[register.0 as usize], "e");
    assert_eq!(*expected, Expression::Register(*register));
}

#[test]
fn weak_compare_and_swaps_are_told_how_they_are_explored() {
    let notes = |text: &str| -> Vec<String> {
        let notes = read(text).notes.into_iter().filter(|note| note.message.contains("weak"));
        notes.map(|note| format!("{}:{}", note.span.column, note.help.unwrap_or_default())).collect()
    };
    assert_eq!(notes("a := cas(x, 0, 1)"), Vec::<String>::new());
    assert_eq!(notes("a := wcas(x, &e, 1)"), ["6:"]);
    let help = "the value read does not tell whether it failed; the result of `wcas(x, &e, 1)` does";
    assert_eq!(notes("a := wcas(x, 0, 1)"), [format!("6:{help}")]);
}

#[test]
fn what_is_shared_is_inferred_and_said() {
    let text = "f := 1; m := 2; x := 1 || a := f; lock l; r := fai(c); q[2] := r; s := 1";
    let parsed = read(text);
    let origins: Vec<_> = parsed.program.objects.iter().map(|o| (o.name.as_str(), o.origin)).collect();
    assert_eq!(
        origins,
        [
            ("f", Origin::UsedInTwoThreads),
            ("x", Origin::NamedAsShared),
            ("l", Origin::UsedAsShared),
            ("c", Origin::UsedAsShared),
            ("q", Origin::UsedAsShared),
        ]
    );
    assert_eq!(parsed.program.objects[4].initial, [0, 0, 0]);
    assert_eq!(parsed.program.threads[0].registers, ["m"]);
    assert_eq!(parsed.program.threads[1].registers, ["a", "r", "s"]);
    let help = "(to change this, declare what is shared: `shared";
    assert_eq!(
        notes(text),
        [
            format!("Note 1:1 `f` is shared: inferred from its use in more than one thread {help} f`)"),
            format!("Note 1:17 `x` is shared: inferred from its name {help} x`)"),
            format!("Note 1:40 `l`, `c` and `q` are shared: inferred from the operations on them {help} l`)"),
        ]
    );
}

#[test]
fn with_declarations_nothing_is_inferred() {
    let text = "shared x\nx := 1; r := x || r := x; y := r";
    assert_eq!(
        notes(text),
        [
            "Note 2:9 `r` is not declared shared: it is a register of its own in each thread (to share it, add `r` to the \
          `shared` declaration)"
        ]
    );
    assert_eq!(
        notes("shared x\na := 1; x := a; b := x; c := 1 || b := x; a := 2; c := 2"),
        [
            "Note 2:1 `a`, `b` and `c` are not declared shared: they are registers of their own in each thread (to share one, \
             add it to the `shared` declaration)"
        ]
    );
    let program = read(text).program;
    assert_eq!(program.threads[1].registers, ["r", "y"]);
    assert!(notes("shared x\nx := 1; f := 1 || a := f")[0].starts_with("Warning 2:9 `f` is not declared shared"));
    assert_eq!(notes("a := x; assume ff = 1")[1], "Warning 1:16 `ff` is never assigned: its value is always 0");
    assert!(read("shared none\nx := 1").program.objects.is_empty());
}

#[test]
fn declarations() {
    let text = "# comment\nname MP+rel \nmodel rc11 // c\nshared x = 1, y, q[4],\n  p[3] = {1, -2}\nx := 1";
    let program = read(text).program;
    assert_eq!(program.name, "MP+rel");
    let (model, span) = program.model.clone().unwrap();
    assert_eq!((model.as_str(), span.line, span.column), ("rc11", 3, 7));
    assert_eq!(&text[span.start as usize..span.end as usize], "rc11");
    let initial: Vec<_> = program.objects.iter().map(|object| object.initial.clone()).collect();
    assert_eq!(initial, [vec![1], vec![0], vec![0; 4], vec![1, -2, 0]]);
    let program = read("init { x = 5; P0:a = 3, 1:b := 0x10 }\ny := a || y := b").program;
    assert_eq!((program.objects[0].name.as_str(), program.objects[0].initial[0]), ("x", 5));
    assert_eq!((program.threads[0].initial[0], program.threads[1].initial[0]), (3, 16));
    assert_eq!(read("{ x=1; 0:a=2; }\ny := a").program.threads[0].initial, [2]);
    // Not a title, but an assignment.
    assert_eq!(read("name := 1").program.threads[0].registers, ["name"]);
    assert_eq!(read("`lock` := x; `a b` := `lock`").program.threads[0].registers, ["lock", "a b"]);
}

#[test]
fn footer() {
    for (text, expected) in [
        ("exists (a = 1 /\\ x = 1 \\/ ~x = 2)", "exists (a = 1 /\\ x = 1 \\/ ~(x = 2))"),
        ("~exists a=1 and not (x=1 or x=2)", "~exists (a = 1 /\\ ~(x = 1 \\/ x = 2))"),
        ("not exists true", "~exists (true)"),
        ("forall ([x] = P0:a ∧ 1:b ≤ -3)", "forall (x = a /\\ P1:b <= -3)"),
        ("∀ (q[1] <> 0x10)", "forall (q[1] != 16)"),
        ("locations [x; P0:a, q[1];]\nfilter (false)\nexists\n(1 = 1)", ""),
    ] {
        let printed = canonical(&format!("shared x, q[2]\na := x || b := q[1] || b := x\n{text}"));
        let footer = printed.rsplit_once("\n\n").unwrap().1.trim_end();
        let expected = match expected {
            "" => "locations [x; a; q[1]]\nfilter (false)\nexists (1 = 1)",
            other => other,
        };
        assert_eq!(footer, expected);
    }
}

#[test]
fn rows_of_a_slide_are_a_table() {
    let text = "x := 1  ∥ y := 1 ‖ skip\na := y  ∥ b := x ∥ c := x\n\nexists (a = 0)";
    assert_eq!(
        canonical(text),
        "shared x, y\n\nx := 1\na := y\n||\ny := 1\nb := x\n||\nskip\nc := x\n\nexists (a = 0)\n"
    );
    assert!(notes(text)[0].contains("rows of a table with 3 threads"));
    // No table: threads are on lines of their own, or lines differ.
    assert_eq!(read("x := 1\n||\nx := 2").program.threads.len(), 2);
    assert_eq!(read("||\n||").program.threads.len(), 3);
    assert_eq!(read("x := 1 ||\nx := 2 ||| x := 3").program.threads.len(), 3);
}

#[test]
fn errors() {
    let mode_help = "(the modes are na, rlx, acq, rel, acqrel and sc)";
    for (text, expected) in [
        ("", "1:1 there is no program (write threads separated by `||`: `x := 1; a := y || y := 1; b := x`)"),
        ("x = 1", "1:3 expected `:=`, found `=` (write `:=` for an assignment)"),
        ("x == 1", "1:3 expected `:=`, found `==` (write `:=` for an assignment)"),
        ("x", "1:2 expected `:=`, found the end of the text"),
        ("x :=foo 1", &format!("1:5 unknown mode `foo` {mode_help}")),
        ("x :=\ny := 1", "1:5 expected an expression, found the end of the line"),
        ("a := x +", "1:9 expected an expression, found the end of the text"),
        ("a := (x + 1\nb := 2", "1:6 this `(` is not closed (write the `)`)"),
        ("a := (x 1)", "1:9 expected an operator or `)`, found `1` (is there an operator missing?)"),
        ("a := x y", "1:8 expected `;` or the end of the line, found `y`"),
        ("a := b := 1", "1:8 expected `;` or the end of the line, found `:=` (a statement has only one assignment)"),
        ("if a = 0 { x := 1", "1:10 this `{` is not closed (write the `}`)"),
        (
            "if a { x := 1 || y := 1 }",
            "1:6 this `{` is not closed (write the `}` before the `||` that ends the thread)",
        ),
        (
            "if a = 0 x := 1",
            "1:10 expected `{` or `then`, found `x` (it is `if a = 0 then x := 1` or `if a = 0 { x := \
          1 }`)",
        ),
        ("x := 1 }", "1:8 this `}` closes nothing"),
        (
            "x := 1, y := 1",
            "1:7 expected `;` or the end of the line, found `,` (statements are separated by `;` or line ends)",
        ),
        ("x++", "1:2 expected `:=`, found `+` (`fai(x)` adds 1 atomically; `a := a + 1` does not)"),
        (
            "x := || y := 1\na := y || b := x",
            "1:6 expected an expression, found `||` (`||` separates threads; the logical \
          operator is `or`)",
        ),
        ("else x := 1", "1:1 expected a statement, found `else` (this `else` belongs to no `if`)"),
        ("assume (a = 1 || b = 1)", "1:8 this `(` is not closed (write the `)`)"),
        (
            "assume x = 1 acq",
            "1:14 expected `;` or the end of the line, found `acq` (the mode comes after `:=`: `a :=acq x`; or in \
             parentheses: `assume(x = 1 acq)`)",
        ),
        ("fence na", "1:7 a fence can't be non-atomic (the modes of fences are rlx, acq, rel, acqrel and sc)"),
        (
            "fence full",
            "1:7 expected the fence's mode, found `full` (the modes of fences are rlx, acq, rel, acqrel and sc)",
        ),
        ("mfence", "1:7 expected `:=`, found the end of the text (write `fence sc` for a full fence)"),
        ("a := load(x, rel)", "1:14 a read can't be a release (the modes of reads are na, rlx, acq and sc)"),
        (
            "a := cas(x, 0, 1, rel, rel)",
            "1:24 a failing `cas` reads only: it can't be a release (the modes of a failing \
          `cas` are na, rlx, acq and sc)",
        ),
        ("a := fai(x, 1, strong)", &format!("1:16 expected a mode, found `strong` {mode_help}")),
        (
            "a := cas(x, 1)",
            "1:14 expected `,` and the value to write, found `)` (it is `fai(x, 1)`, `xchg(x, 1)`, `cas(x, 0, \
          1)`)",
        ),
        ("a := cas(x, &1, 1)", "1:14 expected a register, found `1`"),
        ("a := send(x, 1)", "1:6 `send` returns no value (use channels with `send(c, 1)` and `r := receive(c)`)"),
        (
            "send(x)",
            "1:7 expected `,` and the value to send, found `)` (use channels with `send(c, 1)` and `r := receive(c)`)",
        ),
        ("a := receive(x, acq)", "1:15 expected `)`, found `,` (`receive` has no more arguments)"),
        ("store(x, 1)", "1:1 unknown function `store` (a write is `x := 1`, or `x :=rel 1` with a mode)"),
        ("a := 1 < 2 < 3", "1:12 comparisons do not chain (write `a < b and b < c`, or use parentheses)"),
        (
            "a := 9223372036854775808",
            "1:6 the number `9223372036854775808` does not fit in 64 bits (values are 64-bit \
          integers with a sign)",
        ),
        (
            "a := 12ab",
            "1:6 `12ab` is not a number (numbers are decimal, as 10, or hexadecimal, as 0x1f; names start with a \
          letter)",
        ),
        (
            "sc := 1",
            "1:1 expected a statement, found `sc` (`sc` is a mode: it comes after `:=`, `fence`, `if` or \
             `assume`, or last in a function; write `` `sc` `` for a variable of that name)",
        ),
        (
            "a := until",
            "1:6 expected an expression, found `until` (`until` is a keyword; write `` `until` `` for a variable of \
             that name)",
        ),
        (
            "a := q[b]; b := 1",
            "1:6 the length of `q` is not known (declare it, together with all other shared names: `shared \
          q[4]`)",
        ),
        (
            "shared x\nlock m",
            "2:6 `m` is used as something shared, but it is not declared (to share it, add `m` to the `shared` \
             declaration)",
        ),
        ("shared x, x\nx := 1", "1:11 `x` is declared twice"),
        (
            "shared x y\nx := 1",
            "1:10 expected `,`, `;` or the end of the line, found `y` (separate several names by commas: `shared x, \
             y`)",
        ),
        ("shared q[0]\nx := 1", "1:10 an array has 1 to 4096 elements"),
        ("shared q[2] = {1, 2, 3}\nx := 1", "1:22 `q` has only 2 elements"),
        (
            "shared q[2] = 1\nx := 1",
            "1:15 expected `{`, found `1` (the initial values of an array are in braces: `q[2] = {1, \
          2}`)",
        ),
        (
            "x := 1\nmodel tso",
            "2:1 expected a statement, found `model tso` (write the `model` line before the \
                               threads)",
        ),
        ("x := 1\nshared y", "2:1 expected a statement, found `shared` (write declarations before the threads)"),
        (
            "flag := x\nexists (flga = 1)",
            "2:9 there is no register or shared variable `flga` (did you mean `P0:flag`?)",
        ),
        (
            "r := x || a := x\nexists (q7 = 1)",
            "2:9 there is no register or shared variable `q7` (there are P0:r, P1:a, x)",
        ),
        (
            "shared x\nr := x || r := x\nexists (r = 1)",
            "3:9 several threads have a register `r` (say which: P0:r, P1:r)",
        ),
        ("r := x\nexists (P1:r = 1)", "2:9 there is no thread P1 (the threads are P0 to P0)"),
        ("r := x\nexists (P0:x = 1)", "2:9 P0 has no register `x` (`x` is shared: write it without a thread)"),
        ("q[1] := 1\nexists (q = 1)", "2:9 `q` is an array (say which element: `q[0]`)"),
        ("shared q[2]\nq[1] := 1\nexists (q[2] = 1)", "3:9 `q` has no element 2 (its elements are q[0] to q[1])"),
        ("a := x\nexists (a := 1)", "2:11 expected a comparison, such as `=`, found `:=` (write `=` for a comparison)"),
        (
            "a := x\nexists (a = 1 || x = 1)",
            "2:15 expected `/\\`, `\\/` or `)`, found `||` (write `\\/` for `or` and `/\\` for `and`)",
        ),
        ("a := x\nexists (a = 1) exists (a = 2)", "2:16 there is more than one final condition"),
        (
            "a := x\nexists (a = 1) x := 1",
            "2:16 expected the end of the text, found `x` (after the threads come `locations`, `filter` and a final \
             condition; join its parts by `/\\` and `\\/`)",
        ),
        ("`a := 1", "1:1 expected a statement, found a backquote (close a name in backquotes on the same line)"),
        ("init { P3:a = 1 }\nx := 1", "1:8 there is no thread P3 (the threads are P0 to P0)"),
        (
            "int r0 = atomic_load(x);",
            "1:5 expected `:=`, found `r0` (this looks like C: a program in herd's C starts with a \
          line `C name`)",
        ),
        (
            "MOV [x],$1 | MOV [y],$1 ;",
            "1:1 the length of `MOV` is not known (this looks like assembly: herd's programs start with a \
          line `X86 name` or `X86_64 name`)",
        ),
        (
            "AArch64 MP\n{}",
            "1:1 programs for AArch64 are not supported (the notations are C, X86, X86_64 and \
                            Litmoscope's own)",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn several_errors_at_once() {
    let errors = parse("x = 1\ny := 2; a := z +;\nif a == { x := 1 }\nb := 1 || fence na").unwrap_err();
    let lines: Vec<_> = errors.iter().map(|error| error.span.line).collect();
    assert_eq!(lines, [1, 2, 3, 4]);
    assert_eq!(parse(&"x = 1\n".repeat(1000)).unwrap_err().len(), 50);
    // Warnings do not hide errors.
    let warnings: String = (0..200).map(|i| format!("a := b{i}\n")).collect();
    assert_eq!(parse(&format!("{warnings}a = 1")).unwrap_err().len(), 1);
    assert_eq!(read(&warnings).notes.len(), 50);
}

#[test]
fn rendered_errors() {
    let rendered = |text: &str| render(text, "SB.litmus", &parse(text).unwrap_err());
    assert_eq!(
        rendered("x := 1\nx :=foo 1 || a := y"),
        "error: unknown mode `foo`\n --> SB.litmus:2:5\n  |\n2 | x :=foo 1 || a := y\n  |     ^^^\n  |\n  = help: the modes \
         are na, rlx, acq, rel, acqrel and sc\n\n"
    );
    // At the end of the text, behind a tab and wide characters.
    assert_eq!(
        rendered("\t変 := "),
        "error: expected an expression, found the end of the text\n --> SB.litmus:1:6\n  |\n1 |     変 := \n  |          ^\n\n"
    );
    let long = format!("{}a := ; {}", "x := 1; ".repeat(5000), "x := 1; ".repeat(5000));
    let text = rendered(&long);
    assert!(text.contains("SB.litmus:1:40006") && text.len() < 1000, "{text}");
    // Places that are not in the text do no harm.
    let span = Span { start: 7, end: 3, line: 9, column: 2 };
    assert!(render("é", "f", &[Diagnostic::error("m", span)]).starts_with("error: m\n"));
    assert!(render("é", "f", &[Diagnostic::error("m", Span { start: 1, end: 1, ..span })]).starts_with("error: m\n"));
}

/// Runs on a stack smaller than a browser's 1 MiB: the parser's callers are on it too.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(3 << 18).spawn(run).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_is_refused() {
    on_a_small_stack(|| {
        let deep = [
            format!("a := {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
            format!("a := {}1", "(".repeat(200_000)),
            format!("a := {}1", "-".repeat(200_000)),
            format!("a := {}1", "not ".repeat(50_000)),
            format!("a := 1{}", " + 1".repeat(50_000)),
            format!("a := {}x", "q[".repeat(50_000)),
            format!("a := {}1{}", "fai(x, ".repeat(20_000), ")".repeat(20_000)),
            "if a { ".repeat(30_000),
            "repeat { ".repeat(20_000),
            "if a then ".repeat(20_000),
            format!("if a {{}} {}", "else if a {} ".repeat(15_000)),
            format!("a := x exists {}true", "~".repeat(200_000)),
            format!("a := x exists {}true", "(".repeat(200_000)),
            format!("a := x exists true{}", " /\\ true".repeat(20_000)),
            format!("handler h queue; message k on h {{ {}", "if a { ".repeat(30_000)),
            format!("handler h queue; message k on h {{ {}{} }}", "if a { ".repeat(15_000), "}".repeat(15_000)),
            format!("handler h queue; message k(n) on h {{ }} post h.k({}", "(".repeat(100_000)),
        ];
        for text in deep {
            let errors = parse(&text).unwrap_err();
            let expected = [
                format!("nested more than {MAX_DEPTH} deep"),
                format!("more than {MAX_HEIGHT} operators in a row"),
                format!("more than {MAX_CLAUSES} operators in a row"),
            ];
            assert!(errors.iter().any(|e| expected.contains(&e.message)), "{:.40}: {:?}", text, errors[0]);
        }
    });
}

#[test]
fn what_is_just_deep_enough_is_read_and_printed() {
    on_a_small_stack(|| {
        let half = MAX_DEPTH as usize / 2 - 3;
        let condition = format!("{}1{}", "-(".repeat(half), ")".repeat(half));
        let blocks = format!("{}skip{}", "if x { ".repeat(half), "}".repeat(half));
        let chain = format!("x{}", " + x".repeat(MAX_HEIGHT as usize - 5));
        let less = format!("{}1{}", "-(".repeat(half - 6), ")".repeat(half - 6));
        let other = format!("{}a := {less}; b := {chain}{}", "while x {\n".repeat(10), "}".repeat(10));
        let clauses = format!("a := x exists a = 0{}", " /\\ x = 1".repeat(MAX_CLAUSES as usize - 2));
        let handled =
            format!("handler h queue; message k(n) on h {{ {other} }}\n{}", blocks.replace("skip", "post h.k(1)"));
        for text in [handled, clauses, format!("a := {condition}"), blocks, format!("a := {chain}"), other] {
            match parse(&text) {
                Ok(parsed) => {
                    // Whatever walks a program has to manage.
                    let mut program = parsed.program.without_spans();
                    program.objects.iter_mut().for_each(|object| object.origin = Origin::Declared);
                    assert_eq!(read(&write(&program)).program.without_spans(), program);
                    assert!(crate::program::Code::compile(&program).is_ok());
                    assert!(serde_json::to_string(&program).is_ok());
                }
                Err(errors) => panic!("{:.60}: {}", text, shown(&errors[0])),
            }
        }
    });
}

#[test]
fn hostile_texts_end() {
    for piece in [
        "(",
        "a := (1\n",
        "||",
        "|| x",
        "`",
        "shared ",
        "{",
        "}",
        "exists ",
        "exists a=1 ",
        "name \"",
        "\\",
        "é",
        ":=",
        "x:=(y acq\n",
        "x[",
        "\n",
        ";",
        "fai(",
        "-",
        "not ",
        "if a ",
        "lock(",
        "a1 ",
        "0x",
        "init{",
        "q[4095]:=1;",
        "\u{a0}",
        "#",
        "/",
    ] {
        // Anything quadratic would take minutes.
        let _ = parse(&piece.repeat(MAX_SOURCE / 4 / piece.len()));
    }
    let names = |suffix: &str| (0..12_000).map(|i| format!("v{i}{suffix}")).collect::<String>();
    let _ = parse(&names(":=1;"));
    let _ = parse(&format!("shared {}u\nx := 1", names(",")));
    let _ = parse(&format!("{}\nexists {}", "abc := x; ".repeat(100), names("=1 exists ")));
    let errors = parse(&"x".repeat(MAX_SOURCE + 1)).unwrap_err();
    assert_eq!(errors[0].message, "the text has 262145 bytes, more than 262144");
}

fn anything() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        &[
            "x",
            "y",
            "a",
            "b",
            "q",
            ":=",
            "=",
            "||",
            ";",
            "\n",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            "1",
            "0x",
            "fai",
            "cas",
            "if",
            "then",
            "else",
            "while",
            "repeat",
            "until",
            "assert",
            "assume",
            "fence",
            "lock",
            "acq",
            "na",
            "exists",
            "forall",
            "locations",
            "filter",
            "shared",
            "init",
            "name",
            "model",
            "P0",
            ":",
            "~",
            "/\\",
            "\\/",
            "&",
            "|",
            "-",
            "not",
            "and",
            "`",
            "\"",
            "#",
            "_",
            "≤",
            "\u{a0}",
            "\u{1F600}",
            "error",
            "handler",
            "queue",
            "message",
            "on",
            "initial",
            "post",
            ".",
            "h queue\n",
            "post h.m",
        ][..],
    );
    prop_oneof![
        prop::collection::vec(word, 0..60).prop_map(|words| words.join(" ")),
        any::<String>(),
        "(\\PC|\\n|;|\\(|\\)|:=|\\|\\|){0,80}",
    ]
}

/// Every message can be rendered, and the first is an error.
fn check(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(parsed) => {
            render(text, "f", &parsed.notes);
            let mut program = parsed.program.without_spans();
            program.objects.iter_mut().for_each(|object| object.origin = Origin::Declared);
            let late = program.is_beyond_events() || program.before.is_some();
            prop_assert!(!late || is_read_late(text), "the page would not load what reads {}", text);
            let printed = write(&program);
            prop_assert_eq!(read(&printed).program.without_spans(), program);
        }
        Err(errors) => {
            prop_assert!(!errors.is_empty() && errors.len() <= 50);
            prop_assert!(render(text, "f", &errors).contains("error: "));
            for error in errors {
                let (start, end) = (error.span.start as usize, error.span.end as usize);
                prop_assert!(text.get(start..end).is_some(), "{:?}", error);
                let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
                let line = text[..start].matches('\n').count() + 1;
                let column = text[line_start..start].chars().count() + 1;
                prop_assert_eq!((error.span.line as usize, error.span.column as usize), (line, column), "{:?}", error);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    #[test]
    fn what_is_printed_parses_to_the_same(program in arbitrary::program()) {
        let text = write(&program);
        prop_assert!(!program.is_beyond_events() || is_read_late(&text), "the page would not load what reads {}", text);
        let parsed = read(&text).program.without_spans();
        prop_assert_eq!(parsed, program, "{}", text);
    }

    #[test]
    fn arbitrary_texts_do_no_harm(text in anything()) {
        check(&text)?;
    }

    #[test]
    fn mutated_programs_do_no_harm(
        program in arbitrary::program(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..8usize, anything()), 1..4),
    ) {
        let mut text = write(&program);
        for (at, length, replacement) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            let short: String = replacement.chars().take(length).collect();
            text.replace_range(start..end, &short);
        }
        check(&text)?;
    }
}

/// The literature's `r` of every thread would be shared by the rule, and the program a much larger one.
#[test]
fn registers_that_would_be_shared_are_warned_of() {
    let warnings = |text: &str| {
        let notes = crate::syntax::parse(text).expect("a program").notes;
        notes.into_iter().filter(|note| note.severity == Severity::Warning).map(|note| note.message).collect::<Vec<_>>()
    };
    for text in ["r := x; x := r + 1 || r := x; x := r + 1", "r :=acq fai(x) || r := y; y := r"] {
        let found = warnings(text);
        assert!(found.len() == 1 && found[0].starts_with("`r` is shared"), "{text}: {found:?}");
    }
    for text in [
        "shared x; r := x; x := r + 1 || r := x; x := r + 1",
        "turn := 1; a := turn || turn := 0; b := turn",
        "r := x || s := x",
        "z := x || z := y",
    ] {
        assert_eq!(warnings(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_has_an_address_is_shared() {
    let objects = |text: &str| -> Vec<(String, Origin)> {
        read(text).program.objects.into_iter().map(|object| (object.name, object.origin)).collect()
    };
    let one = |name: &str| vec![(name.to_owned(), Origin::UsedAsShared)];
    assert_eq!(objects("r := &n; *r := 1"), one("n"));
    // Bits, and the register of a compare-and-swap.
    assert_eq!(objects("a := r & n; a := (r\n & n); a := (r) & n; a := q[1] & n"), one("q"));
    assert_eq!(objects("b := cas(n, &e, 1); b := wcas(n, &e, (1, 2))".replace("(1, 2)", "e").as_str()), one("n"));
    assert_eq!(objects("b := cas(n, 0, &e)"), [one("n"), one("e")].concat());
    assert_eq!(objects("init { P0:r = &n }\n*r := 1"), one("n"));
    // A shared name there is an address, a register is where the value read goes.
    let program = read("shared p, n\nb := cas(p, &n, 0); b := cas(p, &e, 0)").program;
    let results: Vec<CasResult> = (program.threads[0].body.iter())
        .map(|statement| match &statement.kind {
            StatementKind::Assign { value: Expression::Access(access), .. } => match access.kind {
                AccessKind::CompareAndSwap { result, .. } => result,
                _ => panic!(),
            },
            _ => panic!(),
        })
        .collect();
    assert_eq!(results[0], CasResult::ValueRead);
    assert!(matches!(results[1], CasResult::Success(_)));
}

#[test]
fn addresses_are_initial_values_and_compared_with() {
    let text =
        "shared p = &q[1], q[2] = {3, &x}, x\ninit { P0:r = &p }\na := **r\nexists (a = 3 \\/ p = &q[0] /\\ r != &x)";
    let program = read(text).program;
    let shown = |object: usize| -> Vec<String> {
        program.objects[object].initial.iter().map(|value| program.value_text(*value)).collect()
    };
    assert_eq!((shown(0), shown(1)), (vec!["&q[1]".to_owned()], vec!["3".to_owned(), "&x".to_owned()]));
    assert_eq!(program.value_text(program.threads[0].initial[0]), "&p");
    let printed = write(&program);
    assert!(printed.contains("shared p = &q[1], q[2] = {3, &x}, x\n"), "{printed}");
    assert!(printed.contains("exists (a = 3 \\/ p = &q[0] /\\ r != &x)\n"), "{printed}");
    for (text, expected) in [
        ("shared p = &n\na := p", "1:13 `n` is not declared shared"),
        ("shared p\ninit { P0:b = 1 }\na := &b", "3:7 `b` is a register: it has no address"),
        ("shared p\na := &b", "2:7 `b` is used as something shared, but it is not declared"),
        ("a := &1", "1:7 expected the name of something shared"),
        ("shared q[2]\na := &q[99999999999]", "2:7 this index is too large for an address"),
        ("a := x\nexists (a = &n)", "2:14 there is no shared variable `n`"),
        ("a := x\n*1 :=", "2:6 expected an expression"),
    ] {
        let errors = parse(text).expect_err(text);
        let found: Vec<String> =
            errors.iter().map(|e| format!("{}:{} {}", e.span.line, e.span.column, e.message)).collect();
        assert!(found.iter().any(|error| error.starts_with(expected)), "{text}: {found:?}");
    }
}

#[test]
fn what_has_no_initial_value_says_so() {
    let program = parse("shared x = ?, q[2] = ?, y\nx := 1\na := y").expect("a program").program;
    assert_eq!(program.objects.iter().map(|o| o.uninitialised).collect::<Vec<_>>(), [true, true, false]);
    assert!(write(&program).contains("shared x = ?, q[2] = ?, y\n"));
    let errors = parse("shared x\nx := ?").expect_err("no value");
    assert!(errors[0].message.contains("expected an expression, found `?`"), "{errors:?}");
}

/// A program with what handlers, messages and posts can be.
const CLICKS: &str = "name clicks\nshared x, y, z\nhandler ui queue\nhandler net multiset\n\n\
                      message click(n) on ui { x := n; post net.fetch(n) }\n\
                      message fetch(n) on net { a := y; post ui.done(a + n) }\n\
                      message done(v) on ui { z := v }\n\ninitial ui.click(1), ui.click(2)\n\n\
                      y := 5 || y := 6; post ui.click(3)\n\nexists (z = 5 /\\ ui:n = 1)\n";

#[test]
fn handlers_are_threads_behind_the_others() {
    let parsed = read(CLICKS);
    assert!(parsed.notes.is_empty(), "{:?}", parsed.notes);
    let program = &parsed.program;
    let names: Vec<String> = (0..5).map(|thread| program.thread_name(thread)).collect();
    assert_eq!((names.join(" ").as_str(), program.threads.len()), ("P0 P1 ui net start", 5));
    let registers: Vec<_> = program.threads.iter().map(|thread| thread.registers.join(" ")).collect();
    assert_eq!(registers, ["", "", "n v", "n a", ""]);
    let messages = |thread: usize| program.threads[thread].messages();
    let names = |thread: usize| messages(thread).iter().map(|m| m.name.as_str()).collect::<Vec<_>>().join(" ");
    assert_eq!((names(2).as_str(), names(3).as_str()), ("click done", "fetch"));
    assert_eq!(messages(2)[1].parameter.map(|register| register.0), Some(1));
    let Thread { kind: ThreadKind::Handler { mailbox, span, .. }, .. } = &program.threads[3] else { panic!() };
    assert_eq!((*mailbox, span.line, span.column), (Mailbox::Multiset, 4, 9));
    assert_eq!((messages(2)[1].span.line, messages(2)[1].span.column), (8, 9));
    // What is posted: `net.fetch` first, whose handler is the fourth thread.
    let StatementKind::Post { handler, message, value } = &messages(2)[0].body[1].kind else { panic!() };
    assert_eq!((*handler, *message), (3, 0));
    assert!(matches!(value, Some(Expression::Register(_))));
    let post = &program.threads[1].body[1];
    let StatementKind::Post { handler: 2, message: 0, value: Some(Expression::Constant(3)) } = post.kind else {
        panic!("{post:?}")
    };
    assert_eq!(&CLICKS[post.span.start as usize..post.span.end as usize], "post ui.click(3)");
    let start = &program.threads[4];
    assert_eq!((&start.kind, start.body.len()), (&ThreadKind::Start, 2));
    let span = start.body[1].span;
    assert_eq!(&CLICKS[span.start as usize..span.end as usize], "ui.click(2)");
    assert_eq!(
        canonical(CLICKS),
        "name clicks\nshared x, y, z\nhandler ui queue\nhandler net multiset\n\n\
         message click(n) on ui {\n  x := n\n  post net.fetch(n)\n}\n\nmessage done(v) on ui {\n  z := v\n}\n\n\
         message fetch(n) on net {\n  a := y\n  post ui.done(a + n)\n}\n\ninitial ui.click(1), ui.click(2)\n\n\
         y := 5\n||\ny := 6\npost ui.click(3)\n\nexists (z = 5 /\\ ui:n = 1)\n"
    );
    assert!(crate::program::Code::compile(program).is_ok());
}

#[test]
fn declarations_of_handlers_are_in_any_order() {
    for text in [
        // Several `initial` lines, a handler behind its message, registers of it before it, and blocks of each kind.
        "initial h.k\nmessage k on h { }\ninit { h:a = 1 }\nhandler h queue\nmessage l(a) on h\n{\n  x := a\n\n}\n\
         shared x\ninitial h.l(-1), h.l(&x),\n  h.l(0x10)\nmodel sc\nskip",
        "handler h queue; message k(\n  n\n) on h { a := x }; initial h.k(1); skip",
        "handler h queue; message k on h {} skip",
        "message k on h { message := post; post := initial; handler := on + queue } handler h multiset\ninitial h.k",
        "message k on h { if x = 0 { y := 1 } else { while y = 0 { skip } } } message l on h {} handler h multiset",
        // All names may be quoted, and all but the keywords can be used.
        "handler `if` queue; message `a b`(`na`) on `if` { `na` := 1 } initial `if`.`a b`(1)\nexists (`if`:`na` = 1)",
        "handler post queue; message on(queue) on post { post post.on(queue) } post post.on(0)",
        "handler handler queue; message message(on) on handler { x := on } initial handler.message(1)",
        "handler lock2 queue; message cas(n) on lock2 { } post lock2.cas(&x)",
        // No thread, one that does nothing, and several.
        "handler h queue",
        "handler h queue\n\n;\n",
        "handler h queue;\n",
        "handler h queue\n||",
        "shared none\nhandler h queue\nmessage k(n) on h { m := n }\ninitial h.k(1)\nforall (m = 1 \\/ n = 0)",
        // A row of declarations, a table.
        "handler h queue\nmessage k on h { }\nx := 1 || a := x\npost h.k || b := y",
        "shared x, n\ninit { h:n = 2 }\nhandler h queue\nmessage k(n) on h { x := n }\nn := 1",
    ] {
        canonical(text);
    }
    let threads = |text: &str| read(text).program.threads.len();
    assert_eq!(threads("handler h queue"), 1);
    assert_eq!(threads("handler h queue;\n// nothing\n"), 1);
    assert_eq!(threads("handler h queue\n;"), 2);
    assert_eq!(threads("handler h queue\n;\nx := 1"), 2);
    assert_eq!(threads("handler h queue\n||"), 3);
    assert_eq!(threads(";"), 1);
    let program = read("handler h queue\nmessage k(n) on h {}\nshared x, q[2]\ninitial h.k(&q[1])").program;
    let StatementKind::Post { value: Some(Expression::Constant(value)), .. } = program.threads[1].body[0].kind else {
        panic!()
    };
    assert_eq!(program.value_text(value), "&q[1]");
}

#[test]
fn words_of_handlers_are_names_elsewhere() {
    for word in ["handler", "message", "post", "initial", "on", "queue", "multiset", "start"] {
        for text in [
            format!("{word} := 1"),
            format!("{word} := x || {word} := y; a := {word}"),
            format!("{word}[1] := 2; a := {word}[0]\nexists ({word}[1] = 2)"),
            format!("shared {word}\n{word} :=rel {word}; a := fai({word}); lock {word}"),
            format!("if {word} then {word} := 1 else {word} := {word}\nexists ({word} = 1)"),
            format!("a := x; while {word} {{ {word} := (\n{word}\n) }}; a := {word}\n{word} := a"),
            format!("init {{ P0:{word} = 1 }}\nx := {word}"),
            format!("x := 1 || a := x\n{word} := 1 || {word} := 2"),
        ] {
            let program = read(&text).program;
            assert!(program.threads.iter().all(|thread| thread.kind == ThreadKind::Plain), "{text}");
            canonical(&text);
        }
    }
}

#[test]
fn registers_of_handlers() {
    let registers = |text: &str| -> Vec<String> {
        read(text).program.threads.iter().map(|thread| thread.registers.join(" ")).collect()
    };
    let objects = |text: &str| -> Vec<String> {
        read(text).program.objects.iter().map(|object| format!("{} {:?}", object.name, object.origin)).collect()
    };
    // One register of all messages; parameters first.
    let text = "handler h queue\nmessage k(n) on h { a := a + n }\nmessage l(m) on h { b := a; n := b }\nx := 1";
    assert_eq!(registers(text), ["", "n m a b"]);
    assert_eq!(objects(text), ["x NamedAsShared"]);
    // A handler is one thread, and what is used in two is shared, unless it is a parameter.
    let text = "handler h queue\nhandler g queue\nmessage k(n) on h { f := n }\nmessage l on h { f := 1 }\n\
                message m(x) on g { n := x; e := 1 }\ne := n";
    assert_eq!(objects(text), ["e UsedInTwoThreads", "n UsedInTwoThreads"]);
    assert_eq!(registers(text), ["", "n f", "x"]);
    canonical(text);
    // Names of handlers and messages, also of those that are called as functions are, stand for no variables.
    let text = "handler x queue\nmessage load(y) on x { }\npost x.load(a); a := 1; post x.`load`(z)";
    assert_eq!((objects(text), registers(text)), (vec!["z NamedAsShared".to_owned()], vec!["a".into(), "y".into()]));
    canonical(text);
    let program = read("handler h queue\nmessage k on h { a := x }\ninit { h:a = 7; h:c = 8 }").program;
    assert_eq!(
        (program.threads[0].registers.join(" ").as_str(), &program.threads[0].initial[..]),
        ("a c", &[7, 8][..])
    );
    let text = "handler h queue\nmessage k(n) on h { a := n }\nb := x; a := x\nlocations [h:a; b]\nfilter (n = 0)";
    let printed = canonical(&format!("shared x\n{text}"));
    assert!(printed.ends_with("\nlocations [h:a; b]\nfilter (n = 0)\n"), "{printed}");
}

#[test]
fn errors_about_handlers() {
    let handler = "(declare a handler as `handler ui queue`: a `queue` delivers messages in the order of their \
                   posts, a `multiset` in any order)";
    let message = "(declare a message as `message m(n) on ui { x := n }`, or without `(n)`)";
    let constant = "(it is a number or an address, as `initial ui.m(1)`; let a thread post what is computed)";
    let post = "(post a message with `post ui.m(1)`, or, if it has no parameter, as `post ui.m`)";
    for (text, expected) in [
        (
            "handler h queue\nhandler h queue",
            "2:9 the handler `h` is declared twice (declare a handler once; its messages name it after `on`)",
        ),
        (
            "handler h",
            &format!("1:10 expected the handler's mailbox, `queue` or `multiset`, found the end of the text {handler}"),
        ),
        (
            "handler h\nskip",
            &format!("1:10 expected the handler's mailbox, `queue` or `multiset`, found the end of the line {handler}"),
        ),
        (
            "handler h stack",
            &format!("1:11 expected the handler's mailbox, `queue` or `multiset`, found `stack` {handler}"),
        ),
        (
            "handler h queue, g queue",
            "1:16 expected `;` or the end of the line, found `,` (declare each handler separately, with its mailbox)",
        ),
        ("handler 1 queue", &format!("1:9 expected the name of the handler, found `1` {handler}")),
        (
            "handler lock queue",
            "1:9 expected the name of the handler, found `lock` (`lock` is a keyword; write `` `lock` `` for a \
             variable of that name)",
        ),
        ("handler P7 queue", "1:9 `P7` is the name of a thread (give the handler another name, as `handler ui queue`)"),
        (
            "handler start queue",
            "1:9 a handler can't be called `start` (give the handler another name: `start` posts the initial messages)",
        ),
        (
            "handler h queue\nhandler g queue\nmessage k on h { }\nmessage k on g { }",
            "4:9 the message `k` is declared twice (each message is on one handler, and `k` is on `h`)",
        ),
        ("handler net queue\nmessage k on ner { }", "2:14 there is no handler `ner` (did you mean `net`?)"),
        (
            "handler net queue\nhandler ui queue\nmessage k on other { }",
            "3:14 there is no handler `other` (the handlers are net, ui)",
        ),
        (
            "message k on h { }\npost h.k",
            "1:14 there is no handler `h` (declare it before the threads: `handler h queue`)",
        ),
        (
            "handler h queue\nmessage k { }",
            &format!("2:11 expected `on` and the handler of the message, found `{{` {message}"),
        ),
        (
            "handler h queue\nmessage k on { }",
            &format!("2:14 expected the handler of the message, found `{{` {message}"),
        ),
        (
            "handler h queue\nmessage k on h\nx := 1",
            &format!("2:15 expected `{{`, found the end of the line {message}"),
        ),
        (
            "handler h queue\nmessage k() on h { }",
            "2:11 expected the name of the parameter, found `)` (it is `message m(n) on ui { x := n }`; without a \
             parameter, leave out the parentheses)",
        ),
        (
            "handler h queue\nmessage k(a, b) on h { }",
            "2:12 expected `)`, found `,` (a message has at most one parameter)",
        ),
        ("handler h queue\nmessage k(a\non h { }", "2:10 this `(` is not closed (write the `)`)"),
        (
            "handler h queue\nmessage k on h { x := 1; if x { y := 1 }\nmessage l on h { }\ny := 1",
            "2:16 this `{` is not closed (write the `}`)",
        ),
        ("handler h queue\nmessage k on h {", "2:16 this `{` is not closed (write the `}`)"),
        ("handler h queue\nmessage k on h { x := 1\nexists (x = 1)", "2:16 this `{` is not closed (write the `}`)"),
        ("handler h queue\nmessage k on h { x := 1 || y := 1", "2:16 this `{` is not closed (write the `}`)"),
        ("handler h queue\nmessage k on h { x := }\nx := 1", "2:22 expected an expression, found `}`"),
        (
            "handler h queue\nmessage k on h { a := x || y }\nx := 1",
            "2:25 expected `;` or the end of the line, found `||` (`||` separates threads; the logical operator is `or`)",
        ),
        (
            "shared x, n\nhandler h queue\nmessage k(n) on h { }",
            "3:11 `n` is declared shared: it can't be a parameter, which is a register (rename the parameter of `k`)",
        ),
        ("post h.k", "1:6 there is no handler `h` (declare it before the threads: `handler h queue`)"),
        ("handler ui queue\nmessage k on ui { }\npost iu.l", "3:6 there is no handler `iu` (the handlers are ui)"),
        ("handler ui queue\nmessage k on ui { }\npost i.k", "3:6 there is no handler `i` (write `post ui.k`)"),
        (
            "handler ui queue\nmessage click on ui { }\npost ui.clock",
            "3:9 there is no message `clock` (did you mean `ui.click`?)",
        ),
        ("handler ui queue\npost ui.k", "2:9 there is no message `k` (there are no messages)"),
        (
            "handler h1 queue\nhandler h2 queue\nmessage k on h1 { }\npost h2.k",
            "4:6 `k` is a message on `h1`, not on `h2` (write `post h1.k`)",
        ),
        (
            "handler h queue\nmessage k on h { }\npost h.k(x + 1)",
            "3:9 `k` has no parameter, but gets a value (write `post h.k`, or declare it as `message k(n) on h`)",
        ),
        (
            "handler h queue\nmessage k(n) on h { }\npost h.k",
            "3:6 `k` has the parameter `n`, but gets no value (give it one: `post h.k(1)`)",
        ),
        (
            "handler h queue\nmessage k(n) on h { }\ninitial h.k",
            "3:9 `k` has the parameter `n`, but gets no value (give it one: `initial h.k(1)`)",
        ),
        (
            "handler h queue\nmessage k on h { }\ninitial h.k, h.k(1)",
            "3:17 `k` has no parameter, but gets a value (write `initial h.k`, or declare it as `message k(n) on h`)",
        ),
        ("handler h queue\nmessage k on h { }\ninitial h.l", "3:11 there is no message `l` (did you mean `h.k`?)"),
        (
            "handler h queue\nmessage k(n) on h { }\ninitial h.k(x)",
            &format!("3:13 expected a constant, found `x` {constant}"),
        ),
        (
            "handler h queue\nmessage k(n) on h { }\ninitial h.k(1 + 2)",
            &format!("3:15 expected `)`, found `+` {constant}"),
        ),
        (
            "handler h queue\nmessage k(n) on h { }\ninitial h.k(1\nx := 1",
            "3:12 this `(` is not closed (write the `)`)",
        ),
        (
            "handler h queue\nmessage k(n) on h { }\ninitial k(1)",
            "3:10 expected `.` and the name of a message, found `(` (list the messages at the start as `initial \
             ui.m(1), ui.m(2)`)",
        ),
        (
            "handler h queue\nmessage k on h { }\npost k",
            "3:7 expected `.` and the name of a message, found the end of the text (write `post h.k`)",
        ),
        ("post f", &format!("1:7 expected `.` and the name of a message, found the end of the text {post}")),
        ("post", "1:5 expected `:=`, found the end of the text (post a message with `post ui.m(1)`)"),
        (
            "handler h queue\nmessage k(n) on h { }\npost h.k()",
            "3:10 expected an expression, found `)` (without a value, leave out the parentheses: `post ui.m`)",
        ),
        (
            "handler h queue\nmessage k(n) on h { }\npost h.k(1, 2)",
            "3:11 expected an operator or `)`, found `,` (a message has at most one value)",
        ),
        (
            "x := 1\nhandler h queue",
            "2:1 expected a statement, found the declaration of a handler (write declarations before the threads)",
        ),
        (
            "handler h queue\nx := 1; initial h.k",
            "2:9 expected a statement, found the declaration of initial messages (write declarations before the \
             threads)",
        ),
        ("handler h queue\nx := 1\nexists (g:a = 1)", "3:9 there is no thread or handler `g` (did you mean `h`?)"),
        ("x := 1\nexists (g:a = 1)", "2:9 there is no thread or handler `g` (the threads are P0 to P0)"),
        ("handler h queue\nexists (P0:a = 1)", "2:9 there is no thread P0 (there are handlers only)"),
        ("handler h queue\nx := 1\nexists (P1:a = 1)", "3:9 there is no thread P1 (the threads are P0 to P0)"),
        ("handler h queue\nmessage k on h { a := x }\nexists (h:b = 1)", "3:9 h has no register `b` (there are h:a)"),
        (
            "handler h queue\nmessage k on h { }\ninitial h.k\nexists (start:b = 1)",
            "4:9 there is no thread or handler `start` (the handlers are h)",
        ),
        ("init { h:a = 1; h:a = 2 }\nhandler h queue", "1:17 `h:a` has two initial values"),
        ("init { g:a = 1 }\nhandler h queue", "1:8 there is no thread or handler `g` (did you mean `h`?)"),
        (
            "shared x\nhandler h queue\nmessage k(r) on h { }\nmessage l on g { }\nr := x\nexists (r = 1)",
            "4:14 there is no handler `g` (did you mean `h`?)",
        ),
        (
            "shared x\nhandler h queue\nmessage k(r) on h { }\nr := x\nexists (r = 1)",
            "5:9 several threads have a register `r` (say which: P0:r, h:r)",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
    let many: String = (0..256).map(|at| format!("handler h{at} queue\n")).collect();
    assert_eq!(read(&many).program.threads.len(), 256);
    let help = "(the initial messages count as one thread, if there are any)";
    assert_eq!(error(&format!("{many}x := 1")), format!("256:9 more than 256 threads and handlers {help}"));
    let initial = "message k on h1 { }\ninitial h1.k";
    assert_eq!(error(&format!("{many}{initial}")), format!("256:9 more than 256 threads and handlers {help}"));
    // What follows from an error is not reported.
    let errors =
        parse("handler h stak\nhandler g queue\nmessage k onn h { }\npost h.k; post h.l; post f.m").unwrap_err();
    assert_eq!(errors.iter().map(|error| error.span.line).collect::<Vec<_>>(), [1, 3]);
    let errors = parse("handler h queue\nmessage k(n on h {\nmessage l on g {\n|| a := ; x = 1").unwrap_err();
    assert_eq!(errors.iter().map(|error| error.span.line).collect::<Vec<_>>(), [2, 3, 4, 4]);
    let errors = parse("handler h queue\nmessage k on h {\nmessage l on h {\nx := 1\ninitial h.l\nx = 1").unwrap_err();
    assert_eq!(errors.iter().map(|error| error.span.line).collect::<Vec<_>>(), [2, 3, 6]);
}

#[test]
fn notes_about_handlers() {
    assert_eq!(
        notes(
            "shared x\nhandler h queue\nhandler g multiset\nmessage k(n) on h { x := n }\nmessage l on h { post h.m }\n\
               message m on h { }"
        ),
        [
            "Warning 3:9 this handler has no message (declare one: `message m on g { }`)",
            "Warning 4:9 this message is never posted (post it in a thread with `post h.k(1)`, or at the start with \
             `initial h.k(1)`)",
            "Warning 5:9 this message is never posted (post it in a thread with `post h.l`, or at the start with \
             `initial h.l`)",
        ]
    );
    assert_eq!(
        notes("shared x\nhandler h queue\nmessage k on h { x := 1 }\nif x { repeat { post h.k } until x }"),
        [""; 0]
    );
    assert_eq!(
        notes("shared x\nhandler h queue\nmessage k on h { x := a }\ninitial h.k"),
        ["Warning 3:23 `a` is never assigned: its value is always 0"]
    );
}

#[test]
fn what_handlers_cannot_be_printed_as_is_said() {
    let refused = |change: &dyn Fn(&mut Program), notation| {
        let mut program = read(CLICKS).program;
        change(&mut program);
        print(&program, notation).expect_err("it can't be printed").to_string()
    };
    let own = |change: &dyn Fn(&mut Program)| refused(change, Notation::Litmoscope);
    assert!(own(&|program| program.threads.swap(0, 2)).starts_with("handlers come after the threads"));
    assert!(own(&|program| program.threads.push(program.threads[4].clone())).starts_with("handlers come after"));
    assert!(own(&|program| program.threads[4].body.clear()).contains("has to post something"));
    assert!(own(&|program| program.threads[2].name = None).contains("can't be called `P2`"));
    assert!(own(&|program| program.threads[2].name = Some("net".to_owned())).contains("two handlers"));
    assert!(own(&|program| program.threads[2].registers[1] = "n".to_owned()).contains("two registers of ui"));
    for (notation, text) in [
        (Notation::C11, "herd's C has no handlers"),
        (Notation::X86, "assembly has no handlers"),
        (Notation::X86_64, "assembly has no handlers"),
    ] {
        assert_eq!(refused(&|_| {}, notation), text);
        let program = read("shared x\nhandler h queue\nx := 1").program;
        assert_eq!(print(&program, notation).expect_err("it has a handler").to_string(), text);
    }
}

#[test]
fn hostile_texts_with_handlers_end() {
    for piece in [
        "handler a b\n",
        "handler a queue\n",
        "message a on b {",
        "message a on b {}\n",
        "message a(n) on b { n := 1\n",
        "initial a.b,",
        "initial a.b\n",
        "post a.b\n",
        "post ",
        "a.",
        ".",
        "message ",
        "init { h:a = 1 }\n",
        "a:b = 1 ",
    ] {
        let _ = parse(&piece.repeat(MAX_SOURCE / 2 / piece.len()));
        let _ =
            parse(&format!("handler h queue\nmessage k on h {{ }}\n{}", piece.repeat(MAX_SOURCE / 2 / piece.len())));
    }
    let many = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    let handlers = many(&|at| format!("handler h{at} queue\n"), 6000);
    let messages = many(&|at| format!("message m{at} on h0 {{}}\n"), 5000);
    let posts = many(&|at| format!("post h0.n{at}\n"), 5000);
    let _ = parse(&format!("{handlers}{}", posts.replace("h0", "g")));
    let _ = parse(&format!("handler h0 queue\n{messages}{posts}"));
    let _ = parse(&format!("handler h0 queue\n{messages}initial {}", posts.replace("post ", "").replace('\n', ",\n")));
    let _ = parse(&format!("{}{}", many(&|at| format!("handler h{at} queue\n"), 250), messages.replace("h0", "g")));
}

#[test]
fn mailboxes_are_changed_and_nothing_else() {
    let text =
        "// handler h queue\nhandler h queue // of h\nhandler queue multiset\nmessage a on h { skip }\n\npost h.a";
    let changed =
        "// handler h queue\nhandler h multiset // of h\nhandler queue multiset\nmessage a on h { skip }\n\npost h.a";
    assert_eq!(crate::syntax::with_mailboxes(text, Mailbox::Multiset).as_deref(), Some(changed));
    assert_eq!(crate::syntax::with_mailboxes("x := 1 || a := x", Mailbox::Queue), None);
    assert_eq!(crate::syntax::with_mailboxes("handler h", Mailbox::Queue), None);
}
