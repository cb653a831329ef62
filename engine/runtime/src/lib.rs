//! Runs threads under a schedule.
