//===- KernelJson.cpp - kernel.json ---------------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON form of a kernel description.
//
//===----------------------------------------------------------------------===//

#include "goat/Target/PTX/Artifact.h"

#include "llvm/Support/FormatVariadic.h"

using namespace goat::ptx;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace goat::ptx {

static Value toJSON(const InputSpec &input) {
  Array shape;
  for (std::optional<int64_t> size : input.shape)
    shape.push_back(size ? Value(*size) : Value(nullptr));
  Object object{{"name", input.name},
                {"dtype", dtypeName(input.dtype)},
                {"shape", std::move(shape)},
                {"strided", input.isStrided}};
  if (input.isTensorOfRank0)
    object["by_address"] = true;
  return object;
}

static Value toJSON(const OutputSpec &output) {
  return Object{{"name", output.name},
                {"dtype", dtypeName(output.dtype)},
                {"shape", Array(output.shape)},
                {"strided", output.isStrided},
                {"initialise", output.initialise ? Value(*output.initialise)
                                                 : Value(nullptr)}};
}

static Value toJSON(const Requirement &requirement) {
  return Object{{"equal", Array{requirement.left, requirement.right}},
                {"message", requirement.message}};
}

static Object tensorToJSON(bool isOutput, int64_t index) {
  return Object{{isOutput ? "output" : "input", index}};
}

static Value toJSON(const Guard &guard) {
  Object tensor = tensorToJSON(guard.isOutput, guard.index);
  switch (guard.kind) {
  case Guard::Kind::Less:
    return Object{{"less", Array{guard.left, guard.right}}};
  case Guard::Kind::Aligned:
    return Object{{"aligned", std::move(tensor)}, {"bytes", guard.bytes}};
  case Guard::Kind::StrideMultiple:
    return Object{{"stride", std::move(tensor)},
                  {"axis", guard.axis},
                  {"multiple", guard.number}};
  case Guard::Kind::StrideEquals:
    return Object{{"stride", std::move(tensor)},
                  {"axis", guard.axis},
                  {"equals", guard.number}};
  }
  llvm_unreachable("unknown guard kind");
}

static Value toJSON(const Parameter &parameter) {
  switch (parameter.kind) {
  case Parameter::Kind::Input:
    return Object{{"kind", "input"}, {"index", parameter.index}};
  case Parameter::Kind::Output:
    return Object{{"kind", "output"}, {"index", parameter.index}};
  case Parameter::Kind::Dim:
    return Object{{"kind", "dim"},
                  {"index", parameter.index},
                  {"axis", parameter.axis},
                  {"dtype", "i32"}};
  case Parameter::Kind::InputStride:
  case Parameter::Kind::OutputStride:
    return Object{{"kind", parameter.kind == Parameter::Kind::InputStride
                               ? "input_stride"
                               : "output_stride"},
                  {"index", parameter.index},
                  {"axis", parameter.axis},
                  {"dtype", "i64"}};
  case Parameter::Kind::Workspace:
    return Object{{"kind", "workspace"}, {"offset", parameter.offset}};
  case Parameter::Kind::TensorMap:
    return Object{{"kind", "tensor_map"}, {"index", parameter.index}};
  }
  llvm_unreachable("unknown parameter kind");
}

static Value toJSON(const TensorMap &map) {
  return Object{{"tensor", tensorToJSON(map.isOutput, map.index)},
                {"box", Array(map.box)},
                {"swizzle", map.swizzle}};
}

static Value toJSON(const Launch &launch) {
  return Object{{"entry", launch.entry},
                {"grid", Array(launch.grid)},
                {"block", Array(launch.block)},
                {"cluster", Array(launch.cluster)},
                {"shared_bytes", launch.sharedBytes},
                {"parameters", Array(launch.parameters)},
                {"tensor_maps", Array(launch.tensorMaps)}};
}

static Value toJSON(const Variant &variant) {
  return Object{{"name", variant.name},
                {"guards", Array(variant.guards)},
                {"workspace_bytes", variant.workspaceBytes},
                {"launches", Array(variant.launches)}};
}

} // namespace goat::ptx

