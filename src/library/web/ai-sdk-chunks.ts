/**
 * The events of a run as chunks of AI SDK's UI message stream (version 1). Of a run's loops the outermost is told, as one message of an
 * assistant: what it says and thinks, its turns as steps, its calls. What other agents do for it is the result of a call.
 *
 *     start ▸ (start-step ▸ reasoning-* ▸ text-* ▸ tool-input-available ▸ tool-output-* ▸ finish-step)* ▸ finish
 */
import { calledBy } from "../handles/call-site.ts";
import { checkWord, run as runKind } from "../option-checks.ts";
import type { Run, RunEnd, RunEvent } from "../types.ts";

export type AiSdkChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" }
  | { readonly type: `${Spoken}-start` | `${Spoken}-end`; readonly id: string }
  | { readonly type: `${Spoken}-delta`; readonly id: string; readonly delta: string }
  | (Called & { readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown })
  | (Called & { readonly type: "tool-output-available"; readonly output: unknown })
  | (Called & { readonly type: "tool-output-error"; readonly errorText: string })
  /** A question of the run, `question.asked` and then with its `answer`: `h.runs.answer` and `run.answer` take its id. */
  | { readonly type: "data-question"; readonly id: string; readonly data: unknown }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason: string }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "error" | "other";
      /** What the run took. */
      readonly messageMetadata: Pick<RunEnd, "run" | "status" | "usage" | "cost_usd">;
    };

type Spoken = "text" | "reasoning";
interface Called {
  readonly toolCallId: string;
  /** By the run, not by the page. */
  readonly providerExecuted: true;
}

/** What a run says, until it has ended. What goes wrong in it is a chunk, and never thrown. */
export function aiSdkChunks(run: Run<unknown>): AsyncGenerator<AiSdkChunk, void, undefined> {
  calledBy(aiSdkChunks, () => checkWord("aiSdkChunks", "the first argument", run, runKind));
  return uiChunks(run);
}

async function* uiChunks(run: Run<unknown>): AsyncGenerator<AiSdkChunk, void, undefined> {
  const message = new UiMessage();
  yield { type: "start", messageId: run.id };
  try {
    for await (const event of run) yield* message.of(event);
  } catch (error) {
    // They came faster than they were taken: what follows would be half of something.
    yield* message.close();
    yield { type: "error", errorText: error instanceof Error ? error.message : String(error) };
    return;
  }
  yield* message.close();
  yield* chunkEnd(await run.done);
}

function* chunkEnd({ run, status, error, usage, cost_usd }: RunEnd): Generator<AiSdkChunk, void, undefined> {
  if (status === "stopped") yield { type: "abort", reason: error?.message ?? status };
  if (status === "failed") yield { type: "error", errorText: error?.message ?? status };
  const reasons = { done: "stop", failed: "error", stopped: "other", waiting: "other" } as const;
  yield {
    type: "finish",
    finishReason: reasons[status],
    messageMetadata: { run, status, usage, cost_usd },
  };
}

/** The message as far as it has come. */
class UiMessage {
  private readonly open = new Map<string, { readonly kind: Spoken; said: string }>();
  private readonly calls = new Set<string>();
  private inStep = false;

  *of(event: RunEvent): Generator<AiSdkChunk, void, undefined> {
    const { loop, parent, turn } = event;
    if (event.type === "question.asked" || event.type === "question.answered") {
      yield { type: "data-question", id: event.data.question, data: event.data };
      return;
    }
    if (loop === null || parent !== null) return;
    const id = `${loop}.${turn}`;
    switch (event.type) {
      case "turn.start":
        yield* this.endStep();
        this.inStep = true;
        yield { type: "start-step" };
        return;
      case "turn.end":
        yield* this.endStep();
        return;
      case "thought.delta":
        yield* this.piece("reasoning", `${id}.thought`, event.data.text);
        return;
      case "thought.end":
        yield* this.whole("reasoning", `${id}.thought`, event.data.text);
        return;
      case "message.delta":
        yield* this.piece("text", id, event.data.text);
        return;
      case "message.end":
        if (event.data.role === "assistant") yield* this.whole("text", id, event.data.text);
        return;
      case "tool.start":
        yield* this.call(event.call ?? "", event.data.name, event.data.arguments);
        return;
      case "tool.end":
        yield* this.result(event.call ?? "", event.data);
        return;
      default:
    }
  }

  /** Ends what is open. */
  *close(): Generator<AiSdkChunk, void, undefined> {
    yield* this.endStep();
  }

  private *endStep(): Generator<AiSdkChunk, void, undefined> {
    for (const [id, { kind }] of this.open) yield { type: `${kind}-end`, id };
    this.open.clear();
    if (this.inStep) yield { type: "finish-step" };
    this.inStep = false;
  }

  private *piece(kind: Spoken, id: string, delta: string): Generator<AiSdkChunk, void, undefined> {
    const open = this.open.get(id);
    if (open === undefined) yield { type: `${kind}-start`, id };
    this.open.set(id, { kind, said: `${open?.said ?? ""}${delta}` });
    yield { type: `${kind}-delta`, id, delta };
  }

  /** What was not said in pieces is said now; a text that went another way than its pieces is left as it was told. */
  private *whole(kind: Spoken, id: string, text: string): Generator<AiSdkChunk, void, undefined> {
    const said = this.open.get(id)?.said ?? "";
    const rest = text.startsWith(said) ? text.slice(said.length) : "";
    if (rest !== "") yield* this.piece(kind, id, rest);
    if (this.open.delete(id)) yield { type: `${kind}-end`, id };
  }

  private *call(id: string, toolName: string, input: unknown): Generator<AiSdkChunk, void, undefined> {
    this.calls.add(id);
    yield { type: "tool-input-available", toolCallId: id, toolName, input, providerExecuted: true };
  }

  private *result(
    id: string,
    { name, status, result, error }: Extract<RunEvent, { type: "tool.end" }>["data"],
  ): Generator<AiSdkChunk, void, undefined> {
    // Refused before it began.
    if (!this.calls.has(id)) yield* this.call(id, name, {});
    const called = { toolCallId: id, providerExecuted: true } as const;
    if (status === "ok") yield { ...called, type: "tool-output-available", output: chunkData(result) };
    else yield { ...called, type: "tool-output-error", errorText: error ?? result };
  }
}

/** What a tool gave: models are told data as JSON. */
function chunkData(result: string): unknown {
  if (!/^\s*[[{]/.test(result)) return result;
  try {
    return JSON.parse(result) as unknown;
  } catch {
    return result;
  }
}
