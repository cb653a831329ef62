use super::super::herd::tests::{access, binary, read, register};
use super::super::{parse, print, render};
use crate::program::{
    AccessKind, BinaryOperator, CasResult, ErrorKind, Expression, Integer, Mode, Notation, ObjectId, Observable,
    Program, Proposition, Quantifier, RegisterId, Statement, StatementKind, Term, UnaryOperator, UpdateOperator,
};

/// A test with one thread with these parameters and statements.
fn thread(parameters: &str, body: &str) -> Vec<Statement> {
    let mut program = read(&format!("C test\n{{}}\nP0 ({parameters}) {{ {body} }}\n"));
    program.threads.remove(0).body
}

/// The messages about a text, each with line and column.
fn errors(text: &str) -> Vec<String> {
    let errors = parse(text).expect_err("a text with an error");
    errors.iter().map(|error| format!("{}:{}: {}", error.span.line, error.span.column, error.message)).collect()
}

/// The messages about a thread's statements.
fn body_errors(body: &str) -> Vec<String> {
    let text = format!("C test\n{{}}\nP0 (atomic_int* x, int* y) {{\n{body}\n}}\n");
    errors(&text).iter().map(|error| error.strip_prefix("4:").unwrap_or(error).to_owned()).collect()
}

fn value(body: &str) -> Expression {
    let mut statements = thread("atomic_int* x, int* y", &format!("int a; int b; int c = {body};"));
    match statements.remove(0).without_spans() {
        StatementKind::Assign { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

impl Statement {
    fn without_spans(self) -> StatementKind {
        let thread = crate::program::Thread { body: vec![self], ..Default::default() };
        let program = Program { threads: vec![thread], ..Program::default() };
        program.without_spans().threads.remove(0).body.remove(0).kind
    }
}

#[test]
fn message_passing() {
    let program = read(
        "C MP+rel+acq\n\"a doc string with { and\na line break\"\nCom=Rf Fr\nPrefetch=0:x=F,0:y=W\n\n{}\n\n\
         P0 (int* x, atomic_int* y) {\n  *x = 1; // data\n  atomic_store_explicit(y, 1, memory_order_release);\n}\n\
         P1 (atomic_int* y, int* x) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1 = *x;\n}\n\
         locations [1:r0; x;]\nexists (1:r0=1 /\\ [x]=0 /\\ 1:r1=0)\n",
    );
    assert_eq!(program.name, "MP+rel+acq");
    let names: Vec<&str> = program.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    let StatementKind::Write { mode, .. } = program.threads[0].body[0].kind else { panic!() };
    assert_eq!(mode, Mode::NonAtomic);
    let StatementKind::Write { mode, .. } = program.threads[0].body[1].kind else { panic!() };
    assert_eq!(mode, Mode::Release);
    let span = program.threads[1].body[0].span;
    assert_eq!((span.line, span.column), (14, 3));
    let observed = [
        Observable::Register { thread: 1, register: RegisterId(0) },
        Observable::Location { object: ObjectId(0), offset: 0 },
    ];
    assert_eq!(program.observed.as_deref(), Some(&observed[..]));
    assert_eq!(program.condition.expect("a condition").quantifier, Quantifier::Exists);
}

#[test]
fn spans_are_the_text_of_statements_and_accesses() {
    let text = "C ü\n{}\nP0 (atomic_int* x) {\n  /* ä */ int r0 = 1 + atomic_load(x), r1 = *x;\n  if (r0 == 1) { *x = 2; }\n}\n";
    let program = read(text);
    let body = &program.threads[0].body;
    let slice = |span: crate::program::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(slice(body[0].span), "int r0 = 1 + atomic_load(x)");
    assert_eq!((body[0].span.line, body[0].span.column), (4, 11));
    let StatementKind::Assign { value: Expression::Binary(_, _, right), .. } = &body[0].kind else { panic!() };
    assert_eq!(slice(access(right).span), "atomic_load(x)");
    assert_eq!(slice(access(right).place.span), "x");
    assert_eq!(slice(body[1].span), "r1 = *x");
    let StatementKind::Assign { value, .. } = &body[1].kind else { panic!() };
    assert_eq!(slice(access(value).span), "*x");
    assert_eq!(slice(body[2].span), "if (r0 == 1)");
}

#[test]
fn a_star_is_seq_cst_on_atomics_and_non_atomic_otherwise() {
    for (kind, mode) in [
        ("atomic_int*", Mode::SequentiallyConsistent),
        ("_Atomic int*", Mode::SequentiallyConsistent),
        ("_Atomic(int)*", Mode::SequentiallyConsistent),
        ("int*", Mode::NonAtomic),
        ("volatile int *", Mode::NonAtomic),
        ("unsigned long *", Mode::NonAtomic),
    ] {
        let body = thread(&format!("{kind} x"), "*x = 1; int r = *x;");
        assert!(matches!(body[0].kind, StatementKind::Write { mode: found, .. } if found == mode), "{kind}");
        let StatementKind::Assign { value, .. } = &body[1].kind else { panic!() };
        let value = if let Expression::Unary(UnaryOperator::Convert(_), read) = value { read } else { value };
        assert_eq!(access(value).mode, mode, "{kind}");
    }
}

#[test]
fn read_modify_writes() {
    use UpdateOperator::{Add, And, Exchange, Or, Subtract, Xor};
    for (name, operator) in [
        ("exchange", Exchange),
        ("fetch_add", Add),
        ("fetch_sub", Subtract),
        ("fetch_and", And),
        ("fetch_or", Or),
        ("fetch_xor", Xor),
    ] {
        let body = thread("atomic_int* x", &format!("int r = atomic_{name}_explicit(x, 2, memory_order_acq_rel);"));
        let StatementKind::Assign { value, .. } = &body[0].kind else { panic!() };
        assert_eq!(access(value).mode, Mode::AcquireRelease);
        let operand = Expression::Constant(2);
        assert_eq!(access(value).kind, AccessKind::Update { operator, operand, integer: Integer::Int32 });
    }
    let body = thread("atomic_int* x", "atomic_fetch_add(x, 1);");
    assert!(matches!(&body[0].kind, StatementKind::Evaluate(value)
        if access(value).mode == Mode::SequentiallyConsistent));
    // C11's compound assignment to an atomic is one of these.
    let body = thread("atomic_int* x", "*x += 3; (*x)--;");
    assert!(matches!(&body[1].kind, StatementKind::Evaluate(value)
        if matches!(access(value).kind, AccessKind::Update { operator: Subtract, .. })));
}

#[test]
fn compare_exchange_yields_success() {
    let body = thread(
        "atomic_int* x",
        "int e = 0; int s = atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_acquire, memory_order_relaxed);\n\
         while (!atomic_compare_exchange_weak(x, &e, 2)) { e = 0; }",
    );
    let StatementKind::Assign { value, .. } = &body[1].kind else { panic!() };
    assert_eq!(access(value).mode, Mode::Acquire);
    assert_eq!(
        access(value).kind,
        AccessKind::CompareAndSwap {
            expected: register(0),
            desired: Expression::Constant(1),
            failure: Mode::Relaxed,
            weak: false,
            result: CasResult::Success(RegisterId(0)),
        }
    );
    let StatementKind::While { condition: Expression::Unary(_, cas), .. } = &body[2].kind else { panic!() };
    assert!(matches!(access(cas).kind, AccessKind::CompareAndSwap { weak: true, .. }));
}

#[test]
fn fences() {
    for (order, mode) in [
        ("relaxed", Mode::Relaxed),
        ("acquire", Mode::Acquire),
        ("release", Mode::Release),
        ("acq_rel", Mode::AcquireRelease),
        ("seq_cst", Mode::SequentiallyConsistent),
    ] {
        let body = thread("", &format!("atomic_thread_fence(memory_order_{order});"));
        assert_eq!(body[0].kind, StatementKind::Fence(mode));
    }
}

#[test]
fn addresses_become_indices() {
    let index = |body: &str| {
        let StatementKind::Assign { value, .. } =
            thread("int* q, atomic_int* x", &format!("int a; int r = {body};")).remove(0).without_spans()
        else {
            panic!()
        };
        access(&value).place.operand().cloned()
    };
    let masked = binary(BinaryOperator::BitAnd, register(0), Expression::Constant(128));
    assert_eq!(index("*q"), None);
    assert_eq!(index("q[2]"), Some(Expression::Constant(2)));
    assert_eq!(index("*(q + 2)"), Some(Expression::Constant(2)));
    assert_eq!(index("*(2 + q)"), Some(Expression::Constant(2)));
    assert_eq!(index("atomic_load(x + (a & 128))"), Some(masked.clone()));
    assert_eq!(index("atomic_load(&x[a & 128])"), Some(masked.clone()));
    let long = |operator: BinaryOperator, left| binary(operator.in_type(Integer::Int64), left, register(0));
    assert_eq!(index("*(q + 1 + a)"), Some(long(BinaryOperator::Add, Expression::Constant(1))));
    assert_eq!(index("(q + 1)[a]"), Some(long(BinaryOperator::Add, Expression::Constant(1))));
    assert_eq!(index("*(q - a)"), Some(long(BinaryOperator::Subtract, Expression::Constant(0))));
    assert_eq!(index("READ_ONCE(q[2])"), Some(Expression::Constant(2)));
}

#[test]
fn expressions_bind_as_in_c() {
    use BinaryOperator::{And, BitAnd, BitOr, BitXor, Equal, Or};
    let int = |operator: BinaryOperator| operator.in_type(Integer::Int32);
    let (add, subtract) = (int(BinaryOperator::Add), int(BinaryOperator::Subtract));
    let (multiply, shift) = (int(BinaryOperator::Multiply), int(BinaryOperator::ShiftLeft));
    let (a, b) = (|| register(0), || register(1));
    let n = Expression::Constant;
    let to_int = |value| Expression::Unary(UnaryOperator::Convert(Integer::Int32), Box::new(value));
    let long = |left, right| binary(BinaryOperator::Add.in_type(Integer::Int64), left, right);
    assert_eq!(value("a + b * 2"), binary(add, a(), binary(multiply, b(), n(2))));
    assert_eq!(value("(a + b) * 2"), binary(multiply, binary(add, a(), b()), n(2)));
    assert_eq!(value("a - b - 1"), binary(subtract, binary(subtract, a(), b()), n(1)));
    assert_eq!(value("a - (b - 1)"), binary(subtract, a(), binary(subtract, b(), n(1))));
    assert_eq!(value("a & b == 1"), binary(BitAnd, a(), binary(Equal, b(), n(1))));
    assert_eq!(value("a | b ^ a & b"), binary(BitOr, a(), binary(BitXor, b(), binary(BitAnd, a(), b()))));
    assert_eq!(value("a || b && 1"), binary(Or, a(), binary(And, b(), n(1))));
    assert_eq!(value("a << 1 + b"), binary(shift, a(), binary(add, n(1), b())));
    assert_eq!(value("(int)a + -0x10"), binary(add, a(), n(-16)));
    assert_eq!((value("-9223372036854775808"), value("(int)a + 4294967296")), (n(0), to_int(long(a(), n(1 << 32)))));
    assert_eq!(value("7UL"), n(7));
    for text in
        ["!a", "!!a", "-(1)", "- -a", "-(-1)", "~-a", "-(a + b)", "!(a == b)", "a - -1", "a % b / 3 >= 1 != a <= b"]
    {
        value(text);
    }
}

#[test]
fn control_flow() {
    let body = thread(
        "atomic_int* x, int* y",
        "int r;\n\
         if (*x == 1) *y = 1; else if (*x) { *y = 2; } else { ; }\n\
         while (atomic_load(x) == 0);\n\
         do { r++; } while (r < 3);\n\
         do r = r - 1; while (!r);\n\
         do r = 1; while (!!r);\n\
         for (int i = 0; i < 2; i++) { r += i; --r; }\n\
         { int s = r; { *y = s; } }\n\
         (void)*x;",
    );
    assert_eq!(body.len(), 10, "{body:?}");
    assert!(matches!(&body[0].kind, StatementKind::If { otherwise, .. } if otherwise.len() == 1));
    assert!(matches!(&body[1].kind, StatementKind::While { body, .. } if body.len() == 1));
    assert!(matches!(&body[2].kind, StatementKind::Repeat { until: Expression::Unary(UnaryOperator::Not, _), .. }));
    assert!(matches!(&body[3].kind, StatementKind::Repeat { until: Expression::Register(_), .. }));
    assert!(matches!(&body[5].kind, StatementKind::Assign { .. }));
    assert!(matches!(&body[6].kind, StatementKind::While { body, .. } if body.len() == 3));
    assert!(matches!(&body[8].kind, StatementKind::Write { .. }));
    assert!(matches!(&body[9].kind, StatementKind::Evaluate(_)));
}

#[test]
fn functions_of_c11() {
    let body = thread(
        "atomic_int* x, atomic_flag* f, mtx_t* m",
        "atomic_init(x, 1); int r = atomic_flag_test_and_set(f);\n\
         r = atomic_flag_test_and_set_explicit(f, memory_order_acquire); atomic_flag_clear(f);\n\
         atomic_flag_clear_explicit(f, memory_order_release); atomic_signal_fence(memory_order_seq_cst);\n\
         assert(r == 0); assume(*x); smp_store_release(x, 2); r = smp_load_acquire(x);\n\
         mtx_lock(m); pthread_mutex_unlock(&m); lock(m); spin_unlock(m); return;",
    );
    let StatementKind::Write { mode: Mode::NonAtomic, .. } = body[0].kind else { panic!() };
    for (at, mode) in [(1, Mode::SequentiallyConsistent), (2, Mode::Acquire)] {
        let StatementKind::Assign { value, .. } = &body[at].kind else { panic!() };
        let one = Expression::Constant(1);
        assert_eq!(
            access(value).kind,
            AccessKind::Update { operator: UpdateOperator::Exchange, operand: one, integer: Integer::Bool }
        );
        assert_eq!(access(value).mode, mode);
    }
    for (at, mode) in [(3, Mode::SequentiallyConsistent), (4, Mode::Release)] {
        assert!(
            matches!(body[at].kind, StatementKind::Write { mode: m, value: Expression::Constant(0), .. } if m == mode)
        );
    }
    assert_eq!(body[5].kind, StatementKind::Skip);
    assert!(matches!(body[6].kind, StatementKind::Assert(_)));
    assert!(matches!(body[7].kind, StatementKind::Assume(_)));
    assert!(matches!(body[8].kind, StatementKind::Write { mode: Mode::Release, .. }));
    assert!(matches!(&body[9].kind, StatementKind::Assign { value, .. } if access(value).mode == Mode::Acquire));
    for (at, locks) in [(10, true), (11, false), (12, true), (13, false)] {
        assert_eq!(matches!(body[at].kind, StatementKind::Lock(_)), locks);
        assert_eq!(matches!(body[at].kind, StatementKind::Unlock(_)), !locks);
    }
    assert_eq!(body[14].kind, StatementKind::Skip);
    assert_eq!(value("010 + 'a' + 0 + '\\n'"), value("8 + 97 + 0 + 10"));
}

#[test]
fn loops_are_left() {
    let last = |text: &str| thread("atomic_int* x, int* y", text).pop().expect("a statement").without_spans();
    // What the loop says in other words.
    assert_eq!(
        last("int r; while (1) { r = *x; if (r == 1) break; }"),
        last("int r; do { r = *x; } while (!(r == 1));")
    );
    assert_eq!(
        last("int r; for (;;) { r = *x; if (r == 1) { break; } }"),
        last("int r; do { r = *x; } while (!(r == 1));")
    );
    assert_eq!(
        last(
            "int r = 0; int exit_1; exit_1 = 0; while (exit_1 != 1 && r < 3) { if (r) exit_1 = 1; if (exit_1 == 0) { *y = 1; r = 2; } }"
        ),
        last("int r = 0; while (r < 3) { if (r) break; *y = 1; r = 2; }").clone()
    );
    assert_eq!(
        last("int r; r = *x; while (r == 0) { *y = 1; r = *x; }"),
        last("int r; while ((r = *x) == 0) { *y = 1; }"),
    );
}

#[test]
fn blocks_side_by_side_share_their_variables() {
    let program = read(
        "C blocks\n{}\nP0 (atomic_int* x) {\n int r0 = *x;\n if (r0) { int r1 = *x; } else { int r1 = 7; }\n}\n\
         exists (0:r1=7)\n",
    );
    assert_eq!(program.threads[0].registers, ["r0", "r1"]);
}

#[test]
fn initial_values() {
    let program = read(
        "C init\n{ x=1; int y=-2; atomic_int z = 3; [w]=0x10; 0:r0=5; int q[3]={1,2,3}; uint64_t 1:r1=6; int p[2];\n\
         volatile unsigned long v; a = ATOMIC_INIT(4) }\n\
         P0 (atomic_int* z, int* k, int q[]) { int r1; r1 = r0 + q[1]; int r2; }\n\
         P1 (int* x) { int r0 = 1; }\n\
         locations [q; x int; 1:r1]\n\
         forall (q={1,2,3} /\\ q[1]=2 /\\ 0:r0=5)\n",
    );
    let objects: Vec<(&str, &[i64])> =
        program.objects.iter().map(|object| (object.name.as_str(), object.initial.as_slice())).collect();
    let expected: [(&str, &[i64]); 9] = [
        ("x", &[1]),
        ("y", &[-2]),
        ("z", &[3]),
        ("w", &[16]),
        ("q", &[1, 2, 3]),
        ("p", &[0, 0]),
        ("v", &[0]),
        ("a", &[4]),
        ("k", &[0]),
    ];
    assert_eq!(objects, expected);
    assert_eq!(program.threads[0].registers, ["r0", "r1", "r2"]);
    assert_eq!(program.threads[0].initial, [5, 0, 0]);
    assert_eq!(program.threads[1].registers, ["r1", "r0"]);
    assert_eq!(program.threads[1].initial, [6, 0]);
    assert_eq!(program.observed.expect("locations").len(), 5);
}

#[test]
fn comments() {
    let program = read(
        "(* before *)\nC comments\n(* in the (* nested *) header *)\n{ (* init *) x=1; // one\n}\n\
         P0 (int* x, atomic_int* y) { (* first *) int r = 1; /* * */ if (*x == 1) { r = 2; } // (*x)\n\
         (*stuck together*) r = (*x) + (*y); }\n(* behind *)\nexists (0:r=1) (* at\nthe end *)\n",
    );
    assert_eq!(program.threads[0].body.len(), 3);
}

#[test]
fn registers_keep_their_numbers() {
    // Declared out of the order of their first use, in blocks, and never used.
    let program = read(
        "C order\n{}\nP0 (atomic_int* x) {\n int c; int b = 1; int d;\n if (b) { int a = *x; c = a; }\n int e = d; e = b;\n\
         int f = f;\n}\n",
    );
    assert_eq!(program.threads[0].registers, ["c", "b", "d", "a", "e", "f"]);
}

#[test]
fn conditions() {
    let condition = |text: &str| {
        let text = format!("C c\n{{ int q[2]={{0,0}}; }}\nP0 (int* x, int* y) {{ int r0 = 1; int r1; }}\n{text}\n");
        read(&text).condition.expect("a condition").proposition
    };
    let or = condition("exists 0:r0=1 /\\ x=1 \\/ ~P0:r1=2 /\\ [y]!=0");
    let Proposition::Or(left, _) = or else { panic!() };
    assert!(matches!(*left, Proposition::And(..)));
    let nested = condition("~exists (x=1 /\\ (y=2 /\\ (x=3 \\/ y=4)))");
    assert!(matches!(nested, Proposition::And(_, right) if matches!(*right, Proposition::And(..))));
    assert!(
        matches!(condition("forall (0:r0=1 => true)"), Proposition::Or(left, _) if matches!(*left, Proposition::Not(_)))
    );
    assert!(matches!(condition("not exists (not (x=1) \\/ false)"), Proposition::Or(..)));
    condition("exists (0:r0=0:r1 /\\ x=[y] /\\ [x]==-1 /\\ q[1]<>3 /\\ *x=1)");
    condition("exists (q != {1,2});");
    condition("(x=1)");
    let program = read("C f\n{}\nP0 (int* x) {}\nfilter (x=0)\nexists (x=1)\n");
    assert!(program.filter.is_some());
}

#[test]
fn an_implication_beside_and_is_pointed_out() {
    let notes = |text: &str| parse(&format!("C c\n{{}}\nP0 (int* x) {{}}\n{text}\n")).expect("a program").notes.len();
    assert_eq!(notes("forall (x=1 /\\ x=2 => x=3)"), 1);
    assert_eq!(notes("forall (x=1 => x=2 \\/ x=3)"), 1);
    assert_eq!(notes("forall ((x=1 /\\ x=2) => (x=3 \\/ x=2))"), 0);
    assert_eq!(notes("forall ((x=1 => x=2) /\\ x=2)"), 0);
}

#[test]
fn what_is_not_supported_is_said() {
    for (body, expected) in [
        ("r0 = 1;", "1: `r0` is not declared"),
        ("int r0 = z;", "10: `z` is not declared"),
        ("int r0 = 1; int r0 = 2;", "17: `r0` is already declared"),
        ("int r0 = 1; { int r0 = 2; }", "19: `r0` is already declared"),
        ("{ int r0 = 2; } r0 = 1;", "17: `r0` is declared in another block"),
        ("int x = 1;", "5: `x` is already a parameter"),
        ("x = 1;", "1: a pointer can't be changed"),
        ("1 = 2;", "1: this can't be assigned to"),
        ("int p[0];", "7: the length of an array is a constant of 1 to 1024"),
        ("int p[1] = {1, 2};", "5: the array has 1 elements and 2 values"),
        ("int p[2]; int p[2];", "15: `p` is already declared"),
        ("{ int p[2]; } p[0] = 1;", "15: `p` is not declared"),
        (
            "int r; int* p = &r;",
            "18: the address of a local variable is not supported: other threads can't see the \
                                 variable",
        ),
        ("int r = *1;", "10: this is not a pointer"),
        ("int r = (1 + 1)[0];", "9: this is not an array"),
        ("int r = (int)&y[99999999999];", "14: this index is too large for an address: more than 32 bits"),
        ("int r = *x + (*y ? 1 : 2);", "15: this is too much for one expression: the order of accesses would change"),
        (
            "int r; int s = r + (*x && (r = 2));",
            "21: the same expression changes this variable elsewhere, and C does not say which comes first",
        ),
        ("int r = *x ? 1;", "15: expected `:` and the other value, found `;`"),
        ("int r; if (r = 1) { r = 2; }", "14: assignments inside expressions are not supported"),
        ("int r; int s = r = 1;", "18: assignments inside expressions are not supported"),
        ("int r = atomic_load(*x);", "21: expected a pointer to something shared, found its value"),
        ("atomic_store_explicit(x, 1);", "27: expected `,` and a memory order, found `)`"),
        ("int r = atomic_store(x, 1);", "9: `atomic_store` returns no value"),
        (
            "int r = atomic_compare_exchange_strong(x, 0, 1);",
            "43: expected the address of a variable with the expected value",
        ),
        ("int r = mtx_lock(x);", "9: `mtx_lock` returns no value"),
        ("mtx_lock(1);", "10: this is not a pointer"),
        ("mtx_trylock(x);", "1: `mtx_trylock` is not a function of C11"),
        ("#ifdef A", "1: this directive is not supported"),
        ("#define A(x) 1", "1: this directive is not supported"),
        ("int r = 089;", "9: `089` is not a number"),
        ("printf(1);", "1: there is no function `printf`"),
        ("return 1;", "8: a thread returns no value"),
        ("break;", "1: `break` outside of a loop"),
        ("if (1) continue;", "8: `continue` outside of a loop"),
        ("goto end;", "6: there is no label `end` in this thread"),
        ("goto in; while (1) { in: *x = 1; }", "6: a jump into the block of `in` is not supported"),
        ("a: *x = 1; a: *x = 2;", "12: a second label `a` in this thread"),
        ("case 1: *x = 1;", "1: `case` stands in no `switch`, or deeper in one"),
        ("switch (*x) { case 1: case 1: ; }", "23: a second case for the same value"),
        ("int r; switch (*x) { case r: ; }", "27: the value of a case is a constant"),
        (
            "int exit_1 = 0; while (1) { break; *x = 1; } int exit_2 = 0;",
            "50: `exit_2` is the name of a variable that this thread's control flow needs",
        ),
        ("*x <<= 1;", "1: this operation on an atomic is not supported"),
        ("int r = 99999999999999999999;", "9: `99999999999999999999` does not fit into 64 bits"),
        ("int r = 1", "10: expected `;` after the statement"),
        ("int r = ;", "9: expected an expression, found `;`"),
        ("int r = 1 @ 2;", "11: expected `;` after the statement, found `@`"),
        ("double r = 1;", "1: `double` is not a type of the C dialect"),
    ] {
        let found = body_errors(body);
        assert!(found.iter().any(|error| error == expected), "{body}: {found:?}");
    }
}

#[test]
fn several_messages_at_once() {
    let found = body_errors("int r0 = z; int r1 = r0; r2 = 1; if (r3) { r4 = 1; } r0 = r1; foo();");
    let names = ["`z` is not", "`r2` is not", "`r3` is not", "no function `foo`"];
    assert_eq!(found.len(), names.len(), "{found:?}");
    for (found, name) in found.iter().zip(names) {
        assert!(found.contains(name), "{found}");
    }
    let text = format!("C c\n{{}}\nP0 (int* x) {{ {} }}", "r = 1; ".repeat(100));
    assert_eq!(errors(&text).len(), 50);
}

#[test]
fn what_is_wrong_outside_of_threads() {
    for (text, expected) in [
        ("C c\nP0 (int* x) {}", "2:1: expected the initial values before the threads"),
        ("C c\n{ x=1", "2:1: the initial values do not end"),
        ("C c\n{ x=1; x=2; }\nP0 (int* x) {}", "2:8: `x` has two initial values"),
        (
            "C c\n{ p=&x[9999999999]; }\nP0 (int* x) {}",
            "2:8: this index is too large for an address: more than 32 bits",
        ),
        ("C c\n{ p=&x; x=1; x=2; }\nP0 (int* x) {}", "2:14: `x` has two initial values"),
        ("C c\n{ int q[2]={1}; }\nP0 (int* q) {}", "2:12: the array has 1 values"),
        ("C c\n{ 3:r0=1; }\nP0 (int* q) {}", "2:5: there is no thread 3"),
        ("C c\n{}", "2:3: there is no thread"),
        ("C c\n{}\nP1 (int* x) {}", "3:1: expected thread P0, found P1"),
        ("C c\n{}\nP0 (int***************** x) {}", "3:24: a type with more than 16 stars"),
        ("C c\n{}\nP0 (int x) {}", "3:5: this parameter is not a pointer"),
        ("C c\n{}\nP0 (float* x) {}", "3:5: `float` is not a type of the C dialect"),
        ("C c\n{}\nP0 (int* x) { *x = 1;\nP1 (int* x) {}", "3:13: this `{` is not closed"),
        ("C c\n{}\nP0 (int* x) {}\nexists (1:r0=1)", "4:9: there is no thread 1"),
        ("C c\n{}\nP0 (int* x) {}\nexists (x<1)", "4:10: herd's conditions compare with `=` and `!=` only"),
        ("C c\n{}\nP0 (int* x) {}\nexists (x=y)", "4:11: nothing shared has this name"),
        ("C c\n{ int q[2]; }\nP0 (int* x) {}\nexists (q[2]=1)", "4:11: `q` has no such element"),
        (
            "C c\n{}\nP0 (int* x) {}\nexists (x=1",
            "4:12: expected `)` to close the parenthesis, or `/\\` or `\\/`, found the end of the text",
        ),
        ("C c\n{}\nP0 (int* x) {}\nexists (x=1)\nforall (x=1)", "5:1: a second final condition"),
        ("C c\n{} (* oh", "2:4: this comment does not end"),
        ("C c\n\"oh\n{}", "2:1: this doc string does not end"),
    ] {
        let found = errors(text);
        assert!(found.iter().any(|error| error == expected), "{text}: {found:?}");
    }
}

#[test]
fn deep_and_long_texts_are_refused_not_followed() {
    let deep = |open: &str, close: &str| format!("int r = {}1{};", open.repeat(50_000), close.repeat(50_000));
    for body in [deep("(", ")"), deep("-", ""), deep("!", ""), deep("1+", ""), deep("y[", "]"), deep("1 ? ", "")] {
        assert!(!body_errors(&body).is_empty());
    }
    for open in ["{", "if (1) ", "while (1) {", "do ", "else ", "for (;;) "] {
        assert!(!body_errors(&open.repeat(20_000)).is_empty(), "{open}");
    }
    for open in ["(", "~", "x=1 => ", "x=1 /\\ ", "not "] {
        let text = format!("C c\n{{}}\nP0 (int* x) {{}}\nexists {}x=1", open.repeat(30_000));
        assert!(!errors(&text).is_empty(), "{open}");
    }
    let text = format!("C c\n{{ int q[4000]; {} }}\nP0 (int* x) {{}}", "int q[4000]={1};".repeat(10_000));
    assert_eq!(errors(&text).len(), 50);
    // Deep, but within bounds.
    value(&format!("{}a{}", "(".repeat(100), ")".repeat(100)));
    value(&vec!["a"; 400].join(" + "));
}

#[test]
fn other_notations_are_written_in_c_where_possible() {
    let x = "X86_64 t\n{ x=1; 1:rbx=2; }\n P0 | P1 ;\n movl $1,(x) | movl (x),%eax ;\n mfence | xchgl (y),%ebx ;\n\
             addl $1,(y) | lock cmpxchgl %ebx,(x) ;\n | lfence ;\nexists (1:rax=1 /\\ [x]=1)\n";
    let program = parse(x).expect("a program").program;
    let c = print(&program, Notation::C11).expect("printable");
    let again = parse(&c).unwrap_or_else(|errors| panic!("{}", render(&c, "printed", &errors))).program;
    assert_eq!(again.threads[0].body.len(), 3, "{c}");
    let one = |kind| {
        let mut program = Program::default();
        let body = vec![Statement { kind, span: Default::default() }];
        program.threads.push(crate::program::Thread { body, ..Default::default() });
        print(&program, Notation::C11)
    };
    assert!(one(StatementKind::Fence(Mode::NonAtomic)).is_err());
    let asserts = one(StatementKind::Assert(Expression::Constant(0))).expect("printable");
    assert!(asserts.contains("\n  assert(0);\n"), "{asserts}");
}

/// Warnings and notes of a text without errors, as `line:column: message`.
fn notes(text: &str) -> Vec<String> {
    let notes = parse(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}")).notes;
    notes.iter().map(|note| format!("{}:{}: {}", note.span.line, note.span.column, note.message)).collect()
}

#[test]
fn atomics_as_in_cpp() {
    let same = [
        ("int r = x->load(std::memory_order_acquire);", "int r = atomic_load_explicit(x, memory_order_acquire);"),
        ("int r = x.load();", "int r = atomic_load(x);"),
        ("x.store(1, std::memory_order::release);", "atomic_store_explicit(x, 1, memory_order_release);"),
        ("x.store(1 + 2);", "atomic_store(x, 1 + 2);"),
        (
            "int r = x.exchange(2, std::memory_order_acq_rel);",
            "int r = atomic_exchange_explicit(x, 2, memory_order_acq_rel);",
        ),
        (
            "int r = x.fetch_add(x.load(), std::memory_order_relaxed);",
            "int r = atomic_fetch_add_explicit(x, atomic_load(x), memory_order_relaxed);",
        ),
        (
            "int e = 0; int r = x.compare_exchange_strong(e, 1, std::memory_order_acq_rel);",
            "int e = 0; int r = atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_acq_rel, memory_order_acquire);",
        ),
        (
            "int e = 0; int r = x.compare_exchange_weak(e, 1, std::memory_order_release, std::memory_order_relaxed);",
            "int e = 0; int r = atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_release, memory_order_relaxed);",
        ),
        (
            "int e = 0; int r = x.compare_exchange_strong(e, 1);",
            "int e = 0; int r = atomic_compare_exchange_strong(x, &e, 1);",
        ),
        ("std::atomic_thread_fence(std::memory_order_seq_cst);", "atomic_thread_fence(memory_order_seq_cst);"),
        ("q[1].store(1);", "atomic_store(&q[1], 1);"),
        ("__atomic_store_n(x, 1, __ATOMIC_RELEASE);", "atomic_store_explicit(x, 1, memory_order_release);"),
        (
            "int r = __atomic_fetch_add(x, 1, __ATOMIC_ACQ_REL);",
            "int r = atomic_fetch_add_explicit(x, 1, memory_order_acq_rel);",
        ),
        ("__atomic_thread_fence(__ATOMIC_SEQ_CST);", "atomic_thread_fence(memory_order_seq_cst);"),
        ("__sync_synchronize();", "atomic_thread_fence(memory_order_seq_cst);"),
        ("x += 1; x++; x = true; x |= 2;", "*x += 1; (*x)++; *x = 1; *x |= 2;"),
        ("int r = x + 1; x = r; std::atomic_store(&x, 2);", "int r = *x + 1; *x = r; atomic_store(x, 2);"),
        (
            "auto r = x.load(); auto p = q + 1; p->store(r);",
            "int r = atomic_load(x); _Atomic(int)* p = q + 1; atomic_store(p, r);",
        ),
        ("int r = static_cast<int>(x.load() + 1);", "int r = (int)(atomic_load(x) + 1);"),
        ("x.wait(0); x.notify_one();", "while (atomic_load(x) == (0)) ; ;"),
        (
            "x.wait(1, std::memory_order_acquire); x.notify_all();",
            "while (atomic_load_explicit(x, memory_order_acquire) == (1)) ; ;",
        ),
        ("std::this_thread::yield(); x = 1;", "; *x = 1;"),
        ("bool r = x.test(std::memory_order_relaxed);", "bool r = atomic_load_explicit(x, memory_order_relaxed);"),
        ("m.lock(); x = 1; m.unlock();", "mtx_lock(m); *x = 1; mtx_unlock(m);"),
        ("{ std::lock_guard<std::mutex> guard(m); x = 1; } x = 2;", "mtx_lock(m); *x = 1; mtx_unlock(m); *x = 2;"),
        ("std::scoped_lock all(m); x = 1;", "mtx_lock(m); *x = 1; mtx_unlock(m);"),
    ];
    for (cpp, c) in same {
        let text = |parameters: &str, body: &str| {
            format!("C t\n{{ int q[2]; }}\nP0 ({parameters}) {{\n  {body}\n}}\nexists (x=1)\n")
        };
        let cpp = read(&text("std::atomic<int>& x, std::atomic<int>* q, std::mutex& m", cpp));
        let c = read(&text("_Atomic(int)* x, _Atomic(int)* q, mtx_t* m", c));
        assert_eq!(cpp.without_spans(), c.without_spans());
    }
    // Places in messages are those of the text.
    let text = "C t\n{}\nP0 (std::atomic<int>& x) {\n  x.store(y, std::memory_order_relaxed);\n}\n";
    assert_eq!(errors(text), ["4:11: `y` is not declared"]);
    // What does not end does not hang.
    for text in
        ["C t\n{}\nP0 (atomic<int>& x) { x.load(", "C t\n{}\nP0 (atomic<int", "C t\n{}\nP0 (atomic_int* x) { .load() ]"]
    {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn orders_that_make_no_sense_lose_that_half() {
    let text =
        |statement: &str| format!("C t\n{{}}\nP0 (atomic_int* x) {{\n  int e = 0; int r = 0;\n  {statement}\n}}\n");
    let cases = [
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "a store", "relaxed"),
        ("atomic_store_explicit(x, 1, memory_order_acq_rel);", "a store", "release"),
        ("r = atomic_load_explicit(x, memory_order_release);", "a load", "relaxed"),
        ("r = atomic_load_explicit(x, memory_order_acq_rel);", "a load", "acquire"),
        (
            "atomic_compare_exchange_strong_explicit(x, &e, 1, memory_order_acq_rel, memory_order_acq_rel);",
            "a failed compare-and-swap",
            "acquire",
        ),
    ];
    for (statement, what, order) in cases {
        let notes = notes(&text(statement));
        let said = format!("C11 does not have {what} with this order: it is read as `memory_order_{order}`");
        assert!(notes.len() == 1 && notes[0].ends_with(&said), "{notes:?}");
        let last = statement.rfind("memory_order_").expect("one");
        let right = format!("{}memory_order_{order});", &statement[..last]);
        assert_eq!(read(&text(statement)).without_spans(), read(&text(&right)).without_spans());
    }
}

#[test]
fn conditions_may_name_what_stays_zero() {
    let text =
        "C t\n{}\nP0 (atomic_int* x) { int r0 = atomic_load(x); }\nexists (0:r0=0 /\\ 0:r1=0 /\\ 0:r1=0 /\\ 1=1)\n";
    assert_eq!(notes(text), ["4:21: thread 0 declares no `r1`: it stays 0"]);
    let program = read(text);
    assert_eq!(program.threads[0].registers, ["r0", "r1"]);
    let wrong = text.replace("0:r1=0 /\\ 0:r1", "0:x");
    assert_eq!(errors(&wrong), ["4:21: thread 0 declares no `x`"]);
}

#[test]
fn compare_and_swap_with_expected_values_elsewhere() {
    let text = |init: &str, parameters: &str, expected: &str| {
        format!(
            "C t\n{{ {init} }}\nP0 ({parameters}) {{\n  int r = atomic_compare_exchange_strong(x, {expected}, 1);\n}}\nexists (x=1)\n"
        )
    };
    let passed = read(&text("zero=0;", "atomic_int* x, int* zero", "zero"));
    for expected in ["zero", "&zero"] {
        let unpassed = read(&text("zero=0;", "atomic_int* x", expected));
        assert_eq!(unpassed.threads[0].body.len(), passed.threads[0].body.len());
        assert_eq!(unpassed.objects.iter().map(|object| object.name.clone()).collect::<Vec<_>>(), ["zero", "x"]);
    }
    for expected in ["(int[]){3}", "(int[1]){3}", "{3}"] {
        let literal = read(&text("", "atomic_int* x", expected));
        let StatementKind::Assign { value, .. } = &literal.threads[0].body[0].kind else { panic!("{literal:?}") };
        assert_eq!(*value, Expression::Constant(3));
    }
    assert_eq!(errors(&text("", "atomic_int* x", "(int[]){")).len(), 1);
}

#[test]
fn what_is_of_other_models_is_said() {
    let text = |statement: &str| format!("C t\n{{}}\nP0 (int* x) {{\n  {statement}\n}}\n");
    assert_eq!(
        errors(&text("smp_mb();")),
        ["4:3: `smp_mb` belongs to the Linux kernel, whose memory model (LKMM) is not supported"]
    );
    assert_eq!(errors(&text("__int128 r = 0;")), ["4:3: `__int128` is too wide: values have 64 bits"]);
    let scoped = text(";") + "scopes: (device (x 0))\nregions: (global x)\nexists (x=0)\n";
    let left_out = |at: &str, what: &str| format!("{at}: `{what}` is left out: no model here uses it");
    assert_eq!(notes(&scoped), [left_out("6:1", "scopes"), left_out("7:1", "regions")]);
    assert!(read(&scoped).condition.is_some());
}

/// What C++'s atomics are written with.
const SOUP: [&str; 34] = [
    "x",
    "q",
    "e",
    ".",
    "->",
    "load",
    "store",
    "fetch_add",
    "compare_exchange_strong",
    "(",
    ")",
    ",",
    "[",
    "]",
    "1",
    "std",
    "::",
    ":",
    "atomic",
    "<",
    ">",
    "int",
    "&",
    "*",
    "=",
    ";",
    "{",
    "}",
    "memory_order",
    "acquire",
    "memory_order_acq_rel",
    "__sync_synchronize",
    "__ATOMIC_RELAXED",
    "exists",
];

/// Whatever the order of C++'s tokens, reading ends, with a program or with messages at places of the text.
#[test]
fn any_tokens_of_cpp_are_read_or_refused() {
    let mut random = crate::random::Random::new(20_261_126);
    let mut below = |most: usize| random.below(most as u64) as usize;
    let mut read = 0;
    for _ in 0..20_000 {
        let soup: Vec<&str> = (0..below(24)).map(|_| SOUP[below(SOUP.len())]).collect();
        let end = ["}\n", ""][below(2)];
        let head = "C t\n{ int q[2]; }\nP0 (std::atomic<int>& x, int* q) { int e = 0;\n";
        let text = format!("{head}{}\n{end}", soup.join(" "));
        match parse(&text) {
            Ok(_) => read += 1,
            Err(errors) => {
                let is_inside = |error: &crate::syntax::Diagnostic| error.span.end as usize <= text.len();
                assert!(!errors.is_empty() && errors.iter().all(is_inside), "{text}");
            }
        }
    }
    assert!(read > 100, "{read}");
}

/// Standard headers have nothing that a test needs, and names stand for the rest of their lines.
#[test]
fn directives_that_mean_something_are_read() {
    let written =
        "C t\n{}\nP0 (atomic_int* x) { int r = 1 + 2; *x = 1 + 2; if (r == 7) { *x = 7; } }\nexists (0:r=7)\n";
    let directives = "C t\n#include <stdatomic.h>\n#define SEVEN 7\n{}\n#include <stdint.h>\n#define ONE 1\n\
                      #define THREE ONE + TWO // later\n#define TWO 2\n\
                      P0 (atomic_int* x) { int r = THREE;\n#define four\n *x = THREE; if (r == SEVEN) { *x = SEVEN; } }\n\
                      exists (0:r=SEVEN)\n";
    let without = directives.replace("\n#define four\n", "\n");
    assert_eq!(read(&without).without_spans(), read(written).without_spans());
    // What stands for nothing is none of them; nor is a header that nobody knows.
    assert!(parse(directives).is_err());
    assert!(parse("C t\n#include \"mine.h\"\n{}\nP0 (int* x) { *x = 1; }\n").is_err());
    // A name is one from its line on.
    let undone = "C t\n{}\n#define A 1\nP0 (int* x) { *x = A; }\n#undef A\nP1 (int* x) { *x = A; }\n";
    let errors = parse(undone).expect_err("it is no name any more");
    assert_eq!((errors.len(), errors[0].span.line), (1, 6));
}

/// A thread runs once: what lasts as long as it does is a local variable.
#[test]
fn locals_may_be_static() {
    let text = |kind: &str| format!("C t\n{{}}\nP0 (atomic_int* x) {{ {kind}int r = 1; *x = r; }}\n");
    for kind in ["static ", "_Thread_local ", "static _Thread_local "] {
        assert_eq!(read(&text(kind)).without_spans(), read(&text("")).without_spans());
    }
}

#[test]
fn what_stands_in_front_of_the_initial_values_is_named() {
    let of = |line: &str| errors(&format!("C t\n{line}\n{{}}\nP0 (int* x) {{ *x = 1; }}\n"));
    assert_eq!(of("enum mine { one };"), ["2:1: declarations of types such as this `enum` are not supported"]);
    assert_eq!(
        of("struct node { int* next; };"),
        ["2:18: members that are pointers, arrays or structures are not supported"]
    );
    assert_eq!(of("typedef int mine;"), ["2:1: declarations of types such as this `typedef` are not supported"]);
    assert_eq!(of("structure"), ["2:1: expected the initial values before the threads"]);
}

#[test]
fn what_is_at_a_parameter_can_have_an_initial_value() {
    let program = read("C t\n{ *x = 3; int *y; 0:r = 5; }\nP0 (int* x, int* y) { int r; *y = r; }\n");
    let initial: Vec<_> = program.objects.iter().map(|object| (object.name.as_str(), object.initial.clone())).collect();
    assert_eq!(initial, [("x", vec![3]), ("y", vec![0])]);
}

/// A guard holds its mutex to the end of its block, however that is left.
#[test]
fn guards_hold_their_mutex_however_the_block_is_left() {
    let body = "if (x == 1) return; std::lock_guard<std::mutex> guard(m); if (x == 2) return; x = 3;";
    let program = read(&format!("C t\n{{}}\nP0 (std::atomic<int>& x, std::mutex& m) {{ {body} }}\n"));
    let body = &program.threads[0].body;
    let StatementKind::If { then, otherwise, .. } = &body.last().expect("it is not empty").kind else {
        panic!("{body:?}")
    };
    assert!(otherwise.is_empty());
    assert!(matches!(then.first().map(|first| &first.kind), Some(StatementKind::Lock(_))), "{then:?}");
    assert!(matches!(then.last().map(|last| &last.kind), Some(StatementKind::Unlock(_))), "{then:?}");
}

/// CppMem's programs are what they are in herd's frame.
#[test]
fn programs_for_cppmem_are_read() {
    let cppmem = "// Message passing\nint main() {\n  int x=0; atomic_int y=0, z = -1;\n  {{{ { x=1;\n\
                  y.store(1,memory_order_release); }\n  ||| { r1=y.load(memory_order_acquire).readsvalue(1);\n\
                  r2=x; z.load(memory_order_relaxed).readsvalue(-1); }\n  }}}\n  return 0; }\n";
    let herd = "C t\n{ x = 0; y = 0; z = -1; }\nP0 (int* x, atomic_int* y, atomic_int* z) { { *x = 1;\n\
                atomic_store_explicit(y, 1, memory_order_release); } }\n\
                P1 (int* x, atomic_int* y, atomic_int* z) { int r1; int r2; int value_1; {\n\
                r1 = atomic_load_explicit(y, memory_order_acquire); assume(r1 == 1); r2 = *x;\n\
                value_1 = atomic_load_explicit(z, memory_order_relaxed); assume(value_1 == -1); } }\n";
    // It has no name, which herd's C can't write.
    let read_it = |text: &str| parse(text).expect("a program").program;
    let (mut cppmem, herd) = (read_it(cppmem).without_spans(), read(herd).without_spans());
    assert_eq!(cppmem.name, "");
    cppmem.name.clone_from(&herd.name);
    assert_eq!(cppmem, herd);
    // Without braces around the threads, with a mutex and a loop.
    let other = read_it(
        "int main() { atomic_int x; mutex m; {{{ m.lock(); x = 1; m.unlock(); ||| while (x.load() == 0) {} ||| ; }}} }",
    );
    assert_eq!(other.threads.len(), 3);
    assert!(matches!(other.threads[0].body[0].kind, StatementKind::Lock(_)));
    for (text, expected) in [
        ("int main() { {{{", "1:14: the threads do not end"),
        ("int main( { {{{ ; }}} }", "1:11: expected `)` of `int main() {`"),
        ("int main() { float x = 0; {{{ ; }}} }", "1:14: expected a type and the name of something shared"),
        ("int main() { int x = ; {{{ ; }}} }", "1:14: expected a name, perhaps with its value"),
        ("int main() { int x; {{{ x = 1; }}} x = 2; }", "1:36: behind the threads, only `return 0; }` can come"),
        ("int main() { int x; {{{ x = 1; }}} } int y;", "1:38: nothing can come behind `main`"),
        (
            "int main() { int x; {{{ r = x.readsvalue(1) + 1; }}} }",
            "1:31: `readsvalue` has one value and ends its statement",
        ),
        ("int main() { int x; {{{ y.store(1); }}} }", "1:25: `y` is not declared"),
    ] {
        assert_eq!(errors(text).first().map(String::as_str), Some(expected), "{text}");
    }
}

/// The value of the last variable of a thread that only computes.
fn computed(body: &str) -> i64 {
    use crate::program::{Action, Code, Limits, ThreadState};
    let program = read(&format!("C t\n{{}}\nP0 () {{\n{body}\n}}\n"));
    let code = Code::compile(&program).expect("it can be explored");
    let mut state = ThreadState::new(&code, 0);
    assert_eq!(state.advance(&code, 0, Limits::default()), Action::Finished, "{body}");
    let last = program.threads[0].registers.iter().position(|name| name == "s").expect("a variable");
    state.registers()[last]
}

#[test]
fn cases_go_on_one_in_the_other() {
    let cases = "case 1: s += 1; case 2: s += 10; break; default: s += 100; case 3: s += 1000;";
    for (value, expected) in [(0, 1100), (1, 11), (2, 10), (3, 1000), (4, 1100)] {
        let body = format!("int s = 0; int r = {value}; switch (r) {{ {cases} }}");
        assert_eq!(computed(&body), expected, "{value}");
    }
    // `break` leaves the switch, or the loop in it; `continue` and `return` what is around it.
    let inner = "switch (i) { case 0: continue; case 1: while (1) { s += 1; break; } break; case 2: s += 10; break; case 4: return; }";
    assert_eq!(computed(&format!("int s = 0; for (int i = 0; i < 6; i++) {{ {inner} s += 100; }} s += 1000;")), 311);
    // Once, the second round of a loop began behind the cases.
    let rounds = "switch (i) { case 1: s += 1; case 2: s += 10; break; default: s += 100; }";
    assert_eq!(computed(&format!("int s = 0; for (int i = 0; i < 3; i++) {{ {rounds} }}")), 121);
    // One in another, without any case, and with nothing behind the last label.
    assert_eq!(
        computed(
            "int s = 1; switch (s) { case 1: switch (2) { case 2: s = 5; break; } s += 1; break; case 5: s = 0; }"
        ),
        6
    );
    assert_eq!(computed("int s = 1; switch (s) { s = 2; }"), 1);
    assert_eq!(computed("int s = 1; switch (s) { case 1: s = 3; default: }"), 3);
}

#[test]
fn jumps_lead_to_labels() {
    assert_eq!(
        thread("atomic_int* x", "int r; again: r = *x; if (r == 0) goto again;").len(),
        thread("atomic_int* x", "int r; do { r = *x; } while (r == 0);").len()
    );
    assert_eq!(computed("int s = 0; again: s++; if (s < 5) goto again; s += 10;"), 15);
    assert_eq!(computed("int s = 1; goto end; s = 2; end: ;"), 1);
    assert_eq!(computed("int s = 1; unused: s = 2; other: ;"), 2);
    // Out of two loops, over what is behind them.
    let body = "for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { s++; if (i + j == 3) goto out; } } s += 100; out: s += 10;";
    assert_eq!(computed(&format!("int s = 0; {body}")), 14);
    // Out of a switch, and back in front of it.
    assert_eq!(
        computed("int s = 0; next: switch (s) { case 0: s = 1; goto next; case 1: s = 7; break; default: s = 9; }"),
        7
    );
    // Over a `break` of the block in which the label stands.
    let body = "while (s < 9) { if (s == 3) break; again: s++; if (s == 1) goto again; }";
    assert_eq!(computed(&format!("int s = 0; {body}")), 3);
}

/// What `r` is behind a thread's statements, and what `x` holds.
fn result(parameter: &str, body: &str) -> Result<(i64, i64), ErrorKind> {
    super::sweep::outcome(&format!("C integers\n{{}}\nP0 ({parameter} x) {{ {body} }}\n"), "r")
}

#[test]
fn integers_are_those_of_c() {
    for body in [
        "unsigned long a = -1; int r = (a >> 63) == 1;",
        "unsigned long a = -1; int r = (a / 2) > 0;",
        "unsigned a = 0; int r = (a - 1 > 0);",
        "int r = (-1 > 0u);",
        "uint8_t a = 255; a++; int r = (a == 0);",
        "int r = ((uint8_t)256 == 0);",
        "_Bool b = 2; int r = (b == 1);",
        "int a = 2147483647; unsigned u = a; u = u + u + 2; int r = (u == 0);",
        "int r = sizeof(long) == 8 && sizeof(unsigned char) == 1 && sizeof(*x) == 4 && sizeof r == 4 && sizeof x == 8;",
        "int r = sizeof(int) > -1 ? 0 : 1;",
        "char c = 200; int r = c < 0;",
        "unsigned char a = 200, b = 100; int r = a + b == 300 && (unsigned char)(a + b) == 44;",
        "size_t n = 0; n--; int r = n > 1000;",
        "unsigned short s = 65535; int r = ~s == -65536;",
        "int r = 0x80000000 > 0 && -0x80000000 > 0 && -2147483648 < 0;",
        "unsigned u = 1; long l = -1; int r = l < u;",
        "auto a = 1u; int r = a - 2 > 0;",
        "const auto a = 1u; int r = a - 2 > 0;",
        "auto int a = 1u; int r = a - 2 < 0;",
        "int s = -1; unsigned u = 1; int r = (1 ? s : u) > 0;",
        "unsigned u = 7; switch (u - 8) { case -1: ; int r = 1; }",
        "{ int a = -1; } { unsigned a = -1; int r = a > 0; }",
    ] {
        assert_eq!(result("int*", body).map(|(r, _)| r), Ok(1), "{body}");
    }
}

#[test]
fn memory_holds_values_of_its_type() {
    for (parameter, body, expected) in [
        ("atomic_uint*", "int r = atomic_fetch_sub(x, 1);", (0, 4_294_967_295)),
        ("atomic_uchar*", "atomic_store(x, 255); int r = atomic_fetch_add(x, 1);", (255, 0)),
        ("atomic_schar*", "atomic_store(x, 127); int r = ++*x;", (-128, -128)),
        (
            "atomic_int*",
            "atomic_store(x, 2147483647); int r = atomic_fetch_add(x, 1);",
            (2_147_483_647, -2_147_483_648),
        ),
        ("atomic_bool*", "int r = atomic_exchange(x, 2);", (0, 1)),
        ("_Atomic(_Bool)*", "*x += 2; int r = *x;", (1, 1)),
        (
            "atomic_uint*",
            "atomic_store(x, -1); unsigned e = -1; int r = atomic_compare_exchange_strong(x, &e, 5);",
            (1, 5),
        ),
        (
            "atomic_uchar*",
            "atomic_store(x, 1); int e = 257; int r = atomic_compare_exchange_strong(x, &e, 258);",
            (1, 2),
        ),
        ("atomic_uint*", "atomic_store(x, -1); int r = atomic_fetch_max(x, 1);", (-1, 4_294_967_295)),
        ("atomic_int*", "atomic_store(x, -1); int r = atomic_fetch_max_explicit(x, 1, memory_order_relaxed);", (-1, 1)),
        ("atomic_ulong*", "atomic_store(x, -1); int r = atomic_fetch_min(x, 1) > 5;", (1, 1)),
        ("uint16_t*", "*x = -1; (*x)++; int r = *x;", (0, 0)),
        ("std::atomic<uint8_t>&", "x--; auto a = x.load(); int r = a;", (255, 255)),
    ] {
        assert_eq!(result(parameter, body), Ok(expected), "{parameter} {body}");
    }
}

#[test]
fn what_is_undefined_is_an_error() {
    for (body, expected) in [
        ("int a = 2147483647; int r = a + 1;", ErrorKind::SignedOverflow),
        ("int a = 2147483647; a++; int r = 0;", ErrorKind::SignedOverflow),
        ("int a = -2147483648; int r = -a;", ErrorKind::SignedOverflow),
        ("long a = 9223372036854775807; long r = a * 2;", ErrorKind::SignedOverflow),
        ("unsigned short a = 65535; int r = a * a;", ErrorKind::SignedOverflow),
        ("int a = 32; int r = 1 << a;", ErrorKind::ShiftOutOfRange),
        ("unsigned a = 1; int r = a >> -1;", ErrorKind::ShiftOutOfRange),
        ("int a = -1; int r = a << 1;", ErrorKind::SignedOverflow),
        ("unsigned a = 1; int r = a % (a - 1);", ErrorKind::DivisionByZero),
    ] {
        assert_eq!(result("int*", body), Err(expected), "{body}");
    }
    // What is skipped is not computed.
    let body = "int a = 2147483647; int r = a < 0 && a + 1 || (a > 0 ? 1 : a + 1);";
    assert_eq!(result("int*", body), Ok((1, 0)));
}

#[test]
fn what_skips_may_want_things_done() {
    for (body, expected) in [
        ("int i = 0; int r = 0 && ++i; r = r + i;", 0),
        ("int i = 0; int r = 1 && ++i; r = r + i;", 2),
        ("int i = 3; int r = i < 3 || i++ == 3; r = r + i;", 5),
        ("int s = 0; int r = *x || (s = 5) == 5; r = r + s;", 6),
        ("int s = 7; int r = *x && (s = 5); r = r + s;", 7),
        ("int r = 0; int s = (r == 0 && (*x ? 0 : 1)) ? 4 : 5; r = s;", 4),
        ("int i = 0; while (i < 3 && ++i) ; int r = i;", 3),
    ] {
        assert_eq!(result("int*", body).map(|(r, _)| r), Ok(expected), "{body}");
    }
}

#[test]
fn conditions_compare_with_values_of_the_type() {
    let program = read(
        "C converted\n{ unsigned y = -1; uint8_t 0:a = 257; }\n\
         P0 (atomic_uint* x, unsigned* y) { uint8_t a; unsigned long l = -1; int i = -1; *x = -1; }\n\
         exists (x=-1 /\\ y=4294967295 /\\ 0:a=257 /\\ 0:l=-1 /\\ 0:i=4294967295)\n",
    );
    let mut constants = Vec::new();
    fn see(proposition: &Proposition, constants: &mut Vec<i64>) {
        match proposition {
            Proposition::And(left, right) => {
                see(left, constants);
                see(right, constants);
            }
            Proposition::Compare(_, _, Term::Constant(value)) => constants.push(*value),
            other => panic!("{other:?}"),
        }
    }
    see(&program.condition.expect("a condition").proposition, &mut constants);
    assert_eq!(constants, [4_294_967_295, 4_294_967_295, 1, -1, -1]);
    assert_eq!((program.objects[0].initial[0], program.threads[0].initial[0]), (4_294_967_295, 1));
}

#[test]
fn what_types_change_is_said() {
    let notes = |text: &str| self::notes(text).join("\n");
    let initial = "C a\n{ uint8_t x = 256; }\nP0 (uint8_t* x) { *x = 1; }\n";
    assert_eq!(notes(initial), "2:11: 256 does not fit into the `uint8_t` `x`: it becomes 0");
    let widths = "C a\n{}\nP0 (int* x) { *x = 1; }\nP1 (long* x) { long r = *x; }\n";
    assert_eq!(notes(widths), "4:11: `x` has the type `int` elsewhere: its values are converted here");
    let address = "C a\n{}\nP0 (int* x) { int r = (int)x; }\n";
    assert_eq!(notes(address), "3:23: an address does not fit into `int`: it keeps its 64 bits");
    let expected = "C a\n{}\nP0 (atomic_uint* x) { int e = 0; int r = atomic_compare_exchange_strong(x, &e, 1); }\n";
    assert_eq!(
        notes(expected),
        "3:77: the value expected has the type `int`, and what it is compared with `unsigned`: it is converted"
    );
}

#[test]
fn functions_do_what_they_do_in_place_of_their_calls() {
    let run = |functions: &str, body: &str| {
        let text = format!("C f\n{{}}\n{functions}\nP0 (atomic_int* x, int* y) {{ {body} }}\n");
        read(&text);
        super::sweep::outcome(&text, "r")
    };
    let add = "static inline int add(atomic_int* a, int by) { int old = atomic_fetch_add(a, by); return old + by; }";
    assert_eq!(run(add, "int r = add(x, 2); r = r * 10 + add(x, 3);"), Ok((25, 5)));
    assert_eq!(run(add, "add(x, 2); int r = *x;"), Ok((2, 2)));
    assert_eq!(run(add, "int r = 0; if (add(x, 1) == 1 && add(x, 1) == 2) r = 7;"), Ok((7, 2)));
    assert_eq!(run(add, "int r = 0; while (add(x, 1) < 5) r++;"), Ok((4, 5)));
    let early = "int sign(long a) { if (a < 0) return -1; if (a == 0) { return 0; } return 1; }";
    assert_eq!(run(early, "int r = sign(-5) * 100 + sign(0) * 10 + sign(7);"), Ok((-99, 0)));
    assert_eq!(run(early, "int r = 0; for (int i = -1; i < 2; i++) { r = r * 2 + sign(i); }"), Ok((-3, 0)));
    let cut = "uint8_t cut(unsigned a) { return a; }";
    assert_eq!(run(cut, "int r = cut(-1) + cut(256);"), Ok((255, 0)));
    let nested =
        "void put(int* p, int v) { *p = v; }\nint twice(int* p, int v) { put(p, v); put(p, *p + v); return *p; }";
    assert_eq!(run(nested, "int r = twice(y, 4); *x = r;"), Ok((8, 8)));
    let loops =
        "int count(int n) { int k = 0; while (1) { if (k >= n) break; k++; if (k == 3) return k; } return -k; }";
    assert_eq!(run(loops, "int r = count(2) * 10 + count(9);"), Ok((-17, 0)));
    let jumps = "int odd(int n) { again: if (n > 1) { n -= 2; goto again; } switch (n) { case 0: return 0; default: return 1; } }";
    assert_eq!(run(jumps, "int r = odd(5) * 10 + odd(4);"), Ok((10, 0)));
    // Behind the thread that calls it, and declared.
    let text = "C f\n{}\nint one(void);\nP0 (int* y) { int r = one(); }\nint one(void) { return 1; }\n";
    assert_eq!(super::sweep::outcome(text, "r"), Ok((1, 0)));
    // By reference.
    let text = "C f\n{}\nint take(std::atomic<int>& a) { a += 2; return a.load(); }\n\
                P0 (std::atomic<int>& x) { int r = take(x); }\n";
    assert_eq!(super::sweep::outcome(text, "r"), Ok((2, 2)));
}

#[test]
fn an_event_of_a_function_stands_where_it_is_called() {
    let text =
        "C f\n{}\nvoid put(atomic_int* p) { atomic_store(p, 1); }\nP0 (atomic_int* x) {\n  put(x);\n  put(x);\n}\n";
    let body = parse(text).expect("a program").program.threads.remove(0).body;
    let lines: Vec<u32> = body.iter().map(|statement| statement.span.line).collect();
    assert_eq!((body.len(), lines), (2, vec![5, 6]));
}

#[test]
fn what_functions_can_not_do_is_said() {
    for (functions, body, expected) in [
        ("int f(int a) { return f(a); }", "int r = f(1);", "`f` calls itself, which is not supported"),
        ("int f(int a) { return a; }", "int r = f();", "expected an expression, found `)`"),
        ("int f(int a) { return a; }", "int r = f(1, 2);", "there are more arguments than `f` has parameters"),
        ("void f() { return 1; }", "f();", "this function returns no value"),
        ("int f() { return y; }", "int r = f();", "`y` is not declared"),
        ("int f() { return 1; } int f() { return 2; }", "int r = f();", "a second function `f`"),
        (
            "int f(int* p) { return *p; }",
            "int r = 0; r = f(&r);",
            "the address of a local variable is not supported: other threads can't see the variable",
        ),
    ] {
        let text = format!("C f\n{{}}\n{functions}\nP0 (atomic_int* x) {{ {body} }}\n");
        let errors = parse(&text).expect_err("an error");
        assert!(errors.iter().any(|error| error.message == expected), "{text}: {errors:?}");
    }
    let text = "C f\n{}\nint f() { return 1; }\nP0 (atomic_int* x) { *x = 1; }\n";
    assert_eq!(notes(text), ["3:5: no thread calls `f`: it is left out"]);
}

#[test]
fn arrays_may_be_local() {
    for (body, expected) in [
        ("int a[3] = {1, 2}; int r = a[0] + a[1] * 10 + a[2] * 100;", 21),
        ("uint8_t a[] = {255, 256}; a[0]++; int i = 1; int r = a[i] + a[i - 1];", 0),
        ("int r = 0; for (int i = 0; i < 3; i++) { int a[4] = {0}; a[i] = i; r += a[0] + a[1] + a[2]; }", 3),
        ("int r = 0; { int a[2] = {4}; r = a[0]; } { long a[2] = {5}; r += a[0]; }", 9),
        ("int a[2] = {1, 2}; int* p = a; int* q = &a[1]; int r = *p + *q + p[1];", 5),
        ("int a[2]; int r = sizeof(a[0]);", 4),
    ] {
        assert_eq!(result("int*", body).map(|(r, _)| r), Ok(expected), "{body}");
    }
    let beyond = result("int*", "int a[2] = {1}; int i = 2; int r = a[i];");
    assert!(matches!(beyond, Err(ErrorKind::OutOfBounds { offset: 2, .. })), "{beyond:?}");
    // Nothing of another thread has its name.
    let text = "C a\n{}\nP0 (int* x) { int q[1] = {1}; }\nP1 (int* q) { int r = *q; }\n";
    let names: Vec<String> = read(text).objects.into_iter().map(|object| object.name).collect();
    assert_eq!(names, ["x", "P0_q", "q"]);
}

#[test]
fn loops_have_all_their_forms() {
    for (body, expected) in [
        ("int r = 0; for (int i = 0, j = 5; i < j; i++, j--) r++;", 3),
        ("int i, j, r; for (i = 0, j = 1, r = 0; i < 3; ++i, j *= 2) ; r = j;", 8),
        ("int r = 0; for (;;) { if (++r == 4) break; }", 4),
        ("int r = 0; for (int i = 3; i--; ) r += i;", 3),
        ("int r = 0; do r++; while (r < 3);", 3),
        ("int r = 0; do { if (r == 2) continue; r++; } while (r < 2);", 2),
        ("int r = 5; do ; while (--r > 2);", 2),
        ("int r = 0, i = 0; while (i++ < 3) r += i;", 6),
        ("int r; r = 1, r = r + 1;", 2),
    ] {
        assert_eq!(result("int*", body).map(|(r, _)| r), Ok(expected), "{body}");
    }
}

#[test]
fn pointers_stay_pointers() {
    for text in [
        "C p\n{ int y = 3; int* x = &y; }\nP0 (int** x) { int* p = *x; p++; int r = *x == p; p = *x; r = *p; }\n",
        "C p\n{ int y = 3; x = &y; }\nP0 (int* x) { int r = *x; r = *r; }\n",
        "C p\n{ int y = 3; int* x = &y; }\nP0 (int* x) { int q = *x; int r = *q; }\n",
        "C p\n{ int y = 3; int* 0:p = &y; }\nP0 (int* y) { int r = *p; }\n",
        "C p\n{ int y[2] = {1, 3}; }\nP0 (int* y, _Atomic(int*)* x) { atomic_store(x, y + 1); int* p = atomic_load(x); int r = *p; }\n",
        "C p\n{ int y = 3; int* x = &y; }\nP0 (_Atomic(int*)* x, long* z) { int s = atomic_load(x); *z = s; int r = *s; }\n",
    ] {
        read(text);
        assert_eq!(super::sweep::outcome(text, "r").map(|(r, _)| r), Ok(3), "{text}");
    }
}

/// A structure behind a pointer is a variable for each member, whatever it is called by.
#[test]
fn structures_are_variables() {
    let plain = "C t\n{ l_data = 3; }\nP0 (atomic_int& l_held, int& l_data) { l_data = 1; int r = l_data; \
                 atomic_store_explicit(&l_held, 1, memory_order_release); l_held++; }\n\
                 P1 (atomic_int& l_held, int& l_data) { int r = atomic_load_explicit(&l_held, memory_order_acquire); }\n\
                 exists (l_data = 1 /\\ 1:r = 1)\n";
    let body = |kind: &str| {
        format!(
            "{{ l->data = 3; }}\nP0 ({kind}* l) {{ l->data = 1; int r = (*l).data; \
             atomic_store_explicit(&l->held, 1, memory_order_release); l->held++; }}\n\
             P1 ({kind}* l) {{ int r = atomic_load_explicit(&(*l).held, memory_order_acquire); }}\n\
             exists (l->data = 1 /\\ 1:r = 1)\n"
        )
    };
    let expected = read(plain).without_spans();
    for (declaration, kind) in [
        ("struct lock { atomic_int held; int data; };\n", "struct lock"),
        ("typedef struct { atomic_int held;\n  int data;\n} lock_t;\n", "lock_t"),
        ("typedef struct lock { atomic_int held; int data; } lock_t;\n", "struct lock"),
        ("struct lock { atomic_int held; int data; };\ntypedef struct lock lock_t;\n", "lock_t"),
    ] {
        let text = format!("C t\n{declaration}{}", body(kind));
        assert_eq!(read(&text).without_spans(), expected, "{text}");
    }
    // Several members in one line, and behind the initial values.
    let text = "C t\n{}\nstruct s { int a, b; };\nP0 (struct s* p) { p->a = p->b; }\nexists (p->a = 0)\n";
    let names: Vec<String> = read(text).objects.into_iter().map(|object| object.name).collect();
    assert_eq!(names, ["p_a", "p_b"]);
    // Functions are called with pointers, under other names.
    let text = "C t\nstruct lock { atomic_int held; int data; };\n{}\n\
                static void take(struct lock* m, int v) { while (atomic_exchange(&m->held, 1)) {} m->data = v; }\n\
                P0 (struct lock* l) { take(l, 1); l->held = 0; }\nP1 (struct lock* l) { take(l, 2); l->held = 0; }\n\
                exists (l->data = 1)\n";
    let program = read(text);
    assert_eq!(program.objects.len(), 2);
    let printed = print(&program, Notation::C11).expect("it can be written");
    assert!(printed.contains("(atomic_int* l_held, int* l_data)"), "{printed}");
    // C++ calls methods on members.
    let text = "C t\nstruct s { std::atomic<int> a; };\n{}\nP0 (s* p) { p->a.store(1, std::memory_order_release); }\n";
    assert!(parse(text).is_err(), "the name of a type without `struct` is C++'s alone");
    let text = text.replace("(s*", "(struct s*");
    assert_eq!(read(&text).objects[0].name, "p_a");
}

#[test]
fn what_structures_can_not_be_is_said() {
    let of = |declaration: &str, body: &str| {
        errors(&format!("C t\n{declaration}\n{{}}\nP0 (struct s* p, int* x) {{ {body} }}\n"))
    };
    let s = "struct s { int a; };";
    for (declaration, body, expected) in [
        (s, "p->b = 1;", "4:31: the structure has no member `b`"),
        (s, "struct s* q = p;", "4:42: `p` points to a structure, and only its members can be used"),
        (s, "if (p) {}", "4:32: `p` points to a structure, and only its members can be used"),
        (s, "atomic_store(p, 1);", "4:41: `p` points to a structure, and only its members can be used"),
        (s, "*p;", "4:29: `p` points to a structure, and only its members can be used"),
        (s, "int p_a = 1;", "4:32: `p_a` stands for `p->a` here"),
        ("struct s { int a[2]; };", "", "2:17: members that are pointers, arrays or structures are not supported"),
        ("struct s { a; };", "", "2:12: expected a member such as `int a;`"),
        ("struct s { int a; } g;", "", "2:21: expected `;` after the structure"),
        ("typedef struct t u;", "", "2:1: this structure is not declared"),
        ("struct s { int a };", "", "2:18: expected `;` after the members"),
    ] {
        let found = of(declaration, body);
        assert!(found.iter().any(|error| error.starts_with(expected)), "{declaration} {body}: {found:?}");
    }
}
