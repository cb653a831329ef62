use super::super::herd::tests::{access, binary, read, register};
use super::super::sweeping::run;
use super::super::{parse, print};
use crate::program::{
    AccessKind, BinaryOperator, CasResult, Expression, Integer, Mode, Notation, Program, RegisterId, StatementKind,
    UnaryOperator, UpdateOperator,
};

/// The statements of one thread, in AT&T syntax and in Intel's.
fn both(att: &str, intel: &str) -> Vec<StatementKind> {
    let rows = |text: &str| text.split('\n').map(|row| format!(" {row} ;\n")).collect::<String>();
    let att = read(&format!("X86_64 t\n{{}}\n P0 ;\n{}", rows(att)));
    let intel = read(&format!("X86 t\n{{}}\n P0 ;\n{}", rows(intel)));
    assert!(att.threads[0].registers.iter().all(|name| name.starts_with('r')));
    assert!(intel.threads[0].registers.iter().all(|name| name.starts_with('E')));
    let kinds = |program: Program| {
        let body = program.without_spans().threads.remove(0).body;
        body.into_iter().map(|statement| statement.kind).collect::<Vec<_>>()
    };
    let (att, intel) = (kinds(att), kinds(intel));
    assert_eq!(att, intel);
    att
}

fn errors(text: &str) -> Vec<String> {
    let errors = parse(text).expect_err("a text with an error");
    errors.iter().map(|error| format!("{}:{}: {}", error.span.line, error.span.column, error.message)).collect()
}

#[test]
fn store_buffering() {
    let text = "X86 SB\n\"Fre PodWR\"\nGenerator=mine\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n             | MFENCE      ;\n MOV EAX,[y] | MOV EAX,[x] ;\nlocations [0:EAX; x;]\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let program = read(text);
    assert_eq!((program.name.as_str(), program.notation), ("SB", Notation::X86));
    assert_eq!(program.threads[0].registers, ["EAX"]);
    assert_eq!(program.threads[0].body.len(), 2);
    assert_eq!(program.threads[1].body[1].kind, StatementKind::Fence(Mode::SequentiallyConsistent));
    let span = program.threads[1].body[2].span;
    assert_eq!((span.line, span.column), (8, 16));
    assert_eq!(&text[span.start as usize..span.end as usize], "MOV EAX,[x]");
    let StatementKind::Write { mode, .. } = program.threads[0].body[0].kind else { panic!() };
    assert_eq!(mode, Mode::Relaxed);
}

#[test]
fn registers_have_one_name() {
    let program = read(
        "X86_64 t\n{ 0:rbx=5; uint64_t y=3; 1:eax=2 }\n P0 | P1 ;\n movl (x),%eax | ;\n movl %ebx,(y) | movl %eax,(x) ;\n\
         locations [0:rax; 1:EAX; 1:rsi; x;]\nexists (0:eax=1 /\\ 0:RBX=5 /\\ 0:%rcx=0)\n",
    );
    assert_eq!(program.threads[0].registers, ["rbx", "rax", "rcx"]);
    assert_eq!(program.threads[0].initial, [5, 0, 0]);
    assert_eq!(program.threads[1].registers, ["rax", "rsi"]);
    let names: Vec<&str> = program.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["y", "x"]);
}

#[test]
fn moves_and_arithmetic_on_registers() {
    let body = both(
        "movl $1,%eax\nmovl %eax,%ebx\naddl %eax,%ebx\nsubl $-2,%ebx\nandl $1,%eax\norl %ebx,%eax\nxorl %eax,%eax\nincl %eax\ndecl %ebx\nnegl %eax\nnotl %eax\naddl (x),%eax\nnop",
        "MOV EAX,$1\nMOV EBX,EAX\nADD EBX,EAX\nSUB EBX,$-2\nAND EAX,1\nOR EAX,EBX\nXOR EAX,EAX\nINC EAX\nDEC EBX\nNEG EAX\nNOT EAX\nADD EAX,[x]\nNOP",
    );
    let (a, b) = (|| register(0), || register(1));
    let assign = |id, value| StatementKind::Assign { register: RegisterId(id), value };
    assert_eq!(body[0], assign(0, Expression::Constant(1)));
    // The two syntaxes name the registers of the second line in different orders, but the first line has been before.
    assert_eq!(body[1], assign(1, a()));
    // Sums leave their size, and what is made of bits does not.
    let cut = |value| Expression::Unary(UnaryOperator::Convert(Integer::Int32), Box::new(value));
    assert_eq!(body[2], assign(1, cut(binary(BinaryOperator::Add, b(), a()))));
    assert_eq!(body[3], assign(1, cut(binary(BinaryOperator::Subtract, b(), Expression::Constant(-2)))));
    assert_eq!(body[5], assign(0, binary(BinaryOperator::BitOr, a(), b())));
    assert_eq!(body[7], assign(0, cut(binary(BinaryOperator::Add, a(), Expression::Constant(1)))));
    assert_eq!(body[9], assign(0, cut(Expression::Unary(UnaryOperator::Negate, Box::new(a())))));
    assert_eq!(body[12], StatementKind::Skip);
}

