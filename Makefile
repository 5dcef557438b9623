# claimkit. Needs rustup, Node 20.19 or newer, and make; every target installs the rest for itself, into target/tools or a
# node_modules folder, and says beforehand what it does and how long that takes on two idle cores.
#
#   make playground    build the page, serve it and print its address
#   make check         format, lints and unit tests: before every commit
#   make test          everything the project checks
#   make pkg           the npm packages in pkg/, pkg/command and pkg/inline
#   make policy        the policy modules
#   make programs      the command for Linux, macOS and Windows; PROGRAMS=x86_64-apple-darwin for one of them
#   make bench         speed beside other tools, and growth
#   make fuzz          fuzzing, 15 minutes for each target; MINUTES=5 TARGETS="read convert" for less
#   make oracle        asks upstream's own code again what tests/vectors recorded; RELEASE=1.37.2 for all of it
#   make test-cluster  a real control plane and claimkit, asked the same
#   make rehearse      everything that a release publishes, made and proved; nothing is published
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

say = @echo "==> $(1)"
# Every workspace of the repository: the hosts of policies and the build's own tool are apart from the others.
manifests = $(patsubst %.lock,%.toml,$(shell find . -name Cargo.lock -not -path '*/target/*' -not -path '*/node_modules/*'))
npm_ci = npm ci --no-fund --no-audit --loglevel=error

.PHONY: help
help:
	@sed -n '2,14s/^# \{0,1\}//p' Makefile

# --- building ---------------------------------------------------------------------------------------------------------

.PHONY: pkg
pkg:
	@node pkg/build/build.mjs

www/node_modules/.package-lock.json: www/package.json www/package-lock.json
	$(call say,playground dependencies from npm: about 20 seconds)
	@cd www && $(npm_ci)

# The command for every system, made on Linux: target/programs/<target>/claimkit. The script says how long that takes.
.PHONY: programs
programs:
	@node pkg/build/programs.mjs $(PROGRAMS)

# The extension for VS Code, with the language server inside: pkg/vscode/claimkit-<version>.vsix
.PHONY: vscode
vscode: pkg
	@node pkg/vscode/build.mjs

.PHONY: playground-build
playground-build: www/node_modules/.package-lock.json pkg
	$(call say,playground page: about 10 seconds)
	@cd www && npm run --silent build

.PHONY: playground
playground:
	$(call say,playground: 6 minutes on a new machine and 20 seconds after that; then it serves until Ctrl-C)
	@$(MAKE) playground-build
	@cd www && npm run --silent preview

.PHONY: policy
policy:
	@test -f tests/hosts/policy/Makefile || { echo "policy: tests/hosts/policy is not there" >&2; exit 1; }
	@$(MAKE) -C tests/hosts/policy build

# The module inside the Go package.
.PHONY: go-module
go-module:
	$(call say,module of the Go package: about 3 minutes the first time and seconds when nothing changed)
	@bash pkg/go/build.sh

# --- testing ----------------------------------------------------------------------------------------------------------

# The parts of `test`. Two run at a time, because most of each takes one core; what one prints is shown when it ends, with its time.
# make goes through this list again and again and begins whatever can begin.
parts = test-rust modules oracle-programs fuzz-short test-ratchets test-browsers test-oracle test-policy test-go test-supply \
  $(if $(CORPUS),test-corpus)

.PHONY: test $(parts:%=part-%)
test: lint
	$(call say,all tests: under an hour on a new machine and less after that)
	@bash pkg/build/toolchain.sh wasm32-unknown-unknown wasm32-wasip1 clippy rustfmt
	@$(MAKE) --jobs=2 --output-sync=target $(parts:%=part-%)
	$(call say,all tests passed)

# A make of its own, so that cargo and Go use the cores as they do without make. The modules are not built again under those that read them.
$(parts:%=part-%): part-%:
	@MAKEFLAGS= make $(if $(filter-out modules,$*),$(addprefix --old-file=,$(modules))) $*; echo "==> $*: $$SECONDS seconds"

# What uses target/debug comes after the Rust tests, which keep it locked.
part-test-browsers part-test-oracle part-test-policy part-test-go part-test-supply part-test-corpus: part-test-rust
part-test-browsers part-test-policy part-test-go: part-modules
part-test-browsers part-test-oracle: part-oracle-programs

modules = pkg policy go-module
.PHONY: modules test-browsers
modules: $(modules)
test-browsers: test-hosts test-editors test-playground

