/** The package as a user gets it: what is in it, that it runs where it is installed, that its types can be used. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { cleanEnvironment } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("package");
const modules = join(folder, "node_modules");
const installed = join(modules, "harn");
let files: string[] = [];

function run(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, {
    cwd,
    env: cleanEnvironment({ XDG_CACHE_HOME: join(folder, "cache") }),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(done.status, `${command} ${args.join(" ")}: ${done.error ?? done.stderr}${done.stdout}`).toBe(0);
  return done.stdout;
}

const tsc = join(projectRoot, "node_modules/typescript/bin/tsc");

beforeAll(() => {
  // Without scripts: `prepack` would write into the dist/ that other tests run from.
  const packed = run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    projectRoot,
  );
  const [{ filename, files: listed }] = JSON.parse(packed.slice(packed.indexOf("[")));
  files = (listed as { path: string }[]).map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  run("tar", ["-xzf", join(folder, filename), "-C", installed, "--strip-components=1"], folder);
  const { dependencies } = manifest();
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(projectRoot, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
});

function manifest(): { dependencies: Record<string, string>; optionalDependencies?: object; bin: object } {
  return JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
}

describe("the package", () => {
  it("holds what is needed", () => {
    for (const path of [
      "bin/harn.cjs",
      "dist/cli.cjs",
      "dist/index.js",
      "README.md",
      "LICENSE",
      "package.json",
    ])
      expect(files).toContain(path);
    for (const start of ["dist/chunks/", "grammar/", "stdlib/", "templates/library/"])
      expect(
        files.some((path) => path.startsWith(start)),
        start,
      ).toBe(true);
  });

  it("holds nothing else", () => {
    const known = /^(bin|dist|grammar|stdlib|templates)\/|^(README\.md|LICENSE|package\.json)$/;
    expect(files.filter((path) => !known.test(path))).toEqual([]);
    expect(files.filter((path) => /code-cache|node_modules|\.test\./.test(path))).toEqual([]);
  });

  it("does not bring a Node of its own", () => {
    const { dependencies, optionalDependencies } = manifest();
    expect(
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => name.startsWith("node-")),
    ).toEqual([]);
  });

  it("runs where it is installed, through its link", () => {
    const bin = join(modules, ".bin");
    mkdirSync(bin);
    symlinkSync("../harn/bin/harn.cjs", join(bin, "harn"));
    writeFileSync(join(folder, "hello.harn"), 'println("hello")\n');
    for (let time = 0; time < 2; time++)
      expect(run(join(bin, "harn"), ["run", "hello.harn"], folder)).toBe("hello\n");
    expect(run(join(bin, "harn"), ["run", "-e", 'println(regex_match("a+", "caat"))'], folder)).toBe(
      "[aa]\n",
    );
    expect(existsSync(join(installed, "dist/code-cache"))).toBe(true);
  });

  it("brings the templates of `harn init`", () => {
    run(join(installed, "bin/harn.cjs"), ["init", "mine"], folder);
    expect(readFileSync(join(folder, "mine/.gitignore"), "utf8")).toContain(".harn/\n");
  });

  it("is a library", () => {
    writeFileSync(
      join(folder, "use.mjs"),
      `import { parse, SourceFile, stateNames } from "harn";
const { program, diagnostics } = parse(new SourceFile("x", "let a = 1"));
console.log(program.items[0].kind, diagnostics.length, stateNames.includes("IDLE"));`,
    );
    expect(run(process.execPath, ["use.mjs"], folder)).toBe("Let 0 true\n");
  });

  it("has declarations that a strict program can use", () => {
    run(
      process.execPath,
      [tsc, "-p", join(projectRoot, "tsconfig.types.json"), "--outDir", join(installed, "dist/types")],
      projectRoot,
    );
    expect(readdirSync(join(installed, "dist/types"))).toContain("index.d.ts");
    symlinkSync(join(projectRoot, "node_modules/@types"), join(modules, "@types"));
    writeFileSync(
      join(folder, "use.ts"),
      `import { type Diagnostic, parse, SourceFile } from "harn";
const found: readonly Diagnostic[] = parse(new SourceFile("x", "y")).diagnostics;
// @ts-expect-error A wrong type must be seen, or the types are not there at all.
export const wrong: number = new SourceFile("x", "y").text;
export { found };`,
    );
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
    run(process.execPath, [tsc, ...options, "--types", "node", "use.ts"], folder);
  });
});
