/**
 * Context providers: parts of the system text that belong to somebody. PLANNING, they are asked when they are due; what they
 * gave stays until they are asked again, and is never compacted.
 *
 *     preamble ▸ caller ▸ own parts that stay ▸ … ▸ contract ▸ own parts of every turn ▸ scratchpad
 *
 * What is stable comes first, so that a vendor's cache of the beginning holds.
 */
import type { SystemPart } from "../../../model/index.ts";
import { Dict, typeOf } from "../../../values/index.ts";
import type { ContextProvider } from "../../options/provider-options.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { type FolderOverview, lookAround, type Turn, tryCallBack, warnPerson } from "../../state/requests.ts";
import type { Subsystem } from "../../state/subsystem.ts";
import { guidanceText } from "./guidance.ts";

export const providers: Subsystem = {
  name: "context_providers",
  option: "providers",
  *prepare(loop) {
    for (const provider of loop.options.providers) yield* refresh(loop, provider);
  },
};

/** Own parts: those that stay, and those that are made for every turn. */
export function providedParts(loop: Loop): {
  readonly stable: SystemPart[];
  readonly changing: SystemPart[];
} {
  const { provided } = loop.state.slots;
  const parts = (changing: boolean): SystemPart[] =>
    loop.options.providers
      .filter(({ refresh: when }) => (when === "turn") === changing)
      .map(({ id }) => ({ id, text: provided.get(id)?.text ?? "" }))
      .filter(({ text }) => text !== "");
  return { stable: parts(false), changing: parts(true) };
}

function* refresh(loop: Loop, provider: ContextProvider): Turn<void> {
  const { provided, compaction } = loop.state.slots;
  const known = provided.get(provider.id);
  if (known !== undefined && !isRefreshDue(provider, known.compactions, compaction.count)) return;
  const made = yield* providedText(loop, provider);
  if (made.ok) {
    provided.set(provider.id, {
      text: cut(withoutControls(made.text), provider.maxChars),
      compactions: compaction.count,
    });
    return;
  }
  // Left out in this turn, asked again in the next.
  provided.delete(provider.id);
  yield* leftOut(loop, provider.id, made.error);
}

const isRefreshDue = ({ refresh: when }: ContextProvider, then: number, now: number): boolean =>
  when === "turn" || (when === "compaction" && now > then);

type ProviderResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string };

function* providedText(loop: Loop, provider: ContextProvider): Turn<ProviderResult> {
  if (provider.kind === "guidance") return { ok: true, text: yield* guidanceText(loop) };
  if (provider.kind === "environment") {
    const { root, maxEntries, depth } = provider;
    const looked = yield* lookAround({ root, maxEntries, depth });
    return looked.ok ? { ok: true, text: environmentText(looked.value) } : looked;
  }
  const context = Dict.of({
    turn: loop.work.iteration + 1,
    session_id: loop.state.sessionId,
    compaction_count: loop.state.slots.compaction.count,
  });
  const answer = yield* tryCallBack(provider.provide, context);
  if (!answer.ok) return answer;
  if (answer.value === null) return { ok: true, text: "" };
  if (typeof answer.value === "string") return { ok: true, text: answer.value };
  return { ok: false, error: `it must return a text or nil; got ${typeOf(answer.value)}` };
}

function* leftOut(loop: Loop, id: string, error: string): Turn<void> {
  yield* warnPerson(`the context provider ${id} is left out of this turn: ${error}`);
  yield* intervene(loop, {
    kind: "provider",
    rule: id,
    reason: `left out of turn ${loop.work.iteration + 1}: ${error}`,
    facts: { error },
  });
}

/** Control characters go: nobody reads them, and some terminals obey them. */
const withoutControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "").trim();

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}\n… and ${text.length - max} more characters`;
}

/** The provider `environment`: where the agent works, from one recorded look. */
function environmentText({ folder, os, entries, more }: FolderOverview): string {
  const lines = [`Working directory: ${folder}`, `Operating system: ${os}`];
  if (entries.length === 0) return [...lines, "It has no files yet."].join("\n");
  const rest = more === 0 ? [] : [`… and ${more} more`];
  return [...lines, "Files:", ...entries, ...rest].join("\n");
}
