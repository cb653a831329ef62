#!/bin/sh
# clippy-driver as RUSTC_WORKSPACE_WRAPPER, where the wrapper itself puts CLIPPY_ARGS into the environment.
#
# Seen with: cargo 1.95.0, clippy 0.1.95, rustc 1.95.0 (all of one release of Rust).
# Expected: a second `cargo build` of unchanged sources does nothing. What a wrapper does inside is not cargo's concern.
# Seen instead: the package is compiled again each time. clippy-driver writes CLIPPY_ARGS into the dependency file as a
# variable that the result depends on, with the value that it saw. Cargo compares it with its own environment, where there is
# none. `cargo clippy` never shows this, since it sets the variable before it starts cargo.
# What helps: to set CLIPPY_ARGS for cargo, not in the wrapper.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
printf '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2024"\n' >Cargo.toml
echo 'pub fn two() -> u32 { 2 }' >src/lib.rs
cat >wrapper.sh <<'END'
#!/bin/sh
CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ exec clippy-driver "$@"
END
chmod +x wrapper.sh
cargo --version
clippy-driver --version
unset CLIPPY_ARGS

# second VARIABLE...: how often cargo compiled the package, in the second of two builds.
second() {
    cargo clean --quiet
    env "$@" cargo build --quiet
    env "$@" cargo build 2>&1 | grep -c 'Compiling example' || true
}

inside=$(second "RUSTC_WORKSPACE_WRAPPER=$PWD/wrapper.sh")
outside=$(second RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__)
echo "compiled again with the variable set by the wrapper: $inside"
echo "compiled again with the variable set for cargo: $outside"
grep -h CLIPPY_ARGS target/debug/deps/*.d
[ "$inside" = 1 ] && [ "$outside" = 0 ]
