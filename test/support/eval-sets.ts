/** Sets in processes of their own, in a project folder: run to their end, or killed in the middle. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { cleanEnvironment } from "./command-environment.ts";
import { keepCompiled } from "./compiled-sources.ts";
import { projectRoot } from "./project.ts";

export interface SetResult {
  readonly kind: "set" | "no set";
  readonly state: string;
  readonly why: string | null;
  readonly exitCode: number;
  readonly name: string;
  readonly receipt: string | null;
  readonly trials: readonly {
    readonly state: string;
    readonly cost: number;
    readonly doubtful: number;
    readonly tokens: number;
    readonly attempts: number;
    readonly error: string | null;
    readonly category: string | null;
  }[];
}

export interface RunningSet {
  readonly child: ChildProcess;
  /** Undefined when the process ended without a word. */
  readonly ended: Promise<{ readonly result: SetResult | undefined; readonly stderr: string }>;
}

export function startSet(
  folder: string,
  what: "run" | "resume" | "replay",
  request: object,
  env: Readonly<Record<string, string>> = {},
): RunningSet {
  const child = spawn(
    process.execPath,
    [join(projectRoot, "test/support/eval-runner.ts"), what, JSON.stringify(request)],
    {
      cwd: folder,
      env: cleanEnvironment({ ...keepCompiled(), HARN_STATE_DIR: join(folder, ".harn"), ...env }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ result: SetResult | undefined; stderr: string }>((resolve) => {
    child.on("close", () => {
      const last = stdout.trimEnd().split("\n").at(-1) ?? "";
      resolve({ result: last.startsWith("{") ? (JSON.parse(last) as SetResult) : undefined, stderr });
    });
  });
  return { child, ended };
}

/** Replays it: what `replayEvaluation` gives. */
export async function replayOf(folder: string, set: string): Promise<Record<string, unknown>> {
  const { result, stderr } = await startSet(folder, "replay", { set }).ended;
  if (result === undefined) throw new Error(`the replay ended without a word:\n${stderr}`);
  return result as unknown as Record<string, unknown>;
}

/** Runs it to its end. */
export async function setOf(
  folder: string,
  what: "run" | "resume",
  request: object,
  env?: Readonly<Record<string, string>>,
): Promise<SetResult> {
  const { result, stderr } = await startSet(folder, what, request, env).ended;
  if (result === undefined) throw new Error(`the set ended without a word:\n${stderr}`);
  return result;
}
