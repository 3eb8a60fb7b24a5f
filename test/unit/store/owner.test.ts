/** Who is still there, judged by faked facts of machines: process numbers that came again, containers with one host name. */
import { describe, expect, test } from "vitest";
import { type Owner, Owners } from "../../../src/store/owner.ts";
import type { OwnerFacts } from "../../../src/store/process-facts.ts";

interface Machine {
  readonly hostName?: string;
  readonly boot?: string | undefined;
  readonly pidSpace?: string;
  readonly mountSpace?: string;
  /** Start and state by number. */
  readonly processes?: { readonly [pid: number]: readonly [start: string, state: string] };
  /** Processes that can be asked for although the system says nothing of them. */
  readonly known?: readonly number[];
}

function facts(pid: number, machine: Machine = {}): OwnerFacts {
  const { hostName = "web", pidSpace = "pid:[1]", mountSpace = "mnt:[1]", processes = {} } = machine;
  const boot = "boot" in machine ? machine.boot : "b00t";
  return {
    hostName,
    pid,
    startedAt: 1_700_000_000_000,
    bootId: () => boot,
    namespace: (kind) => (kind === "pid" ? pidSpace : mountSpace),
    status: (of) => {
      const found = processes[of];
      return found === undefined ? undefined : { start: found[0], state: found[1] };
    },
    exists: (of) => machine.known?.includes(of) === true,
  };
}

const at = (pid: number, machine: Machine = {}): Owners => new Owners(facts(pid, machine));
const ownerAt = (pid: number, machine: Machine = {}): Owner => at(pid, machine).thisProcess();

/** Long before the lease is over, and long after. */
const early = [1000, 0] as const;
const late = [1000, 2000] as const;

describe("an owner", () => {
  const seven: Machine = { processes: { 7: ["100", "S"], 8: ["200", "R"] } };

  test("that works keeps what it has, however late its renewal is", () => {
    const owner = ownerAt(7, seven);
    expect(owner).toMatch(/^web\+[0-9a-f]{8}\/7\/100$/);
    expect(at(8, seven).stateOf(owner)).toBe("works");
    expect(at(8, seven).mayTake(owner, ...late)).toBe(false);
  });

  test("that has ended loses it at once, also when its number belongs to another process by now", () => {
    const owner = ownerAt(7, seven);
    const later: readonly NonNullable<Machine["processes"]>[] = [
      { 8: ["200", "R"] },
      // The number came again.
      { 7: ["999", "S"], 8: ["200", "R"] },
      // It has ended, and its parent has not asked how.
      { 7: ["100", "Z"] },
      { 7: ["100", "X"] },
    ];
    for (const processes of later) {
      const judge = at(8, { processes });
      expect(judge.stateOf(owner)).toBe("gone");
      expect(judge.mayTake(owner, ...early)).toBe(true);
      expect(judge.processOf(owner)).toBeUndefined();
    }
  });

  test("that is stopped keeps it until the time is over", () => {
    const owner = ownerAt(7, seven);
    const judge = at(8, { processes: { 7: ["100", "T"] } });
    expect([judge.mayTake(owner, ...early), judge.mayTake(owner, ...late)]).toEqual([false, true]);
    expect(judge.processOf(owner)).toBe(7);
  });

  test.each([
    ["in another container with the same host name", { pidSpace: "pid:[2]" }],
    ["that sees other files", { mountSpace: "mnt:[2]" }],
    ["before the machine was started anew", { boot: "another" }],
    ["on another host", { hostName: "db" }],
    ["on a system that does not say which machine it is", { boot: undefined }],
  ])("%s is nobody whom this process could declare gone", (_where, machine) => {
    const owner = ownerAt(7, { ...seven, ...machine });
    // Here no process has its number, or one of the same start has.
    for (const processes of [{}, seven.processes ?? {}]) {
      const judge = at(8, { processes });
      expect(judge.stateOf(owner)).toBe("unknown");
      expect([judge.mayTake(owner, ...early), judge.mayTake(owner, ...late)]).toEqual([false, true]);
      expect(judge.processOf(owner)).toBeUndefined();
      expect(judge.describe(owner)).toMatch(/^process 7 on (web|db)$/);
    }
  });

  test("with a name of an older version is one of another machine", () => {
    const judge = at(8, seven);
    expect(judge.stateOf("web/7/100")).toBe("unknown");
    expect(judge.mayTake("web/4711/100", ...early)).toBe(false);
    expect(judge.describe("web/7/100")).toBe("process 7 on web");
  });

  test("whose name is damaged is waited for, never declared gone", () => {
    const mark = ownerAt(8, seven).split("/")[0] ?? "";
    for (const owner of ["", mark, `${mark}/x/1`, `${mark}/-1/1`, `${mark}/0/1`])
      expect(at(8, seven).stateOf(owner)).toBe("unknown");
  });

  test("where the system says nothing of processes, one that can be asked for is waited for", () => {
    const bare: Machine = { boot: undefined, known: [7] };
    const owner = ownerAt(7, bare);
    expect(owner).toBe("web/7/1700000000000");
    expect(at(8, bare).stateOf(owner)).toBe("unknown");
    expect(at(8, { ...bare, known: [] }).stateOf(owner)).toBe("gone");
  });
});
