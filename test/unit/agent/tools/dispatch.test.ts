import { describe, expect, it } from "vitest";
import { dispatchBatch, outcomeDict } from "../../../../src/agent/index.ts";
import { shape } from "../../../../src/effects/index.ts";
import { type RunEvent, runEvents } from "../../../../src/events/index.ts";
import type { Task } from "../../../../src/interp/index.ts";
import {
  type DispatchOptions,
  type ToolCall,
  type ToolSet,
  toolSetOfValue,
} from "../../../../src/model/index.ts";
import {
  Dict,
  display,
  fromJson,
  List,
  type MaybePromise,
  positionalHandlers,
  runtimeError,
  thrown,
  type Value,
} from "../../../../src/values/index.ts";
import { testRun } from "../../../support/concurrent.ts";
import { ScriptFunction } from "../../../support/script-function.ts";

type Handler = (task: Task, args: Dict) => MaybePromise<Value>;

const handler = (body: Handler): ScriptFunction =>
  new ScriptFunction(["args"], (task, args) => body(task, args[0] as Dict));

function tool(name: string, body: Handler, extra: Record<string, Value> = {}): Dict {
  return Dict.of({
    name,
    description: "",
    handler: handler(body),
    parameters: Dict.of({ a: Dict.of({ type: "int" }) }),
    ...extra,
  });
}

const setOf = (...tools: Dict[]): ToolSet => toolSetOfValue(new List(tools));
const call = (name: string, args: object = { a: 1 }, id = `c_${name}`): ToolCall => ({
  id,
  name,
  arguments: args as never,
  rawArguments: "",
  parseError: null,
  channel: "native",
});
const options: DispatchOptions = { sessionId: "s", iteration: 0 };

function dispatch(calls: ToolCall[], set: ToolSet, more: Partial<DispatchOptions> = {}, run = testRun()) {
  return dispatchBatch(run.task, calls, set, { ...options, ...more });
}

const sleepFor = (task: Task, ms: number): MaybePromise<null> =>
  task.perform<null>({
    effect: "observe",
    kind: "sleep",
    args: () => null,
    run: async (signal) => {
      await task.runtime.host.clock.sleep(ms, signal);
      return null;
    },
    result: shape.nothing,
  });

