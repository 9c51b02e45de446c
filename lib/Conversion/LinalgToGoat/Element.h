//===- Element.h - one element of a tensor as an expression -----*- C++ -*-===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a graph spells with whole tensors (transposes, broadcasts, reshapes,
// element-wise ops, reductions) becomes one expression of the element's
// indices. Two spellings of one thing give one expression, so that what reads
// expressions need not know spellings.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_CONVERSION_LINALGTOGOAT_ELEMENT_H
#define LIB_CONVERSION_LINALGTOGOAT_ELEMENT_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>
#include <memory>
#include <vector>

namespace mlir::linalg {
class LinalgOp;
class SoftmaxOp;
} // namespace mlir::linalg

namespace mlir::tensor {
class ConcatOp;
} // namespace mlir::tensor

namespace goat::raise {

enum class ElementKind { constant, index, scalar, load, operation, reduction };
enum class Combiner { add, max };

/// A node of an expression. Nodes are unique: equal expressions are one node.
struct Element : llvm::FoldingSetNode {
  ElementKind kind;
  /// The scalar type.
  mlir::Type type;
  /// Of a constant.
  mlir::Attribute constant;
  /// Of an index, over the variables of the graph; its type may be any integer.
  mlir::AffineExpr index;
  /// A scalar of the function; the tensor a load reads; the tensor that holds
  /// the results of a reduction.
  mlir::Value value;
  /// Of an operation: its name and attributes.
  std::optional<mlir::OperationName> name;
  mlir::DictionaryAttr attributes;
  Combiner combiner = Combiner::add;
  /// Operands of an operation; indices into `value` of a load or a reduction.
  llvm::SmallVector<const Element *, 4> operands;
  /// The variables it depends on.
  llvm::SmallBitVector variables;

  Element() = default;
  void Profile(llvm::FoldingSetNodeID &id) const;
  bool dependsOn(unsigned variable) const {
    return variable < variables.size() && variables[variable];
  }
  /// The name of an operation; empty for any other kind.
  llvm::StringRef opName() const {
    return kind == ElementKind::operation ? name->getStringRef()
                                          : llvm::StringRef();
  }
  bool is(llvm::StringRef operation) const { return opName() == operation; }
  bool isReduction(Combiner by) const {
    return kind == ElementKind::reduction && combiner == by;
  }
  /// The value of a floating-point constant.
  std::optional<double> number() const;
};

/// What a reduction combines, over the values of its own variables.
struct ReductionBody {
  const Element *element = nullptr;
  llvm::SmallVector<unsigned, 2> variables;
};

class ElementGraph {
public:
  explicit ElementGraph(mlir::MLIRContext *context) : context(context) {}

  /// A new variable, with values [0, size); kDynamic when the size is not
  /// known.
  unsigned addVariable(int64_t size);
  int64_t sizeOf(unsigned variable) const { return sizes[variable]; }
  const Element *variable(unsigned number);
  /// An affine expression of the variables, simplified by their sizes.
  const Element *index(mlir::AffineExpr expression, mlir::Type type = {});

  /// The element of `tensor` at `indices`, followed back to function arguments,
  /// to ops nothing is known of, and to reductions.
  const Element *elementOf(mlir::Value tensor,
                           llvm::ArrayRef<const Element *> indices);
  /// The body of a reduction, whose variables stay the same from call to call.
  ReductionBody bodyOf(const Element *reduction);
  /// The tensors a reduction reads, with the indices its body reads them at.
  struct Access {
    mlir::Value tensor;
    llvm::SmallVector<const Element *, 4> indices;
  };
  llvm::SmallVector<Access> inputsOf(const Element *reduction);
  /// What a reduction combines where its own variables have these values, each
  /// tensor looked up anew; null when there is none such.
  const Element *bodyAt(const Element *reduction,
                        llvm::ArrayRef<const Element *> at);
  /// The tensor of which an op has only moved, repeated or widened elements.
  std::optional<Access> sourceOf(const Access &access);

  using Substitution = llvm::ArrayRef<std::pair<unsigned, const Element *>>;
  /// The expression with variables replaced by indices.
  const Element *substitute(const Element *element, Substitution by);
  /// Whether two expressions are one, up to the names of reductions' variables.
  bool areEquivalent(const Element *a, const Element *b);

  const Element *operation(mlir::OperationName name,
                           mlir::DictionaryAttr attributes, mlir::Type type,
                           llvm::ArrayRef<const Element *> operands);
  const Element *operation(llvm::StringRef name, mlir::Type type,
                           llvm::ArrayRef<const Element *> operands);
  const Element *constant(mlir::Attribute value, mlir::Type type);

private:
  using Substituted = llvm::DenseMap<const Element *, const Element *>;
  const Element *substitute(const Element *element, Substitution by,
                            Substituted &known);
  const Element *intern(Element &&node);
  /// A value that is no tensor.
  const Element *scalar(mlir::Value value);
  const Element *leaf(mlir::Value tensor,
                      llvm::ArrayRef<const Element *> indices);
  const Element *reduction(mlir::Value tensor, Combiner combiner,
                           llvm::ArrayRef<const Element *> indices);
  /// The index an affine map gives; null when it is none of an affine index.
  const Element *apply(mlir::AffineExpr expression,
                       llvm::ArrayRef<const Element *> iteration);
  const Element *expand(mlir::OpResult tensor,
                        llvm::ArrayRef<const Element *> indices);
  const Element *expandStructured(mlir::linalg::LinalgOp op, unsigned result,
                                  llvm::ArrayRef<const Element *> indices);
  const Element *expandSoftmax(mlir::linalg::SoftmaxOp op,
                               llvm::ArrayRef<const Element *> indices);
  /// The indices into what was reshaped; fewer when they are not told.
  llvm::SmallVector<const Element *>
  throughReshape(mlir::Operation *op, llvm::ArrayRef<const Element *> indices);
  /// One of the joined tensors, when the index is within it.
  const Element *expandConcat(mlir::tensor::ConcatOp op,
                              llvm::ArrayRef<const Element *> indices);
  /// The least and the greatest value of an index that is never negative.
  std::optional<std::pair<int64_t, int64_t>>
  rangeOf(mlir::AffineExpr expression) const;
  /// A value of a payload, given the iteration it stands in.
  const Element *payload(mlir::linalg::LinalgOp op, mlir::Value value,
                         llvm::ArrayRef<const Element *> iteration);
  const Element *scalarOperation(mlir::Operation *op,
                                 llvm::ArrayRef<const Element *> operands);
  /// Which iteration gives an element of a result, null for the variables of a
  /// reduction; empty when none is told.
  llvm::SmallVector<const Element *>
  iterationOf(mlir::linalg::LinalgOp op, unsigned result,
              llvm::ArrayRef<const Element *> indices);

  mlir::MLIRContext *context;
  std::vector<std::unique_ptr<Element>> nodes;
  llvm::FoldingSet<Element> unique;
  std::vector<int64_t> sizes;
  llvm::DenseMap<const Element *, ReductionBody> bodies;
  /// A tensor that many read is expanded once.
  std::map<std::pair<void *, std::vector<const Element *>>, const Element *>
      elements;
};

} // namespace goat::raise

#endif // LIB_CONVERSION_LINALGTOGOAT_ELEMENT_H
