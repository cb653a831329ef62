//! What the tests share.

#[cfg(feature = "browser")]
pub mod browser;
pub mod random;
#[cfg(feature = "browser")]
pub mod site;
