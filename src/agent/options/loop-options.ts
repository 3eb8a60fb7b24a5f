/** The options of a loop, read and checked once before the first call (agents.md §10.1, §10.9). */

import { isAgentMode, type PatternMatcher } from "../../model/index.ts";
import {
  at,
  checkFieldTypes,
  type Read,
  type Rows,
  type RowTable,
  readRows,
  refusal,
} from "../../table/index.ts";
import { Dict } from "../../values/index.ts";
import { iterationBudgetFields } from "../policy/bound-fields.ts";
import { conversationSeed } from "../session/seed-transcript.ts";
import { loopCompactionOf, loopCompactionRows, usualCompaction } from "./compaction-loop-options.ts";
import { completionOptionsOf } from "./completion-options.ts";
import { contractOptionsOf } from "./contract-options.ts";
import { type ControlMode, expandControl } from "./control-options.ts";
import { daemonIn, daemonRows } from "./daemon-options.ts";
import type { LadderOptions } from "./ladder-options.ts";
import { loopFields } from "./loop-fields.ts";
import { promptOverridesOf, promptRows } from "./prompt-overrides.ts";
import { providerRows, providersIn } from "./provider-options.ts";
import { repetitionOf, repetitionRows } from "./watching/repetition-options.ts";
import { workItemsOf } from "./work-item-options.ts";

type LoopRead = Read<typeof loopFields>;
type Parts = typeof parts;
type MadeParts = { readonly [K in keyof Parts]: ReturnType<Parts[K]["read"]> };

/** What the rows of `agent_loop` read as, and what parts of the loop make of their rows. */
export type LoopOptions = Omit<LoopRead, keyof Parts> &
  MadeParts & {
    /** As given, the profile's defaults under it. */
    readonly raw: Dict;
    /** As given, without defaults. */
    readonly input: Dict;
    /** Of `compaction`: what is said of the ladder; `null` with every other strategy. */
    readonly ladder: LadderOptions | null;
  };

const profiles = {
  tool_using: { maxIterations: 50, maxNudges: 8, schemaRetries: 0 },
  researcher: { maxIterations: 30, maxNudges: 4, schemaRetries: 0 },
  verifier: { maxIterations: 5, maxNudges: 0, schemaRetries: 3 },
  completer: { maxIterations: 1, maxNudges: 0, schemaRetries: 0 },
} as const;

/** Whether a loop with these options gets the tools that control workers. */
export const wantsSubagentTools = (input: Dict): boolean =>
  input.get("subagents") === true || input.get("subagent_tools") === true;

/** Types, values and ranges of all options, at every depth. Throws the first that does not fit. */
export const checkLoopTypes = (input: Dict, caller: string): void =>
  checkFieldTypes(input, loopFields, at(caller));

/** What a loop was given. */
interface Given {
  readonly input: Dict;
  /** With what `control` lays under it. */
  readonly options: Dict;
  readonly read: LoopRead;
  readonly mode: ControlMode | null;
  readonly caller: string;
  readonly matches: PatternMatcher | null;
}

const unread = Symbol("read from no options, once");

/** What one part of the loop makes of these rows; `absent`: where none of them is given. */
const part = <V>(
  of: RowTable<Rows> | readonly string[],
  read: (given: Given) => V,
  absent: NoInfer<V> | typeof unread = unread,
) => ({ of, read, absent });

const byProfile =
  (key: "maxIterations" | "maxNudges" | "schemaRetries") =>
  ({ read }: Given): number =>
    read[key] ?? profiles[read.profile][key];

/** In this order they are read, so the first says what is wrong. */
export const parts = {
  maxIterations: part(["profile", "max_iterations"], byProfile("maxIterations")),
  maxNudges: part(["profile", "max_nudges"], byProfile("maxNudges")),
  schemaRetries: part(["profile", "schema_retries"], byProfile("schemaRetries")),
  subagents: part(["subagents", "subagent_tools"], ({ options }) => wantsSubagentTools(options), false),
  loopUntilDone: part(
    ["loop_until_done", "persistent"],
    ({ read }) => read.loopUntilDone || read.persistent === true,
    false,
  ),
  iterationBudget: part(["profile", "max_iterations", "iteration_budget"], budgetOf),
  /** `null`: the loop ends as it says itself. */
  completion: part(
    ["completion", "contract"],
    ({ read, mode, caller }) => completionOptionsOf(read, mode === "autonomous", caller),
    null,
  ),
  contextCallback: part(
    ["context_callback", "context_filter"],
    ({ read }) => read.contextCallback ?? read.contextFilter,
    null,
  ),
  /** `null`: everything may be called at any time, as far as the mode goes. */
  modes: part(["modes", "mode"], modesOf, null),
  repetition: part(repetitionRows, ({ read }) => repetitionOf(read)),
  providers: part(providerRows, ({ read, caller }) => providersIn(read, caller), []),
  /** `null`: it neither idles nor is persisted. */
  daemon: part(daemonRows, ({ read, caller }) => daemonIn(read, caller), null),
  /** `undefined`: by mode; `null`: none. */
  doneSentinel: part(["done_sentinel"], ({ options, read }) =>
    options.has("done_sentinel") ? read.doneSentinel : undefined,
  ),
  workItems: part(["work_items"], ({ read, matches }) => workItemsOf(read.workItems, matches), null),
  /** `null`: that of the session, if it has one. */
  contract: part(
    ["contract"],
    ({ read, caller, matches }) => contractOptionsOf(read.contract, caller, matches),
    null,
  ),
  compaction: part(
    loopCompactionRows,
    ({ options, caller }) => loopCompactionOf(options, caller),
    usualCompaction,
  ),
  prompts: part(promptRows, ({ read }) => promptOverridesOf(read)),
  /** What the conversation begins with. */
  transcript: part(
    ["transcript", "messages"],
    ({ options, caller }) => conversationSeed(options, caller),
    null,
  ),
};

