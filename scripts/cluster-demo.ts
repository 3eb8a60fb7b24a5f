/**
 * `npm run cluster-demo`: PostgreSQL from npm, the engine, two workers and 500 trials. A worker is killed and the engine is restarted
 * in the middle; a server outside counts what the trials did. Ends with `500 done, 0 lost, 0 twice` and shows the engine's page until
 * Ctrl-C (`--no-wait`: ends).
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { effectServer } from "../test/support/cluster-desk.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { projectRoot } from "../test/support/project.ts";
import { type RunningCli, startHarn } from "../test/support/start-cli.ts";
import { findTemporal, startTemporal } from "../test/support/temporal-server.ts";
import { fetchTemporal } from "./fetch-temporal.ts";

const { values: flags } = parseArgs({ options: { "no-wait": { type: "boolean", default: false } } });
const trials = 500;
const say = (text: string): void => console.log(text);
const closers: (() => unknown)[] = [];
let stopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void close(130));

await main().catch(async (error: Error) => {
  console.error(`cluster-demo: ${error.message}`);
  await close(1);
});

async function main(): Promise<void> {
  const program = await engineProgram();
  const postgres = await startPostgres();
  if (postgres === undefined)
    throw new Error("there is no PostgreSQL for this platform in the packages of this repository");
  closers.push(() => postgres.stop());
  const engine = await startTemporal(program, { page: true });
  closers.push(() => engine.stop());
  const page = `http://127.0.0.1:${engine.port + 1}`;
  say(`PostgreSQL at port ${postgres.port}, Temporal at ${engine.address}`);

  const root = mkdtempSync(join(tmpdir(), "harn-cluster-demo-"));
  closers.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  // Folders that stand for machines: each has its own state.
  const start = (machine: string, ...args: string[]): RunningCli => {
    const cwd = join(root, machine);
    const started = startHarn(args, { cwd, env: { HARN_JOURNALS: postgres.url } });
    closers.push(() => started.child.kill("SIGKILL") && started.ended);
    return started;
  };
  for (const machine of ["desk", "one", "two"]) {
    cpSync(join(projectRoot, "examples/cluster/project"), join(root, machine), { recursive: true });
    const manifest = `[cluster]\nengine = "temporal://${engine.address}"\nlease = "5s"\nproject = "demo"\n`;
    writeFileSync(join(root, machine, "harn.toml"), manifest);
  }
  const worker = async (machine: string): Promise<RunningCli> => {
    const started = start(machine, "worker", "--jobs", "2");
    await started.shows("takes jobs of");
    return started;
  };
  const [first] = await Promise.all([worker("one"), worker("two")]);
  say("two workers take jobs");

  const counter = await effectServer(20);
  closers.push(() => counter.close());
  const flagsOfSet = ["--set", "demo", "--workers", "--quiet", "--param", `counter=${counter.url}`];
  const set = start("desk", "eval", "run", "towns.eval.harn", ...flagsOfSet);
  say(`${trials} trials are handed over`);
  await counter.came(trials / 4, set.ended);
  first.child.kill("SIGKILL");
  say(`${counter.sent.size} trials: one worker is killed`);
  await counter.came(trials / 2, set.ended);
  await engine.kill();
  say(`${counter.sent.size} trials: the engine is killed`);
  await engine.restart();
  say("the engine is there again");

  const end = await set.ended;
  say(end.stdout.trimEnd());
  if (end.stderr !== "") say(end.stderr.trimEnd());
  const done = await succeeded(start);
  const { twice } = counted(counter.sent.keys());
  say(`${done} done, ${trials - done} lost, ${twice} twice`);
  const isGood = end.status === 0 && done === trials && twice === 0;
  if (!flags["no-wait"] && isGood) {
    say(`the engine's page: ${page}  (Ctrl-C ends the demo)`);
    return;
  }
  if (isGood) say(`the engine's page was ${page}`);
  await close(isGood ? 0 : 1);
}

async function engineProgram(): Promise<string> {
  const found = findTemporal();
  if ("path" in found) return found.path;
  say(`${found.missing}: it is fetched`);
  return await fetchTemporal().catch((error: Error) => {
    throw new Error(
      `${error.message}\n  the engine's binary is at https://github.com/temporalio/cli/releases; put \`temporal\` in PATH, or name it in HARN_TEST_TEMPORAL`,
    );
  });
}

/** Trials of the set that are done, as the store of the desk says. */
async function succeeded(start: (machine: string, ...args: string[]) => RunningCli): Promise<number> {
  const { stdout } = await start("desk", "eval", "status", "demo", "--json").ended;
  const { tasks } = JSON.parse(stdout) as { tasks: Record<string, { done: number }> };
  return tasks.towns?.done ?? 0;
}

/** Trials that were begun more than once: each has a key of its own. */
function counted(keys: Iterable<string>): { readonly twice: number } {
  const trialsOf = [...keys].map((key) => key.split(" ")[0]);
  return { twice: trialsOf.length - new Set(trialsOf).size };
}

async function close(code: number): Promise<void> {
  if (stopped) return;
  stopped = true;
  for (const closer of closers.reverse()) await closer();
  process.exit(code);
}
