/**
 * Options that mean nothing are said so once per place in the script, on standard error, with a
 * suggestion. They are never an error: a script written for a later version still runs (decisions.md).
 */

import { nearest } from "../../diagnostics/index.ts";
import type { StateKey, Task } from "../../interp/index.ts";
import { tellPerson } from "../../interp/index.ts";
import type { Dict } from "../../values/index.ts";

const reported: StateKey<Set<string>> = { name: "reported options", create: () => new Set() };

/** Reports the keys of `options` that are not in `known`. */
export function reportOptions(task: Task, caller: string, options: Dict, known: ReadonlySet<string>): void {
  for (const key of options.keys()) {
    // A key that starts with `_` is a program's own note.
    if (key.startsWith("_")) continue;
    if (known.has(key)) continue;
    const site = siteOf(task);
    const seen = task.runtime.state(reported);
    const mark = `${caller}\0${key}\0${site}`;
    if (seen.has(mark)) continue;
    seen.add(mark);
    tellPerson(task.runtime, unknownText(caller, key, site, known));
  }
}

function unknownText(caller: string, key: string, site: string, known: ReadonlySet<string>): string {
  const near = nearest(key, known);
  const hint = near === undefined ? "it has no effect" : `did you mean \`${near}\`?`;
  return `warning: ${caller}: unknown option \`${key}\`${site}; ${hint}\n`;
}

function siteOf(task: Task): string {
  if (task.site === undefined) return "";
  const { source, span } = task.site;
  return ` (${source.name}:${source.line(span.start)})`;
}
