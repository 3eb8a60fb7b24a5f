/** The flags that a recorded run was started with, as far as they change what the program does. */
import type { RunHeader } from "../../effects/index.ts";
import type { ServedMessage } from "../../threads/index.ts";
import { presentFields } from "../../values/index.ts";
import type { RunFlags } from "./run-flags.ts";

const joinedFlag = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(",") : undefined;
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const recordedCount = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** What was given then, and what is given now, which counts more. */
export function flagsOf(header: RunHeader, now: RunFlags): RunFlags {
  const then = (header.options ?? {}) as { readonly [name: string]: unknown };
  const flags = {
    maxDepth: recordedCount(then.max_depth),
    maxSteps: recordedCount(then.max_steps),
    allow: joinedFlag(then.allow),
    deny: joinedFlag(then.deny),
    provider: text(then.provider),
    model: text(then.model),
    baseUrl: text(then.base_url),
    tape: text(then.tape),
    llmMock: text(then.llm_mock),
    onApproval: text(then.on_approval),
    served: then.served as ServedMessage | undefined,
  };
  const present = Object.entries(flags).filter(([, value]) => value !== undefined);
  return flagsOver(Object.fromEntries(present) as RunFlags, now);
}

/** Flags over others. The address and the model that stand with one provider are not those of another that is named now. */
export function flagsOver({ baseUrl, model, ...then }: RunFlags, now: RunFlags): RunFlags {
  const isOther = now.provider !== undefined && now.provider !== then.provider;
  return { ...then, ...(isOther ? {} : presentFields({ baseUrl, model })), ...now };
}
