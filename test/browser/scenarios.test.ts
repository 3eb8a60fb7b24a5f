// suite: processes
// long: drives a browser
/**
 * Acceptance scenarios of issue 16 as a person goes through them: a real `harn serve`, a real Chromium, nothing of either faked.
 * What is measured is read from the log's own times.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { poolMark } from "../../src/host/index.ts";
import type { DurableEnvelope } from "../../src/server/protocol/index.ts";
import { findChromium, startChromium } from "../support/chromium.ts";
import { startCuttableNetwork } from "../support/cuttable-network.ts";
import { projectRoot } from "../support/project.ts";
import { type ProviderServer, startProviderServer } from "../support/provider-server/index.ts";
import { marked } from "../support/served.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { tempFolders } from "../support/temp-folder.ts";
import { type Watched, withPage } from "../support/viewer-page.ts";

const chromium = findChromium();
const why = "missing" in chromium ? ` (skipped: ${chromium.missing})` : "";

describe.skipIf("missing" in chromium)(`acceptance scenarios in the page${why}`, () => {
  const freshFolder = tempFolders("scenarios");
  let browser: Browser;
  let folder: string;
  let vendor: ProviderServer;
  const servers: Serving[] = [];

  beforeAll(async () => {
    browser = await startChromium("path" in chromium ? chromium.path : "");
    vendor = await startProviderServer();
  });
  afterAll(async () => {
    await browser?.close();
    await vendor?.close();
  });
  beforeEach(() => {
    folder = freshFolder();
    vendor.clear();
    vendor.seen.length = 0;
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.end()));
  });

  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, name), "utf8").trim();
    } catch {
      return "";
    }
  };
  /** A server on the store of this test's folder, with a model that this test answers for. */
  const serve = async (args: readonly string[], { cwd = folder, port = 0 } = {}): Promise<Serving> => {
    const env = { HARN_STATE_DIR: join(folder, "state"), WHERE: folder };
    const server = await startServing(args, { cwd, env, port });
    servers.push(server);
    return server;
  };
  const withVendor = (): string[] => [
    "--provider",
    "local",
    "--base-url",
    `${vendor.url}/v1`,
    "--model",
    "m",
  ];
  /** A page of a browser of its own: another profile, its own login. */
  const inBrowser = async (
    name: string,
    test: (watched: Watched) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void> => await withPage(browser, name, test, options);
  const begin = async (page: Page, task: string): Promise<void> => {
    await page.getByLabel("Task").fill(task);
    await page.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/\/c\/c_/);
  };
  const row = (page: Page, text: string) => page.locator(".row", { hasText: text }).first();
  const statusOf = (page: Page, word: string) => page.locator(".page-head .status", { hasText: word });
  /** All durable events of the conversation that the page shows, asked with the page's own login. */
  const eventsOf = async (page: Page): Promise<DurableEnvelope[]> =>
    (
      (await page.evaluate(
        "fetch('/api/conversations/' + location.pathname.split('/')[2] + '/events?limit=1000').then((r) => r.json())",
      )) as { items: DurableEnvelope[] }
    ).items;
  const ofType = <T extends DurableEnvelope["type"]>(events: readonly DurableEnvelope[], type: T) =>
    events.filter((event) => event.type === type) as DurableEnvelope<T>[];

  it("1: a task, its plan approved, three sub-agents at once, a paper with verified references, exported", async () => {
    const server = await serve(["--llm-mock", "mock.jsonl"], {
      cwd: join(projectRoot, "examples/research-agent"),
    });
    await inBrowser("scenario-1", async ({ page }) => {
      await page.goto(server.link);
      await begin(page, "How does a grid of wind and sun keep its balance?");
      const card = page.getByRole("region", { name: "Question" });
      await card.getByText("Is this plan right?").waitFor();
      expect(await page.getByRole("button", { name: "plan", exact: true }).getAttribute("aria-pressed")).toBe(
        "true",
      );
      const gauge = (): Promise<string | null> =>
        page.getByRole("meter", { name: "Context" }).first().getAttribute("aria-valuetext");
      const facts = (): Promise<string | null> => page.locator(".page-head .facts-line").textContent();
      const [gaugeBefore, factsBefore] = [await gauge(), await facts()];
      await card.getByRole("button", { name: "Approve and go on" }).click();
      await statusOf(page, "idle").waitFor();
      await expect.poll(gauge).not.toBe(gaugeBefore);
      expect(await facts()).toMatch(/tokens\$\d/);
      expect(await facts()).not.toBe(factsBefore);
      expect(
        await page.getByRole("button", { name: "execute", exact: true }).getAttribute("aria-pressed"),
      ).toBe("true");

      const events = await eventsOf(page);
      // Three at once: each began before any of them was over, each below a call of its own.
      const children = ofType(events, "loop.start").filter(({ parent }) => parent !== null);
      expect(new Set(children.map(({ parent }) => parent?.call)).size).toBe(3);
      const ends = ofType(events, "loop.end").filter(({ loop }) => children.some((one) => one.loop === loop));
      expect(Math.max(...children.map(({ seq }) => seq))).toBeLessThan(
        Math.min(...ends.map(({ seq }) => seq)),
      );
      const writes = ofType(events, "paper.changed");
      expect(writes.length).toBeGreaterThan(4);
      expect(new Set(writes.map(({ run }) => run))).toEqual(new Set(children.map(({ run }) => run)));
      // A minute by the log's clock, without the person who reads the plan.
      const at = (type: DurableEnvelope["type"]): number => ofType(events, type).at(-1)?.at ?? Number.NaN;
      const thinking = at("question.answered") - at("question.asked");
      expect(at("run.end") - at("message.queued") - thinking).toBeLessThan(60_000);

      await page.getByRole("tab", { name: "Paper" }).click();
      await expect.poll(() => page.getByRole("treeitem").count()).toBe(4);
      await page.getByRole("button", { name: /^references/ }).click();
      await expect.poll(() => page.locator(".reference-row .tone-good").count()).toBe(6);
      const exported = async (name: string): Promise<string> => {
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name, exact: true }).click();
        return readFileSync(await (await download).path(), "utf8");
      };
      expect((await exported("Markdown")).match(/^## (?!Abstract|References)/gm)).toHaveLength(4);
      expect((await exported("LaTeX")).match(/^\\section/gm)).toHaveLength(4);
    });
  });

  it("1b: the demonstration can be watched, stopped while its sub-agents fetch, gone on with, and brought to its paper", async () => {
    const server = await serve(["--llm-mock", "mock.jsonl"], {
      cwd: join(projectRoot, "examples/research-agent"),
    });
    await inBrowser("scenario-1b", async ({ page }) => {
      await page.goto(server.link);
      await begin(page, "How does a grid of wind and sun keep its balance?");
      await page.getByRole("button", { name: "Approve and go on" }).click();
      await row(page, "web_fetch").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await statusOf(page, "interrupted").waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await statusOf(page, "idle").waitFor();
      const events = await eventsOf(page);
      expect(ofType(events, "run.interrupted")).toHaveLength(1);
      // Nobody is asked again for what was approved.
      expect(ofType(events, "question.asked")).toHaveLength(1);
      await page.getByRole("tab", { name: "Paper" }).click();
      await expect.poll(() => page.getByRole("treeitem").count()).toBe(4);
    });
  });

  it("2: Chromium goes offline five times in the middle of an answer; nothing is missing and nothing there twice", async () => {
    write(
      "chat.harn",
      "pipeline main(task) {\n  return agent_loop(task, nil, {loop_until_done: false, max_iterations: 1})\n}\n",
    );
    const words = Array.from({ length: 800 }, (_, n) => `word${n}`);
    vendor.next({ kind: "answer", text: words.join(" "), piece: 9, paceMs: 30, stop: "end_turn" });
    const server = await serve(["chat.harn", ...withVendor()]);
    const network = await startCuttableNetwork();
    const inTheMiddle = async ({ page, context }: Watched): Promise<void> => {
      await page.goto(server.link);
      await begin(page, "tell me");
      const said = page.locator(".live, .row-message-end").filter({ hasText: "word0 word1" });
      await said.first().waitFor();
      const lost = page.getByText("The connection was lost at");
      for (let time = 0; time < 5; time++) {
        // Chromium's switch leaves connections alone that there are; a network that goes away does not.
        await context.setOffline(true);
        network.cut();
        await lost.waitFor();
        expect(await said.first().isVisible()).toBe(true);
        network.restore();
        await context.setOffline(false);
        await lost.waitFor({ state: "detached" });
        await said.first().waitFor();
      }
      await page.locator(".row-end").waitFor();
      const text = page.locator(".row-message-end", { hasText: "word0" });
      expect(await text.count()).toBe(1);
      expect((await text.textContent())?.match(/word\d+/g)).toEqual(words);
      expect(await page.locator(".row-turn").count()).toBe(1);
      const seqs = (await eventsOf(page)).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_, n) => n + 1));
      expect(vendor.seen).toHaveLength(1);
    };
    try {
      await inBrowser("scenario-2", inTheMiddle, { proxy: network.proxy });
    } finally {
      await network.close();
    }
  });

  it("4: Stop in the page of a second server ends code, its children and a sub-agent that answers; another conversation goes on", async () => {
    write(
      "work.harn",
      `import { sandbox } from "std/research/code"
pipeline main(task) {
  if contains(task, "other") {
    append_file(path_join(env_or("WHERE", ""), "other.txt"), "begun ")
    while !file_exists(path_join(env_or("WHERE", ""), "go.txt")) {
      sleep(50ms)
    }
    append_file(path_join(env_or("WHERE", ""), "other.txt"), "ended")
    return "done"
  }
  shell("echo $HARN_POOL_CHILD > $WHERE/mark.txt")
  let box = sandbox({kind: "process"})
  var tools = tool_define(tool_registry(), "run_code", "Runs code.", {
    parameters: {code: "string"}, handler: { args -> box.run("bash", args.code, 600) }})
  tools = tool_define(tools, "look", "Asks a sub-agent.", {
    parameters: {}, handler: { args -> sub_agent_run("look", {max_iterations: 2}).summary }})
  return agent_loop(task, nil, {tools: tools, max_iterations: 3, max_concurrent_tools: 2})
}
`,
    );
    const code = `trap '' TERM INT HUP; setsid sleep 600 & setsid -f sleep 600; echo begun > ${folder}/code.txt; while :; do sleep 1; done`;
    vendor.next(
      {
        kind: "answer",
        calls: [
          { id: "call_1", name: "run_code", args: JSON.stringify({ code }) },
          { id: "call_2", name: "look", args: "{}" },
        ],
        stop: "tool_use",
      },
      { kind: "answer", text: "slowly ".repeat(4_000), piece: 7, paceMs: 20 },
    );
    const first = await serve(["work.harn", ...withVendor()]);
    await inBrowser("scenario-4-first", async ({ page }) => {
      await page.goto(first.link);
      await begin(page, "other work");
      await expect.poll(() => read("other.txt")).toBe("begun");
      await page.goto(`${first.base}/new`);
      await begin(page, "stop this");
      await page.locator(".row", { hasText: "slowly slowly" }).first().waitFor();
      await expect.poll(() => read("code.txt")).toBe("begun");
      // The run and what it starts, and the code: its sandbox has an environment of its own.
      const left = (): number[] => [
        ...marked(`${poolMark}=${read("mark.txt")}`),
        ...marked(`HOME=${folder}/`),
      ];
      expect(marked(`HOME=${folder}/`).length).toBeGreaterThanOrEqual(3);
      // It comes when the run has its owner.
      const second = await serve(["work.harn", ...withVendor()]);
      await inBrowser("scenario-4-second", async ({ page: other }) => {
        await other.goto(second.link);
        await other.locator(".sidebar").waitFor();
        await other.goto(`${second.base}${new URL(page.url()).pathname}`);
        await row(other, "run_code").waitFor();
        await row(other, "slowly slowly").waitFor();
        await other.getByRole("button", { name: "Stop" }).click();
        for (const one of [other, page]) {
          await statusOf(one, "interrupted").waitFor();
          await one.getByText(/^stopped in /).waitFor();
          await row(one, "Interrupted by admin").waitFor();
        }
        await expect.poll(left).toEqual([]);
        console.log(`Stop on a second server: ${await other.getByText(/^stopped in /).textContent()}`);
        const events = await eventsOf(other);
        expect(ofType(events, "run.interrupted").map(({ data }) => data.by)).toEqual(["admin"]);
        expect(ofType(events, "tool.end").map(({ data }) => data.status)).toEqual([
          "interrupted",
          "interrupted",
        ]);
        // Nothing comes any more, and the other conversation heard nothing of it.
        expect(read("other.txt")).toBe("begun");
        write("go.txt", "x");
        await other.locator(".sidebar .row, .sidebar a", { hasText: "other work" }).first().click();
        await statusOf(other, "idle").waitFor();
        expect(read("other.txt")).toBe("begun ended");
        expect(vendor.seen).toHaveLength(2);
      });
    });
  });

  it("8: an approval outlives its page and its server, and is given by another browser, with other arguments, once", async () => {
    write(
      "approve.harn",
      `pipeline main(task) {
  let tools = tool_define(tool_registry(), "save", "Saves.", {parameters: {text: "string"}, handler: { args ->
    append_file(path_join(env_or("WHERE", ""), "saved.txt"), args.text + ";")
    return "saved"
  }})
  llm_mock({text: "I save.", tool_calls: [{name: "save", arguments: {text: "of the model"}}]})
  llm_mock({text: "Saved. ##DONE##"})
  return agent_loop(task, nil, {provider: "mock", tools: tools, max_iterations: 3, approval_policy: {rules: [{ask: "save"}]}})
}
`,
    );
    const first = await serve(["approve.harn"]);
    const cardOf = (page: Page) => page.getByRole("region", { name: "Approval for save" });
    await inBrowser("scenario-8-asked", async ({ page, context }) => {
      await page.goto(first.link);
      await begin(page, "save it");
      await cardOf(page).waitFor();
      const address = page.url();
      await page.close();
      await first.end("SIGKILL");
      const again = await serve(["approve.harn"], { port: first.port });
      await inBrowser("scenario-8-approved", async ({ page: other }) => {
        await other.goto(again.link);
        await other.locator(".sidebar").waitFor();
        await other.goto(address);
        await cardOf(other).waitFor();
        // The first browser comes back: its login still holds, and both have the question.
        const back = await context.newPage();
        await back.goto(address);
        await cardOf(back).waitFor();
        await cardOf(other).getByRole("button", { name: "Edit arguments" }).click();
        await cardOf(other).getByRole("textbox", { name: "Arguments" }).fill('{"text": "of a person"}');
        await cardOf(other).getByRole("button", { name: "Approve as edited" }).click();
        for (const one of [other, back]) {
          await cardOf(one).waitFor({ state: "detached" });
          await row(one, "Saved.").waitFor();
          await statusOf(one, "idle").waitFor();
        }
        expect(read("saved.txt")).toBe("of a person;");
        const events = await eventsOf(other);
        expect(await eventsOf(back)).toEqual(events);
        expect(ofType(events, "question.asked")).toHaveLength(1);
        expect(ofType(events, "question.answered").map(({ data }) => data.by)).toEqual(["admin"]);
      });
    });
  });
});
