/** Word documents (docs/papers.md): what stands in `document.xml`, and that the same paper gives the same bytes. */
import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { imageFacts } from "../../../../src/writing/docx/runs.ts";
import { exportAs, formatFacts, madeFormats } from "../../../../src/writing/formats/index.ts";
import type { Paper } from "../../../../src/writing/text/index.ts";
import { paperWith, torturePaper } from "../text/torture-paper.ts";

/** The files of an archive by their paths; each with the two numbers of its date. */
function unzipped(zip: Uint8Array): Map<string, { readonly text: string; readonly date: readonly number[] }> {
  const bytes = Buffer.from(zip);
  const files = new Map<string, { readonly text: string; readonly date: readonly number[] }>();
  let at = bytes.readUInt32LE(bytes.length - 6);
  for (let left = bytes.readUInt16LE(bytes.length - 12); left > 0; left--) {
    const [size, name, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? bytes.readUInt32LE(at + offset) : bytes.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    const file = bytes.readUInt32LE(at + 42);
    const start = file + 30 + bytes.readUInt16LE(file + 26) + bytes.readUInt16LE(file + 28);
    const data = bytes.subarray(start, start + size);
    const content = bytes.readUInt16LE(at + 10) === 0 ? data : inflateRawSync(data);
    files.set(bytes.toString("utf8", at + 46, at + 46 + name), {
      text: content.toString("utf8"),
      date: [bytes.readUInt16LE(at + 12), bytes.readUInt16LE(at + 14), bytes.readUInt16LE(file + 12)],
    });
    at += 46 + name + extra + comment;
  }
  return files;
}

const docx = async (paper: Paper): Promise<Uint8Array> =>
  (await exportAs(paper, "docx")).files[0]?.content as Uint8Array;
const parts = async (body: string, more: Partial<Paper> = {}) => unzipped(await docx(paperWith(body, more)));
const document = async (body: string, more: Partial<Paper> = {}): Promise<string> =>
  (await parts(body, more)).get("word/document.xml")?.text ?? "";

/** Every tag is closed by its own. */
function isWhole(xml: string): boolean {
  const open: string[] = [];
  for (const [, closes, name, empty] of xml.matchAll(/<(\/?)([\w:]+)(?:\s+[\w:]+="[^"<]*")*\s*(\/?)>/g)) {
    if (empty === "/") continue;
    if (closes === "/") {
      if (open.pop() !== name) return false;
    } else open.push(name as string);
  }
  return open.length === 0 && !/<(?![/?\w])/.test(xml);
}

describe("a paper as a Word document", () => {
  it("has title, authors, abstract, numbered headings by depth", async () => {
    const xml = await document("Words.", { abstract: "In short." });
    expect(xml).toMatch(/<w:pStyle w:val="Title"\/>.*?<w:t [^>]*>T<\/w:t>/);
    expect(xml).toMatch(/<w:pStyle w:val="Authors"\/>.*?>Ann</);
    expect(xml).toMatch(/<w:pStyle w:val="Abstract"\/>.*?>In short\.</);
    expect(xml).toMatch(/<w:pStyle w:val="Heading1"\/>.*?>1 One</);
    const deep = await document("", {
      sections: [1, 2, 3, 4, 5].map((depth) => ({
        id: `s_${depth}`,
        depth,
        title: `D${depth}`,
        label: `d-${depth}`,
        body: "",
      })),
    });
    for (const depth of [1, 2, 3, 4, 5]) expect(deep).toContain(`<w:pStyle w:val="Heading${depth}"/>`);
    expect(deep).toContain("1.1.1.1.1 D5");
  });

  it("marks emphasis, strong, struck text, code; formulas are their source", async () => {
    const xml = await document(
      "*a* **b** ~~c~~ `d  e` $x^2$\n\n$$\n\\frac{1}{2}\n$$\n\n```js\nlet x = 1 < 2;\n\ty\n```",
    );
    expect(xml).toMatch(/<w:i\/>.*?>a</);
    expect(xml).toMatch(/<w:b\/>.*?>b</);
    expect(xml).toMatch(/<w:strike\/>.*?>c</);
    expect(xml).toMatch(/Courier New[^>]*\/><\/w:rPr><w:t xml:space="preserve">d {2}e</);
    expect(xml).toContain(">$x^2$<");
    expect(xml).toContain(">$$\\frac{1}{2}$$<");
    expect(xml).toMatch(/<w:pStyle w:val="CodeBlock"\/>.*?>let x = 1 &lt; 2;<.*?<w:br\/>.*?> {4}y</);
  });

  it("lists count from their own number, task items have boxes", async () => {
    const files = await parts("- a\n  - b\n\n3. c\n4. d\n\nand\n\n1. e\n\n- [x] done\n- [ ] open");
    const xml = files.get("word/document.xml")?.text ?? "";
    const numbers = [
      ...xml.matchAll(/<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>.*?<w:t [^>]*>([^\s<]+)/g),
    ];
    expect(numbers.map(([, level, , word]) => [level, word])).toEqual([
      ["0", "a"],
      ["1", "b"],
      ["0", "c"],
      ["0", "d"],
      ["0", "e"],
      ["0", "☑"],
      ["0", "☐"],
    ]);
    const [, , c, d, e] = numbers.map(([, , list]) => list);
    expect([c === d, c === e]).toEqual([true, false]);
    expect(files.get("word/numbering.xml")?.text).toMatch(/<w:start w:val="3"\/>/);
  });

  it("tables keep their header and the sides of their columns", async () => {
    const xml = await document("| a | b |\n|---|--:|\n| 1 | *2* |");
    expect(xml).toMatch(/<w:tblHeader\/>.*?<w:b\/>.*?>a</);
    expect(xml).toMatch(/<w:jc w:val="right"\/>.*?<w:i\/>.*?>2</);
  });

  it("links lead out by their relationships, citations and references to their places", async () => {
    const references = torturePaper.references;
    const files = await parts(
      "See [x](https://example.org/a?b=1&c=2), [@who2021report] and @sec:one; [no](javascript:1).",
      {
        references,
      },
    );
    const xml = files.get("word/document.xml")?.text ?? "";
    expect(files.get("word/_rels/document.xml.rels")?.text).toMatch(
      /Id="rIdLink1"[^>]*Target="https:\/\/example.org\/a\?b=1&amp;c=2" TargetMode="External"/,
    );
    expect(xml).toContain('r:id="rIdLink1"');
    expect(xml).not.toContain("javascript");
    expect(xml).toMatch(/w:anchor="reference_1".*?>1</);
    expect(xml).toMatch(/<w:bookmarkStart[^>]*w:name="reference_1"[^>]*\/>.*?World Health Organization/);
    expect(xml).toMatch(/w:anchor="section_1".*?>Section 1</);
    expect(xml).toMatch(/<w:pStyle w:val="Heading1"\/>.*?>References</);
  });

  it("footnotes are Word's own; one inside another stays as it was written", async () => {
    const files = await parts("A[^1] and B[^1].\n\n[^1]: Note *one* with [^2].\n[^2]: Deep.");
    const notes = files.get("word/footnotes.xml")?.text ?? "";
    expect(files.get("word/document.xml")?.text.match(/<w:footnoteReference /g)).toHaveLength(2);
    expect(notes).toMatch(/w:id="1".*?Note .*?<w:i\/>.*?>one<.*?\[\^2\]/);
  });

  it("images stand in it with their size and caption; what is no image is named", async () => {
    const images = new Map([...(torturePaper.images ?? []), ["bad.png", new Uint8Array([1, 2, 3])] as const]);
    const files = await parts("![The *plot*](images/plot.png){#fig:plot}\n\n![b](bad.png)\n\n@fig:plot", {
      images,
    });
    const xml = files.get("word/document.xml")?.text ?? "";
    expect([...files.keys()].some((path) => /^word\/media\/.*\.png$/.test(path))).toBe(true);
    expect(xml).toMatch(/<w:pStyle w:val="Figure"\/>.*?w:name="figure_1".*?<w:drawing>.*?descr="The plot"/);
    expect(xml).toMatch(/<w:pStyle w:val="FigureText"\/>.*?>Figure 1: </);
    expect(xml).toContain(">[image: bad.png]<");
    expect(xml).toMatch(/w:anchor="figure_1".*?>Figure 1</);
  });

  it("drops what XML can't hold", async () => {
    const xml = await document("a\u0007b\ud800c <b>&amp;</b>", { title: "x\u0000y & <z>" });
    expect(xml).toContain("ab\ufffdc ");
    expect(xml).toContain("&lt;b&gt;");
    expect(isWhole(xml)).toBe(true);
  });

  it("of the torture paper every part is whole, and nothing tells when it was made", async () => {
    const [one, two] = [await docx(torturePaper), await docx(structuredClone(torturePaper))];
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(true);
    const files = unzipped(one);
    for (const [path, { text, date }] of files) {
      if (/\.(xml|rels)$/.test(path)) expect(isWhole(text), path).toBe(true);
      expect(date, path).toEqual([0, 0x21, 0x21]);
    }
    expect(files.get("docProps/core.xml")?.text).not.toMatch(/created|modified/);
    const xml = files.get("word/document.xml")?.text ?? "";
    const names = [...xml.matchAll(/w:name="(section|figure|reference)_(\d+)"/g)].map(([whole]) => whole);
    expect(new Set(names).size).toBe(names.length);
    for (const [, place] of xml.matchAll(/w:anchor="(\w+)"/g)) expect(xml).toContain(`w:name="${place}"`);
    expect(xml).toContain("$\\input{/etc/passwd}$");
    expect((await exportAs(torturePaper, "docx")).findings).toEqual(
      (await exportAs(torturePaper, "html")).findings,
    );
  });
});

describe("sizes of images", () => {
  it.each([
    ["gif", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 3, 0, 2, 0], { kind: "gif", width: 3, height: 2 }],
    [
      "jpeg",
      [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc0, 0, 11, 8, 0, 7, 0, 9, 1, 1, 0x11, 0],
      { kind: "jpg", width: 9, height: 7 },
    ],
    ["a broken jpeg", [0xff, 0xd8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], undefined],
    ["nothing", [], undefined],
    ["an empty png", [0x89, 0x50, 0x4e, 0x47, ...new Array(20).fill(0)], undefined],
  ])("%s", (_name, bytes, facts) => {
    expect(imageFacts(Uint8Array.from(bytes as number[]))).toEqual(facts);
  });
});

it("every format says what it is for HTTP", () => {
  expect(Object.keys(formatFacts)).toEqual([...madeFormats, "pdf"]);
});
