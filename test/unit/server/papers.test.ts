/** Papers over the API: from outline to export, stale versions, what is refused, and that pages are told. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("papers"));
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

const made = async (more: object = {}) =>
  (
    await bench.ask("/api/papers", {
      body: { title: "P", outline: [{ title: "One" }, { title: "Two" }], ...more } as never,
    })
  ).json;

describe("a paper", () => {
  test("is made, written, cited, checked and exported", async () => {
    const paper = await made({ authors: ["Ann"] });
    const at = (rest: string) => `/api/papers/${paper.id}${rest}`;
    expect(paper).toMatchObject({
      owner: "ann",
      version: 1,
      sections: [{ title: "One", depth: 1 }, { title: "Two" }],
    });
    const put = await bench.ask(at("/sections/one"), {
      method: "PUT",
      body: { body: "See [@doe] and 漢.", version: 1 },
    });
    expect([put.status, put.json]).toEqual([200, { version: 2 }]);
    await bench.ask(at("/references/doe"), { method: "PUT", body: { item: { title: "T" }, quote: "" } });
    expect((await bench.ask(at("/check"))).json.findings.map((one: { kind: string }) => one.kind)).toEqual([
      "unmapped-character",
      "empty-section",
      "unverified-reference",
    ]);
    const tex = await bench.ask(at("/export?format=latex"));
    expect(tex.headers.get("content-disposition")).toBe('attachment; filename="paper.tex"');
    expect(tex.headers.get("x-harn-findings")).toContain('{"kind":"unmapped-character","section":"s_');
    const all = (await bench.ask(at("/export?format=latex&files=all"))).json;
    expect(all.files.map((file: { path: string }) => file.path)).toEqual(["paper.tex", "references.bib"]);
    expect((await bench.ask(at("/export?format=doc"))).status).toBe(422);
    const word = await bench.ask(at("/export?format=docx"));
    expect(word.headers.get("content-type")).toContain("wordprocessingml");
    expect(word.headers.get("content-disposition")).toBe('attachment; filename="paper.docx"');
    const bytes = (await bench.ask(at("/export?format=docx&files=all"))).json.files[0].base64 as string;
    expect(Buffer.from(bytes, "base64").subarray(0, 2).toString()).toBe("PK");
    expect((await bench.ask("/api/papers?q=p")).json.items[0].id).toBe(paper.id);
  });

  test("is not overwritten unseen", async () => {
    const paper = await made();
    const section = `/api/papers/${paper.id}/sections/one`;
    await bench.ask(section, { method: "PUT", body: { body: "first" } });
    const stale = await bench.ask(section, { method: "PUT", body: { body: "second", version: 1 } });
    expect([stale.status, stale.json]).toMatchObject([412, { version: 2, body: "first", yours: "second" }]);
    expect(stale.headers.get("etag")).toBe('"2"');
    const old = await bench.ask(section, {
      method: "PUT",
      body: { body: "x" },
      headers: { "if-match": '"1"' },
    } as never);
    expect(old.status).toBe(412);
    expect((await bench.ask(section)).json.body).toBe("first");
  });

  test("versions: listed, read, compared, restored", async () => {
    const paper = await made();
    const at = (rest: string) => `/api/papers/${paper.id}${rest}`;
    await bench.ask(at("/sections/one"), { method: "PUT", body: { body: "text" } });
    await bench.ask(at("/sections"), { body: { title: "Three", parent: paper.sections[0].id } });
    await bench.ask(at("/outline"), { method: "PUT", body: { outline: [{ title: "New" }] } });
    expect((await bench.ask(at("/versions?limit=2"))).json).toMatchObject({
      items: [
        { n: 4, op: "outline" },
        { n: 3, op: "add" },
      ],
      next: "3",
    });
    expect(
      (await bench.ask(at("/versions/1"))).json.sections.map((one: { body: string }) => one.body),
    ).toEqual(["", ""]);
    expect((await bench.ask(at("/versions/1/diff?to=2"))).json.sections).toMatchObject([
      { change: "changed", before: "", after: "text" },
    ]);
    expect((await bench.ask(at("/restore"), { body: { version: 1 } })).json).toEqual({ version: 5 });
    expect((await bench.ask(at(""))).json.sections.map((one: { title: string }) => one.title)).toEqual([
      "One",
      "Two",
    ]);
    expect((await bench.ask(at("/versions/9"))).status).toBe(404);
  });

  test("what the rules forbid is said", async () => {
    const paper = await made();
    const at = (rest: string) => `/api/papers/${paper.id}${rest}`;
    const [one] = paper.sections;
    const into = await bench.ask(at("/sections/one/move"), { body: { parent: one.id, position: 0 } });
    expect([into.status, into.json.detail]).toEqual([422, "a section can't be moved into itself"]);
    expect(
      (await bench.ask(at("/sections/two"), { method: "PUT", body: { label: "one" } })).json.detail,
    ).toBe("another section has the label `one`");
    expect((await bench.ask(at("/sections/nowhere"))).status).toBe(404);
    const read = (await bench.ask(at("/import"), { body: { bibtex: "@misc{a, title = {T}} @misc{b" } })).json;
    expect(read).toMatchObject({ keys: ["a"], problems: [{ line: 1 }] });
    expect((await bench.ask(at(""), { method: "DELETE" })).status).toBe(204);
    expect((await bench.ask(at(""))).status).toBe(404);
  });

  test("in a conversation is told in its log", async () => {
    const conversation = await bench.conversation("ann");
    const paper = await made({ conversation });
    await bench.ask(`/api/papers/${paper.id}/sections/one`, { method: "PUT", body: { body: "x" } });
    const { items } = (await bench.ask(`/api/conversations/${conversation}/events?types=paper.changed`)).json;
    expect(items.map((one: { data: unknown }) => one.data)).toEqual([
      { project: paper.id, version: 1, op: "create", section: null },
      { project: paper.id, version: 2, op: "write", section: paper.sections[0].id },
    ]);
    expect(items[0].origin).toBeUndefined();
  });
});
