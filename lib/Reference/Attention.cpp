//===- Attention.cpp - goat.attention, row by row -------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes one row of attention after the other, each as the description of
// goat.attention says it: all logits, then all weights, then the weighted sum,
// then the exclusion. Heads are shared out to threads.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

using namespace mlir;
using namespace goat;
using namespace goat::reference;

namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// Only masks give −∞: what the score region yields is at least this.
constexpr double lowestScore = -1e25;

/// The compiled regions, and where the operands lie in the outer frame (−1 for
/// an operand that is not there).
struct CompiledAttention {
  AttentionOp op;
  std::optional<Program> score, mask, exclude, own, loadQuery, loadKey;
  /// Whether the exclusion reads the own row.
  bool readsOwn = false;
  int query, key, value;
  int scale = -1, sink = -1, queryOffset = -1, keyOffset = -1,
      queryLengths = -1, keyLengths = -1;
  int out, lse = -1;

  void run(Frame &outer) const;
  void run(Frame &outer, const Tensor &q, const Tensor &k,
           const Tensor &v) const;
};

/// One evaluation: shapes, per-batch numbers and the tensors.
struct Problem {
  const CompiledAttention &attention;
  const Frame &outer;
  const Tensor &query, &key, &value;
  Tensor &out;
  Tensor *lse;
  Coordinates coordinates;
  std::vector<int64_t> queryLengths, keyLengths;
  double scale;
  bool softmax;
};

/// Frames and buffers of one thread.
class Worker {
public:
  explicit Worker(const Problem &problem);
  /// Computes all rows of one batch entry and query head.
  void runHead(int64_t b, int64_t h);

  Operation *failedAt = nullptr;
  std::string message;

private:
  bool sees(int64_t b, int64_t h, int64_t i, int64_t j);
  double score(double s, int64_t b, int64_t h, int64_t i, int64_t j);
  void runRow(int64_t b, int64_t h, int64_t i);
  void exclude(int64_t b, int64_t h, int64_t i);
  int64_t ownIndex(int64_t b, int64_t h, int64_t i);
  bool run(const Program &program, Frame &frame);

  const Problem &problem;
  const CompiledAttention &attention;
  Frame scoreFrame, maskFrame, excludeFrame, ownFrame;
  std::vector<int64_t> visible;
  std::vector<double> weights;
  Tensor row, ownRow;
};

} // namespace

//===----------------------------------------------------------------------===//
// One row
//===----------------------------------------------------------------------===//

Worker::Worker(const Problem &problem)
    : problem(problem), attention(problem.attention) {
  auto prepare = [&](const std::optional<Program> &program, Frame &frame) {
    if (program)
      frame = program->makeFrame(&problem.outer, &problem.coordinates);
  };
  prepare(attention.score, scoreFrame);
  prepare(attention.mask, maskFrame);
  prepare(attention.exclude, excludeFrame);
  prepare(attention.own, ownFrame);
  row.shape = ownRow.shape = {problem.value.shape[3]};
  row.data.resize(problem.value.shape[3]);
  ownRow.data.resize(problem.value.shape[3]);
}

bool Worker::run(const Program &program, Frame &frame) {
  program.run(frame);
  if (!frame.failedAt)
    return true;
  failedAt = frame.failedAt;
  message = frame.message;
  return false;
}

bool Worker::sees(int64_t b, int64_t h, int64_t i, int64_t j) {
  if (!attention.mask)
    return true;
  const Program &mask = *attention.mask;
  for (auto [number, coordinate] : llvm::enumerate(ArrayRef{b, h, i, j}))
    maskFrame.scalars[mask.getArgument(number)].i = coordinate;
  return run(mask, maskFrame) && maskFrame.scalars[mask.getResult(0)].i;
}

double Worker::score(double s, int64_t b, int64_t h, int64_t i, int64_t j) {
  if (!attention.score)
    return s;
  const Program &score = *attention.score;
  scoreFrame.scalars[score.getArgument(0)].f = s;
  for (auto [number, coordinate] : llvm::enumerate(ArrayRef{b, h, i, j}))
    scoreFrame.scalars[score.getArgument(number + 1)].i = coordinate;
  run(score, scoreFrame);
  return scoreFrame.scalars[score.getResult(0)].f;
}

