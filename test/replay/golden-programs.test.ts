/** Every golden program, recorded and replayed: same output, same exit code, same error, nothing outside touched. */
// suite: long
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { goldenCases, goldenRoot } from "../support/goldens.ts";
import { recordAndReplayScript } from "../support/replay-script.ts";
import { compileScript } from "../support/run-script.ts";

describe("golden programs replay", () => {
  for (const golden of goldenCases(goldenRoot)) {
    const text = readFileSync(golden.program, "utf8");
    if (compileScript(text).program === undefined) continue;
    test(golden.name, async () => {
      const { recorded, replayed } = await recordAndReplayScript(text);
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
