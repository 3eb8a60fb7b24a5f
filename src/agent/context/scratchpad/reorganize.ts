/**
 * Reorganizing a scratchpad (agents.md §11.9): every few turns a model puts the pad in order, from the pad itself and the
 * recent messages. It may keep, merge and drop what is there and add what was learnt, but facts and goals must cite a
 * source that exists: a ref of the pad or a recent message (`turn:N`). A pad that cites anything else is not taken. What
 * a pad cites stays among its refs, whether the model lists it or not: else the next pads could not cite it any more.
 *
 * It never fails the loop: whatever goes wrong is the status of its event, and the old pad stays.
 */
import type { JsonObject } from "../../../model/index.ts";
import { checkSchema, type LoggedMessage, messageText } from "../../../model/index.ts";
import { Dict, jsonStringify, List, textField, type Value } from "../../../values/index.ts";
import type { ScratchpadOptions } from "../../options/context-fields.ts";
import type { Loop } from "../../state/loop-state.ts";
import { askJudge, emitNamed, type Turn } from "../../state/requests.ts";
import { sectionEntries, setPad } from "./pad.ts";

type ReorganizeStatus =
  | "reorganized"
  | "llm_error"
  | "invalid_sources"
  | "store_error"
  | "missing_scratchpad";

const text: JsonObject = { type: "string" };
const listOf = (required: string[], properties: JsonObject): JsonObject => ({
  type: "array",
  items: { type: "object", required, properties },
});
const schema: JsonObject = {
  type: "object",
  required: ["goals", "open_items", "facts", "refs"],
  properties: {
    goals: listOf(["text", "source_ref"], { text, source_ref: text }),
    open_items: listOf(["text"], { text, source_ref: text }),
    facts: listOf(["text", "source_ref"], { text, source_ref: text }),
    refs: listOf(["id", "kind", "label"], { id: text, kind: text, label: text, excerpt: text }),
  },
};

const system =
  "You keep the working memory of an agent in order. Merge what says the same, drop what is done or no longer matters, add " +
  "what the recent messages have shown. Every goal and every fact cites in `source_ref` the id of a ref of the scratchpad or " +
  "of a recent message (`turn:N`); copy no long output, cite it. Answer with JSON only: " +
  '{"goals": [{"text", "source_ref"}], "open_items": [{"text", "source_ref"?}], "facts": [{"text", "source_ref"}], ' +
  '"refs": [{"id", "kind", "label", "excerpt"?}]}.';

/** The name under which a message may be cited. */
export const turnRef = (logged: LoggedMessage): string => `turn:${logged.id.slice("msg_".length)}`;

const maxQuoteLength = 1500;

/** One reorganization, emitted as an event. */
export function* reorganize(loop: Loop, options: ScratchpadOptions, config: Dict): Turn<void> {
  const { conversation, work } = loop;
  const before = conversation.scratchpad;
  if (before === null) return yield* report(loop, "missing_scratchpad", "the session has no scratchpad");
  const recent = conversation.shown.slice(-options.maxRecentMessages);
  const answer = yield* askForPad(loop, options, config, before, recent);
  if ("error" in answer) return yield* report(loop, "llm_error", answer.error);
  const asked = before.merge(answer.pad);
  const sources = knownSources(before, recent);
  const wrong = unknownSources(asked, sources);
  if (wrong.length > 0) return yield* report(loop, "invalid_sources", `unknown sources: ${wrong.join(", ")}`);
  const pad = withCitedRefs(asked, sources);
  const change = setPad(conversation, pad, {
    source: "agent_loop",
    reason: "reorganize",
    metadata: Dict.of({ iteration: work.iteration + 1 }),
  });
  yield* report(loop, change.ok ? "reorganized" : "store_error", change.ok ? "" : change.error);
}

