"""Checks the HTML report: that it is whole and alone, and where its links lead.

usage: check-page.py PAGE [PTX:TILE:SOURCE ...]

Every line of the listing's PTX pane that contains PTX must lead to a line of the
tile program with TILE in it, and that to a line of the source with SOURCE.

Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from html.parser import HTMLParser
import sys

VOID = {"meta", "rect"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.lines, self.links, self.bars = [], {}, [], 0
        self.line = None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.bars += tag == "rect"
        assert tag not in ("script", "link", "img", "iframe"), tag
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            assert attributes["id"] not in self.lines, attributes["id"]
            self.line = self.lines[attributes["id"]] = {"text": "", "href": None}
        if "href" in attributes:
            assert attributes["href"].startswith("#"), attributes["href"]
            self.links.append(attributes["href"][1:])
            # A line's first link is its number.
            if self.line is not None and not self.line["text"]:
                self.line["href"] = attributes["href"][1:]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        opened = self.open.pop()
        assert opened == tag, f"expected </{opened}> but got </{tag}>"

    def handle_data(self, data):
        if self.line is not None:
            self.line["text"] += data


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    page.feed(file.read())
page.close()
assert not page.open, page.open
missing = [link for link in page.links if link not in page.lines]
assert not missing, missing
for wanted in sys.argv[2:]:
    ptx, tile, source = wanted.split(":")
    found = 0
    for name, line in page.lines.items():
        if "p" not in name or ptx not in line["text"]:
            continue
        assert line["href"], f"no link: {line['text']}"
        origin = page.lines[line["href"]]
        assert tile in origin["text"], (line["text"], origin["text"])
        text = page.lines[origin["href"]]["text"]
        assert source in text, (line["text"], origin["text"], text)
        found += 1
    assert found, ptx
    print(f"{found} lines with {ptx} come from {tile} and {source}")
print(f"{page.bars} bars, {len(page.links)} links")
