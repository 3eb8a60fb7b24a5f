/** Builtins that ask people (builtins.md §2.22, agents.md §20). */

import { defineBuiltins } from "../../table/index.ts";
import type { Argument } from "../arguments.ts";
import { hitlFilterFields } from "../rows/more.ts";
import { approvalRequestFields, askFields } from "../rows/people.ts";
import { dualControl, escalateTo, requestApproval } from "./approval.ts";
import { pendingRequests } from "./pending.ts";
import { askUser } from "./question.ts";

export { type HumanTape, insertTape } from "./tape.ts";

const asking = { effect: "human", performs: true, suspends: "may", capability: "people" } as const;

export const hitl = defineBuiltins("hitl", {
  ask_user: {
    ...asking,
    doc:
      "Asks a person and gives the answer. With `schema` it must fit, with `default` it is read as a value of the default's " +
      "type; an empty answer, or none within `timeout` (a day), is the default, else a `HumanTimeoutError`. Answers come from " +
      '`host_mock("hitl", "question", {answer})`, the terminal, or, when a recorded run has parked, from `harn hitl`.',
    sig: "(prompt: string, options: {schema?: dict, timeout?: duration | int, default?: any} = {}) -> any",
    traits: ["namedArguments"],
    fields: { options: () => askFields },
    run: (task, prompt: Argument, options: Argument) => askUser(task, prompt, options),
  },
  request_approval: {
    ...asking,
    doc:
      "Asks people to approve an action: `{approved, reviewers, approved_at, reason, signatures}`. Options: `quorum` (1), " +
      "`reviewers` (who may decide), `deadline`, and `detail`, `args`, `principal`, `evidence_refs`, which they are shown. " +
      "Raises an `ApprovalDeniedError` when it is denied and a `HumanTimeoutError` when nobody decides in time.",
    sig: "(action: string, options: dict = {}) -> dict",
    traits: ["namedArguments", "approves"],
    fields: { options: () => approvalRequestFields },
    run: (task, action: Argument, options: Argument) => requestApproval(task, action, options),
  },
  dual_control: {
    ...asking,
    doc: "Runs an action once `n` of `m` people have approved it, and gives its result.",
    sig: "(n: int, m: int, action: fn() -> any, approvers: list<string> = []) -> any",
    traits: ["namedArguments", "approves"],
    run: (task, n: Argument, m: Argument, action: Argument, approvers: Argument) =>
      dualControl(task, n, m, action, approvers),
  },
  escalate_to: {
    ...asking,
    doc: "Hands something to a role and waits: `{request_id, role, reason, trace_id, status, accepted_at, reviewer}`; status `accepted` or `declined`.",
    sig: "(role: string, reason: string) -> dict",
    traits: ["namedArguments"],
    run: (task, role: Argument, reason: Argument) => escalateTo(task, role, reason),
  },
  hitl_pending: {
    effect: "read",
    performs: true,
    doc:
      "What people were asked and have not answered: `{request_id, request_kind, agent, prompt, trace_id, timestamp, " +
      'approvers, metadata}`, newest first. Filters name columns: `{kind: "approval"}`, `{agent: …}`.',
    sig: "(filters: dict = {}) -> list<dict>",
    example: "hitl_pending()  // []",
    fields: { filters: () => hitlFilterFields },
    run: (task, filters: Argument) => pendingRequests(task, filters),
  },
});
