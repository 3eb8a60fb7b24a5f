/**
 * Tools that somebody outside carries out. The model sees ordinary tools; calling one only notes the call, and the loop ends
 * after that turn. Its result comes as an event of a later run.
 */

import type { Runtime } from "../../../interp/index.ts";
import { NativeCallable } from "../../../interp/index.ts";
import { checkSchema, definedToolParameters, patternMatcher } from "../../../model/index.ts";
import { at, readRows, row, rows } from "../../../table/index.ts";
import { Dict, fromJson, thrown, toJson } from "../../../values/index.ts";
import type { CustomUse } from "./directive.ts";

const nameRow = rows(() => ({ name: row.filled().required() }));

export class CustomTools {
  /** As the script declared them, by name. */
  private readonly declared = new Map<string, Dict>();
  private readonly runtime: Runtime;
  /** Calls of this run, in order. */
  readonly uses: CustomUse[] = [];

  constructor(runtime: Runtime, entries: readonly Dict[]) {
    this.runtime = runtime;
    for (const [index, entry] of entries.entries()) this.add(entry, index);
  }

  private add(entry: Dict, index: number): void {
    const { name } = readRows(entry, nameRow, at("session_run", `custom_tools[${index}]`));
    if ((entry.get("handler") ?? null) !== null)
      throw thrown(`session_run: the custom tool "${name}" has a handler: it belongs into \`tools\``);
    if (this.declared.has(name)) throw thrown(`session_run: there are two custom tools "${name}"`);
    this.declared.set(name, entry);
  }

  get names(): string[] {
    return [...this.declared.keys()];
  }

  /** What is wrong with a call; `undefined` when nothing is. */
  problem({ name, input }: CustomUse): string | undefined {
    const entry = this.declared.get(name);
    if (entry === undefined) {
      const known = this.names.length === 0 ? "there are none" : `there is ${this.names.join(", ")}`;
      return `there is no custom tool ${JSON.stringify(name)}; ${known}`;
    }
    const matches = patternMatcher(this.runtime);
    const { errors } = checkSchema(fromJson(input), definedToolParameters(entry), { matches });
    return errors.length === 0 ? undefined : `the input of ${name} does not fit: ${errors.join("; ")}`;
  }

  /** Entries for the loop: arguments that do not fit are told to the model, and are no calls. */
  entries(): Dict[] {
    return [...this.declared].map(([name, entry]) =>
      entry.merge(Dict.of({ executor: "harn", strict: true, handler: this.handler(name) })),
    );
  }

  private handler(name: string): NativeCallable {
    return new NativeCallable(name, ["args"], (_task, [args]) => {
      this.uses.push({ name, input: toJson(args ?? new Dict()) });
      return "Handed over. The result comes in a later run of this session; this run ends now.";
    });
  }
}
