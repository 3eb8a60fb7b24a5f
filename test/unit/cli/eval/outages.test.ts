/** A provider that is out of reach is an error of trials, never a failure of their agent; waiting for one is no work (issue 27). Most of the time it waits. */
// suite: processes
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type ChatAnswer, type EvalServer, evalServer } from "../../../support/eval-server.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-outages");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const route = `{provider: "openrouter", model: "gpt-4o-mini"}`;

/** A task whose samples are these inputs; the solver has `s`. */
const script = (inputs: readonly string[], solver: string, more: string): string => `import "std/eval"
let route = ${route}
eval_task({
  name: "t",
  dataset: ${JSON.stringify(inputs)}.map({ input -> {id: input, input: input, target: "yes"} }),
  solver: { s, _trial -> ${solver} },
  scorers: [includes()],
  ${more}
})
`;

interface ShownTrial {
  readonly state: string;
  readonly blame: string | null;
  readonly error: { readonly category: string; readonly message: string } | null;
  readonly outcome: { readonly limit: string | null; readonly working_ms: number; readonly wall_ms: number };
}

const trial = async (id: string): Promise<ShownTrial> =>
  JSON.parse((await harnHere(["eval", "show", `last:${id}.1`, "--json"], { cwd })).stdout) as ShownTrial;

const ran = ({ url }: EvalServer, ...args: string[]) =>
  harnHere(["eval", ...args, "--quiet", "--json"], {
    cwd,
    env: { OPENROUTER_API_KEY: "k-123456789", OPENROUTER_BASE_URL: `${url}/v1` },
  });

const inputOf = (request: { readonly messages: readonly { readonly content: unknown }[] }): string =>
  /limited|busy|gone|slow|a\d|b\d/.exec(JSON.stringify(request.messages))?.[0] ?? "";

it("neither Retry-After nor retries nor silence after them count as work, and a slow model meets its limit", {
  timeout: 300_000,
}, async () => {
  let isBack = false;
  const wait = { "retry-after": "9" };
  const answers: Readonly<Record<string, (nth: number) => ChatAnswer>> = {
    limited: (nth) => (nth === 1 ? { status: 429, headers: wait } : { text: "yes" }),
    busy: (nth) => (nth === 1 ? { status: 503, headers: wait } : { text: "yes" }),
    gone: (nth) => (isBack ? { text: "yes" } : nth <= 3 ? { status: 503 } : { never: true }),
    slow: () => (isBack ? { text: "yes" } : { text: "yes", delay: 9000 }),
  };
  const server = await evalServer((request, nth) => answers[inputOf(request)]?.(nth) ?? { status: 400 });
  try {
    // What the program makes of a loop that got no answer is a text like any other.
    const solver = "agent_loop(s.input, nil, route).visible_text";
    writeFileSync(
      join(cwd, "t.harn"),
      script(["limited", "busy", "gone", "slow"], solver, "limits: {time: 4s}"),
    );
    const first = await ran(server, "run", "t.harn");
    expect(first.status).toBe(5);
    expect(await trial("limited")).toMatchObject({ state: "done", error: null, outcome: { limit: null } });
    expect(await trial("busy")).toMatchObject({ state: "done", error: null, outcome: { limit: null } });
    for (const id of ["limited", "busy"]) {
      const { working_ms, wall_ms } = (await trial(id)).outcome;
      expect(wall_ms - working_ms).toBeGreaterThanOrEqual(8900);
    }
    expect(await trial("gone")).toMatchObject({
      state: "errored",
      blame: "environment",
      error: {
        category: "provider",
        message: "the limit of time was met while the trial waited for openrouter",
      },
    });
    // Nothing failed: all the time was the model's work.
    expect(await trial("slow")).toMatchObject({ state: "done", blame: "agent", outcome: { limit: "time" } });
    isBack = true;
    expect((await ran(server, "resume")).status).toBe(0);
    expect(await trial("gone")).toMatchObject({ state: "done", error: null, outcome: { limit: null } });
  } finally {
    await server.close();
  }
});

it("waiting for a connection is no work", { timeout: 300_000 }, async () => {
  const server = await evalServer(() => ({ text: "yes", delay: 1500 }));
  try {
    const inputs = ["a1", "a2", "a3", "a4", "a5", "a6"];
    writeFileSync(
      join(cwd, "t.harn"),
      script(inputs, "llm_call(s.input, nil, route).text", "limits: {time: 4s}"),
    );
    const done = await ran(server, "run", "t.harn", "--connections", "openrouter=1");
    expect(done.status).toBe(0);
    for (const id of inputs)
      expect(await trial(id)).toMatchObject({ state: "done", outcome: { limit: null } });
  } finally {
    await server.close();
  }
});

it("what a program makes of an outage is no answer of its agent, and a limit of all time met in one is an error", {
  timeout: 300_000,
}, async () => {
  let isBack = false;
  const answers: Readonly<Record<string, ChatAnswer>> = {
    busy: { status: 503 },
    limited: { status: 429, headers: { "retry-after": "60" } },
  };
  const server = await evalServer((request) =>
    isBack ? { text: "yes" } : (answers[inputOf(request)] ?? { status: 400 }),
  );
  try {
    const solver = `llm_call_safe(s.input, nil, route).response?.text ?? "no idea"`;
    writeFileSync(
      join(cwd, "t.harn"),
      script(["busy", "limited"], solver, "limits: {wall: 6s}, retries: {max: 0}"),
    );
    expect((await ran(server, "run", "t.harn")).status).toBe(5);
    expect(await trial("busy")).toMatchObject({ state: "errored", error: { category: "provider" } });
    expect(await trial("limited")).toMatchObject({
      state: "errored",
      error: { message: "the limit of wall was met while the trial waited for openrouter" },
    });
    isBack = true;
    expect((await ran(server, "resume")).status).toBe(0);
  } finally {
    await server.close();
  }
});

it("a trial that waits for a rate limit leaves its place to others", { timeout: 300_000 }, async () => {
  const order: string[] = [];
  const server = await evalServer((request, nth) => {
    order.push(nth > 1 ? "again" : request.model);
    return request.model === "slow" && order.indexOf("slow") === order.length - 1
      ? { status: 429, headers: { "retry-after": "8" } }
      : { text: "yes" };
  });
  try {
    writeFileSync(
      join(cwd, "t.harn"),
      `import "std/eval"
eval_task({
  name: "t",
  dataset: range(0, 6).map({ n -> {id: "a\${n}", input: "a\${n}", target: "yes"} }).to_list(),
  solver: { s, trial -> llm_call(s.input, nil, trial.variant.route).text },
  scorers: [includes()],
  variants: [
    {name: "limited", route: {provider: "together", model: "slow"}},
    {name: "open", route: {provider: "openrouter", model: "fast"}},
  ],
})
`,
    );
    const { status, stderr } = await harnHere(
      ["eval", "run", "t.harn", "--quiet", "--json", "--trials", "1"],
      {
        cwd,
        env: {
          OPENROUTER_API_KEY: "k-123456789",
          OPENROUTER_BASE_URL: `${server.url}/v1`,
          TOGETHER_AI_API_KEY: "k-123456789",
          TOGETHER_AI_BASE_URL: `${server.url}/v1`,
        },
      },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    // All of the other provider are answered during the first pause of this one.
    expect(order.lastIndexOf("fast")).toBeLessThan(order.indexOf("again"));
  } finally {
    await server.close();
  }
});
