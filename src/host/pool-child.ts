/**
 * A child of `ChildPool`: it loads what jobs need, waits for one, does it, and ends. It tells its parent that it is alive as
 * often as its event loop comes round, and ends at once, with all that it started, when the parent is gone.
 */

/** The environment variable that marks a child and all that it starts. */
export const poolMark = "HARN_POOL_CHILD";

/** What a child is to do; what it means is the caller's. */
export interface PoolJob {
  readonly cwd: string;
  /** Laid over the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly task: unknown;
}

export type ChildMessage =
  | { readonly type: "alive" }
  | { readonly type: "done"; readonly exitCode: number }
  /** Something of the job's own. */
  | { readonly type: "told"; readonly message: unknown };

/** The pipe between a child and its parent, for messages of the job's own. */
export interface ParentLine {
  /** Nothing is waited for; what can't be sent any more is lost. */
  send(message: unknown): void;
  /** Messages that the parent has not taken yet. */
  readonly backlog: number;
  /** The result ends it. What came before anybody listened is handed over first. */
  listen(listener: (message: unknown) => void): () => void;
}

const aliveEveryMs = 500;

/** Waits for the job, does it, and tells its exit code. Resolves when the parent has been told. */
export async function servePoolJob(
  work: (task: unknown, parent: ParentLine) => Promise<number>,
): Promise<number> {
  const send = (message: ChildMessage): Promise<void> =>
    new Promise((resolve) => {
      if (process.connected) process.send?.(message, () => resolve());
      else resolve();
    });
  // Children lead a process group of their own: it goes with them.
  process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
  const job = await new Promise<PoolJob>((resolve) => process.once("message", resolve));
  const parent = parentLine(send);
  const beat = setInterval(() => void send({ type: "alive" }), aliveEveryMs);
  process.chdir(job.cwd);
  Object.assign(process.env, job.env);
  try {
    const exitCode = await work(job.task, parent);
    await send({ type: "done", exitCode });
    return exitCode;
  } finally {
    clearInterval(beat);
  }
}

function parentLine(send: (message: ChildMessage) => Promise<void>): ParentLine {
  const early: unknown[] = [];
  let receive = (message: unknown): void => void early.push(message);
  let backlog = 0;
  process.on("message", (message: unknown) => receive(message));
  return {
    send: (message) => {
      backlog++;
      void send({ type: "told", message }).then(() => {
        backlog--;
      });
    },
    get backlog() {
      return backlog;
    },
    listen: (listener) => {
      receive = listener;
      for (const message of early.splice(0)) listener(message);
      return () => {
        receive = () => {};
      };
    },
  };
}
