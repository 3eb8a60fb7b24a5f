/** A pack of recorded runs as a task: a sample for each case, judged as `eval_pack_run` judges it. */
import { caseFields, evalPackManifest, judgePackCase } from "../../eval/index.ts";
import { NativeCallable, type Task } from "../../interp/index.ts";
import { Dict, List, textOf, type Value } from "../../values/index.ts";
import { packReader } from "../observe/eval-packs.ts";

/** The pack's own reader takes it; every other field is one of a task. */
const isOfPack = (key: string): boolean => caseFields.get(key) !== undefined || key === "baseline";

const severities = ["blocking", "warning", "informational"];

/** The fields of a task that has a dataset, a solver and scorers in place of the cases. */
export function taskOfCases(options: Dict): Dict {
  const pack = evalPackManifest(options.with("id", options.get("name") ?? null));
  const cases = (pack.get("cases") as List).toArray();
  const defaults = pack.get("defaults") as Dict;
  const severityOf = (item: Value): string =>
    textOf((item instanceof Dict ? item.get("severity") : null) ?? defaults.get("severity") ?? "blocking");
  const used = severities.filter((severity) => cases.some((item) => severityOf(item) === severity));
  const own = Dict.from([...options.entries()].filter(([key]) => !isOfPack(key)));
  const made = Dict.of({
    dataset: new List(cases.map((item, index) => rowOf(item, index))),
    solver: new NativeCallable("judge_case", ["sample"], (task, [sample]) =>
      judgedCase(task as Task, pack, cases, sample as Dict),
    ),
    scorers: new List(used.map(severityScorer)),
    success: new List(used.includes("blocking") ? ["blocking"] : used.slice(0, 1)),
    gates: new List(used.includes("blocking") ? ["blocking >= 1"] : []),
  });
  return made.merge(own);
}

/** The case itself may hold whole records: the sample says which case it is. */
function rowOf(item: Value, index: number): Dict {
  const named = item instanceof Dict ? (item.get("id") ?? item.get("label") ?? null) : null;
  return Dict.of({ id: named === null ? `case_${index + 1}` : textOf(named), case: index });
}

async function judgedCase(task: Task, pack: Dict, cases: readonly Value[], sample: Dict): Promise<Value> {
  const index = Number(sample.get("case") ?? 0);
  const item = cases[index];
  const read = await packReader(task, "eval_pack_run");
  return await judgePackCase(pack, item instanceof Dict ? item : new Dict(), index, read);
}

/** Scores the cases of its severity and leaves the others unscored. */
const severityScorer = (severity: string): Dict =>
  Dict.of({
    name: severity,
    threshold: 1,
    score: new NativeCallable(severity, ["outcome", "sample"], (_task, [outcome]) => {
      const result = outcome instanceof Dict ? outcome.get("data") : null;
      if (!(result instanceof Dict) || result.get("severity") !== severity) return null;
      const failures = result.get("failures");
      const found = failures instanceof List ? failures.toArray().map((one) => textOf(one)) : [];
      return Dict.of({
        value: result.get("pass") === true ? 1 : 0,
        why: found.length === 0 ? null : found.join("\n"),
      });
    }),
  });
