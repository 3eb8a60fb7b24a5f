/** How loops end: the rows of the reference name every status and stop reason that the sources give, and no other. */
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loopEnds } from "../../../src/agent/state/loop-ends.ts";

const folders = "src/{agent,skills,work}/**/*.ts";
const sources = globSync(folders)
  .filter((file) => !file.endsWith("loop-ends.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

it("ends that the sources write down have rows", () => {
  const written = [...sources.matchAll(/status: "(\w+)", reason: "(\w+)"/g)].map(([, status, reason]) => [
    status ?? "",
    reason ?? "",
  ]);
  expect(written.length).toBeGreaterThan(20);
  const rows: Readonly<Record<string, { readonly reasons: object; readonly others?: string }>> = loopEnds;
  const missing = written.filter(([status = "", reason = ""]) => {
    const row = rows[status];
    return row === undefined || !(Object.hasOwn(row.reasons, reason) || row.others !== undefined);
  });
  expect(missing).toEqual([]);
});

it("stop reasons of the rows are given by somebody", () => {
  const given =
    sources +
    globSync("stdlib/agent/*.harn")
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
  const unknown = Object.values(loopEnds)
    .flatMap(({ reasons }) => Object.keys(reasons))
    .filter((reason) => !new RegExp(`["'\`]${reason}["'\`]`).test(given));
  expect(unknown).toEqual([]);
});
