# The front door. Each target installs what it needs first (scripts/setup, Debian and Ubuntu), then
# calls CMake. CXX=clang++ and others get a build folder of their own.

PREFIX ?= /usr/local/Ascend
JOBS ?= $(shell nproc)
# Of `make crosscheck`.
CASES ?= 500
# Of `make bench-choice`.
PROBLEMS ?= 500
# Of those, of `make soak` and of `make fuzz`.
SEED ?= 1
# Of `make soak` and `make fuzz`.
SECONDS ?= 600
# ON turns warnings into errors.
WERROR ?= OFF
# ON leaves out kernels for instruction sets that this machine lacks, which is quicker to build.
NATIVE ?= ON

# make's own default is not a choice.
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(CXX),g++)
BUILD ?= build
else
BUILD ?= build-$(notdir $(CXX))
endif
# The C compiler of the same family: clang++-14 goes with clang-14.
C_OF_CXX := $(subst g++,gcc,$(subst clang++,clang,$(CXX)))
export CXX
COMPILER := $(if $(findstring clang,$(CXX)),clang)

CONFIGURE = cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER=$(CXX) -DCMAKE_C_COMPILER=$(C_OF_CXX) -DACLIMB_NATIVE=$(NATIVE)
# A folder that already has the tests keeps them.
LIBRARIES = [ -f $(BUILD)/build.ninja ] || $(CONFIGURE) -DACLIMB_BUILD_TESTS=OFF

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-torch test-llama wheel test-python \
  test-report soak fuzz crosscheck install bench \
  bench-choice bench-neighbours lint docs coverage clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14
	@echo
	@echo "Variables: CXX=clang++  PREFIX=/where/to/install  JOBS=4  WERROR=ON  NATIVE=OFF"

setup:
	@scripts/setup build $(COMPILER)

build: setup ## build the libraries into build/
	@$(LIBRARIES)
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: build ## build, install into local/, build and run the programs in examples/
	@scripts/install $(BUILD) local
	@scripts/demo local/cann $(BUILD)/demo

test: ## build everything and run all tests
	@scripts/setup build test $(COMPILER)
	@$(CONFIGURE) -DACLIMB_BUILD_TESTS=ON -DACLIMB_WERROR=$(WERROR)
	@cmake --build $(BUILD) --parallel $(JOBS)
	@GTEST_BRIEF=1 ctest --test-dir $(BUILD) --parallel $$(($(JOBS) + 1)) --output-on-failure --no-tests=error

test-torch: build ## PyTorch with torch_npu on Aclimb; downloads about 3 GB the first time
	@tests/torch/run $(BUILD)

test-llama: build ## llama.cpp with its CANN backend on Aclimb; builds it the first time
	@JOBS=$(JOBS) tests/llama/run $(BUILD)

wheel: ## the Python wheel, for every machine, into dist/
	@scripts/setup build python $(COMPILER)
	@scripts/wheel $(BUILD)-wheel dist

test-python: wheel ## the wheel in a virtual environment, with NumPy
	@tests/python/run $(BUILD)-wheel dist

test-report: ## the page of `aclimb report` in a browser, with pictures of it
	@scripts/setup build test browser $(COMPILER)
	@$(CONFIGURE) -DACLIMB_BUILD_TESTS=ON -DACLIMB_WERROR=$(WERROR)
	@cmake --build $(BUILD) --parallel $(JOBS) --target test_report

soak: ## random calls from many threads, with and without the checker (SECONDS=, SEED=)
	@scripts/setup build test $(COMPILER)
	@$(CONFIGURE) -DACLIMB_BUILD_TESTS=ON -DACLIMB_WERROR=$(WERROR)
	@cmake --build $(BUILD) --parallel $(JOBS) --target aclimb_soak
	@$(BUILD)/tests/soak/aclimb_soak $(SECONDS) $(SEED)

fuzz: ## byte strings that reach new code, under sanitizers (SECONDS=, JOBS=, SEED=)
	@scripts/setup build test fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --parallel $(JOBS) --target fuzz_targets
	@tests/fuzz/fuzz.py build-fuzz --seconds $(SECONDS) --jobs $(JOBS) --seed $(SEED)

crosscheck: build ## random problems against PyTorch and torchvision (CASES=, SEED=)
	@scripts/setup bench
	@ACLIMB_LIBRARY=$(CURDIR)/$(BUILD)/lib64/libopapi.so \
	  /usr/bin/python3 tests/crosscheck/crosscheck.py --cases $(CASES) --seed $(SEED)

install: build ## install below PREFIX: cann-<version>, cann, ascend-toolkit
	@scripts/install $(BUILD) "$(PREFIX)"
	@echo "installed. Next: . $(PREFIX)/cann/set_env.sh"

bench: ## compare the operators with PyTorch on this machine
	@scripts/setup build bench
	@bench/compare

bench-choice: ## the way of convolution that is chosen beside all others (PROBLEMS=, SEED=)
	@scripts/setup build bench
	@$(CONFIGURE) -DACLIMB_BUILD_BENCH=ON
	@cmake --build $(BUILD) --parallel $(JOBS) --target convolution_choice
	@program=$$(find $(BUILD) -name convolution_choice -type f -print -quit) && \
	  "$$program" $(PROBLEMS) $(SEED) && ACLIMB_CPU_TARGET=avx2 "$$program" $(PROBLEMS) $(SEED)

bench-neighbours: ## the operators beside programs that keep cores busy
	@scripts/setup build bench
	@bench/neighbours

lint: ## formatting, clang-tidy and the project's own rules
	@scripts/setup build test lint
	@scripts/lint

docs: setup ## write the generated pages in docs/ anew
	@$(LIBRARIES)
	@cmake --build $(BUILD) --target docs --parallel $(JOBS)

coverage: ## line coverage of aclimb/ and backends/ by the tests
	@scripts/setup build test coverage
	@scripts/coverage

clean: ## remove build folders and the local installation
	rm -rf build build-* dist local
