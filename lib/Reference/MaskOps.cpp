//===- MaskOps.cpp - which keys a query may see ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of every mask of GoatMasks.td, from its description.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace goat;
using namespace goat::reference;

namespace {

/// Where the coordinates of a mask lie in a frame; −1 for one it does not take.
struct Place {
  int batch, query = -1, key = -1;

  int64_t queryPosition(const Frame &frame) const {
    return frame.scalars[query].i +
           offset(frame.coordinates->queryOffset, frame);
  }
  int64_t keyPosition(const Frame &frame) const {
    return frame.scalars[key].i + offset(frame.coordinates->keyOffset, frame);
  }

private:
  int64_t offset(const std::vector<int64_t> &offsets,
                 const Frame &frame) const {
    return offsets[frame.scalars[batch].i];
  }
};

using Test = std::function<bool(Frame &)>;

} // namespace

/// The step of a mask that holds where `test` does, for a batch entry that is
/// there.
static Step stepOf(Operation *op, const Slots &slots, int batch, Test test) {
  int result = slots.results[0];
  return [=](Frame &frame) {
    int64_t entry = frame.scalars[batch].i;
    if (entry < 0 || entry >= frame.coordinates->batch)
      return frame.fail(op, "expected the batch entry to lie in [0, " +
                                Twine(frame.coordinates->batch) + ") but got " +
                                Twine(entry));
    frame.scalars[result].i = test(frame);
  };
}

/// −right ≤ δ ≤ left, and δ is a multiple of the dilation.
static Test windowTest(WindowMaskOp op, const Slots &slots, Place place) {
  int next = 3;
  int left = op.getLeft() ? slots.operands[next++] : -1;
  int right = op.getRight() ? slots.operands[next] : -1;
  int64_t dilation = op.getDilation();
  return [=](Frame &frame) {
    int64_t distance = place.queryPosition(frame) - place.keyPosition(frame);
    return (left < 0 || distance <= frame.scalars[left].i) &&
           (right < 0 || -frame.scalars[right].i <= distance) &&
           distance % dilation == 0;
  };
}

/// ids[row] or ids[batch, row]; a failure is recorded where there is none.
static double idAt(Frame &frame, Operation *op, int slot, int batch, int row) {
  const Tensor &ids = *frame.tensors[slot];
  int64_t at = frame.scalars[row].i, width = ids.shape.back();
  bool isInside = at >= 0 && at < width;
  if (ids.shape.size() == 2) {
    int64_t entry = frame.scalars[batch].i;
    isInside &= entry >= 0 && entry < ids.shape[0];
    at += entry * width;
  }
  if (!isInside) {
    frame.fail(op, "(C3) expected an id for every row but got " +
                       shapeText(ids.shape));
    return 0.0;
  }
  return ids.data[at];
}

static Test documentTest(DocumentMaskOp op, const Slots &slots) {
  int query = slots.operands[0], key = slots.operands[1],
      batch = slots.operands[2], i = slots.operands[3], j = slots.operands[4];
  return [=](Frame &frame) {
    return idAt(frame, op, query, batch, i) == idAt(frame, op, key, batch, j);
  };
}

/// Along each axis, a window of `kernel` places around the query's, moved to
/// where it lies inside the grid.
static Test neighborhoodTest(NeighborhoodMaskOp op, Place place) {
  SmallVector<int64_t> extents(op.getExtents()), kernel(op.getKernel());
  return [=](Frame &frame) {
    int64_t query = place.queryPosition(frame), key = place.keyPosition(frame);
    if (query < 0 || key < 0)
      return false;
    for (size_t axis = extents.size(); axis-- > 0;) {
      int64_t x = query % extents[axis], y = key % extents[axis];
      query /= extents[axis];
      key /= extents[axis];
      int64_t begin = x - kernel[axis] / 2;
      if (begin < 0)
        begin = 0;
      if (begin + kernel[axis] > extents[axis])
        begin = extents[axis] - kernel[axis];
      if (y < begin || y >= begin + kernel[axis])
        return false;
    }
    return query == 0 && key == 0;
  };
}

Step goat::reference::compileMaskOp(Operation *op, const Slots &slots) {
  Place place{slots.operands.empty() ? -1 : slots.operands[0]};
  auto at = [&](int query, int key) {
    place.query = query < 0 ? -1 : slots.operands[query];
    place.key = slots.operands[key];
    return place;
  };
  return llvm::TypeSwitch<Operation *, Step>(op)
      .Case([&](CausalMaskOp) {
        return stepOf(op, slots, place.batch, [place = at(1, 2)](Frame &frame) {
          return place.keyPosition(frame) <= place.queryPosition(frame);
        });
      })
      .Case([&](WindowMaskOp window) {
        return stepOf(op, slots, place.batch,
                      windowTest(window, slots, at(1, 2)));
      })
      .Case([&](PrefixMaskOp) {
        return stepOf(
            op, slots, place.batch,
            [place = at(-1, 1), length = slots.operands[2]](Frame &frame) {
              return place.keyPosition(frame) < frame.scalars[length].i;
            });
      })
      .Case([&](DocumentMaskOp documents) {
        return stepOf(op, slots, slots.operands[2],
                      documentTest(documents, slots));
      })
      .Case([&](NeighborhoodMaskOp neighborhood) {
        return stepOf(op, slots, place.batch,
                      neighborhoodTest(neighborhood, at(1, 2)));
      })
      .Default([](Operation *) { return nullptr; });
}
