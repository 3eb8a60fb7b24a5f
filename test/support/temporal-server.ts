/**
 * Temporal's one-process server for tests, demo and bench: `HARN_TEST_TEMPORAL`, else `temporal` in PATH, else what
 * `scripts/fetch-temporal.ts` has fetched. `HARN_NO_TEMPORAL=1` has none. Under `CI=true` its absence is an error: a green run there
 * means that workers were tried.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fetchedTemporal } from "../../scripts/fetch-temporal.ts";
import { freePort } from "./postgres-server.ts";

/** The program, or why there is none. Throws in CI, where there has to be one. */
export function findTemporal(
  env: NodeJS.ProcessEnv = process.env,
  fetched = fetchedTemporal,
): { readonly path: string } | { readonly missing: string } {
  const found = lookForTemporal(env, fetched);
  if ("missing" in found && env.CI === "true" && env.HARN_NO_TEMPORAL !== "1")
    throw new Error(
      `${found.missing}: run \`node scripts/fetch-temporal.ts\`, or set HARN_NO_TEMPORAL=1 to skip its tests`,
    );
  return found;
}

function lookForTemporal(env: NodeJS.ProcessEnv, fetched: string): ReturnType<typeof findTemporal> {
  if (env.HARN_NO_TEMPORAL === "1") return { missing: "HARN_NO_TEMPORAL=1 switches tests with Temporal off" };
  const named = env.HARN_TEST_TEMPORAL;
  if (named !== undefined && named !== "")
    return isProgram(named) ? { path: named } : { missing: `HARN_TEST_TEMPORAL=${named} can't be run` };
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const path = [...folders.map((folder) => join(folder, "temporal")), fetched].find(isProgram);
  return path === undefined
    ? { missing: "no temporal in PATH, no HARN_TEST_TEMPORAL, and none was fetched" }
    : { path };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface TemporalServer {
  readonly address: string;
  readonly port: number;
  /** Ends it at once, as a machine that loses its power. */
  kill(): Promise<void>;
  /** Starts it again at the same address, on the same file. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TemporalOptions {
  /** Besides `default`. */
  readonly namespaces?: readonly string[];
  /** With its page at the port after: for demos. */
  readonly page?: boolean;
}

/** Starts the program at a port of its own, on a file of its own. Resolves when it answers. */
export async function startTemporal(path: string, options: TemporalOptions = {}): Promise<TemporalServer> {
  const folder = mkdtempSync(join(tmpdir(), "harn-temporal-"));
  const port = await freePort();
  const { namespaces = [], page = false } = options;
  const args = [
    ["server", "start-dev", "--ip", "127.0.0.1", "--port", String(port)],
    ["--db-filename", join(folder, "temporal.db"), "--log-level", "never"],
    page ? ["--ui-port", String(port + 1)] : ["--headless"],
    namespaces.flatMap((name) => ["--namespace", name]),
    // Queues in one part: priorities hold inside of a part.
    ["enableFairness=true", "numTaskqueueReadPartitions=1", "numTaskqueueWritePartitions=1"].flatMap(
      (value) => ["--dynamic-config-value", `matching.${value}`],
    ),
  ].flat();
  let child = await started(path, args, folder);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  };
  return {
    address: `127.0.0.1:${port}`,
    port,
    kill: () => end("SIGKILL"),
    restart: async () => {
      child = await started(path, args, folder);
    },
    stop: async () => {
      await end("SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** It chooses a second port itself, and may find it taken by the time it listens. */
async function started(path: string, args: readonly string[], cwd: string): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt++)
    try {
      return await answering(path, args, cwd);
    } catch (error) {
      if (attempt === 5 || !String(error).includes("address already in use")) throw error;
    }
}

/** Resolves when it says where it is, which it does when it serves; rejects with what it said when it ends before. */
function answering(path: string, args: readonly string[], cwd: string): Promise<ChildProcess> {
  const child = spawn(path, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: cwd },
  });
  let said = "";
  return new Promise((resolve, reject) => {
    const take = (piece: Buffer): void => {
      said = (said + String(piece)).slice(-10_000);
      if (/Temporal Server: +\S+:\d+/.test(said)) resolve(child);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`temporal ended with ${code}: ${said}`)));
  });
}
