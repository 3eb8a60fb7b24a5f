/** Reading run records that scripts hold as dicts (agents.md §19.2): what is absent counts as empty. */
import { type Argument, Dict, List, textOf, thrown, typeOf, type Value } from "../../../values/index.ts";

export function needRun(name: string, run: Argument): Dict {
  if (run instanceof Dict && run.get("_type") === "run_record") return run;
  const got = run instanceof Dict ? "a dict whose _type is not run_record" : typeOf(run ?? null);
  throw thrown(`${name}: a run record is needed, got ${got}`);
}

export function dictItemsOf(owner: Argument, key: string): Dict[] {
  const value = owner instanceof Dict ? owner.get(key) : undefined;
  return value instanceof List ? value.toArray().filter((item) => item instanceof Dict) : [];
}

export function recordTextsIn(owner: Dict, key: string): string[] {
  const value = owner.get(key);
  return value instanceof List ? value.toArray().map((item) => textOf(item)) : [];
}

export const field = (owner: Dict, key: string): Value => owner.get(key) ?? null;

export const shownRecordValue = (value: Value): string => (value === null ? "nil" : textOf(value));

/** The kinds of a stage's artifacts, each once, in order. */
export function artifactKinds(stage: Dict): string[] {
  return [
    ...new Set(dictItemsOf(stage, "artifacts").map((artifact) => shownRecordValue(field(artifact, "kind")))),
  ];
}

/** Stages by node and by how often the node has run before: a node in a loop has several. */
export function stagesByPlace(run: Dict, key = "stages"): Map<string, Dict> {
  const seen = new Map<string, number>();
  return new Map(
    dictItemsOf(run, key).map((stage) => {
      const node = shownRecordValue(field(stage, "node_id"));
      const round = (seen.get(node) ?? 0) + 1;
      seen.set(node, round);
      return [round === 1 ? node : `${node}#${round}`, stage];
    }),
  );
}

/** Where rows were looked at: what is there is a dict. */
export const dictIn = (dict: Dict, name: string): Dict | null => {
  const value = dict.get(name);
  return value instanceof Dict ? value : null;
};
