/**
 * Names that a person most likely meant otherwise: a field of samples, a key of variants or an option of a role that nothing knows,
 * near to one that is known and absent there. Each may be meant, so they are warnings; nobody would find out from the figures.
 */

import { editDistance, nearest } from "../../diagnostics/index.ts";
import { callFields } from "../../model/index.ts";
import { escapePattern } from "../../source/index.ts";
import type { Dict } from "../../values/index.ts";
import { isTaskFolder, type TaskSpec } from "../plan/index.ts";
import type { PlannedTask } from "./set-plan.ts";

/** Fields of samples that the machinery itself looks at. */
const sampleFields = [
  "input",
  "target",
  "choices",
  "cluster",
  "tags",
  "files",
  "scenario",
  "solution",
  "limits",
  "skip",
] as const;

/** Sentences about one task. `sources` are the texts of the program's modules: what they read is meant. */
export function misnamedIn({ spec, samples }: PlannedTask, sources: readonly string[]): string[] {
  const isRead = (name: string): boolean => sources.some((text) => reads(text, name));
  return [
    ...misnamedFields(samples, isRead),
    ...misnamedKeys(spec, isRead),
    ...misnamedOptions(spec.roles),
  ].map((said) => `task \`${spec.name}\`: ${said}`);
}

/** `row.name`, `row["name"]`, `{{name}}`, or the name by itself in a text; `name:` of a dict is where it is given. */
function reads(source: string, name: string): boolean {
  const own = escapePattern(name);
  return new RegExp(`(?:\\.\\s*|\\{\\{\\s*)${own}(?![\\p{L}\\p{N}_])|(["'])${own}\\1(?!\\s*:)`, "u").test(
    source,
  );
}

function misnamedFields(samples: PlannedTask["samples"], isRead: (name: string) => boolean): string[] {
  const rows = new Map<string, { readonly near: string; count: number }>();
  for (const { body } of samples) {
    if (isTaskFolder(body)) continue;
    for (const key of body.keys()) {
      const near = likelyField(key, body);
      if (near === undefined) continue;
      const known = rows.get(key) ?? { near, count: 0 };
      known.count++;
      rows.set(key, known);
    }
  }
  return [...rows]
    .filter(([key]) => !isRead(key))
    .map(
      ([key, { near, count }]) =>
        `${count === 1 ? "1 sample has" : `${count.toLocaleString("en-US")} samples have`} \`${key}\`, which nothing reads; did you mean \`${near}\`?`,
    );
}

/** A field that the row lacks and that its key is a slip of. Short words are near to too many others. */
function likelyField(key: string, body: Dict): string | undefined {
  if (key === "id" || key.startsWith("_") || (sampleFields as readonly string[]).includes(key))
    return undefined;
  return sampleFields.find(
    (field) =>
      (body.get(field) ?? null) === null &&
      editDistance(key.toLowerCase(), field, 3) <= (field.length <= 4 ? 1 : 2),
  );
}

function misnamedKeys({ variants }: TaskSpec, isRead: (name: string) => boolean): string[] {
  const keys = new Set(variants.flatMap(({ body }) => body.keys()));
  return [...keys].flatMap((key) => {
    if (key === "name" || key === "structural_experiment" || callFields.get(key) !== undefined) return [];
    const near = nearest(key, [...callFields.names(), "structural_experiment"], 2);
    if (near === undefined || keys.has(near) || isRead(key)) return [];
    return [
      `the variants' \`${key}\` is no option of model calls, and nothing reads it; did you mean \`${near}\`?`,
    ];
  });
}

/** Vendors have options of their own; one that is near to a common one is most likely that. */
function misnamedOptions(roles: TaskSpec["roles"]): string[] {
  return Object.entries(roles).flatMap(([role, options]) =>
    Object.keys(options).flatMap((name) => {
      const near =
        name.startsWith("_") || callFields.get(name) !== undefined
          ? undefined
          : nearest(name, callFields.names());
      return near === undefined
        ? []
        : [`\`roles.${role}.${name}\` is no option of model calls; did you mean \`${near}\`?`];
    }),
  );
}
