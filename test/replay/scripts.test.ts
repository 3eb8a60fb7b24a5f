/** Whole scripts, recorded and replayed: what users write, with everything that can differ from run to run. */
import { describe, expect, test } from "vitest";
import { MemoryJournal } from "../../src/effects/index.ts";
import { configureModels } from "../../src/model/index.ts";
import { emptyResponse, type ModelClient } from "../../src/model/llm/index.ts";
import { recordingEffects, replayEffects, unusableHost } from "../support/concurrent.ts";
import { createMemoryHost, type MemoryHost, ScriptedProcesses } from "../support/memory-host.ts";
import { recordAndReplayScript, runUnder } from "../support/replay-script.ts";

/** A machine with some files, an environment with a key in it, a program that answers, and a line of input. */
function machine(): MemoryHost {
  return createMemoryHost({
    files: { "/work/a.txt": "alpha\n", "/work/b.txt": "beta\n" },
    env: { HOME: "/home/tester", SERVICE_TOKEN: "tok-secret-123456" },
    stdin: "typed in\n",
    processes: new ScriptedProcesses((_program, args) => ({ stdout: `ran ${args.join(" ")}\n` })),
  });
}

const programs: Readonly<Record<string, string>> = {
  "files, listings and their errors": `
for name in list_dir(".").sort() { println("\${name}: \${read_file(name).trim()}") }
write_file("c.txt", "gamma \${uuid()}")
println(read_file("c.txt").len())
try { read_file("none.txt") } catch e { println(e) }
delete_file("c.txt")
println(file_exists("c.txt"))`,
  "clock, random numbers and ids": `
println("\${now_ms()} \${timestamp()} \${random()} \${random_int(1, 6)} \${uuid()} \${uuid_v7()}")
println(parallel 3 { i -> random_int(1, 1000) })
println(random_shuffle([1, 2, 3, 4, 5]))`,
  "environment, arguments, input and programs": `
println(env_or("HOME", "none"))
println(env("SERVICE_TOKEN") != nil)
let auth = "Bearer " + env("SERVICE_TOKEN")
println(exec("curl", "-H", auth).success)
println(read_line())
println(read_line())
println(exec("echo", "hello").stdout)`,
  "producers and consumers": `
let jobs = channel("jobs", 2)
let done = channel("done", 100)
let workers = [1, 2, 3].map({ id -> spawn {
  for job in jobs {
    sleep(random_int(1, 20))
    send(done, "\${id}:\${job}")
  }
} })
for i in 1 to 10 { send(jobs, i) }
close_channel(jobs)
for w in workers { await(w) }
close_channel(done)
for line in done { println(line) }`,
  "a race of timers": `
for i in 1 to 5 {
  let r = parallel each [1, 2, 3] { x ->
    sleep(random_int(1, 10))
    x
  } as stream
  var order = ""
  for x in r { order = order + "\${x}" }
  println(order)
}`,
  "deadlines and cancellations": `
let slow = spawn { sleep(1h) }
println(cancel_graceful(slow, 50))
try { deadline 20ms { parallel 2 { i -> sleep(1m) } } } catch e { println(e) }
let ticking = spawn {
  var n = 0
  while !is_cancelled() {
    n = n + 1
    sleep(7)
  }
  n
}
sleep(30)
println(cancel_graceful(ticking, 1s))`,
  "generators with effects of their own": `
gen fn times(n) -> Stream<int> {
  var i = 0
  while i < n {
    emit now_ms()
    sleep(3)
    i = i + 1
  }
}
let a = times(3)
let b = times(3)
println(a.next().value - b.next().value <= 0)
for t in a { println(t > 0) }
println(b.next().done)`,
  "an uncaught error after output": `
println("so far")
sleep(1)
throw "boom at \${now_ms()}"`,
  "an exit code": `
sleep(1)
println("bye")
exit(7)`,
};

