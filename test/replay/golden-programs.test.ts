/** Every golden program, recorded and replayed: same output, same exit code, same error, nothing outside touched. */
import { describe, expect, test } from "vitest";
import { goldens } from "../support/goldens.ts";
import { recordAndReplayScript } from "../support/replay-script.ts";
import { compileScript } from "../support/run-script.ts";

describe("golden programs replay", () => {
  for (const golden of goldens()) {
    if (compileScript(golden.text).program === undefined) continue;
    test(golden.name, async () => {
      const { recorded, replayed } = await recordAndReplayScript(golden.text);
      expect(replayed).toMatchObject({
        stdout: recorded.stdout,
        exitCode: recorded.exitCode,
        error: recorded.error,
        guarded: { kind: recorded.guarded.kind },
      });
      expect(replayed.guarded.kind).toBe("ended");
    });
  }
});
