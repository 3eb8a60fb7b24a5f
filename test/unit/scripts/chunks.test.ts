// suite: slow
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext, Script } from "node:vm";
import { expect, test } from "vitest";
import { asciiOf, unindent } from "../../../scripts/chunks.ts";
import { projectRoot } from "../../support/project.ts";

test("a bundle in ASCII means the same, fields without quotes included", () => {
  const code = `({𝒜: "𝒜", é: /[𝒜]/u.test("𝒜"), 𝒜𝒞: \`€ 𝒞\`, "x": ["𝒜: x"]})`;
  const written = asciiOf(code);
  expect(written).toMatch(/^[\0-\x7f]*$/);
  expect(runInNewContext(written)).toEqual(runInNewContext(code));
});

test("raw texts are left as they are: escapes would be their letters", () => {
  const code = "[String.raw`≤\\leq ${'é'} \\` 𝒜`, 'é']";
  const written = asciiOf(code);
  expect(written).toContain("≤");
  expect(written).not.toMatch(/'é'\]$/);
  expect(runInNewContext(written)).toEqual(runInNewContext(code));
});

test("a bundle without indentation means the same: tabs of texts stay", async () => {
  const code = "[\n\t`a\n\t${[\n\t\t1\n\t]}\n\tb`,\n\t`c`,\n\t2\n]";
  const written = await unindent("x.js", code);
  expect(written).toBe("[\n`a\n\t${[\n1\n]}\n\tb`,\n`c`,\n2\n]");
  expect(runInNewContext(written)).toEqual(runInNewContext(code));
});

test("every file of the built program can be read by the engine", () => {
  const dist = join(projectRoot, "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".cjs"),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files)
    expect(() => new Script(readFileSync(join(dist, file), "utf8"), { filename: file })).not.toThrow();
});
