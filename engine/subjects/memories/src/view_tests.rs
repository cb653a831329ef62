//! What the page shows of memory implementations.

use super::*;

macro_rules! library {
    ($name:literal) => {
        include_str!(concat!("../../../../public/protocols/", $name, ".protocol"))
    };
}

fn request(text: &str) -> MemoryRequest {
    MemoryRequest { text: text.to_owned(), at: u32::MAX, ..MemoryRequest::default() }
}

fn view(request: &MemoryRequest) -> MemoryView {
    MemoryOpen::open(request).unwrap_or_else(|wrong| panic!("{wrong:#?}")).view(request)
}

/// All that a table finds out, by row: the size, then the cells.
fn filled(request: &TableRequest) -> (Vec<TableRow>, Vec<TableNews>) {
    let mut table = MemoryTable::new(request).expect("it is a protocol");
    let rows = table.rows().to_vec();
    let mut news = Vec::new();
    while let Some(new) = table.go_on() {
        news.push(new);
    }
    assert!(table.is_over());
    (rows, news)
}

#[test]
fn a_run_of_m2_is_told_step_by_step() {
    let text = library!("m2");
    let run = "W t x a; W t x c; R f x c; R f x a";
    let asked = MemoryRequest { run: run.to_owned(), holds_nothing: true, ..request(text) };
    let shown = view(&asked);
    assert_eq!((&shown.run[..], shown.at, shown.all_steps, shown.trouble.as_deref()), (run, 4, 4, None));
    assert_eq!(shown.violated.as_deref(), Some("WRA"));
    assert_eq!(shown.steps[3].origin, [1]);
    assert_eq!((shown.steps[3].colour, shown.steps[0].colour, shown.steps[1].colour), (Some(0), Some(0), Some(1)));
    // The read returns v, and knows u, which hides it.
    assert_eq!((&shown.steps[0].roles[..], &shown.steps[1].roles[..]), (&["v".to_owned()][..], &["u".to_owned()][..]));
    assert!(shown.cycle.iter().any(|told| told.text.contains("(pco)")), "{:?}", shown.cycle);
    let graph = shown.graph.expect("it is drawn");
    assert_eq!(graph.edges.iter().filter(|edge| edge.in_cycle).count(), shown.cycle.len());
    assert!(
        graph.nodes.iter().any(|node| node.label.ends_with(" u"))
            && graph.nodes.iter().any(|node| node.label.ends_with(" v"))
    );
    // One step earlier nothing is wrong.
    let before = view(&MemoryRequest { at: 3, ..asked });
    assert_eq!((before.violated, before.at, before.all_steps), (None, 3, 4));
    assert!(
        before.cycle.is_empty()
            && before.caption.contains("f reads x from register c: it gets t.2 W(x,2), which came by step 2"),
        "{}",
        before.caption
    );
    assert_eq!(before.state, "q2");
    assert_eq!(before.next.iter().filter(|next| next.stays).count(), 8);
}

#[test]
fn registers_show_what_they_hold() {
    let asked =
        MemoryRequest { run: "W T1 x cache_T1_x; cache_T2_x := cache_T1_x".to_owned(), ..request(library!("msi")) };
    let shown = view(&asked);
    assert_eq!(shown.trouble, None, "{:?}", shown.next);
    let [one, two] = &shown.registers[..] else { panic!("{:?}", shown.registers) };
    assert_eq!((one.content.as_deref(), two.content.as_deref()), (Some("T1.1 W(x,1)"), Some("T1.1 W(x,1)")));
    assert_eq!((one.colour, one.is_new, two.is_new), (Some(0), false, true));
    let first = view(&MemoryRequest { at: 0, ..asked.clone() });
    assert!(
        first
            .registers
            .iter()
            .all(|register| register.content.as_deref() == Some("[x=0]") && register.colour.is_none())
    );
    let nothing = view(&MemoryRequest { at: 0, holds_nothing: true, ..asked });
    assert!(nothing.registers.iter().all(|register| register.content.is_none()));
}

#[test]
fn the_machine_is_drawn_with_its_present_state() {
    use litmoscope_draw::Mark;
    let shown = view(&MemoryRequest { at: 0, ..request(library!("msi")) });
    let machine = shown.machine.expect("it is drawn");
    assert_eq!((machine.nodes.len(), shown.around.as_deref()), (4, None));
    let present: Vec<&str> =
        machine.nodes.iter().filter(|node| node.marks.contains(&Mark::Present)).map(|node| &node.label[..]).collect();
    assert_eq!(present, ["I I"]);
    // Nothing moves while steps are taken.
    let later = view(&MemoryRequest { run: "W T1 x cache_T1_x".to_owned(), ..request(library!("msi")) });
    let places = |drawing: &litmoscope_draw::Drawing| -> Vec<(u32, u32)> {
        drawing.nodes.iter().map(|node| (node.x.to_bits(), node.y.to_bits())).collect()
    };
    assert_eq!(places(&machine), places(&later.machine.expect("it is drawn")));
    // A large one is drawn around the present state.
    let settings = vec![("threads".to_owned(), 3)];
    let large = view(&MemoryRequest { settings, ..request(library!("broadcast")) });
    assert!(large.around.expect("not all is drawn").contains("160 states"));
    assert!(large.machine.expect("it is drawn").nodes.len() < 30);
    assert_eq!(large.parameters[0], ("threads".to_owned(), 3));
}