function* askForPad(
  loop: Loop,
  options: ScratchpadOptions,
  config: Dict,
  pad: Dict,
  recent: readonly LoggedMessage[],
): Turn<{ readonly pad: Dict } | { readonly error: string }> {
  const prompt = question(loop, pad, recent);
  let asked = prompt;
  for (let retry = 0; ; retry++) {
    const answer = yield* askJudge({ name: "scratchpad", system, prompt: asked, config });
    if (!answer.ok) {
      if (!answer.error.includes("no JSON") || retry >= options.schemaRetries) return { error: answer.error };
    } else {
      const { errors } = checkSchema(answer.data, schema);
      if (errors.length === 0) return { pad: answer.data };
      if (retry >= options.schemaRetries) return { error: errors.join("; ") };
      asked = `${prompt}\n\nYour last answer did not fit:\n${errors.map((error) => `- ${error}`).join("\n")}`;
    }
  }
}

function question(loop: Loop, pad: Dict, recent: readonly LoggedMessage[]): string {
  const said = recent.map((logged) => {
    const { message } = logged;
    const calls = (message.tool_calls ?? []).map((call) => `${call.name} ${JSON.stringify(call.arguments)}`);
    const content = [messageText(message).slice(0, maxQuoteLength), ...calls].filter((part) => part !== "");
    return `[${turnRef(logged)}] ${message.role}: ${content.join("\n")}`;
  });
  return [
    `Task:\n${loop.state.task}`,
    `Scratchpad:\n${jsonStringify(pad)}`,
    `Recent messages:\n${said.join("\n\n")}`,
  ].join("\n\n");
}

/** What a pad may cite, by id: the refs of the old one, what that cited, and the recent messages. */
function knownSources(before: Dict, recent: readonly LoggedMessage[]): Map<string, Dict> {
  const cited = citations(before).map((id) => [id, referenceDict(id, "source", id)] as const);
  const turns = recent.map((logged) => [turnRef(logged), turnAsRef(logged)] as const);
  const refs = sectionEntries(before, "refs").map((ref) => [textField(ref, "id"), ref] as const);
  return new Map([...cited, ...turns, ...refs]);
}

const referenceDict = (id: string, kind: string, label: string): Dict => Dict.of({ id, kind, label });

const labelChars = 120;

function turnAsRef(logged: LoggedMessage): Dict {
  const { message } = logged;
  const said = messageText(message).replace(/\s+/g, " ").trim().slice(0, labelChars);
  return referenceDict(turnRef(logged), "turn", said === "" ? message.role : `${message.role}: ${said}`);
}

/** What the entries of a pad cite. */
const citations = (pad: Dict): string[] =>
  [...sectionEntries(pad, "goals"), ...sectionEntries(pad, "open_items"), ...sectionEntries(pad, "facts")]
    .map((entry) => textField(entry, "source_ref"))
    .filter((id) => id !== "");

/** The pad with a ref for everything that it cites. */
function withCitedRefs(pad: Dict, sources: ReadonlyMap<string, Dict>): Dict {
  const refs = sectionEntries(pad, "refs");
  const listed = new Set(refs.map((ref) => textField(ref, "id")));
  const missing = [...new Set(citations(pad))].flatMap((id) => {
    const source = sources.get(id);
    return listed.has(id) || source === undefined ? [] : [source];
  });
  return missing.length === 0 ? pad : pad.with("refs", new List([...refs, ...missing]));
}

/** What goals and facts cite and nobody knows. */
function unknownSources(pad: Dict, sources: ReadonlyMap<string, Dict>): string[] {
  const cited: Value[] = [...sectionEntries(pad, "goals"), ...sectionEntries(pad, "facts")].map(
    (entry) => entry.get("source_ref") ?? null,
  );
  return [...new Set(cited)].flatMap((source) =>
    typeof source === "string" && sources.has(source) ? [] : [String(source ?? "none")],
  );
}

function* report(loop: Loop, status: ReorganizeStatus, details: string): Turn<void> {
  const pad = loop.conversation.scratchpad;
  const fields = {
    iteration: loop.work.iteration + 1,
    status,
    details,
    version: loop.conversation.scratchpadVersion,
    scratchpad: pad,
    refs: pad === null ? new List([]) : new List(sectionEntries(pad, "refs")),
  };
  yield* emitNamed("agent_scratchpad_reorganization", fields, "scratchpad_reorganization");
}
