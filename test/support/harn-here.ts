/**
 * Runs the command line in the test's own process: for what needs no kill, no signal, no terminal and no process of its own. Each call
 * has its own working directory, variables and streams, so several may run beside each other; nothing of this process changes.
 */
import { resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { commandLine } from "../../src/cli/main.ts";
import { inProcess, type OwnProcess } from "../../src/process/index.ts";
import { type CliResult, type CommandOptions, cleanEnvironment, stateOf } from "./command-environment.ts";
import { projectRoot } from "./project.ts";

/** `harn ARGS` to its end. */
export async function harnHere(args: readonly string[], options: CommandOptions = {}): Promise<CliResult> {
  if (args[0] === "test") throw new Error("harn test starts the launcher for its workers: use harn()");
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  const own = processOf(options, stdout, stderr);
  const status = await new Promise<number>((ended, failed) => {
    inProcess(own, () => commandLine(args, ended).then(ended, failed));
  });
  // The program ends in a batch of its own turns: the test goes on outside of it.
  await new Promise((next) => setImmediate(next));
  return { stdout: stdout.text, stderr: stderr.text, status, signal: null };
}

function processOf({ cwd, env, input = "" }: CommandOptions, stdout: Writable, stderr: Writable): OwnProcess {
  let folder = cwd ?? projectRoot;
  const stdin = new PassThrough();
  stdin.end(input);
  const own = {
    env: cleanEnvironment({ ...stateOf(cwd), ...env }),
    cwd: () => folder,
    chdir: (to: string) => {
      folder = resolve(folder, to);
    },
    exit: (code?: number): never => {
      throw new Error(`a command that runs in a test ends the process (${code}): start it`);
    },
    stdin,
    stdout,
    stderr,
    input,
  };
  // A pipe has no more than these.
  return own as unknown as OwnProcess;
}

class CapturedStream extends Writable {
  private readonly pieces: Buffer[] = [];
  get text(): string {
    return Buffer.concat(this.pieces).toString("utf8");
  }
  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
}
