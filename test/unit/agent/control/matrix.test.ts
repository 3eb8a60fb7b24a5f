/** Every row of the control plane's matrix names a test that exists, or says why there is none yet. */
import { expect, test } from "vitest";
import { unshown } from "../../../support/shown-by.ts";
import { matrix, open } from "./matrix.ts";

/** How many rows each group has. */
const groups: Readonly<Record<string, number>> = {
  A: 7,
  U: 6,
  L: 8,
  C: 34,
  W: 14,
  S: 16,
  K: 12,
  N: 11,
  J: 12,
  H: 5,
  P: 5,
  G: 6,
  T: 8,
  R: 7,
  Z: 2,
};

test("there are 153 rows, each once, none left out", () => {
  const wanted = Object.entries(groups).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
  expect(matrix.map(([id]) => id).sort()).toEqual([...wanted].sort());
  expect(matrix.length).toBe(153);
});

test("a row names tests that exist, or stands in the list of open ones", () => {
  expect(unshown(matrix.filter(([id]) => !(id in open)))).toEqual([]);
  expect(matrix.filter(([, , shownBy]) => shownBy.length === 0)).toEqual([]);
});

test("open rows are rows, and are counted", () => {
  const ids = new Set(matrix.map(([id]) => id));
  expect(Object.keys(open).filter((id) => !ids.has(id))).toEqual([]);
  const still = matrix.filter((row) => row[0] in open && unshown([row]).length > 0);
  const shown = matrix.filter((row) => row[0] in open && unshown([row]).length === 0);
  console.log(`control plane: ${matrix.length - still.length} of ${matrix.length} rows are shown by a test`);
  for (const [id, what] of still) console.log(`  open ${id} (${what}): ${open[id]}`);
  for (const [id] of shown) console.log(`  ${id} has its test now: take it out of \`open\``);
});
