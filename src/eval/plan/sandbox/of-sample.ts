/**
 * The sandbox of a trial: its task's, and what the task folder of its sample says of a container. Task folders need containers, so
 * their task has one from the plan on, whether it says so or not.
 */

import type { ContainerSpec } from "../../../host/containers/index.ts";
import { refusal } from "../../../table/index.ts";
import { Dict } from "../../../values/index.ts";
import { taskAt } from "../../eval-error.ts";
import type { TaskSpec } from "../task.ts";
import { containerRow, type SandboxSpec } from "./spec.ts";

/** Null: it works where the program does. Throws HARN-EVL-001 and 002 for a container that can't be meant. */
export function sandboxFor({ name, sandbox }: TaskSpec, sample: Dict): SandboxSpec | null {
  if (sandbox?.container === undefined) return sandbox;
  const ofFolder = isTaskFolder(sample) ? sample.get("container") : undefined;
  const said =
    ofFolder instanceof Dict ? containerRow().read(ofFolder, taskAt(name, "container")) : nothingSaid;
  const container = merged(said, sandbox.container);
  if (container.image !== null || container.build !== null) return { ...sandbox, container };
  const what = "a dict with `image` or `build`";
  throw refusal(taskAt(name, "sandbox.container"), what, ofFolder ?? null);
}

/** Whether a row was made of a folder with `instruction.md`. */
export const isTaskFolder = (sample: Dict): boolean =>
  typeof sample.get("folder") === "string" && sample.get("container") instanceof Dict;

/** The task as its samples need it. */
export function withTaskFolders(spec: TaskSpec, samples: readonly { readonly body: Dict }[]): TaskSpec {
  if (spec.sandbox?.container !== undefined || !samples.some(({ body }) => isTaskFolder(body))) return spec;
  const base = taskBase(spec);
  const sandbox: SandboxSpec = { base, files: {}, copy: null, keep: "changed", env: {}, ...spec.sandbox };
  return { ...spec, sandbox: { ...sandbox, container: nothingSaid } };
}

/** What paths of the task are relative to; "" where only the working folder is known. */
export const taskBase = ({ sandbox, dataset }: TaskSpec): string =>
  sandbox?.base ?? (dataset.kind === "path" ? dataset.base : "");

const nothingSaid: ContainerSpec = {
  image: null,
  build: null,
  workdir: null,
  network: null,
  cpus: null,
  memoryMb: null,
  user: null,
};

/** What the task says counts more; of image and build it is one. */
function merged(folder: ContainerSpec, task: ContainerSpec): ContainerSpec {
  const { image, build } = task.image === null && task.build === null ? folder : task;
  return {
    image,
    build,
    workdir: task.workdir ?? folder.workdir,
    network: task.network ?? folder.network,
    cpus: task.cpus ?? folder.cpus,
    memoryMb: task.memoryMb ?? folder.memoryMb,
    user: task.user ?? folder.user,
  };
}