#[test]
fn arithmetic_on_memory_is_a_read_and_a_write_unless_locked() {
    let body = both(
        "addl $1,(x)\nlock addl $1,(x)\nlock incl (x)\nlock decl (x)\nlock orl %eax,(x)\nnegl (x)\nlock xorl $3,(x)\nlock notl (x)",
        "ADD [x],$1\nLOCK ADD [x],$1\nLOCK INC [x]\nLOCK DEC [x]\nLOCK OR [x],EAX\nNEG [x]\nLOCK XOR [x],$3\nLOCK NOT [x]",
    );
    let StatementKind::Write { mode: Mode::Relaxed, value: Expression::Unary(_, value), .. } = &body[0] else {
        panic!()
    };
    let Expression::Binary(_, old, _) = &**value else { panic!() };
    assert_eq!((&access(old).kind, access(old).mode), (&AccessKind::Read, Mode::Relaxed));
    for (kind, expected) in
        [(1, UpdateOperator::Add), (2, UpdateOperator::Add), (3, UpdateOperator::Subtract), (4, UpdateOperator::Or)]
    {
        let StatementKind::Evaluate(value) = &body[kind] else { panic!() };
        assert_eq!(access(value).mode, Mode::SequentiallyConsistent);
        assert!(matches!(access(value).kind, AccessKind::Update { operator, .. } if operator == expected));
    }
}

#[test]
fn exchanges() {
    let body = both(
        "xchgl (x),%eax\nxchgl %eax,(x)\nlock xchgl %eax,(x)\nlock xaddl %eax,(x)\nlock cmpxchgl %ebx,(x)",
        "XCHG [x],EAX\nXCHG EAX,[x]\nLOCK XCHG [x],EAX\nLOCK XADD [x],EAX\nLOCK CMPXCHG [x],EBX",
    );
    for (statement, expected) in body.iter().zip([UpdateOperator::Exchange; 3].into_iter().chain([UpdateOperator::Add]))
    {
        let StatementKind::Assign { register: id, value } = statement else { panic!() };
        assert_eq!((id.0, access(value).mode), (0, Mode::SequentiallyConsistent));
        assert_eq!(
            access(value).kind,
            AccessKind::Update { operator: expected, operand: register(0), integer: Integer::Int32 }
        );
    }
    let StatementKind::Assign { register: id, value } = &body[4] else { panic!() };
    assert_eq!(id.0, 0);
    assert_eq!(
        access(value).kind,
        AccessKind::CompareAndSwap {
            expected: register(0),
            desired: register(1),
            failure: Mode::SequentiallyConsistent,
            weak: false,
            result: CasResult::ValueRead,
        }
    );
}

#[test]
fn forward_jumps_are_ifs() {
    let body = both(
        "cmpl $1,%eax\njne L1\nmovl $1,(x)\ntestl %eax,%eax\nje L2\ncmpl $0,(y)\njl L2\nmovl $2,(x)\nL2: L1: movl $3,(x)\nEND:",
        "CMP EAX,$1\nJNE L1\nMOV [x],$1\nTEST EAX,EAX\nJE L2\nCMP [y],$0\nJL L2\nMOV [x],$2\nL2: L1: MOV [x],$3\nEND:",
    );
    assert_eq!(body.len(), 2);
    let StatementKind::If { condition, then, otherwise } = &body[0] else { panic!() };
    assert_eq!(*condition, binary(BinaryOperator::Equal, register(0), Expression::Constant(1)));
    assert!(otherwise.is_empty());
    let StatementKind::If { condition, then, .. } = &then[1].kind else { panic!() };
    let masked = binary(BinaryOperator::BitAnd, register(0), register(0));
    assert_eq!(*condition, binary(BinaryOperator::NotEqual, masked, Expression::Constant(0)));
    let StatementKind::If { condition: Expression::Binary(BinaryOperator::GreaterOrEqual, left, _), .. } =
        &then[0].kind
    else {
        panic!()
    };
    assert_eq!(access(left).mode, Mode::Relaxed);
}

