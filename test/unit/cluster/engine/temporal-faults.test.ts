/** Workers and engine that die, freeze and come back; connections that are encrypted. */
// long: kills workers and the engine, and waits for leases
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createServer, type Server } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connectEngine } from "../../../../src/cluster/engine/index.ts";
import type { ClusterSettings, Engine } from "../../../../src/cluster/index.ts";
import { nodeCrypto } from "../../../../src/host/index.ts";
import { keepCompiled } from "../../../support/compiled-sources.ts";
import { jobNamed, resultOf } from "../../../support/engine-contract.ts";
import { projectRoot } from "../../../support/project.ts";
import { tempFolders } from "../../../support/temp-folder.ts";
import { findTemporal, startTemporal, type TemporalServer } from "../../../support/temporal-server.ts";
import { signedCertificate, signedKey, signer } from "../../../support/tls-pair.ts";

const found = findTemporal();
const freshFolder = tempFolders("engine-faults");

let server: TemporalServer;
beforeAll(async () => {
  if ("path" in found) server = await startTemporal(found.path);
});
afterAll(async () => {
  await server?.stop();
});

interface WorkerProcess {
  readonly child: ChildProcess;
  /** Lines so far. */
  readonly lines: readonly string[];
  /** What it wrote to standard error. */
  readonly errors: () => string;
  /** Resolves when it has said a line that begins so. */
  says(start: string): Promise<string>;
  readonly ended: Promise<number | string>;
}

const workers: WorkerProcess[] = [];
const engines: Engine[] = [];
afterEach(async () => {
  for (const { child, ended } of workers.splice(0)) {
    child.kill("SIGKILL");
    await ended;
  }
  for (const engine of engines.splice(0)) await engine.close();
});

async function startWorker(settings: ClusterSettings): Promise<WorkerProcess> {
  const script = join(projectRoot, "test/support/engine-worker.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    env: { ...process.env, NODE_NO_WARNINGS: "1", ...keepCompiled() },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (piece) => {
    errors += String(piece);
  });
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const worker: WorkerProcess = {
    child,
    lines,
    errors: () => errors,
    says: async (start) => {
      await expect.poll(() => lines.find((line) => line.startsWith(start)), { interval: 20 }).toBeDefined();
      return lines.find((line) => line.startsWith(start)) as string;
    },
    ended: new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal ?? ""))),
  };
  workers.push(worker);
  await Promise.race([
    worker.says("serves"),
    worker.ended.then((code) => {
      throw new Error(`the worker ended with ${code}: ${errors}`);
    }),
  ]);
  return worker;
}

let projects = 0;
const ownSettings = (): ClusterSettings => ({
  engine: { address: server.address, namespace: "default", tls: false },
  journals: "",
  queue: "harn",
  leaseMs: 5000,
  project: `faults-${++projects}`,
});

async function connected(settings: ClusterSettings): Promise<Engine> {
  const engine = await connectEngine(settings);
  engines.push(engine);
  return engine;
}

