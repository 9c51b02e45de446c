//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is described in NumPy's documentation of numpy.lib.format: a magic
// string, a version, the length of a header, the header (a Python dictionary
// literal with the keys descr, fortran_order and shape), the elements.
//
//===----------------------------------------------------------------------===//

#include "goat/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace goat;
using namespace goat::runtime;
using llvm::StringRef;

static constexpr StringRef magic("\x93NUMPY", 6);

/// What follows `'key':` in the header, up to the end of the text.
static StringRef valueOfKey(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = header.drop_front(at + key.size() + 2).ltrim();
  return rest.consume_front(":") ? rest.ltrim() : StringRef();
}

namespace {
struct ElementType {
  const char *descr;
  int64_t bytes;
  double (*read)(const uint8_t *from);
};
} // namespace

template <typename T> static double readAs(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return static_cast<double>(value);
}

static double readHalf(const uint8_t *from) {
  return unpack({from, 2}, DType::F16, {}).data[0];
}

static_assert(llvm::endianness::native == llvm::endianness::little,
              "elements are copied as they are");

static constexpr ElementType elementTypes[] = {
    {"<f2", 2, readHalf},        {"<f4", 4, readAs<float>},
    {"<f8", 8, readAs<double>},  {"<i4", 4, readAs<int32_t>},
    {"<i8", 8, readAs<int64_t>}, {"|b1", 1, readAs<int8_t>},
    {"|i1", 1, readAs<int8_t>},
};

llvm::Expected<Tensor> goat::runtime::readNpy(StringRef path) {
  auto error = [&](const llvm::Twine &message) {
    return llvm::createStringError("'" + path + "': " + message);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  if (!buffer)
    return error("cannot be read: " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (!text.consume_front(magic) || text.size() < 2)
    return error("expected a .npy file but its first bytes are not NumPy's");
  const unsigned version = static_cast<uint8_t>(text[0]);
  if (version < 1 || version > 3)
    return error("expected .npy format version 1, 2 or 3 but got " +
                 llvm::Twine(version));
  text = text.drop_front(2);
  const size_t lengthBytes = version == 1 ? 2 : 4;
  if (text.size() < lengthBytes)
    return error("the header is cut off");
  const size_t length = version == 1
                            ? llvm::support::endian::read16le(text.data())
                            : llvm::support::endian::read32le(text.data());
  text = text.drop_front(lengthBytes);
  if (text.size() < length)
    return error("the header is cut off");
  StringRef header = text.take_front(length);
  text = text.drop_front(length);

  StringRef descr = valueOfKey(header, "descr");
  descr = descr.consume_front("'") ? descr.split('\'').first : StringRef();
  const ElementType *type = llvm::find_if(
      elementTypes, [&](const ElementType &t) { return descr == t.descr; });
  if (type == std::end(elementTypes))
    return error(
        "expected elements of type <f2, <f4, <f8, |b1, |i1, <i4 or <i8 but got "
        "'" +
        descr + "'; save the array with .astype('float32')");
  if (!valueOfKey(header, "fortran_order").starts_with("False"))
    return error("expected an array in C order; save "
                 "numpy.ascontiguousarray(array)");
  StringRef shape = valueOfKey(header, "shape");
  if (!shape.consume_front("(") || !shape.contains(')'))
    return error("expected a shape in the header but got '" + header.trim() +
                 "'");
  llvm::SmallVector<StringRef> sizes;
  shape.split(')').first.split(sizes, ',', -1, /*KeepEmpty=*/false);
  Tensor tensor;
  int64_t count = 1;
  for (StringRef size : sizes) {
    int64_t extent;
    if (size.trim().empty())
      continue;
    if (size.trim().getAsInteger(10, extent) || extent < 0 ||
        llvm::MulOverflow(count, extent, count))
      return error("expected sizes in the shape but got '" + size + "'");
    tensor.shape.push_back(extent);
  }
  int64_t bytes;
  if (llvm::MulOverflow(count, type->bytes, bytes) ||
      bytes != int64_t(text.size()))
    return error("expected " + llvm::Twine(count) + " elements of " +
                 llvm::Twine(type->bytes) + " bytes but got " +
                 llvm::Twine(text.size()) + " bytes");
  tensor.data.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    tensor.data.push_back(type->read(text.bytes_begin() + i * type->bytes));
  return tensor;
}

llvm::Error goat::runtime::writeNpy(StringRef path, const Tensor &tensor,
                                    DType dtype) {
  const bool isInteger = ptx::isInteger(dtype), isWide = dtype == DType::I64;
  std::string shape = llvm::join(
      llvm::map_range(tensor.shape,
                      [](int64_t size) { return std::to_string(size); }),
      ", ");
  if (tensor.shape.size() == 1)
    shape += ",";
  std::string header = std::string("{'descr': '") +
                       (isWide      ? "<i8"
                        : isInteger ? "<i4"
                                    : "<f4") +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements start at a multiple of 64 bytes; the header ends in a newline.
  const size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append(llvm::alignTo(unpadded, 64) - unpadded, ' ');
  header += '\n';

  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return llvm::createStringError(error, "cannot write '" + path +
                                              "': " + error.message());
  const char lead[] = {1, 0, char(header.size() & 255),
                       char(header.size() >> 8)};
  stream << magic << StringRef(lead, sizeof(lead)) << header;
  std::vector<uint8_t> bytes = pack(tensor, isWide      ? DType::I64
                                            : isInteger ? DType::I32
                                                        : DType::F32);
  stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  stream.close();
  if (stream.has_error())
    return llvm::createStringError(stream.error(),
                                   "cannot write '" + path +
                                       "': " + stream.error().message());
  return llvm::Error::success();
}
