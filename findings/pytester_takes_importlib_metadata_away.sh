#!/usr/bin/env bash
# importlib_metadata 8.9.0 with pytest 9.2.0: importing the backport removes the standard library's own
# finder of distributions and adds its own to sys.meta_path, which pytest's pytester fixture restores
# after the test. From then on the process finds no installed package: importlib.metadata.version fails
# in every later test. litellm imports the backport, so one test with pytester that asks a model does it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pytest==9.2.0' 'importlib_metadata==8.9.0'
cat > test_both.py <<'PROGRAM'
from importlib.metadata import PackageNotFoundError, version

pytest_plugins = ["pytester"]


def found():
    try:
        return version("pytest")
    except PackageNotFoundError as error:
        return type(error).__name__


def test_before(pytester):
    print("before:", found())


def test_that_imports_the_backport(pytester):
    import importlib_metadata

    print("after its import:", found())


def test_after(pytester):
    print("in the next test:", found())
PROGRAM
cat > expected.txt <<'EXPECTED'
before: 9.2.0
after its import: 9.2.0
in the next test: PackageNotFoundError
EXPECTED
.venv/bin/python -m pytest -q -s -p no:cacheprovider test_both.py | grep -o -E '(before|after its import|in the next test): \S+' | tee seen.txt
diff expected.txt seen.txt