describe("scripts replay byte for byte", () => {
  for (const [name, text] of Object.entries(programs)) {
    test(name, async () => {
      const { recorded, replayed, journal } = await recordAndReplayScript(text, machine());
      expect(recorded.stdout).not.toBe("");
      expect(replayed.stdout).toBe(recorded.stdout);
      expect(replayed.exitCode).toBe(recorded.exitCode);
      expect(replayed.error).toBe(recorded.error);
      expect(replayed.guarded.kind).toBe("ended");
      expect(JSON.stringify(journal)).not.toContain("tok-secret-123456");
    });
  }
});

test("model calls are answered from the journal", async () => {
  const text = `
let r = llm_call("say hi", nil, {provider: "openai", model: "gpt-5"})
println(r.text)
println(parallel each ["a", "b"] { x -> llm_call("about \${x}", nil, {provider: "openai", model: "gpt-5"}).text })`;
  let calls = 0;
  const client: ModelClient = {
    stream: async (request) => {
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
      const said = JSON.stringify(request.messages.at(-1)?.content ?? "");
      const response = {
        ...emptyResponse(request.provider, request.model),
        text: `answer ${calls} to ${said}`,
      };
      return { ok: true, response };
    },
  };
  const writer = new MemoryJournal();
  const recorded = await runUnder(text, recordingEffects(writer), createMemoryHost(), {
    onRuntime: (runtime) => configureModels(runtime, { client }),
  });
  expect(recorded.error).toBe("");
  expect(calls).toBe(3);
  expect(recorded.stdout).toContain("answer 1");
  const unusable: ModelClient = {
    stream: () => {
      throw new Error("a replay asked a model");
    },
  };
  const replayed = await runUnder(text, replayEffects(writer.read()), unusableHost(), {
    onRuntime: (runtime) => configureModels(runtime, { client: unusable }),
  });
  expect(replayed.guarded.kind).toBe("ended");
  expect(replayed.stdout).toBe(recorded.stdout);
});

describe("a changed script", () => {
  const record = async (text: string): Promise<MemoryJournal> => {
    const writer = new MemoryJournal();
    await runUnder(text, recordingEffects(writer), machine());
    return writer;
  };

  test("is stopped at the first effect that differs, with its position and both sides", async () => {
    const writer = await record('println(read_file("a.txt"))\n');
    const changed = 'println("before")\nprintln(read_file("b.txt"))\n';
    const { guarded, stdout } = await runUnder(changed, replayEffects(writer.read()), unusableHost());
    expect(stdout).toBe("before\n");
    expect(guarded).toMatchObject({
      kind: "problem",
      problem: {
        kind: "mismatch",
        details: [
          "at main.harn:2:9",
          'recorded: read_file (read) ["a.txt"]',
          'asked:    read_file (read) ["b.txt"]',
          'they differ at arguments[0]: "a.txt" → "b.txt"',
          expect.any(String),
        ],
      },
    });
  });

  test("a catch or finally of the script does not hide it", async () => {
    const writer = await record(
      'try { read_file("a.txt") } catch e { println(e) } finally { println("tidy") }',
    );
    const changed =
      'try { read_file("b.txt") } catch e { println(e) } finally { println("tidy") }\nprintln("after")';
    const { guarded, stdout } = await runUnder(changed, replayEffects(writer.read()), unusableHost());
    expect(guarded).toMatchObject({ kind: "problem", problem: { kind: "mismatch" } });
    expect(stdout).toBe("");
  });

  test("cut off anywhere: what was printed is a beginning of what was recorded", async () => {
    const text = programs["producers and consumers"]!;
    const writer = new MemoryJournal();
    const recorded = await runUnder(text, recordingEffects(writer), machine());
    for (let kept = 1; kept < writer.lines.length; kept += 5) {
      const cut = new MemoryJournal();
      for (const line of writer.lines.slice(0, kept)) cut.append(line);
      const { guarded, stdout } = await runUnder(text, replayEffects(cut.read()), unusableHost());
      expect(guarded).toMatchObject({ kind: "problem", problem: { kind: "ended-early" } });
      expect(recorded.stdout.startsWith(stdout)).toBe(true);
    }
  });
});
