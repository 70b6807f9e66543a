//===- Reference.cpp - Attention, pair by pair ------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Reference/Reference.h"
#include "attnc/ArgumentLayout.h"
#include "attnc/HostKernel.h"
#include "compiler/Target/Reference/PairProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/ThreadPool.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace attnc;
using namespace attnc::reference;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// A weight this far below its row's largest cannot be seen in f32.
static constexpr double weightless = 0x1p-24;
/// Rows that a thread takes at a time.
static constexpr int64_t rowsPerTask = 16;

/// `value` as an element of `type` holds it.
static double roundTo(ElementType type, double value) {
  auto narrow = static_cast<float>(value);
  if (type == ElementType::F16)
    return convertF16ToFloat(convertFloatToF16(narrow));
  if (type == ElementType::BF16)
    return convertBF16ToFloat(convertFloatToBF16(narrow));
  return narrow;
}

static void writeElement(const TensorView &view, std::initializer_list<int64_t> indices,
                         double value) {
  int64_t offset = 0;
  for (auto [index, stride] : llvm::zip(indices, view.strides))
    offset += index * stride;
  char *place = static_cast<char *>(view.data) + offset * getSize(view.type);
  auto narrow = static_cast<float>(value);
  if (view.type == ElementType::F32) {
    std::memcpy(place, &narrow, sizeof(narrow));
    return;
  }
  uint16_t bits =
      view.type == ElementType::F16 ? convertFloatToF16(narrow) : convertFloatToBF16(narrow);
  std::memcpy(place, &bits, sizeof(bits));
}

/// The dot product of the oracle, in eight partial sums for speed.
static double dot(const double *a, const double *b, int64_t n) {
  double sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t lane = 0; lane < 8; ++lane)
      sums[lane] += a[i + lane] * b[i + lane];
  for (int64_t lane = 0; i < n; ++i, ++lane)
    sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// The dot product of an unfused run, in the order of a matrix product, whose kernels keep one sum
