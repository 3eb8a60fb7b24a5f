/** The package as a user gets it: what is in it, that it runs where it is installed. */
// long: installs the package
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { entryPoints } from "../../../scripts/entries.ts";
import type { Packed } from "../../../scripts/pack.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { inPackage, installPackage, packedPackage } from "../../support/packed-package.ts";
import { projectRoot } from "../../support/project.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("package");
let installed = "";
let packed: Packed;
let files: readonly string[] = [];

beforeAll(async () => {
  packed = await packedPackage();
  files = packed.files.map(({ path }) => path);
  installed = await installPackage(folder);
});

const run = (args: readonly string[]): string => inPackage(join(installed, "bin/harn.cjs"), args, folder);

function manifest(): { dependencies?: object; optionalDependencies?: object; scripts?: object } {
  return JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
}

describe("the package", () => {
  it("holds what is needed", () => {
    for (const path of [
      "bin/harn.cjs",
      "dist/cli.cjs",
      ...[...entryPoints().keys()].flatMap((name) => [`dist/${name}.js`, `dist/types/${name}.d.ts`]),
      "README.md",
      "LICENSE",
      "package.json",
    ])
      expect(files).toContain(path);
    for (const start of [
      "dist/chunks/",
      "dist/libraries/",
      "docs/tour.md",
      "examples/",
      "grammar/",
      "stdlib/",
      "templates/library/",
    ])
      expect(
        files.some((path) => path.startsWith(start)),
        start,
      ).toBe(true);
  });

  it("holds nothing else", () => {
    const known =
      /^(bin|dist|docs|examples|grammar|stdlib|templates)\/|^(README\.md|SECURITY\.md|LICENSE|package\.json)$/;
    expect(files.filter((path) => !known.test(path))).toEqual([]);
    expect(files.filter((path) => /code-cache\/|node_modules|^dist.*\.test\./.test(path))).toEqual([]);
  });

  it("brings no other package: what it needs is in it, with the notices that their licences ask for", () => {
    const { dependencies, optionalDependencies, scripts } = manifest();
    expect({ ...dependencies, ...optionalDependencies, ...scripts }).toEqual({});
    const notices = readFileSync(join(installed, "dist/THIRD_PARTY_NOTICES.txt"), "utf8");
    for (const name of ["openai", "@anthropic-ai/sdk", "chevrotain", "zod", "yaml", "re2js", "tldts"])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.*\\)$`, "m"));
  });

  it("is what `npm run package` makes, which docs/install.md says", () => {
    const { scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    expect(scripts.package).toMatch(/&& node scripts\/pack\.ts$/);
    const made = join(folder, "packed");
    const said = inPackage(process.execPath, [join(projectRoot, "scripts/pack.ts"), made], folder);
    expect(readdirSync(made).map((name) => join(made, name))).toEqual([said.trim()]);
    const packedManifest = inPackage("tar", ["-xOf", said.trim(), "package/package.json"], folder);
    expect(JSON.parse(packedManifest)).not.toHaveProperty("scripts");
    expect(readFileSync(join(projectRoot, "docs/install.md"), "utf8")).toContain("npm ci\nnpm run package");
  });

  it("is small", () => {
    // What grows by a tenth at once is looked at.
    expect(files.length).toBeLessThan(500);
    expect(packed.size).toBeLessThan(4_000_000);
    expect(packed.unpackedSize).toBeLessThan(15_000_000);
  });

  it("brings what workers hand to the engine, and not the engine's packages: it says which are missing", () => {
    expect(files).toContain("dist/engine/workflow.js");
    expect(files.filter((path) => /temporal/.test(path))).toEqual([]);
    const notices = readFileSync(join(installed, "dist/THIRD_PARTY_NOTICES.txt"), "utf8");
    expect(notices).toMatch(/^@temporalio\/workflow \d+\.\d+\.\d+ \(MIT\)$/m);
    const project = join(folder, "many");
    mkdirSync(project);
    writeFileSync(join(project, "harn.toml"), '[cluster]\nengine = "temporal://127.0.0.1:1"\n');
    const check = (): string => {
      const { status, stderr } = spawnSync(join(installed, "bin/harn.cjs"), ["cluster", "check"], {
        cwd: project,
        env: cleanEnvironment({ HARN_JOURNALS: "postgres://ann@127.0.0.1:1/x" }),
        encoding: "utf8",
      });
      expect(status).toBe(1);
      return stderr.split("harn: the database")[0] ?? "";
    };
    const line = "  npm install @temporalio/client@1.24 @temporalio/worker@1.24 @temporalio/activity@1.24\n";
    expect(check()).toBe(
      `harn: workers need the packages of Temporal, and they are not installed (HARN-CLU-001)\n${line}`,
    );
    const old = join(folder, "node_modules/@temporalio/client");
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, "package.json"), '{"name": "@temporalio/client", "version": "1.9.0"}');
    expect(check()).toBe(
      `harn: workers need the packages of Temporal, and @temporalio/client is 1.9.0 where this harn works with 1.24 (HARN-CLU-013)\n${line}`,
    );
    rmSync(join(folder, "node_modules/@temporalio"), { recursive: true });
  });

  it("runs where it is installed, through its link", () => {
    writeFileSync(join(folder, "hello.harn"), 'println("hello")\n');
    for (let time = 0; time < 2; time++)
      expect(inPackage(join(folder, "node_modules/.bin/harn"), ["run", "hello.harn"], folder)).toBe(
        "hello\n",
      );
    expect(run(["run", "-e", 'println(regex_match("a+", "caat"))'])).toBe("[aa]\n");
    expect(existsSync(join(installed, "dist/code-cache"))).toBe(true);
  });

  // None of them finds a package beside it: the folder holds harn alone.
  it.each<[string, string, string]>([
    ["yaml", 'println(yaml_parse("a: 1"))', "{a: 1}"],
    ["toml", 'println(toml_parse("a = 1"))', "{a: 1}"],
    ["a cookie", 'println(cookie_round_trip(nil, ["a=1"]).cookie_header)', "a=1"],
    ["blake3", 'println(len(blake3("a")))', "64"],
    ["wide text", 'println(display_width("日本"))', "4"],
    ["a glob", 'println(len(glob("h*.harn")))', "1"],
    [
      "OpenAI's SDK",
      'println(is_err(try { llm_call("x", nil, {provider: "openai", model: "gpt-4o-mini", base_url: "http://127.0.0.1:9/v1", api_key: "k", llm_retries: 0}) }))',
      "true",
    ],
    [
      "Anthropic's SDK",
      'println(is_err(try { llm_call("x", nil, {provider: "anthropic", model: "claude-haiku-4-5", base_url: "http://127.0.0.1:9", api_key: "k", llm_retries: 0}) }))',
      "true",
    ],
    ["PostgreSQL", 'println(is_err(try { pg_connect("postgres://x@127.0.0.1:9/y") }))', "true"],
    ["MCP", 'println(is_err(try { mcp_connect("no-such-program") }))', "true"],
  ])("has %s in it", (_name, program, prints) => {
    expect(run(["run", "-e", program])).toBe(`${prints}\n`);
  });

  it("reads hooks and exports of harn.toml", () => {
    const files = {
      "harn.toml": '[[hooks]]\nevent = "PreToolUse"\nhandler = "hooks::before"\n',
      "hooks.harn": "pub fn before(event) { return nil }\n",
      ".harn/packages/kit/harn.toml": '[package]\nname = "kit"\n\n[exports]\nwords = "src/words.harn"\n',
      ".harn/packages/kit/src/words.harn": 'pub fn word() { return "exported" }\n',
      "main.harn": 'import { word } from "kit/words"\nprintln(word())\n',
    };
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, "hooked", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(run(["run", "hooked/main.harn"])).toBe("exported\n");
  });

  it("brings what `harn build` needs", () => {
    writeFileSync(join(folder, "built.harn"), 'println("built")\n');
    run(["build", "built.harn"]);
    expect(inPackage(join(folder, "built"), [], folder)).toBe("built\n");
    rmSync(join(folder, "built"));
  });

  it("brings the templates of `harn init`", () => {
    run(["init", "mine"]);
    expect(readFileSync(join(folder, "mine/.gitignore"), "utf8")).toContain(".harn/\n");
  });

  it("loads little at import, the engine with the first run, and says nothing", () => {
    writeFileSync(
      join(folder, "loads.mjs"),
      `import { statSync } from "node:fs";
import { createRequire } from "node:module";
const { cache } = createRequire(import.meta.url);
const known = new Set(process.moduleLoadList);
const { harn } = await import("harn");
const files = Object.keys(cache);
const parts = process.moduleLoadList.filter((name) => !known.has(name) && name.startsWith("NativeModule "));
const bytes = [...files, ${JSON.stringify(join(installed, "dist/index.js"))}].reduce((sum, file) => sum + statSync(file).size, 0);
await using h = harn({ store: "memory" });
const printed = [];
await h.run({ text: 'println("ran")' }, { onPrint: (text) => printed.push(text) });
console.log(JSON.stringify({ files, bytes, parts, later: Object.keys(cache).length, printed: printed.join("") }));
`,
    );
    const said = JSON.parse(inPackage(process.execPath, ["loads.mjs"], folder));
    // A tenth of it is what refuses wrong arguments, of every function, before anything is loaded.
    expect(said.bytes).toBeLessThan(30_000);
    expect(said.files.length).toBeLessThanOrEqual(3);
    expect(
      said.parts.filter((name: string) =>
        /^(?:internal|stream|crypto|http|net|child_process|worker)/.test(name.slice(13)),
      ),
    ).toEqual([]);
    expect(said.later).toBeGreaterThan(said.files.length);
    expect(said.printed).toBe("ran\n");
  });

  it("serves inside a program, with the command line's processes for its runs", () => {
    writeFileSync(join(folder, "helper.harn"), 'println("helped")\n');
    writeFileSync(
      join(folder, "serves.mjs"),
      `import { HarnClient } from "harn/client";
import { createServer } from "harn/server";
const server = await createServer({ agents: [{ name: "helper", script: "helper.harn" }], port: 0 });
const client = new HarnClient({ url: await server.listen(), token: server.addPrincipal("ann", "write") });
const { id } = await client.createConversation({ agent: "helper", message: { text: "Hello" } });
for await (const event of client.events(id)) {
  if (event.type === "run.end") {
    console.log(event.data.status);
    break;
  }
}
await server.close();
`,
    );
    expect(inPackage(process.execPath, ["--disable-warning=ExperimentalWarning", "serves.mjs"], folder)).toBe(
      "done\n",
    );
  });
});
