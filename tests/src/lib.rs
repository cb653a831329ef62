//! What the tests share.

#[cfg(feature = "browser")]
pub mod browser;
#[cfg(feature = "browser")]
pub mod site;