#[test]
fn fences_without_effect_are_pointed_out() {
    let text = "X86_64 t\n{}\n P0 ;\n lfence ;\n sfence ;\n movl x(%rip),%eax ;\n";
    let parsed = parse(text).expect("a program");
    assert_eq!(parsed.notes.len(), 2);
    assert_eq!(parsed.program.threads[0].body[0].kind, StatementKind::Skip);
    read(text);
}

#[test]
fn layout_is_free() {
    let program = read(
        "X86_64 t\n{}\nP0|P1|P2;\nmovl $1,(x)||;\n||movl (x),%eax;\n| mfence;\n (* a comment | ; *)\nexists (2:rax=1)",
    );
    let lengths: Vec<usize> = program.threads.iter().map(|thread| thread.body.len()).collect();
    assert_eq!(lengths, [1, 1, 1]);
    read("X86_64 t\n{}\n P0 ;\nexists (x=0)");
    read("X86_64 big\n{}\n P0 ;\n movq $0x100000000,%rax ;\n movq %rax,(x) ;\nexists (x=1)");
    read("x86 lower\n{}\n P0 ;\n mov eax,[x] ;\n~exists (0:eax=1)");
}

#[test]
fn what_is_not_supported_is_said() {
    for (row, expected) in [
        ("movl $1,(%eax)", "4:12: 32 bits of `rax` in an address"),
        ("movl $1,4(x)", "4:10: `x` is not an array"),
        ("movl $1,(x+4)", "4:11: `x` is not an array"),
        ("movl $1,x(,%rax,4)", "4:10: `x` is not an array"),
        ("movl $1,(x+y)", "4:13: an address has at most one name"),
        ("movl $1,(4)", "4:10: an address can't consist of numbers only"),
        ("movl $1,2(%rax)", "4:10: a step of 2 bytes does not fit memory that is accessed 4 bytes at a time"),
        ("movl $1,(%rax,%rbx,8)", "4:10: a step of 8 bytes does not fit memory that is accessed 4 bytes at a time"),
        (
            "movl (%rax),%ebx ; addq $4,%rax",
            "4:21: arithmetic on a register that is used as an address is not \
                                             supported",
        ),
        ("leaq x+8(%rip),%rbx", "4:2: `lea` with an offset or an index from a name is not supported"),
        (
            "leal 8(%rax),%ecx ; movl (%rax),%ebx",
            "4:2: arithmetic on a register that is used as an address is not supported",
        ),
        ("movl %eax,%ebx ; leaq 8(%rax),%rcx", "4:19: 64 bits of `rax`, of which only 32 are known here"),
        ("leal (x),%eax", "4:2: an address has 64 bits, not 32"),
        ("movl $x,%eax ; movl (%rax),%ebx", "4:2: an address does not fit into 32 bits of `rax`"),
        ("movb $300,%al", "4:2: 300 does not fit into the 8 bits of this instruction"),
        ("movl $4294967296,(x)", "4:2: 4294967296 does not fit into the 32 bits of this instruction"),
        ("shll %edx,%eax", "4:2: `shl` can't shift by this"),
        ("movzbl (x),%eax ; movl (x),%ebx", "4:20: 32 bits of `x`, which is used with 8 bits elsewhere"),
        ("movzx (x),%eax", "4:2: nothing tells how many bits this reads"),
        ("movzbl $1,%eax", "4:2: a number has no size to be extended from: use `mov`"),
        ("sete %eax", "4:2: `sete` has operands of different sizes"),
        ("cmpl $1,%eax ; cmove $1,%ebx", "4:17: `cmove` needs a register to write"),
        ("sete %al", "4:2: it is unknown what this jump depends on"),
        (
            "movl %eax,%ebx ; lock cmpxchgb %cl,(x)",
            "4:19: `cmpxchg` compares with 8 bits of `rax`, which is used with 32 bits elsewhere",
        ),
        ("leaq $1,%rbx", "4:2: `lea` needs a register and an operand in memory"),
        ("movl (x),(y)", "4:2: an instruction has at most one operand in memory"),
        ("movl %eax,$1", "4:2: an immediate can't be the destination"),
        ("movl $1,%foo", "4:11: there is no register `foo`"),
        ("movl $1,foo", "4:10: `foo` is not a register"),
        ("movl $1", "4:2: `movl` has 2 operands, not 1"),
        ("movl $1,(x) movl $2,(x)", "4:14: expected the end of the instruction, found `movl`"),
        ("movl $1,%rax", "4:2: `movl` has operands of different sizes"),
        ("movl $1,(x) ; movq $1,(x)", "4:16: 64 bits of `x`, which is used with 32 bits elsewhere"),
        ("movl $1,%eax ; xchgb (y),%al", "4:17: 8 bits of `rax`, which is used with 32 bits elsewhere"),
        ("xaddl %eax,%ebx", "4:2: `xadd` needs a register and memory"),
        ("lock negl (x)", "4:7: `negl` can't be locked"),
        ("lock leaq (x),%rax", "4:7: `leaq` can't be locked"),
        ("lock btsl $1,%eax", "4:2: `lock` needs an operand in memory"),
        ("btsl %eax,(x)", "4:2: `bts` needs the number of a bit"),
        ("btsl $32,(x)", "4:2: `bts` needs the number of a bit"),
        ("btsl $1,(x) ; je M ; M:", "4:16: `je` is not supported here"),
        ("cmpxchgl %eax,(x) ; js M ; M:", "4:22: `js` is not supported here"),
        ("xchgl %eax,%ebx", "4:2: `xchg` needs a register and memory"),
        ("lock movl $1,(x)", "4:7: `movl` can't be locked"),
        ("lock addl $1,%eax", "4:2: `lock` needs an operand in memory"),
        ("imull $1,%eax", "4:2: `imull` is not supported"),
        ("clflush (x)", "4:2: `clflush` is not supported"),
        (
            "movnti %eax,(x)",
            "4:2: `movnti` is not supported: a store that bypasses the cache is not ordered as TSO orders stores",
        ),
        (
            "lock cmpxchg16b (x)",
            "4:7: `cmpxchg16b` is not supported: it accesses two values at once, which is too wide for one location",
        ),
        ("movq %rip,%rax", "4:8: `rip` is where the thread is in its code, and no register for values"),
        ("movl %cs,%eax", "4:8: segments such as `cs` are not supported"),
        ("cmpl $1,%eax ; je M", "4:17: there is no label `M` in this thread"),
        ("cmpl $1,%eax ; jp M ; M:", "4:17: `jp` is not supported here"),
        ("subl $1,%eax ; ja M ; M:", "4:17: `ja` is not supported here"),
        ("jmp L", "4:2: there is no label `L` in this thread"),
        ("addl $1,%eax ; jl M ; M:", "4:17: `jl` is not supported here"),
        ("cmpl $1,%eax ; M: ; je M", "4:2: nothing depends on this comparison"),
        ("cmpl $1,%eax ; lock xaddl %eax,(x) ; je M ; M:", "4:2: nothing depends on this comparison"),
        ("lock cmpxchgl %eax,(x) ; js M ; M:", "4:27: `js` is not supported after `cmpxchg`"),
        ("cmpl $1,%eax ; nop", "4:2: nothing depends on this comparison"),
        ("je L ; L:", "4:2: it is unknown what this jump depends on"),
        ("nop | nop", "4:8: this row has more columns than there are threads"),
    ] {
        let found = errors(&format!("X86_64 t\n{{}}\n P0 ;\n {row} ;\n"));
        assert!(found.iter().any(|error| error == expected), "{row}: {found:?}");
    }
    for (text, expected) in [
        ("X86 t\n{}\n P0 ;\n MOV RAX,$1 ;\n", "4:6: `RAX` is not a register"),
        ("X86 t\n{}\n Q1 ;\n", "3:2: expected `P0` in the row of the threads' names, found `Q1`"),
        ("X86 t\n{}\n P0 ;\n MOV EAX,$1\nexists (0:EAX=1)", "4:11: expected `;` at the end of the row"),
        ("X86 t\n{}\n P0 ;\n MOV EAX,$1 ;\nexists (0:foo=1)", "5:11: there is no register `foo`"),
        ("X86 t\n{}\n P0 ;\n MOV [EAX+EBX+ECX],$1 ;\n", "4:15: an address has at most one index"),
        ("X86 t\n{}\n P0 ;\n MOV [RAX],$1 ;\n", "4:7: there is no register `RAX`"),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|error| error == expected), "{text}: {found:?}");
    }
}

