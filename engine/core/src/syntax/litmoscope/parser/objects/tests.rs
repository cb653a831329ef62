//! Objects and calls as texts.

use crate::program::{Code, EMPTY, InstructionKind, Notation, Program, Role, StatementKind, StructureKind};
use crate::syntax::{TokenClass, highlight, parse, print};

const TREIBER: &str = "\
shared x
object s: stack {
  shared top, next[4]
  push(n) {
    repeat {
      t := top
      next[n] := t
    } until cas(top, t, n) = t
  }
  pop() {
    repeat {
      t := top
      if t = 0 { return empty }
      n := next[t]
    } until cas(top, t, n) = t
    return t
  }
}
s.push(1); a := s.pop()
||
s.push(x + 2); b := s.pop()
exists (a = empty /\\ b = 1 /\\ s.top = 0 /\\ s.next[1] = 2)
";

fn read(text: &str) -> Program {
    match parse(text) {
        Ok(parsed) => parsed.program,
        Err(diagnostics) => panic!("{diagnostics:#?}\n{text}"),
    }
}

/// What is wrong with a text: line, column, message, way out.
fn wrong(text: &str) -> Vec<(u32, u32, String, String)> {
    let diagnostics = parse(text).expect_err(text);
    let help = |help: Option<String>| help.unwrap_or_default();
    diagnostics.into_iter().map(|d| (d.span.line, d.span.column, d.message, help(d.help))).collect()
}

fn stack(methods: &str, threads: &str) -> String {
    format!("object s: stack {{\nshared top\n{methods}\n}}\n{threads}")
}

fn come_back(text: &str) {
    let program = read(text);
    let printed = print(&program, Notation::Litmoscope).expect("it can be written");
    assert_eq!(read(&printed).without_spans(), program.without_spans(), "{printed}");
    assert_eq!(print(&read(&printed), Notation::Litmoscope).expect("it can be written"), printed);
}

#[test]
fn an_object_has_what_it_shares_and_methods() {
    let program = read(TREIBER);
    let names: Vec<&str> = program.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["s.top", "s.next", "x"]);
    let [stack] = &program.structures[..] else { panic!("{:?}", program.structures) };
    assert_eq!((stack.name.as_str(), stack.kind, stack.methods.len()), ("s", StructureKind::Stack, 2));
    assert_eq!(stack.methods[0].registers, ["n", "t"]);
    assert_eq!((stack.methods[0].role, stack.methods[1].role), (Some(Role::Insert), Some(Role::RemoveAny)));
    assert_eq!((stack.methods[0].returns_value(), stack.methods[1].returns_value()), (false, true));
    assert_eq!(program.threads[0].registers, ["a"]);
    let call = &program.threads[0].body[1].kind;
    assert!(matches!(call, StatementKind::Call { structure: 0, method: 1, result: Some(_), .. }), "{call:?}");
    assert_eq!(program.value_text(EMPTY), "empty");
    let code = Code::compile(&program).expect("it can be explored");
    let marks = |thread: usize| {
        let is_mark =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Enter { .. } | InstructionKind::Leave(_));
        code.threads[thread].instructions.iter().filter(|instruction| is_mark(&instruction.kind)).count()
    };
    // Two entries; a push ends at its end, a pop at its two returns or, as far as the compiler knows, at its end.
    assert_eq!((marks(0), marks(1)), (6, 6));
}

#[test]
fn objects_come_back() {
    come_back(TREIBER);
    come_back(include_str!("../../../../../../../public/objects/michael-scott.lit"));
    come_back(include_str!("../../../../../../../public/objects/peterson.lit"));
    come_back(
        "object q: priority-queue {\n insert(me, v) { q.help(me); help := v }\n help(k) { return k }\n take() { return empty } }\nq.insert(0, 1)",
    );
    come_back(
        "object c: counter { shared n = 3, p = &n, q[2] = {&m[1], &c.n}, m[2]; inc() { _ := fai(n); fence sc; return }\n get() { return acq n } }\nshared y, n\nr := c.get(); y := r || n := &`c.n`; c.inc()",
    );
    come_back(
        "object s: set { shared f[3]\n add(v) { if xchg(f[v], 1) = 1 { return 0 } else return 1 }\n contains(v) { a := f[v]; return a = 1 } }\nshared x\nx := 1; s.add(2); a := s.contains(2) || a := x",
    );
    come_back(
        "object r: register { shared v\n read() { return v }\n cas(e, n) { return cas(v, e, n) = e } }\na := r.read(); b := r.`cas`(0, 1)",
    );
}