describe("one call (agents.md §8.1)", () => {
  it("shows the result in its frame, whatever its type", async () => {
    const results: [Value, string][] = [
      ["text", "text"],
      [null, "nil"],
      [fromJson({ a: 1, b: [1, "x"] }), '{"a":1,"b":[1,"x"]}'],
      [handler(() => null), "<fn(args)>"],
      [false, "false"],
    ];
    for (const [value, shown] of results) {
      const [outcome] = await dispatch([call("t")], setOf(tool("t", () => value)));
      expect(outcome).toMatchObject({
        ok: true,
        status: "ok",
        rendered: shown,
        executor: "harn",
        attempts: 1,
        error: null,
      });
      expect(outcome?.observation).toBe(`[result of t]\n${shown}\n[end of t result]\n`);
    }
  });

  it("turns what a handler throws into an error for the model", async () => {
    const set = setOf(
      tool("a", () => {
        throw thrown("no such file");
      }),
      tool("b", () => {
        throw runtimeError("boom");
      }),
      tool("c", () => Promise.reject(thrown(Dict.of({ category: "rate_limit", message: "slow" })))),
    );
    const outcomes = await dispatch([call("a"), call("b"), call("c")], set);
    expect(outcomes.map(({ status, rendered, errorCategory }) => [status, rendered, errorCategory])).toEqual([
      ["error", "Thrown: no such file", "tool_error"],
      ["error", "Runtime error: boom", "tool_error"],
      ["error", "Thrown: {category: rate_limit, message: slow}", "rate_limit"],
    ]);
    expect(outcomes[0]?.observation).toBe("[error from a]\nThrown: no such file\n[end of a error]\n");
  });

  it("does not hide a bug of ours behind the call", async () => {
    const set = setOf(
      tool("t", () => {
        throw new TypeError("ours");
      }),
    );
    await expect(dispatch([call("t")], set)).rejects.toThrow("ours");
  });

  it("refuses an unknown tool and names the others", async () => {
    const [outcome] = await dispatch([call("raed")], setOf(tool("read", () => 1)));
    expect(outcome).toMatchObject({
      status: "rejected",
      errorCategory: "permission_denied",
      executor: null,
      attempts: 0,
    });
    expect(outcome?.observation).toBe(
      "[error from raed]\nTool 'raed' is not available in the current environment. Did you mean 'read'? Available tools: [read]\n[end of raed error]\n",
    );
  });

  it("asks for missing parameters", async () => {
    const parameters = Dict.of({
      path: "string",
      limit: Dict.of({ type: "int", default: 10 }),
      deep: Dict.of({ type: "bool", required: false }),
      mode: "string",
    });
    const seen: string[] = [];
    const set = setOf(
      tool(
        "t",
        (_task, args) => {
          seen.push(display(args));
          return null;
        },
        { parameters },
      ),
    );
    const [missing] = await dispatch([call("t", { limit: 3 })], set);
    expect(missing).toMatchObject({ status: "error", errorCategory: "invalid_arguments", attempts: 0 });
    expect(missing?.error).toContain("Tool 't' is missing required parameter(s): mode, path.");
    const body = JSON.parse(missing?.rendered ?? "");
    expect(body).toMatchObject({ error: "invalid_arguments", tool: "t" });
    expect(Object.keys(body)).toEqual(["error", "next_step", "reason", "tool"]);
    await dispatch([call("t", { path: "p", mode: "m", extra: "x" })], set);
    expect(seen).toEqual(["{extra: x, limit: 10, mode: m, path: p}"]);
  });

  it("checks the whole schema, and refuses unknown keys of a strict tool", async () => {
    const parameters = fromJson({
      type: "object",
      properties: {
        n: { type: "integer", minimum: 1 },
        kind: { enum: ["a", "b"] },
        at: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
      },
      required: ["n"],
    });
    const open = setOf(tool("t", () => "ran", { parameters }));
    const strict = setOf(tool("t", () => "ran", { parameters, strict: true }));
    const reason = async (args: object, set = open): Promise<string | null | undefined> =>
      (await dispatch([call("t", args)], set))[0]?.error;
    expect(await reason({ n: 2, kind: "a", at: { x: 1 } })).toBeNull();
    expect(await reason({ n: "2" })).toContain("at n: expected type 'int', got 'string'");
    expect(await reason({ n: 0, kind: "c" })).toContain(
      "at kind: value must be one of [a, b]; at n: expected value >= 1, got 0",
    );
    expect(await reason({ n: 1, at: {} })).toContain("at at: missing required key 'x'");
    expect(await reason({ n: 1, oops: 1 })).toBeNull();
    expect(await reason({ n: 1, oops: 1 }, strict)).toContain("at root: unexpected key 'oops'");
  });

  it("tells the model that its arguments could not be read", async () => {
    const broken = {
      ...call("t"),
      arguments: null,
      rawArguments: "{",
      parseError: "the arguments are not valid JSON: x",
    };
    const [outcome] = await dispatch([broken], setOf(tool("t", () => 1)));
    expect(outcome).toMatchObject({ status: "error", errorCategory: "invalid_arguments" });
    expect(outcome?.observation).toContain("could not be read: the arguments are not valid JSON: x");
  });

  it("keeps the numbers that the model wrote", async () => {
    const seen: string[] = [];
    const parameters = fromJson({ a: "number", n: "integer" });
    const handler = (_task: unknown, args: Dict): null => {
      seen.push(display(args));
      return null;
    };
    const set = setOf(tool("t", handler, { parameters }));
    const written = { ...call("t", { a: 5, n: 5 }), rawArguments: '{"a": 5.0, "n": 5.0}' };
    await dispatch([written, call("t", { a: 5, n: 5 }, "d")], set);
    expect(seen).toEqual(["{a: 5.0, n: 5}", "{a: 5, n: 5}"]);
  });

  it("calls the handler of a declaration by position", async () => {
    const fn = new ScriptFunction(["path", "limit"], (_task, args) => new List([...args]));
    positionalHandlers.add(fn);
    const parameters = fromJson({
      path: { type: "string" },
      limit: { type: "integer", default: 3, required: false },
    });
    const set = setOf(Dict.of({ name: "t", description: "", handler: fn, parameters }));
    const shown = async (args: object) => (await dispatch([call("t", args)], set))[0]?.rendered;
    expect(await shown({ limit: 1, path: "x" })).toBe('["x",1]');
    expect(await shown({ path: "x" })).toBe('["x",3]');
  });

  it("renames aliases", async () => {
    const annotations = fromJson({ arg_schema: { arg_aliases: { file: "a" } } });
    const set = setOf(tool("t", (_task, args) => args, { annotations }));
    expect((await dispatch([call("t", { file: 7 })], set))[0]?.rendered).toBe('{"a":7}');
  });

  it("cuts long results and keeps the lines that tell of failures", async () => {
    const long = `${"line of output\n".repeat(20_000)}src/a.ts:12: error: broken\n${"more output\n".repeat(20_000)}`;
    const [outcome] = await dispatch([call("t")], setOf(tool("t", () => long)), { maxOutputChars: 4000 });
    expect(outcome?.rendered.length).toBeLessThan(5000);
    expect(outcome?.rendered).toContain("characters snipped");
    expect(outcome?.rendered).toContain("src/a.ts:12: error: broken");
    expect(outcome?.result).toBe(long);
  });

  it("survives fifty megabytes", async () => {
    const [outcome] = await dispatch([call("t")], setOf(tool("t", () => "x".repeat(50_000_000))));
    expect(outcome?.ok).toBe(true);
    expect(outcome?.observation.length).toBeLessThan(110_000);
  });

  it("says why nobody can run it", async () => {
    const set = setOf(
      Dict.of({ name: "h", description: "", executor: "host_bridge", host_capability: "fs.read" }),
      Dict.of({ name: "m", description: "", executor: "mcp_server", mcp_server: "github" }),
      Dict.of({ name: "n", description: "" }),
    );
    const outcomes = await dispatch([call("h"), call("m"), call("n")], set);
    expect(outcomes.map((outcome) => outcome.error)).toEqual([
      "Tool 'h' runs on the host (capability fs.read), and no host offers that.",
      "Tool 'm' runs on the MCP server 'github', which is not connected.",
      "Tool 'n' has no handler.",
    ]);
  });
});

