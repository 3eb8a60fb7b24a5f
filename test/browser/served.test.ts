// suite: processes
// long: drives a browser
/** The page over a real `harn serve`: a conversation from its first word to its end, an approval, a stop. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { poolMark } from "../../src/host/index.ts";
import { findChromium, startChromium } from "../support/chromium.ts";
import { startProviderServer } from "../support/provider-server/index.ts";
import { marked } from "../support/served.ts";
import { startServing } from "../support/serving.ts";
import { tempFolders } from "../support/temp-folder.ts";
import { withPage } from "../support/viewer-page.ts";

const chromium = findChromium();
const why = "missing" in chromium ? ` (skipped: ${chromium.missing})` : "";

const script = `
let tools = tool_define(tool_registry(), "look", "Looks.", {
  parameters: {what: {type: "string"}}, handler: { args -> "seen " + args.what }})
let slow = tool_define(tool_registry(), "wait_long", "Waits.", {
  parameters: {}, handler: { args ->
    shell("trap '' TERM INT HUP; setsid sleep 600 & echo $HARN_POOL_CHILD > " + env_or("CHILD_FILE", "") + "; while :; do sleep 1; done")
  }})
pipeline main(task) {
  if contains(task, "tell") {
    return agent_loop(task, nil, {loop_until_done: false, max_iterations: 1})
  }
  if contains(task, "decide") {
    llm_mock({text: "First I look.", tool_calls: [{name: "look", arguments: {what: "here"}}]})
    llm_mock({text: "Now I decide.", tool_calls: [{name: "decide", arguments: {}}]})
    llm_mock({text: "Decided. ##DONE##"})
    let both = tool_define(tools, "decide", "Decides.", {
      parameters: {}, handler: { args -> ask_user("Left or right?", {schema: {type: "string", enum: ["left", "right"]}}) }})
    return agent_loop(task, nil, {provider: "mock", tools: both, max_iterations: 4})
  }
  if contains(task, "wait") {
    llm_mock({text: "I wait.", tool_calls: [{name: "wait_long", arguments: {}}]})
    return agent_loop(task, nil, {provider: "mock", tools: slow, max_iterations: 3})
  }
  if contains(task, "think") {
    shell("echo $HARN_POOL_CHILD > " + env_or("CHILD_FILE", ""))
    return agent_loop(task, nil, {max_iterations: 3})
  }
  if contains(task, "ask") {
    let answer = ask_user("Red or blue?", {schema: {type: "string", enum: ["red", "blue"]}})
    llm_mock({text: "You said " + answer + ". ##DONE##"})
    return agent_loop(task, nil, {provider: "mock", max_iterations: 3})
  }
  llm_mock({text: "I look.", tool_calls: [{name: "look", arguments: {what: "here"}}]})
  llm_mock({text: "All **done**. ##DONE##"})
  return agent_loop(task, nil, {provider: "mock", tools: tools, max_iterations: 4})
}
`;

describe.skipIf("missing" in chromium)(`the viewer over harn serve${why}`, () => {
  const freshFolder = tempFolders("served");
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    browser = await startChromium("path" in chromium ? chromium.path : "");
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    folder = freshFolder();
    writeFileSync(join(folder, "chat.harn"), script);
  });

  /** With a server and a page that is logged in; both are gone afterwards. */
  async function served(
    name: string,
    test: (page: Page) => Promise<void>,
    flags: readonly string[] = [],
  ): Promise<void> {
    const env = { HARN_STATE_DIR: join(folder, "state"), CHILD_FILE: join(folder, "child.txt") };
    const server = await startServing(["chat.harn", ...flags], { cwd: folder, env });
    try {
      await withPage(browser, name, async ({ page }) => {
        await page.goto(server.link);
        await test(page);
      });
    } finally {
      await server.end();
    }
  }

  const begin = async (page: Page, task: string): Promise<void> => {
    await page.getByLabel("Task").fill(task);
    await page.getByRole("button", { name: "Start" }).click();
  };
  const row = (page: Page, text: string) => page.locator(".row", { hasText: text }).first();

  it("a conversation to its end, and a second message in it", async () => {
    await served("served-whole", async (page) => {
      await begin(page, "What is here?");
      await row(page, "All done").waitFor();
      await row(page, "look").waitFor();
      await page.locator(".page-head .status", { hasText: "idle" }).waitFor();
      // The list on the left hears it, too.
      await page.locator(".sidebar .status", { hasText: "idle" }).waitFor();
      await page.getByRole("textbox", { name: "Message" }).fill("And now?");
      await page.getByRole("button", { name: "Send" }).click();
      await row(page, "And now?").waitFor();
      await expect.poll(() => page.locator(".row-end").count()).toBe(2);
      await page.reload();
      await expect.poll(() => page.locator(".row-end").count()).toBe(2);
    });
  });

  it("loaded again five times in the middle of an answer: what was said is there at once, and in the end once", async () => {
    const vendor = await startProviderServer();
    try {
      vendor.next({
        kind: "answer",
        text: `Begin ${"word ".repeat(400)}end.`,
        piece: 5,
        paceMs: 25,
        stop: "end_turn",
      });
      const flags = ["--provider", "local", "--base-url", `${vendor.url}/v1`, "--model", "m"];
      await served(
        "served-reloads",
        async (page) => {
          await begin(page, "tell me");
          // Under way, or over by now on a busy machine: the beginning is there in both cases.
          const said = page.locator(".live, .row-message-end").filter({ hasText: "Begin word" });
          await said.first().waitFor();
          for (let time = 0; time < 5; time++) {
            await page.reload();
            await said.first().waitFor();
          }
          await page.locator(".row-message-end", { hasText: "end." }).waitFor();
          await page.locator(".row-end").waitFor();
          expect(await page.locator(".row-message-end", { hasText: "Begin word" }).count()).toBe(1);
          expect(await page.locator(".row-turn").count()).toBe(1);
          expect(vendor.seen).toHaveLength(1);
        },
        flags,
      );
    } finally {
      await vendor.close();
    }
  });

  it("a question is a card; its answer goes on with the run", async () => {
    await served("served-question", async (page) => {
      await begin(page, "ask me");
      await page.getByRole("region", { name: "Question" }).getByRole("button", { name: "blue" }).click();
      await row(page, "You said blue.").waitFor();
    });
  });

  it("a question of a tool stands in the timeline below the call that asked", async () => {
    await served("served-place", async (page) => {
      await begin(page, "decide it");
      const card = page.getByRole("region", { name: "Question" });
      await card.waitFor();
      const places = async (): Promise<string[]> =>
        await page
          .locator(".row-turn, .row-call, .row-question-asked")
          .evaluateAll((rows) =>
            rows
              .toSorted((a, b) => Number(a.getAttribute("data-index")) - Number(b.getAttribute("data-index")))
              .map((one) => /Turn \d|look|decide|Left or right/.exec(one.textContent)?.[0] ?? ""),
          );
      const expected = ["Turn 1", "look", "Turn 2", "decide", "Left or right"];
      await expect.poll(places).toEqual(expected);
      await card.getByRole("button", { name: "left" }).click();
      await row(page, "Decided").waitFor();
      await expect.poll(places).toEqual([...expected, "Turn 3"]);
    });
  });

  /** The mark of all processes of the run, as the run itself tells it; "" until then. */
  const mark = (): string => {
    const file = join(folder, "child.txt");
    return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  };
  /** Presses Stop; nobody of the run is left then, and the page says how long it took. */
  const stops = async (page: Page): Promise<void> => {
    await expect.poll(mark).not.toBe("");
    expect(marked(`${poolMark}=${mark()}`).length).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.locator(".page-head .status", { hasText: "interrupted" }).waitFor();
    await expect.poll(() => marked(`${poolMark}=${mark()}`)).toEqual([]);
    const said = await page.getByText(/^stopped in /).textContent();
    expect(said).toMatch(/^stopped in [\d.]+ m?s$/);
    await row(page, "Interrupted by admin").waitFor();
    // A figure, no bound: the machine may be busy with anything.
    console.log(`the page's Stop: ${said}`);
  };

  it("Stop ends a tool with children that ignore it and have sessions of their own, and says how long it took", async () => {
    await served("served-stop", async (page) => {
      await begin(page, "wait for it");
      await row(page, "wait_long").waitFor();
      await stops(page);
    });
  });

  it("Stop ends an answer that arrives slowly", async () => {
    const provider = await startProviderServer();
    provider.next({ kind: "answer", text: "slowly ".repeat(4_000), piece: 7, paceMs: 20 });
    const flags = ["--provider", "local", "--model", "m", "--base-url", `${provider.url}/v1`];
    try {
      await served(
        "served-stop-model",
        async (page) => {
          await begin(page, "think about it");
          await page.locator(".live", { hasText: "slowly slowly" }).waitFor();
          await stops(page);
        },
        flags,
      );
    } finally {
      await provider.close();
    }
  });
});
