/**
 * The builtin table: areas joined. An area is a list of declarations in a file of its own; add a new one to `areas.ts`.
 *
 * From source, the table is all areas. In the bundled command line it begins as all *names* and the everyday areas; the
 * others are loaded, all together, when the first of them is asked for. Either way it is complete to whoever looks.
 */
import type { BuiltinSpec, BuiltinTable } from "../table/index.ts";
import { areas } from "./areas.ts";
import { assertions } from "./assertions.ts";
import { collections } from "./data/collections.ts";
import { conversion } from "./data/conversion.ts";
import { json } from "./data/json.ts";
import { math } from "./data/math.ts";
import { results } from "./data/results.ts";
import { output } from "./process/output.ts";
import { strings } from "./text/strings.ts";

export { comparedValues } from "./assertions.ts";
export {
  Capabilities,
  type CapabilityGroup,
  type CapabilityLists,
  CapabilityMistake,
  capabilityGroups,
  possibleGroupsOf,
  restrictHost,
  restrictTable,
} from "./capabilities.ts";
export * from "./globals.ts";
export { harnessBuiltin, harnessPartNames, harnessParts } from "./harness.ts";

/** The areas that most programs use. They are on the way of every start, so: small, and without heavy imports. */
const everyday: readonly (readonly BuiltinSpec[])[] = [
  output,
  assertions,
  conversion,
  results,
  strings,
  math,
  collections,
  json,
];

/** All names in the table's order, blank between. Put in by the bundler (`scripts/build.ts`). */
declare const HARN_BUILTIN_NAMES: string | undefined;

class LazyTable extends Map<string, BuiltinSpec> {
  private complete = false;

  /** `names` gives the order; their declarations may come later. */
  constructor(names: readonly string[]) {
    super();
    for (const name of names) super.set(name, undefined as never);
    this.add(names.length === 0 ? areas : everyday);
    this.complete = names.length === 0;
  }

  override get(name: string): BuiltinSpec | undefined {
    const spec = super.get(name);
    if (spec !== undefined || this.complete || !this.has(name)) return spec;
    this.load();
    return super.get(name);
  }
  override values(): MapIterator<BuiltinSpec> {
    this.load();
    return super.values();
  }
  override entries(): MapIterator<[string, BuiltinSpec]> {
    this.load();
    return super.entries();
  }
  override [Symbol.iterator](): MapIterator<[string, BuiltinSpec]> {
    return this.entries();
  }
  override forEach(visit: (spec: BuiltinSpec, name: string, table: Map<string, BuiltinSpec>) => void): void {
    this.load();
    super.forEach(visit);
  }

  private load(): void {
    if (this.complete) return;
    this.complete = true;
    this.add(areas);
  }

  private add(some: readonly (readonly BuiltinSpec[])[]): void {
    for (const area of some) for (const spec of area) super.set(spec.name, spec);
  }
}

let table: BuiltinTable | undefined;

/** All builtins by name; built once. */
export function builtinTable(): BuiltinTable {
  table ??= new LazyTable(typeof HARN_BUILTIN_NAMES === "string" ? HARN_BUILTIN_NAMES.split(" ") : []);
  return table;
}
