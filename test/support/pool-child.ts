/** A child of `ChildPool` for its tests: does what a job says, good and bad. */
import { spawn } from "node:child_process";
import { servePoolJob } from "../../src/host/index.ts";

type Task =
  | { readonly do: "print"; readonly text: string }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "crash" | "spin" | "eat" | "wait" | "leak" | "deaf" };

const held: Uint8Array[] = [];

async function work(input: unknown): Promise<number> {
  const task = input as Task;
  switch (task.do) {
    case "print":
      process.stdout.write(task.text);
      return 0;
    case "exit":
      return task.code;
    case "crash":
      process.kill(process.pid, "SIGSEGV");
      return await never();
    case "spin":
      for (;;);
    case "eat":
      for (;;) {
        held.push(new Uint8Array(8 << 20).fill(1));
        await new Promise((resolve) => setImmediate(resolve));
      }
    case "deaf":
      process.on("SIGTERM", () => {});
      return await never();
    case "leak": {
      // A grandchild in a session of its own, which says who it is and outlives its group.
      const child = spawn("setsid", ["sleep", "600"], { stdio: "ignore", detached: true });
      process.stdout.write(`${child.pid}\n`);
      return await never();
    }
    case "wait":
      return await never();
  }
}

const never = (): Promise<never> => new Promise(() => setInterval(() => {}, 1000));

process.exit(await servePoolJob(work));
