/** Signatures of runs: what is signed, what is not, and who is told what. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../../src/cli/skill/skill-command.ts";
import { orderIn, type RunOrder } from "../../../src/cluster/run-order.ts";
import { refusedSignature, type Signers, signedOrder, signersIn } from "../../../src/cluster/signed-runs.ts";
import type { Journal, JournalRecord } from "../../../src/effects/index.ts";
import { inProcess } from "../../../src/process/index.ts";
import { madeProcess } from "../../../src/process/made-process.ts";
import type { Json } from "../../../src/values/index.ts";
import { headerOf } from "../../support/cluster-journals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("signed");
const [alice, bob] = [join(folder, "alice"), join(folder, "bob")];
let signers: Signers;

beforeAll(async () => {
  const silent = (): void => {};
  const own = madeProcess({ cwd: folder, env: {}, stdout: silent, stderr: silent, exit: () => new Error() });
  await inProcess(own, () => generateKey(alice));
  await inProcess(own, () => generateKey(bob));
  const list = join(folder, "signers.pem");
  writeFileSync(list, readFileSync(`${alice}.pub`));
  signers = await signersIn(list);
});

/** A script with a module, somewhere. */
function journalAt(
  place: string,
  changes: { main?: string; helper?: string; argv?: string[] } = {},
): Journal {
  const { main = 'import "h"\n', helper = "pub fn f() {}\n", argv = ["a"] } = changes;
  const records: JournalRecord[] = [
    { t: "blob", hash: "1", v: main },
    { t: "source", name: `${place}/a.harn`, hash: "1" },
    { t: "blob", hash: "2", v: helper },
    { t: "source", name: `${place}/h.harn`, hash: "2" },
    { t: "module", from: `${place}/a.harn`, specifier: "h", name: `${place}/h.harn` },
  ];
  return { header: headerOf("r", place, { argv, options: { allow: null, max_depth: 3 } }), records };
}

const order: RunOrder = { flags: { onDoubt: "ask", model: "m" }, ends: 0, signature: undefined };
const refused = (journal: Journal, signed: RunOrder): Promise<string | undefined> =>
  refusedSignature(signers, journal, signed);

it("holds wherever the folders lie, and however the engine orders keys", async () => {
  const signed = await signedOrder(alice, journalAt("/home/alice/p"), order);
  expect(await refused(journalAt("/srv/worker"), signed)).toBeUndefined();
  const other = { ...signed, flags: { model: "m", onDoubt: "ask" } } as RunOrder;
  const journal = journalAt("/srv/worker");
  const options = { max_depth: 3, allow: null };
  expect(await refused({ ...journal, header: { ...journal.header, options } }, other)).toBeUndefined();
});

describe("does not hold for", () => {
  it.each<[string, (journal: Journal) => Journal, Partial<RunOrder>]>([
    ["another script", () => journalAt("/w", { main: 'import "h"\nf()\n' }), {}],
    ["another module", () => journalAt("/w", { helper: "pub fn f() { exit(1) }\n" }), {}],
    ["other arguments", () => journalAt("/w", { argv: ["b"] }), {}],
    ["other flags", () => journalAt("/w"), { flags: { onDoubt: "redo", model: "m" } }],
    ["another run", (journal) => ({ ...journal, header: { ...journal.header, run: "s" } }), {}],
    ["another entry", (journal) => ({ ...journal, header: { ...journal.header, entry: "/w/h.harn" } }), {}],
    [
      "a script that was changed later in the journal",
      (journal) => ({
        ...journal,
        records: [
          ...journal.records,
          { t: "blob", hash: "3", v: "exit(1)" },
          { t: "source", name: "/w/a.harn", hash: "3" },
        ],
      }),
      {},
    ],
    [
      "imports that mean something else",
      (journal) => ({
        ...journal,
        records: [...journal.records, { t: "module", from: "/w/a.harn", specifier: "h", name: "/w/a.harn" }],
      }),
      {},
    ],
  ])("%s", async (_what, change, changed) => {
    const signed = await signedOrder(alice, journalAt("/w"), order);
    expect(await refused(change(journalAt("/w")), { ...signed, ...changed })).toMatch(
      /^the run [rs] was changed after it was signed$/,
    );
  });
});

it("says who has signed, or that nobody has", async () => {
  const only = `this worker takes only runs that are signed with a key of ${join(folder, "signers.pem")}`;
  expect(await refused(journalAt("/w"), order)).toBe(
    `the run r is not signed, and ${only}\n  \`harn run … --workers --sign KEY\` signs it`,
  );
  const byBob = await signedOrder(bob, journalAt("/w"), order);
  expect(await refused(journalAt("/w"), byBob)).toMatch(
    new RegExp(`^the run r is signed by [0-9a-f]{64}, and ${only}$`),
  );
  const forged = {
    ...byBob,
    signature: byBob.signature?.replace(/[0-9a-f]{64}/, [...signers.keys.keys()][0] ?? ""),
  };
  expect(await refused(journalAt("/w"), forged)).toBe("the signature of the run r is not valid");
  expect(await refused(journalAt("/w"), { ...order, signature: "{}" })).toBe(
    "the signature of the run r can't be read",
  );
});

it("a file without public keys is refused", async () => {
  await expect(signersIn(alice)).rejects.toThrow("holds no public key");
  await expect(signersIn(join(folder, "none"))).rejects.toThrow("cannot be read");
});

describe("what the engine carries", () => {
  it("comes back as it was sent", () => {
    expect(orderIn({ flags: { model: "m", maxSteps: 3, quiet: true }, ends: 2 })).toEqual({
      flags: { model: "m", maxSteps: 3, quiet: true },
      ends: 2,
      signature: undefined,
    });
  });

  it.each<[Json]>([
    [null],
    [[]],
    [{}],
    [{ flags: {}, ends: -1 }],
    [{ flags: { runName: "x" }, ends: 0 }],
    [{ flags: { served: {} }, ends: 0 }],
    [{ flags: { model: 3 }, ends: 0 }],
    [{ flags: JSON.parse('{"__proto__": {"allow": "all"}}'), ends: 0 }],
    [{ flags: { constructor: "x" }, ends: 0 }],
    [{ flags: {}, ends: 0, signature: 7 }],
  ])("is refused where it is something else: %j", (json) =>
    expect(() => orderIn(json)).toThrow("the job says what this worker does not understand"),
  );
});
