/** A set that can't go on says why and what to do: a silent provider pauses it, a plan that was changed ends it (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-ended-early");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

it("a provider that answers nothing but errors pauses the set, which goes on when it answers again", {
  timeout: 300_000,
}, async () => {
  let isDown = true;
  const server = await evalServer(() =>
    isDown ? { status: 429, headers: { "retry-after": "0" } } : { text: "yes" },
  );
  const took = (...args: string[]) =>
    harnHere(["eval", ...args, "--quiet"], {
      cwd,
      env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${server.url}/v1` },
    });
  try {
    writeFileSync(
      join(cwd, "t.harn"),
      `import "std/eval"
eval_task({
  name: "t",
  dataset: [{id: "a", input: "x", target: "yes"}, {id: "b", input: "y", target: "yes"}],
  solver: { sample, _trial -> llm_call(sample.input, "", {provider: "openrouter", model: "gpt-4o-mini"}).text },
  scorers: [exact()],
})
`,
    );
    const paused = await took("run", "t.harn", "--set", "s", "--give-up", "1s");
    expect(paused.stdout).toMatch(/openrouter has answered nothing for .* \(HARN-EVL-021\)/);
    expect(paused.stdout).toContain("harn eval resume last goes on");
    expect(paused.status).toBe(5);
    isDown = false;
    const resumed = await took("resume", "s");
    expect(resumed.stdout).toContain("1.000");
    expect(resumed.status).toBe(0);
  } finally {
    await server.close();
  }
});

describe("a plan whose journal was changed on disk", () => {
  beforeEach(async () => {
    writeFileSync(join(cwd, "words.txt"), "yes");
    writeFileSync(
      join(cwd, "t.harn"),
      `import "std/eval"
let words = read_file("words.txt")
eval_task({
  name: "t",
  dataset: [{id: "a", target: "yes"}, {id: "b", target: "yes"}],
  solver: { _sample, _trial -> words },
  scorers: [exact()],
})
`,
    );
    expect((await harnHere(["eval", "run", "t.harn", "--set", "s", "--quiet"], { cwd })).status).toBe(0);
  });

  /** Another file name in the plan's first effect; `sealed` mends the checksums, each of which goes on from the one before. */
  function changePlan(sealed: boolean): void {
    const db = new DatabaseSync(join(cwd, ".harn", "state.db"));
    const { run } = db.prepare("SELECT min(run) AS run FROM record").get() as { run: number };
    const { header } = db.prepare("SELECT header FROM run WHERE id = ?").get(run) as { header: string };
    const records = db.prepare("SELECT seq, body FROM record WHERE run = ? ORDER BY seq").all(run);
    let crc = crc32(header);
    for (const { seq, body } of records as unknown as { seq: number; body: string }[]) {
      const changed = body
        .replace('["words.txt"]', '["other.txt"]')
        .replace(/("read_file",")\w{4}/, "$10000");
      crc = crc32(changed, crc);
      db.prepare("UPDATE record SET body = ? WHERE run = ? AND seq = ?").run(changed, run, seq);
      if (sealed) db.prepare("UPDATE record SET crc = ? WHERE run = ? AND seq = ?").run(crc, run, seq);
    }
    db.close();
  }

  it("is told as damaged where the checksum does not fit", async () => {
    changePlan(false);
    const { status, stderr } = await harnHere(["eval", "noise", "s", "--quiet"], { cwd });
    expect(stderr).toMatch(/^harn: the run run-\S+ is damaged at record \d+ \(HARN-CLI-032\)\n/);
    expect(stderr).toContain("harn runs repair");
    expect(status).toBe(1);
  });

  it("ends the set where the program asks for another effect than it holds", async () => {
    changePlan(true);
    const went = await harnHere(["eval", "noise", "s", "--quiet"], { cwd });
    expect(went.stdout).toContain(
      "failed: the program did something else on its way to the set (HARN-EVL-030); make a new set with `harn eval run`\n",
    );
    expect(went.status).toBe(2);
  });
});
