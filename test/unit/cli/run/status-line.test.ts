/** What a terminal shows while a program waits for a model outside of every loop. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StatusLine } from "../../../../src/run/view/status-line.ts";
import { startProviderServer } from "../../../support/provider-server/index.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { harnInTerminal, hasTerminals } from "../../../support/terminal.ts";

function drawn(width = 100) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const line = new StatusLine({ write: (text) => written.push(text), now: () => clock.ms, width });
  return { line, clock, written };
}

const call = (call: number, chars: number, over = false) => ({
  call,
  provider: "openai",
  model: "gpt-4o",
  chars,
  over,
});

describe("the line", () => {
  it("says who is waited for, how long, and how far the answer is", () => {
    const { line, clock, written } = drawn();
    line.progress(call(1, 0));
    clock.ms = 1900;
    line.draw();
    expect(written).toEqual([]);
    clock.ms = 3400;
    line.draw();
    line.progress(call(1, 5001));
    clock.ms = 71_000;
    line.draw();
    line.progress(call(1, 5001, true));
    expect(written).toEqual([
      "\r\u001b[K… gpt-4o (openai), 3 s, nothing said yet",
      "\r\u001b[K… gpt-4o (openai), 1 m 11 s, about 1,251 tokens so far",
      "\r\u001b[K",
    ]);
  });

  it("counts calls that go on side by side, and stays on one line", () => {
    const { line, clock, written } = drawn(50);
    for (const number of [1, 2, 3]) line.progress(call(number, 400));
    clock.ms = 2000;
    line.draw();
    expect(written[0]).toBe("\r\u001b[K… 3 model calls, the first gpt-4o (openai), 2 s,…");
    line.erase();
    line.erase();
    expect(written.slice(1)).toEqual(["\r\u001b[K"]);
    for (const number of [1, 2, 3]) line.progress(call(number, 400, true));
    expect(written).toHaveLength(2);
  });

  it("shows a name that wants to steer the terminal as text", () => {
    const { line, clock, written } = drawn();
    line.progress({ ...call(1, 0), model: "m\u001b[2J" });
    clock.ms = 2000;
    line.draw();
    expect(written[0]).not.toContain("\u001b[2J");
    line.progress(call(1, 0, true));
  });
});

const folder = tempFolder("status-line");

it.skipIf(!hasTerminals)("is shown while a call outside of loops lasts, and gone before output", async () => {
  const server = await startProviderServer();
  server.next({ kind: "answer", text: "0123456789", piece: 1, paceMs: 350 });
  const script = join(folder, "slow.harn");
  writeFileSync(script, 'println(llm_call("hi", nil, {provider: "local", model: "m"}).text)\n');
  const args = ["run", "--provider", "local", "--base-url", `${server.url}/v1`, "--model", "m", script];
  const { text, status } = await harnInTerminal(args, { cwd: folder, prompt: "never", answers: [] });
  await server.close();
  expect(status).toBe(0);
  expect(text).toContain("… m (local), 2 s, about ");
  expect(text.endsWith("\u001b[K0123456789\n")).toBe(true);
});
