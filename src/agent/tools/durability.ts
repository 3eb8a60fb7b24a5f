/**
 * How far a tool's result can be had again once it is out of view. Compaction clears what is cheap to have again first.
 *
 *     the loop's map ▸ the tool's own word ▸ the result's own word ▸ what its annotations say ▸ well-known names ▸ cannot be had again
 */
import type { ToolEntry } from "../../model/index.ts";
import { type Dict, nameMatches } from "../../values/index.ts";
import { kindOfTool, sideEffectOf } from "../policy/annotations.ts";
import { pathParams, pathsAt, usualPathKeys } from "../policy/paths.ts";

/**
 * `ephemeral`: soon worthless (listings, searches by name, progress). `anchoring`: matters and can be said shorter (edits,
 * writes, summaries of tests). `replayable`: can be had again (files). `non_replayable`: cannot (network, commands, people).
 */
export const durabilityClasses = ["ephemeral", "anchoring", "replayable", "non_replayable"] as const;

export type Durability = (typeof durabilityClasses)[number];

const isDurability = (value: unknown): value is Durability =>
  typeof value === "string" && (durabilityClasses as readonly string[]).includes(value);

/** What a loop says of tools whose names fit a pattern. */
export interface DurabilityRule {
  readonly glob: string;
  readonly class: Durability;
  /** Fields of the result that stay when it is cleared. */
  readonly keep: readonly string[];
}

export interface ResultDurability {
  readonly class: Durability;
  readonly keep: readonly string[];
}

const listingKinds: ReadonlySet<string> = new Set(["list", "glob", "search", "find", "progress", "think"]);
const writingKinds: ReadonlySet<string> = new Set(["edit", "write", "delete", "move", "scaffold"]);
const outsideKinds: ReadonlySet<string> = new Set(["execute", "run", "command", "fetch", "network"]);
const readingKinds: ReadonlySet<string> = new Set(["read", "lookup", "inspect"]);

const wellKnown: ReadonlyMap<string, Durability> = new Map<string, Durability>([
  ...[
    "ls",
    "list_files",
    "list_dir",
    "list_directory",
    "glob",
    "find_files",
    "search_files",
    "agent_progress",
    "work_item_list",
  ].map((name): [string, Durability] => [name, "ephemeral"]),
  ...["read", "read_file", "view_file", "cat", "context_recall"].map((name): [string, Durability] => [
    name,
    "replayable",
  ]),
  ...[
    "edit",
    "edit_file",
    "write_file",
    "apply_patch",
    "create_file",
    "delete_file",
    "move_file",
    "work_item_add",
    "work_item_update",
    "work_item_set_artifact",
    "work_item_flag_revision",
  ].map((name): [string, Durability] => [name, "anchoring"]),
]);

/** `said`: what the result says of itself (`durability`). */
export function durabilityOf(
  name: string,
  entry: ToolEntry | undefined,
  rules: readonly DurabilityRule[],
  said: unknown = undefined,
): ResultDurability {
  const rule = rules.find(({ glob }) => nameMatches(glob, name));
  if (rule !== undefined) return rule;
  const keep: readonly string[] = [];
  const own = entry?.raw.get("durability");
  if (isDurability(own)) return { class: own, keep };
  if (isDurability(said)) return { class: said, keep };
  return { class: annotated(entry?.annotations) ?? wellKnown.get(name) ?? "non_replayable", keep };
}

function annotated(annotations: Dict | undefined): Durability | undefined {
  if (annotations === undefined) return undefined;
  const kind = kindOfTool(annotations) ?? "";
  const level = sideEffectOf(annotations);
  if (listingKinds.has(kind)) return "ephemeral";
  if (writingKinds.has(kind)) return "anchoring";
  if (outsideKinds.has(kind) || level === "process_exec" || level === "network") return "non_replayable";
  if (readingKinds.has(kind) && (level === null || level === "none" || level === "read_only"))
    return "replayable";
  if (level === "workspace_write") return "anchoring";
  if (level === "none" || level === "read_only" || annotations.get("readOnlyHint") === true)
    return "replayable";
  return undefined;
}

/** Whether a successful call of this tool changes files: commands are none, whatever they do. */
export function writes(entry: ToolEntry | undefined): boolean {
  const annotations = entry?.annotations;
  if (annotations === undefined) return false;
  const kind = kindOfTool(annotations) ?? "";
  if (outsideKinds.has(kind)) return false;
  return writingKinds.has(kind) || sideEffectOf(annotations) === "workspace_write";
}

/** The paths that a call names: those that its tool declares, else those under the usual names. */
export function pathsOf(entry: ToolEntry | undefined, args: Dict): string[] {
  const declared = pathParams(entry?.annotations);
  return pathsAt(args, declared.length > 0 ? declared : usualPathKeys);
}
