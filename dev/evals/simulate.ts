/**
 * How often a gate `not_below baseline by M` passes although the true loss is M, and how often it passes where nothing was lost,
 * beside what d ± t·SE alone would give. Its output is `simulated.txt`; `README.md` says what was concluded.
 *
 *     node dev/evals/simulate.ts 20000 > dev/evals/simulated.txt
 */
import { pairedInterval, studentQuantile } from "../../src/eval/stats/index.ts";
import { type PairDesign, pairedSets } from "../../test/support/simulated-pairs.ts";

const sets = Number(process.argv[2] ?? 2000);

const losses = [
  [1, 0.95],
  [0.99, 0.94],
  [0.95, 0.89],
  [0.8, 0.72],
] as const;

const equal = (count: number, size: number): number[] => Array.from({ length: count }, () => size);
const layouts: readonly (readonly [string, readonly number[], number])[] = [
  ["5 samples, 2 clusters", [3, 2], 1],
  ["5 clusters of 3", equal(5, 3), 1],
  ["8 samples, 3 epochs", equal(8, 1), 3],
  ["10 samples, 3 epochs", equal(10, 1), 3],
  ["10 clusters of 5", equal(10, 5), 1],
  ["10 clusters of 20", equal(10, 20), 1],
  ["15 samples, 2 epochs", equal(15, 1), 2],
  ["20 clusters of 5", equal(20, 5), 1],
  ["50 samples, 3 epochs", equal(50, 1), 3],
  ["50 clusters of 4", equal(50, 4), 1],
  ["200 samples, 3 epochs", equal(200, 1), 3],
  ["12 clusters of 1 to 10", [1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 8, 10], 1],
  ["15 of 1 and 5 of 8", [...equal(15, 1), ...equal(5, 8)], 1],
];

interface Passes {
  readonly t: number;
  readonly rule: number;
}

/** Shares of the sets of which the lower end at level 0.9 lies above −margin. */
function passes(design: PairDesign, margin: number, seed: number): Passes {
  const next = pairedSets(design, seed);
  const critical = studentQuantile(0.95, design.sizes.length - 1);
  let [t, rule] = [0, 0];
  for (let set = 0; set < sets; set++) {
    const { a, b, clusters } = next();
    const found = pairedInterval(a, b, { clusters, level: 0.9 });
    t += Number(found.value - critical * (found.se ?? 0) > -margin);
    rule += Number((found.low ?? Number.NEGATIVE_INFINITY) > -margin);
  }
  return { t: t / sets, rule: rule / sets };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(7);

process.stdout.write(`${sets} sets of each design\n`);
let seed = 0;
for (const rho of [0.3, 0])
  for (const isShared of rho === 0 ? [true] : [true, false]) {
    process.stdout.write(
      `\nintra-class correlation ${rho}${rho === 0 ? "" : isShared ? ", clusters as hard for both" : ", clusters hard for one"}\n`,
    );
    for (const [name, sizes, epochs] of layouts) {
      const wrong = losses.map(([a, b]) => {
        // The margin is the true loss; what rounding leaves of the difference is on the side of the gate.
        const found = passes({ a, b, rho, isShared, sizes, epochs }, a - b + 1e-12, ++seed);
        return `${percent(found.t)} ${percent(found.rule)}`;
      });
      const [low, high] = [0.5, 0.8].map((p) => {
        const found = passes({ a: p, b: p, rho, isShared, sizes, epochs }, 0.1, ++seed);
        return `${percent(found.t)} ${percent(found.rule)}`;
      });
      process.stdout.write(`${name.padEnd(24)} ${wrong.join(" | ")} || ${low} | ${high}\n`);
    }
  }
