/** The types of the package stand alone: a program needs neither another package nor `skipLibCheck`. */
// long: installs the package and compiles against it
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { entryPoints } from "../../../scripts/entries.ts";
import { compilers, inPackage, installPackage } from "../../support/packed-package.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const root = tempFolder("package-types");
/** Without and with Node's types. */
const bare = join(root, "bare");
const withNode = join(root, "node");

const strict = ["--noEmit", "--strict", "--skipLibCheck", "false"];
const nodenext = ["--module", "nodenext"];

const check = (compiler: string, folder: string, options: readonly string[]): string =>
  inPackage(process.execPath, [compiler, ...strict, ...options], folder);

/** Names of entries have hyphens. */
const nameOf = (entry: string): string => entry.replaceAll("-", "_");

const program = `
${[...entryPoints()].map(([name, from]) => `import * as ${nameOf(name)} from "${from}";`).join("\n")}
import { type Diagnostic, Dict, parse, SourceFile, type Value } from "harn/core";
export const found: readonly Diagnostic[] = parse(new SourceFile("x", "y")).diagnostics;
export const value: Value = new Dict();
// @ts-expect-error A wrong type must be seen, or the types are not there at all.
export const wrong: number = new SourceFile("x", "y").text;
// @ts-expect-error Not every object is a value.
export const date: Value = new Date();
export const all = [${[...entryPoints().keys()].map(nameOf).join(", ")}];
`;

const hundred = (one: (at: number) => string): string =>
  Array.from({ length: 100 }, (_, at) => one(at)).join("");
const toolOf = (at: number, input: string, output: string): string =>
  `export const t${at} = tool({ name: "t${at}", description: "T", input: ${input}, output: ${output}, execute: async ({ a${at}, b }) => ({ sum: b + a${at}.length, kind: "x" }) });\n`;

/** A hundred tools whose schemas are nothing but the types that a library of schemas would give. */
const bareTools = `
import { type Schema, tool } from "harn";
declare function schema<T>(): Schema<T, T>;
${hundred((at) => toolOf(at, `schema<{ a${at}: string; b: number }>()`, 'schema<{ sum: number; kind: "x" | "y" }>()'))}`;

const zodInput = (at: number): string => `z.object({ a${at}: z.string(), b: z.number().default(1) })`;
const zodOutput = 'z.object({ sum: z.number(), kind: z.enum(["x", "y"]) })';
const zodTools = `
import { tool } from "harn";
import { z } from "zod";
${hundred((at) => toolOf(at, zodInput(at), zodOutput))}`;
/** The same schemas and functions, without the library. */
const zodAlone = `
import { z } from "zod";
${hundred(
  (at) => `export const i${at} = ${zodInput(at)};
export const o${at} = ${zodOutput};
export const f${at} = async ({ a${at}, b }: z.output<typeof i${at}>): Promise<z.input<typeof o${at}>> => ({ sum: b + a${at}.length, kind: "x" });
`,
)}`;

beforeAll(async () => {
  await installPackage(bare);
  await installPackage(withNode, ["@types/node", "undici-types", "zod"]);
  for (const folder of [bare, withNode]) {
    writeFileSync(join(folder, "all.ts"), program);
    writeFileSync(join(folder, "root.ts"), 'import type { Harn } from "harn";\nexport type H = Harn;\n');
    writeFileSync(join(folder, "empty.ts"), "export {};\n");
    writeFileSync(join(folder, "tools.ts"), bareTools);
    mkdirSync(join(folder, "common"));
    writeFileSync(join(folder, "common/package.json"), '{"type": "commonjs"}\n');
    symlinkSync("../all.ts", join(folder, "common/all.ts"));
  }
  writeFileSync(join(withNode, "zod-tools.ts"), zodTools);
  writeFileSync(join(withNode, "zod-alone.ts"), zodAlone);
});

describe.each(Object.entries(compilers))("under %s", (_name, compiler) => {
  it.each([
    [bare, nodenext, "all.ts"],
    [bare, [...nodenext, "--target", "es2022"], "all.ts"],
    [bare, ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2020"], "all.ts"],
    [bare, nodenext, "common/all.ts"],
    [withNode, [...nodenext, "--lib", "es2022", "--types", "node"], "all.ts"],
  ])("%s %s %s is clean", (folder, options, file) => {
    expect(check(compiler, folder, [...options, file])).toBe("");
  });

  const told = (folder: string, file: string, ...options: readonly string[]): string =>
    check(compiler, folder, [...nodenext, "--target", "es2022", "--extendedDiagnostics", ...options, file]);
  const figure = (name: string, text: string): number =>
    Number(new RegExp(`^${name}: +(\\d+)`, "m").exec(text)?.[1]);
  /** What the compiler has to do for the one beyond the other: the same on a slow machine and on a busy one. */
  const beyond = (more: string, less: string): { types: number; instantiations: number } => ({
    types: figure("Types", more) - figure("Types", less),
    instantiations: figure("Instantiations", more) - figure("Instantiations", less),
  });

  it("a program of one import reads a few files of the package, which are soon checked", () => {
    const said = told(bare, "root.ts", "--listFiles");
    const read = said.split("\n").filter((line) => line.includes("node_modules/harn/"));
    expect(read.length).toBeLessThanOrEqual(4);
    // With a file for each source they were 197,881.
    expect(beyond(said, told(bare, "empty.ts")).instantiations).toBeLessThan(5000);
  });

  // Seconds are in bench/README.md. The bounds are twice what was measured under either compiler.
  it("a program with 100 tools is soon checked, the declarations of the package with it", () => {
    const { types, instantiations } = beyond(told(bare, "tools.ts"), told(bare, "empty.ts"));
    expect(instantiations).toBeLessThan(40_000);
    expect(types).toBeLessThan(17_000);
  });

  it("100 tools with schemas of zod are little more work than the schemas alone", () => {
    const quick = ["--skipLibCheck", "--types", "node"];
    const { types, instantiations } = beyond(
      told(withNode, "zod-tools.ts", ...quick),
      told(withNode, "zod-alone.ts", ...quick),
    );
    expect(instantiations).toBeLessThan(80_000);
    expect(types).toBeLessThan(20_000);
  });
});
