/** `npm run research-demo`, as a browser sees it: a task, a plan that is approved, three sub-agents at once, a paper. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { projectRoot } from "../../support/project.ts";
import { type Serving, startServing } from "../../support/serving.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const hasPdfLatex = spawnSync("pdflatex", ["--version"], { stdio: "ignore" }).status === 0;
const folder = tempFolder("research-served");
const example = join(projectRoot, "examples/research-agent");
let server: Serving | undefined;

afterAll(async () => {
  await server?.end();
});

interface Conversation {
  readonly id: string;
  readonly state: string;
  readonly mode: string;
  readonly questions: readonly { readonly id: string; readonly arguments: { readonly form: string } }[];
}

interface Reported {
  readonly type: string;
  readonly loop: string | null;
  readonly parent: { readonly loop: string; readonly call: string } | null;
  readonly data: { readonly [key: string]: unknown };
}

test("the demonstration", async () => {
  server = await startServing(["--llm-mock", "mock.jsonl"], {
    cwd: example,
    env: { HARN_STATE_DIR: join(folder, "state") },
  });
  const { base, said } = server;
  const token = readFileSync(join(folder, "state", "serve.token"), "utf8").trim();
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${base}/api${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
    return (await answer.json()) as T;
  };
  const info = await ask<{ features: string[]; agents: { examples: string[] }[] }>("/info");
  expect(info.features).toContain("written-answers");
  expect(info.agents.map(({ examples }) => examples)).toEqual([
    ["How does a grid of wind and sun keep its balance?"],
  ]);
  // A greeting is answered, by one call of a model.
  const greeting = await ask<Conversation>("/conversations", {
    agent: "research",
    message: { text: "hello" },
  });
  await expect
    .poll(async () => (await ask<Conversation>(`/conversations/${greeting.id}`)).state)
    .toBe("idle");
  const greeted = await ask<{ items: Reported[] }>(`/conversations/${greeting.id}/events?limit=1000`);
  const ofGreeting = (type: string): Reported[] => greeted.items.filter((report) => report.type === type);
  expect(ofGreeting("loop.end").map(({ data }) => [data.status, data.turns])).toEqual([["done", 1]]);
  expect(ofGreeting("run.end").map(({ data }) => data.status)).toEqual(["done"]);

  const { id } = await ask<Conversation>("/conversations", {
    agent: "research",
    message: { text: "How does a grid of wind and sun keep its balance?" },
  });
  const until = async (fits: (now: Conversation) => boolean): Promise<Conversation> => {
    for (const end = Date.now() + 90_000; ; ) {
      const now = await ask<Conversation>(`/conversations/${id}`);
      if (fits(now)) return now;
      if (now.state === "failed" || Date.now() > end) throw new Error(`${JSON.stringify(now)}\n${said()}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const asked = await until(({ questions }) => questions.length > 0);
  expect(asked).toMatchObject({ mode: "plan", questions: [{ arguments: { form: "plan" } }] });
  await ask(`/questions/${asked.questions[0]?.id}/answer`, { decision: "approve" });
  expect(await until(({ state }) => state === "idle")).toMatchObject({ mode: "execute", questions: [] });

  const { items } = await ask<{ items: Reported[] }>(`/conversations/${id}/events?limit=1000`);
  const of = (type: string): Reported[] => items.filter((report) => report.type === type);
  expect(of("mode.changed").map(({ data }) => data)).toEqual([{ from: "plan", to: "execute", by: "admin" }]);
  // Three sub-agents, each below the call that started it.
  const calls = of("tool.start").filter(({ data }) => data.name === "research");
  expect(calls).toHaveLength(3);
  expect(new Set(of("loop.start").map(({ parent }) => parent?.call ?? null)).size).toBe(4);
  expect(of("context.usage").length).toBeGreaterThan(0);
  expect(of("paper.changed").length).toBeGreaterThan(4);
  expect(of("run.end").map(({ data }) => data.status)).toEqual(["done"]);
  // The paper, as a text and as LaTeX that an engine takes where there is one.
  const { items: papers } = await ask<{ items: { id: string }[] }>("/papers");
  const exported = async (format: string): Promise<{ path: string; content: string; base64?: string }[]> =>
    (
      await ask<{ files: { path: string; content: string }[] }>(
        `/papers/${papers[0]?.id}/export?format=${format}&files=all`,
      )
    ).files;
  expect(papers).toHaveLength(1);
  expect((await exported("md"))[0]?.content.match(/^## /gm)?.length).toBeGreaterThanOrEqual(4);
  const [tex, bib] = await exported("latex");
  expect(tex?.content.match(/^\\section/gm)).toHaveLength(4);
  expect(bib?.content.match(/^@/gm)).toHaveLength(6);
  if (hasPdfLatex) {
    const [pdf] = await exported("pdf");
    expect(
      Buffer.from(pdf?.base64 ?? "", "base64")
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
  }

  const { items: files } = await ask<{ items: { path: string }[] }>(`/conversations/${id}/files`);
  expect(files.map(({ path }) => path)).toEqual(["PLAN.md"]);
});