std::string goat::ptx::writeKernel(const Kernel &kernel) {
  Object object{{"schema", kernelSchema},
                {"name", kernel.name},
                {"target", kernel.target},
                {"ptx", kernel.ptx},
                {"cubin", kernel.cubin ? Value(*kernel.cubin) : Value(nullptr)},
                {"inputs", Array(kernel.inputs)},
                {"outputs", Array(kernel.outputs)},
                {"requires", Array(kernel.requirements)},
                {"variants", Array(kernel.variants)},
                {"choices", Object(kernel.choices)}};
  return llvm::formatv("{0:2}\n", Value(std::move(object)));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace goat::ptx {

static bool fromJSON(const Value &json, DType &dtype, Path path) {
  std::optional<DType> known;
  if (std::optional<llvm::StringRef> name = json.getAsString())
    known = parseDType(*name);
  if (!known) {
    path.report("expected one of f16, bf16, f32, i1, i8, i32, i64");
    return false;
  }
  dtype = *known;
  return true;
}

static bool fromJSON(const Value &json, InputSpec &input, Path path) {
  ObjectMapper map(json, path);
  if (!map || !map.map("name", input.name) || !map.map("dtype", input.dtype) ||
      !map.map("shape", input.shape) ||
      !map.mapOptional("strided", input.isStrided) ||
      !map.mapOptional("by_address", input.isTensorOfRank0))
    return false;
  for (auto [axis, size] : llvm::enumerate(input.shape))
    if (size && *size < 0) {
      path.field("shape").index(axis).report("expected null or a size of at "
                                             "least 0");
      return false;
    }
  return true;
}

static bool fromJSON(const Value &json, OutputSpec &output, Path path) {
  ObjectMapper map(json, path);
  return map && map.map("name", output.name) &&
         map.map("dtype", output.dtype) && map.map("shape", output.shape) &&
         map.mapOptional("strided", output.isStrided) &&
         map.map("initialise", output.initialise);
}

/// Reads an array of exactly as many elements as `array` has.
template <typename T, size_t n>
static bool readArray(const Value &json, std::array<T, n> &array, Path path) {
  const Array *elements = json.getAsArray();
  if (!elements || elements->size() != n) {
    path.report(n == 2 ? llvm::StringLiteral("expected an array of two")
                       : llvm::StringLiteral("expected an array of three"));
    return false;
  }
  for (size_t i = 0; i < n; ++i)
    if (!fromJSON((*elements)[i], array[i], path.index(i)))
      return false;
  return true;
}

static bool readExtents(const Value &json, std::array<int64_t, 3> &extents,
                        Path path) {
  if (!readArray(json, extents, path))
    return false;
  for (auto [i, extent] : llvm::enumerate(extents))
    if (extent < 1 || extent > 1024) {
      path.index(i).report("expected an extent from 1 to 1024");
      return false;
    }
  return true;
}

/// The value of a property that must be there, else null and a report.
static const Value *need(const Object &object, llvm::StringLiteral property,
                         Path path) {
  const Value *value = object.get(property);
  if (!value)
    path.field(property).report("missing value");
  return value;
}

static bool fromJSON(const Value &json, Requirement &requirement, Path path) {
  ObjectMapper map(json, path);
  if (!map || !map.map("message", requirement.message))
    return false;
  std::array<Expr, 2> sides;
  const Value *equal = need(*json.getAsObject(), "equal", path);
  if (!equal || !readArray(*equal, sides, path.field("equal")))
    return false;
  requirement.left = sides[0];
  requirement.right = sides[1];
  return true;
}

/// Reads {"input": n} or {"output": n} for what names a tensor.
template <typename T>
static bool readTensor(const Object &object, llvm::StringLiteral property,
                       T &user, Path path) {
  const Value *value = need(object, property, path);
  const Object *tensor = value ? value->getAsObject() : nullptr;
  user.isOutput = tensor && tensor->get("output");
  if (!value)
    return false;
  ObjectMapper role(*value, path.field(property));
  return role && role.map(user.isOutput ? llvm::StringLiteral("output")
                                        : llvm::StringLiteral("input"),
                          user.index);
}

static bool fromJSON(const Value &json, Guard &guard, Path path) {
  ObjectMapper map(json, path);
  if (!map)
    return false;
  const Object &object = *json.getAsObject();
  if (const Value *less = object.get("less")) {
    std::array<Expr, 2> sides;
    if (!readArray(*less, sides, path.field("less")))
      return false;
    guard = Guard::less(sides[0], sides[1]);
    return true;
  }
  if (object.get("stride")) {
    const bool isMultiple = object.get("multiple");
    guard.kind =
        isMultiple ? Guard::Kind::StrideMultiple : Guard::Kind::StrideEquals;
    if (!readTensor(object, "stride", guard, path) ||
        !map.map("axis", guard.axis) ||
        !map.map(isMultiple ? llvm::StringLiteral("multiple")
                            : llvm::StringLiteral("equals"),
                 guard.number))
      return false;
    if (isMultiple && guard.number < 1) {
      path.field("multiple").report("expected a positive number");
      return false;
    }
    return true;
  }
  if (!object.getObject("aligned")) {
    path.report("expected a guard with \"aligned\", \"stride\" or \"less\"");
    return false;
  }
  guard.kind = Guard::Kind::Aligned;
  if (!readTensor(object, "aligned", guard, path) ||
      !map.map("bytes", guard.bytes))
    return false;
  if (guard.bytes < 1 || !llvm::isPowerOf2_64(guard.bytes)) {
    path.field("bytes").report("expected a power of two");
    return false;
  }
  return true;
}

static bool fromJSON(const Value &json, Parameter &parameter, Path path) {
  ObjectMapper map(json, path);
  std::string kind;
  if (!map || !map.map("kind", kind))
    return false;
  if (kind == "workspace") {
    parameter.kind = Parameter::Kind::Workspace;
    return map.map("offset", parameter.offset);
  }
  if (kind == "input" || kind == "output") {
    parameter.kind =
        kind == "input" ? Parameter::Kind::Input : Parameter::Kind::Output;
    return map.map("index", parameter.index);
  }
  if (kind == "tensor_map") {
    parameter.kind = Parameter::Kind::TensorMap;
    return map.map("index", parameter.index);
  }
  if (kind == "dim" || kind == "input_stride" || kind == "output_stride") {
    parameter.kind = kind == "dim"            ? Parameter::Kind::Dim
                     : kind == "input_stride" ? Parameter::Kind::InputStride
                                              : Parameter::Kind::OutputStride;
    return map.map("index", parameter.index) && map.map("axis", parameter.axis);
  }
  path.field("kind").report("expected one of input, output, dim, input_stride, "
                            "output_stride, workspace, tensor_map");
  return false;
}

static bool fromJSON(const Value &json, TensorMap &map, Path path) {
  ObjectMapper mapper(json, path);
  if (!mapper || !readTensor(*json.getAsObject(), "tensor", map, path) ||
      !mapper.map("box", map.box) || !mapper.map("swizzle", map.swizzle))
    return false;
  for (auto [axis, extent] : llvm::enumerate(map.box))
    if (extent < 1 || extent > maxBoxExtent) {
      path.field("box").index(axis).report("expected an extent from 1 to 256");
      return false;
    }
  if (!llvm::is_contained({0, 32, 64, 128}, map.swizzle)) {
    path.field("swizzle").report("expected one of 0, 32, 64, 128");
    return false;
  }
  return true;
}

static bool fromJSON(const Value &json, Launch &launch, Path path) {
  ObjectMapper map(json, path);
  if (!map || !map.map("entry", launch.entry) ||
      !map.map("shared_bytes", launch.sharedBytes) ||
      !map.map("parameters", launch.parameters) ||
      !map.mapOptional("tensor_maps", launch.tensorMaps))
    return false;
  const Object &object = *json.getAsObject();
  const Value *grid = need(object, "grid", path);
  const Value *block = need(object, "block", path);
  const Value *cluster = need(object, "cluster", path);
  return grid && block && cluster &&
         readArray(*grid, launch.grid, path.field("grid")) &&
         readExtents(*block, launch.block, path.field("block")) &&
         readExtents(*cluster, launch.cluster, path.field("cluster"));
}

static bool fromJSON(const Value &json, Variant &variant, Path path) {
  ObjectMapper map(json, path);
  return map && map.map("name", variant.name) &&
         map.map("guards", variant.guards) &&
         map.map("workspace_bytes", variant.workspaceBytes) &&
         map.map("launches", variant.launches);
}

static bool fromJSON(const Value &json, Kernel &kernel, Path path) {
  ObjectMapper map(json, path);
  return map && map.map("name", kernel.name) &&
         map.map("target", kernel.target) && map.map("ptx", kernel.ptx) &&
         map.map("cubin", kernel.cubin) && map.map("inputs", kernel.inputs) &&
         map.map("outputs", kernel.outputs) &&
         map.map("requires", kernel.requirements) &&
         map.map("variants", kernel.variants);
}

} // namespace goat::ptx

/// Every index must name something that is there, so that no launcher has to
/// ask again.
static llvm::Error checkIndices(const Kernel &kernel, llvm::StringRef file) {
  for (const Variant &variant : kernel.variants) {
    auto outOfRange = [&](llvm::StringRef what, llvm::StringRef many,
                          int64_t index, size_t count) {
      return llvm::createStringError(
          llvm::formatv("{0}: expected variant '{1}' to name one of {2} {3} "
                        "but got {4} {5}",
                        file, variant.name, count, many, what, index));
    };
    auto checkTensor = [&](bool isOutput, int64_t index) -> llvm::Error {
      size_t count = isOutput ? kernel.outputs.size() : kernel.inputs.size();
      if (index >= 0 && size_t(index) < count)
        return llvm::Error::success();
      return isOutput ? outOfRange("output", "outputs", index, count)
                      : outOfRange("input", "inputs", index, count);
    };
    auto checkAxis = [&](bool isOutput, int64_t index,
                         int64_t axis) -> llvm::Error {
      size_t rank = isOutput ? kernel.outputs[index].shape.size()
                             : kernel.inputs[index].shape.size();
      if (axis >= 0 && size_t(axis) < rank)
        return llvm::Error::success();
      return outOfRange("axis", "axes", axis, rank);
    };
    for (const Launch &launch : variant.launches) {
      for (const TensorMap &map : launch.tensorMaps) {
        if (llvm::Error error = checkTensor(map.isOutput, map.index))
          return error;
        size_t rank = map.isOutput ? kernel.outputs[map.index].shape.size()
                                   : kernel.inputs[map.index].shape.size();
        if (rank < 1 || rank > maxTensorMapRank || map.box.size() != rank)
          return llvm::createStringError(llvm::formatv(
              "{0}: expected the box of a tensor map of variant '{1}' to have "
              "an extent for each axis of a tensor of 1 to {2} axes but got "
              "{3} for {4}",
              file, variant.name, maxTensorMapRank, map.box.size(), rank));
      }
      for (const Parameter &parameter : launch.parameters) {
        if (parameter.kind == Parameter::Kind::Workspace)
          continue;
        if (parameter.kind == Parameter::Kind::TensorMap) {
          const size_t count = launch.tensorMaps.size();
          if (parameter.index < 0 || size_t(parameter.index) >= count)
            return outOfRange("tensor map", "tensor maps", parameter.index,
                              count);
          continue;
        }
        const bool isOutput = parameter.kind == Parameter::Kind::Output ||
                              parameter.kind == Parameter::Kind::OutputStride;
        if (llvm::Error error = checkTensor(isOutput, parameter.index))
          return error;
        if (parameter.kind == Parameter::Kind::Input ||
            parameter.kind == Parameter::Kind::Output)
          continue;
        if (llvm::Error error =
                checkAxis(isOutput, parameter.index, parameter.axis))
          return error;
      }
    }
    for (const Guard &guard : variant.guards) {
      if (guard.kind == Guard::Kind::Less)
        continue;
      if (llvm::Error error = checkTensor(guard.isOutput, guard.index))
        return error;
      if (guard.kind == Guard::Kind::Aligned)
        continue;
      if (llvm::Error error =
              checkAxis(guard.isOutput, guard.index, guard.axis))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Kernel> goat::ptx::readKernel(llvm::StringRef text,
                                             llvm::StringRef name) {
  llvm::Expected<Value> json = llvm::json::parse(text);
  if (!json)
    return llvm::createStringError(
        name + ": expected JSON: " + llvm::toString(json.takeError()));
  const Object *object = json->getAsObject();
  std::optional<llvm::StringRef> schema;
  if (object)
    schema = object->getString("schema");
  if (!schema)
    return llvm::createStringError(name +
                                   ": expected an object with \"schema\": \"" +
                                   kernelSchema + "\"");
  if (*schema != kernelSchema)
    return llvm::createStringError(
        name + ": expected schema '" + kernelSchema + "' but got '" + *schema +
        "'; compile the kernel again with this version of goatc");
  Path::Root root(name);
  Kernel kernel;
  if (!fromJSON(*json, kernel, root))
    return root.getError();
  if (const Object *choices = object->getObject("choices"))
    kernel.choices = *choices;
  if (llvm::Error error = checkIndices(kernel, name))
    return error;
  return kernel;
}
