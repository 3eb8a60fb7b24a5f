/** docs/checklists.md names what there is, and has a list for everything that may be added by itself. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const page = readFileSync("docs/checklists.md", "utf8");
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => [section.slice(0, section.indexOf("\n")), section]),
);

it.each([
  "A builtin",
  "A diagnostic",
  "A scorer",
  "A command",
  "An event of a log",
  "A state of a conversation",
  "A loop option",
])("%s has a list, which says what fails without it", (title) => {
  expect(sections.get(title)).toMatch(/\n1\. [\s\S]*\nFails otherwise: .*`test\/[\w/.-]+\.test\.ts`/);
});

it("names files that are there", () => {
  const named = [
    ...page.matchAll(/`((?:src|test|docs|viewer|stdlib|scripts|grammar|templates)\/[\w./-]+)`/g),
  ].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
