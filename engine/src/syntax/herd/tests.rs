//! Texts that are no tests, or nearly some, are refused without a panic; what is read is written such that it reads the
//! same.

use super::super::{parse_as, print};
use crate::program::Notation;
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
