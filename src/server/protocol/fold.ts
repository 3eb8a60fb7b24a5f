/**
 * `foldEvents`: the state of a log from its events, one after the other; the same function on the server and in the page.
 * Total: any events in any order give a state, unknown types change nothing but the number. It changes the state in place
 * (`LogView` is the reader's side of it), because a log of 10,000 events is folded while somebody drags a scrubber.
 */

import type { AnswerTokens, EphemeralEventData } from "../../events/wire/index.ts";
import type { DurableEnvelope, EphemeralEnvelope, EphemeralType, EventEnvelope } from "./envelope.ts";
import { limits } from "./limits.ts";
import type {
  CallKey,
  CallView,
  LiveText,
  LogView,
  LoopKey,
  LoopView,
  QuestionView,
  RunView,
  TotalsView,
} from "./view.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };
/** Records by key: without a prototype, since keys come from models and paths. */
type Lookup<T> = Record<string, T>;

interface LogState
  extends Omit<
    Mutable<LogView>,
    "runs" | "loops" | "calls" | "questions" | "files" | "papers" | "live" | "output"
  > {
  runs: Lookup<Mutable<RunView>>;
  loops: Lookup<Mutable<LoopView>>;
  calls: Lookup<Mutable<CallView>>;
  questions: Lookup<Mutable<QuestionView>>;
  files: Lookup<LogView["files"][string]>;
  papers: Lookup<number>;
  live: Lookup<LiveText>;
  output: Lookup<string>;
}

const table = <T>(): Lookup<T> => Object.create(null) as Lookup<T>;
const noTotals = (): TotalsView => ({
  input: 0,
  output: 0,
  cached: 0,
  reasoning: 0,
  cost_usd: 0,
  answers: 0,
});

/** The state of an empty log. */
export function emptyView(): LogView {
  const state: LogState = {
    seq: 0,
    at: 0,
    created: null,
    agent: null,
    title: null,
    owner: null,
    mode: null,
    config: {},
    forked_from: null,
    archived: false,
    state: "idle",
    why: "",
    run: null,
    totals: noTotals(),
    gauge: null,
    turns: 0,
    compactions: 0,
    decisions: 0,
    plan: null,
    interrupt: null,
    runs: table(),
    loops: table(),
    calls: table(),
    questions: table(),
    queued: [],
    files: table(),
    papers: table(),
    live: table(),
    output: table(),
  };
  return state;
}

/** How the agent of the last run ended that did not do its work; null while something runs or waits. */
export const lastOutcome = ({ state, run, runs }: LogView): RunView["outcome"] =>
  state === "idle" ? (runs[run ?? ""]?.outcome ?? null) : null;

export const loopKey = (run: string | null, loop: string): LoopKey => `${run ?? ""}/${loop}`;
export const callKey = (run: string | null, call: string): CallKey => `${run ?? ""}/${call}`;

const tables = ["runs", "loops", "calls", "questions", "files", "papers", "live", "output"] as const;

/** A state that came as JSON, ready to be folded into. */
export function viewFromJson(json: LogView): LogView {
  const state: LogView = { ...emptyView(), ...json };
  for (const name of tables) Object.assign(state, { [name]: Object.assign(table(), json[name]) });
  return state;
}

/** State ▸ its entries that no other state has. A state that was never branched is not in it: all of its entries are its own. */
const ownEntries = new WeakMap<object, WeakSet<object>>();

/**
 * A second state like `view`; folding into either leaves the other as it is. It costs its tables, not their entries: those are
 * shared until one of the two changes them.
 */
export function branchOf(view: LogView): LogView {
  const branch: LogView = { ...view };
  for (const name of tables) Object.assign(branch, { [name]: Object.assign(table(), view[name]) });
  ownEntries.set(view, new WeakSet());
  ownEntries.set(branch, new WeakSet());
  return branch;
}

/** An entry of a table of `state` that may be changed. */
function own<T extends object>(state: LogState, entries: Lookup<T>, key: string): T | undefined {
  const entry = entries[key];
  const mine = ownEntries.get(state);
  if (entry === undefined || mine === undefined || mine.has(entry)) return entry;
  const copy = { ...entry };
  for (const [name, value] of Object.entries(copy))
    if (Array.isArray(value)) Object.assign(copy, { [name]: [...value] });
  entries[key] = copy;
  mine.add(copy);
  return copy;
}

/**
 * Folds `event` into `view`, in place, and returns it. Durable events that it has already seen change nothing but this: the
 * pieces that a stream told before the end of their text were told before it, whoever had read that end elsewhere first.
 */
