/** The flags that a recorded run was started with, as far as they change what the program does. */
import type { Json, RunHeader } from "../../effects/index.ts";
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
    params: then.params as Json | undefined,
    flow: text(then.flow),
    runName: text(then.named) ?? header.run,
  };
  const present = Object.entries(flags).filter(([, value]) => value !== undefined);
  return flagsOver(Object.fromEntries(present) as RunFlags, now);
}

/** Tools that the run was given and that nobody gives it now. */
export function notOffered(header: RunHeader, now: RunFlags): string[] {
  const { offers } = (header.options ?? {}) as { readonly offers?: unknown };
  if (!Array.isArray(offers)) return [];
  return offers.map(String).filter((name) => now.offers?.includes(name) !== true);
}

/** Whether only a program in TypeScript can go on with it: it gave the run tools, or the run is a flow of its. */
export const isOfProgram = (header: RunHeader): boolean =>
  notOffered(header, {}).length > 0 || flagsOf(header, {}).flow !== undefined;

/** Flags over others. The address and the model that stand with one provider are not those of another that is named now. */
export function flagsOver({ baseUrl, model, ...then }: RunFlags, now: RunFlags): RunFlags {
  const isOther = now.provider !== undefined && now.provider !== then.provider;
  return { ...then, ...(isOther ? {} : presentFields({ baseUrl, model })), ...now };
}
