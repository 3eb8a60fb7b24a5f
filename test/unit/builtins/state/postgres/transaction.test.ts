/** What a resumed transaction asks of the server, with a server that is made up. */
import { describe, expect, it } from "vitest";
import { PgMock } from "../../../../../src/builtins/state/postgres/mock.ts";
import { Transaction } from "../../../../../src/builtins/state/postgres/transaction.ts";
import type { DatabaseAnswer } from "../../../../../src/host/index.ts";

const { signal } = new AbortController();
const answer = (text: string): DatabaseAnswer => ({ columns: [["x", 25]], rows: [[text]], rowsAffected: 1 });

function scene(answers: Readonly<Record<string, string>>): {
  readonly log: string[];
  readonly made: Transaction;
} {
  const log: string[] = [];
  const made = new Transaction("tx_1", new PgMock(undefined), [["my.tenant", "a"]], async () => ({
    session: async () => ({
      query: async ({ sql }) => {
        log.push(sql);
        return answer(answers[sql] ?? "");
      },
      release: (broken) => log.push(broken ? "closed" : "released"),
    }),
    close: async () => {},
  }));
  return { log, made };
}

const begin = ["BEGIN", "SELECT set_config($1, $2, true)"];
const status = "SELECT pg_xact_status($1::xid8)";

describe("a transaction after a crash", () => {
  it("does not commit what the server has committed", async () => {
    const { log, made } = scene({ [status]: "committed" });
    made.note({ sql: "INSERT", params: [] }, answer("1"));
    await made.commit("77", signal);
    expect(log).toEqual([status, "released"]);
  });

  it("begins again, repeats and commits what the server has rolled back", async () => {
    const { log, made } = scene({ [status]: "aborted", INSERT: "1" });
    made.note({ sql: "INSERT", params: [] }, answer("1"));
    await made.commit("77", signal);
    expect(log).toEqual([status, "released", ...begin, "INSERT", "COMMIT", "released"]);
  });

  it("commits nothing when a statement gives another result now", async () => {
    const { log, made } = scene({ [status]: "aborted", INSERT: "2" });
    made.note({ sql: "INSERT", params: [] }, answer("1"));
    await expect(made.commit("77", signal)).rejects.toMatchObject({
      value: expect.stringContaining("the database has changed"),
    });
    expect(log).toEqual([status, "released", ...begin, "INSERT", "closed"]);
  });

  it.each(["in progress", ""])("does not guess when the server says %j", async (said) => {
    const { log, made } = scene({ [status]: said });
    await expect(made.commit("77", signal)).rejects.toMatchObject({
      value: expect.stringContaining("not known whether it happened"),
    });
    expect(log).toEqual([status, "released"]);
  });
});
