/**
 * Containers of trials. Beside the folders of the state folder lies what is known of each: its name, the folder in it, and what
 * that held at the beginning. It is written before the container is begun, so whatever dies leaves a trace.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownStateFolder } from "../../host/command/index.ts";
import {
  type ArchivedFile,
  archivedFiles,
  BrokenArchive,
  Container,
  ContainerEngine,
  type ContainerName,
  ContainerProblem,
  type ContainerSpec,
  done,
  lastWords,
} from "../../host/containers/index.ts";
import { createNodeHost } from "../../host/index.ts";
import type { Processes } from "../../host/ports.ts";
import { replaceContent } from "../../store/files/whole-files.ts";
import { SandboxProblem, type SandboxRequest } from "../engine/index.ts";
import { evalMessage } from "../index.ts";

/** What the folder of a trial may hold to be looked at. */
const maxFolder = 4 * 1024 * 1024 * 1024;
const maxFolderText = "4 GB";
const traceEnding = ".container.json";

interface Trace {
  readonly name: string;
  readonly workdir: string;
  /** Digests by path; null: it was not begun to its end. */
  readonly began: Readonly<Record<string, string>> | null;
}

export class TrialContainers {
  /** Where traces lie. */
  private readonly folder: string;
  private readonly processes: Processes;
  private readonly placeOf: (path: string) => string;
  private readonly live = new Map<string, Container>();
  /** Images that were built, or are being built, by folder. */
  private readonly built = new Map<string, Promise<string>>();
  /** Names of containers that were there when the set began. */
  private found: ReadonlySet<string> = new Set();
  private asked: Promise<ContainerEngine | undefined> | undefined;

  constructor(folder: string, processes: Processes, placeOf: (path: string) => string = (path) => path) {
    this.folder = folder;
    this.processes = processes;
    this.placeOf = placeOf;
  }

  private engine(): Promise<ContainerEngine | undefined> {
    this.asked ??= ContainerEngine.found(this.processes);
    return this.asked;
  }

  /** Which engine answers; what is left of the set, and nobody goes on in, is removed. */
  async ready(set: string, resumed: readonly string[]): Promise<string | undefined> {
    const engine = await this.engine();
    if (engine === undefined) return undefined;
    const wanted = new Set(resumed.map((run) => this.nameOf(run)));
    const names = await this.namesOf(engine, set);
    this.found = new Set(names.filter((name) => wanted.has(name)));
    const left = names.filter((name) => !wanted.has(name));
    if (left.length > 0) await engine.call(["rm", "-f", ...left]);
    return engine.program;
  }

  /** Containers of a set, gone now. Asks no engine where no trace says that there was one. */
  async removeAll(set: string): Promise<number> {
    const traces = existsSync(this.folder)
      ? readdirSync(this.folder).filter((name) => name.endsWith(traceEnding))
      : [];
    if (traces.length === 0) return 0;
    const engine = await this.engine();
    const names = engine === undefined ? [] : await this.namesOf(engine, set);
    if (names.length > 0) await engine?.call(["rm", "-f", ...names]);
    for (const trace of traces) {
      const { name } = JSON.parse(readFileSync(join(this.folder, trace), "utf8")) as Trace;
      if (names.includes(name)) rmSync(join(this.folder, trace), { force: true });
    }
    return names.length;
  }

  private async namesOf(engine: ContainerEngine, set: string): Promise<string[]> {
    const filters = this.labelsOf(set).flatMap((label) => ["--filter", `label=${label}`]);
    const listed = await engine.call(["ps", "-a", ...filters, "--format", "{{.Names}}"]);
    return listed.status === 0 ? listed.stdout.split("\n").filter((name) => name !== "") : [];
  }

  private labelsOf(set: string): string[] {
    return [`harn.set=${set}`, `harn.store=${digest(this.folder).slice(0, 16)}`];
  }

  private nameOf(run: string): string {
    const readable = run.replace(/[^\w.-]/gu, "-").slice(-60);
    return `harn-${digest(`${this.folder}\n${run}`).slice(0, 12)}-${readable}`;
  }

  private traceOf(run: string): string {
    return join(this.folder, `${run.replace(/[^\w.~-]/gu, "_")}${traceEnding}`);
  }