int64_t Worker::ownIndex(int64_t b, int64_t h, int64_t i) {
  if (!attention.own)
    return i + problem.coordinates.queryOffset[b] -
           problem.coordinates.keyOffset[b];
  const Program &own = *attention.own;
  for (auto [number, coordinate] : llvm::enumerate(ArrayRef{b, h, i}))
    ownFrame.scalars[own.getArgument(number)].i = coordinate;
  run(own, ownFrame);
  return ownFrame.scalars[own.getResult(0)].i;
}

/// out = exclude(y, own, b, h, i), with y in `row` and the result in `row`.
void Worker::exclude(int64_t b, int64_t h, int64_t i) {
  if (!attention.exclude)
    return;
  const Program &exclude = *attention.exclude;
  if (attention.readsOwn) {
    int64_t own = ownIndex(b, h, i);
    if (failedAt || own < 0 || own >= problem.keyLengths[b])
      return;
    int64_t keyHeads = problem.value.shape[1], width = problem.value.shape[3];
    int64_t keyHead = h * keyHeads / problem.query.shape[1];
    const double *source =
        &problem.value
             .data[((b * keyHeads + keyHead) * problem.value.shape[2] + own) *
                   width];
    std::copy(source, source + width, ownRow.data.begin());
  }
  excludeFrame.tensors[exclude.getArgument(0)] = &row;
  excludeFrame.tensors[exclude.getArgument(1)] = &ownRow;
  for (auto [number, coordinate] : llvm::enumerate(ArrayRef{b, h, i}))
    excludeFrame.scalars[exclude.getArgument(number + 2)].i = coordinate;
  if (run(exclude, excludeFrame))
    row.data = excludeFrame.tensors[exclude.getResult(0)]->data;
}

void Worker::runRow(int64_t b, int64_t h, int64_t i) {
  int64_t queryHeads = problem.query.shape[1], keyHeads = problem.key.shape[1];
  int64_t queryLength = problem.query.shape[2],
          keyLength = problem.key.shape[2];
  int64_t headDim = problem.query.shape[3], valueDim = problem.value.shape[3];
  int64_t keyHead = h * keyHeads / queryHeads;
  int64_t rowNumber = (b * queryHeads + h) * queryLength + i;
  const double *q = problem.query.data.data() + rowNumber * headDim;
  const double *k =
      problem.key.data.data() + (b * keyHeads + keyHead) * keyLength * headDim;
  const double *v = problem.value.data.data() +
                    (b * keyHeads + keyHead) * keyLength * valueDim;
  double *out = problem.out.data.data() + rowNumber * valueDim;
  double sink = minusInfinity;
  if (attention.sink >= 0)
    sink = problem.outer.tensors[attention.sink]->data[h];

  // t_j = score(scale·(q·k_j)) for every key that the row sees.
  visible.clear();
  weights.clear();
  double maximum = sink;
  int64_t lastKey = i < problem.queryLengths[b] ? problem.keyLengths[b] : 0;
  for (int64_t j = 0; j < lastKey; ++j) {
    if (!sees(b, h, i, j)) {
      if (failedAt)
        return;
      continue;
    }
    double product = 0.0;
    for (int64_t d = 0; d < headDim; ++d)
      product += q[d] * k[j * headDim + d];
    double t = score(problem.scale * product, b, h, i, j);
    if (failedAt)
      return;
    if (t < lowestScore)
      t = lowestScore;
    visible.push_back(j);
    weights.push_back(t);
    maximum = t > maximum ? t : maximum;
  }

  // A row past the length has no sink either.
  if (i >= problem.queryLengths[b])
    sink = minusInfinity;
  if (visible.empty()) {
    std::fill(out, out + valueDim, 0.0);
    if (problem.lse)
      problem.lse->data[rowNumber] = sink;
    return;
  }

  // Logits become weights.
  if (problem.softmax) {
    double sum = std::exp(sink - maximum);
    for (double &weight : weights) {
      weight = std::exp(weight - maximum);
      sum += weight;
    }
    for (double &weight : weights)
      weight /= sum;
    if (problem.lse)
      problem.lse->data[rowNumber] = maximum + std::log(sum);
  } else {
    for (double &weight : weights)
      weight = 1.0 / (1.0 + std::exp(-weight));
  }

  std::fill(row.data.begin(), row.data.end(), 0.0);
  for (auto [weight, j] : llvm::zip(weights, visible))
    for (int64_t d = 0; d < valueDim; ++d)
      row.data[d] += weight * v[j * valueDim + d];

  exclude(b, h, i);
  std::copy(row.data.begin(), row.data.end(), out);
}

