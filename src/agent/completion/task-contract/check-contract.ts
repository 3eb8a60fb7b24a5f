/**
 * Looking at the contract of a session: on a claim at all of it, after a turn at what the turn touched and what costs
 * neither process nor callback nor model. Nothing is looked at twice for the same inputs.
 */
import type { ContractState, Requirement, RequirementCoverage } from "../../../model/index.ts";
import { type Dict, nameMatches } from "../../../values/index.ts";
import { type CheckLook, isChange } from "../../checks/index.ts";
import { requirementCoverage, verifyContract } from "../../session/contract-coverage.ts";
import type { CallNote } from "../../state/completion-state.ts";
import type { Loop } from "../../state/loop-state.ts";
import { askJudge, askToLook, type CheckAnswer, emitNamed, type Turn } from "../../state/requests.ts";
import { lookAtPredicate } from "./look-at.ts";

/** The same error of the same check so often ends the loop. */
const sameErrors = 3;

export interface ChecksDone {
  /** A check that ended in the same error again and again. */
  readonly broken: { readonly id: string; readonly error: string } | null;
}

/** Looks at every requirement whose inputs have changed since the last look. */
export function* checkAll(loop: Loop, state: ContractState): Turn<ChecksDone> {
  const inputs = contractInputs(loop, state);
  let looked = 0;
  for (const requirement of state.contract.outputs) {
    if (state.skipped.has(requirement.id)) continue;
    if (state.inputs.get(requirement.id) === inputs) {
      emitLooked(loop, state, requirement.id, true);
      continue;
    }
    looked++;
    yield* checkOne(loop, state, requirement, inputs);
  }
  if (looked > 0) state.checks++;
  yield* emitChecked(loop, state, looked === 0);
  return { broken: brokenCheck(state) };
}

/** After a turn: cheap checks whose inputs the turn touched. */
export function* checkTouched(loop: Loop, state: ContractState): Turn<void> {
  const { calls } = loop.state.slots.completion;
  const turn = loop.work.iteration + 1;
  const own = calls.slice(calls.findLastIndex((call) => call.turn !== turn) + 1);
  if (own.length === 0) return;
  const touched = state.contract.outputs.filter(
    (requirement) => !state.skipped.has(requirement.id) && isTouched(own, requirement),
  );
  if (touched.length === 0) return;
  const inputs = contractInputs(loop, state);
  for (const requirement of touched) yield* checkOne(loop, state, requirement, inputs);
  yield* emitChecked(loop, state, false);
}

function* checkOne(loop: Loop, state: ContractState, requirement: Requirement, inputs: string): Turn<void> {
  const { id, predicate, description } = requirement;
  loop.reached("check");
  const answer: CheckAnswer<CheckLook> =
    predicate.type === "always_true" && predicate.judge !== null
      ? { ok: true, value: yield* askSoftly(loop, predicate.judge, description) }
      : yield* askToLook(state.contract.checkTimeoutMs, (task) =>
          lookAtPredicate(task, predicate, {
            loop,
            conversation: loop.conversation,
            beginning: state.beginning,
          }),
        );
  noteCheck(state, id, answer, loop.work.iteration + 1);
  emitLooked(loop, state, id, false);
  if (answer.ok) state.inputs.set(id, inputs);
  else state.inputs.delete(id);
}

/** For those who ask why. */
function emitLooked(loop: Loop, state: ContractState, id: string, cached: boolean): void {
  const { status, notes } = requirementCoverage(state, id);
  loop.conversation.seen.checked({ turn: loop.work.iteration + 1, requirement: id, status, notes, cached });
}

function* askSoftly(loop: Loop, config: Dict, description: string): Turn<CheckLook> {
  const answer = yield* askJudge({
    name: "contract_judge",
    system:
      'You judge whether one requirement of a task is met. Answer with JSON only: {"verdict": "met" or "unmet", "reasoning": why}.',
    prompt: `Task:\n${loop.state.task}\n\nRequirement:\n${description}\n\nLatest answer:\n${loop.state.lastText}`,
    config,
  });
  if (!answer.ok)
    return { status: "unmet", notes: `the judge could not be asked: ${answer.error}`, evidence: [] };
  const verdict = textFieldOf(answer.data, "verdict");
  const why = textFieldOf(answer.data, "reasoning");
  const evidence = [
    { kind: "judge" as const, ref: "contract_judge", digest: null, excerpt: why.slice(0, 200) },
  ];
  return verdict.toLowerCase().startsWith("met")
    ? { status: "met", notes: "a judge accepted it", evidence }
    : { status: "unmet", notes: `a judge did not accept it: ${why}`, evidence };
}

const statuses = { met: "met", partly: "partially_met", unmet: "unmet" } as const;

/** Takes what a look came to into the coverage. */
export function noteCheck(
  state: ContractState,
  id: string,
  answer: CheckAnswer<CheckLook>,
  turn: number,
): void {
  const before = requirementCoverage(state, id);
  const known = state.errors.get(id);
  if (answer.ok) state.errors.delete(id);
  else
    state.errors.set(id, { text: answer.error, count: known?.text === answer.error ? known.count + 1 : 1 });
  const status = answer.ok ? statuses[answer.value.status] : "unmet";
  const next: RequirementCoverage = {
    requirementId: id,
    status,
    evidence: answer.ok ? answer.value.evidence.map((one) => ({ ...one, turn })) : [],
    notes: answer.ok ? answer.value.notes : `the check failed: ${answer.error}`,
    checkedTurn: turn,
    sinceTurn: before.checkedTurn > 0 && before.status === status ? before.sinceTurn : turn,
  };
  state.coverage.set(id, next);
}

function brokenCheck({ errors }: ContractState): ChecksDone["broken"] {
  for (const [id, { text, count }] of errors) if (count >= sameErrors) return { id, error: text };
  return null;
}

/** What any check may draw on, as one mark: calls, ledger, answer, what people said. */
function contractInputs({ state, conversation }: Loop, { version, answers }: ContractState): string {
  const { called } = state.slots.completion;
  return JSON.stringify([
    called,
    conversation.workItems?.version ?? 0,
    state.answer,
    conversation.arrivalCount,
    version,
    answers.size,
  ]);
}

/** Whether a check is cheap and these calls, those of the turn, did something that it looks at. */
function isTouched(own: readonly CallNote[], { predicate }: Requirement): boolean {
  const names = (path: string): boolean =>
    own.some(({ paths }) => paths.some((one) => one === path || nameMatches(path, one)));
  switch (predicate.type) {
    case "file_exists":
      return names(predicate.path ?? predicate.glob ?? "");
    case "contains_text":
      if (predicate.in === "files") return names(predicate.path ?? "");
      return (
        predicate.in === "results" &&
        own.some(({ tool }) => predicate.tool === null || predicate.tool === tool)
      );
    case "tool_result_success":
      return own.some((call) => isChange(call) || nameMatches(predicate.tool, call.tool));
    case "json_schema_valid":
      return predicate.source.kind === "file" && names(predicate.source.path);
    case "unchanged":
      return names(predicate.glob);
    default:
      return false;
  }
}

function* emitChecked(loop: Loop, state: ContractState, cached: boolean): Turn<void> {
  if (!loop.listens()) return;
  const { met, total } = verifyContract(state);
  yield* emitNamed("contract_checked", { met, total, cached });
}

/** Texts of a judge's answer. */
function textFieldOf(answer: Dict, name: string): string {
  const value = answer.get(name) ?? null;
  return typeof value === "string" ? value : "";
}