export function foldEvents(view: LogView, event: EventEnvelope): LogView {
  const state = view as LogState;
  if (event.seq === null || event.seq === undefined) {
    foldEphemeral(state, event as EphemeralEnvelope);
    return view;
  }
  if (event.seq <= state.seq) {
    endLateText(state, event as DurableEnvelope);
    return view;
  }
  state.seq = event.seq;
  state.at = Math.max(state.at, event.at);
  if (event.run !== null && event.run !== undefined) state.run = event.run;
  foldDurable(state, event as DurableEnvelope);
  return view;
}

/** The state of a whole log, or of its beginning up to `upTo`. */
export function foldAll(events: Iterable<EventEnvelope>, upTo = Number.POSITIVE_INFINITY): LogView {
  const view = emptyView();
  for (const event of events) if ((event.seq ?? 0) <= upTo) foldEvents(view, event);
  return view;
}

function foldDurable(state: LogState, event: DurableEnvelope): void {
  switch (event.type) {
    case "conversation.created": {
      const { agent, title, owner, mode, config, parent } = event.data;
      Object.assign(state, { agent, title, owner, mode, config, created: event.at, forked_from: parent });
      return;
    }
    case "conversation.changed": {
      const { title, mode, config, archived } = event.data;
      if (title !== undefined) state.title = title;
      if (mode !== undefined) state.mode = mode;
      if (config !== undefined) state.config = config;
      if (archived !== undefined) state.archived = archived;
      return;
    }
    case "conversation.state":
      state.state = event.data.state;
      state.why = event.data.why;
      return;
    case "message.queued": {
      const { message, text, by, delivery } = event.data;
      state.queued = [...state.queued, { message, text, by, delivery, seq: event.seq, at: event.at }];
      return;
    }
    case "message.withdrawn":
    case "message.taken":
      state.queued = state.queued.filter((one) => one.message !== event.data.message);
      return;
    case "run.start":
    case "run.resumed":
    case "run.end":
      foldRun(state, event);
      return;
    case "loop.start":
    case "loop.end":
    case "turn.start":
    case "turn.end":
      foldLoop(state, event);
      return;
    case "tool.start":
    case "tool.end":
      foldCall(state, event);
      return;
    case "message.end":
    case "thought.end":
      endLiveText(state, event);
      return;
    case "usage":
      state.totals = added(state.totals, event.data.answer);
      changeLoop(state, event, (loop) => {
        loop.totals = added(loop.totals, event.data.answer);
      });
      return;
    case "context.usage":
      if (event.parent === null || event.loop === null) state.gauge = event.data;
      changeLoop(state, event, (loop) => {
        loop.gauge = event.data;
      });
      return;
    case "context.compacted":
      state.compactions += 1;
      return;
    case "decision":
      state.decisions += 1;
      return;
    case "mode.changed":
      changeLoop(state, event, (loop) => {
        loop.mode = event.data.to;
      });
      if (event.parent === null) state.mode = event.data.to;
      return;
    case "question.asked":
      state.questions[event.data.question] = asked(event);
      return;
    case "question.answered":
      closeQuestion(state, event, "answered");
      return;
    case "question.expired":
      closeQuestion(state, event, "expired");
      return;
    case "question.withdrawn":
      closeQuestion(state, event, "withdrawn");
      return;
    case "file.changed":
      foldFile(state, event);
      return;
    case "plan.changed":
      state.plan = { seq: event.seq, text: event.data.text ?? null, entries: event.data.entries ?? null };
      return;
    case "paper.changed":
      state.papers[event.data.project] = Math.max(state.papers[event.data.project] ?? 0, event.data.version);
      return;
    case "interrupt.requested":
      state.interrupt = { asked: event.at, by: event.data.by, reason: event.data.reason, done: null };
      return;
    case "run.interrupted":
      foldInterrupted(state, event);
      return;
    // Nothing of the state depends on them.
    case "retry":
    case "notice":
    case "doom.detected":
    case "trace":
      return;
    default:
      // A type that is added has its case above; what a newer server tells ends here.
      event satisfies never;
  }
}

function foldRun(state: LogState, event: DurableEnvelope<"run.start" | "run.resumed" | "run.end">): void {
  const run = runOf(state, event);
  if (event.type === "run.end") {
    run.ended = event.at;
    run.status = event.data.status;
    run.exit_code = event.data.exit_code;
    run.error = event.data.error;
    run.outcome = event.data.outcome ?? null;
    state.live = table();
    state.output = table();
    return;
  }
  run.ended = null;
  run.status = null;
  run.outcome = null;
  // A stop that was carried out is history once something runs again; one that has not been is still to come.
  if (state.interrupt?.done) state.interrupt = null;
  if (event.type === "run.resumed") run.resumed += 1;
  else {
    run.message = event.data.message;
    run.agent = event.data.agent;
  }
}

