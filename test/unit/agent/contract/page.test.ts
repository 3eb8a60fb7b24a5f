/** The programs of docs/harness-loop.md run as they stand there, against the package's own entry, and print what it says. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test, vi } from "vitest";
import { projectRoot } from "../../../support/project.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const page = readFileSync(join(projectRoot, "docs/harness-loop.md"), "utf8");
const programs = [...page.matchAll(/^## (.+)$|```ts\n([\s\S]*?)```\s+```text\n([\s\S]*?)```/gm)];

/** Program and output by the heading above them. */
function examples(): { heading: string; program: string; output: string }[] {
  let heading = "";
  return programs.flatMap(([, title, program, output]) => {
    if (title !== undefined) heading = title;
    return program === undefined || output === undefined ? [] : [{ heading, program, output }];
  });
}

const folder = tempFolder("page");

test("the page has its examples", () => expect(examples().length).toBe(4));

test.each(examples())("$heading", async ({ heading, program, output }) => {
  const file = join(folder, `${heading.replace(/\W+/g, "-")}.ts`);
  writeFileSync(file, program.replace('from "harn"', `from "${join(projectRoot, "src/index.ts")}"`));
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    printed.push(values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" "));
  });
  try {
    await import(file);
  } finally {
    log.mockRestore();
  }
  expect(`${printed.join("\n")}\n`).toBe(output);
});
