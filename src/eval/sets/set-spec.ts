/** What a set was asked for, as its row keeps it: enough to resume it without its program at hand. */
import type { EvalVariantRow } from "../../durable/index.ts";
import { Dict, jsonParse } from "../../values/index.ts";
import {
  type CacheSpec,
  decodePart,
  type Gate,
  type TaskSpec,
  type TrialRole,
  type Variant,
} from "../plan/index.ts";

export const usualOptions = {
  /** Trials at once. */
  trials: 16,
  /** Commands that trials run at once; null: as many as there are processors. */
  processes: null as number | null,
  /** US dollars; null: no limit. */
  costUsd: null as number | null,
  /** Tokens of all roles; null: no limit. */
  tokens: null as number | null,
  /** Milliseconds of a process that works on it; null: no limit. */
  timeMs: null as number | null,
  /** `openai=5` or `openai=2-10-50`, by provider. */
  connections: {} as Readonly<Record<string, string>>,
  /** A provider that answers nothing for so long pauses the set, milliseconds. */
  giveUpMs: 600_000,
  /** How long calls in flight may take to end when it stops, milliseconds; null: 30 s, and 10 s where the system ends it. */
  graceMs: null as number | null,
  /** Retries of a trial; null: what its task says. */
  retries: null as number | null,
  maxErrors: null as number | null,
  withScores: true,
  /** Answers of models are kept, in the place of what tasks say; null: what they say. */
  cache: null as CacheSpec | null,
  /** Models of roles, in the place of what tasks say. */
  roles: {} as Readonly<Partial<Record<TrialRole, string>>>,
  /** Draws of judges by the name of the scorer, in the place of what they were declared with. */
  draws: {} as Readonly<Record<string, number>>,
  /** What is done with effects of which nobody knows whether they happened. */
  onDoubt: "ask" as "ask" | "redo" | "skip" | "fail",
};

export type SetOptions = Readonly<typeof usualOptions>;

export interface SetSpec {
  /** The run that made the tasks. */
  readonly plan: string;
  /** `path#number` of the effect at which the set begins; null: where the program ends. */
  readonly at: string | null;
  readonly options: SetOptions;
  /** Digests of the program's modules by path, to say what has changed. */
  readonly modules: Readonly<Record<string, string>>;
  /** Arguments, parameters and flags of the program. */
  readonly params: Readonly<Record<string, string>>;
  /** Finished trials that were kept although what they were made of has changed. */
  readonly stale: number;
  /** Gates for every task, and what they compare with, as the command line named them; absent in older sets. */
  readonly gates?: readonly Gate[];
  readonly baseline?: string | null;
}

/** What a set is judged by, with what is asked for besides: a gate about the same figure takes the place of the one before. */
export function judgedBy(
  before: Pick<SetSpec, "gates" | "baseline"> | undefined,
  gates: readonly Gate[],
  baseline: string | undefined,
): Required<Pick<SetSpec, "gates" | "baseline">> {
  const renewed = new Set(gates.map(figureOfGate));
  const kept = (before?.gates ?? []).filter((gate) => !renewed.has(figureOfGate(gate)));
  return { gates: [...kept, ...gates], baseline: baseline ?? before?.baseline ?? null };
}

const figureOfGate = ({ text: _, ...gate }: Gate): string =>
  JSON.stringify(Object.entries({ ...gate, bound: 0, margin: 0 }).sort());

/** A task as its row keeps it: variants have rows of their own. */
export const storedTask = (spec: TaskSpec): string => JSON.stringify({ ...spec, variants: [] });

/** A task as its row has it, with its variants. */
export function storedSpec(row: { readonly spec: string }, variants: readonly EvalVariantRow[]): TaskSpec {
  const spec = JSON.parse(row.spec) as TaskSpec;
  return { ...spec, race: spec.race ?? null, variants: variants.map(storedVariant) };
}

/** A variant's name is not its key: the row has both. */
function storedVariant(row: EvalVariantRow): Variant {
  const kept = jsonParse(row.body);
  const [name, body] = kept instanceof Dict ? [kept.get("name"), kept.get("body")] : [];
  return {
    name: typeof name === "string" ? name : decodePart(row.key),
    key: row.key,
    digest: row.digest,
    body: body instanceof Dict ? body : new Dict(),
  };
}
