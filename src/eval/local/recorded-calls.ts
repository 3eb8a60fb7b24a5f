/** Model calls as the journals of trials have them. Answers of llm_mock are the program's own, and in none. */
import { resumePoint, stepsOf } from "../../effects/index.ts";
import type { ModelOutcome, ModelRequest, ModelResponse } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { isJsonObject, type Json } from "../../values/index.ts";
import { failingCalls } from "../engine/index.ts";
import type { RecordedTask, StoredSet, StoredTrial } from "../report/index.ts";

export interface AnsweredCall {
  readonly step: number;
  readonly request: ModelRequest;
  readonly response: ModelResponse;
  /** Calls of its answer. */
  readonly calls: readonly Json[];
}

/** Those of a run that were answered. */
export function answeredCalls(files: Store, run: string): AnsweredCall[] {
  const { history } = resumePoint(files.runs.read(run));
  return stepsOf(history).flatMap(({ number, kind, args, result }) => {
    if (kind !== "llm.call" || result?.v === undefined) return [];
    const { request } = history.whole((args ?? null) as Json) as unknown as { request: ModelRequest };
    const outcome = history.whole(result.v) as unknown as ModelOutcome;
    if (!outcome.ok) return [];
    return [{ step: number, request, response: outcome.response, calls: failingCalls(outcome.response) }];
  });
}

/**
 * The first call of the agent in a trial: the one whose answer is in its conversation, since simulated users ask models, too.
 * Undefined where nothing was recorded.
 */
function agentCall(files: Store, { row, outcome }: StoredTrial): AnsweredCall | undefined {
  const run = row.run === null ? undefined : files.runs.nameOf(row.run);
  if (run === undefined || files.runs.find(run) === undefined) return undefined;
  const calls = answeredCalls(files, run);
  const messages = isJsonObject(outcome) && Array.isArray(outcome.messages) ? outcome.messages : [];
  const said = new Set(
    messages.flatMap((message) =>
      isJsonObject(message) && message.role === "assistant" && typeof message.content === "string"
        ? message.content.trim()
        : [],
    ),
  );
  return calls.find(({ response }) => said.has(response.text.trim())) ?? calls[0];
}

/** The conversation of a trial with the system text that the agent was given. */
export function recordedConversation(files: Store, task: RecordedTask, trial: StoredTrial): Json {
  const { outcome } = trial;
  const messages = isJsonObject(outcome) ? (outcome.messages ?? null) : null;
  if (!Array.isArray(messages) || messages.some((one) => isJsonObject(one) && one.role === "system"))
    return messages;
  const { solver } = task.spec;
  const written = solver === undefined || solver.kind === "closure" ? "" : solver.system;
  const system = agentCall(files, trial)?.request.system ?? written;
  return system === "" ? messages : [{ role: "system", content: system }, ...messages];
}

/** The model that the first recorded trial of a variant asked, as `provider/model`. */
export function askedModel(files: Store, set: StoredSet, name: string, variant: string): string | null {
  const task = set.tasks.find(({ spec }) => spec.name === name);
  const first = task?.trials.find((trial) => trial.variant === variant && trial.state === "done");
  const request = first === undefined ? undefined : agentCall(files, first)?.request;
  return request === undefined ? null : `${request.provider}/${request.model}`;
}
