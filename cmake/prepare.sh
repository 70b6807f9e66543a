# Sourced by the project's scripts. prepare PRESET TARGET... installs the distribution's packages that are
# missing, configures build/PRESET and builds the targets; it is quiet about what is already there.

attnc_packages="g++ cmake ninja-build git python3 python3-numpy python3-psutil python3-venv
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 clang-format-22 clang-tidy-22 lld-22
  libclang-rt-22-dev libzstd-dev zlib1g-dev libxml2-dev libfmt-dev libgtest-dev libmpfr-dev
  nlohmann-json3-dev libdlpack-dev libpng-dev pkgconf dpkg-dev
  qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

install_missing() {
  local missing=() package
  for package in $attnc_packages; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "installing ${#missing[@]} packages: ${missing[*]}" >&2
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "error: run as root, or install these packages first: ${missing[*]}" >&2
      return 3
    }
    as_root=(sudo)
  fi
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -5 "$log" >&2
    echo "error: installing failed; the whole log is in $log" >&2
    return 3
  fi
  rm -f "$log"
}

# Runs a long command with its output in a log; shows the log's end if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 && return 0
  grep -E 'error|FAILED|Error' "$log" | head -20 >&2
  echo "error: '$*' failed; the whole log is in $log" >&2
  return 3
}

# Puts ptxas and nvdisasm, with which tests look at machine code, at the end of PATH if they are not there: from Python packages of
# NVIDIA, in a virtual environment below build/. Figures of tests are for these versions. Without them those tests are skipped.
find_cuda_tools() {
  local folder=$PWD/build/cuda-tools missing=() pair
  for pair in ptxas=nvidia-cuda-nvcc==13.0.88 nvdisasm=nvidia-cuda-nvdisasm==13.5.37; do
    command -v "${pair%%=*}" >/dev/null || missing+=("$pair")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local bin=$folder/bin/cuda
  for pair in "${missing[@]}"; do
    [ -x "$bin/${pair%%=*}" ] && continue
    echo "installing ${pair#*=} ..." >&2
    { [ -x "$folder/bin/pip" ] || /usr/bin/python3 -m venv "$folder"; } >"$folder.log" 2>&1 &&
      "$folder/bin/pip" install --no-deps --disable-pip-version-check "${pair#*=}" >>"$folder.log" 2>&1 &&
      ln -sfn "$(dirname "$(find "$folder/lib" -type f -name "${pair%%=*}" | head -1)")" "$bin" ||
      echo "note: no ${pair%%=*}: ${pair#*=} cannot be installed; the whole log is in $folder.log" >&2
  done
  export PATH=$PATH:$bin
}

prepare() {
  local preset=$1
  shift
  install_missing || return
  local build=build/$preset
  mkdir -p "$build"
  if [ ! -f "$build/build.ninja" ]; then
    quietly "$build/configure.log" cmake --preset "$preset" || return
  fi
  if ! cmake --build "$build" --target "$@" -- -n 2>/dev/null | grep -q 'no work to do'; then
    echo "building $build (up to ten minutes the first time, on two cores) ..." >&2
    quietly "$build/build.log" cmake --build "$build" --target "$@" || return
  fi
}
