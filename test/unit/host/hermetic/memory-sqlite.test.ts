/** Databases of machines without a disk: nothing reaches the real one, and what was written is found again. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hermeticHost } from "../../../../src/host/index.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { runScript } from "../../../support/run-script.ts";

describe.each([
  ["hermetic", () => hermeticHost()],
  ["memory", () => createMemoryHost()],
])("a database of a %s machine", (_name, create) => {
  it("lives by its path, as long as the machine", () => {
    const host = create();
    const { DatabaseSync } = host.libraries.sqlite();
    const first = new DatabaseSync("/nowhere/at all.db");
    first.exec("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)");
    first.close();
    const again = new (host.libraries.sqlite().DatabaseSync)("/nowhere/at all.db");
    expect(again.prepare("SELECT n FROM t").get()).toMatchObject({ n: 7 });
    expect(() => new DatabaseSync("/nowhere/other.db").exec("SELECT n FROM t")).toThrow(/no such table/);
    expect(() =>
      new (create().libraries.sqlite().DatabaseSync)("/nowhere/at all.db").exec("SELECT n FROM t"),
    ).toThrow();
    expect(existsSync("/nowhere")).toBe(false);
  });
});

it("the event log of such a machine is one of them", async () => {
  const host = createMemoryHost({
    env: { HARN_EVENT_LOG_BACKEND: "sqlite", HARN_EVENT_LOG_DIR: "/surely/not/there" },
  });
  const emit = `println(event_log.emit("t", "k"))`;
  expect((await runScript(emit, { runtime: { host } })).stdout).toBe("1\n");
  expect((await runScript(emit, { runtime: { host } })).stdout).toBe("2\n");
  expect(existsSync("/surely")).toBe(false);
});
