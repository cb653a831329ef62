//! Differential tests, tables and whatever else holds of the whole. One program, since each links the whole engine. Apart are
//! only `conformance`, which says as it runs which tests are ignored, `pool`, which compiles a part of the engine anew, and
//! `browser`, which is to have the machine for itself.

mod compare;
mod corpora;
mod dialects;
mod explorer;
mod gallery;
mod generated;
mod genmc_co;
mod handlers;
mod hostile;
mod interleavings;
mod libraries;
mod links;
mod models;
mod named_programs;
mod oracle;
mod parts;
mod peers;
mod pseudo_code;
mod reasons;
mod repository;
mod rvf_smc;
mod sample;
mod spins;
mod standards;
mod stopping;
mod stuck;
mod switches;
mod symmetry;
mod tours;
mod trust;
