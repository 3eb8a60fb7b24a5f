/**
 * Eval packs (agents.md §19.2): the checked manifest that an `eval_pack` declaration binds. Fields that the format
 * doesn't know are kept, so that packs may carry what their own statements use.
 */
import { defineBuiltins } from "../table/index.ts";
import { Dict, display, List, thrown, typeOf, type Value } from "../values/index.ts";
import { type Given, withoutNil } from "./arguments.ts";

const textFields = ["name", "base_dir", "baseline"];
const listFields = ["fixtures", "rubrics", "cases"];

function manifest(given: Given): Dict {
  if (!(given instanceof Dict)) {
    throw thrown(`eval_pack_manifest: requires a manifest dict, got ${typeOf(given ?? null)}`);
  }
  const version = given.get("version") ?? 1;
  if (version !== 1)
    throw thrown(`eval_pack_manifest: version ${display(version)} is not supported; the only version is 1`);
  const id = given.get("id") ?? null;
  if (typeof id !== "string" || id.trim() === "")
    throw thrown("eval_pack_manifest: 'id' must be a non-empty string");
  checkFields(given);
  return emptyParts()
    .merge(withoutNil(given))
    .merge(Dict.of({ _type: "eval_pack_manifest", version: 1, id }));
}

function checkFields(given: Dict): void {
  const check = (names: readonly string[], fits: (value: Value) => boolean, wanted: string): void => {
    for (const name of names) {
      const value = given.get(name) ?? null;
      if (value !== null && !fits(value))
        throw thrown(`eval_pack_manifest: '${name}' must be a ${wanted}, got ${typeOf(value)}`);
    }
  };
  check(textFields, (value) => typeof value === "string", "string");
  check(listFields, (value) => value instanceof List, "list");
  check(["defaults"], (value) => value instanceof Dict, "dict");
}

/** A field that is nil counts as not given. */
const emptyParts = (): Dict =>
  Dict.of({ fixtures: new List([]), rubrics: new List([]), cases: new List([]), defaults: new Dict() });

export const evalPacks = defineBuiltins("evals", {
  eval_pack_manifest: {
    doc: "A checked eval pack: `{_type, version: 1, id, fixtures, rubrics, cases, defaults}` and the other fields given, among them `name`, `base_dir` and `baseline`. What is absent of the lists is empty.",
    sig: "(pack: dict) -> dict",
    effect: "pure",
    example: 'eval_pack_manifest({id: "nightly"}).version  // 1',
    run: (_task, pack: Given) => manifest(pack),
  },
});
