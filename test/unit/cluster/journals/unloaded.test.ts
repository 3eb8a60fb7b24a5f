/** Who has no copy of its runs loads nothing of it. */
import { expect, it } from "vitest";
import { importsOf, sourceFiles } from "../../../support/import-graph.ts";

const edges = sourceFiles()
  .flatMap(importsOf)
  .filter(({ relative, typeOnly }) => relative && !typeOnly);

/** Files that are loaded with one, at its first use or at once. */
function loadedWith(start: string): ReadonlySet<string> {
  const found = new Set([start]);
  for (const file of found) for (const { from, to } of edges) if (from === file) found.add(to);
  return found;
}

it("a store is opened without anything of copies, threads or PostgreSQL", () => {
  const loaded = [...loadedWith("store/index.ts")];
  expect(loaded).toContain("store/run-writer.ts");
  expect(loaded.filter((path) => path.startsWith("store/copies/") || path.startsWith("cluster/"))).toEqual(
    [],
  );
});

it("a run is begun, resumed and served without it", () => {
  for (const start of [
    "run/index.ts",
    "run/start.ts",
    "server/index.ts",
    "library/index.ts",
    "eval/local/index.ts",
  ])
    expect([...loadedWith(start)].filter((path) => path.startsWith("cluster/"))).toEqual([]);
});

it("nothing of the runtime is loaded by the thread that writes copies", () => {
  const loaded = [...loadedWith("cluster/journals/mirror-thread.ts")];
  expect(loaded.sort()).toEqual([
    "cluster/journals/batch.ts",
    "cluster/journals/connection.ts",
    "cluster/journals/mirror-messages.ts",
    "cluster/journals/mirror-thread.ts",
    "cluster/journals/statements.ts",
  ]);
});
