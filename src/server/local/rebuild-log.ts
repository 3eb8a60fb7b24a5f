/**
 * Makes the log of a run from its journal, or what is missing of it: the run is played unseen, with nothing outside touched, and
 * its events are passed to the same writer as live. They have the same origins, so what the log has stays as it is. A run outside
 * of conversations has a log of its own, `run:RUN`, from `run.start` to `run.end`; where it went on after its end `run.resumed`
 * stands between, also when the log was made before it did.
 */
import { basename } from "node:path";
import { type NewLogEvent, streamOfRun } from "../../durable/index.ts";
import { type Json, type Resumption, resumptionsOf } from "../../effects/index.ts";
import { type Envelope, type RunEvent, runEvents } from "../../events/index.ts";
import { exitCode, reportError, reportFailure } from "../../host/command/index.ts";
import { nodeDigest } from "../../host/index.ts";
import { type Console, onState } from "../../interp/index.ts";
import { recordedReplay } from "../../run/index.ts";
import { openStore } from "../../store/index.ts";
import { Conversations, EventWriter, tableEvents } from "../../threads/index.ts";
import { RecordedClock } from "./recorded-clock.ts";
import { replayEnd, seenRun } from "./recorded-events.ts";

const silent: Console = { write: () => {}, writeError: () => {} };

const outsideOfLoops = { v: 1, loop: null, parent: null, turn: 0, call: null } as const;
/** How it had ended ▸ why it went on. */
const reasons: Readonly<Record<string, "crash" | "answer">> = { crash: "crash", parked: "answer" };

/** Work of a pooled child; the exit code says whether all of it could be made. */
export async function rebuildLog(run: string, stateFolder: string): Promise<number> {
  process.env.HARN_STATE_DIR = stateFolder;
  const store = openStore(stateFolder);
  try {
    const conversations = new Conversations(store);
    const conversation = conversations.ofRun({ run })?.conversation;
    const stream = conversation ?? streamOfRun(run);
    const found = store.runs.find(run);
    const { began, isAtWork } =
      found === undefined ? { began: store.now(), isAtWork: false } : seenRun(found);
    const clock = new RecordedClock(began);
    let at = clock.now;
    let resumed = 0;
    const state: { writer?: EventWriter } = {};
    const writeEvent = (event: RunEvent): void => {
      at = clock.at(event);
      state.writer?.write(event);
    };
    const wirings = [onState(runEvents, (events) => void events.subscribe(writeEvent))];
    const onResumed = ({ ended }: Resumption): void => {
      if (conversation !== undefined) return;
      const data = { because: reasons[ended] ?? "asked" };
      resumed += 1;
      state.writer?.note(
        { ...outsideOfLoops, type: "run.resumed", data } as Envelope,
        `${run}:run.resumed:${resumed}`,
      );
    };
    const replay = await recordedReplay(run, { console: silent, wirings, looks: true, onResumed });
    if (replay === undefined) return exitCode.failed;
    const hide = (text: string): string => replay.shown(text);
    const own = (type: string, data: Json, nth = ""): readonly NewLogEvent[] =>
      conversation === undefined ? [{ at, type, origin: `${run}:${type}${nth}`, body: { run, data } }] : [];
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
    const { data, problem } = await replayEnd(replay, isAtWork);
    // Of one that did nothing since it went on.
    for (const late of resumptionsOf(replay.journal.records).slice(resumed)) onResumed(late);
    writer.close();
    const nth = resumed === 0 ? "" : `:${resumed}`;
    if (data !== undefined)
      conversations.appendEvents({
        stream,
        owner: null,
        events: own("run.end", data as unknown as Json, nth),
      });
    return problem === undefined ? exitCode.ok : reportFailure(problem);
  } finally {
    store.close();
  }
}
