/** A command whose status, and perhaps words, say whether something holds: the check of workflow nodes and of contracts. */
import { bindBuiltin, type Task } from "../../interp/index.ts";
import { Dict, List, option, textOf, thrown, type Value } from "../../values/index.ts";
import { type CheckLook, excerptOf, met, unmet } from "./look.ts";

interface CommandResult {
  /** What it printed, both streams. */
  readonly output: string;
  readonly status: Value;
  /** It was ended because its time was over. */
  readonly timedOut: boolean;
}

/** How long a command may run, with everything that it starts; a resume may run it again. */
interface CommandTime {
  readonly timeoutMs: number;
}

/** Runs a line as a script would: `shell`, recorded, under the limits of the run. `where` names who wants it. */
export async function runCommandLine(
  task: Task,
  line: string,
  where: string,
  time?: CommandTime,
): Promise<CommandResult> {
  const name = time === undefined ? "shell" : "exec_opts";
  const spec = task.runtime.builtins.get(name);
  if (spec === undefined) throw thrown(`${where}: this program has no \`${name}\``);
  const result =
    time === undefined
      ? await bindBuiltin(spec).call1(task, line)
      : await bindBuiltin(spec).call(task, timedLine(task, line, time));
  const part = (name: string): string => textOf(option(result, name)).replace(/\n$/, "");
  const output = [part("stdout"), part("stderr")].filter((text) => text !== "").join("\n");
  return { output, status: option(result, "status") ?? null, timedOut: option(result, "timed_out") === true };
}

function timedLine(task: Task, line: string, { timeoutMs }: CommandTime): Value[] {
  const shell = task.runtime.host.os === "windows" ? ["cmd", "/C"] : ["/bin/sh", "-c"];
  return [new List([...shell, line]), Dict.of({ timeout: timeoutMs, idempotent: true })];
}

interface WantedCommand {
  readonly command: string;
  readonly expectStatus: number;
  readonly assertText: string | null;
}

/** Lines of a failing command's output that are told. */
const shownLines = 12;

export async function lookAtCommand(task: Task, wanted: WantedCommand): Promise<CheckLook> {
  const { command, expectStatus, assertText } = wanted;
  const { output, status } = await runCommandLine(task, command, "contract command");
  const evidence = [{ kind: "command", ref: command, digest: null, excerpt: excerptOf(output) }] as const;
  const tail = output.split("\n").slice(-shownLines).join("\n");
  const said = tail.trim() === "" ? "" : `:\n${tail}`;
  if (status !== expectStatus)
    return unmet(`\`${command}\` ended with status ${textOf(status)}, not ${expectStatus}${said}`, evidence);
  if (assertText !== null && !output.includes(assertText))
    return unmet(`\`${command}\` did not print ${JSON.stringify(assertText)}${said}`, evidence);
  return met(`\`${command}\` ended with status ${expectStatus}`, evidence);
}
