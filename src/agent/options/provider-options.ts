/** The options `context_providers` and `sandbox_path` (docs/control-plane.md, "What it knows from the start"). */
import { optionText, unknownKey } from "../../table/index.ts";
import { Callable, Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { providerFields } from "./context-fields.ts";

interface ProviderCommon {
  readonly id: string;
  /** `once`: before the first turn; `compaction`: there, and after every compaction. */
  readonly refresh: "once" | "turn" | "compaction";
  readonly maxChars: number;
}

/** A part of the system text that belongs to somebody. */
export type ContextProvider =
  | (ProviderCommon & { readonly kind: "own"; readonly provide: Callable })
  | (ProviderCommon & { readonly kind: "guidance" })
  | (ProviderCommon & {
      readonly kind: "environment";
      /** The folder that is listed; null: where the program works. */
      readonly root: string | null;
      readonly maxEntries: number;
      readonly depth: number;
    });

const usualChars = 8000;
const reserved: ReadonlySet<string> = new Set([
  "preamble",
  "caller",
  "servers",
  "reminders",
  "skills",
  "catalog",
  "progress",
  "tools",
  "deferred",
  "contract",
  "mode",
  "scratchpad",
]);

type Fail = (text: string) => never;

const environment = (root: string | null, maxEntries = 100, depth = 2): ContextProvider => ({
  kind: "environment",
  id: "environment",
  refresh: "compaction",
  maxChars: usualChars,
  root,
  maxEntries,
  depth,
});
const guidance: ContextProvider = { kind: "guidance", id: "guidance", refresh: "once", maxChars: usualChars };

/** In the order in which they stand. */
export function readProviders(options: Dict, caller: string): readonly ContextProvider[] {
  const fail: Fail = (text) => {
    throw thrown(`${caller}: ${text}`);
  };
  const list = options.get("context_providers") ?? null;
  const path = options.get("sandbox_path") ?? null;
  if (list !== null && !(list instanceof List))
    fail(`\`context_providers\` must be a list; got ${typeOf(list)}`);
  if (path !== null && typeof path !== "string")
    fail(`\`sandbox_path\` must be a string; got ${typeOf(path)}`);
  const root = path as string | null;
  const found = [...((list as List | null) ?? [])].map((value, at) =>
    readProvider(value, `context_providers[${at}]`, root, fail),
  );
  if (root !== null && !found.some(({ kind }) => kind === "environment")) found.unshift(environment(root));
  const ids = found.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) fail(`\`context_providers\`: \`${twice}\` stands twice`);
  return found;
}

function readProvider(value: Value, at: string, root: string | null, fail: Fail): ContextProvider {
  if (value === "environment") return environment(root);
  if (value === "guidance") return guidance;
  if (typeof value === "string")
    return fail(`\`${at}\` must be "environment", "guidance", a dict or a closure; got "${value}"`);
  if (value instanceof Callable)
    return { kind: "own", id: idOf(at), provide: value, refresh: "once", maxChars: usualChars };
  if (!(value instanceof Dict))
    return fail(`\`${at}\` must be "environment", "guidance", a dict or a closure; got ${typeOf(value)}`);
  for (const key of value.keys())
    if (providerFields.get(key) === undefined && !key.startsWith("_"))
      fail(`unknown option \`${at}.${key}\`; ${unknownKey(providerFields, key, true).hint}`);
  const id = value.get("id") ?? null;
  if (typeof id !== "string" || !/^[A-Za-z0-9_.-]{1,64}$/.test(id))
    return fail(`\`${at}.id\` must be 1 to 64 letters, digits, \`_\`, \`.\` or \`-\`; got ${optionText(id)}`);
  if (reserved.has(id)) return fail(`\`${at}.id\`: \`${id}\` is a part of the runtime`);
  const provide = value.get("provide") ?? null;
  if (id === "environment" && provide === null) return environmentIn(value, at, root, fail);
  if (id === "guidance" && provide === null) return guidance;
  if (!(provide instanceof Callable))
    return fail(`\`${at}.provide\` must be a closure; got ${typeOf(provide)}`);
  const refresh = value.get("refresh") ?? "once";
  if (refresh !== "once" && refresh !== "turn" && refresh !== "compaction")
    return fail(`\`${at}.refresh\` must be "once", "turn" or "compaction"; got ${optionText(refresh)}`);
  return {
    kind: "own",
    id,
    provide,
    refresh,
    maxChars: providerCount(value, "max_chars", usualChars, at, fail),
  };
}

function environmentIn(dict: Dict, at: string, root: string | null, fail: Fail): ContextProvider {
  const input = dict.get("root") ?? root;
  if (input !== null && typeof input !== "string")
    return fail(`\`${at}.root\` must be a string; got ${typeOf(input)}`);
  return environment(
    input,
    providerCount(dict, "max_entries", 100, at, fail),
    providerCount(dict, "depth", 2, at, fail),
  );
}

function providerCount(dict: Dict, key: string, usual: number, at: string, fail: Fail): number {
  const value = dict.get(key) ?? usual;
  if (typeof value !== "number") return fail(`\`${at}.${key}\` must be an int; got ${typeOf(value)}`);
  return value >= 1 ? value : fail(`\`${at}.${key}\` must be >= 1; got ${value}`);
}

/** `context_providers[1]` is `provider_2`. */
const idOf = (at: string): string => `provider_${Number(/\d+/.exec(at)?.[0] ?? 0) + 1}`;
