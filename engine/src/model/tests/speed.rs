//! How fast the yes-or-no check is. Run with `cargo test --release -- --ignored --nocapture speed`.

use super::{candidates, consistent};
use crate::model::Model;
use std::hint::black_box;
use std::time::{Duration, Instant};

#[test]
#[ignore = "a measurement"]
fn speed() {
    for (name, text) in [
        ("message passing", "Wx1 Wy1.rel | Ry.acq Rx"),
        ("10 events", "Wx1 Wy1.rel Rx | Wx2 Ry.acq Rx | Wy2.rel Wx3 Ry.acq Rx"),
        ("10 events, sc", "Wx1.sc Wy1.sc Rx.sc | Wx2.sc F.sc Ry Rx | Wy2.sc Wx3 Ry.sc"),
        ("4 increments", "Ux Ux | Ux Ux"),
        ("5 writers, 1 reader", "Wx1 | Wx2 | Wx3 | Wx4 | Wx5 | Rx"),
    ] {
        let mut graphs = candidates(text);
        graphs.truncate(2000);
        for model in Model::ALL {
            let good = graphs.iter().take(50).filter(|graph| consistent(model, graph)).count();
            let start = Instant::now();
            let mut checks = 0;
            while start.elapsed() < Duration::from_millis(200) {
                for graph in &graphs {
                    black_box(model.is_consistent(black_box(graph)));
                    checks += 1;
                }
            }
            let each = start.elapsed().as_nanos() / checks;
            println!("{name}: {model}: {each} ns a check ({good} of {} consistent)", graphs.len().min(50));
        }
    }
}
