/**
 * Command policies (builtins.md §2.14): what `process.exec` may run. All policies in force decide, the outermost first; a
 * blocked command is a result, not an error, and starts nothing. Hooks see the request and may rewrite it; a rewritten one
 * is judged again.
 */

import {
  blockedReason,
  type CommandRisk,
  commandPoliciesOf,
  commandPolicyFields,
  commandPolicyOf,
  decidingPolicies,
  type JudgedCommand,
  judgeCommands,
  judgedRequest,
  pushedPolicies,
  refusedCommand,
  riskOfCommand,
  riskOfOutput,
} from "../../agent/index.ts";
import { addJudge } from "../../host/index.ts";
import { stateKey, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import {
  always,
  Callable,
  Dict,
  Float,
  invoke1,
  List,
  type MaybePromise,
  runtimeError,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, hostPath, option, textOf } from "../arguments.ts";

/** Numbers the decisions of a run. */
const audits = stateKey<{ last: number }>("command audits", () => ({ last: 0 }));

/** What `context` wants scanned. Nothing to scan is a mistake, never "no known risk". */
export function scannedCommand(caller: string, context: Argument): JudgedCommand {
  const command = judgedRequest(option(context, "request") ?? context);
  if (command.line.trim() !== "") return command;
  throw runtimeError(`${caller}: expected {request: {argv: [...]}} or {request: {command: "..."}}`);
}

/** Why the policy's own rules refuse a request. */
const refused = (task: Task, policy: Dict, request: Dict): string | undefined =>
  refusedCommand(task, policy, judgedRequest(request), hostPath(task, option(request, "cwd") ?? "."));

function contextOf(policy: Dict, request: Dict): Dict {
  const command = judgedRequest(request);
  return Dict.of({
    request,
    command_line: command.line,
    risk_labels: new List([...riskOfCommand(command).labels]),
    workspace_roots: policy.get("workspace_roots") ?? new List([]),
  });
}

interface RequestRecord {
  readonly context: Dict;
  readonly decisions: Value[];
}

function blockedByPolicy(task: Task, reason: string, { context, decisions }: RequestRecord): Dict {
  const state = task.runtime.state(audits);
  state.last += 1;
  const decision = Dict.of({
    action: reason.includes("requires approval") ? "require_approval" : "deny",
    reason,
  });
  return Dict.of({
    status: "blocked",
    success: false,
    exit_code: -1,
    exit_status: -1,
    legacy_status: -1,
    pid: null,
    signal: null,
    timed_out: false,
    stdout: "",
    stderr: reason,
    combined: reason,
    audit_id: `command_audit_${state.last}`,
    command_policy: Dict.of({ context, decisions: new List([...decisions, decision]) }),
  });
}

/** Runs a request under every policy that was pushed around it, and under those of all loops: inner ones only narrow. */
export function underPolicy(
  task: Task,
  request: Dict,
  execute: (request: Dict) => MaybePromise<Value>,
): MaybePromise<Value> {
  return underAll(task, commandPoliciesOf(task), request, execute);
}

/** The outermost policy first; a command that it rewrites is judged by those inside as it is then. */
function underAll(
  task: Task,
  applying: readonly Dict[],
  request: Dict,
  execute: (request: Dict) => MaybePromise<Value>,
): MaybePromise<Value> {
  const [policy, ...inner] = applying;
  if (policy === undefined) return execute(request);
  return underOne(task, policy, request, (changed) => underAll(task, inner, changed, execute));
}

function underOne(
  task: Task,
  policy: Dict,
  request: Dict,
  execute: (request: Dict) => MaybePromise<Value>,
): MaybePromise<Value> {
  const isHook = decidingPolicies.around(task).includes(policy);
  if (isHook && policy.get("allow_recursive") !== true) {
    const context = contextOf(policy, request);
    return blockedByPolicy(task, "command denied: a policy's hook runs commands without allow_recursive", {
      context,
      decisions: [],
    });
  }
  return isHook ? execute(request) : decide(task, policy, request, execute);
}

async function decide(
  task: Task,
  policy: Dict,
  options: Dict,
  execute: (request: Dict) => MaybePromise<Value>,
): Promise<Value> {
  let request = options;
  const decisions: Value[] = [];
  const first = refused(task, policy, request);
  if (first !== undefined)
    return blockedByPolicy(task, first, { context: contextOf(policy, request), decisions });
  const decision = await hook(task, policy, "pre", contextOf(policy, request));
  if (decision instanceof Dict) {
    decisions.push(decision);
    const argv = option(option(decision, "rewrite"), "argv");
    if (argv instanceof List) request = request.without("command").with("argv", argv).with("mode", "argv");
    const action = textOf(option(decision, "action") ?? option(decision, "decision"));
    const why = textOf(option(decision, "reason"), `command denied by the policy's pre hook`);
    const record = { context: contextOf(policy, request), decisions };
    if (action === "deny" || action === "block") return blockedByPolicy(task, why, record);
    if (action === "require_approval")
      return blockedByPolicy(task, `command requires approval: ${why}`, record);
    const again = refused(task, policy, request);
    if (again !== undefined) return blockedByPolicy(task, again, record);
  }
  const context = contextOf(policy, request);
  let result: Value;
  try {
    result = await execute(request);
  } catch (error) {
    // Refused where it would have been started: by the program that its name leads to, or the real folder.
    const reason = blockedReason(error);
    if (reason === undefined) throw error;
    return blockedByPolicy(task, reason, { context, decisions });
  }
  if (!(result instanceof Dict)) return result;
  const after = await hook(task, policy, "post", context.with("result", result));
  const annotation = after instanceof Dict ? after : null;
  return result.with("command_policy", Dict.of({ context, decisions: new List(decisions), annotation }));
}

async function hook(task: Task, policy: Dict, name: string, context: Dict): Promise<Value> {
  const f = policy.get(name);
  if (!(f instanceof Callable)) return null;
  return await always(() => invoke1(task, f, context), decidingPolicies.enter(task, policy));
}

/** What scripts see of a finding. */
export function riskDict(risk: CommandRisk): Dict {
  return Dict.of({
    risk_labels: new List([...risk.labels]),
    confidence: new Float(risk.confidence),
    rationale: risk.rationale,
    recommended_action: risk.action,
    action: risk.action,
  });
}

export const commandPolicies = defineBuiltins(
  "policies",
  {
    command_policy: {
      doc:
        "A policy for commands: `deny_patterns` (globs over the command line), `require_approval` (risk labels), " +
        "`workspace_roots` (for the working directory), hooks `pre` and `post`, `allow_recursive`. Holds for every builtin that " +
        "starts programs, and for what shells, interpreters and programs such as `env` or `xargs` are handed.",
      sig: "(config?: dict) -> dict",
      effect: "pure",
      example: "command_policy().default_shell_mode  // argv_only",
      fields: { config: () => commandPolicyFields },
      run: (_task, config: Dict | null | undefined) => commandPolicyOf(config),
    },
    command_policy_push: {
      doc: "Puts a policy in force until `command_policy_pop`, for the task that calls it and for those it spawns meanwhile. Policies that hold already go on holding.",
      sig: "(policy: dict) -> nil",
      effect: "state",
      fields: { policy: () => commandPolicyFields },
      run: (task, policy: Argument) => {
        if (!(policy instanceof Dict))
          throw runtimeError(`command_policy_push: expected a policy, got ${typeOf(policy ?? null)}`);
        pushedPolicies.enter(task, commandPolicyOf(policy));
        addJudge(task.runtime, judgeCommands);
        return null;
      },
    },
    command_policy_pop: {
      doc: "Takes the innermost policy that the task itself pushed out of force. One that it inherited stays.",
      sig: "() -> nil",
      effect: "state",
      run: (task) => {
        if (pushedPolicies.leave(task)) return null;
        const inherited = pushedPolicies.current(task) !== undefined;
        throw runtimeError(
          inherited
            ? "command_policy_pop: the policy was pushed outside of this task, which can't end it"
            : "command_policy_pop: no policy is in force",
        );
      },
    },
    command_risk_scan: {
      doc: "What a command might do, by its words: `{risk_labels, confidence, rationale, recommended_action, action}`. Code for an interpreter (`python -c`) and what is known only when it runs are never allowed: the labels `inline_code` and `unknown_command` ask.",
      sig: "(context: dict) -> dict",
      effect: "pure",
      example: 'command_risk_scan({request: {argv: ["cat", ".env"]}}).risk_labels  // [credential_file_read]',
      run: (_task, context: Argument) =>
        riskDict(riskOfCommand(scannedCommand("command_risk_scan", context))),
    },
    command_result_scan: {
      doc: "What is risky in the output of a command, like `command_risk_scan`.",
      sig: "(context: dict) -> dict",
      effect: "pure",
      example: 'command_result_scan({result: {stdout: "ok"}}).action  // allow',
      run: (_task, context: Argument) => {
        const result = option(context, "result") ?? context;
        if (option(result, "stdout") === undefined && option(result, "stderr") === undefined)
          throw runtimeError("command_result_scan: expected {result: {stdout, stderr}}");
        return riskDict(
          riskOfOutput(`${textOf(option(result, "stdout"))}\n${textOf(option(result, "stderr"))}`),
        );
      },
    },
  },
  { context: "the context that a hook is given" },
);
