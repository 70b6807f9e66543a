//===- EvaluateTensors.cpp - Indexing captured tensors, tables and tuples ---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Frontend/Evaluator.h"
#include "llvm/ADT/StringExtras.h"

using namespace attnc;

Value Evaluator::load(Value value, SourceRange range) {
  if (!value.is(Value::Kind::Tensor) || value.getTensor().getRank() != 0)
    return value;
  return loadElement(value.getTensor(), range);
}

Value Evaluator::loadElement(const TensorRef &tensor, SourceRange range) {
  const Declaration &declaration = *tensor.declaration;
  if (declaration.kind == Declaration::Kind::Table) {
    // A table is known, so an element at a known place is too.
    size_t place = 0;
    bool known = true;
    for (auto [index, size] : llvm::zip(tensor.indices, declaration.sizes)) {
      known &= index.is(Value::Kind::Int);
      if (!known)
        break;
      int64_t at = index.getInt() < 0 ? index.getInt() + size.getInt() : index.getInt();
      place = place * size.getInt() + at;
    }
    if (known)
      return declaration.elements[place];
  }
  SourceRange where = getUserRange(range);
  llvm::SmallVector<ExprId> indices;
  for (const Value &index : tensor.indices)
    indices.push_back(ops.getNode(index, where));
  ScalarKind kind = getScalarKind(declaration.type);
  return Value::runtime(kind, program.graph.getLoad(declaration.name, kind, indices, where));
}

Value Evaluator::index(Operand base, llvm::ArrayRef<Operand> indices, SourceRange range) {
  for (const Operand &operand : indices)
    if (operand.value.isPoison())
      return Value::poison();
  if (base.value.is(Value::Kind::Tensor))
    return indexTensor(base.value.getTensor(), base, indices, range);
  if (base.value.is(Value::Kind::Tuple) && indices.size() == 1)
    return indexTuple(base, indices[0], range);
  report(base.range, DiagId::not_indexable, base.value.describe());
  return Value::poison();
}

Value Evaluator::indexTensor(const TensorRef &tensor, Operand base, llvm::ArrayRef<Operand> indices,
                             SourceRange range) {
  if (indices.size() > tensor.getRank()) {
    report(range, DiagId::too_many_indices, count(indices.size(), "index", "indices"),
           base.value.describe())
        .note(tensor.declaration->range, DiagId::note_declared_here, tensor.declaration->name);
    return Value::poison();
  }
  llvm::SmallVector<Value> all(tensor.indices.begin(), tensor.indices.end());
  bool failed = false;
  for (auto [i, operand] : llvm::enumerate(indices)) {
    std::optional<Value> checked =
        checkIndex(operand, tensor.getSizes()[i], tensor, tensor.indices.size() + i);
    if (checked)
      all.push_back(*checked);
    else
      failed = true;
  }
  if (failed)
    return Value::poison();
  auto *row = new (allocator.Allocate<TensorRef>()) TensorRef();
  row->declaration = tensor.declaration;
  row->indices = llvm::ArrayRef<Value>(all).copy(allocator);
  return row->getRank() == 0 ? loadElement(*row, range) : Value::tensor(row);
}

std::optional<Value> Evaluator::checkIndex(Operand index, Value size, const TensorRef &tensor,
                                           unsigned dimension) {
  index.value = load(index.value, index.range);
  if (index.value.isPoison())
    return std::nullopt;
  if (!index.value.isScalarOf(ScalarKind::Int)) {
    DiagnosticBuilder builder = report(index.range, DiagId::index_type, index.value.describe());
    if (index.value.isScalar())
      suggestWrap(builder, "int", index.range);
    return std::nullopt;
  }
  if (!index.value.is(Value::Kind::Int) || !size.is(Value::Kind::Int))
    return index.value;
  int64_t at = index.value.getInt(), count = size.getInt();
  if (at >= -count && at < count)
    return index.value;
  report(index.range, DiagId::index_outside, at, dimension, tensor.declaration->name, count)
      .note(tensor.declaration->range, DiagId::note_declared_here, tensor.declaration->name);
  return std::nullopt;
}

Value Evaluator::indexTuple(Operand base, Operand index, SourceRange range) {
  llvm::ArrayRef<Value> elements = base.value.getElements();
  index.value = load(index.value, index.range);
  if (index.value.isRuntime()) {
    report(index.range, DiagId::tuple_index_at_run_time);
    return Value::poison();
  }
  if (!index.value.is(Value::Kind::Int)) {
    if (!index.value.isPoison())
      report(index.range, DiagId::index_type, index.value.describe());
    return Value::poison();
  }
  auto count = static_cast<int64_t>(elements.size());
  int64_t at = index.value.getInt();
  if (at >= -count && at < count)
    return elements[at < 0 ? at + count : at];
  report(index.range, DiagId::tuple_index_outside, at, count);
  return Value::poison();
}

Value Evaluator::getShape(const TensorRef &tensor, SourceRange range) {
  return makeTuple(tensor.getSizes(), range);
}

Value Evaluator::getNumElements(const TensorRef &tensor, SourceRange range) {
  Value count = Value::integer(1);
  for (const Value &size : tensor.getSizes())
    count = ops.arithmetic(ast::BinaryOp::Mul, count, size, getUserRange(range));
  return count;
}
