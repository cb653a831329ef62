//! The page in all its states, for pictures and for what has to hold in each of them.

use std::path::Path;

use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::session::{Session, Settings, link};

use crate::browser::Browser;
use crate::site::Site;

/// Something to be seen: where it is, and what is done there.
pub struct Scene {
    /// Its name, for files and messages.
    pub name: &'static str,
    fragment: String,
    script: &'static str,
    /// What is true when there is all to be seen.
    until: &'static str,
    /// Whether it is seen in the lecture mode then.
    lecture: bool,
}

/// Shows the comparison of models, and has it at its end.
const COMPARE: &str = "document.querySelector('#tab-models').click()";
const COMPARED: &str = "return document.querySelector('.compare').dataset.over === 'true'
    && !!document.querySelector('#compare-table')
    && (!!document.querySelector('#forbidden-graph .node') || !!document.querySelector('.absent'))";
/// Builds a cycle, and has the verdicts of all models.
const CYCLE: &str = "document.querySelector('#open-cycle').click();
    when('#cycle-text', field => {
        field.value = 'PodWW Rfe PodRR Fre';
        field.dispatchEvent(new Event('input'));
    })";
const PART_OF_CYCLE: &str = "document.querySelector('#open-cycle').click();
    when('#cycle-text', field => {
        field.value = 'PodWW Rfe PodRR';
        field.dispatchEvent(new Event('input'));
    })";
const JUDGED: &str = "return document.querySelector('#cycle-verdicts')?.dataset.done === 'true'";

/// Asks the graph with the keyboard: of an event, of an edge, of the way from one event to another.
const ASK_EVENT: &str = "for (const key of ']]]]') press(key)";
const EVENT_TOLD: &str = "return document.querySelector('#reading-text').textContent.includes('porf prefix')";
const ASK_EDGE: &str = "document.querySelector('#legend [data-relation=hb]')?.click();
    for (const key of '}}}}}}}}}') press(key)";
const EDGE_TOLD: &str = "return !!document.querySelector('#graph .edge.pointed')
    && !!document.querySelector('#reading-text h3')";
const ASK_PATH: &str = "for (const key of [']', 'Enter', '[', 'Enter']) press(key)";
const PATH_TOLD: &str = "return document.querySelector('#reading-text').textContent.includes('shortest path')";
/// Shows the ways to share.
const SHARING: &str = "press('S')";
/// Shows all relations.
const ALL_RELATIONS: &str =
    "for (const button of document.querySelectorAll('#legend [aria-pressed=false]')) button.click()";
/// Explores everything, and shows the first violation.
const RUN: &str = "document.querySelector('#run-all').click(); document.querySelector('#tab-results').click()";
const RUN_GOES_ON: &str = "return / of about .* a second/.test(document.querySelector('#run-status')?.textContent)";
const RUN_OVER: &str = "const button = document.querySelector('#run-violation');
    if (document.querySelector('#run-panel').dataset.going !== 'false' || !button) return false;
    if (button.ariaPressed === 'false') button.click();
    return !!document.querySelector('#elsewhere')";
/// Moves the graph as far to the left as the keyboard can.
const MOVE: &str = "const stage = document.querySelector('#stage');
    stage.focus();
    const key = () => new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true });
    for (let times = 0; times < 100; times++) stage.dispatchEvent(key())";
/// Draws the tree.
const DRAW_TREE: &str =
    "document.querySelector('#tab-tree').click(); document.querySelector('#tree-as-drawing').click()";
const TREE_DRAWN: &str = "return !!document.querySelector('#tree-svg .tree-node')";
/// Draws the tree in the middle of the page, looks for something, and previews a node.
const WIDE_TREE: &str = "document.querySelector('#tab-tree').click();
    document.querySelector('#tree-as-drawing').click();
    document.querySelector('#tree-wide').click();
    const field = document.querySelector('#tree-search');
    field.value = 'dropped';
    field.dispatchEvent(new Event('input'));
    setTimeout(() => document.querySelector('#tree-preview').click(), 600)";
const TREE_PREVIEWED: &str = "return !!document.querySelector('#preview img')?.naturalWidth
    && document.querySelector('#tree-found').textContent.includes('dropped')";
/// Explores an x86 test under a model that is not that of x86.
/// What can't be opened.
const NO_RUN: &str = "const data = new DataTransfer();
    data.items.add(new File(['no run'], 'run.json'));
    const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector('#stage').dispatchEvent(drop)";
const REFUSED: &str = "return !!document.querySelector('#run-trouble')";

/// A scene of the ready-made ones in the lecture mode, a question and its answer, and the dialog.
const LECTURE: &str = "document.querySelector('#lecture').click()";
const ASKED: &str = "return !!document.querySelector('#question-sentence')";
const REVEAL: &str = "document.querySelector('#say-allowed').click()";
const LECTURE_REVEAL: &str =
    "document.querySelector('#lecture').click(); document.querySelector('#question-on').click()";
const ANSWERED: &str = "return !!document.querySelector('#question-graph .node')";
const SCENES: &str = "document.querySelector('#question-on').click(); document.querySelector('#question-on').click();
    press('t')";
/// What finds commands.
const PALETTE: &str = "document.querySelector('#open-palette').click()";
const TYPED: &str = "document.querySelector('#open-palette').click();
    setTimeout(() => {
        const field = document.querySelector('#palette-input');
        field.value = 'sto';
        field.dispatchEvent(new Event('input', { bubbles: true }));
    }, 300)";
const NOTHING: &str = "document.querySelector('#open-palette').click();
    setTimeout(() => {
        const field = document.querySelector('#palette-input');
        field.value = 'xqzqx';
        field.dispatchEvent(new Event('input', { bubbles: true }));
    }, 300)";
/// Unfolds the algorithm's pseudo-code.
const UNFOLD: &str = "document.querySelector('#pseudo-code summary').click()";
const UNFOLDED: &str = "return document.querySelector('#pseudo-code').open";
/// The other views of an execution.
const TIME: &str = "document.querySelector('#view-time').click()";
const LECTURE_TIME: &str = "document.querySelector('#view-time').click(); document.querySelector('#lecture').click()";
const MANY_IN_TIME: &str = "document.querySelector('#next-execution').click();
    document.querySelector('#view-time').click()";
const TIMED: &str =
    "return !!document.querySelector('#time-table') || !!document.querySelector('.time-account.forbidden')";
const TABLE: &str = "document.querySelector('#view-table').click()";
const MANY_IN_TABLE: &str = "document.querySelector('#next-execution').click();
    document.querySelector('#view-table').click()";
const TABLED: &str = "return !!document.querySelector('#event-table tbody tr')";
const TEXT: &str = "document.querySelector('#view-text').click()";
const WRITTEN: &str = "return document.querySelector('#text-content').value.length > 0";
const COPY: &str = "document.querySelector('#copy-as').click()";
const COPIES: &str = "return !document.querySelector('#copying [aria-disabled=true]')";
/// Asks why the condition's outcome is not allowed.
const ASK_WHY: &str = "document.querySelector('#ask-condition').click()";
const WHY: &str = "return document.querySelector('.why-not').dataset.over === 'true'
    && !!document.querySelector('#why-graph .node')";
