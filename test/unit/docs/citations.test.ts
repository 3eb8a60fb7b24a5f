/** Every section that sources and tests cite is a heading of `docs/reference/`; every page that they name is there (issue 13). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Citation, citationsIn, elsewhere, headingsOf, pagesIn } from "../../support/citations.ts";
import { projectRoot } from "../../support/project.ts";

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

const headings = {
  language: headingsOf(read("docs/reference/language.md")),
  builtins: headingsOf(read("docs/reference/builtins.md")),
  agents: headingsOf(read("docs/reference/agents.md")),
};

/** Not this one, and not the one of `citations.ts`, whose examples lead nowhere. */
const own = /(?:^|\/)citations(?:\.test)?\.ts$/;

const texts = ["src", "test", "stdlib", "examples", "templates", "bench", "scripts", "docs"].flatMap(
  (folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => /[^/]\.(?:ts|harn|md)$/.test(path) && !own.test(path) && !/\/\.harn\//.test(path))
      .filter((path) => !path.startsWith("test/fuzz/") && !path.includes("/node_modules/"))
      .map((path) => ({ path, text: read(path) })),
);

const dead = ({ page, section }: Citation): boolean => !headings[page].has(section);

describe("citations", () => {
  it("are read at all", () => {
    expect(texts.length).toBeGreaterThan(2000);
    expect(texts.flatMap(({ text }) => citationsIn(text)).length).toBeGreaterThan(1000);
  });

  it("of sections lead to headings of docs/reference", () => {
    const wrong = texts.flatMap(({ path, text }) =>
      citationsIn(text)
        .filter(dead)
        .map(({ page, section }) => `${path}: ${page}.md §${section}`),
    );
    expect(wrong).toEqual([]);
  });

  it("of pages lead to files", () => {
    const wrong = texts.flatMap(({ path, text }) =>
      pagesIn(text)
        .filter((page) => !existsSync(join(projectRoot, page)))
        .map((page) => `${path}: ${page}`),
    );
    expect(wrong).toEqual([]);
  });

  it("name no document that readers do not have", () => {
    expect(texts.flatMap(({ path, text }) => elsewhere(text).map((words) => `${path}: ${words}`))).toEqual(
      [],
    );
  });
});

describe("the reader of citations", () => {
  const sections = (text: string): string[] =>
    citationsIn(text).map(({ page, section }) => `${page} ${section}`);

  it("sees lists, ranges and lines that go on", () => {
    expect(sections("(agents.md §8.2, §10.3 and §4; language.md §2)")).toEqual([
      "agents 8.2",
      "agents 10.3",
      "agents 4",
      "language 2",
    ]);
    expect(sections(" * as builtins.md\n * §2.8 says")).toEqual(["builtins 2.8"]);
    expect(sections("// agents §1.1: x")).toEqual(["agents 1.1"]);
    expect(sections("agents.md §4, 12 of them")).not.toContain("agents 8");
  });

  it("sees headings with and without a dot", () => {
    expect([...headingsOf("# The page\n## 1. One\n### 1.1 Two\n#### Three\n")]).toEqual(["1", "1.1"]);
  });

  it("sees documents that are elsewhere", () => {
    expect(
      elsewhere("(decisions.md; amendment B14, reference/agent-loops.md, docs/reference/agents.md)"),
    ).toEqual(["decisions.md", "amendment B14", "reference/agent-loops.md"]);
  });
});