describe("retries and time", () => {
  it("tries again after errors, waiting twice as long each time", async () => {
    const run = testRun();
    let calls = 0;
    const set = setOf(
      tool("t", () => {
        calls++;
        if (calls < 3) throw thrown("busy");
        return "fine";
      }),
    );
    const before = run.host.clock.monotonic();
    const [outcome] = await dispatch([call("t")], set, { retries: 5, backoffMs: 100 }, run);
    expect(outcome).toMatchObject({ ok: true, attempts: 3, durationMs: 300 });
    expect(run.host.clock.monotonic() - before).toBe(300);
  });

  it("never repeats refusals", async () => {
    const run = testRun();
    const [outcome] = await dispatch(
      [call("nope"), call("t", {})],
      setOf(tool("t", () => 1)),
      { retries: 3 },
      run,
    );
    expect(outcome?.attempts).toBe(0);
    expect(run.host.clock.monotonic()).toBe(0);
  });

  it("stops a handler that hangs", async () => {
    const set = setOf(
      tool(
        "t",
        async (task) => {
          await sleepFor(task, 60_000);
          return "late";
        },
        { timeout_ms: 50 },
      ),
    );
    const [outcome] = await dispatch([call("t")], set);
    expect(outcome).toMatchObject({ status: "error", errorCategory: "timeout", durationMs: 50 });
    expect(outcome?.observation).toContain("Tool 't' did not finish within 50 ms and was stopped.");
  });
});

