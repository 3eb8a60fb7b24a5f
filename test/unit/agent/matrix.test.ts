/** docs/reference/loop-cases.md names a test for each row of its tables of behaviour: those tests exist. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../support/project.ts";

const page = readFileSync(join(projectRoot, "docs/reference/loop-cases.md"), "utf8");
const legend = new Map(
  [...page.matchAll(/`(\w+)` = `(test\/[^`]+)`/g)].map(([, letter, path]) => [letter, path]),
);

interface Row {
  readonly what: string;
  readonly pins: string;
}

/** The rows of the table under a heading. */
function rows(heading: string): Row[] {
  const start = page.indexOf(`## ${heading}`);
  const end = page.indexOf("\n## ", start + 1);
  const lines = page.slice(start, end === -1 ? undefined : end).split("\n");
  return lines
    .filter((line) => line.startsWith("| ") && !line.startsWith("| what "))
    .map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      return { what: cells[1] as string, pins: cells.at(-2) as string };
    });
}

/** What a cell names and nobody finds: `U "title"`, `G `golden``, a path, a letter alone. */
function missing(pins: string): string[] {
  const lost: string[] = [];
  let source = "";
  let named = 0;
  for (const [part, letter, title, path] of pins.matchAll(/\b([A-Z]{1,2})\b|"([^"]+)"|`([^`]+)`/g)) {
    named++;
    if (letter !== undefined) {
      source = letter;
      if (letter !== "G" && !existsSync(join(projectRoot, legend.get(letter) ?? "nowhere"))) lost.push(part);
    } else if (title !== undefined) {
      if (!hasTitle(legend.get(source) ?? "", title)) lost.push(`${source} ${part}`);
    } else if (path !== undefined && !found(source, path)) lost.push(part);
  }
  return named === 0 ? ["no test is named"] : lost;
}

function hasTitle(file: string, title: string): boolean {
  const text = existsSync(join(projectRoot, file)) ? readFileSync(join(projectRoot, file), "utf8") : "";
  return text
    .split("\n")
    .some((line) => /(test|describe|it)[.(]|^\s+\[?"/.test(line) && line.includes(title));
}

function found(source: string, path: string): boolean {
  if (path.startsWith("test/")) return existsSync(join(projectRoot, path));
  return source === "G" && globSync(`test/golden/${path}.harn`, { cwd: projectRoot }).length > 0;
}

describe.each([
  ["Row by row", 45],
  ["Bad input", 16],
])("%s", (heading, least) => {
  const all = rows(heading);
  test("has its rows", () => expect(all.length).toBeGreaterThanOrEqual(least));
  test.each(all)("$what", ({ pins }) => expect(missing(pins)).toEqual([]));
});

test("a test that is not there is missed", () => {
  expect(missing('U "no such title", G `agent/no_such_golden`, `test/no-such-file.ts`')).toHaveLength(3);
});
