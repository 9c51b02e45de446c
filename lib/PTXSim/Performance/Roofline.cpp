//===- Roofline.cpp - the roofline as a picture ---------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both axes are logarithmic. The roof is the memory's bandwidth times the
// intensity up to the peak of the tensor cores; the dashed line is what
// mma.sync reaches.
//
//===----------------------------------------------------------------------===//

#include "goat/PTXSim/Performance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace goat::ptxsim {

namespace {

/// A plot of 640x400 with a margin, from powers of ten to powers of ten.
class Plot {
public:
  Plot(int firstX, int lastX, int firstY, int lastY)
      : firstX(firstX), lastX(lastX), firstY(firstY), lastY(lastY) {}

  double x(double value) const {
    return left +
           (std::log10(value) - firstX) * (right - left) / (lastX - firstX);
  }
  double y(double value) const {
    return bottom -
           (std::log10(value) - firstY) * (bottom - top) / (lastY - firstY);
  }
  void line(double x0, double y0, double x1, double y1, const char *style) {
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0,
        x1, y1, style);
  }
  void dot(double cx, double cy, const char *style) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" %s/>\n", cx, cy, style);
  }
  void text(double tx, double ty, const char *style, const std::string &words) {
    add("<text x=\"%.1f\" y=\"%.1f\" %s>", tx, ty, style);
    for (char c : words)
      out += c == '<'   ? "&lt;"
             : c == '>' ? "&gt;"
             : c == '&' ? "&amp;"
                        : std::string(1, c);
    out += "</text>\n";
  }
  void axes() {
    for (int p = firstX; p <= lastX; ++p) {
      double at = x(std::pow(10.0, p));
      line(at, top, at, bottom, "stroke=\"#ddd\"");
      text(at, bottom + 16, "text-anchor=\"middle\"", power(p));
    }
    for (int p = firstY; p <= lastY; ++p) {
      double at = y(std::pow(10.0, p));
      line(left, at, right, at, "stroke=\"#ddd\"");
      text(left - 6, at + 4, "text-anchor=\"end\"", power(p));
    }
  }
  std::string str() const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" "
           "height=\"400\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" "
           "font-size=\"12\">\n<rect width=\"640\" height=\"400\" "
           "fill=\"white\"/>\n" +
           out + "</svg>\n";
  }

  static constexpr double left = 70, right = 620, top = 40, bottom = 350;

private:
  template <typename... T> void add(const char *pattern, T... values) {
    char buffer[256];
    std::snprintf(buffer, sizeof(buffer), pattern, values...);
    out += buffer;
  }
  static std::string power(int p) {
    return p >= 0 && p < 4 ? std::to_string(static_cast<int>(std::pow(10, p)))
                           : "1e" + std::to_string(p);
  }
  int firstX, lastX, firstY, lastY;
  std::string out;
};

} // namespace

std::string rooflineSvg(const Prediction &prediction, std::string_view title) {
  const Chip &chip = *prediction.chip;
  double units = chip.multiprocessors * chip.clockHz * 1e-12;
  double peak = chip.peakTensorFlops * units;
  double reached = chip.mmaFlops * units;
  double bandwidth = chip.memoryBytesPerSecond * 1e-12;
  double intensity =
      prediction.memoryBytes > 0
          ? std::clamp(prediction.tensorFlops / prediction.memoryBytes, 0.1,
                       1e5)
          : 1e5;
  Plot plot(-1, 5, -2, 4);
  plot.axes();
  plot.text(Plot::left, 24, "font-size=\"14\"",
            std::string(title) + ", predicted for " + chip.product);
  plot.text((Plot::left + Plot::right) / 2, 385, "text-anchor=\"middle\"",
            "tensor FLOPs for each byte of memory traffic");
  plot.text(10, 36, "", "TFLOP/s");
  double ridge = peak / bandwidth;
  plot.line(plot.x(0.1), plot.y(0.1 * bandwidth), plot.x(ridge), plot.y(peak),
            "stroke=\"black\" stroke-width=\"2\"");
  plot.line(plot.x(ridge), plot.y(peak), Plot::right, plot.y(peak),
            "stroke=\"black\" stroke-width=\"2\"");
  if (reached < peak)
    plot.line(plot.x(reached / bandwidth), plot.y(reached), Plot::right,
              plot.y(reached), "stroke=\"black\" stroke-dasharray=\"4\"");
  if (prediction.tensorFlops <= 0) {
    plot.text(Plot::left + 20, Plot::top + 20, "", "no tensor instructions");
    return plot.str();
  }
  auto at = [&](double seconds) {
    return plot.y(std::clamp(prediction.teraFlops(seconds), 1e-2, 1e4));
  };
  double x = plot.x(intensity);
  plot.line(x, at(prediction.upperBound), x, at(prediction.lowerBound),
            "stroke=\"#36c\" stroke-width=\"3\"");
  plot.dot(x, at(prediction.estimate), "fill=\"#36c\"");
  char label[64];
  std::snprintf(label, sizeof(label), "%.0f TFLOP/s, limited by ",
                prediction.teraFlops(prediction.estimate));
  plot.text(x - 10, at(prediction.estimate) + 18, "text-anchor=\"end\"",
            label + std::string(prediction.pipes[prediction.limiting].name));
  return plot.str();
}

} // namespace goat::ptxsim
