/** The counters of `npm run measure` (issues 13 and 28), on sources as small as what they count. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { medianTouched, stepsOf } from "../../../scripts/measure/checklists.ts";
import * as plurals from "../../../scripts/measure/plurals.ts";
import { measured, type TestReport } from "../../../scripts/measure/rows.ts";
import * as shapes from "../../../scripts/measure/shapes.ts";
import { importsOf, type Source, sourcesOf } from "../../../scripts/measure/sources.ts";
import {
  crowdedFolders,
  functionsOf,
  importCircles,
  lineCount,
  sharedNames,
} from "../../../scripts/measure/structure.ts";

const one = (text: string, path = "a/a.ts"): Source[] => sourcesOf({ [path]: text });
const whats = (finds: readonly plurals.Find[]): string[] => finds.map(({ what }) => what);

describe("imports", () => {
  it("are read in every form, and those of packages are not ours", () => {
    const [source] = sourcesOf({
      "a/b/c.ts":
        'import { x } from "../d.ts";\nimport type { Y } from "./e.ts";\nexport * from "../../f.ts";\n' +
        'export type { Z } from "./g.ts";\nconst h = () => import("./h.ts");\nimport fs from "node:fs";\n' +
        'type T = import("./i.ts").T;\n',
    });
    expect(importsOf(source as Source).map(({ to, typeOnly }) => [to, typeOnly])).toEqual([
      ["a/d.ts", false],
      ["a/b/e.ts", true],
      ["f.ts", false],
      ["a/b/g.ts", true],
      ["a/b/h.ts", false],
      ["a/b/i.ts", true],
    ]);
  });

  it("make circles, type imports counted", () => {
    const sources = sourcesOf({
      "a.ts": 'import { b } from "./b.ts";',
      "b.ts": 'import type { C } from "./c.ts";',
      "c.ts": 'import { a } from "./a.ts";\nimport { d } from "./d.ts";',
      "d.ts": "",
      "e.ts": 'import type { F } from "./f.ts";',
      "f.ts": 'import type { E } from "./e.ts";',
    });
    expect(importCircles(sources)).toEqual([
      ["a.ts", "b.ts", "c.ts"],
      ["e.ts", "f.ts"],
    ]);
  });
});

describe("shape", () => {
  it("counts files side by side, not those of folders below", () => {
    const sources = sourcesOf({ "a/1.ts": "", "a/2.ts": "", "a/b/3.ts": "", "c/4.ts": "" });
    expect(crowdedFolders(sources, 1)).toEqual([["a", 2]]);
  });

  it("counts lines, with or without a break at the end", () => {
    expect(lineCount(sourcesOf({ "a.ts": "1;\n2;\n", "b.ts": "3;" }))).toBe(3);
  });

  it("finds functions of every kind, with their lines", () => {
    const text =
      "export function f() {\n  return 1;\n}\nconst g = () => 2;\nclass C {\n  m() {\n    return () => 3;\n  }\n}\n";
    expect(functionsOf(one(text)).map(({ name, lines, top }) => [name, lines, top])).toEqual([
      ["f", 3, true],
      ["g", 1, true],
      ["m", 3, false],
      ["", 1, false],
    ]);
  });

  it("finds names that several files define at their top", () => {
    const sources = sourcesOf({
      "a.ts": "export const read = () => 1;\nfunction own() {}",
      "b.ts": "function read() {}\nfunction outer() { function own() {} }",
    });
    expect(sharedNames(functionsOf(sources))).toEqual(["read"]);
  });
});

describe("registries", () => {
  it("are weak maps by task, made or as a type", () => {
    const text =
      "const a = new WeakMap<Task, X>();\nlet b: WeakMap<Task, Y>;\nconst c = new WeakMap<Dict, X>();";
    expect(plurals.taskRegistries(one(text))).toHaveLength(2);
    expect(plurals.taskRegistries(one(text, "interp/task-local.ts"))).toEqual([]);
  });
});

describe("private words", () => {
  it("are found in declared names of every kind", () => {
    const text =
      "const partedAt = 1;\nfunction tellAll(heard) {}\ninterface Keeper { flight: string }\nclass C { mostErrors() {} }\n" +
      "type Purse = 1;\nconst MAX_DEPTH = 2;";
    expect(whats(plurals.privateNames(one(text)))).toEqual([
      ...["partedAt", "tellAll", "heard", "Keeper", "flight", "mostErrors", "Purse", "MAX_DEPTH"],
    ]);
  });

  it("are not words that only contain one, nor names that are used", () => {
    const text =
      "const inFlight = 1;\nconst almost = told.heard;\nconst intelligent = MAX_DEPTH;\nconst most = 3;";
    expect(whats(plurals.privateNames(one(text)))).toEqual([]);
  });

  it("are in no source of ours", () => {
    const paths = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".ts"),
    );
    const texts = paths.map((path) => [path, readFileSync(`src/${path}`, "utf8")] as const);
    // Parsed is only what may have one outside of its comments.
    const having = texts.filter(([, text]) =>
      /part(?:ed|ing)|flight|keeper|bur(?:y|ied)|reviv|told|tell|hear|purse|deepest|workplace|holding|most[A-Z]|M(?:AX|OST)_/i.test(
        text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
      ),
    );
    expect(plurals.privateNames(sourcesOf(Object.fromEntries(having)))).toEqual([]);
  });
});

describe("readers by hand", () => {
  it("are texts with “must be” that are no documentation", () => {
    const text =
      'fail("x must be a list");\nfail(`${name} must be one`);\nconst row = { doc: "what it " + "must be" };\n// must be\n';
    expect(whats(plurals.mustBeTexts(one(text)))).toEqual(["x must be a list", " must be one"]);
    expect(plurals.mustBeTexts(one(text, "table/a.ts"))).toEqual([]);
  });

  it("are declared functions named for reading", () => {
    const text =
      "function readA() {}\nconst readB = () => 1;\nreadC();\nconst ready = () => 1;\nclass K { readD() {} }";
    expect(whats(plurals.readFunctions(one(text)))).toEqual(["readA", "readB", "readD"]);
  });
});

describe("shapes", () => {
  const classOf = (members: string): string => `class A { private readonly input: Dict; ${members} }`;

  it("readers read a dict by names, or say what a value must be", () => {
    const reading = classOf("text(name: string) {} flag(key: string) {}");
    const refusing = 'class AReader { read(dict: Dict) { fail("`x` must be a list"); } }';
    expect(whats(shapes.readerClasses(one(reading)))).toEqual(["A"]);
    expect(whats(shapes.readerClasses(one(refusing)))).toEqual(["AReader"]);
    expect(shapes.readerClasses(one(reading, "table/a.ts"))).toEqual([]);
  });
  it("readers are not parsers of texts, nor classes with one such method", () => {
    const parser =
      "class Reader { private readonly text: string; value(name: string): Json {} text(name: string) {} }";
    expect(shapes.readerClasses(one(parser))).toEqual([]);
    expect(shapes.readerClasses(one(classOf("text(name: string) {} other(key: string) {}")))).toEqual([]);
  });

  it("rows of type any without a reason are found", () => {
    const text =
      'field("a", "any", "Doc.");\nfield("b", "any", "Doc.", { why: "data" });\nfield("c", "int", "Doc.");\nrow("d", "any", "Doc.");';
    expect(whats(shapes.untypedRows(one(text)))).toEqual(["a"]);
  });

  it("methods that only run one durable operation are found", () => {
    const text =
      'import { notes } from "../durable/index.ts";\nimport { other } from "./other.ts";\nclass A {\n' +
      "  a(id) { return this.do(notes.get, { id }) ?? undefined; }\n  b(id) { this.x.y(notes.put, { id }); }\n" +
      "  c(id) { check(id); return this.do(notes.get, { id }); }\n  d(id) { return this.do(other.get, { id }); }\n}";
    expect(whats(shapes.delegatingMethods(one(text)))).toEqual(["a", "b"]);
    expect(shapes.delegatingMethods(one(text, "durable/a.ts"))).toEqual([]);
    const client =
      'import { clientOf } from "../durable/index.ts";\nclass A {\n  a(id) { return this.stored.get({ id }); }\n' +
      "  b(id) { return this.get({ id }); }\n  c(id) { return this.stored.get({ id: f(id) }); }\n  d(x) { this.stored.get(x); }\n}";
    expect(whats(shapes.delegatingMethods(one(client)))).toEqual(["a", "b"]);
  });

  it("types are shared by name, at the top of modules", () => {
    const sources = sourcesOf({
      "a.ts": "export interface Page {}\ntype Own = 1;\nclass Work {}",
      "b.ts": "type Page = 1;\nfunction f() { type Own = 2; }\nexport class Work {}",
    });
    expect(shapes.sharedTypes(sources)).toEqual(["Page: a.ts b.ts", "Work: a.ts b.ts"]);
  });

  it("small files of one importer are found", () => {
    const sources = sourcesOf({
      "a.ts": 'import "./b.ts";\nimport "./c.ts";\nimport "./d.ts";',
      "b.ts": 'import "./c.ts";',
      "c.ts": "",
      "d.ts": "1;\n".repeat(60),
    });
    expect(shapes.smallFilesOfOne(sources)).toEqual(["b.ts (a.ts)"]);
  });
});

describe("small plurals", () => {
  it("retry formulas are powers and doublings of rests", () => {
    const text =
      "const delay = base * 2 ** attempt;\nbackoff *= 2;\nconst area = side ** n;\nconst kilo = 2 ** 10;\nwidth *= 2;";
    expect(whats(plurals.retryFormulas(one(text)))).toEqual(["2 ** attempt", "backoff *= 2"]);
  });

  it("redactors and globs are known by their names", () => {
    expect(plurals.redactors(one("function redactUrl() {}"))).toEqual(["a/a.ts"]);
    expect(plurals.redactors(one("redactUrl();"))).toEqual([]);
    expect(plurals.globs(one("const globMatches = () => 1;"))).toEqual(["a/a.ts"]);
    expect(plurals.globs(one("new Minimatch(p);"))).toEqual(["a/a.ts"]);
    expect(plurals.globs(one("function globalNames() {}"))).toEqual([]);
  });

  it("resolvers of the state folder look the variable up", () => {
    expect(plurals.stateFolderReaders(one('env.get("HARN_STATE_DIR")'))).toHaveLength(1);
    expect(plurals.stateFolderReaders(one("process.env.HARN_STATE_DIR ?? x"))).toHaveLength(1);
    expect(plurals.stateFolderReaders(one("process.env.HARN_STATE_DIR = x;"))).toEqual([]);
    expect(
      plurals.stateFolderReaders(one('const env = { HARN_STATE_DIR: x, doc: "HARN_STATE_DIR" };')),
    ).toEqual([]);
  });

  it("resolvers of names have scopes in scopes", () => {
    expect(plurals.nameResolvers(one("interface Scope { parent: Scope | undefined }"))).toHaveLength(1);
    expect(plurals.nameResolvers(one("interface Node { parent: Node }"))).toEqual([]);
  });
});

describe("homes of state", () => {
  it("are files that lock, rename into place or begin transactions outside the store", () => {
    for (const text of ['open(path, "wx");', "renameSync(a, b);", 'db.exec("BEGIN IMMEDIATE");'])
      for (const [path, count] of [
        ["cli/a.ts", 1],
        ["store/a.ts", 0],
        ["durable/a.ts", 0],
      ] as const)
        expect(plurals.ownLocks(one(text, path))).toHaveLength(count);
  });

  it("are files that name a file of state and write it past the host", () => {
    expect(plurals.stateWriters(one("writeFileSync(`${folder}/state.json`, text);"))).toHaveLength(1);
    expect(plurals.stateWriters(one("readFileSync(`${folder}/state.json`);"))).toEqual([]);
    expect(plurals.stateWriters(one('writeFileSync(path, "see a.json for more");'))).toEqual([]);
    expect(plurals.stateWriters(one("files.write(`${folder}/state.json`, text);"))).toEqual([]);
  });
});

describe("lists by hand", () => {
  const tables = [new Set(["model", "system", "tools", "retries", "budget"]), new Set(["x"])];
  it("repeat the names of one table", () => {
    const text =
      'const own = ["model", "system", "tools", "retries", "other"];\nconst few = ["model", "system"];';
    expect(plurals.handKeptLists(one(text), tables, /^table\//)).toHaveLength(1);
    expect(plurals.handKeptLists(one(text, "table/a.ts"), tables, /^table\//)).toEqual([]);
  });
  it("are not lists of other words", () => {
    const text = 'const other = ["model", "a", "b", "c", "d"];';
    expect(plurals.handKeptLists(one(text), tables, /^table\//)).toEqual([]);
  });
});

describe("tool calls", () => {
  it("are told by a vocabulary where an object is tagged, or a name emitted", () => {
    const text =
      'emit({ type: "tool_start", id });\nemit(core, "tool.call", {});\ntell("tool_call_update", {});\n' +
      'const names = { tool_calls: 1 };\nif (kind === "tool_call") x();\nnode({ type: "tool" });';
    expect(whats(plurals.toolEventSources(one(text)))).toEqual([
      "tool_start",
      "tool.call",
      "tool_call_update",
    ]);
    expect(plurals.toolEventSources(one(text, "events/a.ts"))).toEqual([]);
  });
  it("are not told by evidence of that kind, which cites its source", () => {
    expect(plurals.toolEventSources(one('const a = { kind: "tool_result", ref: id };'))).toEqual([]);
    expect(plurals.toolEventSources(one('const a = { kind: "tool_result", id };'))).toHaveLength(1);
  });

  it("have a form where a type has id, name and arguments", () => {
    const text =
      "interface Call { id: string; name: string; arguments: Json }\ntype Other = { id: string; name: string };\n" +
      "type Third = { callId: string; tool: string; args: Json };";
    expect(whats(plurals.callShapes(one(text, "agent/a.ts")))).toEqual(["Call", "Third"]);
    expect(plurals.callShapes(one(text, "cli/a.ts"))).toEqual([]);
  });
});

describe("checklists", () => {
  const page =
    "# All\n## A thing\n1. First. 2. Second\n   goes on.\n3. Third, see 2.5.\n\n## Other\n1. One.\n";
  it("have numbered steps", () => {
    expect(stepsOf(page, "A thing")).toBe(3);
    expect(stepsOf(page, "Other")).toBe(1);
    expect(() => stepsOf(page, "Nothing")).toThrow("no heading");
  });

  it("are held against the sources that mention an option", () => {
    const sources = sourcesOf({
      "a.ts": "x.toolFormat",
      "b.ts": 'get("tool_format")',
      "c.ts": "retoolFormat",
    });
    expect(medianTouched(sources, ["tool_format"])).toBe(2);
  });
});

describe("the table", () => {
  const report = (seconds: number, failed = 0): TestReport => ({
    numTotalTests: 9000,
    numFailedTests: failed,
    startTime: 1000,
    testResults: [{ endTime: 2000 }, { endTime: 1000 + seconds * 1000 }],
  });
  const rows = (fast: TestReport | undefined) =>
    measured({
      sources: one("function redactUrl() {}\n"),
      checklists: "## A loop option\n1. Row. 2. Phase.\n",
      builtins: new Set(),
      optionTables: [],
      loopOptions: [],
      whole: undefined,
      long: undefined,
      fast,
      turns: { first: Array.from({ length: 801 }, () => "a"), second: ["a", "b"] },
    });
  const row = (name: string, fast?: TestReport) => rows(fast).find(({ what }) => what === name);

  it("says what is reached", () => {
    expect(row("redactors")).toMatchObject({ now: "1", met: true, found: ["a/a.ts"] });
    expect(row("lines of src")).toMatchObject({ now: "1", met: true });
    expect(row("files touched to add a loop option")).toMatchObject({ now: "2", met: true });
  });

  it("counts the functions of turns", () => {
    expect(row("functions of the first text-only turn")).toMatchObject({ now: "801", met: false });
    expect(row("functions of the second text-only turn")).toMatchObject({ now: "2", met: true });
  });

  it("reads times from reports, and says when there is none", () => {
    const fast = "npm run test:fast";
    expect(row(fast)).toMatchObject({ now: "not run here yet", met: undefined });
    expect(row(fast, report(59))).toMatchObject({ now: "9000 tests, 0 failed, 59 s", met: true });
    expect(row(fast, report(61))).toMatchObject({ met: false });
    expect(row(fast, report(30, 1))).toMatchObject({ met: undefined });
  });

  it("says of every row how it is counted", () => {
    for (const { what, how } of rows(undefined)) expect(`${what}: ${how}`).toMatch(/: .{10}/);
  });
});
