/** Which part of the suite a test file belongs to, and what is said about files left behind. */
import { describe, expect, it } from "vitest";
import { leftOver } from "../support/clean-run.ts";
import { inOrder, longFiles } from "../support/long-first.ts";
import { type Suite, suiteOf, suites } from "../support/suites.ts";

/** The part of `test/a.test.ts` (or another file) among files with these texts. */
const partOf = (files: Readonly<Record<string, string>>, path = "test/a.test.ts"): Suite =>
  suiteOf(path, (name) => {
    const text = files[name];
    if (text === undefined) throw new Error(`no file ${name}`);
    return text;
  });

describe("the part of a test file", () => {
  it("is fast when it imports nothing that starts processes", () => {
    expect(partOf({ "test/a.test.ts": 'import { a } from "./b.ts";\n', "test/b.ts": "" })).toBe("fast");
  });

  it("is that of processes when an import of an import starts them", () => {
    const files = {
      "test/a.test.ts": 'import {\n  a,\n} from "./support/b.ts";\n',
      "test/support/b.ts": 'export { c } from "./c.ts";\n',
      "test/support/c.ts": 'import { spawn } from "node:child_process";\nimport "./b.ts";\n',
    };
    expect(partOf(files)).toBe("processes");
    expect(partOf({ ...files, "test/support/b.ts": 'import type { C } from "./c.ts";\n' })).toBe("fast");
  });

  it("does not look into the sources, which may start anything", () => {
    expect(partOf({ "test/a.test.ts": 'import { run } from "../src/host/index.ts";\n' })).toBe("fast");
  });

  it("is what a line of the file says", () => {
    const text = 'import { spawn } from "node:child_process";\n';
    expect(partOf({ "test/a.test.ts": `// suite: fast\n${text}` })).toBe("fast");
    expect(partOf({ "test/a.test.ts": "// suite: slow\n" })).toBe("slow");
  });

  it("is slow for a property file", () => {
    expect(partOf({ "test/property/a.test.ts": "" }, "test/property/a.test.ts")).toBe("slow");
  });
});

it("every test file is in one part, and each part has some", () => {
  const { fast, slow, processes } = suites();
  const all = [...fast, ...slow, ...processes];
  expect(new Set(all).size).toBe(all.length);
  for (const part of [fast, slow, processes]) expect(part.length).toBeGreaterThan(5);
  expect(fast).toContain("test/unit/suites.test.ts");
  expect(processes).toContain("test/examples.test.ts");
});

describe("the order of test files", () => {
  const { fast, slow, processes } = suites();

  it("names files that are there, the longest of each part", () => {
    const all = [...processes, ...slow, ...fast];
    expect(longFiles.filter((path) => !all.includes(path))).toEqual([]);
    expect(new Set(longFiles).size).toBe(longFiles.length);
    for (const part of [processes, slow, fast])
      expect(longFiles.filter((path) => part.includes(path)).length).toBeGreaterThan(1);
  });

  it("is that of the parts, in each of them the long ones first, the others as they were", () => {
    const files = [
      { part: "fast", path: "test/b.test.ts" },
      { part: "fast", path: "test/a.test.ts" },
      { part: "fast", path: "test/golden/golden.test.ts" },
      { part: "processes", path: "test/c.test.ts" },
      { part: "processes", path: "test/unit/cli/daemon.test.ts" },
      { part: "processes", path: "test/unit/cli/phases.test.ts" },
      { part: "slow", path: "test/property/d.test.ts" },
    ];
    expect(inOrder(files, (file) => file).map(({ path }) => path)).toEqual([
      "test/unit/cli/daemon.test.ts",
      "test/unit/cli/phases.test.ts",
      "test/c.test.ts",
      "test/property/d.test.ts",
      "test/golden/golden.test.ts",
      "test/b.test.ts",
      "test/a.test.ts",
    ]);
  });
});

describe("what is left behind", () => {
  it("is nothing to talk about when there is nothing", () => {
    expect(leftOver([], [])).toBeUndefined();
  });

  it("is named, with where it is", () => {
    expect(leftOver(["harn-x"], ["test/golden/a/.harn"])).toBe(
      'The tests left files behind (test/README.md, "Leave nothing behind"):\n' +
        "in the temporary folder: harn-x\nin the project: test/golden/a/.harn",
    );
  });

  it("is cut when it is a lot", () => {
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
    expect(leftOver(names, [])?.split("\n")).toHaveLength(42);
    expect(leftOver(names, [])).toMatch(/and 10 more$/);
  });
});
