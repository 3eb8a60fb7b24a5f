/**
 * Which functions of src/ run for a text-only turn of an agent, by V8's precise coverage with counts: for the first of a process,
 * and for the second. `npm run measure -- --coverage` has the two as rows. The program runs as `harn run` runs it, recorded, in a
 * process of its own, which is this file started as a program.
 */
import { execFileSync } from "node:child_process";
import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface TurnCoverage {
  /** `FILE: FUNCTION` of each function that ran, sorted. */
  readonly first: readonly string[];
  readonly second: readonly string[];
}

const program = `
llm_mock({text: "Good day."})
llm_mock({text: "Good day."})
eprintln("begin")
let first = agent_loop("Say good day.", nil, {max_iterations: 1})
eprintln("first")
let second = agent_loop("Say good day.", nil, {max_iterations: 1})
eprintln("second")
println(first.status + " " + second.status)
`;

/** Runs the two turns in a process of their own. Throws when one did not end well. */
export function turnCoverage(): TurnCoverage {
  const folder = mkdtempSync(join(tmpdir(), "harn-turns-"));
  try {
    const file = join(folder, "turns.harn");
    writeFileSync(file, program);
    const self = fileURLToPath(import.meta.url);
    const output = execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", self, file], {
      encoding: "utf8",
      env: { ...process.env, HARN_STATE_DIR: join(folder, "state") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [status, coverage] = output.trim().split("\n");
    if (status !== "done done" || coverage === undefined) throw new Error(`the turns ended ${output}`);
    return JSON.parse(coverage) as TurnCoverage;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number; readonly startOffset: number }[];
    }[];
  }[];
}

/** Runs the command here, and prints what ran between the program's marks on standard error when the process ends. */
async function runHere(file: string): Promise<void> {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const taken: Record<string, readonly string[]> = {};
  const write = fs.writeSync as (...args: unknown[]) => number;
  const watched = (...args: unknown[]): number => {
    if (args[0] === 2) taken[String(args[1]).trim()] = functionsSince(session);
    return write(...args);
  };
  Object.assign(fs, { writeSync: watched });
  syncBuiltinESMExports();
  process.on("exit", () => write(1, `${JSON.stringify({ first: taken.first, second: taken.second })}\n`));
  const { main } = await import("../../src/cli/main.ts");
  await main(["run", file]);
}

/** What has run since the last look; V8 forgets the counts that it gives. A module's own code is no function of it. */
function functionsSince(session: Session): readonly string[] {
  let found: string[] = [];
  const src = `${pathToFileURL(join(import.meta.dirname, "../../src"))}/`;
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error !== null) throw error;
    found = (answer as unknown as Coverage).result
      .filter(({ url }) => url.startsWith(src))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [range] }) => (range?.count ?? 0) > 0 && range?.startOffset !== 0)
          .map(
            ({ functionName, ranges }) =>
              `${url.slice(src.length)}: ${functionName || `at ${ranges[0]?.startOffset}`}`,
          ),
      )
      .sort();
  });
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runHere(process.argv[2] ?? "");
