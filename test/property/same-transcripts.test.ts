/**
 * What each strategy of compaction makes of 500 generated conversations is what it made of them before: a digest for every
 * fifty. `HARN_ACCEPT=1` writes them anew; `HARN_OUTCOMES=folder` writes the outcomes themselves, to be compared.
 */
// long: compacts 3,500 generated conversations
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compactedOutcomes, digestOf, strategies } from "../support/compacted-conversations.ts";
import { projectRoot } from "../support/project.ts";

const conversations = 500;
const each = 50;
const file = join(projectRoot, "test/property/same-transcripts.json");
const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
const accepts = process.env.HARN_ACCEPT === "1";
const folder = process.env.HARN_OUTCOMES;

const blocks = Array.from({ length: conversations / each }, (_, block) => block);

describe.each(strategies)("the same transcripts as ever: %s", (strategy) => {
  test.each(blocks)("block %i", async (block) => {
    const seeds = Array.from({ length: each }, (_, n) => block * each + n);
    const outcomes = await compactedOutcomes(strategy, seeds);
    expect(outcomes.length).toBe(each);
    const digest = digestOf(outcomes);
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${strategy}-${block * each}.jsonl`), `${outcomes.join("\n")}\n`);
    }
    if (accepts) {
      known[strategy] = Object.assign(known[strategy] ?? [], { [block]: digest });
      writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`);
    }
    expect(digest).toBe(known[strategy]?.[block]);
  });
});
