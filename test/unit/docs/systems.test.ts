/**
 * The table of docs/install.md: every promise of docs/security.md and docs/signals.md stands in a row, with what each system holds of it, and
 * whatever a system has no means for is told to the first run that needs it (`test/unit/cli/system-gaps.test.ts` has the runs).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Gap, gaps } from "../../../src/host/node/system-gaps.ts";
import { anchorOf, docHeadings } from "../../support/doc-pages.ts";
import { projectRoot } from "../../support/project.ts";

interface Row {
  readonly promise: string;
  readonly systems: readonly string[];
}

const page = readFileSync(join(projectRoot, "docs/install.md"), "utf8");
const rows: readonly Row[] = page
  .slice(page.indexOf("\n| promise | Linux | macOS | Windows, in WSL 2 |\n"))
  .split("\n\n", 1)[0]!
  .trim()
  .split("\n")
  .slice(2)
  .map((line) => {
    const [promise = "", ...systems] = line.slice(2, -2).split(" | ");
    return { promise, systems };
  });

it("every promise has a row", () => {
  expect(rows.length).toBeGreaterThan(20);
  const linked = rows.flatMap(({ promise }) =>
    [...promise.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target),
  );
  const promises = [
    ...docHeadings("docs/security.md", 3).map((heading) => `security.md#${anchorOf(heading)}`),
    "signals.md",
    ...docHeadings("docs/signals.md", 2).map((heading) => `signals.md#${anchorOf(heading)}`),
  ];
  expect(promises.length).toBeGreaterThan(30);
  expect(promises.filter((promise) => !linked.includes(promise))).toEqual([]);
  // A link of a row that leads nowhere: `links.test.ts`.
});

it("every promise of the pages stands below a heading, where a row can lead", () => {
  const security = readFileSync(join(projectRoot, "docs/security.md"), "utf8");
  const groups = security.split(/^## .*\n/m).slice(1);
  expect(groups.filter((group) => !/^\s*### /.test(group))).toEqual([]);
  const [beforeFirst = ""] = readFileSync(join(projectRoot, "docs/signals.md"), "utf8").split(/^## /m, 1);
  expect(beforeFirst).not.toMatch(/^[-|] /m);
});

it("every cell says one of three words first, and Linux is where the tests run", () => {
  const unsaid = rows.flatMap(({ promise, systems }) =>
    systems.length === 3 && systems.every((cell) => /^(?:tested|expected|not there)\b/.test(cell))
      ? []
      : [promise],
  );
  expect(unsaid).toEqual([]);
  expect(rows.filter(({ systems: [linux] }) => linux?.startsWith("tested") !== true)).toEqual([]);
});

it("a run is told of everything that a system has no means for", () => {
  /** What tells it, by the words that its row begins with. */
  const told: Readonly<Record<string, Gap>> = {
    "[rules about folders]": "paths",
    "programs that a run started": "descendants",
    "the memory of served runs": "memory",
    "[code that agents write]": "walls",
  };
  const missing = rows.filter(({ systems }) => systems.some((cell) => cell.includes("not there")));
  const untold = missing.filter(
    ({ promise }) => !Object.keys(told).some((words) => promise.startsWith(words)),
  );
  expect(untold, "add what says so to src/host/node/system-gaps.ts").toEqual([]);
  expect(missing.length).toBe(Object.keys(told).length);
  expect(Object.values(told).sort()).toEqual(Object.keys(gaps).sort());
});
