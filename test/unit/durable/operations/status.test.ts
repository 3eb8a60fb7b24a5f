/** The status machine of work: its table is walked, and every kind's words lead back to the states. */
import { describe, expect, it } from "vitest";
import {
  durableKinds,
  isPending,
  moved,
  statusOfWord,
  statusWord,
  transitions,
  type WorkKind,
  workStatuses,
} from "../../../../src/durable/operations/status.ts";

const kinds: readonly WorkKind[] = ["sub_agent", "stage", "workflow", "loop", "daemon"];

describe("the status machine", () => {
  for (const from of workStatuses)
    it(`goes from ${from} where the table says, and nowhere else`, () => {
      for (const to of workStatuses) {
        if (from === to || transitions[from].includes(to)) expect(moved(from, to)).toBe(to);
        else expect(() => moved(from, to)).toThrow(`work can't go from ${from} to ${to}`);
      }
    });

  it("knows each way once, and no state as its own successor", () => {
    for (const [from, tos] of Object.entries(transitions)) {
      expect(new Set(tos).size).toBe(tos.length);
      expect(tos).not.toContain(from);
    }
  });

  it("reaches every state from the one in which work begins, and runs again from all but closed", () => {
    for (const start of ["idle", "running"] as const) expect(reachable(start)).toEqual(new Set(workStatuses));
    for (const status of workStatuses)
      expect(reachable(status).has("running"), status).toBe(status !== "closed");
  });

  it("lets work end only from where something may come, or on somebody's word", () => {
    for (const status of workStatuses) {
      const ends = transitions[status].filter((to) => to === "completed" || to === "interrupted");
      if (!isPending(status)) expect(ends, status).toEqual([]);
    }
  });
});

function reachable(start: (typeof workStatuses)[number]): Set<string> {
  const found = new Set<(typeof workStatuses)[number]>([start]);
  for (const status of found) for (const to of transitions[status]) found.add(to);
  return found;
}

describe("words of the documents", () => {
  it.each(kinds)("of a %s lead back to the state", (kind) => {
    const words = workStatuses.map((status) => statusWord(kind, status));
    expect(new Set(words).size).toBe(words.length);
    for (const status of workStatuses) expect(statusOfWord(kind, statusWord(kind, status))).toBe(status);
    expect(statusOfWord(kind, "gone")).toBeUndefined();
    expect(statusOfWord(kind, undefined)).toBeUndefined();
  });

  it.each(Object.entries(durableKinds))("of a stored %s mean a state each", (_kind, { states }) => {
    const meant = Object.values(states);
    expect(new Set(meant).size).toBe(meant.length);
  });

  it("are those of the reference", () => {
    expect(statusWord("stage", "idle")).toBe("awaiting");
    expect(statusWord("daemon", "idle")).toBe("idle");
    expect(durableKinds.daemon.states.working).toBe("running");
    expect(durableKinds.session.states.rescheduling).toBe("queued");
    expect(durableKinds.session.states.requires_action).toBe("waiting");
    expect(durableKinds.conversation.states.processing).toBe("running");
  });
});
