/** What a run does to a session, and what happens when it is repeated, taken over, or never finished. */
import { describe, expect, it } from "vitest";
import { type SessionOutcome, workBox } from "../../../../src/durable/index.ts";
import type { SessionStore } from "../../../../src/work/session/index.ts";
import { newSession, start, testSessions } from "../../../support/session-store.ts";

const batch = { events: 100, chars: 64_000 };
const outcome: SessionOutcome = {
  text: "ok",
  next: "sleep",
  wakes: [],
  uses: [],
  problems: [],
  route: null,
  maxContinues: 10,
  digest: "d",
};

function withMessages(...texts: string[]): SessionStore {
  const { sessions } = testSessions();
  sessions.create({ name: "s", made: newSession, now: start });
  for (const text of texts) sessions.send({ name: "s", text, now: start });
  return sessions;
}

const begin = (sessions: SessionStore, token: string, now = start) =>
  sessions.begin({ name: "s", token, batch, now });
const commit = (sessions: SessionStore, token: string, value: Partial<SessionOutcome> = {}, now = start) =>
  sessions.commit({ name: "s", token, outcome: { ...outcome, ...value }, now });
const texts = (begun: ReturnType<typeof begin>): string[] =>
  begun.ran ? begun.events.map((event) => (event.type === "user.message" ? event.text : event.type)) : [];
const types = (sessions: SessionStore): string[] =>
  sessions.events({ name: "s", after: 0, limit: 1000 }).map(({ type }) => type);
const due = (sessions: SessionStore): number | undefined =>
  sessions.store.mailboxes.nextDue(workBox("session", "s"));

