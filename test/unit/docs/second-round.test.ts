/** Every number of issue 12 has its tests, and what docs/security.md names as a test is one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { missingTests, numbersTo, unshown } from "../../support/shown-by.ts";
import { secondRound } from "./second-round.ts";

test("each of the 48 numbers names tests that there are", () => {
  expect(secondRound.map(([number]) => number)).toEqual(numbersTo(48));
  expect(unshown(secondRound)).toEqual([]);
});

test("each promise of docs/security.md names its tests", () => {
  const sections = readFileSync(join(projectRoot, "docs/security.md"), "utf8").split(/^### /m).slice(1);
  expect(sections.length).toBeGreaterThan(20);
  for (const section of sections) {
    const [title = "", ...lines] = section.split("\n");
    const tests = /^Tests?: ([\s\S]*?)(?:\n\n|\n## |$)/m.exec(lines.join("\n"))?.[1];
    expect(tests, title).toBeDefined();
    const named = [...(tests ?? "").matchAll(/`(test\/[^`]+)`((?:,? \(?(?:and )?"[^"]+"\)?)*)/g)].flatMap(
      ([, file, words]) => [
        file as string,
        ...[...(words ?? "").matchAll(/"([^"]+)"/g)].map((it) => `${file} › ${it[1]}`),
      ],
    );
    const goldens = [...(tests ?? "").matchAll(/`([a-z_]+\/[a-z_]+)`/g)].map(
      (it) => `test/golden/${it[1]}.harn`,
    );
    expect([...named, ...goldens].length, title).toBeGreaterThan(0);
    expect(missingTests([...named, ...goldens]), title).toEqual([]);
  }
});