/// an output and vectorise over outputs.
static float dot(const float *a, const float *b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

namespace {
/// What all threads share.
struct Problem {
  const LaunchArguments &arguments;
  const BoundArguments &bound;
  const Outputs &outputs;
  ElementType dtype;
  int64_t headDim, valueDim;
  double scale;
  const PairProgram *score; ///< null: scores stay as they are
  const PairProgram *mask;  ///< null: every pair takes part
};

/// A promise of a load that an index broke.
struct BrokenCheck {
  Location loc;
  int64_t index, size;
};

/// Computes rows, keeping what was found on the way. `Real` is the type of all sums: double, or
/// float for an unfused run.
template <typename Real> class RowWorker {
public:
  explicit RowWorker(const Problem &problem) : problem(problem), query(problem.headDim) {
    if (problem.score)
      scoreRegisters = problem.score->makeRegisters();
    if (problem.mask)
      maskRegisters = problem.mask->makeRegisters();
  }

  void computeRow(int64_t b, int64_t h, int64_t q) {
    int64_t keyHead = h / (problem.bound.Hq / problem.bound.Hkv);
    loadKeys(b, keyHead);
    readRow(problem.arguments.q, b, h, q, query.data());
    collectScores(b, h, q);
    applySoftmax();
    writeRow(b, h, q);
  }

  Summary summary;
  std::optional<BrokenCheck> broken;

private:
  /// A pair that takes part.
  struct Pair {
    int64_t kv;
    Real raw;    ///< before score_mod
    Real score;  ///< after it
    Real weight; ///< of V in O
  };

  static constexpr bool isExact = std::is_same_v<Real, double>;

  void readRow(const TensorView &view, int64_t b, int64_t h, int64_t row, Real *out) const {
    int64_t offset = b * view.strides[0] + h * view.strides[1] + row * view.strides[2];
    for (int64_t i = 0; i < view.sizes[3]; ++i)
      out[i] = static_cast<Real>(readElement(view.data, view.type, offset + i).f);
  }

  void loadKeys(int64_t b, int64_t keyHead) {
    if (loaded == std::pair(b, keyHead))
      return;
    loaded = {b, keyHead};
    keys.resize(problem.bound.KV * problem.headDim);
    values.resize(problem.bound.KV * problem.valueDim);
    for (int64_t kv = 0; kv < problem.bound.KV; ++kv) {
      readRow(problem.arguments.k, b, keyHead, kv, &keys[kv * problem.headDim]);
      readRow(problem.arguments.v, b, keyHead, kv, &values[kv * problem.valueDim]);
    }
  }

  /// Fills `pairs` with the keys that take part and their scores. An excluded pair is left alone
  /// altogether: neither its key nor score_mod is looked at.
  void collectScores(int64_t b, int64_t h, int64_t q) {
    pairs.clear();
    for (int64_t kv = 0; kv < problem.bound.KV; ++kv) {
      Findings findings;
      Cell place[] = {{.i = b}, {.i = h}, {.i = q}, {.i = kv}};
      bool takesPart =
          !problem.mask || problem.mask->evaluate(maskRegisters, place, findings).i != 0;
      if (takesPart) {
        Real raw = static_cast<Real>(problem.scale) *
                   dot(query.data(), &keys[kv * problem.headDim], problem.headDim);
        raw = static_cast<Real>(limitToF32Range(raw));
        Real score = raw;
        if (problem.score) {
          Cell scored[] = {{.f = raw}, place[0], place[1], place[2], place[3]};
          score = static_cast<Real>(problem.score->evaluate(scoreRegisters, scored, findings).f);
        }
        pairs.push_back({kv, raw, score, 0});
      }
      if (findings.broken && !broken)
        broken = BrokenCheck{findings.broken->loc, findings.index, findings.size};
      if (findings.clamped && takesPart && !summary.clamped)
        summary.clamped = reference::ClampedIndex{
            b, h, q, kv, findings.clamped->loc, findings.dim, findings.index, findings.size};
    }
    summary.pairs += static_cast<int64_t>(pairs.size());
  }

  /// Turns the scores into weights. A score of -inf has weight 0; a row without any other is empty.
  /// One of NaN or +inf makes every weight of the row NaN.
  void applySoftmax() {
    Real largest = -infinity, sum = 0;
    isEmpty = true;
    for (const Pair &pair : pairs) {
      isEmpty &= pair.score == -infinity;
      if (pair.score > largest)
        largest = pair.score;
    }
    for (Pair &pair : pairs) {
      pair.weight = pair.score == -infinity ? 0 : std::exp(pair.score - largest);
      sum += pair.weight;
      if (pair.weight > weightless)
        for (double score : {std::fabs(pair.raw), std::fabs(pair.score)})
          if (std::isfinite(score))
            summary.largestScore = std::max(summary.largestScore, score);
    }
    lse = isEmpty ? -infinity : largest + std::log(sum);
    for (Pair &pair : pairs) {
      pair.weight = isEmpty ? 0 : pair.weight / sum;
      if (!isExact)
        pair.weight = static_cast<Real>(roundTo(problem.dtype, pair.weight));
      else if (static_cast<float>(pair.weight) == 0)
        pair.weight = 0; // so that it meets an infinite V as in f32
    }
  }

  void writeRow(int64_t b, int64_t h, int64_t q) {
    output.assign(problem.valueDim, 0);
    for (const Pair &pair : pairs) {
      if (pair.score == -infinity)
        continue;
      const Real *value = &values[pair.kv * problem.valueDim];
      for (int64_t i = 0; i < problem.valueDim; ++i)
        output[i] += pair.weight * value[i];
    }
    const Outputs &out = problem.outputs;
    if (out.o)
      for (int64_t i = 0; i < problem.valueDim; ++i)
        writeElement(*out.o, {b, h, q, i}, isExact ? output[i] : roundTo(problem.dtype, output[i]));
    if (out.lse)
      writeElement(*out.lse, {b, h, q}, lse);
    if (!out.weights)
      return;
    for (int64_t kv = 0; kv < problem.bound.KV; ++kv)
      writeElement(*out.weights, {b, h, q, kv}, 0);
    for (const Pair &pair : pairs)
      writeElement(*out.weights, {b, h, q, pair.kv}, pair.weight);
  }

  const Problem &problem;
  std::vector<Cell> scoreRegisters, maskRegisters;
  std::pair<int64_t, int64_t> loaded = {-1, -1}; ///< whose keys and values these are
  std::vector<Real> keys, values, query, output;
  std::vector<Pair> pairs;
  bool isEmpty = true;
  Real lse = 0;
};
} // namespace

/// Keeps the earlier of two findings.
static void merge(Summary &into, const Summary &from) {
  into.pairs += from.pairs;
  into.largestScore = std::max(into.largestScore, from.largestScore);
  auto place = [](const reference::ClampedIndex &index) {
    return std::tuple(index.b, index.h, index.q, index.kv);
  };
  if (from.clamped && (!into.clamped || place(*from.clamped) < place(*into.clamped)))
    into.clamped = from.clamped;
}

/// Computes all rows, on several threads that take the next few rows whenever they are done.
template <typename Real>
static FailureOr<Summary> computeRows(const Problem &problem, unsigned threads) {
  const BoundArguments &bound = problem.bound;
  int64_t rows = bound.B * bound.Hq * bound.Q;
  int64_t tasks = rows / rowsPerTask + (rows % rowsPerTask != 0);
  std::vector<RowWorker<Real>> workers;
  for (int64_t i = 0; i < std::min<int64_t>(std::max(threads, 1U), tasks); ++i)
    workers.emplace_back(problem);
  ThreadPool::get().run(tasks, static_cast<int>(workers.size()), [&](int64_t task, int worker) {
    for (int64_t row = task * rowsPerTask; row < std::min(rows, (task + 1) * rowsPerTask); ++row)
      if (!workers[worker].broken)
        workers[worker].computeRow(row / bound.Q / bound.Hq, row / bound.Q % bound.Hq,
                                   row % bound.Q);
  });

  Summary summary;
  for (RowWorker<Real> &worker : workers) {
    if (worker.broken)
      return emitError(worker.broken->loc)
             << "internal error: the index " << worker.broken->index << " into a dimension of size "
             << worker.broken->size << " breaks what the load promises";
    merge(summary, worker.summary);
  }
  return summary;
}

static double getScale(attn::KernelOp kernel, const BoundArguments &bound) {
  if (!kernel.getScaleArgument() && !kernel.getScale())
    return 1 / std::sqrt(static_cast<double>(kernel.getHeadDim()));
  return std::bit_cast<float>(static_cast<int32_t>(bound.slots[ArgumentLayout::Scale]));
}

FailureOr<Summary> reference::run(attn::KernelOp kernel, const KernelInfo &info,
                                  const LaunchArguments &arguments, const BoundArguments &bound,
                                  const Outputs &outputs, Precision precision, unsigned threads) {
  Arithmetic arithmetic = precision == Precision::Exact ? Arithmetic::Double : Arithmetic::F32;
  auto decode = [&](Operation *op) {
    return PairProgram::decode(op, kernel, info, arguments, bound, arithmetic);
  };
  FailureOr<PairProgram> score, mask;
  if (kernel.getScore() && failed(score = decode(kernel.getScore())))
    return failure();
  if (kernel.getMask() && failed(mask = decode(kernel.getMask())))
    return failure();
  Problem problem{arguments,
                  bound,
                  outputs,
                  info.dtype,
                  info.headDim,
                  info.valueDim,
                  getScale(kernel, bound),
                  kernel.getScore() ? &*score : nullptr,
                  kernel.getMask() ? &*mask : nullptr};
  if (threads == 0)
    threads = getDefaultThreads();
  return precision == Precision::Unfused ? computeRows<float>(problem, threads)
                                         : computeRows<double>(problem, threads);
}
