/** `harn eval compare A B --judge NAME`: which side a judge prefers, sample by sample. */

import { showOneLine } from "../../diagnostics/index.ts";
import { ownStateFolder, reportError, UsageError } from "../../host/command/index.ts";
import { openStore } from "../../store/index.ts";
import type { Json } from "../../values/index.ts";
import { type JudgedPairs, judgePairs, type SetSpec } from "../engine/index.ts";
import { countedText, type StoredSet, type StoredTask } from "../report/index.ts";
import { evalStoreOf } from "./evaluate.ts";
import { planAtHand } from "./plan-at-hand.ts";
import { asOwner } from "./planned-set.ts";
import { SetStop } from "./set-stop.ts";
import { storedSet } from "./stored-sets.ts";
import { NodeTrialRuns } from "./trial-runs.ts";

/** What is to be judged: names of both sides of a comparison, and the task they are of. */
interface Sides {
  readonly task: StoredTask;
  readonly a: { readonly set: StoredSet; readonly variant: string; readonly label: string };
  readonly b: { readonly set: StoredSet; readonly variant: string; readonly label: string };
}

function sidesToJudge(sets: Parameters<typeof sidesOf>[0], judge: string): ReturnType<typeof sidesOf> {
  const sides = sidesOf(sets).filter(({ task }) => sets.length > 1 || task.spec.pairwise?.includes(judge));
  if (sides.length === 0)
    throw new UsageError(
      "--judge: there are no two sides to compare: name two sets, or one with variants",
      "HARN-CLI-003",
    );
  return sides;
}

function reportPairs(judge: string, count: number, sides: string): void {
  reportError(
    `${judge} judges ${countedText(count, "pair")} of ${showOneLine(sides)} in both orders, where it has not yet\n`,
  );
}

/** Judges every pair of sides. The judge is that of the program of B, or of A where B's has none of this name. */
export async function judgedPairs(named: readonly string[], judge: string): Promise<JudgedPairs[]> {
  const files = openStore(ownStateFolder());
  const store = evalStoreOf(files);
  const sets = named.map((name) => storedSet(store, name));
  const owner = sets.findLast((set) => judgesOf(set).includes(judge) && planOf(set) !== "");
  if (owner === undefined) throw new UsageError(`--judge: ${noJudge(sets, judge)}`, "HARN-CLI-003");
  const sides = sidesToJudge(sets, judge);
  const spec = JSON.parse(owner.row.spec) as SetSpec;
  const stop = new SetStop();
  try {
    return await asOwner(files, owner.name, async () => {
      const { plan, at: made, params, options } = spec;
      const at = await planAtHand(files, plan, { at: made, params, onDoubt: options.onDoubt, flags: {} });
      await stop.watch();
      const runs = new NodeTrialRuns(files, store, at, stop);
      const all: JudgedPairs[] = [];
      for (const { task, a, b } of sides)
        all.push(
          await judgePairs({
            runs,
            owner: owner.row,
            task: task.spec.name,
            judge,
            a: { ...a, set: a.set.row },
            b: { ...b, set: b.set.row },
            random: Math.random,
            signal: stop.signal,
            onPairs: (count) => reportPairs(judge, count, `${a.label} and ${b.label}`),
          }),
        );
      return all;
    });
  } finally {
    stop.close();
  }
}

const planOf = (set: StoredSet): string => (JSON.parse(set.row.spec) as SetSpec).plan;

const judgesOf = (set: StoredSet): readonly string[] => set.tasks.flatMap(({ spec }) => spec.pairwise ?? []);

function noJudge(sets: readonly StoredSet[], judge: string): string {
  const there = [...new Set(sets.flatMap(judgesOf))];
  const names =
    there.length === 0
      ? "put one made with `pairwise(rubric)` into `scorers`"
      : `there are ${there.join(", ")}`;
  return `no task of ${sets.map(({ name }) => name).join(" and ")} has a judge ${judge} of pairs; ${names}`;
}

/** Two sets: each variant with its namesake, or the only ones; one set: every pair of its variants. */
function sidesOf([first, second]: readonly StoredSet[]): Sides[] {
  if (first === undefined) return [];
  if (second === undefined)
    return first.tasks.flatMap((task) => {
      const names = task.spec.variants.map(({ name }) => name);
      return names.flatMap((a, at) =>
        names.slice(at + 1).map(
          (b): Sides => ({
            task,
            a: { set: first, variant: a, label: a },
            b: { set: first, variant: b, label: b },
          }),
        ),
      );
    });
  const label = (set: StoredSet, variant: string): string =>
    variant === "default" ? set.name : `${set.name}/${variant}`;
  return second.tasks.flatMap((task) => {
    const other = first.tasks.find(({ spec }) => spec.name === task.spec.name);
    if (other === undefined) return [];
    const [namesA, namesB] = [other, task].map(({ spec }) => spec.variants.map(({ name }) => name)) as [
      string[],
      string[],
    ];
    const shared = namesA.filter((name) => namesB.includes(name)).map((name) => [name, name] as const);
    const only = namesA.length === 1 && namesB.length === 1 ? [[namesA[0], namesB[0]] as const] : [];
    return (shared.length > 0 ? shared : only).map(
      ([a = "", b = ""]): Sides => ({
        task,
        a: { set: first, variant: a, label: label(first, a) },
        b: { set: second, variant: b, label: label(second, b) },
      }),
    );
  });
}

/** `orders  style: B preferred on 12 samples, A on 5, neither on 23; p 0.143` */
export function judgedPairsText(all: readonly JudgedPairs[]): string {
  return all
    .flatMap(({ task, judge, a, b, wins, losses, ties, unscored, why, p }) => [
      showOneLine(`${task}  ${judge}`),
      showOneLine(`  A ${a}   B ${b}`),
      `  B preferred on ${countedText(wins, "sample")}, A on ${losses}, neither on ${ties}; p ${p.toFixed(3)} (McNemar)`,
      ...(unscored === 0
        ? []
        : [showOneLine(`  ${countedText(unscored, "pair")} without a verdict: ${why ?? ""}`)]),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

export const judgedPairsJson = (all: readonly JudgedPairs[]): Json[] =>
  all.map(({ pExact, isStopped: _, ...one }) => ({ ...one, p_exact: pExact }));
