/** A process of one's own making, for a command that runs beside others in one process of Node: of tests, of the library. */
import { resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { OwnProcess } from "./index.ts";

export interface MadeProcess {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** All of standard input. */
  readonly input?: string;
  /** Makes the requests over HTTP; the global one unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Of whoever started what runs in it. */
  readonly words?: OwnProcess["words"];
  /** Take what is written, as it is written. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** Who wants the process to end; there is none that could. */
  exit(code: number | undefined): Error;
}

export function madeProcess({
  cwd,
  env,
  input = "",
  fetch,
  words,
  stdout,
  stderr,
  exit,
}: MadeProcess): OwnProcess {
  let folder = cwd;
  const stdin = new PassThrough();
  stdin.end(input);
  const own = {
    env,
    cwd: () => folder,
    chdir: (to: string) => {
      folder = resolve(folder, to);
    },
    exit: (code?: number): never => {
      throw exit(code);
    },
    stdin,
    stdout: new TextStream(stdout),
    stderr: new TextStream(stderr),
    input,
    fetch,
    words,
  };
  // A pipe has no more than these.
  return own as unknown as OwnProcess;
}

/** Pieces of UTF-8 may be cut within a character. */
class TextStream extends Writable {
  private readonly decoder = new TextDecoder();
  private readonly take: (text: string) => void;
  constructor(take: (text: string) => void) {
    super();
    this.take = take;
  }
  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.take(this.decoder.decode(piece, { stream: true }));
    done();
  }
}
