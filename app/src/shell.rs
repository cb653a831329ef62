//! What is around the labs: the page itself with its bar and tabs, keys, help, settings, sharing, the editor, what is kept.

pub mod editor;
pub mod embed;
pub mod help;
pub mod keys;
pub mod page;
pub mod parts;
pub mod pickers;
pub mod preferences;
pub mod recent;
pub mod registry;
pub mod share;
