/**
 * Structural experiments (agents.md §1.9): the assembled messages changed in one known way right before they are sent,
 * to see what their order and form do to the answer.
 */
import type { Task } from "../../interp/index.ts";
import {
  Callable,
  Dict,
  display,
  fromJson,
  isInt,
  jsonParse,
  List,
  ScriptError,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import type { ModelMessage } from "../llm/index.ts";
import { messagesFrom } from "../values/messages.ts";

interface Prompt {
  readonly messages: ModelMessage[];
  readonly system: string | null;
  /** What the transcript notes of the experiment. */
  readonly record?: Dict | undefined;
}

export interface Experiment {
  readonly label: string;
  readonly name: string;
  readonly args: Dict;
  readonly transform: Callable | null;
}

type Transform = (prompt: Prompt, at: number, args: Dict) => Prompt;

/** Reads the option, or the environment's spec when the option is absent. */
export function experimentOf(option: Value | undefined, fromEnv: string | undefined): Experiment | null {
  const spec = option === undefined && fromEnv !== undefined && fromEnv !== "" ? fromEnv : (option ?? null);
  if (spec === null || spec === false) return null;
  if (typeof spec === "string") return parseSpec(spec);
  if (spec instanceof Callable)
    return { label: spec.name || "custom", name: spec.name || "custom", args: new Dict(), transform: spec };
  if (spec instanceof Dict) return dictSpec(spec);
  throw thrown(`structural_experiment: expected string, dict, closure, nil, or false; got ${typeOf(spec)}`);
}

function dictSpec(spec: Dict): Experiment {
  const name = spec.get("name");
  const transform = spec.get("transform");
  if (typeof name !== "string" && !(transform instanceof Callable)) {
    throw thrown("structural_experiment: dict form requires `name` or `transform`");
  }
  const args = spec.get("args");
  const label = spec.get("label");
  const known = typeof name === "string" ? name : "custom";
  const inline = spec.without("name").without("label").without("transform").without("args");
  if (!(transform instanceof Callable)) mustKnow(known);
  return {
    label: typeof label === "string" ? label : known,
    name: known,
    args: args instanceof Dict ? args : inline,
    transform: transform instanceof Callable ? transform : null,
  };
}

/** `name` or `name(key: scalar, …)`. */
function parseSpec(text: string): Experiment {
  const found = /^\s*([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*$/.exec(text);
  if (found === null) throw thrown(`unknown structural experiment \`${text.trim()}\``);
  const name = mustKnow(found[1] as string);
  const args: [string, Value][] = [];
  for (const part of (found[2] ?? "").split(",")) {
    const pair = /^\s*([A-Za-z_]\w*)\s*[:=]\s*(.+?)\s*$/.exec(part);
    if (pair !== null) args.push([pair[1] as string, scalar(pair[2] as string)]);
  }
  const shown = args.map(([key, value]) => `${key}: ${display(value)}`).join(", ");
  return { label: shown === "" ? name : `${name}(${shown})`, name, args: Dict.from(args), transform: null };
}

function scalar(text: string): Value {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return text.replace(/^(['"])(.*)\1$/, "$2");
    throw error;
  }
}

function mustKnow(name: string): string {
  if (!transforms.has(name)) throw thrown(`unknown structural experiment \`${name}\``);
  return name;
}

/** Applies an experiment; without one the prompt goes through as it is. */
export async function applyExperiment(
  task: Task,
  experiment: Experiment | null,
  prompt: Prompt,
  iteration = 0,
): Promise<Prompt> {
  if (experiment === null) return prompt;
  const { label, name, args, transform } = experiment;
  if (transform !== null) return await applyClosure(task, experiment, transform, prompt, iteration);
  const at = prompt.messages.findLastIndex(
    (message) => message.role === "user" && typeof message.content === "string",
  );
  const changed = at < 0 ? prompt : (transforms.get(name) as Transform)(prompt, at, args);
  return { messages: changed.messages, system: changed.system, record: Dict.of({ label, name, args }) };
}

async function applyClosure(
  task: Task,
  experiment: Experiment,
  transform: Callable,
  prompt: Prompt,
  iteration: number,
): Promise<Prompt> {
  const { label, name, args } = experiment;
  const messages = fromJson(JSON.parse(JSON.stringify(prompt.messages)));
  const input = Dict.of({ messages, system: prompt.system, iteration, label, name, args });
  const result = await transform.call(task, [input]);
  const record = Dict.of({ label, name, args });
  if (result instanceof List)
    return { messages: messagesFrom(result, "structural_experiment: "), system: prompt.system, record };
  if (!(result instanceof Dict)) return { ...prompt, record };
  const changed = result.get("messages") ?? null;
  const system = result.get("system");
  return {
    messages: changed === null ? prompt.messages : messagesFrom(changed, "structural_experiment: "),
    system: system === undefined ? prompt.system : typeof system === "string" ? system : null,
    record: record.merge(Dict.of({ metadata: result.get("metadata") })),
  };
}

// ── the four built-in ones ────────────────────────────────────────────────────────────────────────────────────────

const partText = (prompt: Prompt, at: number): string => prompt.messages[at]?.content as string;

function withExperimentText(prompt: Prompt, at: number, text: string): Prompt {
  const changed = { ...(prompt.messages[at] as ModelMessage), content: text };
  return { ...prompt, messages: prompt.messages.with(at, changed) };
}

const transforms = new Map<string, Transform>([
  [
    "prompt_order_permutation",
    (prompt, at, args) => {
      const seed = args.get("seed");
      return withExperimentText(prompt, at, permuted(partText(prompt, at), isInt(seed) ? Number(seed) : 0));
    },
  ],
  [
    "doubled_prompt",
    (prompt, at) => {
      const message = prompt.messages[at] as ModelMessage;
      return { ...prompt, messages: [{ ...message }, ...prompt.messages, { ...message }] };
    },
  ],
  [
    "inverted_system",
    (prompt, at) => {
      if (prompt.system === null || prompt.system === "") return prompt;
      return { ...withExperimentText(prompt, at, prompt.system), system: partText(prompt, at) };
    },
  ],
  [
    "chain_of_draft",
    (prompt, at) =>
      withExperimentText(
        prompt,
        at,
        `${partText(prompt, at)}\n\nFirst think in a <draft> block: short notes of a few words per step, no sentences. Close it with </draft>, then write the answer.`,
      ),
  ],
]);

/** The sections of a text, split at blank lines, in an order that the seed gives; never the original order. */
function permuted(text: string, seed: number): string {
  const sections = text.split(/\n[ \t]*\n/);
  if (sections.length < 2) return text;
  const ranked = sections
    .map((section, index) => ({ section, rank: mix(seed, index), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const same = ranked.every((item, index) => item.index === index);
  const order = same ? [...ranked.slice(1), ranked[0] as (typeof ranked)[number]] : ranked;
  return order.map((item) => item.section).join("\n\n");
}

/** 32 well-mixed bits of seed and position. */
function mix(seed: number, index: number): number {
  let h = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}
