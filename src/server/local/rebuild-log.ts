/**
 * Makes the log of a run from its journal, or what is missing of it: the run is played unseen, with nothing outside touched, and
 * its events are passed to the same writer as live. They have the same origins, so what the log has stays as it is. A run outside
 * of conversations has a log of its own, `run:RUN`, from `run.start` to `run.end`.
 */
import { basename } from "node:path";
import { type NewLogEvent, streamOfRun } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";
import { type RunEvent, runEvents } from "../../events/index.ts";
import { exitCode, reportError, reportFailure } from "../../host/command/index.ts";
import { nodeDigest } from "../../host/index.ts";
import { type Console, onState } from "../../interp/index.ts";
import { recordedReplay } from "../../run/index.ts";
import { openStore } from "../../store/index.ts";
import { Conversations, EventWriter, tableEvents } from "../../threads/index.ts";
import { RecordedClock } from "./recorded-clock.ts";
import { endOf } from "./recorded-events.ts";

const silent: Console = { write: () => {}, writeError: () => {} };

/** Work of a pooled child; the exit code says whether all of it could be made. */
export async function rebuildLog(run: string, stateFolder: string): Promise<number> {
  process.env.HARN_STATE_DIR = stateFolder;
  const store = openStore(stateFolder);
  try {
    const conversations = new Conversations(store);
    const conversation = conversations.ofRun({ run })?.conversation;
    const stream = conversation ?? streamOfRun(run);
    const clock = new RecordedClock(store.runs.find(run)?.began ?? store.now());
    let at = clock.now;
    const state: { writer?: EventWriter } = {};
    const writeEvent = (event: RunEvent): void => {
      at = clock.at(event);
      state.writer?.write(event);
    };
    const wirings = [onState(runEvents, (events) => void events.subscribe(writeEvent))];
    const replay = await recordedReplay(run, { console: silent, wirings });
    if (replay === undefined) return exitCode.failed;
    const hide = (text: string): string => replay.shown(text);
    const own = (type: string, data: Json): readonly NewLogEvent[] =>
      conversation === undefined ? [{ at, type, origin: `${run}:${type}`, body: { run, data } }] : [];
    const writer = new EventWriter({
      run,
      now: () => at,
      after: () => () => {},
      warn: (text) => reportError(`harn: ${text}\n`),
      ...(conversation === undefined ? {} : { without: tableEvents }),
      digest: nodeDigest,
      hide,
      hideIn: (json) => JSON.parse(hide(JSON.stringify(json))) as Json,
      output: {
        append: (events, pieces) => conversations.appendEvents({ stream, owner: null, events, pieces }),
        partial: () => {},
      },
    });
    state.writer = writer;
    const agent = basename(replay.journal.header.entry);
    if (conversation === undefined) conversations.noteLook({ run, now: store.now() });
    conversations.appendEvents({ stream, owner: null, events: own("run.start", { message: null, agent }) });
    const { data, problem } = await endOf(replay);
    writer.close();
    const isAtWork = store.runs.find(run)?.state === "running";
    if (data !== undefined && !isAtWork)
      conversations.appendEvents({ stream, owner: null, events: own("run.end", data as unknown as Json) });
    return problem === undefined ? exitCode.ok : reportFailure(problem);
  } finally {
    store.close();
  }
}
