/**
 * A conversation under any order of messages, withdrawals, stops, resumes, answers, changes of the mode and of servers that take,
 * end, die, from two connections to one store: its states go only where they may, one run works at a time, whoever is not its
 * owner ends nothing, every message is taken once, and the log says all of it in numbers without gaps.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { questionId } from "../../src/durable/index.ts";
import { openStore, type Store, StoreError } from "../../src/store/index.ts";
import { Conversations, type StoredEnvelope } from "../../src/threads/index.ts";
import { tempFolders } from "../support/temp-folder.ts";

const freshFolder = tempFolders("conversations");

const what = [
  "say",
  "say",
  "withdraw",
  "interrupt",
  "resume",
  "take",
  "take",
  "done",
  "done",
  "failed",
  "waiting",
  "ask",
  "answer",
  "resumable",
  "interrupted",
  "pause",
  "stale end",
  "mode",
  "event",
  "event",
  "receive",
] as const;
const steps = fc.array(fc.record({ do: fc.constantFrom(...what), server: fc.nat(1) }), {
  minLength: 30,
  maxLength: 90,
});

/** Where each state may lead, as docs/serve.md draws it. */
const ways: Readonly<Record<string, readonly string[]>> = {
  idle: ["queued"],
  queued: ["processing", "interrupted", "paused", "idle"],
  processing: ["idle", "queued", "waiting", "interrupted", "paused", "failed"],
  waiting: ["processing", "interrupted", "paused"],
  interrupted: ["queued", "idle"],
  paused: ["queued", "idle"],
  failed: ["queued"],
};

class World {
  readonly stores: Store[];
  readonly servers: Conversations[];
  readonly id = "c_1";
  /** Names are never given twice. */
  private count = 0;
  private now = 1000;
  /** Runs that a server has taken and not ended; only the last of them may end. */
  readonly taken: string[] = [];

  constructor(folder: string) {
    this.stores = [openStore(folder), openStore(folder)];
    this.servers = this.stores.map((store) => new Conversations(store));
    const made = { agent: "a", owner: "ann", title: "", mode: "plan", config: {}, workspace: null };
    this.server(0).create({ id: this.id, made, now: this.now });
  }

  server(n: number): Conversations {
    return this.servers[n] as Conversations;
  }

  get record() {
    return this.server(0).mustGet(this.id);
  }

  do(step: (typeof what)[number], n: number): void {
    this.now += 7;
    this.count++;
    const server = this.server(n);
    const { id, now, count } = this;
    const { work } = this.record;
    const end = (status: "done" | "failed" | "waiting" | "resumable" | "interrupted", run: string): void => {
      const how = status === "interrupted" ? "killed" : null;
      server.end({ id, run, status, exitCode: null, error: null, how, now });
    };
    switch (step) {
      case "say": {
        const delivery = count % 3 === 0 ? "step" : "queue";
        const message = {
          message: `m_${count}`,
          text: `text ${count}`,
          attachments: [],
          delivery,
          by: "ann",
        } as const;
        server.say({ id, ...message, now });
        return;
      }
      case "withdraw":
        server.withdraw({ id, message: server.waiting({ id }).at(-1)?.id ?? "m_0", now });
        return;
      case "interrupt":
        server.interrupt({ id, interrupt: `i_${count}`, by: "bob", reason: null, now });
        return;
      case "pause":
        server.pause({ id, interrupt: `i_${count}`, by: "root", reason: "revoked", now });
        return;
      case "resume":
        server.resume({ id, now });
        return;
      case "take": {
        const found = server.takeNext(id, `run-${count}`, now);
        if (found.kind !== "start" && found.kind !== "resume") return;
        this.taken.push(found.run);
        if (!server.store.runs.has(found.run)) begin(server.store, found.run);
        return;
      }
      case "ask":
        if (work !== null) ask(server.store, work.run, `0#${count}`);
        return;
      case "answer": {
        const [open] = server.openQuestions(id);
        if (open !== undefined) server.answer(open.id, "yes", "bob");
        return;
      }
      case "mode":
        server.change({ id, changes: { mode: count % 2 === 0 ? "plan" : "execute" }, by: "ann", now });
        return;
      case "receive":
        if (work !== null)
          server.receive({
            id,
            owner: ownerOf(server.store, work.run),
            messages: server
              .waiting({ id })
              .slice(0, 1)
              .map((one) => one.id),
            now,
          });
        return;
      case "event":
        if (work !== null && this.record.state === "processing") appendCall(server, id, work.run, now, count);
        return;
      case "stale end":
        end("done", "run-0");
        return;
      default:
        if (work !== null) end(step, work.run);
    }
  }

