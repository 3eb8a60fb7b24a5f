/** Programs that nobody wrote, compiled and run on a machine in memory. */
import { renderDiagnostics } from "../../../src/diagnostics/index.ts";
import { VirtualClock } from "../../../src/host/index.ts";
import { realPrograms, TextMaker } from "../../support/fuzz-text.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { runScript } from "../../support/run-script.ts";
import type { Fuzzer } from "../fuzzer.ts";

let programs: readonly string[] | undefined;

/** Virtual: a program that still waits then (a daemon for a file that nobody writes) waits for ever, as it should. */
const enoughMs = 600_000;

class TenMinutes extends VirtualClock {
  over: () => void = () => {};

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.monotonic() < enoughMs) return super.sleep(ms, signal);
    this.over();
    return new Promise(() => {});
  }
}

export const source: Fuzzer = {
  name: "source",
  make: (dice) => {
    programs ??= realPrograms();
    return { "main.harn": new TextMaker(dice, programs).text() };
  },
  run: async (input) => {
    const clock = new TenMinutes();
    const waits = new Promise<undefined>((resolve) => {
      clock.over = () => resolve(undefined);
    });
    const limits = { steps: 3000, depth: 300 };
    const running = runScript(input["main.harn"]!, {
      runtime: { limits, host: createMemoryHost({ clock }) },
    });
    const ran = await Promise.race([running, waits]);
    return ran === undefined ? "" : `${renderDiagnostics(ran.diagnostics)}\n${ran.error}\n${ran.stderr}`;
  },
};