void Worker::runHead(int64_t b, int64_t h) {
  for (Frame *frame : {&scoreFrame, &maskFrame, &excludeFrame, &ownFrame})
    frame->enter(Level::Head);
  for (int64_t i = 0; i < problem.query.shape[2] && !failedAt; ++i) {
    for (Frame *frame : {&scoreFrame, &maskFrame, &excludeFrame, &ownFrame})
      frame->enter(Level::Row);
    runRow(b, h, i);
  }
}

//===----------------------------------------------------------------------===//
// The whole op
//===----------------------------------------------------------------------===//

/// Checks of what the verifier could not know for sizes given at run time.
static bool checkSizes(AttentionOp op, Frame &outer, const Tensor &query,
                       const Tensor &key, const Tensor &value) {
  auto fail = [&](const Twine &what) {
    outer.fail(op, what);
    return false;
  };
  if (query.shape[0] != key.shape[0] || query.shape[0] != value.shape[0])
    return fail("(C2) expected one batch size but got " +
                Twine(query.shape[0]) + ", " + Twine(key.shape[0]) + " and " +
                Twine(value.shape[0]));
  if (key.shape[2] != value.shape[2])
    return fail("(C2) expected key and value to have one length but got " +
                Twine(key.shape[2]) + " and " + Twine(value.shape[2]));
  SmallVector<int64_t> out = {query.shape[0], query.shape[1], query.shape[2],
                              value.shape[3]};
  SmallVector<int64_t> lse(ArrayRef(out).drop_back());
  if (op.getLayout() == Layout::bshd)
    std::swap(out[1], out[2]);
  if (!fits(out, op.getOut().getType()))
    return fail(
        "(C5) expected a result of shape " + shapeText(out) + " but got " +
        shapeText(cast<RankedTensorType>(op.getOut().getType()).getShape()));
  if (op.getLse() && !fits(lse, op.getLse().getType()))
    return fail(
        "(C6) expected lse of shape " + shapeText(lse) + " but got " +
        shapeText(cast<RankedTensorType>(op.getLse().getType()).getShape()));
  return true;
}

/// One number per batch entry from a scalar, a tensor of B elements, or a
/// function of the batch entry when neither is there.
static bool readPerBatch(Frame &outer, AttentionOp op, StringRef name, int slot,
                         std::optional<int64_t> attribute,
                         function_ref<int64_t(int64_t)> otherwise,
                         std::vector<int64_t> &numbers) {
  const Tensor *tensor = slot >= 0 ? outer.tensors[slot] : nullptr;
  if (tensor && tensor->data.size() != numbers.size()) {
    outer.fail(op, "(C9) expected " + name +
                       " to have one element per batch entry, " +
                       Twine(numbers.size()) + ", but got " +
                       Twine(tensor->data.size()));
    return false;
  }
  for (size_t b = 0; b < numbers.size(); ++b) {
    if (tensor)
      numbers[b] = static_cast<int64_t>(tensor->data[b]);
    else if (slot >= 0)
      numbers[b] = outer.scalars[slot].i;
    else
      numbers[b] = attribute ? *attribute : otherwise(b);
  }
  return true;
}

static bool checkLengths(Frame &outer, AttentionOp op, StringRef name,
                         ArrayRef<int64_t> lengths, int64_t limit) {
  for (auto [b, length] : llvm::enumerate(lengths))
    if (length < 0 || length > limit) {
      outer.fail(op, "(C9) expected " + name + "[" + Twine(b) +
                         "] to lie in [0, " + Twine(limit) + "] but got " +
                         Twine(length));
      return false;
    }
  return true;
}