function foldInterrupted(state: LogState, event: DurableEnvelope<"run.interrupted">): void {
  const { by, reason, how, ms } = event.data;
  const asked = state.interrupt?.done === null ? state.interrupt : null;
  state.interrupt = {
    asked: asked?.asked ?? event.at - ms,
    by: asked?.by ?? by,
    reason: asked?.reason ?? reason,
    done: { at: event.at, how, ms },
  };
  state.live = table();
}

function runOf(state: LogState, event: DurableEnvelope): Mutable<RunView> {
  const id = event.run ?? "";
  state.runs[id] ??= {
    run: id,
    message: null,
    agent: null,
    started: event.at,
    ended: null,
    status: null,
    exit_code: null,
    error: null,
    outcome: null,
    resumed: 0,
    outermost: [],
  };
  return own(state, state.runs, id) as Mutable<RunView>;
}

function foldLoop(
  state: LogState,
  event: DurableEnvelope<"loop.start" | "loop.end" | "turn.start" | "turn.end">,
): void {
  if (event.loop === null) return;
  if (event.type === "loop.start") {
    startLoop(state, event);
    return;
  }
  const key = loopKey(event.run, event.loop);
  if (event.type === "turn.start") {
    state.turns += 1;
    delete state.live[key];
  }
  changeLoop(state, event, (loop) => {
    loop.turn = Math.max(loop.turn, event.turn);
    if (event.type !== "loop.end") return;
    loop.ended = event.at;
    loop.status = event.data.status;
    loop.stop_reason = event.data.stop_reason;
    delete state.live[key];
  });
}

function startLoop(state: LogState, event: DurableEnvelope<"loop.start">): void {
  const key = loopKey(event.run, event.loop as string);
  const known = own(state, state.loops, key);
  const parent =
    event.parent === null
      ? null
      : {
          loop: loopKey(event.run, event.parent.loop),
          call: event.parent.call === null ? null : callKey(event.run, event.parent.call),
        };
  const { name, task, provider, model, mode, window } = event.data;
  state.loops[key] = {
    key,
    run: event.run ?? "",
    loop: event.loop as string,
    parent,
    name,
    task,
    provider,
    model,
    mode,
    window,
    started: known?.started ?? event.at,
    ended: null,
    status: null,
    stop_reason: null,
    turn: known?.turn ?? 0,
    gauge: known?.gauge ?? null,
    totals: known?.totals ?? noTotals(),
    calls: known?.calls ?? [],
    loops: known?.loops ?? [],
  };
  if (known !== undefined) return;
  if (parent === null) runOf(state, event).outermost.push(key);
  else {
    own(state, state.loops, parent.loop)?.loops.push(key);
    if (parent.call !== null) own(state, state.calls, parent.call)?.loops.push(key);
  }
}

function foldCall(state: LogState, event: DurableEnvelope<"tool.start" | "tool.end">): void {
  if (event.call === null || event.loop === null) return;
  const key = callKey(event.run, event.call);
  const loop = loopKey(event.run, event.loop);
  let call = own(state, state.calls, key);
  if (call === undefined) {
    call = {
      key,
      call: event.call,
      loop,
      turn: event.turn,
      name: event.data.name,
      kind: event.type === "tool.start" ? event.data.kind : "other",
      started: null,
      status: null,
      gate: null,
      duration_ms: null,
      loops: [],
    };
    state.calls[key] = call;
    own(state, state.loops, loop)?.calls.push(key);
  }
  if (event.type === "tool.start") {
    call.started ??= event.at;
    call.status = null;
    return;
  }
  call.status = event.data.status;
  call.gate = event.data.gate;
  call.duration_ms = event.data.duration_ms;
  delete state.output[key];
}

function asked(event: DurableEnvelope<"question.asked">): Mutable<QuestionView> {
  return {
    id: event.data.question,
    run: event.run,
    loop: event.loop === null ? null : loopKey(event.run, event.loop),
    call: event.call === null ? null : callKey(event.run, event.call),
    seq: event.seq,
    asked: event.at,
    data: event.data,
    state: "open",
    answer: null,
    by: null,
    closed: null,
  };
}

function closeQuestion(
  state: LogState,
  event: DurableEnvelope<"question.answered" | "question.expired" | "question.withdrawn">,
  how: "answered" | "expired" | "withdrawn",
): void {
  const question = own(state, state.questions, event.data.question);
  if (question === undefined || question.state !== "open") return;
  question.state = how;
  question.closed = event.at;
  if (event.type !== "question.answered") return;
  question.answer = event.data.answer ?? null;
  question.by = event.data.by ?? null;
}

function foldFile(state: LogState, event: DurableEnvelope<"file.changed">): void {
  const { path, change, before, after, bytes } = event.data;
  const known = state.files[path];
  state.files[path] = {
    path,
    change,
    changes: (known?.changes ?? 0) + 1,
    first: known?.first ?? event.seq,
    last: event.seq,
    before: known === undefined ? before : known.before,
    after,
    bytes,
    at: event.at,
  };
}

