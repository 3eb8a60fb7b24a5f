/** Sessions on a store in memory, with a clock that tests set. */
import { memorySqlite, nodeLibraries } from "../../src/host/index.ts";
import { openStore } from "../../src/store/index.ts";
import { SessionStore } from "../../src/work/session/index.ts";

export const start = Date.UTC(2026, 0, 1);

export interface TestSessions {
  readonly sessions: SessionStore;
  now: number;
}

export function testSessions(): TestSessions {
  const clock = { now: start };
  const store = openStore("/memory", { now: () => clock.now, sqlite: memorySqlite(nodeLibraries.sqlite)() });
  return {
    sessions: new SessionStore(store),
    get now() {
      return clock.now;
    },
    set now(ms: number) {
      clock.now = ms;
    },
  };
}

export const newSession = { agent: "a", script: null, cwd: "/" } as const;
