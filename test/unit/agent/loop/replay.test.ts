/** An agent under record and replay: the model and the tools outside are not touched again, the result is the same. */
import { expect, test } from "vitest";
import type { Task } from "../../../../src/interp/index.ts";
import { configureModels } from "../../../../src/model/index.ts";
import { emptyResponse, type ModelClient, type ModelRequest } from "../../../../src/model/llm/index.ts";
import { List, type Value } from "../../../../src/values/index.ts";
import { agentRun, fn, options, raw } from "../../../support/agent-run.ts";
import { recordAndReplay, type TestProgram } from "../../../support/concurrent.ts";
import { effect, sleep } from "../../../support/task-effects.ts";

/** A vendor that calls both tools for three turns and then answers. */
function vendor(asked: ModelRequest[]): ModelClient {
  return {
    stream: async (request) => {
      asked.push(request);
      const response = emptyResponse(request.provider, request.model);
      const turn = asked.length;
      const call = (name: string, n: number) => {
        const args = { x: `${turn}` };
        return {
          id: `c${turn}${n}`,
          name,
          raw_arguments: JSON.stringify(args),
          arguments: args,
          parse_error: null,
        };
      };
      if (turn <= 3) response.tool_calls = [call("slow", 1), call("write", 2)];
      else response.text = "all written";
      response.usage = { ...response.usage, input_tokens: 10 * turn, output_tokens: 5 };
      response.cost_usd = 0.001;
      return { ok: true, response };
    },
  };
}

test("a replayed agent gives the same result and touches nothing", async () => {
  const asked: ModelRequest[] = [];
  const written: string[] = [];
  const order: string[] = [];
  const slow = raw(async (task: Task) => {
    await sleep(task, 50);
    order.push("slow");
    return "slept";
  });
  const write = raw(async (task: Task, args: Value) => {
    const text = await effect(task, "write_note", () => `${written.push("x")}`, null, "write");
    order.push("write");
    void args;
    return text;
  });
  const program: TestProgram = async (task) => {
    configureModels(task.runtime, { client: vendor(asked) });
    const run = agentRun({ task, runtime: task.runtime } as never);
    const tools = new List(
      [
        ["slow", slow],
        ["write", write],
      ].map(([name, handler]) => options({ name, description: "", parameters: {}, handler })),
    );
    const seen: string[] = [];
    const result = await run.loop("go", {
      provider: "openai",
      model: "gpt-4o-mini",
      tools,
      loop_until_done: true,
      max_concurrent_tools: 2,
      on_event: fn((event) => void seen.push(`${event.n} ${event.type} ${event.at}`)),
    });
    return JSON.stringify({ result, seen, order: order.splice(0) });
  };
  const { recorded, replayed } = await recordAndReplay(program);
  expect(recorded.guarded).toMatchObject({ kind: "ended" });
  expect(replayed).toEqual(recorded);
  expect([asked.length, written.length]).toEqual([4, 3]);
  const { result, order: ran } = JSON.parse(
    (recorded.guarded as { outcome: string }).outcome.slice("value ".length),
  );
  expect(ran.slice(0, 2)).toEqual(["write", "slow"]);
  expect(result).toMatchObject({
    cost_usd: 0.004,
    llm: { iterations: 4, input_tokens: 100 },
    text: "all written",
  });
});
