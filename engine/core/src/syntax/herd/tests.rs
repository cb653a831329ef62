//! Texts that are no tests, or nearly some, are refused without a panic; what is read is written such that it reads the
//! same.

use super::super::{parse, parse_as, print, render};
use crate::program::{Access, BinaryOperator, Expression, Notation, Program, RegisterId};
use proptest::prelude::*;

const TESTS: [(Notation, &str); 4] = [
    (
        Notation::C11,
        "C a\n\"doc\"\nK=V\n{ int q[2]={1,2}; x=1; 0:r0=3; }\nP0 (atomic_int* x, int* q) {\n int r1 = atomic_load_explicit(x, \
         memory_order_acquire);\n if (r1 == 1 && !r0) { q[r1 & 1] = -r1 + 2; } else *x += 1;\n while (*x != 0) { r1++; }\n \
         do r0 = *(q + 1); while (r0 < 3);\n atomic_thread_fence(memory_order_seq_cst);\n}\nP1 (atomic_int* x) { int e = 0; \
         int s = atomic_compare_exchange_strong(x, &e, 1); }\nlocations [0:r1; q; x;]\nfilter (x=1)\nexists (0:r1=1 /\\ \
         ~([x]=2 \\/ 1:s=0) => q={1,2})\n",
    ),
    (
        Notation::C11,
        "C b\n{}\nP0 (int* y) { for (int i = 0; i < 2; i++) { *y = i << 1; (* c *) } /* d */ }\n~exists (y=1 \\/ true)\n",
    ),
    (
        Notation::X86_64,
        "X86_64 c\n{ x=1; 0:rbx=2; }\n P0 | P1 ;\n movl $1,(x) | L0: lock xaddl %eax,(y) ;\n cmpl $1,%ebx | mfence ;\n \
         jne L1 | lock cmpxchgl %ebx,(x) ;\n xchgl (x),%eax | ;\n L1: | subl $1,(y) ;\nlocations [0:rax; x;]\n\
         exists (0:rax=1 /\\ [x]=1)\n",
    ),
    (
        Notation::X86,
        "X86 d\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n SFENCE | LOCK INC [x] ;\n XOR EAX,EBX | NOT [x] ;\n\
         forall (0:EAX=0)\n",
    ),
];

/// Pieces that mutations put in.
const PIECES: [&str; 48] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "|",
    ",",
    ":",
    "=",
    "*",
    "&",
    "-",
    "$",
    "%",
    "!",
    "~",
    "/\\",
    "\\/",
    "=>",
    "(*",
    "*)",
    "/*",
    "//",
    "\"",
    "0",
    "99999999999999999999",
    "0x",
    "x",
    "r0",
    "int",
    "atomic_int*",
    "if",
    "else",
    "do",
    "while",
    "P0",
    "P1 (",
    "exists",
    "locations",
    "L0:",
    "lock",
    "movl",
    "\n",
    "é",
    "\u{0}",
    "true",
];

fn check(notation: Notation, text: &str) {
    match parse_as(notation, text) {
        Ok(parsed) => {
            if let Ok(printed) = print(&parsed.program, notation) {
                let again = parse_as(notation, &printed);
                let again = again.unwrap_or_else(|errors| panic!("{errors:?}\nof\n{printed}\nfrom\n{text}"));
                let (again, program) = (again.program.without_spans(), parsed.program.without_spans());
                assert_eq!(again, program, "\n{printed}\nfrom\n{text}");
            }
        }
        Err(errors) => {
            assert!((1..=50).contains(&errors.len()));
            for error in errors {
                let span = error.span;
                assert!(span.line > 0 && span.column > 0 && span.start <= span.end, "{error:?}");
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "{error:?}");
            }
        }
    }
}

#[test]
fn samples_are_tests() {
    for (notation, text) in TESTS {
        assert!(parse_as(notation, text).is_ok(), "{text}: {:?}", parse_as(notation, text));
        check(notation, text);
    }
}

/// As a web page has it: half of its stack of 1 MB, and a text of 256 KiB at most. Unoptimised code needs more.
fn in_a_web_page(texts: Vec<(Notation, String)>) {
    let run = move || {
        for (notation, mut text) in texts {
            text.truncate(text.floor_char_boundary(256 * 1024));
            if let Ok(parsed) = parse_as(notation, &text) {
                let _ = print(&parsed.program, notation);
                let _ = crate::program::Code::compile(&parsed.program);
            }
        }
    };
    let stack = if cfg!(debug_assertions) { 4 << 20 } else { 1 << 19 };
    std::thread::Builder::new().stack_size(stack).spawn(run).expect("a thread").join().expect("no panic");
}