  private trace(run: string): Trace | undefined {
    const path = this.traceOf(run);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Trace) : undefined;
  }

  /** The container that a trial works in now. */
  of(run: string): Container | undefined {
    return this.live.get(run);
  }

  /** Whether a trial can go on in it. */
  isThere(run: string): boolean {
    const container = this.live.get(run);
    if (container !== undefined) return container.lost === null;
    const trace = this.trace(run);
    return trace !== undefined && trace.began !== null && this.found.has(trace.name);
  }

  /** Where in the container; undefined when the run has none. */
  place(run: string): string | undefined {
    return this.live.get(run)?.workdir ?? this.trace(run)?.workdir;
  }

  /** A new one, with the content of a folder of this machine. */
  async make(run: string, request: SandboxRequest, content: string): Promise<void> {
    const { container: spec } = request.spec;
    if (spec === undefined) throw new Error(`${request.task} has no container`);
    const engine = await this.needEngine(request);
    const name: ContainerName = { name: this.nameOf(run), labels: this.labelsOf(request.set) };
    this.keep(run, { name: name.name, workdir: spec.workdir ?? "", began: null });
    this.live.delete(run);
    try {
      const image = spec.image ?? (await this.buildOf(engine, request, spec));
      const container = await Container.start(engine, name, spec, image);
      await container.fill(content, spec.user);
      this.live.set(run, container);
      const began = Object.fromEntries(
        (await this.archived(container, 0)).map(({ path, digest }) => [path, digest]),
      );
      this.keep(run, { name: name.name, workdir: container.workdir, began });
    } catch (error) {
      this.live.delete(run);
      throw explained(error, request.task);
    }
  }

  private async needEngine({ task }: Pick<SandboxRequest, "task">): Promise<ContainerEngine> {
    const engine = await this.engine();
    if (engine !== undefined && (this.live.size > 0 || (await engine.answers()))) return engine;
    throw new SandboxProblem(evalMessage("HARN-EVL-014", { name: task }));
  }

  private keep(run: string, trace: Trace): void {
    mkdirSync(this.folder, { recursive: true });
    replaceContent(this.traceOf(run), JSON.stringify(trace));
  }

  /** Built once for all trials of the process; the engine knows what it has built before. */
  private buildOf(
    engine: ContainerEngine,
    { spec }: SandboxRequest,
    { build }: ContainerSpec,
  ): Promise<string> {
    const folder = this.placeOf(resolve(spec.base, build ?? ""));
    const known = this.built.get(folder);
    if (known !== undefined) return known;
    const tag = `harn-eval:${digest(folder).slice(0, 16)}`;
    const making = done(engine, ["build", "-q", "-t", tag, folder]).then(() => tag);
    this.built.set(folder, making);
    // One that failed is tried again by the next trial.
    making.catch(() => this.built.delete(folder));
    return making;
  }

  async wake(run: string, task: string): Promise<void> {
    const trace = this.trace(run);
    try {
      const engine = await this.needEngine({ task });
      if (trace === undefined) throw new ContainerProblem("nothing is known of it");
      const container = this.live.get(run) ?? new Container(engine, trace.name, trace.workdir);
      await container.restart();
      this.live.set(run, container);
    } catch (error) {
      this.live.delete(run);
      this.found = new Set([...this.found].filter((name) => name !== trace?.name));
      throw explained(error, task);
    }
  }

  /** Files of its folder now, with what they were at the beginning. */
  async look(
    run: string,
    maxKept: number,
  ): Promise<{ readonly before: ReadonlyMap<string, string>; readonly now: readonly ArchivedFile[] }> {
    const container = this.live.get(run);
    if (container === undefined) throw new SandboxProblem("the container of the trial is gone");
    const before = new Map(Object.entries(this.trace(run)?.began ?? {}));
    try {
      return { before, now: await this.archived(container, maxKept) };
    } catch (error) {
      const problem = explained(error, run);
      // What can't be looked at can't be resumed in.
      if (problem instanceof SandboxProblem) container.lost = problem.message;
      throw problem;
    }
  }

  private async archived({ engine, name, workdir }: Container, maxKept: number): Promise<ArchivedFile[]> {
    const files: ArchivedFile[] = [];
    const reader = archivedFiles((file) => files.push(file), maxKept);
    let bytes = 0;
    const { status, stderr } = await engine.stream(["cp", `${name}:${workdir}`, "-"], (piece) => {
      bytes += piece.length;
      if (bytes > maxFolder) throw new BrokenArchive(`${workdir} holds more than ${maxFolderText}`);
      reader.push(piece);
    });
    if (status !== 0) throw new ContainerProblem(`${engine.program} cp: ${lastWords(stderr)}`);
    reader.end();
    return files;
  }

  /** Puts a file where it was, or takes it away, in a container that is made again. */
  put(run: string, path: string, content: Uint8Array | null): void {
    const container = this.live.get(run);
    const full = `${container?.workdir}/${path}`;
    const line = content === null ? 'rm -f "$1"' : 'd=${1%/*}; mkdir -p "$d" && cat > "$1"';
    const { status, stderr } = container?.sh(line, [full], content ?? undefined) ?? { status: 1, stderr: "" };
    if (status !== 0)
      throw new SandboxProblem(`${path} can't be put into the container: ${lastWords(stderr)}`);
  }

  async rest(run: string): Promise<void> {
    const container = this.live.get(run);
    if (container === undefined) return;
    await container.rest().catch(() => {});
    if (container.lost !== null) await this.remove(run);
  }

  async remove(run: string): Promise<void> {
    const trace = this.trace(run);
    if (trace === undefined) return;
    const engine = await this.engine();
    await engine?.call(["rm", "-f", trace.name]).catch(() => {});
    this.live.delete(run);
    rmSync(this.traceOf(run), { force: true });
  }
}

export const tracesLieIn = (stateFolder: string): string => join(stateFolder, "sandboxes");

/** What the engine says, as an error of the environment. */
function explained(error: unknown, task: string): unknown {
  if (error instanceof ContainerProblem || error instanceof BrokenArchive)
    return new SandboxProblem(`${task} can't have its container: ${error.message}`);
  return error;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** How many there were; they are gone now. */
export const removeLeftContainers = (set: string, stateFolder = ownStateFolder()): Promise<number> =>
  new TrialContainers(tracesLieIn(stateFolder), createNodeHost().processes).removeAll(set);
