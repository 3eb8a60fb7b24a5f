/** What the ladder asks of tools and of the session about a body: how far it can be had again, what it wrote, whether it stays. */
import {
  type Conversation,
  parseFencedJson,
  parseTaggedText,
  type ToolEntry,
  type ToolFormat,
} from "../../../model/index.ts";
import { Dict, fromJson, ScriptError, thrown } from "../../../values/index.ts";
import type { MustSurvive } from "../../options/ladder-fields.ts";
import { kindOfTool } from "../../policy/annotations.ts";
import { loadSkillName } from "../../state/load-skill-name.ts";
import {
  type DurabilityRule,
  durabilityOf,
  pathsOf,
  type ResultDurability,
  writes,
} from "../../tools/durability.ts";
import { toolClass } from "../../tools/tool-class.ts";
import type { CallBody, ReadWritten, ViewMessage } from "../compaction/exchanges.ts";

interface ToolFacts {
  readonly durability: (body: CallBody) => ResultDurability;
  readonly written: (body: CallBody) => readonly string[];
  readonly named: (body: CallBody) => readonly string[];
  readonly isWriting: (body: CallBody) => boolean;
  readonly holds: (body: CallBody) => boolean;
}

interface FactsOf {
  readonly conversation: Conversation;
  readonly view: readonly ViewMessage[];
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly rules: readonly DurabilityRule[];
  /** Messages that were recalled so lately that they stay, and those that were recalled often. */
  readonly recalled: ReadonlySet<string>;
  readonly treasured: ReadonlySet<string>;
}

const humanKinds: ReadonlySet<string> = new Set(["human", "ask_user", "question", "human_gate"]);
const humanNames: ReadonlySet<string> = new Set(["ask_user", "contract_ask", "wait_for_user"]);

export function toolFacts({ conversation, view, tools, rules, recalled, treasured }: FactsOf): ToolFacts {
  const note = (body: CallBody): ReturnType<Conversation["resultNotes"]["get"]> =>
    conversation.resultNotes.get(`${(view[body.at] as ViewMessage).id}/${body.index}`);
  const argumentsOf = (body: CallBody): Dict =>
    body.args === null ? new Dict() : (fromJson(JSON.parse(JSON.stringify(body.args))) as Dict);
  const paths = (body: CallBody): string[] => pathsOf(tools.get(body.tool), argumentsOf(body));
  const isWriting = (body: CallBody): boolean => writes(tools.get(body.tool));
  return {
    durability: (body) => {
      const found = durabilityOf(body.tool, tools.get(body.tool), rules, note(body)?.durability);
      const { id } = view[body.at] as ViewMessage;
      return treasured.has(id) && found.class !== "non_replayable" ? { ...found, class: "anchoring" } : found;
    },
    written: (body) => (isWriting(body) ? paths(body) : []),
    named: paths,
    isWriting,
    holds: (body) => {
      const { id } = view[body.at] as ViewMessage;
      if (recalled.has(id) || note(body)?.pin === true) return true;
      const entry = tools.get(body.tool);
      if (body.tool === loadSkillName) return isInForce(conversation, body);
      if (humanNames.has(body.tool)) return true;
      return (
        entry !== undefined &&
        (humanKinds.has(kindOfTool(entry.annotations) ?? "") || toolClass(entry) === "approval")
      );
    },
  };
}

const isInForce = ({ activeSkills }: Conversation, { args }: CallBody): boolean =>
  activeSkills.some(({ name }) => Object.values(args ?? {}).includes(name));

/** Reads the calls of a message as its format writes them. */
export function writtenCallsIn(channel: ToolFormat | "none", names: () => Iterable<string>): ReadWritten {
  if (channel === "native" || channel === "none") return () => [];
  const read = channel === "json" ? parseFencedJson : parseTaggedText;
  return (text) =>
    read(text, { toolNames: names(), firstId: 0 }).calls.map(({ name, arguments: args }) => ({
      name,
      arguments: args as Record<string, unknown> | null,
    }));
}

// ── `must_survive`, the same in loops and by hand ──

/** Every match of a pattern in a text. */
type FindAll = (pattern: string, text: string) => readonly string[];

/** Patterns are looked at before anything is done. `what`: whose option it is, for the error. */
export function checkPatterns({ patterns }: MustSurvive, findAll: FindAll, what: string): void {
  for (const [index, pattern] of patterns.entries()) {
    try {
      findAll(pattern, "");
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw thrown(`${what}, pattern ${index + 1}: ${String(error.value)}`);
    }
  }
}

/** Texts and matches of patterns that a text has. */
export const namedIn = ({ texts, patterns }: MustSurvive, findAll: FindAll, text: string): string[] => [
  ...texts.filter((one) => text.includes(one)),
  ...patterns.flatMap((pattern) => findAll(pattern, text)),
];