describe("batches", () => {
  it("records results in emitted order, whichever ends first", async () => {
    const order: string[] = [];
    const set = setOf(
      tool("t", async (task, args) => {
        const ms = args.get("a") as number;
        await sleepFor(task, ms);
        order.push(String(ms));
        return ms;
      }),
    );
    const batch = [30, 10, 20].map((ms, i) => call("t", { a: ms }, `c${i}`));
    const outcomes = await dispatch(batch, set, { maxConcurrent: 3 });
    expect(order).toEqual(["10", "20", "30"]);
    expect(outcomes.map((outcome) => [outcome.callId, outcome.rendered])).toEqual([
      ["c0", "30"],
      ["c1", "10"],
      ["c2", "20"],
    ]);
  });

  it("keeps to the limit of calls in flight", async () => {
    let running = 0;
    let max = 0;
    const set = setOf(
      tool("t", async (task) => {
        max = Math.max(max, ++running);
        await sleepFor(task, 5);
        running--;
        return null;
      }),
    );
    const batch = Array.from({ length: 7 }, (_, i) => call("t", { a: i }, `c${i}`));
    await dispatch(batch, set, { maxConcurrent: 3 });
    expect(max).toBe(3);
    max = 0;
    await dispatch(batch, set);
    expect(max).toBe(1);
  });

  it("lets one failure stop nobody else", async () => {
    const set = setOf(
      tool("good", () => "ok"),
      tool("bad", () => {
        throw thrown("no");
      }),
    );
    const outcomes = await dispatch(
      [call("good"), call("bad"), call("nope"), call("good", { a: 2 }, "again")],
      set,
      { maxConcurrent: 2 },
    );
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["ok", "error", "rejected", "ok"]);
  });

  it("prints at once one by one, and in call order side by side", async () => {
    const set = setOf(
      tool("t", async (task, args) => {
        task.write(`begin ${args.get("a")}\n`);
        await sleepFor(task, 10 - (args.get("a") as number));
        task.write(`end ${args.get("a")}\n`);
        return null;
      }),
    );
    const batch = [1, 2].map((a) => call("t", { a }, `c${a}`));
    const single = testRun();
    await dispatch(batch, set, {}, single);
    expect(single.printed.join("")).toBe("begin 1\nend 1\nbegin 2\nend 2\n");
    const both = testRun();
    await dispatch(batch, set, { maxConcurrent: 2 }, both);
    expect(both.printed.join("")).toBe("begin 1\nend 1\nbegin 2\nend 2\n");
  });

  it("numbers each call's effects on a path of its own", async () => {
    const paths: string[] = [];
    const set = setOf(
      tool("t", (task) => {
        paths.push(task.scope.path);
        return null;
      }),
    );
    await dispatch([call("t", { a: 1 }, "x"), call("t", { a: 2 }, "y")], set, { maxConcurrent: 2 });
    expect(paths).toEqual(["0.0", "0.1"]);
  });

  it("emits beginnings and ends", async () => {
    const run = testRun();
    const events: RunEvent[] = [];
    run.runtime.state(runEvents).subscribe((event) => events.push(event));
    await dispatch([call("t"), call("nope")], setOf(tool("t", () => 1)), {}, run);
    const shown = events.map(({ type, call, data }) => [type, call, "status" in data ? data.status : ""]);
    expect(shown).toEqual([
      ["tool.start", "b1.0", ""],
      ["tool.end", "b1.0", "ok"],
      ["tool.start", "b1.1", ""],
      ["tool.end", "b1.1", "rejected"],
    ]);
  });

  it("removes a sink that fails", async () => {
    const run = testRun();
    const events = run.runtime.state(runEvents);
    let seen = 0;
    events.subscribe(() => {
      seen++;
      throw new Error("mine");
    });
    await dispatch([call("t")], setOf(tool("t", () => 1)), {}, run);
    expect(seen).toBe(1);
    expect(events.listens).toBe(false);
  });
});

