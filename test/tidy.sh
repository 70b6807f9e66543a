#!/usr/bin/env bash
# Runs clang-tidy-22 over our own sources. Usage: test/tidy.sh [PATH...]; without a path over all of them, which takes
# half an hour on two cores. Exit status 0 if it finds nothing.
set -u
cd "$(dirname "$0")/.." || exit 3
. cmake/prepare.sh
[ $# -gt 0 ] || set -- runtime dialect compiler
prepare dev all attnc-test-depends || exit
git ls-files "$@" | grep '\.cpp$' | xargs -P "$(nproc)" -n 4 clang-tidy-22 -p build/dev --quiet 2>/dev/null | grep -E '(error|warning):' | sort -u
[ "${PIPESTATUS[3]}" -ne 0 ]