#[test]
fn long_texts_are_refused_not_followed() {
    let jumps = (0..2000).map(|i| format!(" cmpl $1,%eax ;\n je L{i} ;\n")).collect::<String>();
    let labels = (0..2000).rev().map(|i| format!(" L{i}: ;\n")).collect::<String>();
    // More than nests.
    assert!(parse(&format!("X86_64 t\n{{}}\n P0 ;\n{jumps}{labels}")).is_ok());
    assert!(!errors(&format!("X86_64 t\n{{}}\n P0 ;\n{}", "foo ;".repeat(50_000))).is_empty());
    assert!(!errors(&format!("X86_64 t\n{{}}\n P0 ;\n{}", "|nop".repeat(50_000))).is_empty());
    let header: String = (0..5000).map(|i| format!("P{i} | ")).collect();
    assert!(!errors(&format!("X86_64 t\n{{}}\n {header}")).is_empty());
}

#[test]
fn what_assembly_has_no_words_for_is_said() {
    let c = |body: &str| {
        let text = format!("C t\n{{}}\nP0 (atomic_int* x) {{ int eax; {body} }}\n");
        print(&parse(&text).expect("a program").program, Notation::X86_64)
    };
    assert!(c("eax = atomic_load_explicit(x, memory_order_relaxed);").is_ok());
    for body in
        ["eax = *x;", "eax = eax * 2;", "while (eax) {}", "if (eax == 1) {} else {;}", "int r0 = 1;", "x[1] = 1;"]
    {
        assert!(c(body).is_err(), "{body}");
    }
}

