//! What shows things and knows no application: dialogs, icons, drawings that can be moved about, charts, sentences, QR codes.
//!
//! What drawings have in common, such as colours and what is pointed at, is given to them (`Around`).

pub mod chart;
pub mod dialog;
pub mod element;
pub mod icons;
pub mod prose;
pub mod qr;
pub mod scene;
pub mod step_buttons;
pub mod way;
