/**
 * The process in which inputs are run: it may die, hang or fill its memory, and its parent notices. Each message is a
 * case; the answer says what was wrong with it. Standard output is a file, so that what was printed can be judged.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiled } from "../support/compiled-sources.ts";
import { Dice } from "../support/fuzz-text.ts";
import type { Fault, Fuzzer, Input } from "./fuzzer.ts";
import { fuzzerNamed } from "./fuzzers/index.ts";
import { leakIn } from "./judge.ts";

export interface Case {
  readonly seed: number;
  /** Instead of the seed's own. */
  readonly input?: Input;
}
export interface Verdict {
  readonly fault?: Fault;
}

/** What one case may add to the process: bytes. */
const MEMORY = 600 * 1024 * 1024;

compiled();
const [name = "", outputPath = ""] = process.argv.slice(2);
const fuzzer = fuzzerNamed(name);
const home = process.cwd();

process.on("message", (message: Case | "end") => {
  if (message === "end") void leave(fuzzer);
  else void judged(message).then((verdict) => process.send?.(verdict));
});
process.send?.("ready");

async function leave({ close }: Fuzzer): Promise<void> {
  await close?.();
  process.disconnect();
  process.exit(0);
}

async function judged({ seed, input = fuzzer.make(new Dice(seed)) }: Case): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "harn-fuzz-"));
  const before = printedSoFar();
  const memory = process.resourceUsage().maxRSS;
  process.chdir(folder);
  process.env.HARN_STATE_DIR = join(folder, ".harn");
  let said: string;
  try {
    said = await fuzzer.run(input, folder);
  } catch (error) {
    const text = error instanceof Error ? causes(error) : String(error);
    return { fault: { kind: "crash", what: firstLine(text), said: text } };
  } finally {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  }
  const all = `${said}\n${printedSince(before)}`.replaceAll(fuzzer.allowed ?? /$^/g, "");
  const leak = leakIn(all, Object.values(input).join("\n"));
  if (leak !== undefined) return { fault: { kind: "leak", what: lineWith(all, leak), said: all } };
  const more = (process.resourceUsage().maxRSS - memory) * 1024;
  if (more > MEMORY)
    return {
      fault: { kind: "memory", what: `${Math.round(more / 2 ** 20)} MB more than before`, said: all },
    };
  return {};
}

const causes = (error: Error): string =>
  `${error.stack}${error.cause instanceof Error ? `\ncause: ${causes(error.cause)}` : ""}`;
const firstLine = (text: string): string => text.split("\n")[0]!.slice(0, 200);

/** The place of a leak: its line, or the line behind an announcement. */
function lineWith(text: string, leak: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.includes(leak.split("\n")[0]!));
  return (
    /internal error/.test(lines[at] ?? "") ? lines.slice(at, at + 2).join(" ") : (lines[at] ?? leak)
  ).slice(0, 300);
}

function printedSoFar(): number {
  return fstatSync(1).size;
}

function printedSince(start: number): string {
  const file = openSync(outputPath, "r");
  const bytes = Buffer.alloc(Math.min(printedSoFar() - start, 4 * 1024 * 1024));
  const read = readSync(file, bytes, 0, bytes.length, start);
  closeSync(file);
  return bytes.toString("utf8", 0, read);
}
