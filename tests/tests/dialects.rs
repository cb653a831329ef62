//! What programs with pointers, and those of herd's dialects, do: their final states under a model.

use litmoscope::explore::{Algorithm, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::report::fault_text;
use litmoscope::syntax::{parse, render};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The final states as `P0:a=0 x=1`, and what went wrong, of a program explored by GenMC and, with the same result, by
/// brute force.
fn explore(text: &str, model: Model) -> (BTreeSet<String>, BTreeSet<String>) {
    let program = parse(text).unwrap_or_else(|errors| panic!("{}", render(text, "test", &errors))).program;
    let code = Arc::new(Code::compile(&program).expect("a program that can be run"));
    let found = [Algorithm::Genmc, Algorithm::BruteForce].map(|algorithm| {
        let mut explorer =
            algorithm.explorer(Arc::clone(&code), model, Options::default()).expect("few enough candidates");
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
        (states, faults)
    });
    assert_eq!(found[0], found[1], "{text}");
    let [found, _] = found;
    found
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
    assert_eq!(states(&publish, Model::Rc11), ["P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    let relaxed = publish.replace(":=rel", ":=").replace(":=acq", ":=");
    assert_eq!(states(&relaxed, Model::Rc11), ["P1:a=&x P1:b=0", "P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    assert_eq!(states(&relaxed, Model::Tso), ["P1:a=&x P1:b=1", "P1:a=0 P1:b=0"]);
    // Where it points is where it is, by whatever name.
    assert_eq!(
        states(
            "shared q[2]\nr := &q[0]; *(r + 1) := 3; a := q[1]; b := r[0]".replace("r[0]", "*(r + 1)").as_str(),
            Model::Sc
        )
        .len(),
        1
    );
    assert_eq!(
        states(
            "shared x, y\nfai(*(&x), 2); b := cas(x, 2, &y); c := xchg(*x, 7)\nlocations [x; y; P0:b; P0:c]",
            Model::Tso
        ),
        ["P0:b=2 P0:c=0 x=&y y=7"]
    );
}

#[test]
fn what_points_nowhere_is_an_error() {
    assert_eq!(faults("shared x\n*r := x", Model::Sc), ["an access through 0, which is no address"]);
    assert_eq!(
        faults("shared q[2]\nr := &q[1]; a := *(r + 1)", Model::Sc),
        ["q[2] is out of bounds (it has 2 elements)"]
    );
    assert_eq!(
        faults("shared x, y\nr := &y - &x; *r := 1", Model::Sc),
        ["an access through 4294967296, which is no address"]
    );
    assert_eq!(
        faults("shared x, p\np := &x || a := p; *a := 1", Model::Sc),
        ["an access through 0, which is no address"]
    );
}

#[test]
fn a_pointer_races_as_the_object_does() {
    let race = "shared x, y\nr := &x; *r :=na 1 || a :=na x";
    assert_eq!(faults(race, Model::Rc11), ["data race"]);
    assert_eq!(faults(&race.replace("&x", "&y"), Model::Rc11), Vec::<String>::new());
}

#[test]
fn c_has_pointers() {
    let test = "C MP+rel+addr\n{ int x=0; int* p=&z; int z=5; }\n\
                P0 (int* x, int** p) { *x = 1; atomic_store_explicit(p, x, memory_order_release); }\n\
                P1 (int** p) { int* r0 = atomic_load_explicit(p, memory_order_acquire); int r1 = *r0; }\n\
                exists (1:r0=x /\\ 1:r1=0)\n";
    assert_eq!(states(test, Model::Rc11), ["P1:r0=&x P1:r1=1", "P1:r0=&z P1:r1=5"]);
    let relaxed = test.replace("release", "relaxed").replace("acquire", "relaxed");
    assert_eq!(explore(&relaxed, Model::Rc11).1.into_iter().collect::<Vec<_>>(), ["data race"]);
    let arrays = "C arrays\n{ int q[3]={1,2,3}; 0:r1=&q[1]; }\n\
                  P0 (int* q, atomic_int* x) { int* p = q + 1; int a = p[1]; int b = *(p - 1); p++; int c = p - q;\n\
                  int d = *r1; *&q[0] = 7; atomic_int* y = x; *y += 2; atomic_fetch_add(y + 0, 1); int e = p == &q[2]; }\n\
                  locations [0:a; 0:b; 0:c; 0:d; 0:e; q; x;]\n";
    assert_eq!(states(arrays, Model::Rc11), ["P0:a=3 P0:b=1 P0:c=2 P0:d=2 P0:e=1 q[0]=7 q[1]=2 q[2]=3 x=3"]);
}
