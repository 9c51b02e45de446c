//===- WriteHTML.cpp - the report as a page -------------------------------===//
//
// Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One self-contained page without scripts: a drawing of the pipes, tables, and
// a listing whose line numbers are links between source, tile program and PTX.
//
//===----------------------------------------------------------------------===//

#include "goat/Report/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace goat::report;

static constexpr llvm::StringLiteral style = R"(
body { font: 14px/1.4 sans-serif; margin: 1.5em; color: #222; }
pre, .pane { font: 12px/1.35 monospace; }
table { border-collapse: collapse; }
td, th { padding: .1em .6em; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child { text-align: left; }
.listing { display: grid; gap: 8px; grid-auto-flow: column;
  grid-auto-columns: minmax(0, 1fr); }
.pane { height: 80vh; overflow: auto; border: 1px solid #bbb; white-space: pre; }
.pane div { border-left: 4px solid transparent; padding-left: 4px; }
.pane div:target { background: #ffe9a8; }
.pane a { color: #888; text-decoration: none; display: inline-block;
  min-width: 3.5em; text-align: right; margin-right: 1em; }
.pane a[href] { color: #1558b0; text-decoration: underline; }
.pane b { font-weight: normal; color: #888; display: inline-block;
  min-width: 6em; }
.pane .l1 { border-left-color: #c33; }
.pane .l2 { border-left-color: #e9a23b; }
.tensor { color: #7a1fa2; } .special { color: #b71c1c; } .fp32 { color: #1b5e20; }
.alu { color: #0d47a1; } .shared { color: #995c00; }
)";

static std::string escape(llvm::StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printHTMLEscaped(text, stream);
  return escaped;
}

namespace {

/// Writes one kernel's part of the page; `prefix` makes its anchors unique.
class Writer {
public:
  Writer(const Report &report, std::string prefix, llvm::raw_ostream &out)
      : report(report), prefix(std::move(prefix)), out(out) {}

  void write();

private:
  void drawPipes(const LoopReport &loop);
  void writeKinds(const CodeReport &code);
  void writeListing(const AnnotatedListing &listing);
  void writeSource(const AnnotatedListing &listing);
  void writeTile(const AnnotatedListing &listing);
  void writePTX(const AnnotatedListing &listing);

  /// One line of a pane. `link` names the anchor its number leads to; an empty
  /// one makes it no link.
  void paneLine(llvm::StringRef anchor, size_t number, llvm::StringRef link,
                llvm::StringRef classes, llvm::StringRef note,
                llvm::StringRef text);
  std::string anchor(char pane, size_t line) const {
    return prefix + pane + std::to_string(line);
  }

  const Report &report;
  std::string prefix;
  llvm::raw_ostream &out;
};

} // namespace

/// A bar for each pipe, as long as it is busy.
void Writer::drawPipes(const LoopReport &loop) {
  constexpr int left = 130, width = 460, height = 22;
  double most = 0;
  for (const PipeLoad &load : loop.pipes)
    most = std::max(most, load.cycles);
  out << llvm::formatv("<h3>{0} loop: clocks each pipe is busy for one score, "
                       "predicted</h3>\n<svg width=\"{1}\" height=\"{2}\" "
                       "role=\"img\" font-family=\"sans-serif\" "
                       "font-size=\"13\">\n",
                       loop.role, left + width + 90,
                       height * loop.pipes.size());
  for (auto [index, load] : llvm::enumerate(loop.pipes)) {
    const int top = height * index;
    const double length = most > 0 ? width * load.cycles / most : 0;
    out << llvm::formatv(
        "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>"
        "<rect x=\"{3}\" y=\"{4}\" width=\"{5:f1}\" height=\"{6}\" "
        "fill=\"{7}\"/><text x=\"{8:f1}\" y=\"{1}\">{9:f4}</text>\n",
        left - 8, top + 15, escape(load.pipe), left, top + 3, length,
        height - 6, index == loop.limiting ? "#c33" : "#7a9cc6",
        left + length + 6, load.cycles);
  }
  out << "</svg>\n";
  if (loop.tileLine && report.listing)
    out << llvm::formatv("<p>Its <a href=\"#{0}\">scf.for in the tile "
                         "program</a>.</p>\n",
                         anchor('t', loop.tileLine));
  out << llvm::formatv(
      "<p>Busiest: {0}. {1:f0} TFLOP/s when all pipes overlap, "
      "{2:f0} when none does.</p>\n",
      loop.pipes[loop.limiting].pipe, loop.tflopsOverlapped, loop.tflopsSerial);
}

void Writer::writeKinds(const CodeReport &code) {
  const bool isPerScore = llvm::all_of(
      code.loops, [](const LoopReport &loop) { return loop.scores > 0; });
  out << llvm::formatv("<h3>Instructions of {0} in {1}{2}</h3>\n<table><tr>"
                       "<th>kind</th>",
                       languageName(code.language), escape(code.entry),
                       isPerScore && !code.loops.empty()
                           ? "; in loops, for each score and thread"
                           : "");
  for (const LoopReport &loop : code.loops)
    out << "<th>" << loop.role << " loop</th>";
  out << "<th>whole entry</th></tr>\n";
  for (int kind = 0; kind < numKinds; ++kind) {
    if (!code.kinds[kind])
      continue;
    out << "<tr><td>" << kindName(static_cast<Kind>(kind)) << "</td>";
    for (const LoopReport &loop : code.loops)
      out << (isPerScore
                  ? llvm::formatv("<td>{0:f2}</td>",
                                  loop.kinds[kind] / loop.scores)
                        .str()
                  : llvm::formatv("<td>{0}</td>", loop.kinds[kind]).str());
    out << "<td>" << code.kinds[kind] << "</td></tr>\n";
  }
  out << "</table>\n";
}

void Writer::paneLine(llvm::StringRef anchor, size_t number,
                      llvm::StringRef link, llvm::StringRef classes,
                      llvm::StringRef note, llvm::StringRef text) {
  out << "<div id=\"" << anchor << "\"";
  if (!classes.empty())
    out << " class=\"" << classes << "\"";
  out << "><a";
  if (!link.empty())
    out << " href=\"#" << link << "\"";
  out << ">" << number << "</a>";
  if (!note.empty())
    out << "<b>" << note << "</b>";
  out << escape(text) << "</div>";
}

/// A source line leads to the first line of the tile program made from it, and
/// says how many instructions of the unmasked loop it became.
void Writer::writeSource(const AnnotatedListing &listing) {
  std::map<int, int> firstTile, instructions;
  for (auto [index, line] : llvm::enumerate(listing.sourceLines))
    firstTile.insert({line, index + 1});
  for (const ListingLine &line : listing.ptx)
    if (line.kind && line.loop == 1 && line.tileLine)
      ++instructions[listing.sourceLines[line.tileLine - 1]];
  out << "<div class=\"pane\">";
  for (auto [index, text] : llvm::enumerate(listing.source)) {
    const int number = index + 1;
    auto tile = firstTile.find(number);
    auto count = instructions.find(number);
    paneLine(anchor('s', number), number,
             tile == firstTile.end() ? "" : anchor('t', tile->second), "",
             count == instructions.end() ? "-" : std::to_string(count->second),
             text);
  }
  out << "</div>\n";
}

/// A line of the tile program leads to its source, and its count of
/// instructions to the first of them.
void Writer::writeTile(const AnnotatedListing &listing) {
  std::map<int, std::pair<size_t, int>> first;
  for (auto [index, line] : llvm::enumerate(listing.ptx))
    if (line.kind && line.tileLine)
      ++first.insert({line.tileLine, {index + 1, 0}}).first->second.second;
  out << "<div class=\"pane\">";
  for (auto [index, text] : llvm::enumerate(listing.tile)) {
    auto found = first.find(index + 1);
    std::string note = "-";
    if (found != first.end())
      note =
          llvm::formatv("<a href=\"#{0}\">{1}</a>",
                        anchor('p', found->second.first), found->second.second);
    const int source = listing.sourceLines[index];
    paneLine(anchor('t', index + 1), index + 1,
             source ? anchor('s', source) : "", "", note, text);
  }
  out << "</div>\n";
}

void Writer::writePTX(const AnnotatedListing &listing) {
  static constexpr const char *pipes[] = {"",     "tensor", "special",
                                          "fp32", "alu",    "shared"};
  out << "<div class=\"pane\">";
  for (auto [index, line] : llvm::enumerate(listing.ptx)) {
    std::string classes = pipes[static_cast<int>(line.pipe)];
    if (line.loop)
      classes += (classes.empty() ? "l" : " l") +
                 std::to_string(std::min(line.loop, 2));
    paneLine(anchor('p', index + 1), index + 1,
             line.tileLine ? anchor('t', line.tileLine) : "", classes,
             line.kind ? kindName(*line.kind) : "-", line.text);
  }
  out << "</div>\n";
}

void Writer::writeListing(const AnnotatedListing &listing) {
  out << "<h3>Listing</h3>\n<p>";
  if (!listing.tile.empty())
    out << "Source, tile program and PTX. A line's number leads to the line it "
           "was made from; the number after it counts the instructions made "
           "from it (in the source: those of the unmasked loop) and leads to "
           "the first. ";
  out << "A red edge marks the unmasked loop over tiles, a yellow one masked "
         "loops; the colour of an instruction is its pipe's: "
         "<span class=\"tensor\">tensor</span>, "
         "<span class=\"special\">special functions</span>, "
         "<span class=\"fp32\">fp32</span>, <span class=\"alu\">alu</span>, "
         "<span class=\"shared\">shared memory</span>.</p>\n"
         "<div class=\"listing\">\n";
  if (!listing.source.empty())
    writeSource(listing);
  if (!listing.tile.empty())
    writeTile(listing);
  writePTX(listing);
  out << "</div>\n";
}

void Writer::write() {
  out << llvm::formatv("<h2>{0} for {1} ({2})</h2>\n", escape(report.kernel),
                       report.target, report.product);
  for (const CodeReport &code : report.code)
    for (const LoopReport &loop : code.loops)
      if (!loop.pipes.empty())
        drawPipes(loop);
  for (const CodeReport &code : report.code)
    writeKinds(code);
  out << "<h3>Everything</h3>\n<pre>" << escape(writeText(report))
      << "</pre>\n";
  if (report.listing)
    writeListing(*report.listing);
}

std::string goat::report::writeHTML(llvm::ArrayRef<Report> reports) {
  std::string page;
  llvm::raw_string_ostream out(page);
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<title>GOAT report</title>\n<style>"
      << style << "</style></head><body>\n<h1>GOAT report</h1>\n"
      << "<p>Counts; what is called predicted is counts over the chip's rates. "
         "Nothing here was measured.</p>\n";
  for (auto [index, report] : llvm::enumerate(reports))
    Writer(report, "k" + std::to_string(index), out).write();
  out << "</body></html>\n";
  return page;
}