describe("a run of a session", () => {
  it("begins once, however often it is repeated", () => {
    const sessions = withMessages("a", "b");
    const first = begin(sessions, "t");
    sessions.send({ name: "s", text: "later", now: start });
    const again = begin(sessions, "t");
    expect(texts(first)).toEqual(["a", "b"]);
    expect(texts(again)).toEqual(["a", "b"]);
    expect(types(sessions).filter((type) => type === "session.status")).toHaveLength(1);
    commit(sessions, "t");
    expect(sessions.mustFind("s")).toMatchObject({ pending: 1, handled: 2, status: "rescheduling" });
    expect(texts(begin(sessions, "u"))).toEqual(["later"]);
  });

  it("commits once, and gives the same receipt", () => {
    const sessions = withMessages("a");
    begin(sessions, "t");
    const receipt = commit(sessions, "t", { uses: [{ name: "n", input: 1 }] });
    const length = types(sessions).length;
    expect(commit(sessions, "t", {}, start + 5000)).toEqual(receipt);
    expect(() => commit(sessions, "t", { digest: "other" })).toThrow(/has the outcome of this run already/);
    expect(types(sessions)).toHaveLength(length);
    expect(begin(sessions, "t")).toMatchObject({ ran: false });
  });

  it("can't commit what another run has taken over", () => {
    const sessions = withMessages("a");
    begin(sessions, "old");
    begin(sessions, "new");
    expect(() => commit(sessions, "old")).toThrow(
      /was taken over by another run; nothing of this one was written/,
    );
    expect(() => sessions.fail({ name: "s", token: "old", message: "m", now: start })).toThrow(/taken over/);
    commit(sessions, "new");
    expect(() => commit(sessions, "old")).toThrow(/taken over/);
    expect(sessions.mustFind("s")).toMatchObject({ handled: 1, runs: 1 });
  });

  it("writes all or nothing", () => {
    const sessions = withMessages("a");
    begin(sessions, "t");
    const before = [sessions.mustFind("s"), types(sessions)];
    // What is learned is written last; a text that is no text breaks it off there.
    const broken = { agent: "a", found: [{ text: 5 as never, promote: false }], promoteAfter: 0 };
    const wakes = [{ key: "k", due: start + 1, reason: "r" }];
    expect(() =>
      sessions.commit({ name: "s", token: "t", outcome: { ...outcome, wakes }, now: start, learned: broken }),
    ).toThrow(TypeError);
    expect([sessions.mustFind("s"), types(sessions)]).toEqual(before);
    expect(sessions.wakes({ name: "s" })).toEqual([]);
    commit(sessions, "t");
  });

  it("fails once, puts itself off longer each time, and gives up", () => {
    const sessions = withMessages("a");
    const delays: (number | undefined)[] = [];
    for (let at = 0; at < 5; at++) {
      begin(sessions, `t${at}`);
      sessions.fail({ name: "s", token: `t${at}`, message: "model", now: start });
      sessions.fail({ name: "s", token: `t${at}`, message: "model", now: start });
      const next = due(sessions);
      delays.push(next === undefined ? undefined : next - start);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, undefined]);
    expect(sessions.mustFind("s")).toMatchObject({ status: "failed", failures: 5, pending: 1 });
    expect(types(sessions).filter((type) => type === "session.error")).toHaveLength(5);
    sessions.send({ name: "s", text: "b", now: start });
    expect(due(sessions)).toBe(start);
    expect(texts(begin(sessions, "u"))).toEqual(["a", "b"]);
  });

  it("keeps what was begun when its process ends without a word", () => {
    const sessions = withMessages("a");
    sessions.beginWork({ name: "s", run: "run-1", now: start });
    begin(sessions, "t");
    const crashed = sessions.crashedWork({ name: "s", message: "killed", now: start });
    expect(crashed).toMatchObject({ failures: 1, work: { run: "run-1" }, inFlight: { token: "t" } });
    expect(due(sessions)).toBe(start + 1000);
    commit(sessions, "t");
    // Somebody who speaks of another run changes nothing.
    sessions.endWork({ name: "s", run: "run-0", end: { ok: false, message: "m" }, now: start });
    expect(sessions.mustFind("s")).toMatchObject({ failures: 0, work: { run: "run-1" } });
    sessions.endWork({ name: "s", run: "run-1", end: { ok: true }, now: start });
    expect(sessions.mustFind("s")).toMatchObject({ failures: 0, work: null, handled: 1, retryAt: null });
    expect(due(sessions)).toBe(undefined);
  });

  it("makes every due wake one event, also when the clock jumps", () => {
    const sessions = withMessages();
    const wake = (key: string, at: number) =>
      sessions.wake({
        name: "s",
        wake: { key, due: at, reason: "r", queued: start, by: "user" },
        now: start,
      });
    wake("a", start + 1000);
    wake("b", start + 2000);
    wake("far", start + 86_400_000);
    expect(due(sessions)).toBe(start + 1000);
    expect(begin(sessions, "early", start - 86_400_000)).toMatchObject({ ran: false });
    const begun = begin(sessions, "t", start + 3000);
    expect(texts(begun)).toEqual(["session.wake", "session.wake"]);
    // Back again before the commit: nothing fires a second time.
    expect(texts(begin(sessions, "t", start))).toEqual(["session.wake", "session.wake"]);
    commit(sessions, "t", {}, start);
    expect(sessions.wakes({ name: "s" }).map(({ key }) => key)).toEqual(["far"]);
    expect(due(sessions)).toBe(start + 86_400_000);
    // A year ahead at once: it is due, once.
    expect(texts(begin(sessions, "u", start + 366 * 86_400_000))).toEqual(["session.wake"]);
  });

  it("is told of by one message at a time", () => {
    const sessions = withMessages("a", "b", "c");
    const messages = () => sessions.store.mailboxes.messages(workBox("session", "s"));
    expect(messages()).toHaveLength(1);
    begin(sessions, "t");
    expect(messages()).toHaveLength(1);
    commit(sessions, "t");
    expect(messages()).toHaveLength(0);
    sessions.send({ name: "s", text: "d", now: start });
    const claimed = sessions.store.mailboxes.claim(workBox("session", "s"));
    sessions.send({ name: "s", text: "e", now: start });
    expect(messages().filter(({ isClaimed }) => !isClaimed)).toHaveLength(1);
    expect(claimed === undefined ? false : sessions.store.mailboxes.ack(claimed)).toBe(true);
    sessions.close({ name: "s", now: start });
    expect(messages()).toHaveLength(0);
  });

  it("works through 10,000 pending events in bounded runs", () => {
    const { sessions } = testSessions();
    sessions.create({ name: "s", made: newSession, now: start });
    sessions.store.transaction(() => {
      for (let n = 1; n <= 10_000; n++) sessions.send({ name: "s", text: `m${n}`, now: start });
    });
    const seen: string[] = [];
    for (let run = 1; sessions.mustFind("s").pending > 0; run++) {
      const begun = begin(sessions, `t${run}`);
      expect(texts(begun).length).toBeLessThanOrEqual(100);
      seen.push(...texts(begun));
      commit(sessions, `t${run}`);
    }
    expect(seen).toHaveLength(10_000);
    expect(seen.every((text, at) => text === `m${at + 1}`)).toBe(true);
    expect(sessions.mustFind("s")).toMatchObject({ handled: 10_000, runs: 100, status: "idle" });
  });
});

describe("a session in the store", () => {
  it("names what is damaged", () => {
    const sessions = withMessages("a");
    const { entries } = sessions.store;
    for (const broken of [
      null,
      1,
      [],
      {},
      { version: 1, name: "s" },
      { ...sessions.mustFind("s"), cursor: -1 },
    ]) {
      entries.set("session", "s", broken as never);
      expect(() => sessions.send({ name: "s", text: "b", now: start })).toThrow(
        /the session s (is damaged in the store|was written by another)/,
      );
      expect(() => begin(sessions, "t")).toThrow(/the session s/);
    }
    const other = withMessages("a");
    other.store.entries.set("session.events/s", "000000000001", { n: 2, type: "user.message" });
    expect(() => begin(other, "t")).toThrow("event 1 of the session s is damaged in the store");
  });

  it("does a step of a script once", () => {
    const sessions = withMessages();
    const send = (step: string) => sessions.once(step).send({ name: "s", text: "x", now: start });
    expect([send("t1"), send("t1"), send("t2")]).toEqual([1, 1, 2]);
    expect(sessions.mustFind("s").pending).toBe(2);
  });
});
