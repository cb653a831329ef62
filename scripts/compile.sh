#!/bin/sh
# What cargo compiles the workspace's packages with for the tests, as RUSTC_WORKSPACE_WRAPPER: compile.sh RUSTC ARGUMENT...
# It lints and documents what it compiles: `cargo clippy` and `cargo doc` would have cargo compile all that we depend on once more,
# for themselves alone. What the linter is told is in CLIPPY_ARGS, as from `cargo clippy`.
set -eu

case " $* " in
*" --emit="*) ;;
*) exec "$@" ;; # cargo only asks the compiler something
esac

# again COMMAND ARGUMENT...: the compiler's arguments for another command. What comes out of it is thrown away.
again() {
    command=$1 folder=$(mktemp -d) is_folder='' failed=0
    shift
    for argument; do
        shift
        case $is_folder$argument in
        --out-dir) is_folder=yes ;;
        yes*) is_folder= ;;
        --emit=*) ;;
        # Not which files are there: cargo waits for those of the compiler.
        --json=*) set -- "$@" --json=diagnostic-rendered-ansi ;;
        *) set -- "$@" "$argument" ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    $command "$@" --out-dir "$folder" || failed=$?
    rm -r "$folder"
    return "$failed"
}

compiler=$1
shift
case " $* " in
*" opt-level="*)
    # Not by the linter's driver, which hands all over as it is written.
    "$compiler" "$@"
    again "clippy-driver $compiler --emit=metadata" "$@"
    ;;
*) clippy-driver "$compiler" "$@" ;;
esac
# The libraries of the engine are documented, their tests are not.
case " $* " in
*" --test "*) ;;
*" engine/"*" --crate-type lib "*) again "rustdoc -D warnings" "$@" ;;
esac
