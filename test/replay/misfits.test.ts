/**
 * Journals that are sealed rightly and hold what no effect gives: whatever a result is replaced by, a replay follows it or says
 * that the journal was changed. That Harn itself fails on it is never an end, not even one that is told as damage.
 */
// suite: slow
// long: replaces every outcome of every kind of effect

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Journal, type JournalRecord, type Json, Secrets } from "../../src/effects/index.ts";
import { replayEffects, unusableHost } from "../support/concurrent.ts";
import { goldenRoot } from "../support/goldens.ts";
import { recordAndReplayScript, runUnder } from "../support/replay-script.ts";
import { isSmoke } from "../support/smoke.ts";

/** Goldens in which, between them, every kind of effect happens that happens in any of them on a machine in memory. */
const goldens = `
agent/bad_loops agent_options/judge_cadence agent_results/parked builtins/crypto/bad_keys builtins/crypto/jwt
builtins/environment/bad_input builtins/files/bad_paths builtins/files/bytes builtins/files/life builtins/files/missing
builtins/harness/handles builtins/harness/secrets-direct builtins/http/download builtins/http/multipart
builtins/output/terminals builtins/papers/bad_papers builtins/papers/library builtins/papers/writing
builtins/persistence/bad_input builtins/reports/friction builtins/workspace/fingerprint builtins/workspace/hashes/hashes
builtins/workspace/metadata/metadata builtins/workspace/scan concurrency/bad_input control/predicates daemons/loop_watch
daemons/twice hitl/timeouts http/messages language/templates/include_limits llm/fallback_chain
llm_transcript/asides_and_templates policy/approval run_records/bad_input scopes/loops_of_spawned_tasks
session_runs/custom_tools session_runs/failures session_runs/wakes skills/bad_input streaming/mistakes
workers/resume_twice workers/workflow
`
  .trim()
  .split(/\s+/);

const misfits: readonly Json[] = [null, 5, "x", [], {}];

/** The journal with another outcome of one effect: as its result, or as the error that it ended with. */
function replaced(journal: Journal, at: JournalRecord, field: "v" | "e", misfit: Json): Journal {
  const records = journal.records.map((record) => {
    if (record !== at || record.t !== "result") return record;
    const { v: _, e: __, ...rest } = record;
    return { ...rest, [field]: misfit } as JournalRecord;
  });
  return { ...journal, records };
}

/** What Harn itself fails with when it follows a journal; undefined when it doesn't. */
async function failureOf(text: string, journal: Journal): Promise<string | undefined> {
  try {
    const effects = replayEffects(journal, new Secrets());
    const { guarded } = await runUnder(text, effects, unusableHost());
    const cause = guarded.kind === "problem" ? guarded.problem : undefined;
    return cause?.message.includes("it holds what Harn does not record")
      ? String((cause.cause as Error).stack)
      : undefined;
  } catch (error) {
    return String((error as Error).stack ?? error);
  }
}

const seen = new Set<string>();

describe("an outcome that is none", () => {
  test.each(goldens)("%s", async (golden) => {
    const text = readFileSync(join(goldenRoot, `${golden}.harn`), "utf8");
    const { journal } = await recordAndReplayScript(text);
    const kinds = new Map<string, string>();
    for (const record of journal.records)
      if ((record.t === "intent" || record.t === "result") && record.k !== undefined)
        kinds.set(`${record.p}#${record.n}`, record.k);
    for (const record of journal.records) {
      if (record.t !== "result") continue;
      const kind = kinds.get(`${record.p}#${record.n}`) ?? "";
      if (seen.has(kind)) continue;
      seen.add(kind);
      for (const field of ["v", "e"] as const)
        for (const misfit of misfits)
          expect(
            await failureOf(text, replaced(journal, record, field, misfit)),
            `${kind}: ${field} = ${JSON.stringify(misfit)}`,
          ).toBeUndefined();
    }
  });

  test.skipIf(isSmoke)("was looked for in every kind of effect", () => {
    expect(seen.size).toBeGreaterThanOrEqual(163);
  });
});