#[test]
fn hostile_texts_overflow_no_stack_and_take_no_minutes() {
    let body = "C a\n{}\nP0 (atomic_int* x, int* y) { int r; ";
    let mut texts = Vec::new();
    for count in [60, 120, 249, 100_000] {
        for (open, inner, close) in [
            ("r = ", "(", ")"),
            ("r = 1", "+1", ""),
            ("r = ", "-r+(", ")"),
            ("r = ", "1||1&&1|1^1&1==1<1<<1+1*(", ")"),
            ("r = ", "atomic_fetch_add(x, ", ")"),
            ("r = ", "y[", "1]"),
            ("r = ", "(_Atomic(", "))"),
            ("", "if (1) {", "}"),
            ("", "if (1) ; else ", ";"),
            ("", "do ", "while (1);"),
            ("", "{", "}"),
            ("", "(*a", ""),
            ("", "/*", ""),
            ("", "r=1;\n", ""),
            ("", "int q;", ""),
            ("r = r", "[", ""),
        ] {
            texts.push((Notation::C11, format!("{body}{open}{}1{};", inner.repeat(count), close.repeat(count))));
            let text = format!("{body}{open}{}1{}; }}\nexists (0:r=1)", inner.repeat(count), close.repeat(count));
            texts.push((Notation::C11, text));
        }
        for inner in ["(", "~", "x=1 => ", "x=1 /\\ (", "x=1 /\\ ", "~(x=1 \\/ "] {
            let text = format!("{body} }}\nexists {}x=1{}", inner.repeat(count), ")".repeat(count));
            texts.push((Notation::C11, text));
        }
        for inner in ["x=1;", "0:r=1;", "int q[4096]={1};", "int ", "{", "[", "\"", "(*"] {
            texts.push((Notation::C11, format!("C a\n{{ {} }}\nP0 (int* x) {{}}", inner.repeat(count))));
        }
        let numbered = |f: &dyn Fn(usize) -> String| (0..count.min(20_000)).map(f).collect::<String>();
        texts.push((Notation::C11, format!("{body}{} }}", numbered(&|i| format!("int a{i} = {i};")))));
        texts.push((Notation::C11, format!("{body}{} }}", numbered(&|i| format!("int a{i};")))));
        texts.push((Notation::C11, format!("C a\n{{ {} }}\nP0 () {{}}", numbered(&|i| format!("a{i}=1;")))));
        texts.push((Notation::C11, format!("C a\n{{}}\n{}", numbered(&|i| format!("P{i} (int* a{i}) {{}}")))));
        let head = "X86_64 a\n{}\n P0 ;\n";
        let jumps = numbered(&|i| format!(" cmpl $1,%eax; je L{i};"));
        let labels = (0..count.min(20_000)).rev().map(|i| format!(" L{i}:;")).collect::<String>();
        texts.push((Notation::X86_64, format!("{head}{jumps}{labels}")));
        texts.push((Notation::X86_64, format!("{head}{}", numbered(&|i| format!("L{i}:;")))));
        for inner in ["movl $1,(x);", "L:", "L:;", "|", ";", "nop|", "lock ", "movl ", "$", "(", "movl $1,%eax,"] {
            texts.push((Notation::X86_64, format!("{head}{}", inner.repeat(count))));
        }
    }
    in_a_web_page(texts);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}", header in 0..6_usize) {
        let header = ["", "C a\n{}\nP0 (int* x) {", "C a\n{", "X86_64 a\n{}\n P0 | P1 ;\n", "X86 a\n{}\n", "C a\n{}\nP0 (int* x) {}\nexists "][header];
        let text = format!("{header}{text}");
        for notation in [Notation::C11, Notation::X86, Notation::X86_64] {
            check(notation, &text);
        }
    }

    #[test]
    fn mutated_tests(
        test in 0..TESTS.len(),
        mutations in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, 0..PIECES.len(), any::<bool>()), 1..6),
    ) {
        let (notation, text) = TESTS[test];
        let mut text = text.to_owned();
        for (position, length, piece, remove) in mutations {
            let start = text.floor_char_boundary(position.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len()));
            text.replace_range(start..if remove { end.max(start) } else { start }, if remove && length % 2 == 0 { "" } else { PIECES[piece] });
        }
        check(notation, &text);
    }

    #[test]
    fn pieces_in_any_order(pieces in prop::collection::vec(0..PIECES.len(), 0..60), header in 0..3_usize) {
        let (notation, header) = [
            (Notation::C11, "C a\n{ int q[2]; 0:r0=1; }\nP0 (atomic_int* x, int* q) { "),
            (Notation::C11, "C a\n{}\nP0 (atomic_int* x) { int r0 = 1; }\nexists (x=1 /\\ "),
            (Notation::X86_64, "X86_64 a\n{}\n P0 | P1 ;\n movl $1,(x) | "),
        ][header];
        let text: Vec<&str> = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        check(notation, &format!("{header}{}", text.join(" ")));
    }
}

pub(in crate::syntax) fn access(value: &Expression) -> &Access {
    let Expression::Access(access) = value else { panic!("{value:?}") };
    access
}

pub(in crate::syntax) fn register(id: u16) -> Expression {
    Expression::Register(RegisterId(id))
}

pub(in crate::syntax) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

/// Reads a text, and checks that it is written such that it reads the same.
pub(in crate::syntax) fn read(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|errors| panic!("{}", render(text, "test", &errors))).program;
    let expected = program.clone().without_spans();
    let printed = print(&program, program.notation).unwrap_or_else(|error| panic!("{error}: {text}"));
    let again = parse(&printed).unwrap_or_else(|errors| panic!("{}", render(&printed, "printed", &errors))).program;
    assert_eq!(again.without_spans(), expected, "{printed}");
    program
}