/** The parts that an option belongs to, by its name. */
let owners: ReadonlyMap<string, readonly string[]> | undefined;

function partsByOption(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name, { of }] of Object.entries(parts))
    for (const option of "plan" in of ? of.plan.byKey.keys() : of)
      found.set(option, [...(found.get(option) ?? []), name]);
  return found;
}

/** What the parts make of no options at all. */
let usual: LoopOptions | undefined;

/** Reads and checks; throws the first thing that is wrong. */
export function loopOptionsOf(
  input: Dict,
  caller = "agent_loop",
  matches: PatternMatcher | null = null,
): LoopOptions {
  usual ??= readParts(
    { input: new Dict(), options: new Dict(), read: loopFields.usual, mode: null, caller, matches: null },
    null,
  );
  if (input.size === 0) return usual;
  const given = input.get("control") ?? null;
  const control = given === null ? null : loopFields.typed.control.read(given, at(caller, "control"));
  const isLaid = input.has("control") || input.has("max_continuation_prompts");
  const options = isLaid ? expandControl(input, control, caller) : input;
  const read = readRows(options, loopFields, at(caller));
  owners ??= partsByOption();
  const due = new Set<string>();
  for (const key of options.keys())
    for (const name of owners.get(loopFields.plan.byKey.get(key)?.name ?? key) ?? []) due.add(name);
  const { mode = null } = control ?? {};
  return readParts({ input, options, read, mode, caller, matches }, due);
}

function readParts(given: Given, due: ReadonlySet<string> | null): LoopOptions {
  const entries: [string, unknown][] = [];
  for (const [name, one] of Object.entries(parts)) {
    const isDue = due?.has(name) ?? one.absent === unread;
    const value = isDue ? one.read(given) : due === null ? one.absent : usual?.[name as keyof Parts];
    entries.push([name, value]);
  }
  const made = Object.fromEntries(entries) as unknown as MadeParts;
  const { input, options: laid, read } = given;
  const raw = withProfile(laid, { ...made, toolRetries: read.toolRetries });
  return { ...read, ...made, raw, input, ladder: made.compaction?.ladder ?? null };
}

/** Lays the profile's defaults under the explicit keys. */
function withProfile(
  options: Dict,
  {
    maxIterations,
    maxNudges,
    schemaRetries,
    toolRetries,
  }: Pick<LoopOptions, "maxIterations" | "maxNudges" | "schemaRetries" | "toolRetries">,
): Dict {
  const usual = {
    max_iterations: maxIterations,
    max_nudges: maxNudges,
    tool_retries: toolRetries,
    schema_retries: schemaRetries,
  };
  let raw = options;
  for (const [key, value] of Object.entries(usual))
    if ((raw.get(key) ?? null) === null) raw = raw.with(key, value);
  return raw;
}

/** With `modes` it begins in `mode`; `mode: null`: in that of the session, else in `plan`. */
function modesOf({ read: { modes, mode }, caller }: Given) {
  if (!modes) return null;
  if (mode !== null && !isAgentMode(mode))
    throw refusal(at(caller, "mode"), '"plan" or "execute" (with `modes`)', mode);
  return { mode };
}
export type ModeOptions = NonNullable<ReturnType<typeof modesOf>>;

function budgetOf(given: Given) {
  const { read, caller } = given;
  const maxIterations = byProfile("maxIterations")(given);
  const input = read.iterationBudget;
  if (input === null)
    return {
      ...iterationBudgetFields.usual,
      initial: maxIterations,
      max: maxIterations,
      extendBy: 0,
      exposeDecisions: false,
    };
  const adaptive = input.mode === "adaptive";
  const max = input.max ?? (adaptive ? Math.max(16, input.initial ?? 1) : maxIterations);
  const initial = input.initial ?? (adaptive ? Math.max(1, Math.floor(max / 4)) : max);
  if (initial > max) throw refusal(at(caller, "iteration_budget.initial"), `int <= max (${max})`, initial);
  return {
    ...input,
    initial,
    max,
    extendBy: input.extendBy ?? (adaptive ? 2 : 0),
    exposeDecisions: input.exposeDecisions ?? adaptive,
  };
}
