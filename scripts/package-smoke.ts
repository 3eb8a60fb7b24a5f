/** Does an installed package work under a Node? What a new user does first, without network and key. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { entryPoints } from "./entries.ts";

interface Step {
  readonly what: string;
  readonly command: readonly string[];
  /** What it must print, whole or as an expression. */
  readonly prints: string | RegExp;
  readonly folder?: string;
  /** Nothing may stand on standard error: what Node warns of is not this program's to say. */
  readonly isQuiet?: boolean;
}

const library = `
import { harn, tool } from "harn";
const input = { "~standard": { version: 1, vendor: "smoke", validate: (value) => ({ value }) } };
const twice = tool({
  name: "twice",
  description: "Doubles a number.",
  input,
  inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => n * 2,
});
const mock = [{ tool_calls: [{ name: "twice", arguments: { n: 21 } }] }, { text: "It is 42." }];
// Node 22 has no \`await using\`.
const h = harn({ store: "memory", mock, tools: [twice] });
const run = h.agent({ prompt: "What is twice 21?" });
for await (const event of run) if (event.type === "tool.end") console.log(event.type);
console.log((await run).text);
await h.close();
`;

/** Every file of the package is in a syntax that this Node has. */
const files = `
const fs = require("node:fs");
const { join, dirname } = require("node:path");
const { Script } = require("node:vm");
const dist = join(dirname(require.resolve("harn/package.json")), "dist");
for (const name of fs.readdirSync(dist, { recursive: true }))
  if (name.endsWith(".cjs")) new Script(fs.readFileSync(join(dist, name), "utf8"), { filename: name });
console.log("read");
`;

const doors = `
const { createRequire } = require("node:module");
(async () => {
  for (const name of ${JSON.stringify([...entryPoints().values()])}) {
    const required = Object.keys(require(name)).sort().join();
    const imported = Object.keys(await import(name)).filter((key) => key !== "default" && key !== "module.exports").sort().join();
    if (required !== imported) throw new Error(name + ": " + required + " is required, " + imported + " imported");
  }
  console.log("all");
})();
`;

const steps = (version: string): readonly Step[] => [
  { what: "says its version", command: ["harn", "--version"], prints: `${version}\n` },
  { what: "runs a line", command: ["harn", "run", "-e", 'println("hello")'], prints: "hello\n" },
  {
    what: "keeps runs, and says nothing else",
    command: ["harn", "run", "-e", "println(len(cwd()) > 0)"],
    prints: "true\n",
    isQuiet: true,
  },
  {
    what: "lists them, and says nothing else",
    command: ["harn", "runs", "list"],
    prints: /done/,
    isQuiet: true,
  },
  { what: "makes a project", command: ["harn", "init", "demo", "--template", "agent"], prints: /demo/ },
  {
    what: "runs its program from a tape",
    command: ["harn", "run", "--tape", "tape.jsonl", "main.harn"],
    prints: /\S/,
    folder: "demo",
  },
  { what: "runs its tests", command: ["harn", "test"], prints: /passed/, folder: "demo" },
  {
    what: "makes a project in TypeScript",
    command: ["harn", "init", "typed", "--template", "typescript"],
    prints: /npm start/,
  },
  {
    what: "runs its program",
    command: ["node", "main.ts"],
    prints: /No: there are 0 pears/,
    folder: "typed",
  },
  { what: "runs its tests in TypeScript", command: ["node", "--test"], prints: /pass 2/, folder: "typed" },
  { what: "is in a syntax that it has", command: ["node", "files.cjs"], prints: "read\n" },
  { what: "can be imported and required, all of it", command: ["node", "doors.cjs"], prints: "all\n" },
  {
    what: "runs an agent in a program, and says nothing else",
    command: ["node", "library.mjs"],
    prints: "tool.end\nIt is 42.\n",
    isQuiet: true,
  },
];

/** What did not work, in lines; none when all is well. */
export function smoke(tarball: string, version: string, node: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "harn-smoke-"));
  const env = {
    ...cleanVariables(),
    PATH: [dirname(node), join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter),
    XDG_CACHE_HOME: join(folder, "cache"),
    NO_COLOR: "1",
  };
  const run = (
    command: string,
    args: readonly string[],
    cwd: string,
  ): { status: number | null; said: string; stdout: string; stderr: string } => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
    return { status, stdout, stderr, said: `${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`.trim() };
  };
  try {
    mkdirSync(join(folder, "cache"));
    writeFileSync(join(folder, "package.json"), '{"private": true}\n');
    writeFileSync(join(folder, "doors.cjs"), doors);
    writeFileSync(join(folder, "files.cjs"), files);
    writeFileSync(join(folder, "library.mjs"), library);
    const installed = run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], folder);
    if (installed.status !== 0) return [`can't be installed: ${installed.said}`];
    // What the project in TypeScript needs beside harn.
    symlinkSync(join(import.meta.dirname, "../node_modules/zod"), join(folder, "node_modules/zod"));
    return steps(version).flatMap(
      ({ what, command: [program = "", ...args], prints, folder: below = ".", isQuiet = false }) => {
        const { status, stdout, stderr, said } = run(program, args, join(folder, below));
        const isRight =
          status === 0 &&
          (typeof prints === "string" ? stdout === prints : prints.test(stdout)) &&
          (!isQuiet || stderr === "");
        return isRight ? [] : [`${what}: ${[program, ...args].join(" ")} ended with ${status}: ${said}`];
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Neither keys nor settings of who runs it. */
const cleanVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/_API_KEY$|_TOKEN$|^HARN_|^NODE_OPTIONS$|^VITEST|^npm_/.test(name),
    ),
  );
