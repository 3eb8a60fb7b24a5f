/** What a node checks (agents.md §19.2): a command and its status, and a text that must be there. */
import { defaultOutputLimit, microcompact, runCommandLine } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { at, refusal, row } from "../../../table/index.ts";
import { type Argument, Dict, List, textOf } from "../../../values/index.ts";
import { verifyFields } from "../../fields/workflow-fields.ts";

export interface VerificationResult {
  /** `{kind, ok, checks?}` */
  readonly verification: Dict;
  readonly ok: boolean;
  /** What the command printed, shortened as a tool's result is; "" without a command. */
  readonly output: string;
}

export const unchecked = (): Dict => Dict.of({ kind: "none", ok: true });

/** Runs the checks of a node; `said` is the text that an assertion is looked for in, else the command's output. */
export async function verify(task: Task, value: Argument, said?: string): Promise<VerificationResult> {
  const check = checkOf(value);
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

function checkOf(input: Argument) {
  if (input === undefined || input === null) return null;
  const { command, expectStatus, assertText: text } = row.dict(verifyFields).read(input, at("verify"));
  if (command === null && expectStatus !== null)
    throw refusal(at("verify", "command"), "string beside `expect_status`", null);
  return command === null && text === null ? null : { command, text, status: expectStatus ?? 0 };
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
