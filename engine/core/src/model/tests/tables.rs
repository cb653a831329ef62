//! Counts of executions, from the papers and by exhaustive enumeration.

use super::{candidates, count};
use crate::model::Model;

fn counts(models: &[Model], table: &[(&str, &[usize])]) {
    for (text, expected) in table {
        let found: Vec<_> = models.iter().map(|&model| count(model, text)).collect();
        assert_eq!(&found, expected, "{text}");
    }
}

#[test]
fn plain_executions() {
    counts(
        &[Model::SC, Model::TSO, Model::RC11],
        &[
            ("Wx1 Wy1 | Ry Rx", &[3, 3, 4]),
            ("Wx1 Wy1.rel | Ry.acq Rx", &[3, 3, 3]),
            ("Wx1 Ry | Wy1 Rx", &[3, 4, 4]),
            ("Wx1.sc Ry.sc | Wy1.sc Rx.sc", &[3, 4, 3]),
            ("Wx1 F.sc Ry | Wy1 F.sc Rx", &[3, 3, 3]),
            ("Ry Wx1 | Rx Wy1", &[3, 3, 3]),
            ("Wx1 Wy2 | Wy1 Wx2", &[1, 1, 1]),
            ("Wx2 Wy1 | Ry Wx1", &[2, 2, 2]),
            ("Wx1 Wy1 | Wy2 Rx", &[2, 2, 2]),
            ("Wx1 | Rx Rx", &[3, 3, 3]),
            ("Wx1 | Wx2 | Rx Rx | Rx Rx", &[47, 47, 47]),
            ("Wx1 | Wy1 | Rx.acq Ry.acq | Ry.acq Rx.acq", &[15, 15, 16]),
            ("Wx1.sc | Wy1.sc | Rx.sc Ry.sc | Ry.sc Rx.sc", &[15, 15, 15]),
            ("Wx1 | Rx Wy1 | Ry Rx", &[7, 7, 8]),
            ("Wx1.rel | Rx.acq Wy1.rel | Ry.acq Rx.acq", &[7, 7, 7]),
            ("Wx1 Ry | Wy1 Rz | Wz1 Rx", &[7, 8, 8]),
            ("Wx1 | Wx2 | Rx", &[3, 3, 3]),
            ("Wx1 | Wx2 | Wx3 | Wx4 | Rx", &[5, 5, 5]),
            ("Rx | Wx1 | Wx2 | Wx3 | Wx4", &[5, 5, 5]),
            ("Ux", &[1, 1, 1]),
            ("Ux | Ux | Ux", &[6, 6, 6]),
            ("Ux | Ux | Ux | Ux", &[24, 24, 24]),
            ("Ux Ux | Ux Ux", &[6, 6, 6]),
            ("Ux | Ux | Rx", &[6, 6, 6]),
            ("Rx | Ux | Wx1", &[6, 6, 6]),
            ("Wx5 Ux | Wx7 Ux", &[5, 5, 5]),
            ("Ux | Rx Rx", &[3, 3, 3]),
            ("Cx01 | Cx02", &[2, 2, 2]),
            ("Cx01 | Cx02 | Cx03", &[3, 3, 3]),
            ("Wx1 Wy1 | Wx1 Wy1 Rx | Wx1 Wy1 Ry", &[9, 9, 9]),
            ("Wx1.sc | Rx.acq Ry.sc | Wy1.sc Rx.sc", &[7, 8, 8]),
            ("Wx1 F.rel Wy1 | Ry F.acq Rx", &[3, 3, 3]),
            ("Wx1 F.sc Wy1 | Ry F.sc Rx", &[3, 3, 3]),
            ("Wx1 Wy1.rel | Uy | Ry.acq Rx", &[9, 9, 9]),
        ],
    );
    assert_eq!(count(Model::SC, "Wx1.sc Wy1.rel | Uy.sc Ry | Wy3.sc Rx.sc"), 13);
    assert_eq!(count(Model::RC11, "Wx1.sc Wy1.rel | Uy.sc Ry | Wy3.sc Rx.sc"), 14);
    assert_eq!(count(Model::RC11, "Ux | Ux | Ux | Ux | Ux"), 120);
}

/// Interleaved chains of read-modify-writes, which the printed writes-before relation gets wrong.
#[test]
fn chains_of_read_modify_writes() {
    for model in [Model::SC, Model::TSO, Model::PSO, Model::RA, Model::SRA, Model::RC11] {
        assert_eq!(count(model, "Wx1 Ux | Wx9 Ux | Ux | Ux"), 150, "{model}");
    }
}

#[test]
fn coherence_orders() {
    let sum = |model: Model, text| candidates(text).iter().map(|graph| model.coherence_count(graph)).sum::<u64>();
    for (text, sc, rc11) in [
        ("Wx1 Wy2 | Wy1 Wx2", 3, 4),
        ("Wx2 Wy1 | Ry Wx1", 3, 4),
        ("Wx1 Wy1 | Wy2 Rx", 3, 4),
        ("Wx1 | Wx2 | Rx Rx | Rx Rx", 72, 72),
        ("Wx1 | Wx2 | Wx3 | Wx4 | Rx", 120, 120),
        ("Wx5 Ux | Wx7 Ux", 6, 6),
        ("Wx1 Ux | Wx9 Ux | Ux | Ux", 180, 180),
        ("Wx1 Wy1 | Wx1 Wy1 Rx | Wx1 Wy1 Ry", 98, 144),
    ] {
        assert_eq!(sum(Model::SC, text), sc, "{text}");
        assert_eq!(sum(Model::RC11, text), rc11, "{text}");
    }
    assert_eq!(sum(Model::RC11, "Wx1.sc Wy1.rel | Uy.sc Ry | Wy3.sc Rx.sc"), 24);
}

/// Toman's counts of reads-from classes.
#[test]
fn store_buffers() {
    counts(
        &[Model::SC, Model::TSO, Model::PSO],
        &[
            ("Wx1 Ry | Wy1 Rx", &[3, 4, 4]),
            ("Wx1 F.sc Ry | Wy1 F.sc Rx", &[3, 3, 3]),
            ("Wx1 F.sc Ry | Wy1 Rx", &[3, 4, 4]),
            ("Wx1 Wy1 | Ry Rx", &[3, 3, 4]),
            ("Wx1 F.sc Wy1 | Ry Rx", &[3, 3, 3]),
            ("Wx1 F.rel Wy1 | Ry Rx", &[3, 3, 3]),
            ("Wx1 F.acqrel Wy1 | Ry Rx", &[3, 3, 3]),
            ("Wx1 F.acq Wy1 | Ry Rx", &[3, 3, 4]),
            ("Wx1 F.rel Ry | Wy1 F.rel Rx", &[3, 4, 4]),
            ("Wx1 Cz11 Ry | Wy1 Cz11 Rx", &[3, 3, 3]),
            ("Wx1 | Wy1 | Rx Ry | Ry Rx", &[15, 15, 15]),
            ("Wx1 | Rx Wy1 | Ry Rx", &[7, 7, 7]),
            ("Wx1 Wy1 | Ry Wz1 | Rz Rx", &[7, 7, 8]),
            ("Wx1 Ry | Wy1 Rz | Wz1 Rx", &[7, 8, 8]),
            ("Wx1 Rx Ry | Wy1 Wx2", &[3, 3, 4]),
            ("Wx1 Rx Ry | Wy1 Ry Rx", &[3, 4, 4]),
            ("Rx Ux | Ux", &[3, 3, 3]),
            ("Ux Rx | Ux | Ux", &[12, 12, 12]),
        ],
    );
}
