/** What is measured of a program: each function starts processes of its own and says what they did. */
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { importsOf } from "./frameworks.ts";

interface Ran {
  readonly ms: number;
  readonly code: number;
  readonly text: string;
}

type Variables = Readonly<Record<string, string>>;

/** Runs Node in a folder, to its end. */
function node(cwd: string, args: readonly string[], variables: Variables = {}): Promise<Ran> {
  const began = performance.now();
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd, env: { ...process.env, ...variables }, maxBuffer: 64 << 20, timeout: 120_000 },
      (_error, stdout, stderr) =>
        done({ ms: performance.now() - began, code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

const imports = "imports.mjs";
const nothing = "nothing.mjs";

/** Writes the modules that `importTime` starts. */
export function writeImports(folder: string, source: string): void {
  writeFileSync(join(folder, nothing), "");
  const lines = importsOf(source).map((module) => `import ${JSON.stringify(module)};\n`);
  writeFileSync(join(folder, imports), lines.join(""));
}

/** Milliseconds of a process that imports what the program imports, beyond one that imports nothing. */
export async function importTime(folder: string): Promise<number> {
  const bare = await node(folder, [nothing]);
  const { ms, code, text } = await node(folder, [imports]);
  if (code !== 0) throw new Error(text);
  return ms - bare.ms;
}

export const answer = "Ghent: 12 degrees";

/** Milliseconds of the whole program. */
export async function programTime(folder: string): Promise<number> {
  const { ms, text } = await node(folder, ["program.ts"]);
  if (!text.includes(answer)) throw new Error(text);
  return ms;
}

interface Checked {
  readonly ms: number;
  readonly text: string;
  readonly instantiations: number;
}

export async function typeCheck(folder: string, compiler: string, config: string): Promise<Checked> {
  const { ms, text } = await node(folder, [
    compiler,
    "-p",
    config,
    "--extendedDiagnostics",
    "--pretty",
    "false",
  ]);
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(text)?.[1] ?? Number.NaN);
  return { ms, instantiations, text: text.slice(0, text.search(/^Files:/m)).trim() };
}

/** What the mock and the tool wrote down. */
class Notes {
  private readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "notes.txt");
    rmSync(this.path, { force: true });
  }

  get variables(): Variables {
    return { NOTES: this.path };
  }

  count(line: string): number {
    if (!existsSync(this.path)) return 0;
    return readFileSync(this.path, "utf8")
      .split("\n")
      .filter((one) => one.startsWith(line)).length;
  }
}

/** What a program says at its end where it failed: the line of the error. */
const errorOf = (text: string): string =>
  /^(?:\w*Error|DOMException)\b.*$/m.exec(text)?.[0].replace(/^DOMException \[(\w+)\]/, "$1") ?? "";

export interface Cancelled {
  /** The tool's own signal was aborted. */
  readonly toolHears: boolean;
  readonly error: string;
  readonly code: number;
}

/** A signal aborts while the tool works. */
export async function cancelled(folder: string): Promise<Cancelled> {
  const notes = new Notes(folder);
  const slow = { TOOL_MS: "30000", STOP_MS: "6000" };
  const { text, code } = await node(folder, ["program.ts"], { ...notes.variables, ...slow });
  if (notes.count("tool begins") === 0) throw new Error(`it was stopped before its tool began: ${text}`);
  return { toolHears: notes.count("tool is cancelled") > 0, error: errorOf(text), code };
}

export interface AfterKill {
  /** Of two. */
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly isAnswered: boolean;
  readonly error: string;
}

/** `kill -9` in the middle of the tool; then the program once more, told to go on. */
export async function afterKill(folder: string, program: string): Promise<AfterKill> {
  for (const left of [".harn", "runs.db", "runs.db-wal", "runs.db-shm"])
    rmSync(join(folder, left), { recursive: true, force: true });
  const before = new Notes(folder);
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, ...before.variables, TOOL_MS: "60000" },
    stdio: "ignore",
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  for (let waited = 0; before.count("tool begins") === 0; waited += 50) {
    if (waited > 60_000 || child.exitCode !== null) throw new Error(`${program} never called its tool`);
    await setTimeout(50);
  }
  // What is written behind the call has time to be.
  await setTimeout(1000);
  child.kill("SIGKILL");
  await ended;
  const after = new Notes(folder);
  const { text } = await node(folder, [program, "resume"], after.variables);
  return {
    modelCalls: after.count("model is asked"),
    toolCalls: after.count("tool begins"),
    isAnswered: text.includes(answer),
    error: errorOf(text),
  };
}
