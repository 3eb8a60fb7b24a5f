/** What was in progress when a process died: a person at a terminal decides. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { harnInTerminal, hasTerminals, type Screen } from "../../../support/terminal.ts";

const folder = tempFolder("doubts");

const script = `let ran = try { exec("sh", "-c", "echo ran >> ran.txt; sleep 1; echo ok").stdout.trim() } catch e { "caught \${e}" }
println("it gave \${ran}")`;

/** A run whose process was killed while its sub-process was at work. */
async function killedInside(name: string): Promise<string> {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), script);
  const run = startHarn(["run", "a.harn"], { cwd });
  while (!existsSync(join(cwd, "ran.txt"))) await pause(20);
  run.child.kill("SIGKILL");
  await run.ended;
  return cwd;
}

const times = (cwd: string): number => readFileSync(join(cwd, "ran.txt"), "utf8").split("\n").length - 1;

describe.skipIf(!hasTerminals)("a doubtful effect, at a terminal", () => {
  const answered = (cwd: string, ...answers: string[]): Promise<Screen> =>
    harnInTerminal(["run", "--resume", "last"], { cwd, prompt: "or [f]ail? ", answers });

  it("is shown, and done again, skipped or failed as the person says", async () => {
    const again = await killedInside("again");
    const one = await answered(again, "a");
    expect(one.text).toContain('exec ["sh","-c","echo ran >> ran.txt; sleep 1; echo ok"]');
    expect(one.text).toContain("it gave ok\n");
    expect(times(again)).toBe(2);
    const skipped = await killedInside("skipped");
    expect((await answered(skipped, "skip")).text).toContain("it is skipped");
    expect(times(skipped)).toBe(1);
    const failed = await killedInside("failed");
    expect((await answered(failed, "f")).text).toContain("it gave caught Runtime error: interrupted: ");
    expect(times(failed)).toBe(1);
  });

  it("another answer is asked for again", async () => {
    const cwd = await killedInside("asked");
    const { text, status } = await answered(cwd, "", "what?", "a");
    expect(text.split("or [f]ail? ")).toHaveLength(4);
    expect(text).toContain("it gave ok\n");
    expect(status).toBe(0);
  });
});
