//! What programs with pointers, and those of herd's dialects, do: their final states under a model.

use litmoscope::explore::{Algorithm, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::report::fault_text;
use litmoscope::syntax::{parse, render};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The final states as `P0:a=0 x=1`, and what went wrong, of a program explored by GenMC and, with the same result, by
/// brute force, unless there are too many candidates.
fn explore(text: &str, model: Model) -> (BTreeSet<String>, BTreeSet<String>) {
    let program = parse(text).unwrap_or_else(|errors| panic!("{}", render(text, "test", &errors))).program;
    let code = Arc::new(Code::compile(&program).expect("a program that can be run"));
    let found = [Algorithm::Genmc, Algorithm::BruteForce].map(|algorithm| {
        let mut explorer = algorithm.explorer(Arc::clone(&code), model, Options::default()).ok()?;
        let mut results = Results::new(&program);
        loop {
            let step = explorer.advance();
            results.observe(&program, &code, model, &*explorer, step);
            if step == Step::Done {
                break;
            }
        }
        let names: Vec<String> = results.observables().iter().map(|o| program.observable_name(*o)).collect();
        let state = |values: &[i64]| {
            let value = |(name, value): (&String, &i64)| format!("{name}={}", program.value_text(*value));
            names.iter().zip(values).map(value).collect::<Vec<_>>().join(" ")
        };
        let states: BTreeSet<String> = results.outcomes().map(|(values, _)| state(values)).collect();
        let faults: BTreeSet<String> = results.faults().map(|(fault, _)| fault_text(&program, fault)).collect();
        Some((states, faults))
    });
    let [genmc, brute_force] = found;
    let genmc = genmc.expect("GenMC explores everything");
    assert!(brute_force.is_none_or(|brute_force| brute_force == genmc), "{text}");
    genmc
}

fn states(text: &str, model: Model) -> Vec<String> {
    let (states, faults) = explore(text, model);
    assert_eq!(faults, BTreeSet::new(), "{text}");
    states.into_iter().collect()
}

fn faults(text: &str, model: Model) -> Vec<String> {
    explore(text, model).1.into_iter().collect()
}

#[test]
fn accesses_through_pointers_are_accesses() {
    let publish = "shared x, p = 0\n*r := 1; p :=rel r || a :=acq p; if a != 0 { b := *a }\n";
    let publish = publish.replace("*r", "r := &x; *r") + "exists (P1:a = &x /\\ P1:b = 0)";
    assert_eq!(states(&publish, Model::RC11), ["P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    let relaxed = publish.replace(":=rel", ":=").replace(":=acq", ":=");
    assert_eq!(states(&relaxed, Model::RC11), ["P1:a=&x P1:b=0", "P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    assert_eq!(states(&relaxed, Model::TSO), ["P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    // Where it points is where it is, by whatever name.
    assert_eq!(
        states(
            "shared q[2]\nr := &q[0]; *(r + 1) := 3; a := q[1]; b := r[0]".replace("r[0]", "*(r + 1)").as_str(),
            Model::SC
        )
        .len(),
        1
    );
    assert_eq!(
        states(
            "shared x, y\nfai(*(&x), 2); b := cas(x, 2, &y); c := xchg(*x, 7)\nlocations [x; y; P0:b; P0:c]",
            Model::TSO
        ),
        ["P0:b=2 P0:c=0 x=&y y=7"]
    );
}

#[test]
fn what_points_nowhere_is_an_error() {
    assert_eq!(faults("shared x\n*r := x", Model::SC), ["an access through 0, which is not an address"]);
    assert_eq!(
        faults("shared q[2]\nr := &q[1]; a := *(r + 1)", Model::SC),
        ["q[2] is out of bounds (it has 2 elements)"]
    );
    assert_eq!(
        faults("shared x, y\nr := &y - &x; *r := 1", Model::SC),
        ["an access through 4294967296, which is not an address"]
    );
    assert_eq!(
        faults("shared x, p\np := &x || a := p; *a := 1", Model::SC),
        ["an access through 0, which is not an address"]
    );
}

#[test]
fn a_pointer_races_as_the_object_does() {
    let race = "shared x, y\nr := &x; *r :=na 1 || a :=na x";
    assert_eq!(faults(race, Model::RC11), ["data race"]);
    assert_eq!(faults(&race.replace("&x", "&y"), Model::RC11), Vec::<String>::new());
}

#[test]
fn c_has_pointers() {
    let test = "C MP+rel+addr\n{ int x=0; int* p=&z; int z=5; }\n\
                P0 (int* x, int** p) { *x = 1; atomic_store_explicit(p, x, memory_order_release); }\n\
                P1 (int** p) { int* r0 = atomic_load_explicit(p, memory_order_acquire); int r1 = *r0; }\n\
                exists (1:r0=x /\\ 1:r1=0)\n";
    assert_eq!(states(test, Model::RC11), ["P1:r0=&x P1:r1=1", "P1:r0=&z P1:r1=5"]);
    let relaxed = test.replace("release", "relaxed").replace("acquire", "relaxed");
    assert_eq!(explore(&relaxed, Model::RC11).1.into_iter().collect::<Vec<_>>(), ["data race"]);
    let arrays = "C arrays\n{ int q[3]={1,2,3}; 0:r1=&q[1]; }\n\
                  P0 (int* q, atomic_int* x) { int* p = q + 1; int a = p[1]; int b = *(p - 1); p++; int c = p - q;\n\
                  int d = *r1; *&q[0] = 7; atomic_int* y = x; *y += 2; atomic_fetch_add(y + 0, 1); int e = p == &q[2]; }\n\
                  locations [0:a; 0:b; 0:c; 0:d; 0:e; q; x;]\n";
    assert_eq!(states(arrays, Model::RC11), ["P0:a=3 P0:b=1 P0:c=2 P0:d=2 P0:e=1 q[0]=7 q[1]=2 q[2]=3 x=3"]);
}

/// The final values of `r` and, with `locations`, of x and y after a thread of C.
fn c(body: &str) -> Vec<String> {
    let text = format!(
        "C t\n{{ int x=0; int y=5; int q[3]={{1,2,3}}; }}\nP0 (atomic_int* x, int* y, int* q) {{ int r = 0; {body} }}\nlocations [0:r; x; y;]"
    );
    states(&text, Model::RC11)
}

#[test]
fn c_leaves_loops_as_it_says() {
    for (body, expected) in [
        ("while (1) { r++; if (r == 3) break; *y = r; }", "P0:r=3 x=0 y=2"),
        ("while (r < 4) { r++; if (r == 2) continue; *y = r * 10 + *y % 10; }", "P0:r=4 x=0 y=45"),
        ("for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 3) break; r += i; }", "P0:r=2 x=0 y=5"),
        ("do { r++; if (r == 2) break; } while (r < 5); *y = 7;", "P0:r=2 x=0 y=7"),
        ("do { r++; if (r == 2) continue; *x += r; } while (r < 3);", "P0:r=3 x=4 y=5"),
        (
            "for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { if (j == 1) break; r += 10; } if (i == 1) return; r++; } *y = 0;",
            "P0:r=21 x=0 y=5",
        ),
        ("if (*y == 5) { *x = 1; return; } r = 9;", "P0:r=0 x=1 y=5"),
        ("while (1) { while (1) { r++; if (r == 2) break; } if (r == 2) { *y = r; break; } }", "P0:r=2 x=0 y=2"),
        ("while ((r = atomic_fetch_add(x, 1)) < 2) { *y = r; }", "P0:r=2 x=3 y=1"),
        (
            "while ((r = atomic_fetch_add(x, 1)) < 4) { if (r == 1) continue; if (r == 3) break; *y = r; }",
            "P0:r=3 x=4 y=2",
        ),
    ] {
        assert_eq!(c(body), [expected], "{body}");
    }
}

#[test]
fn c_chooses_and_assigns_in_expressions() {
    for (body, expected) in [
        ("r = *y == 5 ? 1 : 2;", "P0:r=1 x=0 y=5"),
        ("r = *y != 5 ? *x : *y > 3 ? 3 : 4;", "P0:r=3 x=0 y=5"),
        ("*y = (r ? 1 : 2) + 1;", "P0:r=0 x=0 y=3"),
        ("if (r ? 0 : 1) *y = 1;", "P0:r=0 x=0 y=1"),
        ("int* p = r ? y : &q[2]; *p = 8; r = q[2];", "P0:r=8 x=0 y=5"),
        ("int e = 5; if ((r = atomic_compare_exchange_strong(x, &e, 1)) == 0) *y = e;", "P0:r=0 x=0 y=0"),
        // The value expected is shared: it is read, and written back.
        ("r = atomic_compare_exchange_strong(x, y, 1);", "P0:r=0 x=0 y=0"),
        (
            "*y = 0; r = atomic_compare_exchange_weak_explicit(x, y, 7, memory_order_acq_rel, memory_order_relaxed);",
            "P0:r=1 x=7 y=0",
        ),
        ("atomic_compare_exchange_strong(x, &q[1], 1); r = q[1] + q[2];", "P0:r=3 x=0 y=5"),
    ] {
        assert_eq!(c(body), [expected], "{body}");
    }
}

/// The final values of eax, ebx and x after a thread of assembly, in both syntaxes.
fn assembly(att: &[&str]) -> Vec<String> {
    let text = format!(
        "X86_64 t\n{{ int x=2; int y=5; 0:rax=0; 0:rbx=0; }}\n P0 ;\n{}locations [0:rax; 0:rbx; x;]\n",
        att.iter().map(|row| format!(" {row} ;\n")).collect::<String>()
    );
    states(&text, Model::TSO)
}

#[test]
fn assembly_jumps_as_it_says() {
    for (rows, expected) in [
        // Loops.
        (&["movl $0,%eax", "L: incl %eax", "cmpl $3,%eax", "jne L"][..], "P0:rax=3 P0:rbx=0 x=2"),
        (
            &["L: movl %ebx,%eax", "cmpl $4,%ebx", "je E", "incl %ebx", "jmp L", "E: movl %eax,(x)"],
            "P0:rax=4 P0:rbx=4 x=4",
        ),
        (&["L: cmpl $4,%ebx", "jge E", "addl $3,%ebx", "jmp L", "E:"], "P0:rax=0 P0:rbx=6 x=2"),
        (&["movl $3,%ebx", "L: addl %ebx,%eax", "decl %ebx", "jnz L"], "P0:rax=6 P0:rbx=0 x=2"),
        // if and else.
        (
            &["cmpl $2,(x)", "jne F", "movl $1,%eax", "jmp E", "F: movl $2,%eax", "E: movl $3,%ebx"],
            "P0:rax=1 P0:rbx=3 x=2",
        ),
        (
            &["cmpl $1,(x)", "jne F", "movl $1,%eax", "jmp E", "F: movl $2,%eax", "E: movl $3,%ebx"],
            "P0:rax=2 P0:rbx=3 x=2",
        ),
        (&["jmp E", "movl $1,%eax", "E: movl $3,%ebx"], "P0:rax=0 P0:rbx=3 x=2"),
        // Two jumps of one comparison, and instructions between.
        (&["cmpl $3,(x)", "movl $9,%ebx", "je A", "jl B", "movl $1,%eax", "A: B:"], "P0:rax=0 P0:rbx=9 x=2"),
        (&["cmpl $1,(x)", "movl $9,%ebx", "je A", "jl B", "movl $1,%eax", "A: B:"], "P0:rax=1 P0:rbx=9 x=2"),
        (&["movl $1,%eax", "subl $1,%eax", "movl $7,%eax", "jne E", "movl $5,%ebx", "E:"], "P0:rax=7 P0:rbx=5 x=2"),
        // Locked instructions.
        (&["L: lock decl (x)", "jne L", "movl $1,%eax"], "P0:rax=1 P0:rbx=0 x=0"),
        (&["L: lock subl $1,(x)", "movl $1,%eax", "jns L"], "P0:rax=1 P0:rbx=0 x=-1"),
        (&["movl $7,%ebx", "L: lock cmpxchgl %ebx,(x)", "jne L"], "P0:rax=2 P0:rbx=7 x=7"),
        (&["movl $7,%ebx", "lock cmpxchgl %ebx,(x)", "je E", "movl $8,%ebx", "E:"], "P0:rax=2 P0:rbx=8 x=2"),
        // Into a loop, out of two, and overlapping.
        (&["jmp M", "L: addl $10,%eax", "M: incl %ebx", "cmpl $3,%ebx", "jne L"], "P0:rax=20 P0:rbx=3 x=2"),
        (
            &[
                "O: I: incl %eax",
                "cmpl $3,%eax",
                "je E",
                "cmpl $2,%eax",
                "jne I",
                "incl %ebx",
                "jmp O",
                "E: movl $0,(x)",
            ],
            "P0:rax=3 P0:rbx=1 x=0",
        ),
        (
            &["cmpl $2,(x)", "jne A", "cmpl $5,(y)", "je B", "A: movl $1,%eax", "B: movl $2,%ebx"],
            "P0:rax=0 P0:rbx=2 x=2",
        ),
        (&["cmpl $1,%eax", "je L", "cmpl $0,%eax", "je M", "L: movl $1,%ebx", "M:"], "P0:rax=0 P0:rbx=0 x=2"),
    ] {
        assert_eq!(assembly(rows), [expected], "{rows:?}");
    }
    let spin = "X86 spin\n{}\n P0         | P1            ;\n MOV [x],$1 | L: MOV EAX,[y] ;\n MOV [y],$1 | CMP EAX,$0 ;\n\
                \x20           | JE L         ;\n            | MOV EBX,[x] ;\nexists (1:EBX=0)\n";
    assert_eq!(states(spin, Model::TSO), ["P1:EBX=1"]);
    assert_eq!(states(spin, Model::PSO), ["P1:EBX=0", "P1:EBX=1"]);
}

#[test]
fn assembly_compares_without_sign() {
    // -1 is the largest.
    for (jump, taken) in [("ja", false), ("jae", false), ("jb", true), ("jbe", true), ("jnbe", false), ("jnc", false)] {
        let expected = format!("P0:rax=0 P0:rbx={} x=2", i32::from(!taken));
        let jump = format!("{jump} E");
        assert_eq!(assembly(&["cmpl $-1,(x)", &jump, "movl $1,%ebx", "E:"]), [&*expected], "{jump}");
        // Not right behind what set the flags, and together with one that minds the sign.
        let rows = ["cmpl $-1,(x)", "movl $0,%eax", "jl F", &jump, "movl $1,%ebx", "jmp E", "F: movl $7,%ebx", "E:"];
        assert_eq!(assembly(&rows), [&*expected], "{jump}");
    }
    for (jump, taken) in [("jbe", true), ("ja", false), ("jae", true), ("jb", false)] {
        let expected = format!("P0:rax=0 P0:rbx={} x=2", i32::from(!taken));
        assert_eq!(assembly(&["testl $1,(x)", &format!("{jump} E"), "movl $1,%ebx", "E:"]), [&*expected], "{jump}");
    }
}

#[test]
fn assembly_changes_memory() {
    for (rows, expected) in [
        (&["movl $3,%eax", "xaddl %eax,(x)"][..], "P0:rax=2 P0:rbx=0 x=5"),
        (&["movl $2,%eax", "movl $7,%ebx", "cmpxchgl %ebx,(x)", "je E", "movl $9,%ebx", "E:"], "P0:rax=2 P0:rbx=7 x=7"),
        (&["movl $1,%eax", "movl $7,%ebx", "cmpxchgl %ebx,(x)", "je E", "movl $9,%ebx", "E:"], "P0:rax=2 P0:rbx=9 x=2"),
        (
            &["movl $1,%eax", "cmpxchgl %ebx,(x)", "movl $7,%ebx", "jne E", "movl $9,%ebx", "E:"],
            "P0:rax=2 P0:rbx=7 x=2",
        ),
        (&["btsl $3,(x)", "jc E", "movl $1,%ebx", "E:"], "P0:rax=0 P0:rbx=1 x=10"),
        (&["lock btsl $1,(x)", "jnc E", "movl $1,%ebx", "E:"], "P0:rax=0 P0:rbx=1 x=2"),
        (&["lock btrl $1,(x)", "jc E", "movl $1,%ebx", "E:"], "P0:rax=0 P0:rbx=0 x=0"),
        (&["lock btcl $0,(x)", "movl $4,%eax", "jae E", "movl $1,%ebx", "E: btrl $2,%eax"], "P0:rax=0 P0:rbx=0 x=3"),
        (&["btl $1,(x)", "jb E", "movl $1,%ebx", "E: btcl $0,%eax"], "P0:rax=1 P0:rbx=0 x=2"),
    ] {
        assert_eq!(assembly(rows), [expected], "{rows:?}");
    }
    // Without `lock`, another thread's write comes between the read and the write.
    for (instruction, atomic, torn) in [
        ("xaddl %eax,(x)", "x=2", "x=1"),
        ("incl (x)", "x=2", "x=1"),
        ("btsl $0,(x)", "x=1", ""),
        ("cmpxchgl %ebx,(x)", "x=1", ""),
    ] {
        let text = |lock: &str| {
            format!(
                "X86_64 t\n{{ 0:rax=1; 1:rax=1; 0:rbx=1; 1:rbx=1; }}\n P0 | P1 ;\n {lock} {instruction} | {lock} {instruction} ;\nlocations [x;]\n"
            )
        };
        let text = |lock| if instruction.starts_with('c') { text(lock).replace("rax=1", "rax=0") } else { text(lock) };
        assert_eq!(states(&text("lock"), Model::TSO), [atomic], "{instruction}");
        let expected: BTreeSet<&str> = [atomic, torn].into_iter().filter(|state| !state.is_empty()).collect();
        let found = states(&text(""), Model::TSO);
        assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{instruction}");
    }
    // Both win the same bit, which `lock` forbids.
    let both = "X86_64 t\n{}\n P0 | P1 ;\n btsl $0,(x) | btsl $0,(x) ;\n jc E | jc E ;\n movl $1,%eax | movl $1,%eax ;\n\
                E: | E: ;\nlocations [0:rax; 1:rax;]\n";
    assert_eq!(states(both, Model::SC), ["P0:rax=0 P1:rax=1", "P0:rax=1 P1:rax=0", "P0:rax=1 P1:rax=1"]);
    assert_eq!(states(&both.replace("btsl", "lock btsl"), Model::TSO), ["P0:rax=0 P1:rax=1", "P0:rax=1 P1:rax=0"]);
}

#[test]
fn assembly_has_addresses() {
    let wide = |rows: &[&str]| {
        let rows: String = rows.iter().map(|row| format!(" {row} ;\n")).collect();
        states(
            &format!(
                "X86_64 t\n{{ int q[3]={{1,2,3}}; uint64_t p=q; x=5; 0:rsi=&q[1]; 0:rbx=1; }}\n P0 ;\n{rows}\
                 locations [0:rax; 0:rcx; q; x;]\n"
            ),
            Model::TSO,
        )
    };
    for (rows, expected) in [
        (&["movl (q),%eax", "movl q+4(%rip),%ecx"][..], "P0:rax=1 P0:rcx=2 q[0]=1 q[1]=2 q[2]=3 x=5"),
        (&["movl (%rsi),%eax", "movl 4(%rsi),%ecx", "movl $9,-4(%rsi)"], "P0:rax=2 P0:rcx=3 q[0]=9 q[1]=2 q[2]=3 x=5"),
        (&["movl q(,%rbx,4),%eax", "movl (%rsi,%rbx,4),%ecx"], "P0:rax=2 P0:rcx=3 q[0]=1 q[1]=2 q[2]=3 x=5"),
        (&["movl q+4(,%rbx,4),%eax", "movl $7,-8(%rsi,%rbx,4)"], "P0:rax=3 P0:rcx=0 q[0]=7 q[1]=2 q[2]=3 x=5"),
        (
            &["movq $x,%rdx", "movl $6,(%rdx)", "leaq q(%rip),%rdi", "movl 8(%rdi),%eax"],
            "P0:rax=3 P0:rcx=0 q[0]=1 q[1]=2 q[2]=3 x=6",
        ),
        (
            &["movq (p),%rdx", "lock incl (%rdx)", "leaq (%rdx),%rdi", "xchgl %eax,8(%rdi)"],
            "P0:rax=3 P0:rcx=0 q[0]=2 q[1]=2 q[2]=0 x=5",
        ),
        (
            &["leaq (x),%rdx", "movq %rdx,(p)", "movq (p),%rdi", "addl $2,(%rdi)"],
            "P0:rax=0 P0:rcx=0 q[0]=1 q[1]=2 q[2]=3 x=7",
        ),
    ] {
        assert_eq!(wide(rows), [expected], "{rows:?}");
    }
    let narrow = "X86 t\n{ int q[3]={1,2,3}; 0:ESI=x; 0:EBX=2; }\n P0 ;\n MOV EAX,[q+4] ;\n MOV [q],$7 ;\n MOV [ESI],$8 ;\n\
                  MOV ECX,[q+EBX*4] ;\n LEA EDI,[q] ;\n MOV EDX,[EDI+EBX*4-4] ;\n\
                  locations [0:EAX; 0:ECX; 0:EDX; q; x;]\n";
    assert_eq!(states(narrow, Model::TSO), ["P0:EAX=2 P0:ECX=3 P0:EDX=2 q[0]=7 q[1]=2 q[2]=3 x=8"]);
    let publish = "X86_64 MP+addr\n{ uint64_t p=z; z=5; 0:rbx=x; }\n P0 | P1 ;\n movl $1,(x) | movq (p),%rax ;\n\
                   movq %rbx,(p) | movl (%rax),%ecx ;\nexists (1:rcx=0)\n";
    assert_eq!(states(publish, Model::TSO), ["P1:rcx=1", "P1:rcx=5"]);
    assert_eq!(states(publish, Model::PSO), ["P1:rcx=0", "P1:rcx=1", "P1:rcx=5"]);
    let outside = "X86_64 t\n{ int q[2]; 0:rax=&q[1]; }\n P0 ;\n movl $1,4(%rax) ;\n";
    assert_eq!(faults(outside, Model::TSO), ["q[2] is out of bounds (it has 2 elements)"]);
    assert_eq!(
        faults("X86_64 t\n{}\n P0 ;\n movl $1,(%rax) ;\n", Model::TSO),
        ["an access through 0, which is not an address"]
    );
}

#[test]
fn c_counts_in_expressions() {
    for (body, expected) in [
        ("int a = 3; r = a++; *y = a;", "P0:r=3 x=0 y=4"),
        ("int a = 3; r = --a * 10; *y = a;", "P0:r=20 x=0 y=2"),
        ("int a = 0; while (a++ < 3) r += a; *y = a;", "P0:r=6 x=0 y=4"),
        ("int a = 2; do r++; while (--a); *y = a;", "P0:r=2 x=0 y=0"),
        ("for (int i = 0; i++ < 3; ) r += i;", "P0:r=6 x=0 y=5"),
        ("int i = 1; q[i++] = 9; r = q[1] + i;", "P0:r=11 x=0 y=5"),
        ("int* p = q; r = *p++; r = r * 10 + *p; *++p = 8; *y = q[2];", "P0:r=12 x=0 y=8"),
        ("r = (*x)++; r = r * 10 + ++*x; *y = (*x)--;", "P0:r=2 x=1 y=2"),
        ("int a = 1; r = *y ? a++ : a--; *y = a;", "P0:r=1 x=0 y=2"),
        ("int a = 0; if (a++) r = 1; else r = a; (a--); *y = a;", "P0:r=1 x=0 y=0"),
        ("atomic_store(x, r++); atomic_fetch_add(x, ++r);", "P0:r=2 x=2 y=5"),
        ("*y = 0; if (*y && r++) *y = 1; if (!*y && r++ == 0) *y = 2;", "P0:r=1 x=0 y=2"),
        ("int l[3] = {4}; r = 2; l[r] = l[0] + 3; *y = l[1] + l[2];", "P0:r=2 x=0 y=7"),
    ] {
        assert_eq!(c(body), [expected], "{body}");
    }
    for (body, message) in [
        ("r = r++;", "the same expression changes this variable elsewhere, and C does not say which comes first"),
        (
            "int a = r++ + r;",
            "the same expression changes this variable elsewhere, and C does not say which comes \
                              first",
        ),
        (
            "int a = r + --r;",
            "the same expression changes this variable elsewhere, and C does not say which comes \
                              first",
        ),
        (
            "int a = (*y ? r++ : 0) + r;",
            "the same expression changes this variable elsewhere, and C does not say which comes first",
        ),
        ("r = (*y)++;", "only local variables and atomics change inside expressions"),
        ("r = 5++;", "only local variables and atomics change inside expressions"),
        ("goto L;", "there is no label `L` in this thread"),
        ("switch (r) { case 1: if (r) { case 2: r = 2; } }", "`case` stands in no `switch`, or deeper in one"),
        ("int l[r];", "the length of an array is a constant of 1 to 1024"),
    ] {
        let text = format!("C t\n{{}}\nP0 (atomic_int* x, int* y, int* q) {{ int r = 0; {body} }}\n");
        let errors = parse(&text).expect_err("no program");
        assert_eq!(errors[0].message, message, "{body}");
        assert!(
            errors[0].help.is_some() && errors[0].span.line == 3 && errors[0].span.column >= 49,
            "{body}: {errors:?}"
        );
    }
}

/// Loops and choices are written in C as in our own notation, and mean the same.
#[test]
fn control_flow_is_written_in_c() {
    for own in [
        "shared x = 3, y\na := 0; while a < x { a := a + 1; if a = 2 { y := 1 } else { y := y + 2 } }",
        "shared x, y\nrepeat { a := fai(x); if a > 1 { b := 1 } else if a = 1 { b := 2 } else { y := 7 } } until x >= 3",
        "shared q[3] = {4, 5, 6}, p = 0\ni := 0; while i < 3 { *(&q[i]) := q[i] * 2; i := i + 1 }; p := &q[1]; r := p; s := *r",
        "shared q[2] = {7, 7}\nr := &q[0]; if na *(r + 0) = *(r + 1) { a := 1 }; while na *(r + 1) > a { a := *(r + 1) + *r }",
        "shared x, y\nx := 1; y :=rel 1 || repeat { a :=acq y } until a = 1; b := x",
    ] {
        let program = parse(own).expect("a program").program;
        let printed = litmoscope::syntax::print(&program, litmoscope::program::Notation::C11).expect("a test in C");
        for model in [Model::SC, Model::RC11] {
            assert_eq!(explore(&printed, model), explore(own, model), "{printed}");
        }
    }
    let program =
        parse("shared x\na := 0; while a < 2 { if x = a { a := a + 1 } else { x := a } }").expect("a program");
    let printed = litmoscope::syntax::print(&program.program, litmoscope::program::Notation::C11).expect("a test in C");
    for part in
        ["while (a < 2) {\n    if (atomic_load", ") {\n      a = a + 1;\n    } else {\n      atomic_store_explicit("]
    {
        assert!(printed.contains(part), "{printed}");
    }
}

/// Loops that wait are explored as `assume`, however they are left: nothing is cut.
#[test]
fn loops_with_breaks_wait() {
    for wait in [
        "while (1) { if (atomic_load(x)) break; }",
        "while (1) { if (!atomic_load(x)) continue; break; }",
        "while (1) { int a = atomic_load(x); if (a == 0) continue; r = a; break; }",
        "do { if (atomic_load(x) == 0) continue; break; } while (1);",
        "for (;;) { if (atomic_load(x) == 1) { r = 1; break; } }",
        "while (!atomic_load(x)) ;",
        "while (1) { if (atomic_load(x)) return; }",
    ] {
        let text = format!(
            "C t\n{{}}\nP0 (atomic_int* x, int* y) {{ *y = 1; atomic_store(x, 1); }}\n\
             P1 (atomic_int* x, int* y) {{ int r = 0; {wait} r = 2; }}\nlocations [y;]\n"
        );
        let program = parse(&text).unwrap_or_else(|errors| panic!("{}", render(&text, "test", &errors))).program;
        let code = Arc::new(Code::compile(&program).expect("a program that can be run"));
        assert_eq!(code.spin_loops().len(), 1, "{wait}");
        for model in Model::ALL {
            let mut explorer = Algorithm::Genmc.explorer(Arc::clone(&code), model, Options::default()).expect("GenMC");
            while explorer.advance() != Step::Done {}
            let counts = explorer.counts();
            assert_eq!((counts.complete, counts.bounded), (1, 0), "{wait}, {model:?}: {counts:?}");
        }
    }
}