#[test]
fn what_cannot_be_taken_is_said_and_the_rest_is_kept() {
    let shown =
        view(&MemoryRequest { run: "W t x a; R f y b; R t x a; W t x c".to_owned(), ..request(library!("m2")) });
    assert_eq!((shown.all_steps, &shown.run[..]), (2, "W t x a; R f y b"));
    assert!(shown.trouble.expect("t reads x from c now").starts_with("Step 3"));
    let wrong = view(&MemoryRequest { run: "W t x b".to_owned(), ..request(library!("m2")) });
    assert!(
        wrong.trouble.expect("there is no such step").starts_with("Step 1, `W t x b`, can't be taken in state `q0`")
    );
}

#[test]
fn chance_takes_the_same_steps_each_time_and_replaces_what_came_behind() {
    let asked =
        MemoryRequest { run: "W t x a; R f x c".to_owned(), at: 1, random: Some((20, 7)), ..request(library!("m2")) };
    let shown = view(&MemoryRequest { at: 1, ..asked.clone() });
    assert_eq!(shown.all_steps, 21);
    assert!(shown.run.starts_with("W t x a; "));
    assert_eq!(view(&asked).run, shown.run);
    assert_ne!(view(&MemoryRequest { random: Some((20, 8)), ..asked }).run, shown.run);
    // It can be read again.
    let again = view(&MemoryRequest { run: shown.run.clone(), ..request(library!("m2")) });
    assert_eq!((again.run, again.trouble), (shown.run, None));
}

#[test]
fn a_step_says_where_it_leads_if_another_one_does_the_same() {
    let text = "machine M\nthreads t\nvariables x\nregisters a: x\nq -> p: W t x a\nq -> r: W t x a\nr -> q: R t x a";
    let shown = view(&MemoryRequest { run: "W t x a -> r; R t x a".to_owned(), ..request(text) });
    assert_eq!((shown.trouble, shown.all_steps), (None, 2));
    let steps: Vec<&str> = shown.next.iter().map(|next| &next.step[..]).collect();
    assert_eq!(steps, ["W t x a -> p", "W t x a -> r"]);
    let stuck = view(&MemoryRequest { run: "W t x a; R t x a".to_owned(), ..request(text) });
    assert!(stuck.trouble.expect("p leads nowhere").contains("what can is nothing"));
}

#[test]
fn the_chain_of_m2_goes_by_tuples_of_the_thesis() {
    let asked = MemoryRequest { saturation: Some(u32::MAX), holds_nothing: true, ..request(library!("m2")) };
    let shown = view(&asked);
    let saturation = shown.saturation.expect("it was asked for");
    assert_eq!(saturation.step, saturation.all_steps);
    let chain: Vec<(&str, &str)> = saturation.chain.iter().map(|row| (&row.text[..], &row.by[..])).collect();
    assert_eq!(
        chain,
        [("⟨E, q1, a, t, x⟩", "W t x c"), ("⟨F, q1, a, c, x⟩", "R f x c"), ("⟨F, q2, a, f, x⟩", "R f x a"),]
    );
    // Theirs is one longer, by way of y. Its tuples are there as well, each with the chain by which it was first found.
    let of = |text: &str| saturation.tuples.iter().find(|row| row.text == text).expect("it is found").number;
    let chain = |text| {
        let asked = MemoryRequest { saturation: Some(of(text)), ..asked.clone() };
        let rows = view(&asked).saturation.expect("it was asked for").chain;
        rows.into_iter().map(|row| format!("{} {}", row.text, row.by)).collect::<Vec<_>>()
    };
    assert_eq!(chain("⟨F, q1, a, b, x⟩"), ["⟨F, q1, a, b, x⟩ R f y b", "⟨F, q2, a, f, x⟩ R f x a"]);
    assert_eq!(chain("⟨F, q1, a, t, x⟩").last().map(|row| &row[..]), Some("⟨F, q2, a, f, x⟩ R f x a"));
    assert!(shown.caption.contains("this is the write w that the read returns"), "{}", shown.caption);
    assert_eq!(saturation.run.as_deref(), Some("W t x a; W t x c; R f x c; R f x a"));
    // Each step has its rule.
    for step in 1..saturation.all_steps {
        let shown = view(&MemoryRequest { saturation: Some(step), ..asked.clone() });
        assert!(shown.caption.contains("Tuple") || shown.caption.contains("A seed"), "{step}: {}", shown.caption);
    }
    let holds = view(&MemoryRequest { saturation: Some(u32::MAX), ..request(library!("msi")) });
    assert!(holds.caption.ends_with("every run satisfies WRA."), "{}", holds.caption);
}

