/** The contract in a loop: set from the option, looked at after turns and on claims, asked about. */
import { bindBuiltin, callableOnChild, type Task } from "../../../interp/index.ts";
import type { ContractQuestion, PendingCall } from "../../../model/index.ts";
import {
  Callable,
  Dict,
  display,
  List,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../../values/index.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import { openContractQuestions, verifyContract } from "../../session/contract-coverage.ts";
import { gapReport } from "../../session/contract-gaps.ts";
import { type ControlTool, controlEntry } from "../../state/control-tools.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import type { Subsystem } from "../../state/subsystem.ts";
import { refuseClaim } from "../refusals.ts";
import type { GateFact } from "../stop-table.ts";
import { checkAll, checkTouched } from "./check-contract.ts";
import { takeBeginning } from "./survey.ts";

const passed: GateFact = { kind: "passed" };

export const taskContract: Subsystem = {
  name: "task_contract",
  when: "contract",
  *prepare(loop: Loop): Turn<void> {
    const { contract } = loop.conversation;
    if (contract !== null) yield* takeBeginning(contract, "agent_loop");
  },
  *settled(loop: Loop): Turn<void> {
    const { contract } = loop.conversation;
    if (contract !== null && loop.options.completion !== null) yield* checkTouched(loop, contract);
  },
};

/** Row 12: the contract is looked at; what is missing of it refuses the claim. */
export function* contractGate(loop: Loop): Turn<GateFact> {
  const { contract: state } = loop.conversation;
  if (state === null) return passed;
  if (state.checks >= state.contract.maxChecks) {
    const end = { status: "verify_exhausted", reason: "contract" };
    return yield* refuseClaim(loop, {
      gate: "contract",
      reason: `the contract was checked ${state.checks} times`,
      end,
    });
  }
  const { broken } = yield* checkAll(loop, state);
  if (broken !== null) {
    const reason = `the check of ${broken.id} does not work: ${broken.error}`;
    loop.state.slots.completion.error = broken.error;
    return yield* refuseClaim(loop, {
      gate: "contract",
      reason,
      end: { status: "failed", reason: "contract_error" },
    });
  }
  const verdict = verifyContract(state);
  if (verdict.satisfied) return passed;
  const { met, total, gaps, questions } = gapReport(state);
  const details = yield* promptText(loop, "agent.gap_report", { met, total, gaps, questions });
  const asked = openContractQuestions(state).length;
  const reason = `${met} of ${total} requirements are met${asked === 0 ? "" : `, ${asked} of its questions must be answered`}`;
  const sameAs = JSON.stringify([verdict.unmet, verdict.partial]);
  return yield* refuseClaim(loop, { gate: "contract", reason, details, sameAs });
}

/** `contract_ask`, where the contract has questions. */
export function contractTools(questions: readonly ContractQuestion[]): readonly ControlTool[] {
  const list = questions.map(
    ({ id, text, required }) => `${id}: ${text}${required ? " (must be answered)" : ""}`,
  );
  const entry = controlEntry("contract_ask", `Asks a question of the task. Questions: ${list.join("; ")}`, {
    id: { type: "string", required: true, description: "The question's id." },
  });
  return [{ entry, answer: (loop) => (task, pending) => answerQuestion(task, loop, pending) }];
}

async function answerQuestion(
  task: Task,
  { conversation }: Loop,
  { arguments: args, call }: PendingCall,
): Promise<{ ok: boolean; text: string }> {
  const state = conversation.contract;
  const id = args.get("id");
  const question = state?.contract.questions.find((known) => known.id === id);
  if (state === null || question === undefined) {
    const known = state?.contract.questions.map((one) => one.id).join(", ") ?? "";
    return {
      ok: false,
      text: `contract_ask: there is no question ${display(id ?? null)}; there are ${known}`,
    };
  }
  const before = state.answers.get(question.id);
  if (before !== undefined) return { ok: true, text: before.answer };
  try {
    const place = { session_id: conversation.id, tool_name: "contract_ask", tool_call_id: call.id };
    const reply = await askSomebody(task, state.contract.answerer, question, place);
    if (reply === null) return { ok: false, text: `contract_ask: nobody answered ${question.id}` };
    if (question.choices !== null && !question.choices.includes(reply.answer))
      return {
        ok: false,
        text: `contract_ask: ${question.id} was answered with "${reply.answer}", which is none of ${question.choices.join(", ")}`,
      };
    state.answers.set(question.id, reply);
    return { ok: true, text: reply.answer };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { ok: false, text: `contract_ask: ${uncaughtText(error)}` };
  }
}

/** The answerer of the contract, else a person, else the default. */
async function askSomebody(
  task: Task,
  answerer: Value,
  question: ContractQuestion,
  place: { readonly [name: string]: Value },
): Promise<{ answer: string; by: string } | null> {
  const { text, choices, fallback, id } = question;
  // An answerer of std/agent/user says where it was asked.
  const asks = answerer instanceof Dict ? (answerer.get("_answers") ?? null) : answerer;
  if (asks instanceof Callable) {
    const asked = Dict.of({
      id,
      text,
      choices: choices === null ? null : new List([...choices]),
      default: fallback,
      ...(answerer instanceof Dict ? place : {}),
    });
    const answer = await callableOnChild(task, asks, [asked]);
    if (answer !== null) return { answer: display(answer), by: "answerer" };
    return fallback === null ? null : { answer: fallback, by: "default" };
  }
  const spec = task.runtime.builtins.get("ask_user");
  if (spec === undefined) return fallback === null ? null : { answer: fallback, by: "default" };
  const prompt = choices === null ? text : `${text} (${choices.join(", ")})`;
  const options = fallback === null ? new Dict() : Dict.of({ default: fallback });
  const answer = await bindBuiltin(spec).call(task, [prompt, options]);
  return { answer: display(answer), by: "person" };
}
