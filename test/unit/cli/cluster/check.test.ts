/** `harn cluster check`, with both, with one of them, and after the engine has lost its database. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectEngine } from "../../../../src/cluster/engine/index.ts";
import type { ClusterSettings, JobOrder } from "../../../../src/cluster/index.ts";
import { openJournals } from "../../../../src/cluster/journals/index.ts";
import type { CliResult } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { type PostgresServer, startPostgres } from "../../../support/postgres-server.ts";
import { tempFolders } from "../../../support/temp-folder.ts";
import { findTemporal, startTemporal, type TemporalServer } from "../../../support/temporal-server.ts";

const freshFolder = tempFolders("cluster-check");
const temporal = findTemporal();
const postgres = await startPostgres();
const missing =
  "missing" in temporal ? temporal.missing : postgres === undefined ? "no PostgreSQL" : undefined;

let engine: TemporalServer;
let database: PostgresServer;
beforeAll(async () => {
  if ("path" in temporal) engine = await startTemporal(temporal.path);
  if (postgres !== undefined) database = postgres;
});
afterAll(async () => {
  await engine?.stop();
  await postgres?.stop();
});

let folder = "";
let projects = 0;
beforeEach(() => {
  folder = freshFolder();
  projects++;
});

const check = (
  more: readonly string[] = [],
  env: Record<string, string> = {},
  address = engine?.address,
): Promise<CliResult> => {
  const toml = `[package]\nname = "shop-${projects}"\n\n[cluster]\nengine = "temporal://${address}"\n`;
  writeFileSync(join(folder, "harn.toml"), toml);
  return harnHere(["cluster", "check", ...more], {
    cwd: folder,
    env: { HARN_JOURNALS: database?.url ?? "postgres://x@127.0.0.1:1/x", ...env },
  });
};

const settings = (): ClusterSettings => ({
  engine: { address: engine.address, namespace: "default", tls: false },
  journals: database.url,
  queue: "harn",
  leaseMs: 5000,
  project: `shop-${projects}`,
});

/** A job that the database has, and the engine has not. */
async function put(name: string, order?: JobOrder): Promise<void> {
  const journals = await openJournals(settings());
  await journals.put({ name, kind: "run", order, runs: [] });
  await journals.close();
}

it("needs [cluster]", async () => {
  writeFileSync(join(folder, "harn.toml"), "");
  const { status, stderr, stdout } = await harnHere(["cluster", "check"], { cwd: folder });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^harn: .*has no \[cluster\] \(HARN-CLU-002\)\n {2}write into it/);
});

describe.skipIf(missing !== undefined)(
  `harn cluster check${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    it("says what is there, and how to go on", async () => {
      const { status, stdout, stderr } = await check();
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout.replaceAll(/\d+/g, "N")).toMatch(
        /^project {3}shop-N\nengine {4}Temporal N\.N\.N at N\.N\.N\.N:N, namespace default\n.*remembers.*\nqueue {5}shop-N\/harn: N waiting, and no worker takes them; start one with `harn worker`\ndatabase {2}PostgreSQL /,
      );
      expect(stdout).toMatch(/\njobs {6}the engine knows all that are not over\n$/);
    });

    it("says what of both can't be reached, and looks at the other all the same", async () => {
      const away = await check([], {}, "127.0.0.1:1");
      expect(away.status).toBe(1);
      expect(away.stderr).toMatch(
        /^harn: the engine can't be reached at 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1 \(HARN-CLU-007\)\n$/,
      );
      expect(away.stdout).toMatch(/\ndatabase {2}PostgreSQL/);
      const gone = await check([], { HARN_JOURNALS: "postgres://ann:hush@127.0.0.1:1/harn" });
      expect(gone.status).toBe(1);
      expect(gone.stderr).toMatch(
        /^harn: the database at 127\.0\.0\.1:1\/harn can't be reached: .*\(HARN-CLU-011\)\n$/,
      );
      expect(gone.stdout).toMatch(/\nengine {4}Temporal/);
      expect(gone.stderr + gone.stdout).not.toContain("hush");
    });

    it("hands out again what the engine has lost, and nothing else", async () => {
      const order = { flags: { model: "mock" }, priority: 2 };
      for (const name of ["lost", "known", "ended"]) await put(name, order);
      const own = await connectEngine(settings());
      for (const name of ["known", "ended"]) await own.start({ ...order, name, kind: "run" });
      await own.cancel("ended");
      expect((await check()).stdout).toMatch(
        /\njobs {6}1 not over and unknown to the engine: lost; `harn cluster check --requeue` hands them out again\n$/,
      );
      const again = await check(["--requeue"]);
      expect(again).toMatchObject({ status: 0, stderr: "" });
      expect(again.stdout).toMatch(/\njobs {6}lost, begun \d{4}-.*Z: handed out again\n$/);
      const seen: unknown[] = [];
      const served = await own.serve({
        jobs: 1,
        queues: ["harn"],
        perform: async (job) => {
          seen.push(job);
          return { exitCode: 0, records: 1 };
        },
      });
      await own.ended("lost");
      expect(seen).toContainEqual({ ...order, name: "lost", kind: "run" });
      await served.drain();
      await own.close();
    });

    it("says so of one that nobody knows the flags of", async () => {
      await put("bare");
      const { status, stderr } = await check(["--requeue"]);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^harn: bare, begun .*: nobody knows its flags any more \(HARN-CLU-010\)\n {2}hand it over again where it was begun: `harn run --resume bare --workers`\n$/,
      );
    });
  },
);