# What a contributor runs before every commit.
.PHONY: check
check: lint
	$(call say,format and lints and unit tests: about 5 minutes the first time and at most 3 after that)
	@bash pkg/build/toolchain.sh clippy rustfmt
	@cargo fmt --all --check
	@cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
	@cargo test --quiet --locked --lib

# Format and lints of what is not Rust; `make fix` applies what Biome can apply without changing what a program does.
.PHONY: lint fix
lint: tests/lint/node_modules/.package-lock.json
	@bash tests/lint/lint.sh
fix: tests/lint/node_modules/.package-lock.json
	@tests/lint/node_modules/.bin/biome check --write

tests/lint/node_modules/.package-lock.json: tests/lint/package.json tests/lint/package-lock.json
	$(call say,Biome from npm: about 5 seconds)
	@cd tests/lint && $(npm_ci)

.PHONY: test-rust
test-rust:
	$(call say,Rust: format and lints and tests: about 20 minutes the first time)
	@bash pkg/build/toolchain.sh wasm32-unknown-unknown clippy rustfmt
	@for manifest in $(manifests); do cargo fmt --all --check --manifest-path $$manifest; done
	@cargo clippy --quiet --locked --workspace --all-targets --features claimkit-cel/json -- -D warnings
	@cargo clippy --quiet --locked --package claimkit --package claimkit-cli --lib --features claimkit/js,claimkit-cli/command \
	  --target wasm32-unknown-unknown -- -D warnings
	@cargo test --locked
	@cargo test --quiet --locked --package claimkit-cel --all-features --lib --examples
	@cargo test --quiet --locked --package claimkit-cel --all-features --doc
	@RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps
	@$(MAKE) test-allocator
	$(call say,k8s-openapi filled from claimkit: about 1 minute the first time)
	@cargo test --quiet --locked --package claimkit-k8s-openapi

# Every recorded line of the device allocator and of 1.31 to 1.36; `cargo test` takes some of them.
.PHONY: test-allocator
test-allocator:
	$(call say,all recorded answers of the device allocator and of 1.31 to 1.36: about 1 minute)
	@CLAIMKIT_ALL=1 cargo test --quiet --locked --test all -- place:: device_vectors:: \
	  --skip place::reasons --skip place::decisive --nocapture

# Every reason that is told of a device, put to the test with the allocator; `cargo test` takes some of them.
.PHONY: test-reasons
test-reasons:
	$(call say,all reasons of all recorded lines of the device allocator: about 4 minutes)
	@CLAIMKIT_ALL=1 cargo test --quiet --locked --test all -- place::reasons place::decisive --nocapture

# What claimkit says itself, checked on 100,000 made clusters and manifests; `cargo test` takes some of them.
.PHONY: test-truth
test-truth:
	$(call say,what claimkit says itself on 100000 clusters: about 1 hour)
	@CLAIMKIT_TRUTH=100000 cargo test --release --quiet --locked --test all -- truth:: --nocapture

# Every object that a server stored, from every version of the device family to every other and back, with comments on every line;
# `cargo test` takes some of them. With optimization: without, it takes most of an hour.
.PHONY: test-conversion
test-conversion:
	$(call say,all stored objects converted there and back: about 4 minutes the first time)
	@CLAIMKIT_ALL=1 cargo test --release --quiet --locked --test all -- convert_ladder:: convert_migrate:: --nocapture

# The command line and the npm package: Node and Chromium.
.PHONY: test-hosts
test-hosts: tests/hosts/node_modules/.package-lock.json
	$(call say,command line and npm package in Node and Chromium and bundlers and other runtimes: about 4 minutes)
	@bash tests/hosts/chromium.sh
	@cargo build --quiet --locked
	@cd tests/hosts && npm test --silent