/// Each coherence order has a cycle of its own.
const ORDERS: &str = "x := 1 || x := 2 || a := x; b := x || c := x; d := x
exists (P2:a = 1 /\\ P2:b = 2 /\\ P3:c = 2 /\\ P3:d = 1)";
const ASK_NONSENSE: &str = "document.querySelector('#ask-condition').click();
    // After the condition was put there.
    when('#why-question', () => setTimeout(() => {
        const field = document.querySelector('#why-question');
        field.value = 'a=0, k=1';
        field.dispatchEvent(new Event('input'));
    }, 100))";
const NOT_UNDERSTOOD: &str = "return document.querySelector('#why-status').textContent.includes('there is no')";
/// In a lecture, other views are opened when it has begun.
const LECTURE_COMPARE: &str = "press('l'); setTimeout(() => press('m'), 200)";
const LECTURE_WHY: &str = "press('l'); setTimeout(() => document.querySelector('#ask-condition').click(), 200)";
/// Asks whether an execution is consistent; and lays its closure or its search open.
const CLOSURE: &str = "setTimeout(() => press('End'), 1500)";
const CLOSED: &str =
    "const [step, steps] = (document.querySelector('#check-place')?.textContent.match(/[0-9]+/g) ?? [0, 1]);
    return step === steps && !!document.querySelector('#check-graph .node')";
const APART: &str = "const end = setInterval(() => {
        const apart = document.querySelector('#check-apart');
        if (apart) { clearInterval(end); apart.click(); setTimeout(() => press('End'), 500) }
    }, 100)";
const SEARCHED: &str = "when('#check-search', button => button.click())";
const LAID_OPEN: &str = "return !!document.querySelector('#check-board')";
const CHECKED: &str = "press('h')";
const CHECKED_OVER: &str = "return !!document.querySelector('#check-graph .node')";
/// Asks whether messages can be taken in some order, and lays what is found open.
const DERIVED: &str = "setTimeout(() => press('ArrowRight'), 1500)";
const DERIVED_OVER: &str = "return document.querySelector('#trace-place')?.textContent.startsWith('step 1 ')
    && !!document.querySelector('#trace-graph .edge.new')";
const CONTRADICTED: &str = "setTimeout(() => press('End'), 1500);
    when('#trace-graph .in-cycle', () => document.querySelector('#trace-found').click())";
const CONTRADICTED_OVER: &str = "return !!document.querySelector('#trace-cycle')";
const RUN_OF_TRACE: &str = "when('#trace-with-multisets', button => button.click());
    setTimeout(() => press('End'), 2500);
    when('#trace-list .in-order.now', () => document.querySelector('#trace-found').click())";
const RUN_OF_TRACE_OVER: &str = "return !!document.querySelector('#trace-run li')";
const REASONED: &str = "when('#trace-orders', button => button.click())";
const REASONED_OVER: &str = "return !!document.querySelector('#trace-reasons li')";
const NO_TRACE: &str = "press('H')";
const NO_TRACE_OVER: &str = "return !!document.querySelector('#trace-formula')";
/// Asks whether each operation of a history can take effect at once.
const TOLD: &str = "";
const TOLD_OVER: &str = "return document.querySelector('.history')?.dataset.over === 'true'
    && !!document.querySelector('#history-facts li')";
const PUT: &str = "when('#history-middle', button => button.click())";
const SOLVED: &str = "when('#history-solve', button => button.click())";
const PUT_OVER: &str = "return !!document.querySelector('#history-timeline .history-dot') && !!document.querySelector('#history-turns li')";
const STEPPED: &str = "when('#history-timeline .history-bar', () => setTimeout(() => {
        for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) press(key);
    }, 500))";
const STEPPED_OVER: &str = "return document.querySelector('#history-step-place')?.textContent.startsWith('step 3 ')";
const STEPPED_TO_END: &str = "when('#history-timeline .history-bar', () => setTimeout(() => press('End'), 500))";
const STEPPED_TO_END_OVER: &str =
    "const place = document.querySelector('#history-step-place')?.textContent.match(/step (.+) of (.+)/);
    return place && place[1] === place[2] && place[1] !== '0'";
const EXECUTION_OVER: &str = "return document.querySelector('.history')?.dataset.over === 'true'
    && !!document.querySelector('#history-graph .node')";
const EXECUTION_WHY: &str =
    "press('L'); when('#history-graph .node', () => document.querySelector('#history-why-tab').click())";
const EXECUTION_WHY_OVER: &str = "return document.querySelector('#history-order-facts li')?.checkVisibility()";
const LESSON_OVER: &str = "return !!document.querySelector('#history-timeline .history-bar')
    && !!document.querySelector('#scene-words')?.textContent";
const NO_HISTORY: &str = "press('L')";
const NO_HISTORY_OVER: &str = "return !!document.querySelector('#history-open')";
/// A run of a memory implementation; all runs; the saturation; automata.
const MEMORY_LOOKED: &str = "when('#memory-machine .node', () => {})";
const MEMORY_TAKEN: &str = "const take = text => {
        const found = [...document.querySelectorAll('.memory-next')].find(one => one.textContent.includes(' ' + text));
        if (found) found.click();
        return !!found;
    };
    const steps = ['W T1', 'cache_T2_x :=', 'R T2', 'W T2'];
    const next = () => { if (steps.length && take(steps[0])) steps.shift(); if (steps.length) setTimeout(next, 150); };
    when('.memory-next', next)";
const MEMORY_TAKEN_OVER: &str = "return document.querySelector('#memory-place')?.textContent === 'step 4 of 4'";
const MEMORY_CHANCE: &str = "when('#memory-chance', button => button.click())";
const MEMORY_CHANCE_OVER: &str = "return document.querySelector('#memory-place')?.textContent === 'step 10 of 10'";
const MEMORY_TABLE: &str = "when('#memory-registers li', () => document.querySelector('#memory-all').click())";
const MEMORY_TABLE_OVER: &str = "return document.querySelector('#memory-table')?.getAttribute('aria-busy') === 'false'
    && !!document.querySelector('#memory-table .memory-cell button')";
const MEMORY_PROGRAM: &str = "when('#memory-registers li', () => {
        document.querySelector('#memory-program').click();
        when('#memory-outcomes small', asked => {
            asked.closest('button').click();
            // On a telephone it lies below the drawings.
            document.querySelector('#memory-program-text').scrollIntoView();
        });
    })";
const MEMORY_PROGRAM_OVER: &str =
    "return document.querySelector('#memory-program-found')?.getAttribute('aria-busy') === 'false'
    && !!document.querySelector('#memory-program-steps')";
const MEMORY_SATURATED: &str = "when('#memory-registers li', () => {
        document.querySelector('#memory-saturation').click();
        when('#memory-tuples li', () => setTimeout(() => press('End'), 300));
    })";
