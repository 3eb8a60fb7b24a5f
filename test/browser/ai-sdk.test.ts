// suite: processes
// long: drives a browser
/** `useChat` of AI SDK in a real browser: over `HarnessAgent` with `harn/ai-sdk`, and over `eventStream` of `harn/web`. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { HarnessAgent } from "@ai-sdk/harness/agent";
import { createUIMessageStreamResponse, toUIMessageStream } from "ai";
import type { Browser, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { harnHarness, noSandbox } from "../../src/library/ai-sdk.ts";
import { tool } from "../../src/library/index.ts";
import { testHarn } from "../../src/library/testing.ts";
import { eventStream } from "../../src/library/web.ts";
import { findChromium, startChromium } from "../support/chromium.ts";
import { projectRoot } from "../support/project.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { withPage } from "../support/viewer-page.ts";

const chromium = findChromium();
const why = "missing" in chromium ? ` (skipped: ${chromium.missing})` : "";

const lookup = tool({
  name: "lookup",
  description: "Looks a thing up.",
  input: z.object({ q: z.string() }),
  effect: "read",
  execute: async ({ q }): Promise<unknown> => ({ found: [q] }),
});
const mock = [
  { text: "Let me look.", tool_calls: [{ name: "lookup", arguments: { q: "a" } }] },
  { text: "There it is." },
];

describe.skipIf("missing" in chromium)(`useChat in a browser${why}`, () => {
  const h = testHarn({ cwd: tempFolder("ai-sdk-page"), mock });
  const broken = testHarn({ cwd: tempFolder("ai-sdk-broken") });
  const agent = new HarnessAgent({ harness: harnHarness(h, { tools: [lookup] }), sandbox: noSandbox });
  /** What each path answers with. */
  const answers: { readonly [path: string]: () => Promise<Response> } = {
    "/harness": async () => {
      const session = await agent.createSession();
      const { stream } = await agent.stream({ session, prompt: "find a" });
      return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
    },
    "/run": async () => eventStream(h.agent({ prompt: "find a", tools: [lookup] }), { format: "ai-sdk" }),
    "/broken": async () => eventStream(broken.run({ text: 'throw "out of order"' }), { format: "ai-sdk" }),
  };
  let script = "";
  let browser: Browser;
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const answer = answers[path];
    if (answer !== undefined) void answer().then((made) => send(made, response));
    else {
      const type = path === "/page.js" ? "text/javascript" : "text/html; charset=utf-8";
      response.setHeader("content-type", type);
      response.end(
        path === "/page.js"
          ? script
          : '<!doctype html><html lang="en"><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
      );
    }
  });

  beforeAll(async () => {
    script = await pageScript();
    await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
    browser = await startChromium("path" in chromium ? chromium.path : "");
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
    await Promise.all([h.close(), broken.close()]);
  });

  const asked = async (api: string, test: (page: Page) => Promise<void>): Promise<void> =>
    await withPage(browser, `ai-sdk ${api}`, async ({ page }) => {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?api=${api}`);
      await page.getByRole("button", { name: "Ask" }).click();
      await test(page);
    });

  it.each(["/harness", "/run"])(
    "%s: what it says, its call with input and output, as parts of a message",
    async (api) => {
      await asked(api, async (page) => {
        await page
          .locator('[data-status="ready"] article[data-role="assistant"]')
          .getByText("There it is.")
          .waitFor();
        const parts = await page
          .locator('article[data-role="assistant"] p')
          .evaluateAll((all) => all.map((one) => [one.dataset.part, one.dataset.state, one.textContent]));
        expect(parts.filter(([type]) => type !== "step-start")).toEqual([
          ["text", "done", "Let me look."],
          ["tool-lookup", "output-available", '{"found":["a"]}'],
          ["text", "done", "There it is."],
        ]);
        expect(await page.locator("output").textContent()).toBe("");
      });
    },
  );

  it("a run that fails is the error of the chat", async () => {
    await asked("/broken", async (page) => {
      await page.locator('[data-status="error"]').waitFor();
      expect(await page.locator("output").textContent()).toBe("Thrown: out of order");
    });
  });
});

/** Over Preact in place of React. */
async function pageScript(): Promise<string> {
  const bundle = await rolldown({
    input: join(projectRoot, "test/pages/chat-page.ts"),
    platform: "browser",
    resolve: { alias: { react: "preact/compat" } },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "es", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

async function send(made: Response, response: ServerResponse): Promise<void> {
  response.writeHead(made.status, Object.fromEntries(made.headers));
  for await (const piece of made.body ?? []) response.write(piece);
  response.end();
}
