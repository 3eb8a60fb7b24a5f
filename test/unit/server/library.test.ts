/** The library over the API: everybody's, read by all, added to by who may write, cleared by admins; words never replace what holds. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { EmbeddedOperations } from "../../../src/durable/index.ts";
import { Library, WritingStore } from "../../../src/writing/durable/index.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const bench = new ServerBench(tempFolder("library"));
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

const ask = (method: string, path: string, as: string, body?: object) =>
  bench.ask(`/api/library${path}`, { method, as, ...(body === undefined ? {} : { body }) } as never);
const work = (title: string) => ({
  type: "book",
  title,
  author: [{ family: "Doe" }],
  issued: { "date-parts": [[2020]] },
});
/** As a run keeps what Crossref said. */
function kept(key: string, title: string): void {
  const desk = new WritingStore(new EmbeddedOperations(bench.store), {
    now: () => bench.now,
    uuid: () => "u",
    sha256: () => "h",
  });
  const origin = { adapter: "crossref", url: "https://api.crossref.org/x", at: "2026-01-01", hash: "h" };
  new Library(desk).add({ key, item: { title, DOI: `10.1000/${key}` }, verified: true, origin });
}

describe("the library", () => {
  test("is added to by an item or by BibTeX, found, read, changed and cleared", async () => {
    const made = await ask("POST", "", "ann", { item: work("Looms") });
    expect([made.status, made.json]).toMatchObject([
      201,
      { items: [{ key: "doe2020looms", verified: false, origin: null, source: null }], problems: [] },
    ]);
    const read = await ask("POST", "", "eve", { bibtex: "@misc{roe2019, title = {Threads}}\n@misc{b" });
    expect(read.json).toMatchObject({ items: [{ item: { title: "Threads" } }], problems: [{ line: 2 }] });
    expect((await ask("GET", "?q=looms", "bob")).json.items).toHaveLength(1);
    expect((await ask("GET", "/doe2020looms", "eve")).json.item.title).toBe("Looms");
    const put = await ask("PUT", "/doe2020looms", "eve", { item: work("Looms again") });
    expect([put.status, put.json.item.title, put.json.added]).toEqual([
      200,
      "Looms again",
      made.json.items[0].added,
    ]);
    expect((await ask("DELETE", "/doe2020looms", "root")).status).toBe(204);
    expect((await ask("GET", "/doe2020looms", "ann")).status).toBe(404);
    expect((await ask("DELETE", "/doe2020looms", "root")).status).toBe(404);
  });

  test("roles: who reads adds nothing, only an admin removes", async () => {
    await ask("PUT", "/kept2020", "ann", { item: work("Kept") });
    for (const [method, path, as, body] of [
      ["POST", "", "bob", { item: work("x") }],
      ["PUT", "/kept2020", "bob", { item: work("x") }],
      ["DELETE", "/kept2020", "bob", undefined],
      ["DELETE", "/kept2020", "ann", undefined],
      ["DELETE", "/kept2020", "eve", undefined],
    ] as const)
      expect([method, as, (await ask(method, path, as, body)).status]).toEqual([method, as, 403]);
    expect((await ask("GET", "/kept2020", "bob")).json.item.title).toBe("Kept");
  });

  test("what a register said is not replaced by words", async () => {
    kept("held2020", "As it is");
    const put = await ask("PUT", "/held2020", "root", { item: work("Mine") });
    expect([put.status, put.json.detail]).toEqual([
      422,
      "the reference `held2020` is verified; it can be removed, not changed",
    ]);
    const same = await ask("POST", "", "ann", { item: { title: "Mine", DOI: "10.1000/held2020" } });
    expect(same.json.items[0]).toMatchObject({
      key: "held2020",
      verified: true,
      item: { title: "As it is" },
    });
    const lied = await ask("PUT", "/new2020", "ann", { item: work("x"), verified: true });
    expect(lied.status).toBe(422);
  });

  test("BibTeX replaces nobody's work by its key", async () => {
    kept("taken2020", "As it is");
    await ask("PUT", "/words2020", "ann", { item: { type: "document", title: "Ann's" } });
    const bibtex =
      "@misc{taken2020, title = {Mine}}\n@misc{words2020, title = {Mine, too}}\n@misc{words2020, title = {Ann's}}";
    const read = await ask("POST", "", "eve", { bibtex });
    expect(
      read.json.items.map((one: { key: string; item: { title: string } }) => [one.key, one.item.title]),
    ).toEqual([
      ["mine", "Mine"],
      ["minea", "Mine, too"],
      ["anns", "Ann's"],
    ]);
    expect((await ask("GET", "/taken2020", "ann")).json).toMatchObject({
      verified: true,
      item: { title: "As it is" },
    });
    const again = await ask("POST", "", "eve", { bibtex: "@misc{words2020, title = {Ann's}}" });
    expect(again.json.items).toMatchObject([{ key: "words2020" }]);
    expect((await ask("GET", "/words2020", "ann")).json.item.title).toBe("Ann's");
  });

  test.each([
    ["POST", "", {}, "must have either `item` or `bibtex`"],
    ["POST", "", { item: work("x"), bibtex: "" }, "must have either"],
    ["POST", "", { item: { type: "book" } }, "must have a title"],
    ["POST", "", { item: [] }, "item"],
    ["PUT", "/a b", { item: work("x") }, "a key has letters"],
    ["PUT", "/x2020", { item: { title: 7 } }, "must have a title"],
    ["PUT", "/x2020", { itm: {} }, "item"],
  ])("%s %s with %j is refused", async (method, path, body, said) => {
    const answer = await ask(method, path.replace(" ", "%20"), "ann", body);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(said);
  });

  test("a key `__proto__` in an item is refused, and none of ours is changed by it", async () => {
    const answer = await bench.ask("/api/library", {
      method: "POST",
      as: "ann",
      raw: '{"item": {"title": "T", "__proto__": {"polluted": true}}}',
    } as never);
    expect(answer.status).toBe(422);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
