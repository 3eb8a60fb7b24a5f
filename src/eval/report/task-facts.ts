/** What a set was made of, beside its figures: what it is for, which rows, models and program, and when. */
import type { Value } from "../../values/index.ts";
import type { RecordedSet, RecordedTask } from "./recorded-set.ts";

/** The model that a variant's trials asked, as `provider/model`; null: it is not known. */
export type AskedModel = (task: RecordedTask, variant: string) => string | null;

export function factsOf(set: RecordedSet, task: RecordedTask, asked: AskedModel = () => null) {
  const { spec } = task;
  const agents = spec.variants.map(({ name }) => asked(task, name) ?? plannedModel(task, name));
  const others = (["user", "judge"] as const).flatMap((role) => {
    const model = modelLabel(spec.roles?.[role] ?? {});
    return model === null ? [] : `${role} ${model}`;
  });
  return {
    description: spec.description,
    tags: spec.tags ?? [],
    /** The path of its rows; null where a script wrote or computes them. */
    dataset: spec.dataset?.kind === "path" ? spec.dataset.path : null,
    /** Models of the agent, by variant where they differ, then those of other roles: `openai/gpt-4o`, `judge openai/o3`. */
    models: [...new Set([...agents.filter((model) => model !== null), ...others])],
    /** Files of the program. */
    program: set.program ?? [],
    /** Milliseconds since 1970. */
    began: set.began,
  };
}

export type TaskFacts = Readonly<ReturnType<typeof factsOf>>;

/** The model that a variant or the task names for its agent; null: neither does. */
export function plannedModel({ spec }: RecordedTask, variant: string): string | null {
  const body = spec.variants.find(({ name }) => name === variant)?.body;
  const role: Readonly<Record<string, unknown>> = spec.roles?.agent ?? {};
  const own = (key: string): Value | unknown => body?.get(key) ?? role[key];
  return modelLabel({ provider: own("provider"), model: own("model") });
}

function modelLabel({
  provider,
  model,
}: {
  readonly provider?: unknown;
  readonly model?: unknown;
}): string | null {
  const parts = [provider, model].filter((part): part is string => typeof part === "string" && part !== "");
  return parts.length === 0 ? null : parts.join("/");
}

/** `2026-11-22 14:56 UTC`; the clocks of those who read it differ. */
export const dateText = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Each as a word and what it is, for those that are known. When a set began says nothing where nothing else is known of it. */
export function factRows(facts: TaskFacts): (readonly [name: string, text: string])[] {
  const { tags, dataset, models, program, began } = facts;
  const rows = [
    ...(program.length === 0 ? [] : [["program", program.join(", ")] as const]),
    ...(dataset === null ? [] : [["dataset", dataset] as const]),
    ...(models.length === 0 ? [] : [[models.length === 1 ? "model" : "models", models.join(", ")] as const]),
    ...(tags.length === 0 ? [] : [["tags", tags.join(", ")] as const]),
  ];
  return rows.length === 0 || began === null ? rows : [["date", dateText(began)], ...rows];
}
