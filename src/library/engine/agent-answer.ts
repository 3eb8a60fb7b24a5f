/** How the loop of an agent ended, as whoever awaits the agent has it: its answer, or why it has none. */
import { failedCallText } from "../../events/wire/index.ts";
import { type HarnError, harnError } from "../errors.ts";
import { loopRefusal } from "../loop-options.ts";
import type { AgentResult } from "../types.ts";

/** Ends of work that was done: a daemon that idles has nothing left to do. */
const good: ReadonlySet<string> = new Set(["done", "idle"]);

/** Of the loop's result: its data where it has some. Throws where the work was not done, or a typed answer is not there. */
export function agentAnswer(result: unknown, isTyped: boolean, run: string): unknown {
  const ended = recordOf(result);
  if (ended === undefined) return result;
  const data = ended.data ?? undefined;
  if (!good.has(ended.status) || (isTyped && data === undefined))
    throw harnError("HARN-LIB-008", `the agent gave no answer: it ended as ${howEnded(ended)}`, {
      run,
    });
  return data ?? ended;
}

/** A failure of `agent_loop` itself: what it refuses of its options is said in the words of whoever wrote them. */
export function agentFailure(failure: HarnError, caller: string): HarnError {
  const text = loopRefusal(failure.message, caller);
  return text === undefined ? failure : harnError("HARN-LIB-001", text, { run: failure.run, cause: failure });
}

function recordOf(result: unknown): AgentResult | undefined {
  const { transcript } = (result ?? {}) as Partial<AgentResult>;
  const isRecord = (transcript as { readonly _type?: unknown } | null | undefined)?._type === "transcript";
  return isRecord ? (result as AgentResult) : undefined;
}

function howEnded({ status, stop_reason: reason, error }: AgentResult): string {
  const how = reason === status || reason === "" ? status : `${status} (${reason})`;
  const failed = error as string | { readonly message?: unknown } | null | undefined;
  const message = typeof failed === "string" ? failed : failed?.message;
  if (typeof message !== "string" || message === "") return how;
  const text = typeof failed === "string" ? message : failedCallText(failed as { readonly message: string });
  return `${how}: ${text.replace(/\s+/g, " ").trim()}`;
}
