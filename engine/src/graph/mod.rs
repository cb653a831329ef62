//! Events, execution graphs and relations over them.
