/**
 * Journals that were recorded once, by `harn run --record`, and must replay for ever: `<format>-<story>.jsonl`. A change
 * that makes one of them fail changes what a recording means: it needs a new format number, not a new recording.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Journal, recordedSources } from "../../src/effects/index.ts";
import { journalOfFile } from "../../src/store/index.ts";
import { replayEffects, unusableHost } from "../support/concurrent.ts";
import { projectRoot } from "../support/project.ts";
import { type ReplayableRun, runUnder } from "../support/replay-script.ts";

const folder = join(projectRoot, "test/replay");

/** Replays a stored journal with the script it holds, on a machine on which nothing can be done. */
async function replayStory(
  story: string,
  translated = (text: string): string => text,
): Promise<{ journal: Journal; run: ReplayableRun }> {
  const journal = journalOfFile(join(folder, `${story}.jsonl`));
  const text = recordedSources(journal).texts.get(journal.header.entry);
  if (text === undefined) throw new Error("the journal holds its script");
  return { journal, run: await runUnder(translated(text), replayEffects(journal), unusableHost()) };
}

describe("stored journals", () => {
  test("are all told here", () => {
    const stories = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
    const first = ["computing", "deadline", "files", "killed", "waiting", "workers"];
    expect(stories.sort()).toEqual([
      ...first.map((story) => `1-${story}.jsonl`),
      "2-resumed.jsonl",
      "3-resumed.jsonl",
    ]);
  });

  test("workers that share jobs", async () => {
    const { run } = await replayStory("1-workers");
    expect(run.guarded.kind).toBe("ended");
    expect(run.stdout.trim().split("\n")).toHaveLength(12);
  });

  test("a deadline that passed in a computation", async () => {
    const { run } = await replayStory("1-deadline");
    expect(run.guarded.kind).toBe("ended");
    expect(run.stdout).toBe("Deadline exceeded at 1658880\n1\n");
  });

  test("files, an error caught and one that was not", async () => {
    const { run } = await replayStory("1-files");
    expect(run).toMatchObject({ guarded: { kind: "ended" }, exitCode: 1, error: "Thrown: the end" });
    expect(run.stdout).toContain("second line\n");
  });

  test("Ctrl-C while it waited", async () => {
    const { run } = await replayStory("1-waiting");
    expect(run.guarded).toMatchObject({ kind: "stopped", request: { reason: "interrupt", exitCode: 130 } });
    expect(run.stdout).toMatch(/^start \d+\ntidied up \d+\n$/);
  });

  test("Ctrl-C in a computation", async () => {
    const { run } = await replayStory("1-computing");
    expect(run).toMatchObject({
      stdout: "start\n",
      guarded: { kind: "stopped", request: { exitCode: 130 } },
    });
  });

  test("a run that was killed", async () => {
    const { run } = await replayStory("1-killed");
    expect(run.guarded).toMatchObject({ kind: "problem", problem: { kind: "ended-early" } });
    expect(run.stdout.trim().split("\n")).toHaveLength(3);
  });

  test("a run that was killed in a sub-process and went on", async () => {
    // When it was recorded, a method that a list does not have gave nil; today that is an error, so the script says it.
    const { run, journal } = await replayStory("2-resumed", (text) =>
      text.replaceAll(".len()", ".find({ _ -> false })"),
    );
    expect(journal.records.some(({ t }) => t === "resume")).toBe(true);
    expect(run.guarded.kind).toBe("ended");
    expect(run.stdout).toBe("begun 279\nfalse\nnil\n5\nnil\n");
  });

  test("a script that means something else since it was recorded", async () => {
    const { run } = await replayStory("2-resumed");
    expect(run.guarded).toMatchObject({ kind: "problem", problem: { kind: "mismatch" } });
    expect(run.stdout).toBe("begun 279\n");
  });

  test("a run that was killed in a sub-process, stopped for it and went on with --on-doubt redo", async () => {
    const { run, journal } = await replayStory("3-resumed");
    expect(journal.records.filter(({ t }) => t === "resume")).toHaveLength(2);
    expect(run.guarded.kind).toBe("ended");
    expect(run.stdout).toBe("begun 978\ntrue\n40\n5\n30\n");
  });
});
