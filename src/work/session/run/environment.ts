/**
 * The environment of a session: `[environments.NAME]` of `harn.toml`. It belongs to the project; the session only names it,
 * so that changing it changes all of them.
 */

import type { Json } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { projectManifest } from "../../../model/index.ts";
import { type Dict, fromJson, isJsonObject, thrown } from "../../../values/index.ts";

type Table = { readonly [name: string]: Json | undefined };

const fields: readonly string[] = ["notes", "variables", "resources", "policy"];

/** Throws when the project has no such environment, or it is written wrongly. */
export function environmentOf(task: Task, name: string | null) {
  if (name === null) return null;
  const manifest = projectManifest(task);
  const all = manifest?.tables.environments;
  const table = isJsonObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  if (!isJsonObject(table)) {
    const known = isJsonObject(all) ? Object.keys(all).join(", ") : "";
    throw thrown(
      `session_run: there is no environment ${JSON.stringify(name)}: ${manifest === null ? "the project has no harn.toml" : `${manifest.path} has ${known === "" ? "none" : known}`}`,
    );
  }
  const bad = (what: string): never => {
    throw thrown(`session_run: ${manifest?.path}: environments.${name}.${what}`);
  };
  const unknown = Object.keys(table).find((key) => !fields.includes(key));
  if (unknown !== undefined) bad(`${unknown}: there is no such key; there are ${fields.join(", ")}`);
  const { notes = "", variables = {}, resources = [], policy } = table;
  if (typeof notes !== "string") bad("notes must be a string");
  if (!isJsonObject(variables)) bad("variables must be a table");
  if (!Array.isArray(resources) || resources.some((path) => typeof path !== "string"))
    bad("resources must be a list of paths");
  if (policy !== undefined && !isJsonObject(policy)) bad("policy must be a table");
  const folder = manifest === null ? "" : manifest.path.slice(0, manifest.path.lastIndexOf("/"));
  return {
    name,
    notes: String(notes),
    variables: Object.entries(variables as Table).map(([key, value]) => [key, stringOf(value)] as const),
    /** Absolute paths. */
    resources: (resources as string[]).map((path) => (path.startsWith("/") ? path : `${folder}/${path}`)),
    /** A ceiling, as `agent_loop` takes it. */
    policy: policy === undefined ? null : (fromJson(policy as Json) as Dict),
  };
}

export type Environment = Readonly<NonNullable<ReturnType<typeof environmentOf>>>;

const stringOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);
