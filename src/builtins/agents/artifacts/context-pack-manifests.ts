/** Manifests of context packs: checked ones, and candidates gathered from friction (builtins.md §2.21). */

import { redactedText } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { bm25Words } from "../../../model/index.ts";
import { at, inside, refusal } from "../../../table/index.ts";
import {
  compareTexts,
  Dict,
  equals,
  jsonParse,
  List,
  runtimeError,
  ScriptError,
  thrown,
  typeOf,
  type Value,
} from "../../../values/index.ts";
import { type Argument, option, textOf } from "../../arguments.ts";
import { parseToml } from "../../formats/toml.ts";

const caller = "context_pack_manifest";

/** A name of at most eight words. */
const slug = (text: string): string => bm25Words(text).slice(0, 8).join("_");

/** The texts of a list, or of what is no list; of dicts their name. */
export function textsOf(value: Argument): string[] {
  if (value === undefined || value === null) return [];
  const items = value instanceof List ? value.toArray() : [value];
  return items.flatMap((item) => {
    const named = item instanceof Dict ? (option(item, "id") ?? option(item, "name")) : (item ?? undefined);
    return named === undefined || textOf(named) === "" ? [] : [textOf(named)];
  });
}

const lists = [
  "included_queries",
  "included_docs",
  "included_tools",
  "capabilities",
  "secrets",
  "output_slots",
  "triggers",
  "inputs",
] as const;

/** A manifest with its id and its refresh policy; further fields stay. */
export function packManifest(input: Argument): Dict {
  if (!(input instanceof Dict))
    throw runtimeError(`${caller}: expected a dict, got ${typeOf(input ?? null)}`);
  const owner = textOf(option(input, "owner"), "").trim();
  if (owner === "") throw runtimeError(`${caller}: missing owner`);
  const name = textOf(option(input, "name") ?? option(input, "id"), "").trim();
  if (name === "") throw runtimeError(`${caller}: missing name`);
  for (const key of lists) {
    const value = option(input, key);
    if (value !== undefined && !(value instanceof List)) throw refusal(at(caller, key), "list", value);
  }
  checkQueries(option(input, "included_queries"));
  checkSecrets(option(input, "secrets"));
  const policy = option(input, "refresh_policy") ?? new Dict();
  if (!(policy instanceof Dict)) throw refusal(at(caller, "refresh_policy"), "dict", policy);
  const complete = Dict.of({
    ...Object.fromEntries(lists.map((key) => [key, option(input, key) ?? new List([])])),
    id: option(input, "id") ?? bm25Words(name).join("_"),
    name,
    owner,
    refresh_policy: option(policy, "mode") === undefined ? policy.with("mode", "on_demand") : policy,
  });
  return Dict.of({ _type: "context_pack_manifest", version: 1, description: null })
    .merge(input)
    .merge(complete);
}

function checkQueries(queries: Value | undefined): void {
  if (!(queries instanceof List)) return;
  queries.toArray().forEach((query, index) => {
    const place = at(caller, `included_queries[${index}]`);
    if (!(query instanceof Dict)) throw refusal(place, "a dict {id, query}", query);
    for (const key of ["id", "query"])
      if (textOf(option(query, key), "").trim() === "")
        throw refusal(inside(place, key), "a text that is not blank", option(query, key));
  });
}

const referenceKeys = ["ref", "secret_ref", "capability", "name", "id", "env"];

/** A manifest is shared, so a secret stands in it by name only. */
function checkSecrets(secrets: Value | undefined): void {
  if (!(secrets instanceof List)) return;
  if (secrets.toArray().every(isReference)) return;
  throw refusal(at(caller, "secrets"), "references of capabilities, and no secret itself", secrets, {
    secret: true,
  });
}

function isReference(secret: Value): boolean {
  if (typeof secret === "string") return isName(secret);
  if (!(secret instanceof Dict)) return false;
  if (!referenceKeys.some((key) => option(secret, key) !== undefined)) return false;
  return [...secret.entries()].every(
    ([key, value]) =>
      !/^(?:raw_?)?(?:value|secret|token|password|key|api_?key)$/i.test(key) &&
      (typeof value !== "string" || !referenceKeys.includes(key) || isName(value)) &&
      (typeof value !== "string" || redactedText(value) === value),
  );
}

