#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| litmoscope_tests::fuzzing::fairness(bytes));
