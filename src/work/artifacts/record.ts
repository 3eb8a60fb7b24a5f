/**
 * What an artifact is: the dict that builtins.md §2.21 describes, made, normalised and derived. An artifact is plain data;
 * nothing here looks outside but for the time, the id and the seed of the run.
 */
import { newId, type Task, wallClock } from "../../interp/index.ts";
import { at, inside, row, rows } from "../../table/index.ts";
import {
  type Argument,
  Dict,
  isInt,
  jsonStringify,
  List,
  textOf,
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
  const given = row
    .dict(artifactFields)
    .read(input ?? null, at(name, input instanceof Dict ? "" : "artifact"));
  const kind = artifactKind(given.kind);
  const fields = withoutNilEntries(input as Dict);
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
  const place = at(name, "artifacts");
  const items = row.handle<List>("list").read(input, place).toArray();
  return items.map((item, index) => {
    const artifact = row.dict(null).read(item, inside(place, `[${index}]`));
    return isArtifact(artifact) ? artifact : makeArtifact(task, name, artifact);
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
  const given = row.dict(null).read(parent ?? null, at(name, "parent"));
  const source = isArtifact(given) ? given : makeArtifact(task, name, given);
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
  return withoutNilEntries(row.dict(null).read(extra ?? new Dict(), at(name, "extra")));
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

/** Other fields are kept. */
const artifactFields = rows(
  () => ({
    id: row.filled(),
    kind: row.text(),
    lineage: row.handle<List>("list"),
    metadata: row.dict(null),
    priority: row.int(),
    relevance: row.number(),
    estimated_tokens: row.int("", null, { min: 0 }),
  }),
  { others: "kept in the artifact" },
);
