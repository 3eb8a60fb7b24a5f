/** Environment and the process itself (builtins.md §2.14). */

import { shape } from "../../effects/index.ts";
import { type Host, machineOfRuntime } from "../../host/index.ts";
import { ExitProgram, type Task, workingFolder } from "../../interp/index.ts";
import { isAbsolutePath } from "../../model/index.ts";
import { variable } from "../../process/environment.ts";
import { manifestFolder, type StatePlaces, statePlaces } from "../../store/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, Float, List, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { handlerContextOf } from "../events/triggers/context.ts";
import { joinPaths, normalizePath, parentPath } from "../files/path-text.ts";
import { observe } from "../observe/observed.ts";

function fact(doc: string, type: string, read: (task: Task) => Value) {
  return { doc, sig: `() -> ${type}`, effect: "observe" as const, run: (task: Task): Value => read(task) };
}

/** The folder of the file that contains the call; the working directory for programs that are no file. */
export function sourceDirectory(task: Task): string {
  const source = task.site?.source;
  return scriptFolderOf(task, source?.path ?? source?.name ?? "");
}

/** The folder of the program's own file, also in functions of its modules. */
const programDirectory = (task: Task): string => scriptFolderOf(task, task.runtime.entry);

function scriptFolderOf(task: Task, file: string): string {
  const { cwd } = task.runtime.host;
  if (file === "" || file.startsWith("<")) return cwd;
  const path = isAbsolutePath(file) ? file : joinPaths([cwd, file]);
  return parentPath(normalizePath(path));
}

/** The nearest folder upwards with a `harn.toml`. */
export function projectRoot(task: Task, from: string, host: Host = task.runtime.host): string | undefined {
  return manifestFolder(normalizePath(from), (path) => host.files.stat(path)?.kind === "file");
}

/** Where state is kept. Call it inside an effect. */
export const stateDirectory = (task: Task): string => taskStatePlaces(task).state;

/**
 * Absolute. Limits of the run do not hold for looking up where the runtime's own files lie: `HARN_STATE_DIR` counts from the
 * project's folder also where that may not be read.
 */
function taskStatePlaces(task: Task): StatePlaces {
  const { host } = task.runtime;
  return statePlaces(host.cwd, host.env, (path) => machineOfRuntime(host).files.stat(path)?.kind === "file");
}

