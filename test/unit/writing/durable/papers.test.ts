/** Papers, library and sources over a store: what the property of versions does not look at. */
// suite: slow
import { afterAll, describe, expect, it } from "vitest";
import { tempFolder } from "../../../support/temp-folder.ts";
import { testWriting } from "../../../support/writing-desk.ts";

const desk = testWriting(tempFolder("desk"));
afterAll(() => desk.close());
const { papers, library, notes, sources } = desk;
const by = { by: "ann" };

describe("a change with a key", () => {
  it("happens once, and gives what it gave", () => {
    const key = (n: number) => ({ by: "agent", run: "run-1", key: `paper:run-1:0#${n}` });
    const made = papers.create({ title: "P", owner: "ann", outline: [{ title: "A" }] }, key(1));
    expect(papers.create({ title: "P", owner: "ann", outline: [{ title: "A" }] }, key(1))).toEqual(made);
    const [section] = made.sections;
    const id = made.paper.id;
    const written = papers.writeSection(id, section?.id ?? "", { body: "one two" }, 1, key(2));
    expect(papers.writeSection(id, section?.id ?? "", { body: "one two" }, 1, key(2))).toEqual(written);
    const edited = papers.editSection(id, "a", "one", "three", null, key(3));
    expect(papers.editSection(id, "a", "one", "three", null, key(3))).toEqual(edited);
    expect(papers.addSection(id, { title: "B" }, key(4))).toEqual(
      papers.addSection(id, { title: "B" }, key(4)),
    );
    expect(papers.mustGet(id).paper.version).toBe(4);
    expect(papers.mustGet(id).sections.map(({ body }) => body)).toEqual(["three two", ""]);
    expect(notes.write("c", { title: "t", text: "x", tags: [] }, "k")).toBe(
      notes.write("c", { title: "t", text: "x", tags: [] }, "k"),
    );
  });
});

describe("limits", () => {
  it("of sections, and of the project as a whole: nothing changes beyond them", () => {
    const { paper } = papers.create(
      { title: "P", owner: "ann", outline: Array.from({ length: 500 }, (_, n) => ({ title: `S ${n}` })) },
      by,
    );
    expect(() => papers.addSection(paper.id, { title: "one more" }, by)).toThrow(
      "at most 500 sections, this would have 501",
    );
    const long = "ä".repeat(524_288);
    for (let n = 0; n < 10; n++) papers.writeSection(paper.id, `s-${n}`, { body: long }, null, by);
    expect(() => papers.writeSection(paper.id, "s-10", { body: "x" }, null, by)).toThrow(
      "it may have 10 MiB",
    );
    expect(() => papers.writeSection(paper.id, "s-1", { body: `${long}x` }, null, by)).toThrow(
      "a section has at most 1 MiB",
    );
    expect(papers.mustGet(paper.id).paper.version).toBe(11);
  });
});

describe("the library", () => {
  it("keeps a work once; verified fields are not replaced by somebody's words", () => {
    const said = library.add({ item: { title: "Work", DOI: "10.1/a" }, verified: false, origin: null });
    const found = library.add({
      item: { title: "The work", DOI: "10.1/A" },
      verified: true,
      origin: { adapter: "crossref" },
    });
    expect([found.key, found.verified]).toEqual([said.key, true]);
    const again = library.add({ item: { title: "Made up", DOI: "10.1/a" }, verified: false, origin: null });
    expect(again.item.title).toBe("The work");
    expect(library.search("work").length).toBe(1);
  });

  it("is searched without syntax", () => {
    for (const query of ['"', "AND", "work*", "NEAR(work)", "key:work", "-work", "wörk"])
      library.search(query);
    expect(library.search("the WOR").map(({ key }) => key)).toEqual(["work"]);
  });
});

it("pages keep their text by its content", () => {
  const page = sources.add("c_1", { url: "https://a.b", title: "A", text: "lone \ud800 half" });
  expect(sources.stored.get({ id: page.id })?.text).toBe("lone \ufffd half");
  expect(sources.stored.list({ conversation: "c_2" })).toEqual([]);
});
