//! What is around the labs: the page itself with its bar, tabs, columns and the line at the bottom; what it can do, its keys, the
//! palette and the help; settings, sharing, the editor, and what is kept.

pub mod bar;
pub mod columns;
pub mod commands;
pub mod editor;
pub mod embed;
pub mod fuzzy;
pub mod handle;
pub mod help;
pub mod keys;
pub mod page;
pub mod palette;
pub mod parts;
pub mod pickers;
pub mod places;
pub mod preferences;
pub mod recent;
pub mod share;
pub mod status;
pub mod unfit;