#[test]
fn automata_have_their_tokens() {
    let text = "automata\nexpression a\nexpression a*";
    let open = |run: &str, as_printed| view(&MemoryRequest { run: run.to_owned(), as_printed, ..request(text) });
    let tokens = |view: &MemoryView| view.automata.iter().map(|automaton| automaton.token.clone()).collect::<Vec<_>>();
    assert_eq!(tokens(&open("", false)), ["Its token is not there yet."; 2]);
    let table = TableRequest { text: text.to_owned(), limit: 1_000_000, ..TableRequest::default() };
    let (_, news) = filled(&table);
    let run = news.iter().find_map(|new| match new {
        TableNews::Cell(0, 1, cell) => cell.run.clone(),
        _ => None,
    });
    // Whole, it has carried both tokens to the end by the word a.
    let end = open(&run.expect("the word a is accepted by both"), false);
    assert_eq!(tokens(&end), ["Its token is at the end: a word was accepted."; 2]);
    assert!(end.verdict.contains(&"It has read the word a.".to_owned()), "{:?}", end.verdict);
    // As printed, they are at the end at once.
    let (_, news) = filled(&TableRequest { as_printed: true, ..table });
    let run = news.iter().find_map(|new| match new {
        TableNews::Cell(0, 1, cell) => cell.run.clone(),
        _ => None,
    });
    let printed = open(&run.expect("it always violates"), true);
    assert!(tokens(&printed).iter().all(|token| token.contains("at the end")), "{:?}", tokens(&printed));
}

#[test]
fn a_table_says_what_is_known_of_each_size() {
    let text = library!("msi-forgetful").to_owned();
    let (rows, news) = filled(&TableRequest { text, holds_nothing: true, limit: 20_000, ..TableRequest::default() });
    let titles: Vec<&str> = rows.iter().map(|row| &row.title[..]).collect();
    assert_eq!(titles[0], "2 threads, 1 variable");
    let of = |title: &str| rows.iter().position(|row| row.title == title).expect("there is such a row") as u32;
    let cells = |row: u32| -> Vec<(&str, &str)> {
        let cells = news.iter().filter_map(|new| match new {
            TableNews::Cell(at, _, cell) if *at == row => Some((&cell.verdict[..], &cell.by[..])),
            _ => None,
        });
        cells.collect()
    };
    // Fine with two threads, wrong with three.
    assert!(cells(of("2 threads, 1 variable")).iter().all(|(verdict, _)| *verdict == "holds"));
    let three = of("3 threads, 1 variable");
    assert!(news.contains(&TableNews::Size(three, "17 states, 108 transitions".to_owned())), "{news:?}");
    assert_eq!(cells(three)[0], ("violated", "6 steps"));
    let run = news.iter().find_map(|new| match new {
        TableNews::Cell(at, 0, cell) if *at == three => cell.run.clone(),
        _ => None,
    });
    let settings = rows[three as usize].settings.clone();
    let run = run.expect("a run");
    let shown = view(&MemoryRequest { settings, holds_nothing: true, run, ..request(library!("msi-forgetful")) });
    assert_eq!((shown.violated.as_deref(), shown.at), (Some("WRA"), 6));
    // What is too large is refused with a reason, and a limit is unknown.
    let (rows, news) = filled(&TableRequest {
        text: "protocol P(threads = 2, variables = 1, slots = 70)\nregister r[i: 1..slots]: x\non write t x { W t x r[1] }\non read t x { R t x r[1] }".to_owned(),
        limit: 1,
        ..TableRequest::default()
    });
    assert!(!rows.is_empty());
    assert!(news.iter().any(|new| matches!(new, TableNews::Refused(_, why) if !why.is_empty())), "{news:?}");
}

#[test]
fn a_table_of_a_machine_has_one_row() {
    let text = library!("m2").to_owned();
    let (rows, news) = filled(&TableRequest { text, limit: 100_000, ..TableRequest::default() });
    assert_eq!(rows.iter().map(|row| &row.title[..]).collect::<Vec<_>>(), ["as it is"]);
    assert_eq!(news.len(), 4);
    let wrong = MemoryTable::new(&TableRequest { text: "protocol (".to_owned(), ..TableRequest::default() });
    assert!(!wrong.expect_err("it is none").is_empty());
}
