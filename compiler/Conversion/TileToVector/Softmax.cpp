//===- Softmax.cpp - The steps of online softmax --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Conversion/TileToVector/KernelLowering.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace attnc;

static constexpr float infinity = std::numeric_limits<float>::infinity();

/// Minimax polynomials of 2^x with constant term 1, from the first power of x on. The relative
/// error is 2e-9 for the first ones and 9e-8 for the others.
static constexpr float exp2On0To1[] = {0.693147063f,   0.2402293086f, 0.0554852821f,
                                       0.00967545155f, 0.0012467842f, 0.000216129279f};
static constexpr float exp2OnHalves[] = {0.6931471825f,  0.2402264774f, 0.0555033237f,
                                         0.00961843692f, 0.0013398875f, 0.000153533634f};
static constexpr float shortExp2On0To1[] = {0.693151295f, 0.240164444f, 0.0557999127f,
                                            0.00901703071f, 0.00186712982f};
static constexpr float shortExp2OnHalves[] = {0.693147004f, 0.240222424f, 0.0555073395f,
                                              0.00967151299f, 0.00132647157f};

void KernelLowering::initState() {
  Value least = code.splat(-infinity), zero = code.splat(0);
  forSubTiles([&](Value index) {
    Value row = code.mul(index, scratch.rowBytes);
    for (int64_t v = 0; v < getNumVectors(); ++v) {
      int64_t offset = v * code.getVectorBytes();
      code.storeVector(least,
                       code.address(code.address(scratchBase, scratch.maxima + offset), row));
      code.storeVector(zero, code.address(code.address(scratchBase, scratch.sums + offset), row));
    }
    Value output = code.address(code.address(scratchBase, scratch.output),
                                code.mul(index, scratch.outputTileBytes));
    code.loop(code.i64(0), code.i64(scratch.outputTileBytes), code.getVectorBytes(),
              [&](Value byte) { code.storeVector(zero, code.address(output, byte)); });
  });
}

