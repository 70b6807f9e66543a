//===- graph.cpp - A thousand steps of decoding, captured once ------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
//   c++ -std=c++17 graph.cpp -o graph -lattnc_runtime -lcuda
//
// decode.cpp on an NVIDIA GPU. The launch is captured in a graph, and each step replays it: the
// position and the cache lie in the GPU's memory, where the kernel reads them, so that nothing of
// attnc runs between the steps.
//
//===------------------------------------------------------------------------===//

#include <attnc/attnc.hpp>
#include <cmath>
#include <cstdio>
#include <cuda.h>
#include <stdexcept>
#include <vector>

constexpr int heads = 4, kvHeads = 1, steps = 1000, dim = 16;

static void check(CUresult result) {
  const char *text = "unknown error";
  if (result != CUDA_SUCCESS) {
    cuGetErrorString(result, &text);
    throw std::runtime_error(text);
  }
}

/// Elements in the GPU's memory.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t count) { check(cuMemAlloc(&address, count * sizeof(T))); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cuMemFree(address); }

  T *get() const { return reinterpret_cast<T *>(address); }
  void write(const T *from, size_t count, size_t place = 0) {
    check(cuMemcpyHtoD(address + place * sizeof(T), from, count * sizeof(T)));
  }
  void read(std::vector<T> &to) const {
    check(cuMemcpyDtoH(to.data(), address, to.size() * sizeof(T)));
  }

private:
  CUdeviceptr address = 0;
};

/// The largest difference of the step's output from attention as the textbook has it.
static double compare(const std::vector<float> &q, const std::vector<float> &keys,
                      const std::vector<float> &values, const std::vector<float> &o, int position) {
  double worst = 0;
  for (size_t h = 0; h < heads; ++h) {
    std::vector<double> out(dim, 0.0);
    double sum = 0;
    for (size_t j = 0; j <= static_cast<size_t>(position); ++j) {
      double score = 0;
      for (size_t d = 0; d < dim; ++d)
        score += double(q[h * dim + d]) * keys[j * dim + d];
      double weight = std::exp(score / std::sqrt(dim));
      sum += weight;
      for (size_t d = 0; d < dim; ++d)
        out[d] += weight * values[j * dim + d];
    }
    for (size_t d = 0; d < dim; ++d)
      worst = std::fmax(worst, std::fabs(out[d] / sum - o[h * dim + d]));
  }
  return worst;
}

/// Captures one run of a launch.
static CUgraphExec capture(attnc::Launch &launch, CUstream stream) {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  launch.prepare();
  check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch(stream);
  check(cuStreamEndCapture(stream, &graph));
  check(cuGraphInstantiateWithFlags(&executable, graph, 0));
  check(cuGraphDestroy(graph));
  return executable;
}

/// Kernels that this process has asked for, compiled or not.
static int64_t countKernels() {
  attnc_cache_info_t info{};
  info.struct_size = sizeof info;
  if (attnc_cache_get_info(&info) != ATTNC_OK)
    throw std::runtime_error(attnc_device_message(nullptr));
  return info.compilations + info.memory_hits + info.disk_hits;
}

static int run() {
  CUdevice gpu = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  check(cuInit(0));
  check(cuDeviceGet(&gpu, 0));
  check(cuDevicePrimaryCtxRetain(&context, gpu));
  check(cuCtxSetCurrent(context));
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

  std::vector<float> q(heads * dim), o(heads * dim), keys(steps * dim), values(steps * dim);
  Buffer<float> queries(q.size()), outputs(o.size()), keyCache(keys.size()),
      valueCache(values.size());
  Buffer<int32_t> pos(1);
  keyCache.write(keys.data(), keys.size());
  valueCache.write(values.data(), values.size());

  attnc::Kernel kernel = attnc::jit("pos: i32[]\n"
                                    "def mask_mod(b, h, q_idx, kv_idx):\n"
                                    "    return kv_idx <= pos + q_idx\n",
                                    {"f32", "16"}, attnc::Device::open("cuda"));
  attnc::Launch launch = kernel.bind(attnc::bhsd(queries.get(), 1, heads, 1, dim).onGpu(),
                                     attnc::bhsd(keyCache.get(), 1, kvHeads, steps, dim).onGpu(),
                                     attnc::bhsd(valueCache.get(), 1, kvHeads, steps, dim).onGpu(),
                                     attnc::bhsd(outputs.get(), 1, heads, 1, dim).onGpu());
  launch.set("pos", attnc::Tensor(pos.get(), {}).onGpu());
  CUgraphExec graph = capture(launch, stream);

  double worst = 0;
  const int64_t kernels = countKernels();
  for (int32_t position = 0; position < steps; ++position) {
    for (size_t i = 0; i < q.size(); ++i)
      q[i] = std::sin(float(i) + float(position));
    const size_t row = static_cast<size_t>(position) * dim;
    for (size_t place = row; place < row + dim; ++place) {
      keys[place] = std::cos(float(place));
      values[place] = std::sin(0.5f * float(place));
    }
    queries.write(q.data(), q.size());
    keyCache.write(&keys[row], dim, row);
    valueCache.write(&values[row], dim, row);
    pos.write(&position, 1);
    check(cuGraphLaunch(graph, stream));
    check(cuStreamSynchronize(stream));
    if (position % 111 == 0) {
      outputs.read(o);
      worst = std::fmax(worst, compare(q, keys, values, o, position));
    }
  }
  check(cuGraphExecDestroy(graph));
  check(cuStreamDestroy(stream));
  bool isRight = worst < 1e-4 && countKernels() == kernels;
  std::puts(isRight ? "right" : "wrong");
  return isRight ? 0 : 1;
}

int main() try { return run(); } catch (const std::exception &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
