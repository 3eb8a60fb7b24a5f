/** A run in the store that asks a question, or none. */

import { questionId } from "../../src/durable/index.ts";
import { type Json, journalFormat, type RunHeader } from "../../src/effects/index.ts";
import type { Store } from "../../src/store/index.ts";

export interface RecordedRun {
  /** The prompt of a question. */
  readonly question?: string;
  /** Its body besides. */
  readonly body?: { readonly [key: string]: Json };
}

const place = "0#1";

/** Gives the id of its question. */
export function recordedRun(store: Store, name: string, { question, body = {} }: RecordedRun): string {
  const header: RunHeader = {
    t: "run",
    journal: "harn",
    format: journalFormat,
    run: name,
    runtime: "0",
    platform: {},
    seed: "s",
    argv: [],
    entry: "/scripts/agent.harn",
    cwd: "/scripts",
    options: null,
  };
  const writer = store.runs.begin(name);
  writer.append(header);
  if (question !== undefined) writer.question(place, JSON.stringify({ prompt: question, ...body }));
  writer.flush(true);
  writer.close();
  return questionId(name, place);
}