/// 1 + x * (c[0] + x * (c[1] + …)).
static Value emitPolynomial(CodeBuilder &code, Value x, ArrayRef<float> coefficients) {
  Value result = code.splat(coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    result = code.multiplyAdd(result, x, code.splat(coefficient));
  return code.multiplyAdd(result, x, code.splat(1.0f));
}

/// 2^x for x of at most about 1: exactly 0 for -inf, NaN for NaN, and 0 or exact to rounding where
/// the result is denormal.
Value KernelLowering::emitExp2(Value x) {
  bool shortForm = !attn.getDtype().isF32();
  if (schedule.has(tile::Features::ReduceScale)) {
    auto constant = [&](IntegerAttr value) { return code.constant(value); };
    Value all = constant(code.getI16IntegerAttr(-1));
    Value currentRounding = constant(code.getI32IntegerAttr(4));
    // x - floor(x): no fraction bits, rounding down, without the precision exception.
    Value floorForm = constant(code.getI32IntegerAttr(9));
    Value zero = code.splat(0);
    Value fraction = code.intrinsic(x.getType(), "llvm.x86.avx512.mask.reduce.ps.512",
                                    {x, floorForm, zero, all, currentRounding});
    Value power = emitPolynomial(code, fraction,
                                 shortForm ? ArrayRef(shortExp2On0To1) : ArrayRef(exp2On0To1));
    return code.intrinsic(x.getType(), "llvm.x86.avx512.mask.scalef.ps.512",
                          {power, x, zero, all, currentRounding});
  }
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits; 127 more make it an exponent.
  Value magic = code.splat(0x1.8p23f + 127.0f);
  Value shifted = code.addF(x, magic);
  Value fraction = code.subF(x, code.subF(shifted, magic));
  Value power = emitPolynomial(code, fraction,
                               shortForm ? ArrayRef(shortExp2OnHalves) : ArrayRef(exp2OnHalves));
  auto integers = code.getVectorType(code.getI32Type());
  Value exponent = arith::ShLIOp::create(code, code.bitcast(integers, shifted), code.splatI32(23));
  Value scaled = code.mulF(power, code.bitcast(x.getType(), exponent));
  Value tiny = code.compareF(arith::CmpFPredicate::OLT, x, code.splat(-126.0f));
  return code.select(tiny, code.splat(0), scaled);
}

/// Turns scores into weights; gives their sums. Weights take the place of scores, or are rounded
/// and stored as pairs of neighbouring keys.
KernelLowering::Values KernelLowering::emitWeights(const SubTile &tile, ValueRange maxima) {
  int64_t numVectors = getNumVectors();
  Value scores = code.address(scratchBase, scratch.scores);
  Value weights = code.address(scratchBase, scratch.weights);
  Value scale = code.splat(exponentScale);
  Values zeros(numVectors, code.splat(0));
  bool pairs = scratch.form == OperandForm::Pairs;
  auto narrow = code.getVectorType(code.getBF16Type());

  // Two keys at a time: row tiles are multiples of 2.
  return code.loop(tile.keyBegin, tile.keyEnd, 2, zeros, [&](Value key, ValueRange carried) {
    Value address = code.address(scores, code.mul(key, scratch.rowBytes));
    Values sums(carried);
    for (int64_t v = 0; v < numVectors; ++v) {
      Value rounded[2];
      for (int64_t i = 0; i < 2; ++i) {
        Value place = code.address(address, i * scratch.rowBytes + v * code.getVectorBytes());
        Value difference = code.subF(code.loadVector(place), maxima[v]);
        Value weight = emitExp2(code.mulF(difference, scale));
        sums[v] = code.addF(sums[v], weight);
        if (pairs)
          rounded[i] = arith::TruncFOp::create(code, narrow, weight);
        else
          code.storeVector(weight, place);
      }
      if (!pairs)
        continue;
      Value both = vector::InterleaveOp::create(code, rounded[0], rounded[1]);
      Value target = code.address(code.address(weights, v * code.getVectorBytes()),
                                  code.mul(key, scratch.rowBytes / 2));
      code.storeVector(code.bitcast(code.getVectorType(code.getF32Type()), both), target);
    }
    return sums;
  });
}

/// As emitWeights, but weights stay f32 in the place of scores, and are -0 where the score is -inf:
/// such pairs do not touch values.
KernelLowering::Values KernelLowering::emitExactWeights(const SubTile &tile, ValueRange maxima) {
  Value scores = code.address(scratchBase, scratch.scores);
  Value scale = code.splat(exponentScale);
  Value least = code.splat(-infinity), untouched = code.splat(-0.0f);
  Values zeros(getNumVectors(), code.splat(0));
  return code.loop(tile.keyBegin, tile.keyEnd, 1, zeros, [&](Value key, ValueRange carried) {
    Value address = code.address(scores, code.mul(key, scratch.rowBytes));
    Values sums;
    for (int64_t v = 0; v < getNumVectors(); ++v) {
      Value place = code.address(address, v * code.getVectorBytes());
      Value value = code.loadVector(place);
      Value weight = emitExp2(code.mulF(code.subF(value, maxima[v]), scale));
      Value absent = code.compareF(arith::CmpFPredicate::OEQ, value, least);
      weight = code.select(absent, untouched, weight);
      code.storeVector(weight, place);
      sums.push_back(code.addF(carried[v], weight));
    }
    return sums;
  });
}

void KernelLowering::emitSoftmaxStep(SubTile &tile) {
  Value zero = code.splat(0), least = code.splat(-infinity), scale = code.splat(exponentScale);
  Values maxima;
  tile.factors.clear();
  for (int64_t v = 0; v < getNumVectors(); ++v) {
    int64_t offset = v * code.getVectorBytes();
    Value place = code.address(tile.maxima, offset);
    Value newMaximum = code.loadVector(code.address(scratchBase, scratch.newMaxima + offset));
    // Nothing seen yet: subtracting 0 leaves -inf, and weights of 0.
    Value none = code.compareF(arith::CmpFPredicate::OEQ, newMaximum, least);
    maxima.push_back(code.select(none, zero, newMaximum));
    Value change = code.subF(code.loadVector(place), maxima.back());
    tile.factors.push_back(emitExp2(code.mulF(change, scale)));
    code.storeVector(newMaximum, place);
  }
  auto finish = [&](ValueRange added) {
    for (auto [v, sum] : llvm::enumerate(added)) {
      Value place = code.address(tile.sums, v * code.getVectorBytes());
      code.storeVector(code.multiplyAdd(code.loadVector(place), tile.factors[v], sum), place);
    }
  };
  code.ifElse(
      exact, [&] { finish(emitExactWeights(tile, maxima)); },
      [&] { finish(emitWeights(tile, maxima)); });
}