/// Fills in lengths, offsets and scale. False after a failure.
static bool readParameters(Problem &problem, Frame &outer) {
  const CompiledAttention &attention = problem.attention;
  AttentionOp op = attention.op;
  int64_t batch = problem.query.shape[0];
  int64_t queryLength = problem.query.shape[2],
          keyLength = problem.key.shape[2];
  Coordinates &coordinates = problem.coordinates;
  coordinates.batch = batch;
  coordinates.queryHeads = problem.query.shape[1];
  coordinates.keyLength = keyLength;
  for (std::vector<int64_t> *numbers :
       {&problem.queryLengths, &problem.keyLengths, &coordinates.queryOffset,
        &coordinates.keyOffset})
    numbers->resize(batch);

  problem.softmax = op.getNormalizer() == Normalizer::softmax;
  problem.scale = attention.scale >= 0 ? outer.scalars[attention.scale].f
                                       : *op.getConstantScale();
  if (!std::isfinite(problem.scale)) {
    outer.fail(op, "(C7) expected a finite scale");
    return false;
  }

  if (!readPerBatch(
          outer, op, "q_lengths", attention.queryLengths, std::nullopt,
          [&](int64_t) { return queryLength; }, problem.queryLengths) ||
      !readPerBatch(
          outer, op, "k_lengths", attention.keyLengths, std::nullopt,
          [&](int64_t) { return keyLength; }, problem.keyLengths))
    return false;
  if (!checkLengths(outer, op, "q_lengths", problem.queryLengths,
                    queryLength) ||
      !checkLengths(outer, op, "k_lengths", problem.keyLengths, keyLength))
    return false;

  auto widen = [](std::optional<uint32_t> attribute) -> std::optional<int64_t> {
    if (!attribute)
      return std::nullopt;
    return static_cast<int32_t>(*attribute);
  };
  return readPerBatch(
             outer, op, "q_offset", attention.queryOffset,
             widen(op.getStaticQOffset()),
             [&](int64_t b) {
               return problem.keyLengths[b] - problem.queryLengths[b];
             },
             coordinates.queryOffset) &&
         readPerBatch(
             outer, op, "k_offset", attention.keyOffset,
             widen(op.getStaticKOffset()), [](int64_t) { return 0; },
             coordinates.keyOffset);
}

/// Puts each row of a tensor that counts through a load region, and rounds it
/// to the tensor's element type.
static void loadRows(const Program &program, AttentionOp op, Frame &outer,
                     const Coordinates &coordinates, ArrayRef<int64_t> lengths,
                     Tensor &tensor) {
  auto element = cast<FloatType>(op.getQueryType().getElementType());
  Frame frame = program.makeFrame(&outer, &coordinates);
  int64_t heads = tensor.shape[1], rows = tensor.shape[2],
          width = tensor.shape[3];
  Tensor row;
  row.shape = {width};
  for (int64_t b = 0; b < tensor.shape[0]; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      frame.enter(Level::Head);
      for (int64_t i = 0; i < lengths[b]; ++i) {
        frame.enter(Level::Row);
        auto start = tensor.data.begin() + ((b * heads + h) * rows + i) * width;
        row.data.assign(start, start + width);
        frame.tensors[program.getArgument(0)] = &row;
        for (auto [number, coordinate] : llvm::enumerate(ArrayRef{b, h, i}))
          frame.scalars[program.getArgument(number + 1)].i = coordinate;
        program.run(frame);
        if (frame.failedAt)
          return outer.fail(frame.failedAt, frame.message);
        llvm::transform(frame.tensors[program.getResult(0)]->data, start,
                        [&](double x) { return roundTo(element, x); });
      }
    }
}

void CompiledAttention::run(Frame &outer) const {
  AttentionOp attention = op;
  if (attention.getLayout() == Layout::bhsd) {
    run(outer, *outer.tensors[query], *outer.tensors[key],
        *outer.tensors[value]);
    return;
  }
  run(outer, swapMiddleAxes(*outer.tensors[query]),
      swapMiddleAxes(*outer.tensors[key]),
      swapMiddleAxes(*outer.tensors[value]));
  if (outer.failedAt)
    return;
  Tensor swapped = swapMiddleAxes(*outer.tensors[out]);
  outer.define(out, swapped.shape) = swapped;
}