function endLiveText(state: LogState, event: DurableEnvelope<"message.end" | "thought.end">): void {
  if (event.loop === null) return;
  if (event.type === "message.end" && event.data.role !== "assistant") return;
  const key = loopKey(event.run, event.loop);
  const live = state.live[key];
  if (live === undefined) return;
  const left: LiveText = event.type === "message.end" ? { ...live, text: "" } : { ...live, thought: "" };
  if (left.text === "" && left.thought === "") delete state.live[key];
  else state.live[key] = left;
}

/** The live text that an end takes away which was folded before the text. */
function endLateText(state: LogState, event: DurableEnvelope): void {
  if (event.type === "message.end" || event.type === "thought.end") endLiveText(state, event);
  else if (event.type === "loop.end" && event.loop !== null)
    delete state.live[loopKey(event.run, event.loop)];
  else if (event.type === "run.end" || event.type === "run.interrupted") state.live = table();
}

function foldEphemeral(state: LogState, event: EphemeralEnvelope): void {
  if (event.type === "tool.output") {
    const key = callKey(event.run, event.data.call);
    if (state.calls[key]?.status !== null) return;
    state.output[key] = ((state.output[key] ?? "") + event.data.text).slice(-limits.output);
    return;
  }
  const joined = joins[event.type] ?? null;
  if (joined === null || event.loop === null) return;
  const key = loopKey(event.run, event.loop);
  const known = state.live[key];
  // An answer of another turn begins anew.
  const live =
    known !== undefined && known.turn === event.turn
      ? known
      : { turn: event.turn, message: null, text: "", thought: "" };
  const { message, text } = event.data as EphemeralEventData["partial"];
  state.live[key] = { ...live, message: message ?? live.message, ...joined(live, text) };
}

/** How a piece of an answer joins what is there; null for what is none. */
const joins: Readonly<Record<EphemeralType, ((live: LiveText, text: string) => Partial<LiveText>) | null>> = {
  "message.delta": (live, text) => ({ text: live.text + text }),
  "thought.delta": (live, text) => ({ thought: live.thought + text }),
  partial: (_live, text) => ({ text }),
  "tool.output": null,
  hello: null,
  ping: null,
  reset: null,
};

function changeLoop(
  state: LogState,
  event: DurableEnvelope,
  change: (loop: Mutable<LoopView>) => void,
): void {
  if (event.loop === null || event.loop === undefined) return;
  const loop = own(state, state.loops, loopKey(event.run, event.loop));
  if (loop !== undefined) change(loop);
}

function added(to: TotalsView, answer: AnswerTokens): TotalsView {
  return {
    input: to.input + answer.input,
    output: to.output + answer.output,
    cached: to.cached + answer.cached,
    reasoning: to.reasoning + answer.reasoning,
    cost_usd: to.cost_usd === null || answer.cost_usd === null ? null : to.cost_usd + answer.cost_usd,
    answers: to.answers + 1,
  };
}

/** The questions that wait for somebody, the oldest first. */
export const openQuestions = (view: LogView): QuestionView[] =>
  Object.values(view.questions)
    .filter((question) => question.state === "open")
    .sort((a, b) => a.seq - b.seq);

/** Nothing goes on but a question to people: no answer of a model and no other call is under way. */
export function awaitsOnlyPeople(view: LogView): boolean {
  const open = openQuestions(view);
  const atLoop = new Set(open.map(({ loop }) => loop));
  const atCall = new Set(open.map(({ call }) => call));
  const loops = Object.values(view.loops).filter(
    (loop) => loop.ended === null && view.runs[loop.run]?.ended === null,
  );
  const isOpen = new Set(loops.map(({ key }) => key));
  return (
    open.length > 0 &&
    loops.every(({ key, calls }) => {
      const under = calls.map((call) => view.calls[call]).filter((call) => call?.status === null);
      // A call that started an agent waits as that agent does.
      const isStill = under.every(
        (call) =>
          call !== undefined && (atCall.has(call.key) || call.loops.some((below) => isOpen.has(below))),
      );
      return isStill && (atLoop.has(key) || under.length > 0);
    })
  );
}

/** What a loop and everything below it cost. */
export function rolledUp(view: LogView, key: LoopKey): TotalsView {
  const seen = new Set<LoopKey>();
  let sum = noTotals();
  const walk = (at: LoopKey): void => {
    const loop = view.loops[at];
    if (loop === undefined || seen.has(at)) return;
    seen.add(at);
    sum = { ...added(sum, loop.totals), answers: sum.answers + loop.totals.answers };
    for (const below of loop.loops) walk(below);
  };
  walk(key);
  return sum;
}
