/**
 * What an artifact is: the dict that builtins.md §2.21 describes, made, normalised and derived. An artifact is plain data;
 * nothing here looks outside but for the time, the id and the seed of the run.
 */
import { newId, type Task, wallClock } from "../../interp/index.ts";
import {
  type Argument,
  Dict,
  isInt,
  jsonStringify,
  List,
  numericValue,
  textOf,
  thrown,
  typeOf,
  type Value,
  withoutNilEntries,
} from "../../values/index.ts";

const kindAliases: ReadonlyMap<string, string> = new Map([
  ["file", "workspace_file"],
  ["transcript", "transcript_summary"],
  ["verification", "verification_result"],
  ["test", "test_result"],
]);

const defaultPriority = 40;

const priorities: ReadonlyMap<string, number> = new Map([
  ["verification_result", 100],
  ["test_result", 100],
  ["verification_bundle", 95],
  ["handoff", 92],
  ["diff", 90],
  ["git_diff", 90],
  ["patch", 90],
  ["patch_set", 90],
  ["patch_proposal", 90],
  ["diff_review", 90],
  ["review_decision", 90],
  ["apply_intent", 90],
  ["plan", 80],
  ["workspace_file", 70],
  ["workspace_snapshot", 70],
  ["editor_selection", 70],
  ["resource", 70],
  ["summary", 60],
  ["transcript_summary", 60],
  ["command_result", 50],
]);

export function artifactKind(kind: Argument): string {
  const text = textOf(kind ?? undefined).trim();
  return text === "" ? "artifact" : (kindAliases.get(text) ?? text);
}

export function isArtifact(value: Argument): value is Dict {
  return value instanceof Dict && value.get("_type") === "artifact";
}

/** Seconds since the epoch, as text. */
export function unixSeconds(task: Task): string {
  return String(Math.floor(wallClock(task) / 1000));
}

const encoder = new TextEncoder();

/** A token is counted as four bytes. */
export function tokensIn(text: string): number {
  return Math.ceil(encoder.encode(text).length / 4);
}

/** What a model reads of an artifact: its text, else its data as JSON. */
export function artifactBody(artifact: Dict): string {
  const text = artifact.get("text") ?? null;
  if (text !== null) return textOf(text);
  const data = artifact.get("data") ?? null;
  return data === null ? "" : jsonStringify(data);
}

/** A complete artifact of the fields given; fields that the format doesn't know are kept. `name` begins the errors. */
export function makeArtifact(task: Task, name: string, input: Argument): Dict {
  if (!(input instanceof Dict))
    throw thrown(`${name}: an artifact must be a dict, got ${typeOf(input ?? null)}`);
  checkFields(name, input);
  const kind = artifactKind(input.get("kind"));
  const fields = withoutNilEntries(input);
  const text = fields.get("text");
  const artifact = emptyArtifact(kind)
    .merge(fields)
    .merge(Dict.of({ _type: "artifact", kind, text: text === undefined ? null : textOf(text) }));
  return counted(
    artifact
      .with("id", fields.get("id") ?? `artifact_${newId(task)}`)
      .with("created_at", createdAt(task, fields.get("created_at"))),
    fields.get("estimated_tokens"),
  );
}

const createdAt = (task: Task, input: Argument): string =>
  input === undefined ? unixSeconds(task) : textOf(input);

/** Lists of artifacts as scripts pass them: what is not complete yet is completed. */
export function artifactsOf(task: Task, name: string, input: Argument): Dict[] {
  if (input === undefined || input === null) return [];
  if (!(input instanceof List)) throw thrown(`${name}: artifacts must be a list, got ${typeOf(input)}`);
  return input.toArray().map((item, index) => {
    if (isArtifact(item)) return item;
    if (item instanceof Dict) return makeArtifact(task, name, item);
    throw thrown(`${name}: artifacts[${index}] must be an artifact, got ${typeOf(item)}`);
  });
}

/** A successor of an artifact: it says in its lineage what it comes from. */
export function deriveArtifact(
  task: Task,
  name: string,
  parent: Argument,
  kind: Argument,
  extra: Argument,
): Dict {
  if (!(parent instanceof Dict))
    throw thrown(`${name}: the parent must be an artifact, got ${typeOf(parent ?? null)}`);
  const source = isArtifact(parent) ? parent : makeArtifact(task, name, parent);
  const extras = extraFields(name, extra);
  const inherited = hasBody(extras) ? source.without("text").without("data") : source;
  const id = textOf(source.get("id"));
  const fresh = Dict.of({ id: `${id}_derived`, kind: artifactKind(kind), lineage: lineageFrom(source) });
  return makeArtifact(
    task,
    name,
    inherited.without("created_at").without("estimated_tokens").merge(fresh).merge(extras),
  );
}

const hasBody = (fields: Dict): boolean =>
  fields.get("text") !== undefined || fields.get("data") !== undefined;

/** The lineage of what is made from an artifact. */
export function lineageFrom(artifact: Dict): List {
  const lineage = artifact.get("lineage");
  const before = lineage instanceof List ? lineage.toArray() : [];
  return new List([...before, artifact.get("id") ?? null]);
}

/** The last argument of constructors: fields that outrank what the constructor sets, nil ones left out. */
export function extraFields(name: string, extra: Argument): Dict {
  if (extra === undefined || extra === null) return new Dict();
  if (!(extra instanceof Dict)) throw thrown(`${name}: extra fields must be a dict, got ${typeOf(extra)}`);
  return withoutNilEntries(extra);
}

const emptyArtifact = (kind: string): Dict =>
  Dict.of({
    title: null,
    data: null,
    source: null,
    freshness: null,
    priority: priorities.get(kind) ?? defaultPriority,
    lineage: new List([]),
    relevance: null,
    stage: null,
    metadata: new Dict(),
  });

function counted(artifact: Dict, input: Argument): Dict {
  return artifact.with("estimated_tokens", isInt(input) ? input : tokensIn(artifactBody(artifact)));
}

type FieldCheck = readonly [field: string, fits: (value: Value) => boolean, wanted: string];

const isNumberOption = (value: Value): boolean => numericValue(value) !== undefined;

const checks: readonly FieldCheck[] = [
  ["id", (value) => typeof value === "string" && value !== "", "a string that is not empty"],
  ["kind", (value) => typeof value === "string", "a string"],
  ["lineage", (value) => value instanceof List, "a list of artifact ids"],
  ["metadata", (value) => value instanceof Dict, "a dict"],
  ["priority", (value) => isInt(value), "an int"],
  ["relevance", isNumberOption, "a number"],
  ["estimated_tokens", (value) => isInt(value) && value >= 0, "an int of at least 0"],
];

function checkFields(name: string, fields: Dict): void {
  for (const [field, fits, wanted] of checks) {
    const value = fields.get(field) ?? null;
    if (value !== null && !fits(value))
      throw thrown(`${name}: '${field}' must be ${wanted}, got ${typeOf(value)}`);
  }
}
