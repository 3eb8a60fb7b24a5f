/** The thread that writes copies is started by its file, in the bundle as from the sources. */

import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import type { FromThread, ThreadStart } from "../../../../src/cluster/journals/mirror-messages.ts";
import { projectRoot } from "../../../support/project.ts";

it.each(["dist/mirror-thread.cjs", "src/cluster/journals/mirror-thread.ts"])("%s", async (file) => {
  const { port1, port2 } = new MessageChannel();
  const place = {
    // Nobody listens there: it says so, and tries again.
    host: "127.0.0.1",
    port: 1,
    database: "d",
    user: "u",
    password: "secretpw",
    sslMode: "disable",
    rootCertificate: undefined,
  } as const;
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const start: ThreadStart = { place, schema: "harn_x", job: "j", fence: 1, shared, port: port2 };
  const thread = new Worker(join(projectRoot, file), { workerData: start, transferList: [port2] });
  try {
    const said = await new Promise<FromThread>((resolve, reject) => {
      port1.once("message", resolve);
      thread.once("error", reject);
    });
    expect(said).toEqual({ kind: "trouble", words: "connect ECONNREFUSED 127.0.0.1:1" });
  } finally {
    port1.close();
    await thread.terminate();
  }
});
