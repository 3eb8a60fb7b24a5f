/**
 * Folders of tasks in the form of Harbor and Terminal-Bench: what solves one, and what tests it, are scripts that are copied to
 * where they expect to be in the container.
 */
import { readTexts, runCommandLine } from "../../../agent/checks/index.ts";
import type { Task } from "../../../interp/index.ts";
import { row } from "../../../table/index.ts";
import { Dict, Float, isInt, runtimeError, type Value } from "../../../values/index.ts";
import { isTaskFolder, scoringContext } from "../../plan/index.ts";
import { scorerKind } from "../scorer-kind.ts";
import { copyIn } from "./copy-in.ts";
import { lastLines, missing, rewardOf, rewardRows } from "./files.ts";

/** What `[verifier] timeout_sec` is when it is not said. */
const usualTimeoutMs = 600_000;
const rewards = "/logs/verifier";
/** What the agent may have put there is no reward. */
const prepared = `rm -rf ${rewards} && mkdir -p ${rewards} /logs/agent && chmod +x /tests/test.sh`;

const taskTestRows = () => ({
  timeout: row.duration("How long they may run; `[verifier] timeout_sec`, else 600 s."),
  ...rewardRows(),
});

const taskTests = scorerKind(taskTestRows, {
  needs: ["files"],
  async score(input) {
    const { task, args, sample } = input;
    const folder = folderOf(sample, "task_tests");
    if (task.runtime.state(scoringContext).sandbox === null)
      return missing(input, "there is no sandbox, or not all of its files were kept");
    await copyIn(task, { who: "task_tests", from: `${folder}/tests`, to: "/tests" });
    const ready = await runCommandLine(task, prepared, "task_tests", { timeoutMs: usualTimeoutMs });
    if (ready.status !== 0) return missing(input, `the tests can't be run: ${lastLines(ready.output)}`);
    const timeoutMs = args.timeout ?? ownTimeout(sample) ?? usualTimeoutMs;
    const { output, timedOut } = await runCommandLine(task, "/tests/test.sh", "task_tests", { timeoutMs });
    if (timedOut) return missing(input, `tests/test.sh did not end in ${timeoutMs / 1000} s`);
    const [json] = await readTexts(task, [`${rewards}/reward.json`]);
    const scored = await rewardOf(input, `${rewards}/reward.${json === undefined ? "txt" : "json"}`);
    return scored.get("value") === 1 ? scored : withOutput(scored, output);
  },
});

/** What the tests printed says why it is not the whole reward. */
const withOutput = (scored: Dict, output: string): Dict =>
  scored.with("why", `${String(scored.get("why") ?? "")}\n${lastLines(output)}`.trim());

/** Runs `solution/solve.sh` of the sample's folder. One that fails is told: the task is broken. */
export async function runSolution(task: Task, sample: Dict, script: string): Promise<void> {
  const folder = folderOf(sample, "oracle");
  await copyIn(task, { who: "oracle", from: `${folder}/solution`, to: "/solution" });
  const line = `chmod +x /${script} && /${script}`;
  const { status, output } = await runCommandLine(task, line, "oracle", { timeoutMs: usualTimeoutMs });
  if (status !== 0)
    throw runtimeError(`oracle: ${script} ended with status ${status}:\n${lastLines(output)}`);
}

function folderOf(sample: Dict, who: string): string {
  if (!isTaskFolder(sample))
    throw runtimeError(`${who}: the sample is no task folder with an image or a Dockerfile`);
  return String(sample.get("folder"));
}

function ownTimeout(sample: Dict): number | undefined {
  const verifier = sample.get("verifier");
  const seconds: Value = verifier instanceof Dict ? (verifier.get("timeout_sec") ?? null) : null;
  if (seconds instanceof Float) return seconds.value * 1000;
  return isInt(seconds) ? Number(seconds) * 1000 : undefined;
}

export const taskFolderScorers = { task_tests: taskTests } as const;