export const environment = defineBuiltins("environment", {
  env: {
    doc: "An environment variable; nil when it isn't set.",
    sig: "(name: any) -> string?",
    effect: "observe",
    capability: "env",
    traits: ["readsVariable"],
    example: 'env("HARN_SURELY_NOT_SET")  // nil',
    run: (task, name: Argument) => task.runtime.host.env.get(textOf(name)) ?? null,
  },
  env_or: {
    doc: "An environment variable, or the default when it isn't set.",
    sig: "(name: any, default: any) -> any",
    effect: "observe",
    capability: "env",
    traits: ["readsVariable"],
    example: 'env_or("HARN_SURELY_NOT_SET", 3)  // 3',
    run: (task, name: Argument, fallback: Argument) =>
      task.runtime.host.env.get(textOf(name)) ?? fallback ?? null,
  },
  exit: {
    doc: "Ends the program at once with an exit code; below 0 counts as 0, above 255 as 255. What is no int is refused.",
    sig: "(code: int = 0) -> never",
    effect: "state",
    refuses: { code: "write the number: `exit(1)`, `exit(to_int(…))`" },
    run: (_task, code: Argument): Value => {
      throw new ExitProgram(code);
    },
  },
  username: fact("The name of the user.", "string", (task) => task.runtime.host.userName),
  hostname: fact("The name of the machine.", "string", (task) => task.runtime.host.hostName),
  platform: {
    ...fact("darwin, linux or windows.", "string", (task) => task.runtime.host.os),
    resultTexts: () => ["darwin", "linux", "windows"],
  },
  arch: fact("The processor: x86_64, aarch64.", "string", (task) => task.runtime.host.arch),
  home_dir: fact("The user's home folder.", "string", (task) => task.runtime.host.homeDir),
  system_cpu: fact("The processors: `{count, model}`.", "{count: int, model: string}", (task) => {
    const { cpuCount, cpuModel } = task.runtime.host.machine();
    return Dict.of({ count: cpuCount, model: cpuModel });
  }),
  system_memory: fact("Memory in bytes: `{total, free}`.", "{total: int, free: int}", (task) => {
    const { memoryTotal, memoryFree } = task.runtime.host.machine();
    return Dict.of({ total: memoryTotal, free: memoryFree });
  }),
  system_gpus: fact(
    "The graphics processors: `{name, memory_total}`; memory in bytes, nil when the driver does not say.",
    "list<dict>",
    (task) =>
      new List(
        (task.runtime.host.sensors?.gpus() ?? []).map(({ name, memoryTotal }) =>
          Dict.of({ name, memory_total: memoryTotal ?? null }),
        ),
      ),
  ),
  system_processes: {
    ...fact(
      "The running programs: `{pid, parent_pid, name, memory}`, by number; memory in bytes.",
      "list<dict>",
      (task) =>
        new List(
          (task.runtime.host.sensors?.processes() ?? []).map(({ pid, parent, name, memory }) =>
            Dict.of({ pid, parent_pid: parent, name, memory }),
          ),
        ),
    ),
    capability: "process",
  },
  system_temperature: fact(
    "Temperatures of the machine: `{name, celsius}`.",
    "list<dict>",
    (task) =>
      new List(
        (task.runtime.host.sensors?.temperatures() ?? []).map(({ name, celsius }) =>
          Dict.of({ name, celsius: new Float(celsius) }),
        ),
      ),
  ),
  tenant_id: {
    doc: "Whose work this is: the tenant of the trigger at work, else `HARN_TENANT_ID`, else nil. Also `harness.tenant.id`.",
    sig: "() -> string?",
    effect: "observe",
    performs: true,
    capability: "env",
    example: "tenant_id()  // nil",
    run: (task) =>
      handlerContextOf(task)?.binding.tenantId ??
      (observe(
        task,
        "tenant_id",
        shape.text,
        () => variable(task.runtime.host.env, "HARN_TENANT_ID") ?? "",
      ) ||
        null),
  },
  auth_principal: {
    doc: "For whom the program acts: `HARN_PRINCIPAL`, else the user of the machine. Also `harness.auth.principal`.",
    sig: "() -> string",
    effect: "observe",
    capability: "env",
    run: (task) => variable(task.runtime.host.env, "HARN_PRINCIPAL") || task.runtime.host.userName,
  },
  pid: fact("The number of the process.", "int", (task) => task.runtime.host.pid),
  cwd: fact("The working directory.", "string", workingFolder),
  execution_root: fact(
    "The folder that work is done in: the working folder of the run, or `execution.cwd` of a worker. Relative paths of " +
      "files and commands begin there.",
    "string",
    workingFolder,
  ),
  asset_root: {
    ...fact(
      "The folder of the module whose code is running. Relative paths of templates begin there.",
      "string",
      sourceDirectory,
    ),
    // Only calls that may wait tell the task where they stand.
    suspends: "may",
  },
  source_dir: fact("The folder of the program's own file.", "string", programDirectory),
  project_root: {
    doc: "The nearest folder with a `harn.toml`, from the running file upwards; nil when there is none.",
    sig: "() -> string?",
    effect: "read",
    capability: "fs.read",
    suspends: "may",
    run: (task) => projectRoot(task, sourceDirectory(task)) ?? null,
  },
  runtime_paths: {
    doc:
      "`{execution_root, asset_root, state_root, run_root, worktree_root}`. The last three lie beside the nearest " +
      "`harn.toml` above the working folder, else in it; `HARN_STATE_DIR`, `HARN_RUN_DIR` and `HARN_WORKTREE_DIR` replace them.",
    sig: "() -> dict",
    effect: "observe",
    suspends: "may",
    run: (task) => {
      const { state, runs, worktrees } = taskStatePlaces(task);
      return Dict.of({
        execution_root: workingFolder(task),
        asset_root: sourceDirectory(task),
        state_root: state,
        run_root: runs,
        worktree_root: worktrees,
      });
    },
  },
});