const MEMORY_SATURATED_OVER: &str =
    "return document.querySelector('#memory-caption')?.textContent.includes('violates WRA')";
const MEMORY_LESSON_OVER: &str = "return !!document.querySelector('#memory-graph .node')
    && !!document.querySelector('#scene-words')?.textContent";
const NO_MEMORY: &str = "press('M')";
const NO_MEMORY_OVER: &str = "return !!document.querySelector('#memory-status')";
/// Schedules of a program that are proven right: at the end, at the first result, where it goes wrong, a refinement.
const SCHEDULES: &str = "press('V')";
const SCHEDULED: &str = "return document.querySelector('.schedule')?.dataset.over === 'true'
    && document.querySelectorAll('#schedule-shares li').length === 3";
const SCHEDULE_FIRST: &str =
    "press('V'); when('#schedule-shares li', () => document.querySelector('.schedule-stop').click())";
const SCHEDULE_FIRST_OVER: &str = "return !!document.querySelector('.schedule-stop[aria-current]')
    && document.querySelectorAll('#schedule-tree .node').length > 20";
const SCHEDULE_WRONG: &str = "press('V'); when('#schedule-shares li', () => {
        document.querySelector('.schedule-stop.wrong').click();
        document.querySelector('#schedule-node-tab').click();
    })";
const SCHEDULE_WRONG_OVER: &str = "return !!document.querySelector('#schedule-wrong-run')";
const SCHEDULE_REFINED: &str = "press('V'); when('#schedule-shares li', () => {
        document.querySelector('.schedule-stop').click();
        document.querySelector('#schedule-refinement-tab').click();
        const back = () => {
            if (document.querySelector('#schedule-refinement')) return;
            press('ArrowLeft');
            setTimeout(back, 120);
        };
        setTimeout(back, 300);
    })";
const SCHEDULE_REFINED_OVER: &str = "return !!document.querySelector('#schedule-refinement tbody tr')";
const SCHEDULE_RUN: &str = "press('V'); when('#schedule-shares li', () => {
        document.querySelector('#schedule-run-tab').click();
        when('#schedule-run-kept .schedule-rounds tr', () => {
            const step = left => {
                if (left === 0) return;
                document.querySelector('#schedule-run-step').click();
                setTimeout(step, 60, left - 1);
            };
            step(14);
        });
    })";
const SCHEDULE_RAN: &str = "return document.querySelector('.schedule-run .step-place')?.textContent === 'step 14'";
const SCHEDULE_HAND: &str = "press('V'); when('#schedule-shares li', () => {
        document.querySelector('#schedule-run-tab').click();
        when('#schedule-run-kept .schedule-rounds tr', () => document.querySelector('#schedule-run-hand').click());
    })";
const SCHEDULE_HANDED: &str = "return !!document.querySelector('#schedule-run-next .schedule-reason')";
const SCHEDULE_DOTS: &str = "press('V'); when('#schedule-shares li', () => {
        document.querySelector('#schedule-finite-tab').click();
        when('#schedule-dots .schedule-dot', () => document.querySelector('#schedule-dots .schedule-dot').click());
    })";
const SCHEDULE_DOTTED: &str = "return document.querySelectorAll('#schedule-dots [aria-pressed=true]').length === 1";
/// Fairness: at its end, in a lock-step search, an attractor, two side by side, a question, growth, dice, a diagram.
const FAIR_END: &str = "when('#fairness-first .fair-spot', () => {
        document.querySelector('#fairness-check').click();
        document.querySelector('#fairness-check').blur();
        setTimeout(() => press('End'), 1500);
    })";
const FAIR_ENDED: &str = "return !!document.querySelector('#fairness-first .fair-spot:is(.good, .removed)')
    && !!document.querySelector('#fairness-invariants')
    && document.querySelector('.inquiry.fairness')?.dataset.over === 'true'";
const FAIR_TWO: &str = "when('#fairness-first .fair-spot', () => {
        const limit = document.querySelector('#fairness-limit');
        limit.value = '4';
        limit.dispatchEvent(new Event('change', { bubbles: true }));
        document.querySelector('#fairness-beside').click();
        when('#fairness-second .fair-spot', () => {
            const on = () => {
                if (document.querySelector('#fairness-first .fair-ring')) return;
                press('ArrowRight');
                setTimeout(on, 150);
            };
            on();
        });
    })";
const FAIR_RINGS: &str = "return !!document.querySelector('#fairness-first .fair-ring')
    && !!document.querySelector('#fairness-second .fair-spot')";
const FAIR_STEPS: &str = "when('#fairness-first .fair-spot', () => {
        document.querySelector('#fairness-steps-tab').click();
        for (const _ of [1, 2, 3]) press('ArrowRight');
    })";
const FAIR_STEPPED: &str = "return !!document.querySelector('#fairness-steps .now')
    && document.querySelector('#fairness-place')?.textContent.startsWith('step 3 ')";
const FAIR_GROWTH: &str =
    "when('#fairness-first .fair-spot', () => document.querySelector('#fairness-growth-tab').click())";
const FAIR_GROWN: &str = "return document.querySelector('#fairness-grown')?.textContent.includes('just now')";
const FAIR_SCATTER: &str = "when('#fairness-first .fair-spot', () => {
        document.querySelector('#fairness-growth-tab').click();
        when('#fairness-family', family => {
            family.value = [...family.options].find(option => option.textContent === 'random graphs').value;
            family.dispatchEvent(new Event('change', { bubbles: true }));
        });
    })";
const FAIR_SCATTERED: &str = "return document.querySelectorAll('#fairness-chart circle').length === 80";
const FAIR_DICE: &str = "when('#fairness-first .fair-spot', () => {
        document.querySelector('#fairness-chance-tab').click();
        when('#fairness-roll-1000', button => button.click());
    })";
const FAIR_DICED: &str = "return document.querySelector('#fairness-played')?.textContent.includes('1,001 moves')";
const FAIR_DIAGRAM: &str = "when('#fairness-first .fair-spot', () => {
        document.querySelector('#fairness-diagram-tab').click();
        for (const _ of [1, 2, 3]) press('ArrowRight');
    })";
const FAIR_DIAGRAMMED: &str = "return document.querySelectorAll('#fairness-diagram .node').length > 2";
const FAIR_QUESTION: &str = "press('G'); when('#fairness-ready button', button => {
        button.click();
        when('#fairness-run tbody tr', () => { press('ArrowRight'); press('ArrowRight'); });
    })";
const FAIR_ANSWERED: &str = "return !!document.querySelector('#fairness-run [aria-current]')";
/// Repair: the first one, the program with it, a reader's try.
const REPAIR_FIRST: &str = "press('W'); when('#repair-found li', () => press('ArrowRight'))";
const REPAIR_RULED: &str = "return document.querySelector('#repair-caption')?.textContent.startsWith('Ruled out')
    && document.querySelector('.inquiry.repair').dataset.over === 'true'";