/// Notes of a text without errors, as `line:column: message`.
fn notes(text: &str) -> Vec<String> {
    let notes = parse(text).expect("a text without an error").notes;
    notes.iter().map(|note| format!("{}:{}: {}", note.span.line, note.span.column, note.message)).collect()
}

#[test]
fn headers_with_descriptions_and_initial_values_with_an_end() {
    for line in ["X86 SB \"Fre PodWR\"", "X86 SB [two threads]", "X86 SB (two threads)", "X86 SB"] {
        let program = read(&format!("{line}\n{{ x=0; }};\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n"));
        assert_eq!(program.name, "SB", "{line}");
    }
    // Brackets may be in a name.
    assert_eq!(read("X86 MP+[rf]-addr\n{}\n P0 ;\n NOP ;\nforall (true)\n").name, "MP+[rf]-addr");
}

#[test]
fn threads_are_numbered_as_they_like() {
    let text = "X86 SB\n{ 7:EBX=5; }\n P2          | P7          ;\n MOV [x],$1  | MOV [y],EBX ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                exists (2:EAX=0 /\\ 7:EAX=0)\n";
    let program = read(text);
    let names: Vec<Option<&str>> = program.threads.iter().map(|thread| thread.name.as_deref()).collect();
    assert_eq!(names, [Some("P2"), Some("P7")]);
    assert_eq!(program.threads[1].initial, [5, 0]);
    let printed = print(&program, Notation::X86).expect("it can be written");
    assert!(printed.contains("P2") && printed.contains("7:EAX=0") && printed.contains("7:EBX=5"), "{printed}");
    assert_eq!(read(&printed).without_spans(), program.clone().without_spans());
    let in_c = print(&program, Notation::C11).expect("it can be written");
    assert!(in_c.contains("exists (0:EAX=0 /\\ 1:EAX=0)") && read(&in_c).condition.is_some(), "{in_c}");
    assert_eq!(errors(&text.replace("P7 ", "P2 ").replace("7:", "2:")), ["3:16: a second thread `P2`"]);
    assert_eq!(errors(&text.replace("7:EAX", "1:EAX")), ["6:20: there is no thread 1"]);
    assert_eq!(errors(&text.replace("7:EBX=5", "0:EBX=5"))[0], "2:5: there is no thread 0");
}

