/**
 * A server process for tests of the supervisor: `node served-child.ts OPTIONS` serves the store in `OPTIONS.state` until it is
 * told to stop. Tests speak with it over its pipe; they write to the store themselves, as a second server would.
 */
import { resolve } from "node:path";
import { conversationSupervisor } from "../../src/server/local/conversation-supervisor.ts";
import { openStore } from "../../src/store/index.ts";
import { compiled } from "./compiled-sources.ts";
import { launcher } from "./project.ts";
import type { ServedOptions, ToServed } from "./served.ts";

compiled();
const options = JSON.parse(process.argv[2] as string) as ServedOptions;
// Children are started as `harn` itself starts them.
process.argv[1] = launcher;
const store = openStore(options.state);
const supervisor = await conversationSupervisor({
  store,
  agents: options.agents.map((agent) => ({
    title: agent.name,
    mode: null,
    config: {},
    ...agent,
    script: resolve(options.cwd, agent.script),
  })),
  jobs: options.jobs ?? 4,
  flags: options.flags ?? {},
  timeout: options.timeout,
  memory: options.memory,
  ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
  onLine: (_conversation, line) => process.stdout.write(`${line}\n`),
  report: (text) => process.stderr.write(`${text}\n`),
});
const send = (message: unknown): void => void process.send?.(message);
supervisor.listen((stream, published) => send({ report: { stream, at: Date.now(), ...published } }));
process.on("message", (message: ToServed) => {
  if ("interrupt" in message) {
    void supervisor.interrupt(message.interrupt).then(
      (answer) => send({ answer }),
      (error: Error) => send({ answer: { refused: error.message } }),
    );
  } else if ("stop" in message) {
    void supervisor.stop(message.stop).then(() => {
      store.close();
      process.exit(0);
    });
  } else supervisor.wake(message.wake);
});
process.on("disconnect", () => process.exit(1));
await supervisor.start();
send({ ready: true });
