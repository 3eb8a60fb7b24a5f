/** What the documentation shows of the package is there: every import and every program, typed and run. */
// long: installs the package and compiles against it
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { docBlocks, docPages } from "../../support/doc-pages.ts";
import { type DocProgram, docPrograms } from "../../support/doc-programs.ts";
import { compilers, inPackage, installPackage, packedPackage } from "../../support/packed-package.ts";
import { projectRoot } from "../../support/project.ts";
import { startServing } from "../../support/serving.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("package-docs");
const harn = join(folder, "node_modules/harn/bin/harn.cjs");
const blocks = docPages().flatMap(docBlocks);
const programs = docPrograms(blocks);
const importOf = /^import (?:(?:(?<types>type )?\{(?<names>[^}]*)\}|[\w* ]+) from )?"(?<from>[^"]+)";/gm;

const typed = programs.filter(({ language }) => language === "ts");
const imports = typed.flatMap(({ place, text }) =>
  [...text.matchAll(importOf)].map(({ groups }) => ({
    place,
    from: groups?.from ?? "",
    names: (groups?.types === undefined ? (groups?.names ?? "") : "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.replace(/ as .*/, "")),
  })),
);
const isOurs = (from: string): boolean => from === "harn" || from.startsWith("harn/");
const ours = imports.filter(({ from }) => isOurs(from));

/** The packages that programs of the docs use beside ours, as far as they can be had here. */
const others = [...new Set(imports.map(({ from }) => from))]
  .filter((from) => !isOurs(from) && !/^(?:node:|\.)/.test(from))
  .map((from) => from.split("/", from.startsWith("@") ? 2 : 1).join("/"))
  .filter((name) => existsSync(join(projectRoot, "node_modules", name)));

const quiet = ["--disable-warning=ExperimentalWarning"];

/** Where a program lies, with its files: a folder of its own, which has the package above it. */
const folderOf = ({ place }: DocProgram): string => join(folder, "programs", place.replace(/\W+/g, "-"));

function write(program: DocProgram, text: string): void {
  const own = folderOf(program);
  mkdirSync(own, { recursive: true });
  for (const [name, content] of [...program.files, [program.file, text] as const])
    writeFileSync(join(own, name), content);
}

beforeAll(async () => {
  await installPackage(folder, [...new Set([...others, "@types/node", "undici-types"])]);
  for (const program of programs) write(program, program.text);
});

describe("what the documentation shows of the package", () => {
  it("is something", () => {
    const from = new Set(ours.map((one) => one.from));
    expect([...from]).toEqual(expect.arrayContaining(["harn/core", "harn/server", "harn/client"]));
  });

  const named = ours.flatMap(({ names, from, place }) => names.map((name) => ({ name, from, place })));

  it("can be imported", () => {
    const lines = named.map(
      ({ name, from }, index) =>
        `import { ${name} as n${index} } from "${from}";\nif (n${index} === undefined) throw new Error("${name}");`,
    );
    writeFileSync(join(folder, "documented.mjs"), lines.join("\n"));
    inPackage(process.execPath, ["documented.mjs"], folder);
  });

  it("can be required", () => {
    const lines = named.map(
      ({ name, from }) =>
        `if (require("${from}")[${JSON.stringify(name)}] === undefined) throw new Error("${from} has no ${name}");`,
    );
    writeFileSync(join(folder, "documented.cjs"), lines.join("\n"));
    inPackage(process.execPath, ["documented.cjs"], folder);
  });

  it.each(Object.entries(compilers))("has the types that its programs need, under %s", (_name, compiler) => {
    const files = typed.map((program) => join(folderOf(program), program.file));
    const options = "--noEmit --strict --skipLibCheck --module nodenext --target es2024 --types node";
    inPackage(process.execPath, [compiler, ...options.split(" "), ...files], folder);
  });

  it("is run, but for what says why it can't be", () => {
    expect(programs.length).toBeGreaterThan(18);
    // Each is looked at: is it something that can't be had here, or does it only take work?
    expect(programs.flatMap(({ place, notRun }) => (notRun === undefined ? [] : [place, notRun]))).toEqual(
      [],
    );
  });

  it.each(programs.filter(({ notRun }) => notRun === undefined))(
    "$place prints what stands there, and nothing where nothing does",
    async (program) => {
      const cwd = folderOf(program);
      const { language, file, served, output = "" } = program;
      const server = served && (await startServing(served, { cwd, env: {}, program: harn }));
      try {
        if (server !== undefined)
          write(program, program.text.replaceAll("http://127.0.0.1:4747", server.base));
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          language === "ts" ? [...quiet, file] : [harn, "run", file],
          {
            cwd,
            env: cleanEnvironment(
              server === undefined ? {} : { TOKEN: readFileSync(join(cwd, ".harn/serve.token"), "utf8") },
            ),
            input: "",
            encoding: "utf8",
            timeout: 120_000,
          },
        );
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        expect(stdout.trimEnd()).toBe(output.trimEnd());
      } finally {
        await server?.end();
      }
    },
  );
});

describe("the first page of docs/library.md", () => {
  const [install, program] = docBlocks("docs/library.md");
  const own = join(folder, "first");
  const npx = (...args: string[]): string => inPackage("npx", ["--no-install", "harn", ...args], own);

  it("runs by copy and paste in an empty folder, and left a run that the command line plays without the file", async () => {
    const { tarball } = await packedPackage();
    const zod = inPackage(
      "npm",
      [
        "pack",
        "--ignore-scripts",
        "--silent",
        "--pack-destination",
        folder,
        join(projectRoot, "node_modules/zod"),
      ],
      folder,
    );
    const packages: Readonly<Record<string, string>> = { harn: tarball, zod: join(folder, zod.trim()) };
    mkdirSync(own);
    expect(install).toMatchObject({ info: "sh", text: expect.stringMatching(/^npm install harn zod$/m) });
    for (const line of install!.text.trim().split("\n"))
      inPackage(
        "sh",
        ["-c", line.replace(/(?<=^npm install .*)\b(harn|zod)\b/g, (name) => packages[name]!)],
        own,
      );

    expect(program?.info).toBe("ts");
    // Node 22 does not have it.
    expect(program?.text).not.toContain("await using");
    writeFileSync(join(own, "order.ts"), program!.text);
    const { status, stdout, stderr } = spawnSync("node", ["order.ts"], {
      cwd: own,
      env: cleanEnvironment(),
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: program!.output, stderr: "" });

    rmSync(join(own, "order.ts"));
    expect(npx("runs", "list", "--json").trim().split("\n")).toHaveLength(1);
    expect(npx("runs", "show", "last")).toContain('tool.lookup {"order":"17"} → {"state":"sent"}');
    expect(npx("trace", "last")).toContain("lookup");
    expect(npx("why", "last")).toContain("ended done");
    npx("replay", "last");
  });
});