#[test]
fn text_between_code_and_condition_is_left_out() {
    let rows = " P0         | P1         ;\n MOV [x],$1 | MOV [x],$2 ;\n";
    let left_out = "5:1: this text between the code and the condition is left out";
    for text in ["<<\n anything | at ; all\n>>\n", "Observed on two machines\n"] {
        let text = format!("X86 t\n{{}}\n{rows}{text}exists (x=1)\n");
        assert_eq!(notes(&text), [left_out], "{text}");
        assert!(read(&text).condition.is_some());
    }
    // An instruction is none, whose `;` was forgotten.
    let text = format!("X86 t\n{{}}\n{rows} MOV EAX,[x]\nexists (x=1)\n");
    assert!(errors(&text)[0].ends_with("expected `;` at the end of the row"), "{:?}", errors(&text));
}

#[test]
fn conditions_of_older_tests() {
    let test = |tail: &str| format!("X86 t\n{{}}\n P0 ;\n # a comment\n MOV [x],$1 ; // another\n{tail}\n");
    let plain = read(&test("exists (x=1)")).condition.expect("there is one");
    let old = test("final (x=1)\nwith\n tso: exists;\n sc: ~exists;");
    let condition = read(&old).condition.expect("there is one");
    assert_eq!((condition.quantifier, condition.proposition), (plain.quantifier, plain.proposition));
    assert_eq!(
        notes(&old),
        ["7:1: the results that are expected `with` some models are left out: Litmoscope \
                              computes the results"]
    );
    let scoped = test("scopes: (device (x 0 1))\nexists (x=1)");
    assert_eq!(notes(&scoped), ["6:1: `scopes` is left out: no model here uses it"]);
    assert!(read(&scoped).condition.is_some());
}

#[test]
fn numbers_may_stand_on_the_left_of_comparisons() {
    use crate::program::Proposition;
    let proposition = |condition: &str| {
        let program = read(&format!("X86 t\n{{}}\n P0 ;\n MOV [x],$1 ;\nexists ({condition})\n"));
        program.condition.expect("there is one").proposition
    };
    assert_eq!(proposition("1=1"), Proposition::True);
    assert_eq!(proposition("1=-1"), Proposition::False);
    assert_eq!(proposition("1 != 2"), Proposition::True);
    assert_eq!(proposition("1=x"), proposition("x=1"));
}

/// What compilers write around the code that matters.
#[test]
fn what_compilers_print_around_is_read() {
    let plain = both("movl $1,(x)", "MOV [x],$1");
    let around = both(
        "endbr64\nmovl $1,(x)\nnopw %cs:0x0(%rax,%rax,1)\ndata16 cs nopw 0x0(%rax,%rax,1)\nnopl 0x0(%rax)\nrepz ret",
        "ENDBR32\nMOV [x],$1\nNOP WORD PTR cs:[EAX+EAX*1+0x0]\nDATA16 CS NOPW [EAX+0x0]\nNOP DWORD PTR [EAX]\nRET",
    );
    let rest =
        |body: Vec<StatementKind>| -> Vec<_> { body.into_iter().filter(|kind| *kind != StatementKind::Skip).collect() };
    assert_eq!(rest(around), plain);
    // In between, it is a jump to the end.
    let body = |rows: &str| {
        let rows: String = rows.split('\n').map(|row| format!(" {row} ;\n")).collect();
        parse(&format!("X86_64 t\n{{}}\n P0 ;\n{rows}"))
            .expect("a program")
            .program
            .without_spans()
            .threads
            .remove(0)
            .body
    };
    let (early, late) = ("cmpl $0,%eax\nje M\nmovl $1,(x)\n", "\nM:\nmovl $2,(x)");
    assert_eq!(body(&format!("{early}ret{late}")), body(&format!("{early}jmp E{late}\nE:")));
}

/// What a thread of AT&T's leaves in a register or location.
fn left(rows: &str, initial: &str, name: &str) -> crate::program::Value {
    let rows: String = rows.split("; ").map(|row| format!(" {row} ;\n")).collect();
    let found = run(&format!("X86_64 t\n{{ {initial} }}\n P0 ;\n{rows}")).expect("nothing goes wrong");
    found.of(name).expect("it is there").0
}

