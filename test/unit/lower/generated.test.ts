/** The generated forms of the operators are what `scripts/specialise.ts` writes now. */
// suite: processes
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { generatedFiles } from "../../../scripts/specialise.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = "src/lower/generated";

it("is up to date (`npm run specialise`)", () => {
  const files = generatedFiles();
  for (const [path, text] of files) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  expect(readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)).toEqual(
    [...files.keys()].sort(),
  );
});
