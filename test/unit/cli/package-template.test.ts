/** `harn init --template typescript`, by the installed package: it runs at once, and its tests see what its user changes. */
// long: installs the package and compiles against it
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compilers, inPackage, installPackage } from "../../support/packed-package.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("package-template");
const own = join(folder, "made");
const harn = (cwd: string, ...args: string[]): string =>
  inPackage(process.execPath, [join(folder, "node_modules/harn/bin/harn.cjs"), ...args], cwd);
const npm = (...args: string[]): string => inPackage("npm", ["--silent", ...args], own);
const read = (file: string): string => readFileSync(join(own, file), "utf8");
let made = "";

beforeAll(async () => {
  await installPackage(folder, ["zod", "@types/node", "undici-types"]);
  made = harn(folder, "init", "made", "--template", "typescript");
});

it("is a project of this version", () => {
  expect(made).toContain("  npm start\n");
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  expect(JSON.parse(read("package.json")).dependencies.harn).toBe(`^${version}`);
});

it("passes its tests as it is made, and runs without a key", () => {
  expect(npm("test")).toContain("pass 2");
  expect(npm("start")).toBe('… in_stock {"article":"pears"}\nNo: there are 0 pears.\n');
  expect(harn(own, "trace", "last")).toContain("in_stock");
  expect(npm("test")).toContain("pass 2");
});

it.each(Object.entries(compilers))("is typed, by its own tsconfig.json, under %s", (_name, compiler) => {
  expect(inPackage(process.execPath, [compiler, "--listFilesOnly"], own)).toContain("tests/main.test.ts");
  expect(inPackage(process.execPath, [compiler], own)).toBe("");
  const right = read("main.ts");
  try {
    writeFileSync(join(own, "main.ts"), right.replace("(await run).answer", "(await run).anser"));
    expect(() => inPackage(process.execPath, [compiler, "--pretty", "false"], own)).toThrow(
      /main\.ts\(\d+,\d+\): error TS2551: .*'anser'/,
    );
  } finally {
    writeFileSync(join(own, "main.ts"), right);
  }
});

it("has a README whose table names files that are there, and whose commands are those of package.json", () => {
  const page = read("README.md");
  const named = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[\w./]+/g));
  expect(named.length).toBeGreaterThan(6);
  expect(named.filter((file) => !existsSync(join(own, file ?? "")))).toEqual([]);
  const { scripts } = JSON.parse(read("package.json"));
  const commands = [...page.matchAll(/npm (?:run )?(start|test|(?<=run )\w+)/g)].map(([, name = ""]) => name);
  expect([...new Set(commands)].sort()).toEqual(Object.keys(scripts).sort());
});

/** What a user may change, and what the failing test says of it: the recorded value, and today's. */
const changes: readonly [what: string, file: string, from: string, to: string, said: RegExp][] = [
  [
    "what the tool gives",
    "tools.ts",
    "pears: 0",
    "pears: 3",
    /recorded: \{"result":\{"count":0\}\}\n +now: +\{"result":\{"count":3\}\}/,
  ],
  [
    "the schema of its input",
    "tools.ts",
    "article: z.string() }",
    "article: z.string(), shop: z.string().optional() }",
    /tools\[0\]\.parameters\.properties\.shop: nothing → \{"type":"string"\}/,
  ],
  [
    "the schema of its result",
    "tools.ts",
    "count: z.number()",
    "count: z.int()",
    /tools\[0\]\.outputSchema\.properties\.count\.\S+: .+ → .+/,
  ],
  [
    "its description",
    "tools.ts",
    "How many of an article there are.",
    "Counts articles.",
    /tools\[0\]\.description: "How many of an article there are\." → "Counts articles\."/,
  ],
  ["the prompt", "agent.ts", "stock of a shop", "shop", /system: "\D+stock of a shop\." → "\D+ the shop\."/],
];

describe.each(changes)("%s is another one", (_what, file, from, to, said) => {
  const right = (): string => readFileSync(join(projectRoot, "templates/typescript", file), "utf8");

  it("its test fails with both values; recorded anew, as its README says, it passes", () => {
    writeFileSync(
      join(own, file),
      right().replace(from, () => to),
    );
    expect(read(file)).not.toBe(right());
    expect(() => npm("test")).toThrow(said);
    npm("run", "record");
    expect(npm("test")).toContain("pass 2");
    writeFileSync(join(own, file), right());
    expect(() => npm("test")).toThrow("recorded");
    npm("run", "record");
  });
});
