/**
 * What flags of `harn run` attach to its agents, loaded when one is given. `--events`: every live event of every agent as a line of
 * JSON on standard error, in order, with the time (what the lines say: `events/projections/event-lines.ts`). `--skill-dir`: folders
 * of skills that outrank all others.
 */
import { showJson } from "../diagnostics/index.ts";
import { eventLineTexts, runEvents } from "../events/index.ts";
import { type Console, onState, type Runtime, type StateWiring } from "../interp/index.ts";
import { skillDirs } from "../skills/index.ts";

/** Attached to the run's events when they are made: a run without agents pays nothing. */
export function eventLines(console: Console, now: () => number = Date.now): StateWiring {
  let n = 0;
  const write = (json: string): void => {
    n += 1;
    const shown = showJson(json);
    const head = `{"n":${n},"at_ms":${Math.round(now())}`;
    console.writeError(shown === "{}" ? `${head}}\n` : `${head},${shown.slice(1)}\n`);
  };
  return onState(runEvents, (events) => {
    events.subscribe((event) => {
      for (const text of eventLineTexts(event)) write(text);
    });
  });
}

export function wireSkills(runtime: Runtime, folders: string): void {
  const state = runtime.state(skillDirs);
  state.cli = folders.split(",").filter((folder) => folder !== "");
}
