/** Handing an event to what handles it: a function of the program, a queue for workers, another agent over HTTP. */
import type { TierScope } from "../../../agent/index.ts";
import { bindBuiltin, newId, type Task } from "../../../interp/index.ts";
import {
  Dict,
  isErr,
  jsonParse,
  jsonStringify,
  List,
  type MaybePromise,
  proceed,
  runtimeError,
  thrown,
  unwrapErr,
  type Value,
} from "../../../values/index.ts";
import { textOf } from "../../arguments.ts";
import type { Handler, TriggerBinding } from "./binding.ts";
import { eventId, traceIdOf } from "./event.ts";
import { underTier } from "./tier.ts";
import { recordHeaders, type TriggerWorld } from "./world.ts";

/** Its result; raises what the handler raises. An `Err` result is a failure too. */
export function handleEvent(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  event: Dict,
  tier: TierScope,
): MaybePromise<Value> {
  const { handler } = binding;
  switch (handler.kind) {
    case "local":
      return proceed(underTier(tier, handler.run)(task, event), (result) => {
        if (isErr(result)) throw thrown(unwrapErr(result));
        return result;
      });
    case "worker":
      return enqueueEvent(task, world, binding, handler.queue, event);
    case "a2a":
      return callAgent(task, handler, binding, event);
  }
}

/** The job is an event in the queue's topic; whoever works on it answers in the response topic. */
function enqueueEvent(
  task: Task,
  world: TriggerWorld,
  binding: TriggerBinding,
  queue: string,
  event: Dict,
): Value {
  const job = `job_${newId(task)}`;
  const response = `worker.${queue}.responses`;
  const payload = Dict.of({
    job_event_id: job,
    trigger_event: event,
    response_topic: response,
    autonomy_tier: binding.autonomyTier,
  });
  world.record(task, `worker.${queue}.jobs`, "job.enqueued", payload, recordHeaders(binding, event));
  return Dict.of({ queue, job_event_id: job, response_topic: response });
}

type AgentHandler = Extract<Handler, { kind: "a2a" }>;

/** One JSON-RPC call `message/send`; the answer's `result`. */
function callAgent(
  task: Task,
  handler: AgentHandler,
  { autonomyTier }: TriggerBinding,
  event: Dict,
): MaybePromise<Value> {
  const post = task.runtime.builtins.get("http_post");
  if (post === undefined) throw runtimeError("a2a handlers need http_post, which this run does not have");
  const part = Dict.of({ kind: "data", data: event });
  const message = Dict.of({
    role: "user",
    messageId: eventId(event),
    parts: new List([part]),
    metadata: Dict.of({ autonomy_tier: autonomyTier }),
  });
  const call = Dict.of({
    jsonrpc: "2.0",
    id: eventId(event),
    method: "message/send",
    params: Dict.of({ message }),
  });
  const headers = Dict.of({ "content-type": "application/json", "x-trace-id": traceIdOf(event) });
  const answer = bindBuiltin(post).call(task, [handler.url, jsonStringify(call), Dict.of({ headers })]);
  return proceed(answer, (response) => resultOf(handler, response as Dict));
}

function resultOf(handler: AgentHandler, response: Dict): Value {
  const status = response.get("status");
  const body = textOf(response.get("body"));
  if (response.get("ok") !== true)
    throw thrown(`a2a call to ${handler.url} failed with status ${textOf(status)}: ${body}`);
  const data = jsonParse(body);
  if (!(data instanceof Dict)) throw thrown(`a2a call to ${handler.url}: the answer is no JSON object`);
  const error = data.get("error") ?? null;
  if (error !== null) throw thrown(`a2a call to ${handler.url}: ${textOf(error)}`);
  return data.get("result") ?? null;
}
