/** A `harn serve` of its own for tests of its page and routes: a process that has said where it listens. */
import { startHarn } from "./start-cli.ts";

export interface Serving {
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
  readonly port: number;
  /** The link with a code that logs in once. */
  readonly link: string;
  /** What it has written to standard error so far. */
  said(): string;
  /** Ends it as Ctrl-C does (`SIGTERM`), or without a warning (`SIGKILL`). */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Resolves once it listens. `port`: 0 takes a free one. */
export async function startServing(
  args: readonly string[],
  {
    port = 0,
    ...options
  }: {
    readonly cwd: string;
    readonly env: Record<string, string>;
    readonly port?: number;
    readonly program?: string;
  },
): Promise<Serving> {
  const server = startHarn(["serve", ...args, "--port", String(port)], options);
  let said = "";
  server.child.stderr?.on("data", (text: string) => {
    said += text;
  });
  const link = (): string | undefined => /(http:\S+#login=\S+)\s/.exec(said)?.[1];
  // The line may come in two pieces.
  await server.shows("#login=");
  while (link() === undefined && server.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const url = new URL(link() ?? "");
  return {
    base: url.origin,
    port: Number(url.port),
    link: url.href,
    said: () => said,
    end: async (signal = "SIGTERM") => {
      server.child.kill(signal);
      await server.ended;
    },
  };
}