  close(): void {
    for (const store of this.stores) store.close();
  }
}

function begin(store: Store, run: string): void {
  const writer = store.runs.begin(run);
  const header = {
    t: "run",
    journal: "harn",
    format: 3,
    run,
    runtime: "0",
    argv: [],
    entry: "a",
    cwd: "/",
    seed: "s",
  };
  writer.append(header as never);
  writer.flush(false);
  writer.close();
}

const ownerOf = (store: Store, run: string) => ({ run, fence: store.runs.fenceOf(run) ?? 0 });

function ask(store: Store, run: string, place: string): void {
  const writer = store.runs.take(run);
  writer.question(place, "{}");
  writer.close();
}

function appendCall(server: Conversations, id: string, run: string, now: number, k: number): void {
  const body = { run, loop: "l1", turn: 1, call: `l1.1.${k}`, data: { name: "t", model_call_id: "x" } };
  const event = { at: now, type: "tool.start", origin: `${run}:l1:${k}`, body };
  const before = server.appendEvents({ stream: id, owner: ownerOf(server.store, run), events: [event] });
  // Told again by whoever goes on with the run: it is there.
  expect(server.appendEvents({ stream: id, owner: ownerOf(server.store, run), events: [event] })).toBe(
    before,
  );
}

it("goes only where it may, with one run at a time, whatever comes in whatever order", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const world = new World(freshFolder());
      try {
        for (const { do: step, server } of all) {
          try {
            world.do(step, server);
          } catch (error) {
            // Refused in words: nothing was written.
            if (!(error instanceof StoreError)) throw error;
          }
          expect(world.server(1).mustGet(world.id)).toEqual(world.record);
        }
        check(world);
      } finally {
        world.close();
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
});

function check(world: World): void {
  const { record } = world;
  const events = world.server(1).events(world.id, { limit: 100_000 }).items;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
  expect(record.head).toBe(events.length);
  let state = "idle";
  for (const { type, data } of events) {
    if (type !== "conversation.state" || data.state === state) continue;
    expect(ways[state]).toContain(data.state);
    state = String(data.state);
  }
  expect(record.state).toBe(state);
  oneAtATime(events);
  const messages = world.server(0).messages({ id: world.id, after: 0, limit: 1000 });
  expect(record.queued).toBe(messages.filter((message) => message.state === "queued").length);
  for (const { id, state: of } of messages) {
    const withdrawn = events.filter(({ type, data }) => type === "message.withdrawn" && data.message === id);
    expect(withdrawn).toHaveLength(of === "withdrawn" ? 1 : 0);
  }
  // What waits for a server has a letter, and only that.
  const letters = world.server(0).store.mailboxes.messages(`conversation:${world.id}`).length;
  if (record.state === "queued") expect(letters).toBe(1);
  if (record.state === "interrupted" || record.state === "idle") expect(letters).toBeLessThanOrEqual(1);
  for (const { run, place } of world.server(0).questions({ id: world.id }))
    expect(world.server(0).question(questionId(run, place))).not.toBe("withdrawn");
}

/** Between its begin and its end no other run is told of, and after it was stopped nothing of it. */
function oneAtATime(events: readonly StoredEnvelope[]): void {
  let at: string | null = null;
  /** Of the run that stands still: it may be stopped there. */
  let waiting: string | null = null;
  const open = new Set<string>();
  for (const { type, run, call, data } of events) {
    if (type === "run.start" || type === "run.resumed") {
      expect(at === null || at === run).toBe(true);
      at = run;
    } else if (type === "run.end") {
      expect(run).toBe(at ?? waiting);
      at = null;
      waiting = data.status === "waiting" ? run : null;
      if (data.status !== "waiting") expect([...open]).toEqual([]);
    } else if (type === "tool.start") open.add(call ?? "");
    else if (type === "tool.end") open.delete(call ?? "");
  }
}
