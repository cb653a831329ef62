# The two commands to know: `make run` and `make test`. Both install what this machine lacks.

.PHONY: run test test-long check doctor build python conformance test-browser screenshots figures bench table fuzz clean

# The page at http://127.0.0.1:8080/ (another port with PORT=...), built again when a file changes.
run:
	@scripts/setup.sh page
	@scripts/site.sh serve $(PORT)

# Every check and every test, the same on each machine.
test:
	@scripts/test.sh

# The same with five times as many random programs, and with the longest counts.
test-long:
	@LITMOSCOPE_PROGRAMS=5000 LITMOSCOPE_PEERS=100000 scripts/test.sh

# What one runs while working: formatting, clippy, layers, and the unit tests of packages that differ from the last commit.
check:
	@scripts/test.sh quick

# What this machine has, what it lacks, and what the two commands would install of that. Changes nothing.
doctor:
	@scripts/doctor.sh

# The page as static files in dist/.
build:
	@scripts/setup.sh page
	scripts/site.sh build

# The package for Python: a wheel in target/wheels.
python:
	@scripts/python.sh build

# Litmus tests with known answers: how many there are, and how many we agree on, by family. Fails if any differs.
conformance:
	@cargo run --quiet --locked --release --package litmoscope-tests --bin conformance

# Only the tests of the page in a browser.
test-browser: build
	@scripts/setup.sh tests
	LITMOSCOPE_SITE="$(CURDIR)/dist" cargo test --locked --release --package litmoscope-tests --features browser --test browser

# Pictures of the page in several sizes, light and dark.
screenshots: build
	@scripts/setup.sh tests
	LITMOSCOPE_SITE="$(CURDIR)/dist" cargo run --quiet --locked --release --package litmoscope-tests --features browser --bin screenshots -- target/screenshots

# How large the page is, how soon it is there, and how soon it answers each kind of click.
figures: build
	@scripts/setup.sh tests
	LITMOSCOPE_SITE="$(CURDIR)/dist" cargo run --quiet --locked --release --package litmoscope-tests --features browser --bin measure

# How fast the engine's parts are, and how that has changed since the last time.
bench:
	cargo bench --locked --quiet --package litmoscope -- --noplot

# Whole commands against what other model checkers take, and the page against the commands, as Markdown. Options in ARGS:
# --help lists them, --book writes the tables into the chapter of the book.
table: build
	@scripts/setup.sh tests
	cargo build --locked --release --quiet --package litmoscope --features cli
	cargo build --locked --release --quiet --package litmoscope-tests --features bench,browser --bin bench
	LITMOSCOPE_SITE="$(CURDIR)/dist" target/release/bench $(ARGS)

# Runs one fuzz target for a minute, or FOR seconds: TARGET is litmoscope, c11, x86, x86_64, execution, series, trace,
# history, protocol, archive, schedules, graph, automaton, cycle, link or json. Wants cargo-fuzz and a nightly compiler. What it finds is kept in fuzz/corpus/, which every test run repeats.
fuzz:
	mkdir -p target/fuzz-$(or $(TARGET),litmoscope)
	cargo +nightly fuzz run --sanitizer none $(or $(TARGET),litmoscope) target/fuzz-$(or $(TARGET),litmoscope) fuzz/corpus/$(or $(TARGET),litmoscope) -- -max_total_time=$(or $(FOR),60) -timeout=10 -rss_limit_mb=2048

clean:
	rm -rf target dist fuzz/target