const REPAIR_PROGRAM: &str = "press('W'); when('#repair-found li', () => {
        press('ArrowRight');
        document.querySelector('#repair-program-tab').click();
    })";
const REPAIR_LISTED: &str = "return !!document.querySelector('#repair-lines .put')
    && document.querySelector('.inquiry.repair').dataset.over === 'true'";
const REPAIR_OWN: &str = "press('W'); when('#repair-found li', () => {
        document.querySelector('#repair-own-tab').click();
        when('.repair-gap', gap => gap.click());
    })";
const REPAIR_TRIED: &str = "return document.querySelector('#repair-tried')?.textContent.includes('gets through')";
/// Explores twice, both to their ends.
const BESIDE: &str = "document.querySelector('#open-beside').click()";
const TWO: &str = "const run = document.querySelector('#both-run');
    if (!document.querySelector('#race')) return false;
    if (!run.dataset.pressed) { run.dataset.pressed = 'true'; run.click(); return false; }
    return document.querySelector('.beside-body').dataset.busy === 'false'
        && document.querySelector('#race-words').textContent.includes('Both')";
/// Races a series, and shows what was found as tables or plots.
const RACE: &str = "when('#race-go', button => button.click())";
const RACED: &str = "return document.querySelector('#race-status').textContent === 'everything was explored'
    && !!document.querySelector('.race-table')";
const RACE_PLOTS: &str =
    "when('#race-go', button => { button.click(); document.querySelector('#race-plots').click(); })";
const PLOTTED: &str = "return document.querySelector('#race-status').textContent === 'everything was explored'
    && document.querySelectorAll('.plot').length === 5";
/// Shows the classes of a program's executions, and two executions.
const CLASSES: &str = "press('R'); when('#race-classes', button => button.click())";
const CLASSED: &str = "return document.querySelector('.racing').dataset.over === 'true'
    && !!document.querySelector('#same-second-graph .node')";
const OTHER_TWO: &str = "press('R'); when('#race-classes', button => button.click());
    when('#same-second-graph .node', () => {
        for (const id of ['by-reads_value_from', 'dot-0', 'dot-2']) document.getElementById(id).click();
    })";
const OTHER_CLASSED: &str = "return document.querySelector('#same-second').value === '2'
    && !!document.querySelector('#classes-table [data-same=false]')
    && !!document.querySelector('#same-second-graph .node')";
/// Gives the table of tests some files: one is as expected, one is not, one is wrong, one takes too long, one can't be read.
const TESTS: &str = r"press('F'); when('#tests-files', input => {
        const sb = name => `X86 ${name}\n{ }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n`
            + ' MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n';
        const printed = (name, word, more) => `Test ${name} Allowed\nStates ${more ? 4 : 3}\n${more}`
            + `0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n0:EAX=1; 1:EAX=1;\nObservation ${name} ${word} 0 3\n`;
        const files = {
            'SB.litmus': sb('SB'),
            'SB.expected': printed('SB', 'Never', ''),
            'SB+loose.litmus': sb('SB+loose'),
            'SB+loose.litmus.expected': printed('SB+loose', 'Sometimes', '0:EAX=0; 1:EAX=0;\n'),
            'counters.lit': `${Array(12).fill('fai(x)').join(' || ')}\nforall (x = 12)\n`,
            'lost-update.lit': 'a := x; x := a + 1 || b := x; x := b + 1\nforall (x = 2)\n',
            'no-such-instruction.litmus': 'X86 no-such-instruction\n{ }\n P0         ;\n FOO [x],$1 ;\n',
            'mp.lit': 'x := 1; y := 1 || a := y; b := x\n~exists (P1:a = 1 /\\ P1:b = 0)\n',
        };
        const data = new DataTransfer();
        for (const [name, text] of Object.entries(files)) data.items.add(new File([text], name));
        const limit = document.querySelector('#tests-limit');
        limit.value = '2';
        limit.dispatchEvent(new Event('change', { bubbles: true }));
        input.files = data.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
    })";
const TESTED: &str = "return document.querySelector('#tests-status')?.textContent.startsWith('6 tests in ')
    && document.querySelectorAll('#tests-table .tests-open').length === 6";
const TEST_OPEN: &str =
    "if (!document.querySelector('#tests-status')?.textContent.startsWith('6 tests in ')) return false;
    if (!document.querySelector('#tests-detail')) document.querySelector('#tests-table .differs .tests-open').click();
    return !!document.querySelector('#tests-reasons pre')";
const NO_TESTS: &str = "press('F')";
const NO_TESTS_OVER: &str = "return !!document.querySelector('#tests-hint')";
const SERIES: &str = "series rows\nsizes 1..5\n$each i in 1..n joined \" || \" { x := 1; a$i := x }";
const FIGURE_4_1: &str = "x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y";
const TWO_CAUSES: &str = "a := x; y := 1 || y := 1 || b := y || x := 1";

/// Everything that the page can show, in one example at least.
///
/// # Panics
///
/// If the gallery lacks a program.
pub fn scenes() -> Vec<Scene> {
    let groups = [
        steps(),
        dialogs(),
        texts_and_runs(),
        labs(),
        views(),
        lectures(),
        executions(),
        handlers(),
        traces(),
        histories(),
        memories(),
        safe_schedules(),
        fairness(),
        repairs(),
    ];
    groups.into_iter().flatten().chain([schedules()]).collect()
}

