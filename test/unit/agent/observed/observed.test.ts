/**
 * Every option, result field, status, hook, event and function of the agent runtime is observed by a golden program:
 * the one that `observers.json` names prints something else when that thing is taken away from it.
 *
 * The list saves looking: what it does not name is looked for here, and with HARN_ACCEPT=1 written into it. What nobody
 * observes needs a new golden, or a line with its reason among the exceptions in `what.ts`.
 */
// suite: slow
// long: runs a golden program for everything that could be taken away
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyOf } from "../../../support/golden-copy.ts";
import { type GoldenCase, goldenCases, goldenRoot } from "../../../support/goldens.ts";
import { accepting, type GoldenChanges, runGolden, withoutTimes } from "../../../support/run-golden.ts";
import { type Group, groups, type Item } from "./what.ts";

const listFile = join(import.meta.dirname, "observers.json");
type Observers = Record<string, Record<string, string>>;
const observers = JSON.parse(readFileSync(listFile, "utf8")) as Observers;

const cases = new Map(
  goldenCases(goldenRoot)
    .filter(({ kind }) => kind === "expected")
    .map((golden) => [golden.name, golden]),
);

/** Runs a golden in a copy of its folder: without its policy, a tool may do anything. */
async function outcome(golden: GoldenCase, changes: GoldenChanges): Promise<string> {
  // Programs run from where they are, so their modules and expectations need no copy.
  const copy = copyOf(dirname(golden.program), (path) => !/\.(harn|expected|error)$/.test(path));
  try {
    const cwd = dirname(copy.pathOf(golden.program));
    const { stdout, error } = await runGolden(golden.program, { ...changes, cwd, temp: copy.temp });
    return `${withoutTimes(stdout).trimEnd()}${error}`;
  } finally {
    copy.remove();
  }
}

const observes = async (golden: GoldenCase, item: Item): Promise<boolean> =>
  (await outcome(golden, item.mutant())) !== golden.expectation.trimEnd();

for (const [name, group] of Object.entries(groups)) {
  describe(name, () => {
    if (accepting) it("are looked for", () => find(name, group), 600_000);
    else check(observers[name] ?? {}, group);
  });
}

function check(listed: Readonly<Record<string, string>>, group: Group): void {
  for (const item of group.items) {
    const known = cases.get(listed[item.name] ?? "");
    it(`${item.name}: ${known?.name ?? "looked for"}`, async () => {
      const golden = known ?? (await observerOf(item));
      expect(golden, "no golden program prints something else without it").toBeDefined();
      expect(await observes(golden as GoldenCase, item), "prints the same without it").toBe(true);
    });
  }
}

// ── looking for observers ─────────────────────────────────────────────────────────────────────────────────────────

async function find(name: string, group: Group): Promise<void> {
  const found: Record<string, string> = {};
  for (const item of group.items) {
    const known = cases.get(observers[name]?.[item.name] ?? "");
    const still = known !== undefined && (await inTime(observes(known, item)));
    const observer = still ? known : await observerOf(item);
    if (observer === undefined) console.log(`nobody observes ${name}: ${item.name}`);
    else found[item.name] = observer.name;
  }
  observers[name] = found;
  writeFileSync(listFile, `${JSON.stringify(observers, null, 2)}\n`);
}

/** Goldens that mention it, those of the agents first; programs about mistakes say little about effects. */
async function observerOf(item: Item): Promise<GoldenCase | undefined> {
  const word = new RegExp(`\\b${item.word.replaceAll(".", "\\.")}\\b`, "g");
  const rank = ({ name }: GoldenCase): number =>
    /error|bad_input|^builtins|^modules/.test(name) ? 2 : name.startsWith("agent") ? 0 : 1;
  const mentioning = [...cases.values()]
    .map((golden) => {
      const text = readFileSync(golden.program, "utf8") + golden.expectation;
      return { golden, times: text.match(word)?.length ?? 0 };
    })
    .filter(({ times }) => times > 0)
    .sort((a, b) => rank(a.golden) - rank(b.golden) || b.times - a.times);
  for (const { golden } of mentioning.slice(0, 60)) {
    const steady = (await outcome(golden, {})) === golden.expectation.trimEnd();
    if (steady && (await inTime(observes(golden, item)))) return golden;
  }
  return undefined;
}

const inTime = (work: Promise<boolean>): Promise<boolean> =>
  Promise.race([work, new Promise<boolean>((give) => void setTimeout(() => give(false), 3000))]);
