/** The options of `session_run`: its own, and those that go to the loop as they are. */
import { loopFields } from "../../../agent/index.ts";
import { at, type Read, readRows, row, rows } from "../../../table/index.ts";
import { Dict, List, optionsDict, thrown, type Value } from "../../../values/index.ts";
import { sessionRunRows } from "../../fields/shared-fields.ts";

/** Read here, not by the loop. */
const readHere = rows(() => ({ ...sessionRunRows.typed, system: row.text() }));

export type SessionRunOptions = Read<typeof readHere> & {
  /** For `agent_loop`. */
  readonly loop: Dict;
};

/** What belongs to the session and can't be set from outside. */
const taken: ReadonlyMap<string, string> = new Map([
  ["session_id", "every run has a conversation of its own"],
  ["transcript", "what earlier runs said comes from the session's memory"],
  ["daemon", "a session sleeps between its runs, not in them"],
]);

export function runOptionsOf(input: Value): SessionRunOptions {
  const options = optionsDict("session_run", input);
  for (const [name, why] of taken) {
    const value = options.get(name) ?? null;
    if (value !== null && value !== false) throw thrown(`session_run: \`${name}\` can't be set: ${why}`);
  }
  const loop = [...readHere.names()].reduce((rest, name) => rest.without(name), options);
  return { ...readRows(options, readHere, at("session_run")), loop };
}

/** The loop's options with tools that are called like the script's own, and end the run. */
export function withCustomTools(options: Dict, entries: readonly Dict[], names: readonly string[]): Dict {
  if (entries.length === 0) return options;
  const tools = options.get("tools") ?? null;
  const before = tools === null ? [] : tools instanceof List ? [...tools] : [tools];
  const ending = options.get("stop_after_successful_tools") ?? null;
  const stops = ending instanceof List ? [...ending] : typeof ending === "string" ? [ending] : [];
  const changed = options.merge(
    Dict.of({
      tools: new List([...before, ...entries]),
      stop_after_successful_tools: new List([...stops, ...names]),
    }),
  );
  return withinPolicy(changed, names);
}

/** Who declares a custom tool wants it called: a list of allowed tools does not keep it out. */
function withinPolicy(options: Dict, names: readonly string[]): Dict {
  const policy = options.get("policy") ?? null;
  const allowed = policy instanceof Dict ? (policy.get("tools") ?? null) : null;
  if (!(policy instanceof Dict) || !(allowed instanceof List) || allowed.toArray().length === 0)
    return options;
  return options.with("policy", policy.with("tools", new List([...allowed, ...names])));
}

/** A loop of one answer without tools, judges and gates: for asking again how the run ends. */
export function forOneAnswer(options: Dict): Dict {
  return [...loopFields.set("several answers")]
    .reduce((rest, name) => rest.without(name), options)
    .with("max_iterations", 1);
}
