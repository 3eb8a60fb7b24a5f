/** A changed byte in anything large that is kept is found when it is read, and by every replay (issue 27). */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { evalServer } from "../../support/eval-server.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const fresh = tempFolders("changed-pieces");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const store = (): string => join(cwd, ".harn", "state.db");

/** Runs `body` with each piece in turn changed in one byte, in the middle of it. */
function withEachChanged(body: (piece: string) => void): number {
  const kept = join(cwd, "kept.db");
  const db = new DatabaseSync(store());
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const pieces = db.prepare("SELECT id, body FROM blob").all() as unknown as { id: number; body: string }[];
  db.close();
  copyFileSync(store(), kept);
  for (const { id, body: text } of pieces) {
    copyFileSync(kept, store());
    const changed = new DatabaseSync(store());
    const at = text.length >> 1;
    const other = text[at] === "x" ? "y" : "x";
    changed
      .prepare("UPDATE blob SET body = ? WHERE id = ?")
      .run(text.slice(0, at) + other + text.slice(at + 1), id);
    changed.close();
    body(text);
  }
  return pieces.length;
}

it("a recorded request, its answer, a file", { timeout: 300_000 }, async () => {
  const server = await evalServer(() => ({ text: "yes ".repeat(400) }));
  writeFileSync(join(cwd, "long.txt"), "a file ".repeat(200));
  writeFileSync(
    join(cwd, "a.harn"),
    `let r = llm_call("word ".repeat(300) + read_file("long.txt"), nil, {provider: "openrouter", model: "gpt-4o-mini"})
println(len(r.text))
`,
  );
  const env = { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  try {
    expect((await startHarn(["run", "a.harn"], { cwd, env }).ended).status).toBe(0);
  } finally {
    await server.close();
  }
  expect(harn(["replay", "last"], { cwd }).status).toBe(0);
  const changed = withEachChanged((piece) => {
    const { status, stderr } = harn(["replay", "last"], { cwd });
    expect(stderr, piece.slice(0, 200)).toContain("is damaged");
    expect(stderr).not.toContain("internal");
    expect(status).not.toBe(0);
  });
  expect(changed).toBeGreaterThanOrEqual(3);
});

it("everything that a set keeps, with a secret in it or without", { timeout: 300_000 }, async () => {
  const server = await evalServer(() => ({ text: "yes ".repeat(400) }));
  mkdirSync(join(cwd, ".harn"), { mode: 0o700 });
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
eval_task({
  name: "t",
  dataset: [{id: "a", input: "plain ".repeat(200)}, {id: "b", input: "the key is k-123456789-k-123456789, " + "long ".repeat(200)}],
  solver: { s, _trial -> llm_call(s.input, nil, {provider: "openrouter", model: "gpt-4o-mini"}).text },
  scorers: [named("long", { _o, _s -> {value: 1, why: "because ".repeat(200)} })],
})
`,
  );
  const env = { OPENROUTER_API_KEY: "k-123456789-k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` };
  try {
    const run = await startHarn(["eval", "run", "t.harn", "--set", "s", "--quiet"], { cwd, env }).ended;
    expect(run.stdout + run.stderr).toContain("1.000");
  } finally {
    await server.close();
  }
  expect(harn(["eval", "replay", "s"], { cwd, env }).status).toBe(0);
  const changed = withEachChanged((piece) => {
    // A replay compares what scorers decided; their reasons are read where they are shown.
    const asked = piece.startsWith('{"why"') ? ["show", "s:a"] : ["replay", "s"];
    const { status, stdout, stderr } = harn(["eval", ...asked], { cwd, env });
    expect(stdout + stderr, piece.slice(0, 200)).toContain("is damaged");
    expect(stdout + stderr).not.toContain("internal");
    expect(status).not.toBe(0);
  });
  expect(changed).toBeGreaterThanOrEqual(6);
});
