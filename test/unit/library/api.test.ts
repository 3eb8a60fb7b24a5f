/**
 * The public types of the package, in one file of the repository: `test/types/api.d.ts`. Whoever changes them sees it, and so does
 * who reviews the change. It is renewed with `HARN_ACCEPT=1 npx vitest run test/unit/library/api`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { expect, it } from "vitest";
import { entryPoints } from "../../../scripts/entries.ts";
import { inPackage, packedPackage } from "../../support/packed-package.ts";
import { projectRoot } from "../../support/project.ts";
import { accepting } from "../../support/run-golden.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("api");
const kept = join(projectRoot, "test/types/api.d.ts");

/** `harn/core` is as large as the language: what of it changes is in docs/changes.md. */
const isKept = (name: string): boolean => name !== "core";

/** The declarations as they are packed, each type once; what an entry beside the root gives stands in a namespace of its name. */
async function publicTypes(): Promise<string> {
  const { tarball } = await packedPackage();
  inPackage("tar", ["-xzf", tarball, "package/dist/types"], folder);
  const types = join(folder, "package/dist/types");
  const lines = [...entryPoints().keys()]
    .filter(isKept)
    .map((name) =>
      name === "index"
        ? 'export * from "./index.js";\n'
        : `export * as ${name.replace(/\W/g, "_")} from "./${name}.js";\n`,
    );
  writeFileSync(join(types, "api.d.ts"), lines.join(""));
  const bundle = await rolldown({
    input: { api: join(types, "api.d.ts") },
    plugins: [dts({ dtsOnly: true, tsconfig: false, generator: "oxc" })],
    checks: { bundlerTimings: false },
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  expect(output.map(({ fileName }) => fileName)).toEqual(["api.d.ts"]);
  return `// Made by test/unit/library/api.test.ts, which says how to renew it.\n${withoutComments(output[0].code)}`;
}

/** TypeScript 7 has no such interface yet. */
const typescript5 = createRequire(join(projectRoot, "dev/typescript-5/package.json"));

/** Words may change; the types are what is compared. */
function withoutComments(code: string): string {
  const ts = typescript5(
    "typescript",
  ) as typeof import("../../../dev/typescript-5/node_modules/typescript/lib/typescript.js");
  const printer = ts.createPrinter({ removeComments: true });
  return printer.printFile(ts.createSourceFile("api.d.ts", code, ts.ScriptTarget.Latest));
}

it("the public types are those of test/types/api.d.ts", async () => {
  const now = await publicTypes();
  if (accepting) writeFileSync(kept, now);
  const before = readFileSync(kept, "utf8").split("\n");
  expect(
    now.split("\n"),
    "public types have changed: if that is meant, `HARN_ACCEPT=1 npx vitest run test/unit/library/api` writes them anew, and docs/changes.md says so",
  ).toEqual(before);
});