/** One word that does not look like a key. */
const isName = (text: string): boolean =>
  text.trim() !== "" && !/[\s=]/.test(text) && redactedText(text) === text;

/** A manifest in TOML or JSON. */
export function parseManifest(task: Task, text: string): Dict {
  const isJson = text.trimStart().startsWith("{");
  let read: Value;
  try {
    read = isJson ? jsonParse(text) : parseToml(task, text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`${caller}_parse: this is no ${isJson ? "JSON" : "TOML"}: ${textOf(error.value)}`);
  }
  return packManifest(read);
}

// ---------------------------------------------------------------- candidates

/** Values without repeats, in the order in which they came. */
function mergedManifest(values: readonly Value[]): List {
  const kept: Value[] = [];
  for (const value of values) if (!kept.some((one) => equals(one, value))) kept.push(value);
  return new List(kept);
}

const metadataOf = (event: Dict, keys: readonly string[]): Value[] =>
  keys.flatMap((key) => {
    const value = option(event.get("metadata"), key);
    return value === undefined ? [] : value instanceof List ? value.toArray() : [value];
  });

/** What the events of a group say, as a manifest; `owner`: whose it is to be, unless their actor's. */
export function candidateManifest(title: string, group: readonly Dict[], owner: string | null): Dict {
  const gather = (...keys: readonly string[]): Value[] => group.flatMap((event) => metadataOf(event, keys));
  const queries = mergedManifest(group.flatMap(queriesOf));
  const actor = group.map((event) => textOf(option(event, "actor"), "")).find((one) => one !== "");
  const owned = owner ?? actor ?? "team";
  const slots = mergedManifest([
    ...gather("output_slot", "output_slots"),
    ...queries.toArray().flatMap((query) => option(query, "output_slot") ?? []),
  ]);
  return packManifest(
    Dict.of({
      id: slug(title),
      name: title,
      owner: owned,
      description: textOf(option(group[0], "redacted_summary"), ""),
      included_queries: distinctIds(queries),
      included_docs: mergedManifest([
        ...gather("doc_url").map((url) => Dict.of({ url })),
        ...gather("doc_path").map((path) => Dict.of({ path })),
      ]),
      included_tools: mergedManifest(group.flatMap((event) => textsOf(event.get("tool")))),
      capabilities: new List(
        [
          ...new Set(gather("capability", "capabilities", "required_capability").map((one) => textOf(one))),
        ].sort(compareTexts),
      ),
      secrets: mergedManifest(gather("secret_ref").map((ref) => Dict.of({ ref }))),
      output_slots: slots.length === 0 ? new List(["primary_context"]) : slots,
      triggers: mergedManifest([
        ...group.flatMap((event) => textsOf(event.get("recurrence_hints"))),
        ...gather("trigger", "triggers"),
      ]),
      inputs: mergedManifest(gather("input", "inputs")),
      refresh_policy: Dict.of({ mode: "on_demand" }),
      review: Dict.of({ required: true, reviewer: owned }),
      fallback_instructions: "When the pack does not answer it, ask its owner and note it as friction.",
    }),
  );
}

/** The query of an event with what belongs to it. */
function queriesOf(event: Dict): Dict[] {
  const metadata = event.get("metadata");
  return ["query", "deterministic_query"].flatMap((key) => {
    const query = option(metadata, key);
    if (query === undefined) return [];
    const optional: readonly (readonly [string, Value | undefined])[] = [
      ["label", option(metadata, "label")],
      ["provider", option(metadata, "provider") ?? option(event, "provider")],
      ["filters", option(metadata, "filters")],
      ["output_slot", option(metadata, "output_slot")],
    ];
    const present = optional.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    const text = textOf(query);
    const id = slug(textOf(option(metadata, "label"), "")) || slug(text) || "query";
    return [Dict.from([["id", id], ["query", text], ...present])];
  });
}

/** Different queries may have the same first words. */
function distinctIds(queries: List): List {
  const seen = new Map<string, number>();
  return new List(
    queries.toArray().map((query) => {
      const id = textOf(option(query, "id"));
      const before = seen.get(id) ?? 0;
      seen.set(id, before + 1);
      return before === 0 ? query : (query as Dict).with("id", `${id}_${before + 1}`);
    }),
  );
}
