/** What is said of a run that was stopped, to whom. */
import { expect, test } from "vitest";
import type { Runtime } from "../../../../src/interp/index.ts";
import { endOfRun, type RunOutputs } from "../../../../src/run/setup/end-of-run.ts";

function saidOf(reason: "interrupt" | "terminate" | "parked" | "output", written: RunOutputs): string {
  let said = "";
  const console = { writeError: (text: string) => (said += text) };
  const ended = { kind: "stopped", request: { reason, exitCode: 1 } } as const;
  expect(endOfRun(ended as never, { console } as unknown as Runtime, written)).toBe(1);
  return said;
}

test("at the command line: the command that goes on", () => {
  for (const reason of ["interrupt", "terminate", "parked", "output"] as const)
    expect(saidOf(reason, { run: "r1" })).toContain("`harn run --resume r1`");
});

test("under a server: what its users do, never a command line", () => {
  for (const [reason, what] of [
    ["interrupt", "interrupted; the conversation goes on with its next message"],
    ["terminate", "POST /api/conversations/{id}/resume"],
    ["parked", "POST /api/questions/{question}/answer"],
    ["output", ""],
  ] as const) {
    const said = saidOf(reason, { run: "r1", reader: "server" });
    expect(said).toContain(what);
    expect(said).not.toMatch(/harn (run|hitl)/);
  }
});
