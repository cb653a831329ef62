//! What a program that uses the engine sees of it, and the command line as a user runs it. One program, since each links the
//! whole engine.

mod atlas;
mod book;
mod cli;
mod common;
mod compare;
mod consistency;
mod drawing;
mod fairness;
mod folders;
mod generate;
mod growth;
mod histories;
mod linearize;
mod parts;
mod protocol;
mod race;
mod repair;
mod room;
mod run;
mod schedule;
mod sharing;
mod split;
mod traces;
mod verify;
mod why_not;
