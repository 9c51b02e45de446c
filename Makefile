# What a person types. Each target installs what is missing (on Debian 12),
# configures and builds first; CMake and Ninja do the work.
#
#   make demo     compile two attention layers, run the kernels' PTX on the CPU
#                 and compare with the reference
#   make check    build everything and run all tests; ends with
#                 "N passed, N failed"
#   make check-long  what takes longer: 2000 random layers (PROBLEMS=A:B for other
#                 seeds), every mutant, 100 seeds for each clean kernel, random
#                 programs, the simulator alone with a plain compiler, the wheel,
#                 and the fuzz targets for FUZZ_SECONDS each (60)
#   make build    everything, without running it
#   make wheel    the Python wheel, into build/wheel
#   make check-wheel  installs it in a fresh environment, hides the system's LLVM
#                 and runs the example of README.md
#   make check-frameworks  imports models of PyTorch, JAX and ONNX and runs them; the
#                 frameworks go into build/frameworks, pinned and hashed (6 GB)
#   make install-frameworks  only puts them there
#   make bench-launch  time from a cache hit, and of a launch without a device
#   make bench-sim  warp instructions the simulator executes in a second
#   make format   bring all C++ to the house style
#   make docs     print docs/generated from the .td files
#   make deps     only the packages
#
# PRESET=dev or PRESET=sanitize chooses another preset of CMakePresets.json.

PRESET ?= ci
PYTHON ?= /usr/bin/python3
BUILD := build/$(PRESET)

.PHONY: demo check check-long check-frameworks install-frameworks fuzz wheel check-wheel bench-launch bench-sim build configure format docs deps
.DEFAULT_GOAL := build

deps:
	@PYTHON="$(PYTHON)" PRESET="$(PRESET)" WHEEL="$(WHEEL)" cmake/install-deps.sh

configure: deps
	@cmake --preset $(PRESET) -DPython3_EXECUTABLE="$(PYTHON)"

build: configure
	@cmake --build $(BUILD)

demo: configure
	@cmake --build $(BUILD) --target goatc goat-run
	@"$(PYTHON)" python/scripts/demo.py $(BUILD)/bin

# The count comes last, whether the tests passed, failed or were not built.
check: configure
	@rm -f $(BUILD)/test-results.json
	@cmake --build $(BUILD) --target check-goat; \
	  "$(PYTHON)" test/print-count.py $(BUILD)/test-results.json

# GOAT_LONG=1 is what tests look at: 100 seeds where make check takes 3.
FUZZ_SECONDS ?= 60
PROBLEMS ?= 0:2000
check-long: configure
	@cmake --build $(BUILD) --target PTXSimTests PTXSimForeignTests goatc goat-run
	@"$(PYTHON)" -B python/scripts/random_problems.py $(BUILD)/bin --seeds $(PROBLEMS) --jobs 2
	@GOAT_LONG=1 $(BUILD)/unittests/PTXSimTests --gtest_brief=1
	@GOAT_LONG=1 $(BUILD)/unittests/PTXSimForeignTests --gtest_brief=1
	@"$(PYTHON)" python/scripts/check_kernels.py $(BUILD)/bin --seeds 10
	@cmake --build $(BUILD) --target goat-test-opt goat-translate
	@PATH="$(CURDIR)/$(BUILD)/bin:$$PATH" "$(PYTHON)" -B test/E2E/Inputs/mutants/mutants.py check docs/mutants.md
	@cmake -S docs/examples/ptxsim -B build/ptxsim >/dev/null
	@cmake --build build/ptxsim && build/ptxsim/saxpy
	@$(MAKE) --no-print-directory check-wheel
	@$(MAKE) --no-print-directory fuzz PRESET=fuzz

# Under the sanitizers; PRESET=fuzz has to be given. A crash leaves its input.
fuzz: configure
	@cmake --build $(BUILD) --target fuzzers
	@mkdir -p $(BUILD)/corpus/parser $(BUILD)/corpus/program
	@cp test/PTXSim/Inputs/*.ptx test/fuzz/corpus/parser/*.ptx $(BUILD)/corpus/parser
	@cd $(BUILD) && fuzz/parser-fuzzer -max_total_time=$(FUZZ_SECONDS) \
	  -max_len=4096 -timeout=20 -print_final_stats=1 -verbosity=0 corpus/parser
	@cd $(BUILD) && fuzz/program-fuzzer -max_total_time=$(FUZZ_SECONDS) \
	  -max_len=400 -timeout=20 -print_final_stats=1 -verbosity=0 corpus/program

wheel: configure
	@"$(PYTHON)" -B python/scripts/build_wheel.py build/wheel build=$(BUILD)

check-wheel: WHEEL := yes
check-wheel: wheel
	@"$(PYTHON)" -B python/scripts/check_wheel.py build/wheel/*.whl

FRAMEWORKS := build/frameworks
# The wheels are linked from the cache, which is as large, so it can go.
$(FRAMEWORKS)/done: test/Frameworks/installer.txt test/Frameworks/requirements.txt | deps
	@"$(PYTHON)" -m venv --clear $(FRAMEWORKS)
	@$(FRAMEWORKS)/bin/pip install --quiet --no-deps --require-hashes -r $<
	@$(FRAMEWORKS)/bin/uv pip install --quiet --native-tls --no-deps --require-hashes \
	  --cache-dir $(FRAMEWORKS)/cache --python $(FRAMEWORKS)/bin/python \
	  -r test/Frameworks/requirements.txt
	@rm -rf $(FRAMEWORKS)/cache
	@touch $@

install-frameworks: WHEEL := yes
install-frameworks: $(FRAMEWORKS)/done

PYTEST := JAX_PLATFORMS=cpu PYTHONPATH=python GOATC_CACHE_DIR=off \
  GOATC_TABLES=$(FRAMEWORKS)/tables GOATC_LIBRARY=$(BUILD)/lib/libGoatC.so.0.1 \
  $(FRAMEWORKS)/bin/python -B -m pytest -q -p no:cacheprovider

# The tables that the tests find are compared with those of the page after them.
check-frameworks: install-frameworks configure
	@cmake --build $(BUILD) --target GoatC
	@rm -rf $(FRAMEWORKS)/tables $(FRAMEWORKS)/*.xml; mkdir $(FRAMEWORKS)/tables
	@$(PYTEST) -n 2 --dist worksteal --junitxml=$(FRAMEWORKS)/tests.xml --durations=10 \
	  --ignore=test/Frameworks/test_written.py test/Frameworks; \
	$(PYTEST) --junitxml=$(FRAMEWORKS)/tables.xml test/Frameworks/test_written.py; \
	"$(PYTHON)" test/print-count.py $(FRAMEWORKS)/tests.xml $(FRAMEWORKS)/tables.xml

bench-launch: configure
	@cmake --build $(BUILD) --target GoatC
	@"$(PYTHON)" -B python/scripts/bench_launch.py

bench-sim: configure
	@cmake --build $(BUILD) --target goatc goat-sim
	@"$(PYTHON)" python/scripts/bench_sim.py $(BUILD)/bin

format: deps
	@git ls-files '*.cpp' '*.h' | xargs clang-format-22 -i

docs: configure
	@cmake --build $(BUILD) --target docs
