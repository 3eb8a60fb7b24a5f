/** Sets of evaluations in a program: running one as an effect, and looking at those that are stored. */
import { EmbeddedOperations } from "../../durable/index.ts";
import { shape } from "../../effects/index.ts";
import {
  type EvalRunOptions,
  evalCompareFields,
  evalError,
  evalRunFields,
  evalTrialsFields,
  placeOfNext,
  programSets,
  setStart,
} from "../../eval/index.ts";
import { notifyPerson, type Task, wallMs } from "../../interp/index.ts";
import { at, defineBuiltins, keysOf, readRows } from "../../table/index.ts";
import {
  Dict,
  encodeValue,
  fromJson,
  List,
  runtimeError,
  sha256Hex,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { stateLedger } from "../state/shown-state.ts";

const dictOr = (input: Argument): Dict | null => (input instanceof Dict ? input : null);

/** What runs sets is loaded by the first that asks for it. */
const engineOf = (task: Task) => task.runtime.effects.turns.hold(import("../../eval/engine/index.ts"));

const digestIn = (task: Task) => (text: string) => sha256Hex(task.runtime.host.crypto, text);

/** Names of tasks: texts, or what `eval_task` gave. */
function taskNames(input: Argument): readonly string[] | undefined {
  if (input === undefined || input === null) return undefined;
  const list = input instanceof List ? input.toArray() : [input];
  return list.map((one) => {
    if (typeof one === "string") return one;
    const name = one instanceof Dict ? one.get("name") : undefined;
    if (typeof name === "string") return name;
    throw runtimeError("eval_run: tasks are names, or what eval_task gave");
  });
}

/** `eval-YYYYMMDD-HHMMSS-xxxxxxxx`, of the run's own clock and chance. */
function freshName(task: Task): string {
  const time = new Date(wallMs(task))
    .toISOString()
    .replace(/[-:]/g, "")
    .replace(/\..*/, "")
    .replace("T", "-");
  const chance = task.runtime.effects.random32(task.scope).toString(16).padStart(8, "0");
  return `eval-${time}-${chance}`;
}

const listOf = (value: Value): readonly Value[] => (value instanceof List ? value.toArray() : [value]);

function sampleChoiceOf({ task, sample, limit, epochs, variant }: EvalRunOptions) {
  return {
    task: task ?? undefined,
    samples: sample ?? undefined,
    limit: limit === null ? undefined : ([1, limit] as const),
    epochs: epochs ?? undefined,
    variants:
      variant === null
        ? undefined
        : Object.fromEntries([...variant.entries()].map(([key, values]) => [key, listOf(values)])),
  };
}

async function runSetInProgram(task: Task, input: Argument, options: Argument): Promise<Value> {
  const start = task.runtime.state(setStart);
  if (start.entered) throw runtimeError("eval_run: a trial can't run a set of its own");
  const place = placeOfNext(task);
  if (start.at === place) {
    // A trial of this very set: from here on it is its own.
    start.reached(task);
    return await task.park<Value>("the trial of this set", () => undefined);
  }
  const sets = task.runtime.state(programSets);
  const wanted = dictOr(options) ?? new Dict();
  const read = readRows(wanted, evalRunFields, at("eval_run"));
  const named = taskNames(input);
  const { planTasks, registeredNames } = await engineOf(task);
  const names = named ?? registeredNames(task).filter((name) => !sets.ran.has(name));
  const planned = await planTasks(task, names, sampleChoiceOf(read), digestIn(task));
  if (planned.length === 0)
    throw runtimeError("eval_run: there is no task to run; eval_task and eval_pack register them");
  const name = read.set ?? freshName(task);
  for (const { spec } of planned) sets.ran.add(spec.name);
  return await task.perform<Value>({
    effect: "write",
    kind: "eval_run",
    deferred: true,
    inDoubt: "repeat",
    args: () => ({
      set: name,
      tasks: planned.map(({ spec, samples }) => ({ name: spec.name, samples: samples.length })),
      options: encodeValue(wanted),
    }),
    run: async (signal) => {
      // Through the machine's own door: where the run may not write its state, no set is run.
      stateLedger(task);
      if (sets.run === undefined)
        throw runtimeError("eval_run: nothing here can run a set; `harn run` and `harn eval run` can");
      const onWarning = (text: string): void => notifyPerson(task.runtime, `warning: eval_run: ${text}\n`);
      return await sets.run({ name, at: place, tasks: planned, options: read, signal, onWarning });
    },
    result: shape.value(task.runtime.structs),
  });
}

type ReadSet = ReturnType<Awaited<ReturnType<typeof engineOf>>["storedSetOf"]>;

/** The stored set of a name, with everything that looks at it, and how others are found. */
async function withSet<T>(
  task: Task,
  name: string,
  look: (
    engine: Awaited<ReturnType<typeof engineOf>>,
    set: ReadSet,
    named: (name: string) => ReadSet | undefined,
  ) => T,
): Promise<T> {
  const engine = await import("../../eval/engine/index.ts");
  const store = new engine.EvalStore(new EmbeddedOperations(stateLedger(task).store), digestIn(task));
  const row = store.setWithTasks(name);
  if (row === undefined) throw evalError("HARN-EVL-010", { name });
  return look(engine, engine.storedSetOf(store, row), (other) => {
    const found = store.setWithTasks(other);
    return found === undefined ? undefined : engine.storedSetOf(store, found);
  });
}

/** A look at the store, recorded as what it gave. */
const lookAtSet = (
  task: Task,
  kind: string,
  args: readonly Value[],
  run: () => Promise<Value>,
): Promise<Value> =>
  task.perform<Value>({
    effect: "read",
    kind,
    args: () => args.map((one) => encodeValue(one)),
    run,
    result: shape.value(task.runtime.structs),
  }) as Promise<Value>;

const needName = (name: string, input: Argument): string => {
  if (typeof input === "string" && input !== "") return input;
  if (input instanceof Dict && typeof input.get("set") === "string") return textOf(input.get("set"));
  throw runtimeError(`${name}: needs the name of a set, or \`last\``);
};

/** Tasks, metrics and scores have names of the program below. */
const setKeys = keysOf(
  "set",
  "state",
  "why",
  "pass",
  "cost_usd",
  "stale",
  "program",
  "began",
  "ended",
  "tasks",
  "receipt",
);

/** Shape that they have in common. */
const looks = { effect: "read", performs: true, suspends: "may", capability: "fs.read" } as const;

export const evalSets = defineBuiltins("evals", {
  eval_run: {
    doc: "Runs tasks (names, or what `eval_task` gave; default: all that are registered and were not run) as a set, as one effect, and gives its result: `{set, state, pass, tasks: {NAME: {samples, trials, done, errored, …, metrics, variants, gates}}, receipt}`. A program that is killed inside and resumed goes on with the same set; a replay takes the result from its journal. In a trial it is an error.",
    sig: "(tasks: list | string | nil = nil, options: dict? = nil) -> dict",
    effect: "write",
    performs: true,
    suspends: "may",
    capability: "fs.write",
    mayNeed: "model",
    fields: { options: () => evalRunFields, tasks: "names, or what `eval_task` gave" },
    resultKeys: () => setKeys,
    run: (task, tasks: Argument, options: Argument) => runSetInProgram(task, tasks, options),
  },
  eval_result: {
    ...looks,
    doc: "The result of a stored set (`last`: the newest), as `eval_run` gives it.",
    sig: "(set: string) -> dict",
    resultKeys: () => setKeys,
    run: (task, set: Argument) => {
      const name = needName("eval_result", set);
      return lookAtSet(task, "eval_result", [name], () =>
        withSet(task, name, ({ setAsJson, reportOf }, found, baseline) =>
          fromJson(setAsJson(reportOf(found, { baseline }))),
        ),
      );
    },
  },
  eval_trials: {
    ...looks,
    doc: "The trials of a stored set in the planned order: `{address, task, variant, epoch, state, sample, outcome, scores}` each.",
    sig: "(set: string, options: dict? = nil) -> list<dict>",
    fields: { options: () => evalTrialsFields },
    run: (task, set: Argument, options: Argument) => {
      const name = needName("eval_trials", set);
      const input = dictOr(options) ?? new Dict();
      const filter = readRows(input, evalTrialsFields, at("eval_trials"));
      return lookAtSet(task, "eval_trials", [name, input], () =>
        withSet(task, name, ({ trialDicts }, found) => new List(trialDicts(found, filter))),
      );
    },
  },
  eval_compare: {
    ...looks,
    doc: "B less A of two stored sets on the samples that both have; of one set: its variants. A dict for each comparison.",
    sig: "(a: string, b: string | nil = nil, options: dict? = nil) -> list<dict>",
    fields: { options: () => evalCompareFields },
    run: (task, a: Argument, b: Argument, options: Argument) => {
      const first = needName("eval_compare", a);
      const second = b === undefined || b === null ? null : needName("eval_compare", b);
      const read = readRows(dictOr(options), evalCompareFields, at("eval_compare"));
      const wanted = {
        metrics: read.metric ?? undefined,
        margin: read.margin ?? undefined,
        by: read.by ?? undefined,
      };
      return lookAtSet(task, "eval_compare", [first, second, dictOr(options)], async () => {
        const other = second === null ? null : await withSet(task, second, (_engine, found) => found);
        return await withSet(task, first, (engine, found) => {
          const { comparedJson, compareSets, compareVariants, comparisonProblem } = engine;
          const problem = comparisonProblem(other === null ? [found] : [found, other], wanted);
          if (problem !== undefined) throw runtimeError(`eval_compare: options.${problem}`);
          const rows = other === null ? compareVariants(found, wanted) : compareSets(found, other, wanted);
          return fromJson(rows.map(comparedJson));
        });
      });
    },
  },
});
