/**
 * `[[triggers]]` of the project's manifest: what `trigger_register` takes, with functions named as `module::function`
 * (language.md §20.5), as a call in a module of its own each.
 */
import { type NamedFunction, namedFunction, type PackageManifest } from "./manifest-functions.ts";

/** Keys whose text may name a function. */
const functionKeys = ["handler", "when", "dedupe_key", "filter"] as const;

export interface ManifestTrigger {
  /** Functions that the call names. */
  readonly functions: readonly NamedFunction[];
  /** The call, as text of the language. */
  readonly call: string;
}

/** Reads the tables; throws an `Error` in words for people. What the call refuses it refuses by itself. */
export function triggersOf(triggers: unknown, { file, tables }: PackageManifest): ManifestTrigger[] {
  if (triggers === undefined) return [];
  if (!Array.isArray(triggers)) throw new Error("triggers: expected tables, [[triggers]]");
  const own = (tables.package as { readonly name?: unknown } | undefined)?.name;
  const origin = { manifest_path: file, ...(typeof own === "string" ? { package_name: own } : {}) };
  return triggers.map((one: unknown, index) => triggerOf(one, `[[triggers]] ${index + 1}`, origin));
}

function triggerOf(input: unknown, where: string, origin: object): ManifestTrigger {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new Error(`${where}: expected a table`);
  const functions: NamedFunction[] = [];
  const entries = Object.entries({ ...input, ...origin }).map(([key, value]) => {
    const named = functionKeys.some((name) => name === key) ? functionIn(value) : undefined;
    if (named === undefined && key === "handler" && !hasScheme(value))
      throw new Error(`invalid trigger handler '${String(value)}': expected <module>::<function>`);
    if (named === undefined && key === "when")
      throw new Error(`invalid trigger predicate '${String(value)}': expected <module>::<function>`);
    if (named === undefined) return `${quotedLiteral(key)}: ${literal(value, `${where}: ${key}`)}`;
    const other = functions.find(({ name, module }) => name === named.name && module !== named.module);
    if (other !== undefined)
      throw new Error(
        `${where}: ${other.module}::${other.name} and ${named.module}::${named.name} have one name; rename one of them`,
      );
    functions.push(named);
    return `${quotedLiteral(key)}: ${named.name}`;
  });
  return { functions, call: `trigger_register({${entries.join(", ")}})` };
}

const hasScheme = (value: unknown): boolean => typeof value === "string" && value.includes("://");
const functionIn = (value: unknown): NamedFunction | undefined =>
  hasScheme(value) ? undefined : namedFunction(value);

/** A value of TOML as the language writes it; times are texts. `place` is what messages call it. */
function literal(value: unknown, place: string): string {
  if (Array.isArray(value))
    return `[${value.map((item, index) => literal(item, `${place}[${index}]`)).join(", ")}]`;
  if (value instanceof Date) return quotedLiteral(value.toISOString());
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${quotedLiteral(key)}: ${literal(inner, `${place}.${key}`)}`)
      .join(", ")}}`;
  if (typeof value === "number" && !Number.isFinite(value))
    throw new Error(`${place}: expected a finite number; the language has no literal for inf and nan`);
  return typeof value === "string" ? quotedLiteral(value) : String(value);
}

/** A text as the language writes it. */
export function quotedLiteral(text: string): string {
  return JSON.stringify(text).replaceAll("$", "\\$");
}