/// With the axes (B, H, L, D).
void CompiledAttention::run(Frame &outer, const Tensor &q, const Tensor &k,
                            const Tensor &v) const {
  AttentionOp attention = op;
  if (!checkSizes(attention, outer, q, k, v))
    return;
  Tensor &outTensor =
      outer.define(out, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]});
  Tensor *lseTensor = nullptr;
  if (lse >= 0)
    lseTensor = &outer.define(lse, {q.shape[0], q.shape[1], q.shape[2]});
  Tensor loadedQuery, loadedKey;
  if (loadQuery)
    loadedQuery = q;
  if (loadKey)
    loadedKey = k;
  Problem problem{*this,
                  outer,
                  loadQuery ? loadedQuery : q,
                  loadKey ? loadedKey : k,
                  v,
                  outTensor,
                  lseTensor,
                  {},
                  {},
                  {},
                  0.0,
                  true};
  if (!readParameters(problem, outer))
    return;
  if (loadQuery)
    loadRows(*loadQuery, op, outer, problem.coordinates, problem.queryLengths,
             loadedQuery);
  if (loadKey && !outer.failedAt)
    loadRows(*loadKey, op, outer, problem.coordinates, problem.keyLengths,
             loadedKey);
  if (outer.failedAt)
    return;

  int64_t heads = q.shape[1], count = q.shape[0] * heads;
  int64_t threadCount = std::min<int64_t>(
      std::max(1u, std::thread::hardware_concurrency()), count);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int64_t n = 0; n < threadCount; ++n)
    workers.push_back(std::make_unique<Worker>(problem));
  std::atomic<int64_t> next{0};
  auto work = [&](Worker &worker) {
    for (int64_t n = next++; n < count && !worker.failedAt; n = next++)
      worker.runHead(n / heads, n % heads);
  };
  std::vector<std::thread> threads;
  for (int64_t n = 1; n < threadCount; ++n)
    threads.emplace_back(work, std::ref(*workers[n]));
  if (threadCount > 0)
    work(*workers[0]);
  for (std::thread &thread : threads)
    thread.join();
  for (const std::unique_ptr<Worker> &worker : workers)
    if (worker->failedAt)
      outer.fail(worker->failedAt, worker->message);
}

FailureOr<Step> goat::reference::compileAttention(AttentionOp op,
                                                  const Slots &slots,
                                                  const Program &outer) {
  auto compiled = std::make_shared<CompiledAttention>();
  compiled->op = op;

  struct {
    Region &region;
    SmallVector<Level> levels;
    std::optional<Program> &program;
  } regions[] = {
      {op.getScore(),
       {Level::Pair, Level::Head, Level::Head, Level::Row, Level::Pair},
       compiled->score},
      {op.getMask(),
       {Level::Head, Level::Head, Level::Row, Level::Pair},
       compiled->mask},
      {op.getExclude(),
       {Level::Row, Level::Row, Level::Head, Level::Head, Level::Row},
       compiled->exclude},
      {op.getOwn(), {Level::Head, Level::Head, Level::Row}, compiled->own},
      {op.getLoadQ(),
       {Level::Row, Level::Head, Level::Head, Level::Row},
       compiled->loadQuery},
      {op.getLoadK(),
       {Level::Row, Level::Head, Level::Head, Level::Row},
       compiled->loadKey}};
  for (auto &[region, levels, program] : regions) {
    if (region.empty())
      continue;
    FailureOr<Program> result =
        Program::compile(region.front(), levels, &outer);
    if (failed(result))
      return failure();
    program = std::move(*result);
  }
  if (compiled->exclude)
    compiled->readsOwn = !op.getExclude().getArgument(1).use_empty();

  // Optional operands follow query, key and value in the order of the .td file.
  unsigned next = 0;
  auto take = [&](Value operand) {
    return operand ? slots.operands[next++] : -1;
  };
  compiled->query = take(op.getQuery());
  compiled->key = take(op.getKey());
  compiled->value = take(op.getValue());
  compiled->scale = take(op.getScale());
  compiled->sink = take(op.getSink());
  compiled->queryOffset = take(op.getQOffset());
  compiled->keyOffset = take(op.getKOffset());
  compiled->queryLengths = take(op.getQLengths());
  compiled->keyLengths = take(op.getKLengths());
  compiled->out = slots.results[0];
  if (op.getLse())
    compiled->lse = slots.results[1];
  return Step([compiled](Frame &frame) { compiled->run(frame); });
}
