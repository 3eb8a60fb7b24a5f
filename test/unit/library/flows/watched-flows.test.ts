/** Runs of flows as people see them who have not their function: the command line, its viewer, another program. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harn, tool } from "../../../../src/library/index.ts";
import type { RunEvent } from "../../../../src/library/types.ts";
import { flowProgram, never, pause } from "../../../support/flow-harn.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder("watched-flows");
const state = `${folder}/state`;
const command = (...args: string[]) => harnHere(args, { cwd: folder, env: { HARN_STATE_DIR: state } });

const lookup = tool({
  name: "lookup",
  description: "Looks up.",
  input: z.object({ word: z.string() }),
  execute: async ({ word }) => {
    await pause(word === "tea" ? 30 : 5);
    return { word, found: true };
  },
});
const call = (word: string) => ({ tool_calls: [{ name: "lookup", arguments: { word } }] });

/** Agents side by side and in branches, and steps around them. */
const program = (stops: boolean) =>
  flowProgram(
    folder,
    async (ctx) => {
      await ctx.step("first", 1, (n) => n);
      const [tea] = await Promise.all([
        ctx.agent({ prompt: "tea", tools: [lookup] }),
        ctx.step("beside", 2, () => pause(20)),
        ctx.agent({ prompt: "rum", tools: [lookup] }),
      ]);
      await ctx.parallel(["x"], (own) => own.agent({ prompt: "more" }));
      await ctx.step("last", tea.text, (text) => (stops ? never() : text));
      return tea.text;
    },
    { mock: [call("tea"), call("rum"), { text: "first" }, { text: "second" }, { text: "third" }] },
  );

const shapeOf = ({ type, loop, data }: RunEvent): unknown =>
  type === "message.end" || type === "tool.end" ? [type, loop !== null, data] : type;

describe("what agents of a flow did", () => {
  it("is told from the record as it was live, also of a run that was stopped", async () => {
    for (const stops of [false, true]) {
      await using own = program(stops);
      const live: RunEvent[] = [];
      const run = own.flow();
      const listening = (async () => {
        for await (const event of run) if (event.seq !== null) live.push(event);
      })();
      while (stops && live.filter(({ type }) => type === "loop.end").length < 3) await pause(5);
      if (stops) await run.stop();
      await listening;
      await using other = harn({ cwd: folder, store: state, env: {} });
      const recorded: RunEvent[] = [];
      for await (const event of other.runs.events(run.id)) recorded.push(event);
      expect(recorded.map(shapeOf)).toEqual(live.map(shapeOf));
      expect(recorded.filter(({ type }) => type === "loop.end")).toHaveLength(3);
    }
  });

  it("is shown by the command line, which replays, resumes and forks none of it", async () => {
    await using own = program(false);
    await own.flow(undefined, { name: "shown" });
    expect(await command("runs", "show", "shown")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/step\.first[\s\S]*flow\.agent[\s\S]*tool\.lookup[\s\S]*step\.last/),
    });
    expect((await command("trace", "shown")).stdout).toMatch(/lookup/);
    const [session = ""] = /agent_session_[\w-]+/.exec((await command("why", "shown")).stderr) ?? [];
    expect((await command("why", "shown", "--session", session)).stdout).toContain("ended done");
    expect((await command("runs", "list")).stdout).toContain("<flow work>");
    for (const asked of [
      ["replay", "shown"],
      ["fork", "shown", "--at", "1"],
    ])
      expect(await command(...asked)).toMatchObject({
        stderr: expect.stringMatching(/^harn: this is a run of the flow `work`, .*\(HARN-LIB-020\)/),
        stdout: "",
        status: 1,
      });
  });
});