# The language server, asked by a client of its own, by Neovim, and by VS Code in Chromium.
.PHONY: test-editors
test-editors: tests/hosts/node_modules/.package-lock.json pkg
	$(call say,language server: a client and Neovim and Emacs and VS Code in Chromium: about 1 minute)
	@bash tests/hosts/lsp/neovim.sh
	@bash tests/hosts/lsp/emacs.sh
	@bash tests/hosts/chromium.sh
	@cd tests/hosts && node --test --test-concurrency=1 lsp/*.test.mjs code-server/*.test.mjs

# The packed extension in code-server, which runs extensions in Node as VS Code on a desktop does. `test-editors` does the same where
# code-server is installed, and says so where it is not.
.PHONY: test-code-server
test-code-server: tests/hosts/node_modules/.package-lock.json pkg
	$(call say,extension in code-server: about 10 minutes the first time and 1 after that)
	@bash tests/hosts/code-server/install.sh
	@bash tests/hosts/chromium.sh
	@cd tests/hosts && node --test code-server/*.test.mjs

# 5000 mutated manifests, 1200 streams and 700 patches beside the kubectl that the oracle builds; `make test-hosts` takes some of them.
.PHONY: test-kubectl
test-kubectl:
	$(call say,mutated manifests and streams and patches beside a real kubectl: about 3 minutes)
	@cargo build --quiet --locked
	@cd tests/hosts && CLAIMKIT_ALL=1 node --test kubectl.test.mjs

# What `make test` samples of the tests in Node and Chromium: kills while files are written, schemas of every release, and axe in every
# pair of theme and width.
.PHONY: test-sweeps
test-sweeps: tests/hosts/node_modules/.package-lock.json playground-build
	$(call say,kills and schemas and axe without sampling: about 4 minutes)
	@bash tests/hosts/chromium.sh
	@cargo build --quiet --locked
	@cd tests/hosts && CLAIMKIT_ALL=1 node --test --test-concurrency=2 files.test.mjs schema.test.mjs
	@cd www && CLAIMKIT_ALL=1 npx vitest run tests/page.test.ts

tests/hosts/node_modules/.package-lock.json: tests/hosts/package.json tests/hosts/package-lock.json
	$(call say,test dependencies from npm: about 30 seconds)
	@cd tests/hosts && $(npm_ci)

.PHONY: test-playground
test-playground: www/node_modules/.package-lock.json pkg
	$(call say,playground in Chromium: about 6 minutes)
	@bash tests/hosts/chromium.sh
	@cd www && npm test --silent

.PHONY: test-policy
test-policy: policy
	$(call say,policy modules in their hosts: about 3 minutes the first time and 2 after that)
	@$(MAKE) -C tests/hosts/policy test

# The same, and in the crate opa-wasm, which brings wasmtime.
.PHONY: test-policy-hosts
test-policy-hosts: policy
	$(call say,policy modules in all of their hosts: about 7 minutes the first time and 2 after that)
	@CLAIMKIT_ALL=1 $(MAKE) -C tests/hosts/policy test

# The Go package, its example in an empty module, and its answers beside those of the command and of kube-scheduler's allocator.
.PHONY: test-go
test-go: go-module
	$(call say,Go package: about 2 minutes and 2 more the first time)
	@cargo build --quiet --locked
	@bash pkg/go/test.sh

# `wasm-pack build --target web -- --package claimkit --features js`, into pkg/ and elsewhere. Not part of `test`: wasm-pack and its
# wasm-bindgen are built from source, and `make pkg` takes the same three steps.
.PHONY: test-wasm-pack
test-wasm-pack: pkg
	$(call say,wasm-pack alone: about 2 minutes and 3 minutes more the first time)
	@bash tests/hosts/wasm-pack.sh

# Needs no nightly toolchain; see tests/fuzz/fuzz.sh. The short one is part of `make test`, with what longer ones found as seeds.
.PHONY: fuzz-short
fuzz-short:
	$(call say,fuzzing: about 1 minute and 2 minutes more the first time)
	@tests/fuzz/fuzz.sh short

MINUTES ?= 15
.PHONY: fuzz
fuzz:
	@tests/fuzz/fuzz.sh long $(MINUTES) $(TARGETS)

# Instructions of fixed pieces of work, which do not depend on what else the machine does. `make ratchets` writes down what they
# take now; ratchets of sizes are tests/hosts/ratchet.json and tests/hosts/policy/ratchet.json.
.PHONY: test-ratchets ratchets
test-ratchets:
	$(call say,instructions of fixed work: about 2 minutes the first time and 10 seconds when nothing changed)
	@node tests/ratchets/count.mjs
ratchets:
	@CLAIMKIT_UPDATE=1 node tests/ratchets/count.mjs

# Upstream's own code, from its Go modules (tests/oracle): what it answered when tests/vectors were recorded, and a real control plane.
# Without Go the stages say what was not compared. `test-oracle` is part of `make test` and takes some of both.
.PHONY: oracle test-cluster test-kyverno test-oracle oracle-programs oracle-search
oracle-programs:
	$(call say,the programs of a control plane from upstream's modules: about 10 minutes the first time)
	@node tests/oracle/release.mjs
oracle:
	$(call say,recorded answers asked again of the code of Kubernetes: about 2 minutes and 5 more the first time)
	@node tests/oracle/record.mjs $(RELEASE)
test-cluster:
	$(call say,a real control plane and claimkit and 640 random clusters: about 30 minutes and 8 more the first time)
	@node tests/oracle/test-cluster.mjs all
test-kyverno:
	$(call say,printed policies and the command of Kyverno: about 3 minutes and 6 more the first time)
	@node tests/oracle/kyverno.mjs
test-oracle:
	$(call say,samples of oracle and test-cluster: about 90 seconds and 10 more the first time)
	@node tests/oracle/test-cluster.mjs sample
	@node tests/oracle/record.mjs
	@node tests/oracle/vet.mjs
oracle-search:
	@MINUTES=$(MINUTES) node tests/oracle/test-cluster.mjs search

# What a release changes, from the modules that are served for it, and the table rows that it wants: RELEASE=1.38.0-rc.0. OLD=1.38.0-beta.0
# compares with another release than the last final one.
.PHONY: new-release
new-release:
	$(call say,types and selectors and allocator of $(RELEASE): about 2 minutes and 4 more the first time)
	@node tests/oracle/new-release.mjs $(RELEASE) $(OLD)

# Manifests that were found in public and those that projects moved by hand, of the folder CORPUS. `.ci/run` adds it to `test`.
.PHONY: test-corpus
test-corpus:
	$(call say,corpus: about 3 minutes)
	@cargo build --quiet --locked
	@node tests/hosts/corpus.mjs "$(CORPUS)/corpus"
	@CLAIMKIT_CORPUS="$(CORPUS)/corpus" cargo test --locked --test all convert_corpus:: -- --ignored --nocapture
	@CLAIMKIT_PAIRS="$(CORPUS)/later/migration-pairs" cargo test --locked --test all convert_migrate:: -- --ignored --nocapture

# Licenses, sources, checksums, the crates inside what people get, and the public interface.
.PHONY: test-supply
test-supply:
	$(call say,supply chain and public interface: about 2 minutes the first time and 30 seconds after that)
	@bash tests/supply/check.sh
	$(call say,a sample of the rehearsal of a release: about 30 seconds)
	@node pkg/build/rehearse.mjs documents "action and workflows"

# The public interface beside the last tag, or beside BASE=<revision>: cargo-semver-checks, which is built the first time. `test-supply`
# does the same where the program is there already, and says so where it is not.
.PHONY: test-semver
test-semver:
	$(call say,public interface beside a release: about 10 minutes the first time and 2 after that)
	@bash tests/supply/semver.sh --install $(BASE)

# The same as test-supply and known vulnerabilities, where RustSec's database and npm's can be reached; fails where they cannot.
.PHONY: deny
deny:
	@bash tests/supply/check.sh --advisories

# What a release publishes, with the addresses of release.json, proved in empty folders. docker-registry, qemu, oras, actionlint, zizmor
# and pre-commit are taken from PATH, else from Debian, the Go proxy and PyPI; Wine (Debian's wine64) and Ruby only if they are installed.
# Without them their points are NOT TRIED.
.PHONY: rehearse
rehearse: pkg policy go-module
	$(call say,rehearsal of a release: about 45 minutes the first time and 35 after that)
	@node pkg/build/rehearse.mjs

# What publishing the package, the crate and the policy still lacks; not part of `test`.
.PHONY: release-check
release-check:
	@node pkg/build/release.mjs

# --- benchmarks -------------------------------------------------------------------------------------------------------

# Numbers for tests/peers/RESULTS.md and the README; never part of `test`, for times depend on what else the machine does.
.PHONY: bench
bench:
	$(call say,claimkit and its peers: about 10 minutes the first time and 4 minutes after that)
	@$(MAKE) pkg
	@node tests/peers/run.mjs
	@cd tests/peers && cargo bench --quiet --locked --bench evaluate --bench cel --bench allocate

# Compares the table of the errors that each peer finds with a new run.
.PHONY: test-peers
test-peers:
	$(call say,what claimkit and its peers catch: about 5 minutes the first time)
	@node tests/peers/run.mjs --catch --check