describe.skipIf("missing" in found)(
  `Temporal, when something dies${"missing" in found ? ` (skipped: ${found.missing})` : ""}`,
  () => {
    it("gives a job to another worker when its worker is killed", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const [engine, first] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder } }));
      await first.says("begins held 1 null");
      const second = await startWorker(settings);
      first.child.kill("SIGKILL");
      await second.says("begins held 2");
      writeFileSync(join(folder, "held"), "");
      expect(await engine.ended("held")).toEqual({ kind: "done", result: resultOf(20) });
    });

    it("tells a worker that was frozen for too long that its job is another's", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const [engine, first] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder } }));
      await first.says("begins held 1 null");
      const second = await startWorker(settings);
      first.child.kill("SIGSTOP");
      // Not the second: the engine gives that one to the poll of the frozen worker.
      const [, , number] = (await second.says("begins held")).split(" ");
      first.child.kill("SIGCONT");
      expect(await first.says("aborted")).toBe("aborted held AttemptOver");
      writeFileSync(join(folder, "held"), "");
      expect(await engine.ended("held")).toEqual({ kind: "done", result: resultOf(10 * Number(number)) });
      // It goes on taking others.
      second.child.kill("SIGTERM");
      await second.ended;
      writeFileSync(join(folder, "next"), "");
      await engine.start(jobNamed("next", { flags: { folder } }));
      await first.says("ends next");
      // What it was given while it was frozen it did not begin.
      expect(first.lines.filter((line) => line.startsWith("begins held"))).toHaveLength(1);
    });

    it("tells a worker of another process that its job was cancelled", async () => {
      const settings = ownSettings();
      const [engine, worker] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder: freshFolder() } }));
      await worker.says("begins held");
      await engine.cancel("held");
      expect(await worker.says("aborted")).toBe("aborted held JobCancelled");
      expect(await engine.ended("held")).toEqual({ kind: "cancelled" });
    });

    it("lets a person hold a job back in the engine, and let it go on", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const [engine, worker] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder } }));
      await worker.says("begins held 1");
      const temporal = (what: string): void => {
        const job = ["--activity-id", "1", "--workflow-id", `${settings.project}/held`];
        const place = ["--address", server.address];
        execFileSync((found as { readonly path: string }).path, ["activity", what, ...job, ...place]);
      };
      temporal("pause");
      expect(await worker.says("aborted")).toBe("aborted held AttemptOver");
      expect(await engine.isOpen("held")).toBe(true);
      temporal("unpause");
      await worker.says("begins held 2");
      writeFileSync(join(folder, "held"), "");
      expect(await engine.ended("held")).toEqual({ kind: "done", result: resultOf(20) });
    });

    it("lets a process that is asked to end finish its job, and end without a word", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const [engine, worker] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder } }));
      await worker.says("begins held");
      worker.child.kill("SIGTERM");
      await engine.start(jobNamed("later", { flags: { folder } }));
      writeFileSync(join(folder, "held"), "");
      expect(await worker.ended).toBe(0);
      expect(worker.lines).toEqual(["serves", "begins held 1 null", "ends held", "over"]);
      expect(worker.errors()).toBe("");
      // Closed before the only worker ended.
      expect(await engine.isOpen("held")).toBe(false);
      expect(await engine.isOpen("later")).toBe(true);
    });

    it("goes on where it was when the engine is killed and started again", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const [engine, worker] = [await connected(settings), await startWorker(settings)];
      await engine.start(jobNamed("held", { flags: { folder } }));
      await worker.says("begins held 1");
      const ended = engine.ended("held");
      await server.kill();
      await expect(connectEngine(settings)).rejects.toMatchObject({
        code: "HARN-CLU-007",
        message: expect.stringMatching(/^the engine can't be reached at 127\.0\.0\.1:\d+: .*ECONNREFUSED/),
      });
      // It ends while nobody can be told.
      writeFileSync(join(folder, "held"), "");
      await worker.says("ends held");
      await server.restart();
      expect(await ended).toEqual({ kind: "done", result: resultOf(10) });
      await engine.start(jobNamed("next", { flags: { folder } }));
      writeFileSync(join(folder, "next"), "");
      expect(await engine.ended("next")).toMatchObject({ kind: "done" });
      expect(worker.lines.filter((line) => line.startsWith("begins held"))).toEqual(["begins held 1 null"]);
      expect(worker.errors()).toBe("");
      // However many calls notice it.
      const reports = worker.lines.filter((line) => line.startsWith("reports"));
      expect([[], ["reports the engine can't be reached; it is tried again"]]).toContainEqual(reports);
    });

    it("keeps jobs that wait while the engine is started again, also its last end", async () => {
      const settings = ownSettings();
      const folder = freshFolder();
      const engine = await connected(settings);
      writeFileSync(join(folder, "waits"), "");
      await engine.start(jobNamed("waits", { flags: { folder } }));
      await server.kill();
      await server.restart();
      expect(await engine.isOpen("waits")).toBe(true);
      await startWorker(settings);
      expect(await engine.ended("waits")).toMatchObject({ kind: "done" });
      await server.kill();
      await server.restart();
      expect(await engine.ended("waits")).toMatchObject({ kind: "done" });
    });

    describe("over TLS", () => {
      let proxy: Server;

      beforeAll(async () => {
        proxy = createServer({ key: signedKey, cert: signedCertificate, ALPNProtocols: ["h2"] }, (socket) => {
          const to = connectTo(server.port, "127.0.0.1");
          socket.pipe(to).pipe(socket);
          for (const one of [socket, to]) one.on("error", () => {});
        });
        await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      });
      afterAll(() => {
        proxy.close();
      });

      const encrypted = (more: Partial<ClusterSettings["engine"]>): ClusterSettings => {
        const { port } = proxy.address() as { readonly port: number };
        return {
          ...ownSettings(),
          engine: { address: `localhost:${port}`, namespace: "default", tls: true, ...more },
        };
      };

      it("both sides reach it, where its certificate is signed by whom they know", async () => {
        const settings = encrypted({ ca: signer, apiKey: "sesame" });
        const engine = await connected(settings);
        const served = await engine.serve({ jobs: 1, queues: ["harn"], perform: async () => resultOf(1) });
        await engine.start(jobNamed("secret"));
        expect(await engine.ended("secret")).toEqual({ kind: "done", result: resultOf(1) });
        await served.drain();
      });

      it("nobody else is believed", async () => {
        await expect(connectEngine(encrypted({}))).rejects.toMatchObject({
          code: "HARN-CLU-007",
          message: expect.stringMatching(/certificate/),
        });
        const other = encrypted({ ca: nodeCrypto.selfSigned(["localhost"], Date.now()).certPem });
        await expect(connectEngine(other)).rejects.toMatchObject({ code: "HARN-CLU-007" });
        const plain = encrypted({ tls: false });
        await expect(connectEngine(plain)).rejects.toMatchObject({ code: "HARN-CLU-007" });
      });
    });
  },
);