/// The steps of an exploration, and its tree.
fn steps() -> Vec<Scene> {
    vec![
        start(),
        example("step", "sb.lit", Model::SC, 8, to(7)),
        example("revisit", "w-rw-w.lit", Model::SC, 8, to(9)),
        example("", "w-rw-w.lit", Model::SC, 8, to(9)).then("pseudo-code", UNFOLD).until(UNFOLDED),
        example("", "4w1r.lit", Model::SC, 8, to(0)).with_co(30).then("pseudo-code-co", UNFOLD).until(UNFOLDED),
        not_maximal().then("pseudo-code-trust", UNFOLD).until(UNFOLDED),
        example("random-runs", "iriw.lit", Model::RA, 8, to(0)).by(Algorithm::Sample, u64::MAX),
        example("dropped", "mp.lit", Model::SC, 8, dropped),
        example("race", "race.lit", Model::RC11, 8, violation),
        example("co", "4w1r.lit", Model::SC, 8, to(0)).with_co(u64::MAX),
        example("deadlock", "abba.lit", Model::SC, 8, violation),
        example("", "4w1r.lit", Model::SC, 8, to(0))
            .with_co(30)
            .then("switches", "document.querySelector('#tab-program').click()"),
        example("", "4w1r.lit", Model::SC, 8, to(0))
            .with_co(u64::MAX)
            .then("contrast", "document.querySelector('#tab-results').click()"),
        example("waiting", "spin.lit", Model::SC, 8, whole),
        example("bounded", "loop.lit", Model::RC11, 3, whole),
        example("tall", "../tests/programs/four-by-twelve.lit", Model::SC, 8, execution),
        example("crowded", "iriw.lit", Model::RA, 8, whole),
        example("", "iriw.lit", Model::RA, 8, execution).then("moved", MOVE),
        example("", "peterson.lit", Model::TSO, 8, whole)
            .then("outcomes", "document.querySelector('#tab-results').click()"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("tree", "document.querySelector('#tab-tree').click()"),
        example("", "w-rw-w.lit", Model::SC, 8, whole).then("tree-drawn", DRAW_TREE).until(TREE_DRAWN),
        example("", "4w1r.lit", Model::SC, 8, whole).then("tree-wide", WIDE_TREE).until(TREE_PREVIEWED),
    ]
}

/// What opens over or beside the graph: dialogs, menus, scenes and questions.
fn dialogs() -> Vec<Scene> {
    vec![
        start()
            .then("gallery", "document.querySelector('#open-gallery').click()")
            .until("return !!document.querySelector('#gallery .card')"),
        start().then("help", "document.querySelector('#open-help').click()"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("recent", "document.querySelector('#open-recent').click()"),
        start().then("settings", "document.querySelector('#open-preferences').click()"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("sharing", SHARING),
        example("", "sb.lit", Model::SC, 8, to(9)).then("lecture", "document.querySelector('#lecture').click()"),
        tour(5).then("lecture-scene", LECTURE).until("return !!document.querySelector('#graph .edge.thick')"),
        tour(2).then("question", "").until(ASKED),
        tour(2).then("answer", REVEAL).until(ANSWERED),
        tour(4).then("lecture-answer", LECTURE_REVEAL).until(ANSWERED),
        start()
            .then("lessons", "document.querySelector('#open-lessons').click()")
            .until("return !!document.querySelector('#lessons .card')"),
        tour(2).then("scenes", SCENES).until("return !!document.querySelector('#scenes .scene')"),
        start().then("no-scenes", "press('t')"),
        start().then("labs-menu", "document.querySelector('#labs').click()"),
        start().then("open-menu", "document.querySelector('#open').click()"),
        start().then("show-menu", "document.querySelector('#show').click()"),
        start().then("more", "const more = document.querySelector('#more'); if (more.checkVisibility()) more.click()"),
        start().then("palette", PALETTE).until("return !!document.querySelector('.palette-row')"),
        start().then("palette-typed", TYPED).until("return !!document.querySelector('.palette-row mark')"),
        start().then("palette-nothing", NOTHING).until("return !!document.querySelector('.palette-none')"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("folded", "press('('); press(')')"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("said", "press('d'); press('D')"),
        example("", "sb.lit", Model::TSO, 8, to(12)).then("", "press('d'); press('D')").in_lecture("lecture-said"),
        start()
            .then("", TYPED)
            .until("return !!document.querySelector('.palette-row mark')")
            .in_lecture("lecture-palette"),
        start().then("quiz", "document.querySelector('#open-quiz').click()").until(ASKED),
    ]
}

/// Texts that are written anew or can't be explored, and whole runs.
fn texts_and_runs() -> Vec<Scene> {
    vec![
        of_text("error", "x := 1 || a := x\nb := ) || c := x", Algorithm::default())
            .then("error", "document.querySelector('#tab-program').click()"),
        start().then("empty", "document.querySelector('#new').click()"),
        example("", "sb-x86.litmus", Model::TSO, 8, to(4))
            .then("program", "document.querySelector('#tab-program').click()"),
        not_maximal(),
        of_text("", &writers(), Algorithm::TrustCo).then("run", RUN).until(RUN_GOES_ON),
        of_text("", "x := 1 || x := 2; a := x || b := x; c := x; assert b != 2", Algorithm::Genmc)
            .then("run-over", RUN)
            .until(RUN_OVER),
        start().then("no-run", NO_RUN).until(REFUSED),
    ]
}

/// Models compared, graphs asked, and what the other labs show.
fn labs() -> Vec<Scene> {
    vec![
        compared("compare", "sb.lit"),
        compared("compare-crowded", "iriw.lit"),
        compared("compare-absent", "lb.lit"),
        example("", "mp.lit", Model::RC11, 8, execution).then("event", ASK_EVENT).until(EVENT_TOLD),
        example("", "mp.lit", Model::RA, 8, execution).then("edge", ASK_EDGE).until(EDGE_TOLD),
        example("", "iriw.lit", Model::RA, 8, execution).then("path", ASK_PATH).until(PATH_TOLD),
        example("", "sb.lit", Model::TSO, 8, to(12)).embedded("embed-stepper", "stepper"),
        example("", "iriw.lit", Model::RA, 8, execution).embedded("embed-graph", "graph"),
        example("", "sb.lit", Model::SC, 8, whole).then("why", ASK_WHY).until(WHY),
        example("", "sb.lit", Model::TSO, 8, whole).then("why-allowed", ASK_WHY).until(WHY),
        of_text("", ORDERS, Algorithm::Genmc).then("why-orders", ASK_WHY).until(WHY),
        example("", "sb.lit", Model::SC, 8, whole).then("why-wrong", ASK_NONSENSE).until(NOT_UNDERSTOOD),
        example("", "4w1r.lit", Model::SC, 8, to(12)).then("beside", BESIDE).until(TWO),
        of_text("", SERIES, Algorithm::default()).then("race-tables", RACE).until(RACED),
        of_text("", SERIES, Algorithm::default()).then("race-plots", RACE_PLOTS).until(PLOTTED),
        of_text("", FIGURE_4_1, Algorithm::default()).then("race-classes", CLASSES).until(CLASSED),
        of_text("", TWO_CAUSES, Algorithm::default()).then("race-same", OTHER_TWO).until(OTHER_CLASSED),
        start().then("tests", TESTS).until(TESTED),
        start().then("tests-none", NO_TESTS).until(NO_TESTS_OVER),
        start().then("tests-open", TESTS).until(TEST_OPEN),
        start().then("cycle", CYCLE).until(JUDGED),
        start().then("cycle-part", PART_OF_CYCLE).until("return !!document.querySelector('#cycle-text')"),
    ]
}

/// Executions as runs, tables and texts, and in other notations.
fn views() -> Vec<Scene> {
    vec![
        example("", "sb.lit", Model::TSO, 8, violation).then("time-tso", TIME).until(TIMED),
        example("", "mp.lit", Model::PSO, 8, violation).then("time-pso", TIME).until(TIMED),
        example("", "mp.lit", Model::RA, 8, execution).then("time-ra", TIME).until(TIMED),
        example("", "mp.lit", Model::SC, 8, dropped).then("time-none", TIME).until(TIMED),
        example("", "lock-counter.lit", Model::TSO, 8, execution).then("time-lock", TIME).until(TIMED),
        of_text("", &many_steps(), Algorithm::Genmc).then("time-many", MANY_IN_TIME).until(TIMED),
        example("", "sb.lit", Model::TSO, 8, violation).then("lecture-time", LECTURE_TIME).until(TIMED),
        example("", "sb.lit", Model::TSO, 8, violation).then("table", TABLE).until(TABLED),
        of_text("", &many_steps(), Algorithm::Genmc).then("table-many", MANY_IN_TABLE).until(TABLED),
        example("", "sb.lit", Model::TSO, 8, violation).then("text", TEXT).until(WRITTEN),
        example("", "sb.lit", Model::TSO, 8, violation).then("copy", COPY).until(COPIES),
        example("c11", "mp-c11.litmus", Model::RC11, 8, execution),
        example("x86", "n6.litmus", Model::TSO, 8, execution),
        example("", "iriw.lit", Model::RA, 8, execution).then("relations", ALL_RELATIONS),
        example("", "mp-rel-acq.lit", Model::RC11, 8, execution).then("relations-few", ALL_RELATIONS),
    ]
}

/// The same in the lecture mode.
fn lectures() -> Vec<Scene> {
    vec![
        start().in_lecture("lecture-start"),
        example("", "mp-c11.litmus", Model::RC11, 8, execution).in_lecture("lecture-c11"),
        example("", "iriw.lit", Model::RA, 8, execution).in_lecture("lecture-four"),
        example("", "iriw.lit", Model::RA, 8, execution).then("", ALL_RELATIONS).in_lecture("lecture-relations"),
        example("", "race.lit", Model::RC11, 8, violation).in_lecture("lecture-race"),
        example("", "w-rw-w.lit", Model::SC, 8, to(9))
            .then("", UNFOLD)
            .until(UNFOLDED)
            .in_lecture("lecture-pseudo-code"),
        example("", "mcs.lit", Model::SC, 8, execution).in_lecture("lecture-long"),
        example("", "mp.lit", Model::RC11, 8, execution)
            .then("", ASK_EVENT)
            .until(EVENT_TOLD)
            .in_lecture("lecture-event"),
        example("", "w-rw-w.lit", Model::SC, 8, whole).then("", DRAW_TREE).until(TREE_DRAWN).in_lecture("lecture-tree"),
        example("", "4w1r.lit", Model::SC, 8, whole)
            .then("", WIDE_TREE)
            .until(TREE_PREVIEWED)
            .in_lecture("lecture-tree-wide"),
        example("", "sb.lit", Model::TSO, 8, violation).then("", TABLE).until(TABLED).in_lecture("lecture-table"),
        example("", "sb.lit", Model::TSO, 8, violation).then("", TEXT).until(WRITTEN).in_lecture("lecture-text"),
        example("", "mp.lit", Model::RA, 8, execution).then("", TIME).until(TIMED).in_lecture("lecture-time-ra"),
        of_text("", &many_steps(), Algorithm::Genmc)
            .then("", MANY_IN_TIME)
            .until(TIMED)
            .in_lecture("lecture-time-many"),
        example("", "sb.lit", Model::SC, 8, |_| {}).then("lecture-compare", LECTURE_COMPARE).until(COMPARED),
        example("", "iriw.lit", Model::SC, 8, |_| {}).then("lecture-compare-crowded", LECTURE_COMPARE).until(COMPARED),
        example("", "sb.lit", Model::SC, 8, whole).then("lecture-why", LECTURE_WHY).until(WHY),
        example("", "sb.lit", Model::TSO, 8, whole).then("lecture-why-allowed", LECTURE_WHY).until(WHY),
        start().then("", "document.querySelector('#open-quiz').click()").until(ASKED).in_lecture("lecture-quiz"),
        tour(2).then("", "").until(ASKED).in_lecture("lecture-question"),
        example("", "4w1r.lit", Model::SC, 8, to(12)).then("", BESIDE).until(TWO).in_lecture("lecture-beside"),
    ]
}

/// Whether one execution is consistent.
fn executions() -> Vec<Scene> {
    vec![
        checked("check-closure", "annotated.exec", Model::SC, CLOSURE, CLOSED),
        checked("check-no-source", "mp.exec", Model::TSO, CLOSURE, CLOSED),
        checked("check-apart", "fence-map.exec", Model::PSO, APART, CLOSED),
        checked("check-search", "search-only.exec", Model::TSO, SEARCHED, LAID_OPEN),
        checked("check-axioms", "mp.exec", Model::RA, "", CHECKED_OVER),
        example("", "iriw.lit", Model::SC, 8, execution).then("check-graph", CHECKED).until(CHECKED_OVER),
        checked("", "search-only.exec", Model::SC, CLOSURE, CLOSED).in_lecture("lecture-check"),
    ]
}

/// Programs with handlers, explored.
fn handlers() -> Vec<Scene> {
    vec![handled("handlers-race", "type-ahead.lit", whole), handled("handlers-stuck", "stuck.lit", violation)]
}

/// Whether messages can be taken in some order.
fn traces() -> Vec<Scene> {
    vec![
        traced("trace-step", "type-ahead.trace", DERIVED, DERIVED_OVER),
        traced("trace-contradiction", "e1.trace", CONTRADICTED, CONTRADICTED_OVER),
        traced("trace-run", "e1.trace", RUN_OF_TRACE, RUN_OF_TRACE_OVER),
        traced("trace-guess", "two-posters.trace", REASONED, REASONED_OVER),
        traced("trace-formula", "no-formula.trace", CONTRADICTED, CONTRADICTED_OVER),
        example("", "sb.lit", Model::SC, 8, whole).then("trace-none", NO_TRACE).until(NO_TRACE_OVER),
        traced("", "e1.trace", CONTRADICTED, CONTRADICTED_OVER).in_lecture("lecture-trace"),
    ]
}

/// Whether each operation of a history can take effect at once.
fn histories() -> Vec<Scene> {
    vec![
        recorded("history-reasons", "s2.history", TOLD, TOLD_OVER),
        recorded("history-points", "points.history", PUT, PUT_OVER),
        recorded("history-solved", "s10.history", SOLVED, PUT_OVER),
        recorded("history-step", "s1.history", STEPPED, STEPPED_OVER),
        recorded("history-recursion", "s10.history", STEPPED_TO_END, STEPPED_TO_END_OVER),
        recorded("history-tree", "q8.history", STEPPED_TO_END, STEPPED_TO_END_OVER),
        recorded("history-set", "counters.history", STEPPED_TO_END, STEPPED_TO_END_OVER),
        recorded("history-printed", "counters.history", TOLD, TOLD_OVER),
        recorded("history-pending", "pending.history", PUT, PUT_OVER),
        recorded("history-register", "register.edn", TOLD, TOLD_OVER),
        example("", "sb.lit", Model::SC, 8, whole).then("history-none", NO_HISTORY).until(NO_HISTORY_OVER),
        recorded("", "s2.history", TOLD, TOLD_OVER).in_lecture("lecture-history"),
        object("history-execution", "treiber-plain-pop.lit", Model::SC, NO_HISTORY, EXECUTION_OVER),
        object("history-execution-why", "treiber-aba.lit", Model::SC, EXECUTION_WHY, EXECUTION_WHY_OVER),
        object("history-execution-allowed", "herlihy-wing.lit", Model::SC, NO_HISTORY, EXECUTION_OVER),
        object("history-execution-no-clock", "treiber.lit", Model::RC11, NO_HISTORY, EXECUTION_OVER),
        Scene::new("", "#tour=linearizability:3".to_owned()).then("lesson-history", TOLD).until(LESSON_OVER),
    ]
}

/// Memory implementations.
fn memories() -> Vec<Scene> {
    vec![
        remembered("memory-run", "msi.protocol", MEMORY_TAKEN, MEMORY_TAKEN_OVER),
        remembered("memory-large", "broadcast-causal.protocol", MEMORY_CHANCE, MEMORY_CHANCE_OVER),
        remembered("memory-table", "sequencer-hasty.protocol", MEMORY_TABLE, MEMORY_TABLE_OVER),
        remembered("memory-program", "tso.protocol", MEMORY_PROGRAM, MEMORY_PROGRAM_OVER),
        remembered("memory-saturation", "m2.protocol", MEMORY_SATURATED, MEMORY_SATURATED_OVER),
        example("", "sb.lit", Model::SC, 8, whole).then("memory-none", NO_MEMORY).until(NO_MEMORY_OVER),
        Scene::new("", "#tour=memories:4".to_owned()).then("memory-violated", MEMORY_LOOKED).until(MEMORY_LESSON_OVER),
        Scene::new("", "#tour=memories:6".to_owned())
            .then("memory-two-orders", MEMORY_LOOKED)
            .until(MEMORY_LESSON_OVER),
        Scene::new("", "#tour=memories:8".to_owned()).then("memory-automata", MEMORY_LOOKED).until(MEMORY_LESSON_OVER),
        remembered("", "msi.protocol", MEMORY_TAKEN, MEMORY_TAKEN_OVER).in_lecture("lecture-memory"),
    ]
}

/// Safe schedules.
fn safe_schedules() -> Vec<Scene> {
    vec![
        scheduled("schedule-safe", "pc-2.lit", SCHEDULES, SCHEDULED),
        scheduled("schedule-partial", "pc-err-2.lit", SCHEDULES, SCHEDULED),
        scheduled("schedule-first", "pc-err-2.lit", SCHEDULE_FIRST, SCHEDULED),
        scheduled("schedule-wrong", "double-lock.lit", SCHEDULE_WRONG, SCHEDULE_WRONG_OVER),
        scheduled("schedule-refined", "pc-err-2.lit", SCHEDULE_REFINED, SCHEDULE_REFINED_OVER),
        scheduled("schedule-run", "double-lock.lit", SCHEDULE_RUN, SCHEDULE_RAN),
        scheduled("schedule-hand", "pc-err-2.lit", SCHEDULE_HAND, SCHEDULE_HANDED),
        scheduled("schedule-dots", "increments.lit", SCHEDULE_DOTS, SCHEDULE_DOTTED),
        scheduled("schedule-large", "pc-4p4c-1000.lit", SCHEDULE_FIRST, SCHEDULE_FIRST_OVER),
        scheduled("", "pc-err-2.lit", SCHEDULE_FIRST, SCHEDULED).in_lecture("lecture-schedule"),
    ]
}

/// Fairness.
fn fairness() -> Vec<Scene> {
    const LOCK: &str = "shared l\nwhile 1 {\n  while xchg(l, 1) = 1 { }\n  l := 0\n}\n||\nwhile 1 {\n  while xchg(l, 1) = 1 { }\n  l := 0\n}";
    vec![
        fair("fairness-lock", "lock", FAIR_END, FAIR_ENDED),
        fair("fairness-two", "blocks-3", FAIR_TWO, FAIR_RINGS),
        fair("fairness-steps", "cascade-5", FAIR_STEPS, FAIR_STEPPED),
        fair("fairness-chance", "v4", FAIR_END, FAIR_ENDED),
        fair("fairness-growth", "lock", FAIR_GROWTH, FAIR_GROWN),
        fair("fairness-scatter", "lock", FAIR_SCATTER, FAIR_SCATTERED),
        fair("fairness-dice", "v6", FAIR_DICE, FAIR_DICED),
        fair("fairness-diagram", "blocks-3", FAIR_DIAGRAM, FAIR_DIAGRAMMED),
        of_text("", LOCK, Algorithm::default()).then("fairness-question", FAIR_QUESTION).until(FAIR_ANSWERED),
        fair("", "spin", FAIR_END, FAIR_ENDED).in_lecture("lecture-fairness"),
    ]
}

/// Repairs.
fn repairs() -> Vec<Scene> {
    vec![
        repair("repair-found", "treiber", Model::RC11, REPAIR_FIRST, REPAIR_RULED),
        repair("repair-program", "chase-lev", Model::RC11, REPAIR_PROGRAM, REPAIR_LISTED),
        repair("repair-own", "dekker", Model::TSO, REPAIR_OWN, REPAIR_TRIED),
        Scene::new("", "#tour=repairs:1".to_owned()).then("repair-lesson", "").until(REPAIR_TRIED),
        Scene::new("", "#tour=repairs:3".to_owned()).then("", "").until(REPAIR_RULED).in_lecture("lecture-repair"),
    ]
}

/// A program of the gallery that is asked what repairs it.
fn repair(name: &'static str, file: &str, model: Model, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../public/repair/{file}.lit"));
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new("", link::encode(&Settings { text, model, ..Settings::default() })).then(name, script).until(until)
}

/// A graph of the gallery that is asked about fairness.
fn fair(name: &'static str, file: &str, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../public/fairness/{file}.fairness"));
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new("", link::encode(&Settings { text, ..Settings::default() })).then(name, script).until(until)
}

/// A program of the gallery, with its loops cut after so many rounds, where `go` leads.
fn example(name: &'static str, file: &str, model: Model, unroll: u32, go: impl FnOnce(&mut Session)) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public").join(file);
    let text = std::fs::read_to_string(path).expect("the gallery has it");
    let mut options = Options::default();
    options.limits.unroll = unroll;
    led(name, Settings { text, model, options, ..Settings::default() }, go)
}

/// Where `go` leads in an exploration.
fn led(name: &'static str, settings: Settings, go: impl FnOnce(&mut Session)) -> Scene {
    let mut session = Session::open(settings).expect("it is a program that can be explored");
    go(&mut session);
    Scene::new(name, session.link())
}

/// A text as it is.
fn of_text(name: &'static str, text: &str, algorithm: Algorithm) -> Scene {
    let settings = Settings { text: text.to_owned(), algorithm, ..Settings::default() };
    Scene::new(name, link::encode(&settings))
}

/// A program with handlers of the gallery.
fn handled(name: &'static str, file: &str, go: impl FnOnce(&mut Session)) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/handlers").join(file);
    let text = std::fs::read_to_string(path).expect("the gallery has it");
    led(name, Settings { text, algorithm: Algorithm::EventDriven, ..Settings::default() }, go)
}

/// An abstract execution of the gallery.
fn checked(name: &'static str, file: &str, model: Model, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/executions").join(file);
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    let settings = Settings { text, model, ..Settings::default() };
    Scene::new(name, link::encode(&settings)).then(name, script).until(until)
}

/// An event-driven trace of the gallery.
fn traced(name: &'static str, file: &str, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/traces").join(file);
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new(name, link::encode(&Settings { text, ..Settings::default() })).then(name, script).until(until)
}

/// A memory implementation of the gallery.
fn remembered(name: &'static str, file: &str, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/protocols").join(file);
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new(name, link::encode(&Settings { text, ..Settings::default() })).then(name, script).until(until)
}

/// A program of the gallery whose schedules are looked for.
fn scheduled(name: &'static str, file: &str, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/schedules").join(file);
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new(name, link::encode(&Settings { text, ..Settings::default() })).then(name, script).until(until)
}

/// A history of the gallery.
fn recorded(name: &'static str, file: &str, script: &'static str, until: &'static str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../public/histories").join(file);
    let text = std::fs::read_to_string(path).expect("it is one of the examples");
    Scene::new(name, link::encode(&Settings { text, ..Settings::default() })).then(name, script).until(until)
}

/// A program with an object of the gallery.
fn object(name: &'static str, file: &str, model: Model, script: &'static str, until: &'static str) -> Scene {
    example("", &format!("objects/{file}"), model, 8, |_| {}).then(name, script).until(until)
}

/// All models compared.
fn compared(name: &'static str, file: &str) -> Scene {
    example("", file, Model::SC, 8, |_| {}).then(name, COMPARE).until(COMPARED)
}

/// A scene of a ready-made lesson.
fn tour(at: u32) -> Scene {
    Scene::new("", format!("#tour=store-buffering:{at}"))
}

/// The page as a first visit finds it.
fn start() -> Scene {
    Scene::new("start", String::new())
}

fn schedules() -> Scene {
    let text = "x := 1; a := y || y := 1; b := x".to_owned();
    let settings = Settings { text, model: Model::TSO, algorithm: Algorithm::RfSmc, ..Settings::default() };
    led("rf-smc", settings, |session| {
        session.next_execution(u64::MAX);
        session.forward();
    })
}

fn not_maximal() -> Scene {
    let text = "a := x; b := y || y := 1; x := 1".to_owned();
    let settings = Settings { text, algorithm: Algorithm::Trust, ..Settings::default() };
    led(
        "not-maximal",
        settings,
        |session| {
            while !matches!(session.step(), Some(Step::NotMaximal { .. })) && session.forward() {}
        },
    )
}

/// Three threads with a dozen steps each.
fn many_steps() -> String {
    let long =
        |thread: usize| format!("x{thread} := 1; a{thread} := y; b{thread} := fai(y); z := {thread}; ").repeat(3);
    (0..3).map(long).collect::<Vec<_>>().join(" || ")
}

/// More executions than are explored while one looks.
fn writers() -> String {
    let writers: Vec<_> = (0..14).map(|value| format!("x := {value}")).collect();
    format!("{} || r := x", writers.join(" || "))
}

fn to(position: u64) -> impl FnOnce(&mut Session) {
    move |session| {
        session.go_to(position, u64::MAX);
    }
}

fn violation(session: &mut Session) {
    session.next_violation(u64::MAX);
}

fn execution(session: &mut Session) {
    session.next_execution(u64::MAX);
}

/// Results are those of the whole exploration.
fn whole(session: &mut Session) {
    session.run(u64::MAX);
}

fn dropped(session: &mut Session) {
    while session.view(&Default::default()).violation.is_none() && session.forward() {}
}

impl Scene {
    fn new(name: &'static str, fragment: String) -> Self {
        Self { name, fragment, script: "", until: "return true", lecture: false }
    }

    /// The same place in another exploration of the program.
    fn by(self, algorithm: Algorithm, position: u64) -> Self {
        let settings = link::decode(&self.fragment).expect("it was made here");
        Self { fragment: link::encode(&Settings { algorithm, position, ..settings }), ..self }
    }

    fn with_co(self, position: u64) -> Self {
        self.by(Algorithm::GenmcCo, position)
    }

    /// With something done there.
    fn then(self, name: &'static str, script: &'static str) -> Self {
        Self { name, script, ..self }
    }

    fn until(self, until: &'static str) -> Self {
        Self { until, ..self }
    }

    fn in_lecture(self, name: &'static str) -> Self {
        Self { name, lecture: true, ..self }
    }

    fn embedded(self, name: &'static str, part: &str) -> Self {
        Self { name, fragment: format!("?embed={part}{}", self.fragment), ..self }
    }

    /// Shows it, in a page that remembers nothing.
    ///
    /// # Panics
    ///
    /// If it does not come about.
    pub async fn show(&self, browser: &Browser, site: &Site) {
        self.show_with(browser, site, "{}").await;
    }

    /// Shows it, in a page that remembers nothing but what the reader prefers, which is JSON.
    ///
    /// # Panics
    ///
    /// If it does not come about.
    pub async fn show_with(&self, browser: &Browser, site: &Site, preferences: &str) {
        let go = async |address: &str| browser.goto(address).await.expect("the page can be opened");
        // What is stored belongs to the origin, and is forgotten from a file of it that starts nothing.
        go(&format!("{}public/sb.lit", site.url())).await;
        const FORGET: &str = "localStorage.clear(); sessionStorage.clear();
            localStorage.setItem('litmoscope.preferences', arguments[0])";
        browser.script(FORGET, vec![preferences.into()]).await;
        go(&format!("{}{}", site.url(), self.fragment)).await;
        browser.settled().await;
        if self.fragment.starts_with("#tour=") {
            browser.wait_until("return !!document.querySelector('#lecture-place')", vec![]).await;
            browser.settled().await;
        }
        // Some of what is opened is loaded then.
        const WORDS: &str = "const press = key => document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true }));
            const when = (selector, then) => {
                const element = document.querySelector(selector);
                if (element) then(element); else setTimeout(() => when(selector, then), 20);
            };";
        browser.script(&format!("{WORDS}{}", self.script), vec![]).await;
        browser.settled().await;
        browser.wait_until(&format!("try {{ {} }} catch {{ return false; }}", self.until), vec![]).await;
        if self.lecture {
            // The tab may remember that it was in one.
            const BEGIN: &str =
                "if (document.body.dataset.lecture !== 'true') document.querySelector('#lecture').click()";
            browser.script(BEGIN, vec![]).await;
            browser.wait_until("return document.body.dataset.lecture === 'true'", vec![]).await;
            browser.settled().await;
        }
        still(browser).await;
    }
}

/// Waits until everything is there: what appears or moves is seen when it has come to rest.
pub async fn still(browser: &Browser) {
    const STILL: &str = "return document.getAnimations().every(a => a.playState !== 'running' ||
        a.effect.getComputedTiming().endTime === Infinity)";
    browser.settled().await;
    browser.wait_until(STILL, vec![]).await;
}
