/** One container: of one trial, with a name and labels by which whatever a killed process left is found again. */
import { HostError, type ProcessOptions, type ProcessResult } from "../index.ts";
import { type ContainerEngine, lastWords, type SyncResult } from "./engine.ts";

/** What is null is not said: a task folder may say it, else the usual holds. */
export interface ContainerSpec {
  readonly image: string | null;
  /** A folder with a Dockerfile, under `base`. */
  readonly build: string | null;
  /** Absolute path inside of it. */
  readonly workdir: string | null;
  readonly network: boolean | null;
  readonly cpus: number | null;
  readonly memoryMb: number | null;
  readonly user: string | null;
}

export interface ContainerName {
  readonly name: string;
  /** Of its set, and of the state folder that the set is in: another project may have a set of the same name. */
  readonly labels: readonly string[];
}

/** The program that keeps it open. It collects what programs leave behind, as the first process of a system has to. */
const idle = "while :; do sleep 3600; done";

/** Where a trial works when neither its task nor its image says where. */
const usualFolder = "/workspace";

/** Arguments that start a container of an image. */
const runArguments = (
  { name, labels }: ContainerName,
  spec: ContainerSpec,
  image: string,
): readonly string[] => [
  "run",
  "-d",
  "--name",
  name,
  ...labels.flatMap((label) => ["--label", label]),
  ...(spec.network === true ? [] : ["--network", "none"]),
  ...(spec.cpus === null ? [] : ["--cpus", String(spec.cpus)]),
  ...(spec.memoryMb === null ? [] : ["--memory", `${spec.memoryMb}m`]),
  ...(spec.user === null ? [] : ["--user", spec.user]),
  "--entrypoint",
  "/bin/sh",
  image,
  "-c",
  idle,
];

/** What can't be done with a container; the words of the engine. */
export class ContainerProblem extends Error {}

export class Container {
  readonly engine: ContainerEngine;
  readonly name: string;
  readonly workdir: string;
  /** Why it can't be used any more; null while it works. */
  lost: string | null = null;
  /** Called once, when it is lost. */
  onLost: (() => void) | undefined;

  constructor(engine: ContainerEngine, name: string, workdir: string) {
    this.engine = engine;
    this.name = name;
    this.workdir = workdir;
  }

  /** Starts it, with its folder made. Throws a `ContainerProblem`; what was begun of it is gone then. */
  static async start(
    engine: ContainerEngine,
    name: ContainerName,
    spec: ContainerSpec,
    image: string,
  ): Promise<Container> {
    await engine.call(["rm", "-f", name.name]);
    try {
      await done(engine, runArguments(name, spec, image));
      const workdir = spec.workdir ?? (await ownFolder(engine, name.name));
      const made = new Container(engine, name.name, workdir);
      await done(engine, ["exec", "--user", "0", name.name, "mkdir", "-p", workdir]);
      return made;
    } catch (error) {
      await engine.call(["rm", "-f", name.name]).catch(() => {});
      throw error;
    }
  }

  /** As it was left, with none of the programs that ran in it. */
  async restart(): Promise<void> {
    await done(this.engine, ["restart", "-t", "0", this.name]);
  }

  /** Ends its programs; its files stay. */
  async rest(): Promise<void> {
    if (this.lost === null) await this.engine.call(["stop", "-t", "0", this.name]);
  }

  /** Puts the content of a folder of this machine into its own. */
  async fill(folder: string, owner: string | null): Promise<void> {
    await done(this.engine, ["cp", `${folder}/.`, `${this.name}:${this.workdir}`]);
    // The engine copies as root.
    if (owner !== null)
      await done(this.engine, ["exec", "--user", "0", this.name, "chown", "-R", owner, this.workdir]);
  }

  /** Runs one of our own lines in its shell; `$1` and so on are `args`. */
  sh(line: string, args: readonly string[], stdin?: Uint8Array): SyncResult {
    const result = this.engine.callSync(
      ["exec", "-i", this.name, "/bin/sh", "-c", line, "sh", ...args],
      stdin,
    );
    if (this.lost === null && isSuspicious(result.status, result.stderr)) this.look(result.stderr);
    if (this.lost !== null) throw new HostError("EIO", this.lost);
    return result;
  }

  /** Looks whether it is still there after a program ended in a way that the engine may have said itself. */
  checked(result: ProcessResult): ProcessResult {
    if (this.lost === null && isSuspicious(result.status, result.stderr)) this.look(result.stderr);
    if (this.lost !== null) throw new HostError("EIO", this.lost);
    return result;
  }

  private look(said: string): void {
    if (this.engine.callSync(["exec", this.name, "/bin/sh", "-c", ":"]).status === 0) return;
    this.lost = `the container of the trial is gone: ${lastWords(said)}`;
    this.onLost?.();
  }
}

/** The status of a killed program, and those of the engine's own errors, in whose words one of these stands. */
const isSuspicious = (status: number | null, stderr: string): boolean =>
  status !== 0 &&
  (status === 125 || status === 137 || status === 255 || /container|daemon|OCI|podman|docker/iu.test(stderr));

async function ownFolder(engine: ContainerEngine, name: string): Promise<string> {
  const said = (await done(engine, ["exec", name, "/bin/sh", "-c", "pwd"])).replace(/\n$/u, "");
  return said.startsWith("/") && said !== "/" ? said : usualFolder;
}

/** What it prints. Images may have to be loaded first, so nothing limits the time. */
export async function done(
  engine: ContainerEngine,
  args: readonly string[],
  options?: ProcessOptions,
): Promise<string> {
  let result: ProcessResult;
  try {
    result = await engine.run(args, options);
  } catch (error) {
    if (error instanceof HostError) throw new ContainerProblem(`${engine.program}: ${error.message}`);
    throw error;
  }
  if (result.status !== 0)
    throw new ContainerProblem(`${engine.program} ${args[0]}: ${lastWords(result.stderr)}`);
  return result.stdout;
}
