/** The tasks of a program with their samples: made once, in the plan. */
import type { Digest } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, List, starMatches, type Value } from "../../values/index.ts";
import { loadSamples } from "../plan/dataset.ts";
import { evalRegistry, type Sample, type TaskSpec, variantsOf, withTaskFolders } from "../plan/index.ts";
import { checkPlan } from "./check-plan.ts";
import type { PlannedTask } from "./set-plan.ts";

/** What of the plan is wanted; the author's own choice of rows is made before. */
export interface PlanChoice {
  /** Names, `*` fits anything; undefined: all. */
  readonly task?: string | undefined;
  /** Ids, each may have `*`. */
  readonly samples?: readonly string[] | undefined;
  /** The first N, or from A to B (from 1, both included). */
  readonly limit?: readonly [from: number, to: number] | undefined;
  readonly epochs?: number | undefined;
  /** False: every trial that is planned is run. */
  readonly race?: false;
  /** Values of keys of the matrix: they take the place of the author's, or are added. */
  readonly variants?: Readonly<Record<string, readonly Value[]>> | undefined;
}

export const taskIsChosen = ({ task }: Pick<PlanChoice, "task">, name: string): boolean =>
  task === undefined || starMatches(task, name);

export const sampleIsChosen = ({ samples }: Pick<PlanChoice, "samples">, id: string): boolean =>
  samples === undefined || samples.some((one) => starMatches(one, id));

/** Names of the tasks that the program has registered, in order. */
export const registeredNames = (task: Task): string[] => [...task.runtime.state(evalRegistry).tasks.keys()];

export async function planTasks(
  task: Task,
  names: readonly string[] | undefined,
  choice: PlanChoice,
  digest: Digest,
): Promise<PlannedTask[]> {
  const registry = task.runtime.state(evalRegistry);
  const planned: PlannedTask[] = [];
  for (const [name, registered] of registry.tasks) {
    if (names !== undefined && !names.includes(name)) continue;
    if (!taskIsChosen(choice, name)) continue;
    const read = registry.read ?? (() => []);
    const { samples } = await loadSamples(task, registered, read, digest);
    const spec = withTaskFolders(chosenSpec(registered.spec, choice, digest), samples);
    checkPlan(spec, registered, samples);
    planned.push({
      spec,
      samples: plannedSamples(samples, choice),
    });
  }
  return planned;
}

function chosenSpec(spec: TaskSpec, { epochs, variants, race }: PlanChoice, digest: Digest): TaskSpec {
  return {
    ...spec,
    epochs: epochs ?? spec.epochs,
    race: race === false ? null : spec.race,
    variants: variants === undefined ? spec.variants : changedVariants(spec, variants, digest),
  };
}

/** Each variant with the new values in the place of its own. */
function changedVariants(
  spec: TaskSpec,
  values: Readonly<Record<string, readonly Value[]>>,
  digest: Digest,
): TaskSpec["variants"] {
  const matrix = new Map<string, Value[]>();
  for (const { body } of spec.variants)
    for (const [key, value] of body.entries()) {
      const known = matrix.get(key) ?? [];
      if (!known.includes(value)) known.push(value);
      matrix.set(key, known);
    }
  for (const [key, list] of Object.entries(values)) matrix.set(key, [...list]);
  const dict = Dict.of(
    Object.fromEntries([...matrix].map(([key, list]): [string, Value] => [key, new List(list)])),
  );
  return variantsOf(spec.name, dict, digest);
}

function plannedSamples(samples: readonly Sample[], choice: PlanChoice): readonly Sample[] {
  const { limit } = choice;
  const named = samples.filter(({ id }) => sampleIsChosen(choice, id));
  return limit === undefined ? named : named.slice(limit[0] - 1, limit[1]);
}