describe("gates, middleware and hooks", () => {
  it("refuses with a body that the model can read", async () => {
    const gates = [
      {
        name: "policy",
        decide: () =>
          ({
            kind: "deny",
            denial: { gate: "tool_ceiling", reason: "tool 't' exceeds tool ceiling", retryable: false },
          }) as const,
      },
    ];
    const [outcome] = await dispatch([call("t")], setOf(tool("t", () => 1)), { gates });
    expect(outcome).toMatchObject({ status: "rejected", errorCategory: "permission_denied" });
    expect(Object.keys(JSON.parse(outcome?.rendered ?? ""))).toEqual([
      "denial",
      "error",
      "next_step",
      "reason",
      "tool",
    ]);
    expect(outcome?.observation.startsWith('[result of t]\n{\n  "denial"')).toBe(true);
    expect(display(outcomeDict(outcome as never).get("denial") ?? null)).toBe(
      "{gate: tool_ceiling, reason: tool 't' exceeds tool ceiling, retryable: false}",
    );
  });

  it("sends changed arguments through all gates again", async () => {
    const seen: string[] = [];
    const guard = {
      name: "policy",
      decide: (_task: Task, pending: { arguments: Dict }) => {
        seen.push(display(pending.arguments));
        return pending.arguments.get("a") === 13
          ? ({ kind: "deny", denial: { gate: "arg_constraint", reason: "not 13", retryable: true } } as const)
          : ({ kind: "allow" } as const);
      },
    };
    const hook = (a: number) => ({
      name: "hook",
      decide: () => ({ kind: "change", arguments: Dict.of({ a }) }) as const,
    });
    const set = setOf(tool("t", (_task, args) => args));
    const [allowed] = await dispatch([call("t")], set, { gates: [guard, hook(2)] });
    expect(allowed?.rendered).toBe('{"a":2}');
    expect(seen).toEqual(["{a: 1}", "{a: 2}"]);
    const [denied] = await dispatch([call("t")], set, { gates: [guard, hook(13)] });
    expect(denied?.status).toBe("rejected");
  });

  it("ends a pair of hooks that never agree", async () => {
    let n = 0;
    const gates = [
      { name: "hook", decide: () => ({ kind: "change", arguments: Dict.of({ a: ++n }) }) as const },
    ];
    const [outcome] = await dispatch([call("t")], setOf(tool("t", () => 1)), { gates });
    expect(outcome?.error).toBe("hooks keep changing the arguments of 't'");
  });

  it("wraps the executor and reports middleware that throws", async () => {
    const set = setOf(tool("t", (_task, args) => args));
    const [wrapped] = await dispatch([call("t")], set, {
      wrap: (task, _pending, next) => next(task, Dict.of({ a: 42 })),
    });
    expect(wrapped?.rendered).toBe('{"a":42}');
    const [broken] = await dispatch([call("t")], set, {
      wrap: () => {
        throw thrown("middleware");
      },
    });
    expect(broken).toMatchObject({
      status: "error",
      errorCategory: "tool_middleware_exception",
      error: "Thrown: middleware",
    });
  });

  it("lets an after-hook replace the text", async () => {
    const [outcome] = await dispatch([call("t")], setOf(tool("t", () => "secret")), {
      after: [() => "HOOKED"],
    });
    expect(outcome).toMatchObject({
      rendered: "HOOKED",
      observation: "[result of t]\nHOOKED\n[end of t result]\n",
      result: "secret",
    });
  });

  it("answers structural tools before anything else", async () => {
    const structural = new Map([["park", () => ({ ok: true, text: "parked" })]]);
    const [outcome] = await dispatch([call("park")], setOf(), { structural });
    expect(outcome).toMatchObject({ ok: true, rendered: "parked" });
  });
});
