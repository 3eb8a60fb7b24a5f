/** What a node checks (agents.md §19.2): a command and its status, and a text that must be there. */
import { defaultOutputLimit, microcompact, runCommandLine } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { type Argument, Dict, isInt, List, option, textOf, thrown, typeOf } from "../../../values/index.ts";

export interface Verified {
  /** `{kind, ok, checks?}` */
  readonly verification: Dict;
  readonly ok: boolean;
  /** What the command printed, shortened as a tool's result is; "" without a command. */
  readonly output: string;
}

export const unchecked = (): Dict => Dict.of({ kind: "none", ok: true });

/** Runs the checks of a node; `said` is the text that an assertion is looked for in, else the command's output. */
export async function verify(task: Task, value: Argument, said?: string): Promise<Verified> {
  const check = readCheck(value);
  if (check === null) return { verification: unchecked(), ok: true, output: "" };
  const result = check.command === null ? null : await runCommandLine(task, check.command, "verify.command");
  const output = result?.output ?? "";
  const checks: Dict[] = [];
  if (check.text !== null) {
    const ok = (said ?? output).includes(check.text);
    checks.push(Dict.of({ kind: "assert_text", expected: check.text, ok }));
  }
  if (result !== null) {
    const expected = check.status;
    checks.push(
      Dict.of({ kind: "expect_status", expected, actual: result.status, ok: result.status === expected }),
    );
  }
  const ok = checks.every((one) => one.get("ok") === true);
  const verification = Dict.of({ kind: "composite", ok, checks: new List(checks) });
  return { verification, ok, output: microcompact(output, defaultOutputLimit) };
}

interface VerificationCheck {
  readonly command: string | null;
  readonly text: string | null;
  readonly status: number;
}

const known = ["command", "expect_status", "assert_text"];

function readCheck(input: Argument): VerificationCheck | null {
  if (input === undefined || input === null) return null;
  if (!(input instanceof Dict)) throw thrown(`verify must be a dict, got ${typeOf(input)}`);
  const unknown = input.keys().find((key) => !known.includes(key));
  if (unknown !== undefined) throw thrown(`verify.${unknown}: unknown field; expected ${known.join(", ")}`);
  const text = (name: string): string | null => {
    const value = option(input, name);
    if (value === undefined) return null;
    if (typeof value === "string" && value !== "") return value;
    throw thrown(`verify.${name} must be a string that is not empty, got ${typeOf(value)}`);
  };
  const status = option(input, "expect_status") ?? 0;
  if (!isInt(status)) throw thrown(`verify.expect_status must be an int, got ${typeOf(status)}`);
  const command = text("command");
  if (command === null && input.has("expect_status"))
    throw thrown("verify.expect_status needs verify.command");
  const asserted = text("assert_text");
  return command === null && asserted === null ? null : { command, text: asserted, status: Number(status) };
}

/** What did not hold, for whoever tries again. */
export function shortcomings(verification: Dict): string {
  const checks = verification.get("checks");
  const failed = (checks instanceof List ? checks.toArray() : []).filter(
    (check): check is Dict => check instanceof Dict && check.get("ok") === false,
  );
  return failed
    .map((check) =>
      check.get("kind") === "assert_text"
        ? `it does not contain "${textOf(check.get("expected"))}"`
        : `the command ended with status ${textOf(check.get("actual") ?? null)}, not ${textOf(check.get("expected"))}`,
    )
    .join("; ");
}
