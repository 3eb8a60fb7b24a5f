/**
 * Sessions under any order of messages, results, wakes, runs that commit, fail, die or are taken over, and clocks that jump:
 * every event is handled exactly once and in order, and orchestration hears of exactly the sessions that are due.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SessionOutcome, workBox } from "../../src/durable/index.ts";
import { dueOf } from "../../src/durable/operations/sessions/due.ts";
import { StoreError } from "../../src/store/index.ts";
import type { SessionStore } from "../../src/work/session/index.ts";
import { newSession, start, testSessions } from "../support/session-store.ts";

type Step =
  | { readonly do: "send" | "result" | "commit" | "fail" | "die" | "close" }
  | { readonly do: "begin"; readonly limit: number }
  | { readonly do: "wake"; readonly after: number }
  | { readonly do: "clock"; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom({ do: "send" } as const, { do: "send" } as const, { do: "result" } as const),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("begin" as const), limit: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom({ do: "commit" } as const, { do: "fail" } as const, { do: "die" } as const),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("wake" as const), after: fc.integer({ min: 1, max: 9000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("clock" as const), by: fc.integer({ min: -5000, max: 20_000 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "close" } as const) },
);

/** Who plays all parts, and remembers what runs were given. */
class Player {
  readonly clock = testSessions();
  readonly sessions: SessionStore = this.clock.sessions;
  /** Numbers of handled events, as commits had them. */
  readonly handled: number[] = [];
  private token = 0;
  private value: readonly number[] = [];
  private open = false;

  constructor() {
    this.sessions.create({ name: "s", made: newSession, now: start });
  }

  play(step: Step): void {
    const { sessions, clock } = this;
    const { now } = clock;
    const record = sessions.mustFind("s");
    switch (step.do) {
      case "send":
        sessions.send({ name: "s", text: "m", now });
        break;
      case "result": {
        const use = record.awaiting.find(({ answered }) => answered === null);
        if (use !== undefined) sessions.result({ name: "s", use: use.id, content: 1, isError: false, now });
        break;
      }
      case "wake":
        sessions.wake({
          name: "s",
          wake: { key: `k${now}`, due: now + step.after, reason: "r", queued: now, by: "user" },
          now,
        });
        break;
      case "clock":
        clock.now = Math.max(start, now + step.by);
        break;
      case "close":
        if (now % 7 === 0) sessions.close({ name: "s", now });
        break;
      case "begin": {
        if (!this.open) this.token++;
        const begun = sessions.begin({
          name: "s",
          token: `t${this.token}`,
          batch: { events: step.limit, chars: 1e6 },
          now,
        });
        this.open = begun.ran;
        if (begun.ran) this.value = begun.events.map(({ n }) => n);
        break;
      }
      case "commit":
        if (!this.open) break;
        sessions.commit({ name: "s", token: `t${this.token}`, outcome: this.outcome(), now });
        this.handled.push(...this.value);
        this.open = false;
        break;
      case "fail":
        if (!this.open) break;
        sessions.fail({ name: "s", token: `t${this.token}`, message: "m", now });
        this.open = false;
        break;
      case "die":
        // Nobody hears of it; the next run has another token.
        this.open = false;
        break;
    }
  }

  private outcome(): SessionOutcome {
    const odd = this.token % 2 === 1;
    return {
      text: "ok",
      next: odd ? "continue" : "sleep",
      wakes: [],
      uses: this.token % 3 === 0 ? [{ name: "n", input: {} }] : [],
      problems: [],
      route: null,
      maxContinues: 3,
      digest: "d",
    };
  }
}

describe("sessions", () => {
  it("handle every event once, in order, and are due when they should be", () => {
    const refused = (error: unknown): boolean =>
      error instanceof StoreError && /is closed|taken over|wakes of the session/.test(error.message);
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), (steps) => {
        const player = new Player();
        const { sessions } = player;
        for (const one of steps) {
          try {
            player.play(one);
          } catch (error) {
            if (!refused(error)) throw error;
          }
          const record = sessions.mustFind("s");
          const events = sessions.events({ name: "s", after: 0, limit: 10_000 });
          expect(events.map(({ n }) => n)).toEqual(events.map((_, at) => at + 1));
          const inputs = events.filter(({ type }) => type.startsWith("user.") || type === "session.wake");
          expect(player.handled).toEqual(inputs.slice(0, player.handled.length).map(({ n }) => n));
          expect(record.handled).toBe(player.handled.length);
          expect(record.pending).toBe(inputs.length - player.handled.length);
          const messages = sessions.store.mailboxes.messages(workBox("session", "s"));
          const due = dueOf(record, sessions.wakes({ name: "s" })[0]?.due);
          expect(messages).toHaveLength(due === undefined ? 0 : 1);
          if (due !== undefined && due > 0) expect(messages[0]?.due).toBe(due);
        }
      }),
      { numRuns: 200 },
    );
  });
});
