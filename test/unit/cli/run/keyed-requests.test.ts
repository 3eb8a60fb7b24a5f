/** A request that was on its way when its run was killed: with an `Idempotency-Key` it is sent again, without one nobody decides that. */

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("keyed");

async function keysOfKilled(
  headers: string,
): Promise<{ keys: unknown[]; stdout: string; status: number | null }> {
  const cwd = freshFolder();
  const keys: unknown[] = [];
  const { promise: came, resolve } = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    // The first one is never answered.
    if (keys.length > 1) response.end("done");
    resolve();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  writeFileSync(
    join(cwd, "a.harn"),
    `let r = try { http_post("${url}", "x", {headers: ${headers}}).body } catch (e) { "\${e}" }\nprintln(r)\n`,
  );
  const run = startHarn(["run", "a.harn"], { cwd });
  await came;
  run.child.kill("SIGKILL");
  await run.ended;
  const { stdout, status } = await startHarn(["run", "--resume", "last"], { cwd }).ended;
  server.closeAllConnections();
  server.close();
  return { keys, stdout, status };
}

it("is sent again with its key", async () => {
  expect(await keysOfKilled('{"Idempotency-Key": "k1"}')).toEqual({
    keys: ["k1", "k1"],
    stdout: "done\n",
    status: 0,
  });
});

it("fails without one", async () => {
  const { keys, stdout, status } = await keysOfKilled("{}");
  expect(keys).toEqual([undefined]);
  expect(stdout).toContain("interrupted: ");
  expect(status).toBe(0);
});