/// Numbers are as wide as instructions say.
#[test]
fn numbers_have_sizes() {
    for (rows, initial, name, expected) in [
        ("movl $2147483647,%eax; incl %eax", "", "rax", -2_147_483_648),
        ("movq $2147483647,%rax; incq %rax", "", "rax", 2_147_483_648),
        ("movl $4294967295,%eax", "", "rax", -1),
        ("lock addl $1,(x)", "x=2147483647;", "x", -2_147_483_648),
        ("addb $1,(x)", "x=127;", "x", -128),
        ("movw $-1,%ax; shrw $1,%ax", "", "rax", 32_767),
        ("movw $-1,%ax; sarw $1,%ax", "", "rax", -1),
        ("movl $1,%eax; movl $33,%ecx; shll %cl,%eax", "", "rax", 2),
        ("movl $5,%eax; leal 3(%rax,%rax,2),%edx", "", "rdx", 18),
        ("movl $-1,%eax; movl $1,%ebx; cmpl %ebx,%eax; seta %cl; movzbl %cl,%edx", "", "rdx", 1),
        ("movl $-1,%eax; movl $1,%ebx; cmpl %ebx,%eax; setg %cl; movzbl %cl,%edx", "", "rdx", 0),
        ("movl $2147483647,%eax; cmpl $-1,%eax; movl $0,%ebx; movl $1,%ecx; cmovs %ecx,%ebx", "", "rbx", 1),
        ("movq $-1,%rax; movl $1,%eax", "", "rax", 1),
        ("movq $-1,%rax; movb $1,%al", "", "rax", -255),
        ("movl (x),%ebx; cmpl $7,%ebx; movl $3,%eax; cmove (x),%eax", "x=7;", "rax", 7),
        ("movzbl (x),%eax", "x=255;", "rax", 255),
        ("movsbl (x),%eax", "x=255;", "rax", -1),
    ] {
        assert_eq!(left(rows, initial, name), expected, "{rows}");
    }
    // What is not read into the code has the same sizes.
    let program = read(
        "X86_64 t\n{ x=4294967295; 0:rax=4294967295; }\n P0 ;\n movl (x),%ebx ;\n movl %ebx,%eax ;\nexists (0:rax=4294967295 /\\ x=4294967295)\n",
    );
    assert_eq!((&program.objects[0].initial[..], program.threads[0].initial[0]), (&[-1][..], -1));
    let printed = print(&program, Notation::X86_64).expect("it is assembly");
    assert!(printed.contains("exists (0:rax=-1 /\\ [x]=-1)"), "{printed}");
    assert_eq!(notes("X86_64 t\n{ x=255; 0:rbx=65535; }\n P0 ;\n movb (x),%al ;\n incw %bx ;\n"), [""; 0]);
    let warned = notes("X86_64 t\n{ x=300; }\n P0 ;\n movb (x),%al ;\n");
    assert_eq!(warned, ["2:3: 300 does not fit into the `int8_t` `x`: it becomes 44"]);
}

/// Sizes are written as they are read; other notations have none, and say so.
#[test]
fn sizes_are_written() {
    let text = "X86_64 t\n{}\n P0 ;\n addq $1,%rax ;\n movb $1,(y) ;\n movw (z),%bx ;\n shrw $3,%bx ;\n incl (x) ;\n sall %cl,(x) ;\n movb (y),%dl ;\n";
    let program = read(text);
    let printed = print(&program, Notation::X86_64).expect("it is assembly");
    for row in
        ["addq $1,%rax", "movb $1,(y)", "movw (z),%bx", "shrw $3,%bx", "addl $1,(x)", "shll %cl,(x)", "movb (y),%dl"]
    {
        assert!(printed.contains(row), "{row}:\n{printed}");
    }
    assert_eq!(read(&printed).without_spans(), program.without_spans(), "{printed}");
    let ours = print(&read("X86_64 t\n{}\n P0 ;\n incl (x) ;\n"), Notation::Litmoscope).expect("it can be written");
    assert!(ours.starts_with("# Numbers have 64 bits here. Where this program comes from, some have fewer."), "{ours}");
    let moves = print(&read("X86_64 t\n{}\n P0 ;\n movl $1,(x) ;\n"), Notation::Litmoscope).expect("it can be written");
    assert!(!moves.starts_with('#'), "{moves}");
}