#[test]
fn the_words_are_variables_elsewhere() {
    for text in [
        "object := 1; return := 2; empty := 3; a := object + return + empty",
        "shared object, return, empty\nobject := 1; return := 2; empty := 3",
        "object s: stack { shared empty; push(return) { return := return + 1; empty := return } }\ns.push(1)",
        "object empty: stack { pop() { object := 1; return object } }\nempty := empty.pop()",
    ] {
        come_back(text);
    }
    let program = read("object s: stack { pop() { return empty } }\nempty := 1; a := s.pop()\nexists (empty = 1)");
    assert_eq!(program.threads[0].registers, ["empty", "a"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_a_way_out() {
    let push = "push(n) { top := n }";
    for (methods, threads, place, message) in [
        (push, "t.push(1)", (5, 1), "there is no object `t`"),
        (push, "s.psh(1)", (5, 3), "`s` has no method `psh`"),
        (push, "s.push()", (5, 1), "`push` has 1 parameter, but gets 0"),
        (push, "s.push(1, 2)", (5, 1), "`push` has 1 parameter, but gets 2"),
        (push, "a := s.push(1)", (5, 6), "`push` returns nothing"),
        (push, "a := 1 + s.push(1)", (5, 10), "a call can't be part of an expression"),
        (push, "`s.top` := s.push(1)", (5, 12), "a call can't be part of an expression"),
        ("push(n) { s.push(n) }", "s.push(1)", (3, 11), "`push` calls itself"),
        (
            "push(n) { s.f(n) }\nf(n) { s.push(n) }",
            "s.push(1)",
            (3, 11),
            "`push` calls `f`, which leads back to `push`",
        ),
        ("swap(n) { top := n }", "s.swap(1)", (3, 1), "`swap` is not an operation of a stack"),
        ("push(n) { s.f() }\nf() { top := 1 }", "s.f()", (6, 1), "`f` is not an operation of a stack"),
        ("pop() { top := 0 }", "s.pop()", (3, 1), "`pop` of a stack returns a value, but this one returns nothing"),
        (
            "push(n) { return n }",
            "s.push(1)",
            (3, 1),
            "`push` of a stack returns nothing, but this one returns a value",
        ),
        ("push() { top := 1 }", "s.push()", (3, 1), "`push` of a stack has a parameter for its value"),
        ("pop() { if top = 1 { return 1 } }", "s.pop()", (3, 1), "`pop` returns a value, but may end without one"),
        (
            "pop() { if top = 1 { return }; return 1 }",
            "s.pop()",
            (3, 22),
            "this method returns a value elsewhere, but none here",
        ),
        ("push(n, n) { top := n }", "s.push(1, 2)", (3, 9), "`push` has two parameters `n`"),
        (
            "push(top) { top := 1 }",
            "s.push(1)",
            (3, 6),
            "`top` is shared: it can't be a parameter, which is a register",
        ),
        ("push(n) { top := n }\npush(m) { top := m }", "s.push(1)", (4, 1), "`s` has two methods `push`"),
        ("push(n) { top := n }\n}\nobject s: queue {", "s.push(1)", (5, 8), "the object `s` is declared twice"),
        ("push n { top := n }", "s.push(1)", (3, 6), "expected `(` and the parameters, found `n`"),
        ("push(n) { y := lock }", "s.push(1)", (3, 16), "expected an expression, found `lock`"),
        (push, "return 1", (5, 8), "expected `:=`, found `1`"),
    ] {
        let text = stack(methods, threads);
        let found = wrong(&text);
        let (line, column, said, help) = &found[0];
        assert_eq!(((*line, *column), said.as_str()), (place, message), "{text}\n{found:?}");
        assert!(!help.is_empty() || message.starts_with("expected an expression"), "{message}");
    }
    let [(1, 11, message, help)] = &wrong("object s: pile { }\nx := 1")[..] else { panic!("one error") };
    assert!(message.starts_with("expected the kind") && help.contains("priority-queue"), "{message} {help}");
    assert_eq!(wrong("object s: stack {\nx := 1")[0].2, "this `{` is not closed");
    assert!(
        wrong("object s: stack { push(n) { q.f() } }\nobject q: queue { f() { x := 1 } }\ns.push(1)")[0]
            .2
            .contains("can't call one of")
    );
}

#[test]
fn deep_and_many_calls_are_refused() {
    let mut methods = String::from("m0() { top := 1 }\n");
    for at in 1..60 {
        methods += &format!("m{at}() {{ s.m{}(); s.m{}() }}\n", at - 1, at - 1);
    }
    let text = stack(&format!("{methods}push(n) {{ s.m59() }}"), "s.push(1)");
    assert!(wrong(&text)[0].2.contains("nests more than 8 calls"), "{:?}", wrong(&text));
    let many = format!("push(n) {{ {} }}", "s.f(); ".repeat(300)) + "\nf() { top := 1 }";
    let program = read(&stack(&many, &"s.push(1); ".repeat(300)));
    assert!(Code::compile(&program).is_err());
}

#[test]
fn words_of_objects_have_colours() {
    let classes = highlight(TREIBER, Notation::Litmoscope);
    let class = |word: &str, nth: usize| {
        let found = classes.iter().filter(|(range, _)| &TREIBER[range.clone()] == word).nth(nth);
        found.map(|(_, class)| *class)
    };
    for (word, nth, expected) in [
        ("object", 0, TokenClass::Keyword),
        ("stack", 0, TokenClass::Keyword),
        ("s", 0, TokenClass::Label),
        ("top", 0, TokenClass::Shared),
        ("push", 0, TokenClass::Label),
        ("n", 0, TokenClass::Register),
        ("top", 1, TokenClass::Shared),
        ("t", 0, TokenClass::Register),
        ("return", 0, TokenClass::Keyword),
        ("empty", 0, TokenClass::Number),
        ("push", 1, TokenClass::Label),
    ] {
        assert_eq!(class(word, nth), Some(expected), "{word} {nth}");
    }
}
