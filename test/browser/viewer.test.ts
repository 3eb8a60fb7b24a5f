// suite: processes
// long: drives a browser
/** The page in a real browser: what is shown of recorded logs and live ones, what people can do, what hostile content can't. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { folderOnDisk } from "../../src/host/command/index.ts";
import type { PaperRecord } from "../../src/server/protocol/index.ts";
import { reportHtml, ViewerFiles } from "../../src/server/static/index.ts";
import { findChromium, startChromium } from "../support/chromium.ts";
import { EventLog } from "../support/event-log.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { viewerIn } from "../support/viewer-bundle.ts";
import { hostileLog, hostileTexts, longLog, researchLog } from "../support/viewer-logs.ts";
import { type Watched, withPage } from "../support/viewer-page.ts";
import { problem, ViewerServer } from "../support/viewer-server.ts";

const chromium = findChromium();
const why = "missing" in chromium ? ` (skipped: ${chromium.missing})` : "";

/** Links of the page that lead elsewhere than into it, and are none of the kinds that may. */
const linksThatLeave = `[...document.querySelectorAll("a")].filter((a) => {
  const href = a.getAttribute("href") ?? "";
  if (/^\\/(?!\\/)/.test(href)) return false;
  return !/^(https?:|mailto:)/.test(href) || a.rel !== "noopener noreferrer" || a.target !== "_blank";
}).map((a) => a.outerHTML)`;

describe.skipIf("missing" in chromium)(`the viewer in a browser${why}`, () => {
  let browser: Browser;
  let folder: string;
  let server: ViewerServer;
  const files = tempFolder("viewer-reports");

  beforeAll(async () => {
    folder = await viewerIn(files);
    browser = await startChromium("path" in chromium ? chromium.path : "");
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    server = new ViewerServer(folder);
    await server.listen();
  });
  afterEach(() => server.close());

  const at = async (
    name: string,
    path: string,
    test: (page: Page, watched: Watched) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> =>
    await withPage(
      browser,
      name,
      async (watched) => {
        await watched.page.goto(server.url + path);
        await test(watched.page, watched);
      },
      options,
    );
  const row = (page: Page, text: string) => page.locator(".row", { hasText: text }).first();
  const has = async (page: Page, text: string): Promise<void> =>
    await page.getByText(text, { exact: false }).first().waitFor({ state: "visible" });

  it("a run whose agent failed or stalled is red in the list and in its head, with what the vendor said", async () => {
    const error = {
      message: "HTTP 401 from local: wrong key",
      address: "http://m.test/v1",
      category: "auth",
      provider: "local",
      model: "m1",
      status: 401,
    };
    const text = "HTTP 401 from local: wrong key (http://m.test/v1)";
    const end = { status: "done", exit_code: 0 } as const;
    const free = { input: 0, output: 0, cost_usd: 0 };
    const begun = (id: string) =>
      new EventLog(id).created(`Of ${id}`).said("m_1", "Go").runStart("m_1").loop("l1");
    const idle = { state: "idle", why: "" } as const;
    server.logs.set(
      "c_1",
      begun("c_1")
        .turn("l1", 1)
        .loopEnd("l1", 1, "provider_error", "provider_error", free, error)
        .push("run.end", { ...end, error: text, outcome: "failed" })
        .push("conversation.state", { ...idle, why: text }),
    );
    server.logs.set(
      "c_2",
      begun("c_2")
        .loopEnd("l1", 1, "stalled", "no_progress")
        .push("run.end", { ...end, error: "nothing new came", outcome: "stalled" })
        .push("conversation.state", idle),
    );
    server.logs.set(
      "c_3",
      begun("c_3")
        .loopEnd("l1", 1)
        .push("run.end", { ...end, error: null })
        .push("conversation.state", idle),
    );
    const shown = async (page: Page, scope: string): Promise<string[]> =>
      page
        .locator(`${scope} .status`)
        .evaluateAll((found) => found.map((one) => `${one.className.split(" ")[1]} ${one.textContent}`));
    await at("failed", "/c/c_1", async (page) => {
      await page.locator(".list-row").nth(2).waitFor();
      const listed = await shown(page, ".list");
      expect([...listed].sort()).toEqual(["tone-bad failed", "tone-bad stalled", "tone-quiet idle"]);
      expect(await shown(page, ".page-head")).toEqual(["tone-bad failed"]);
      expect(await page.locator(".page-head").textContent()).toContain(text);
      await page.locator(".loop-error", { hasText: text }).waitFor();
      await page.goto(`${server.url}/c/c_2`);
      await page.locator(".page-head", { hasText: "nothing new came" }).waitFor();
      expect(await shown(page, ".page-head")).toEqual(["tone-bad stalled"]);
    });
  });

  it("a login link is exchanged, and its code is gone from the address", async () => {
    server.logs.set("c_1", EventLog.sample());
    server.code = "secret-code";
    await at("login", "/#login=secret-code", async (page) => {
      await page.getByRole("heading", { name: "What is to be done?" }).waitFor();
      expect(page.url()).toBe(`${server.url}/`);
      expect(server.asked.filter((one) => one.path === "/api/login").map((one) => one.body)).toEqual([
        { code: "secret-code" },
      ]);
      for (const one of server.asked) expect(one.path).not.toContain("secret");
    });
  });

  it("the first page offers what the agent can do, and says where its answers come from", async () => {
    await at("start", "/", async (page) => {
      await has(page, "no model is asked");
      await page.getByRole("button", { name: "What do grids need?" }).click();
      expect(await page.getByLabel("Task").inputValue()).toBe("What do grids need?");
    });
  });

  it("without a login the page asks for a code, says when it is wrong, and goes on where somebody wanted to go", async () => {
    server.logs.set("c_1", EventLog.sample());
    server.code = "right";
    await at("login-page", "/c/c_1", async (page) => {
      await page.getByLabel("Code or token").fill("wrong");
      await page.getByRole("button", { name: "Log in" }).click();
      await has(page, "This code is not valid any more.");
      await page.getByLabel("Code or token").fill("right");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "A better question" }).waitFor();
    });
  });

  it("a conversation: turns, calls, sub-agents inside their call, compaction, question, gauge and cost", async () => {
    server.logs.set("c_1", researchLog());
    await at("conversation", "/c/c_1", async (page) => {
      await page.getByRole("heading", { name: "How do research agents verify their citations?" }).waitFor();
      const meter = page.getByRole("meter", { name: "Context" });
      expect(await meter.getAttribute("aria-valuetext")).toBe("156k / 200k tokens, 78 %, filling");
      await has(page, "$0.27");
      // It follows the end: the open approval is there.
      await row(page, "May run_code run?").waitFor();
      await page.keyboard.press("Home");
      await page.locator(".feed").evaluate((feed) => {
        feed.scrollTop = 0;
      });
      await row(page, "Three questions can be looked into").waitFor();
      await page.locator(".feed").evaluate((feed) => {
        feed.scrollTop = 420;
      });
      const agent = page.locator(".row-loop").first();
      await agent.waitFor();
      expect(await agent.getAttribute("class")).toContain("depth-1");
      // Its own call is the row above it.
      const index = Number(await agent.getAttribute("data-index"));
      expect(await page.locator(`[data-index="${index - 1}"]`).textContent()).toContain("quote matching");
      await agent.getByRole("button", { name: "Unfold research" }).click();
      await row(page, "web_search").waitFor();
      await page.locator(".row-call", { hasText: "web_search" }).first().locator("button.line").click();
      await page.getByLabel("Result of web_search").waitFor();
      expect(await page.getByLabel("Result of web_search").textContent()).toContain("Grounded agents");
    });
  });

  it("an approval with edited arguments is sent as one answer", async () => {
    server.logs.set("c_1", researchLog());
    await at("approval", "/c/c_1", async (page) => {
      const card = page.getByRole("region", { name: "Approval for run_code" });
      await card.getByRole("button", { name: "Edit arguments" }).click();
      await card.getByRole("textbox", { name: "Arguments" }).fill('{"language": ');
      await card.getByRole("button", { name: "Approve as edited" }).click();
      await has(page, "These arguments can't be read");
      await card.getByRole("textbox", { name: "Arguments" }).fill('{"language": "bash", "code": "ls"}');
      await card.getByRole("button", { name: "Approve as edited" }).click();
      await expect
        .poll(() => server.asked.find((one) => one.path === "/api/questions/q_code/answer")?.body)
        .toEqual({
          decision: "approve",
          arguments: { language: "bash", code: "ls" },
        });
      server.live("c_1", (log) =>
        log.push("question.answered", { question: "q_code", answer: { decision: "approve" }, by: "ann" }),
      );
      await card.waitFor({ state: "detached" });
      await row(page, "approved").waitFor();
    });
  });

  it("one key on a card that has the focus denies; somebody else's answer is said", async () => {
    server.logs.set("c_1", researchLog());
    server.handler = ({ path }) =>
      path.endsWith("/answer") ? problem(409, "already-answered", "it was answered by bob") : undefined;
    await at("deny", "/c/c_1", async (page) => {
      const card = page.getByRole("region", { name: "Approval for run_code" });
      await card.focus();
      await page.keyboard.press("d");
      await has(page, "Somebody was faster: it was answered by bob.");
      expect(server.asked.find((one) => one.path.endsWith("/answer"))?.body).toEqual({
        decision: "deny",
      });
    });
  });

  it("an answer arrives piece by piece, becomes Markdown, and is there once", async () => {
    const log = new EventLog("c_1")
      .created("Live")
      .said("m_1", "Go.")
      .runStart("m_1")
      .loop("l1")
      .turn("l1", 1);
    log.push("conversation.state", { state: "processing", why: "taken" });
    server.logs.set("c_1", log);
    await at("streaming", "/c/c_1", async (page) => {
      await row(page, "Turn 1").waitFor();
      await expect.poll(() => server.openStreams).toBe(1);
      const delta = (text: string) =>
        server.emit("c_1", log.ephemeral("message.delta", { message: null, text }, { loop: "l1", turn: 1 }));
      delta("It is **al");
      await has(page, "It is **al");
      delta("most** there");
      await page.locator(".live strong", { hasText: "almost" }).waitFor();
      server.live("c_1", (one) => one.text("l1", 1, "It is **almost** there."));
      await page.locator(".row-message-end strong", { hasText: "almost" }).waitFor();
      expect(await page.getByText("there", { exact: false }).count()).toBe(1);
    });
  });

  it("by keyboard alone: begin, write, stop, approve with other arguments, open the paper, export it", async () => {
    server.logs.set("c_1", researchLog());
    server.handler = (asked) => paperAnswers(asked);
    await at("keyboard", "/new", async (page) => {
      const hasFocus = async (target: Locator): Promise<boolean> =>
        (await target.count()) === 1 &&
        (await target.evaluate((one) => one === one.ownerDocument.activeElement));
      /** Goes on with Tab until what has the focus is what is meant. */
      const tabTo = async (target: Locator, key = "Tab"): Promise<void> => {
        for (let n = 0; n < 60; n++) {
          if (await hasFocus(target)) return;
          await page.keyboard.press(key);
        }
        throw new Error(`${key} never comes to ${target}`);
      };
      const walkTo = async (key: string, row: string, text = ""): Promise<void> => {
        for (let n = 0; n < 60; n++) {
          if (await page.locator(`${row}:focus`, { hasText: text }).count()) return;
          await page.keyboard.press(key);
          // The row takes the focus with the next frame.
          await page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
          );
        }
        throw new Error(`${key} never comes to ${row} ${text}`);
      };
      await tabTo(page.getByLabel("Task"));
      await page.keyboard.type("What do agents cite?");
      await page.keyboard.press("Control+Enter");
      await page.waitForURL(/\/c\/c_1/);
      await row(page, "run_code").waitFor();
      // A row of a timeline that is longer than anybody would go through: opened, and left again.
      await tabTo(page.locator(".feed"));
      await page.keyboard.press("Tab");
      await walkTo("PageUp", ".row-loop");
      await page.keyboard.press("ArrowRight");
      await walkTo("PageDown", ".row-call", "web_search");
      await page.keyboard.press("Enter");
      await page.getByLabel("Result of web_search").waitFor();
      await tabTo(page.getByRole("textbox", { name: "Message" }));
      await page.keyboard.type("Be short.");
      await page.keyboard.press("Control+Enter");
      await expect.poll(() => server.asked.some(({ path }) => path.endsWith("/messages"))).toBe(true);
      const card = page.getByRole("region", { name: "Approval for run_code" });
      await tabTo(card.getByRole("button", { name: "Edit arguments" }), "Shift+Tab");
      await page.keyboard.press("Enter");
      await tabTo(card.getByRole("textbox", { name: "Arguments" }), "Shift+Tab");
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('{"code": "ls"}');
      await tabTo(card.getByRole("button", { name: "Approve as edited" }));
      await page.keyboard.press("Enter");
      await expect
        .poll(() => server.asked.find(({ path }) => path === "/api/questions/q_code/answer")?.body)
        .toEqual({ decision: "approve", arguments: { code: "ls" } });
      await page.keyboard.press("Control+.");
      await expect.poll(() => server.asked.some(({ path }) => path.endsWith("/interrupt"))).toBe(true);
      await tabTo(page.getByRole("tab", { name: "Timeline" }), "Shift+Tab");
      for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowRight");
      const markdown = page.getByRole("button", { name: "Markdown", exact: true });
      await markdown.waitFor();
      await tabTo(markdown);
      const download = page.waitForEvent("download");
      await page.keyboard.press("Enter");
      expect((await download).suggestedFilename()).toMatch(/\.md$/);
    });
  });

  it("whoever follows the end goes on following when rows grow; who scrolls up does not", async () => {
    server.logs.set("c_1", longLog(20));
    await at("following", "/c/c_1", async (page) => {
      await row(page, "Turn 20").waitFor();
      const settled = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
      await page.evaluate(`document.querySelector(".feed-all").style.height = "20000px";
        document.querySelector(".feed").dispatchEvent(new Event("scroll")); ${settled}`);
      expect(await page.locator(".to-end").count()).toBe(0);
      for (const turn of [21, 22, 23]) {
        server.live("c_1", (log) => log.turn("l1", turn).text("l1", turn, `${"Long. ".repeat(400)}${turn}.`));
        await row(page, `${turn}.`).waitFor();
      }
      // A message of several lines, written while something happens.
      await page.getByRole("textbox", { name: "Message" }).focus();
      for (let turn = 24; turn <= 27; turn++) {
        await page.keyboard.type("several words that fill a line of the box ".repeat(2));
        server.live("c_1", (log) =>
          log.turn("l1", turn).text("l1", turn, `Said in ${turn}.`).call("l1", turn, 0, `look_${turn}`),
        );
        await page.keyboard.type("and more of them");
        await row(page, `Said in ${turn}.`).waitFor();
        // The last event of the turn: one that came after the scrolling below would be a second new one.
        await row(page, `look_${turn}`).waitFor();
      }
      expect(await page.locator(".to-end").count()).toBe(0);
      // Scrolled up in the moment in which the last of what is there is drawn: that has been seen.
      const scrolled = page.evaluate(`new Promise((done) => {
        const feed = document.querySelector(".feed");
        new MutationObserver((_, observer) => {
          if (!feed.textContent.includes("look_last")) return;
          observer.disconnect();
          feed.scrollTop -= 400;
          done(${settled});
        }).observe(feed, { subtree: true, childList: true, characterData: true });
      })`);
      server.live("c_1", (log) => log.call("l1", 27, 1, "look_last"));
      await scrolled;
      expect(await page.locator(".to-end").textContent()).toBe(" Follow");
      server.live("c_1", (log) => log.turn("l1", 28));
      await page.locator(".to-end", { hasText: "1 new event" }).click();
      await row(page, "Turn 28").waitFor();
    });
  });

  it("an address where nothing is, or something of somebody else, says so and leads on", async () => {
    await at("not-here", "/settings", async (page) => {
      for (const [path, what, back] of [
        ["/c/c_none", "conversation", "/"],
        ["/r/run-none", "run", "/"],
        ["/p/p_none", "paper", "/papers"],
        ["/nowhere/at/all", "page", "/"],
      ]) {
        await page.goto(server.url + path);
        await page.getByRole("heading", { name: `There is no such ${what}.`, level: 1 }).waitFor();
        expect(await page.title()).toBe(`No such ${what} · Harn`);
        expect(await page.locator(".not-here a").getAttribute("href")).toBe(back);
      }
    });
  });

  it("in forced colours what has the focus, what is chosen and the gauge can still be told; without motion nothing moves", async () => {
    const log = researchLog();
    log.push("conversation.state", { state: "processing", why: "taken" });
    // With a question that is open, and nothing else, a person is awaited: no spinner.
    log.push("question.answered", { question: "q_code", answer: { decision: "approve" }, by: "admin" });
    server.logs.set("c_1", log);
    const look = async (page: Page): Promise<void> => {
      await page.locator(".page-head .status", { hasText: "working" }).waitFor();
      expect(await page.evaluate("document.getAnimations().length")).toBe(0);
      const style = (selector: string, name: string): Promise<string> =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue("${name}")`);
      expect(await style(".gauge-fill", "background-color")).not.toBe(
        await style(":has(> .gauge-fill)", "background-color"),
      );
      const outline = await style('[role="tab"][aria-selected="true"]', "outline-style");
      expect([outline, await style('[role="tab"][aria-selected="false"]', "outline-style")]).toEqual([
        "solid",
        "none",
      ]);
      // A key that comes before the rows are there moves nothing.
      await page.locator(".row").first().waitFor();
      await page.keyboard.press("j");
      await page.locator(".row:focus").waitFor();
      expect(await style(".row:focus", "outline-style")).not.toBe("none");
      const stop = await style("button.stop", "border-top-style");
      expect(stop).toBe("solid");
    };
    await at("forced", "/c/c_1", look, { forcedColors: "active", reducedMotion: "reduce" });
  });

  it("nothing is said of a conversation before it is known, and what its stream tells meanwhile is kept", async () => {
    const log = new EventLog("c_1").created("Live").said("m_1", "Go.").runStart("m_1");
    log.loop("l1").turn("l1", 1).push("conversation.state", { state: "processing", why: "taken" });
    server.logs.set("c_1", log);
    await at("unknown", "/settings", async (page) => {
      let known = (): void => {};
      const asked = new Promise<void>((resolve) => (known = resolve));
      await page.route("**/api/conversations/c_1/state", async (route) => {
        await asked;
        await route.continue();
      });
      await page.goto(`${server.url}/c/c_1`);
      await page.getByRole("heading", { name: "Loading …" }).waitFor();
      expect(await page.locator(".page-head .status").count()).toBe(0);
      await expect.poll(() => server.hasListener("c_1")).toBe(true);
      const place = { loop: "l1", turn: 1 };
      server.emit("c_1", log.ephemeral("partial", { message: null, text: "It is" }, place));
      known();
      await page.locator(".page-head .status", { hasText: "working" }).waitFor();
      await page.locator(".live", { hasText: "It is" }).waitFor();
    });
  });

  it("a lost connection is said, what was missed is fetched, nothing is there twice", async () => {
    const log = new EventLog("c_1")
      .created("Lost")
      .said("m_1", "Go.")
      .runStart("m_1")
      .loop("l1")
      .turn("l1", 1);
    server.logs.set("c_1", log);
    await at("reconnect", "/c/c_1", async (page) => {
      await row(page, "Turn 1").waitFor();
      await expect.poll(() => server.openStreams).toBe(1);
      const { port } = server;
      await server.close();
      await has(page, "The connection was lost at");
      log.call("l1", 1, 0, "while_away").end("l1.1.0");
      const again = new ViewerServer(folder);
      again.logs.set("c_1", log);
      await again.listen(port);
      try {
        await row(page, "while_away").waitFor();
        await page.getByText("The connection was lost at").waitFor({ state: "detached" });
        again.live("c_1", (one) => one.call("l1", 1, 1, "after_it"));
        await row(page, "after_it").waitFor();
        expect(await page.locator(".row-call").count()).toBe(2);
      } finally {
        await again.close();
      }
      server = new ViewerServer(folder);
      await server.listen();
    });
  });

  it("two pages of one browser share one stream", async () => {
    server.logs.set("c_1", researchLog());
    server.logs.set("c_2", EventLog.sample());
    await at("shared", "/c/c_1", async (page, { context }) => {
      await row(page, "run_code").waitFor();
      const second = await context.newPage();
      await second.goto(`${server.url}/c/c_2`);
      await second.getByRole("heading", { name: "A better question" }).waitFor();
      server.live("c_2", (log) => log.push("conversation.changed", { title: "Both hear it" }));
      await second.getByRole("heading", { name: "Both hear it" }).waitFor();
      server.live("c_1", (log) => log.push("notice", { level: "warning", text: "heard in the first" }));
      await row(page, "heard in the first").waitFor();
      // The stream with the old topics was given up for the one with both; the server hears of that when it does.
      await expect.poll(() => server.openStreams).toBe(1);
    });
  });

  it("Stop asks nothing, says that it is stopping, then how long it took, and offers Resume", async () => {
    server.logs.set("c_1", researchLog());
    await at("stop", "/c/c_1", async (page) => {
      await page.getByRole("button", { name: "Stop" }).click();
      await expect
        .poll(() =>
          server.asked.some(
            (one) => one.path === "/api/conversations/c_1/interrupt" && one.method === "POST",
          ),
        )
        .toBe(true);
      server.live("c_1", (log) => log.push("interrupt.requested", { by: "admin", reason: null }));
      await page.getByRole("button", { name: "Stopping …" }).waitFor();
      server.live("c_1", (log) => {
        log.push("run.interrupted", { by: "admin", reason: null, how: "killed", ms: 1_320 });
        log.push("run.end", { status: "interrupted", exit_code: 130, error: null });
        log.push("conversation.state", { state: "interrupted", why: "stopped" });
      });
      await has(page, "stopped in 1.3 s");
      await page.getByRole("button", { name: "Resume" }).click();
      await expect
        .poll(() => server.asked.some((one) => one.path === "/api/conversations/c_1/resume"))
        .toBe(true);
    });
  });

  it("what is sent says when it is to be heard; a draft stays; a waiting message can be taken back", async () => {
    server.logs.set("c_1", researchLog());
    await at("composer", "/c/c_1", async (page) => {
      const box = page.getByRole("textbox", { name: "Message" });
      await box.fill("Also look at arXiv.");
      await expect
        .poll(() => page.evaluate("localStorage.getItem('harn.draft.c_1')"))
        .toBe("Also look at arXiv.");
      await page.reload();
      await expect.poll(() => box.inputValue()).toBe("Also look at arXiv.");
      await page.getByLabel("When the agent hears it").selectOption("step");
      await box.press("Control+Enter");
      await expect
        .poll(() => server.asked.find((one) => one.path.endsWith("/messages"))?.body)
        .toEqual({
          text: "Also look at arXiv.",
          delivery: "step",
        });
      expect(server.asked.find((one) => one.path.endsWith("/messages"))?.headers["idempotency-key"]).toMatch(
        /^[0-9a-f]{32}$/,
      );
      await expect.poll(() => box.inputValue()).toBe("");
      server.live("c_1", (log) =>
        log.push("message.queued", {
          message: "m_2",
          by: "admin",
          text: "Also look at arXiv.",
          attachments: [],
          delivery: "step",
        }),
      );
      await page.getByRole("button", { name: "Take back" }).click();
      await expect
        .poll(() => server.asked.some((one) => one.method === "DELETE" && one.path.endsWith("/messages/m_2")))
        .toBe(true);
      server.live("c_1", (log) => log.push("message.withdrawn", { message: "m_2" }));
      await page.getByRole("button", { name: "Take back" }).waitFor({ state: "detached" });
    });
  });

  it("on a small screen, and at 200 %, a card leaves the composer and the timeline in view, and scrolls by itself", async () => {
    server.logs.set("c_1", researchLog());
    for (const viewport of [
      { width: 360, height: 640 },
      { width: 640, height: 400 },
    ])
      await at(
        `small ${viewport.width}`,
        "/c/c_1",
        async (page) => {
          const card = page.getByRole("region", { name: "Approval for run_code" });
          await card.waitFor();
          const inView = async (name: string): Promise<void> => {
            const box = await page.locator(name).boundingBox();
            expect(box?.y, name).toBeGreaterThanOrEqual(0);
            expect((box?.y ?? 0) + (box?.height ?? Number.NaN), name).toBeLessThanOrEqual(viewport.height);
          };
          await inView(".composer textarea");
          await inView(".composer button[type=submit]");
          await inView(".feed");
          await page.getByRole("textbox", { name: "Message" }).focus();
          await inView(".composer textarea");
          const edit = card.getByRole("button", { name: "Edit arguments" });
          await edit.focus();
          await edit.click();
          await card.getByRole("textbox", { name: "Arguments" }).fill("{}");
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
        },
        { viewport },
      );
  });

  it("a mode that can't be changed is said, not only shown under the pointer", async () => {
    server.logs.set("c_1", researchLog());
    server.handler = ({ method }) =>
      method === "PATCH" ? problem(409, "busy", "The mode stays while it stops.") : undefined;
    await at("mode", "/c/c_1", async (page) => {
      await page.getByRole("button", { name: "plan", exact: true }).click();
      await page.getByRole("alert").getByText("The mode stays while it stops.").waitFor();
    });
  });

  it("a session that is over in the middle asks for a login, and what was being sent is there again", async () => {
    server.logs.set("c_1", researchLog());
    await at("expired", "/c/c_1", async (page) => {
      await row(page, "run_code").waitFor();
      server.code = "again";
      const box = page.getByRole("textbox", { name: "Message" });
      await box.fill("I go on.");
      await box.press("Control+Enter");
      await page.getByLabel("Code or token").fill("again");
      await page.keyboard.press("Enter");
      await expect.poll(() => box.inputValue()).toBe("I go on.");
      await expect.poll(() => server.openStreams).toBe(1);
      server.live("c_1", (log) => log.push("notice", { level: "warning", text: "heard again" }));
      await row(page, "heard again").waitFor();
    });
  });

  it("the scrubber shows the page as it was, and a fork from there", async () => {
    server.logs.set("c_1", researchLog());
    server.handler = ({ path }) =>
      path.endsWith("/forks") ? { status: 201, body: { id: "c_1" } } : undefined;
    await at("scrubber", "/c/c_1", async (page) => {
      const range = page.getByLabel("Moment of the log");
      await range.waitFor();
      await range.fill("12");
      await has(page, "event 12 of");
      await page.getByText("May run_code run?").first().waitFor({ state: "detached" });
      expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
      await page.locator("body").press("]");
      await has(page, "event 13 of");
      await page.getByRole("button", { name: "Fork from here" }).click();
      await page.getByRole("button", { name: "Fork", exact: true }).click();
      await expect
        .poll(() => server.asked.find((one) => one.path.endsWith("/forks"))?.body)
        .toMatchObject({ event: 13 });
    });
  });

  it("Tree, Why, Files and Details by their keys", async () => {
    server.logs.set("c_1", researchLog());
    server.handler = ({ path }) =>
      path.includes("/diff?")
        ? {
            status: 200,
            body: {
              hunks: [{ old_start: 1, old_lines: 2, new_start: 1, new_lines: 2, lines: [" a", "-b", "+c"] }],
            },
          }
        : undefined;
    await at("tabs", "/c/c_1", async (page) => {
      await row(page, "run_code").waitFor();
      await page.locator(".feed").focus();
      await page.keyboard.press("2");
      await page.getByRole("tree", { name: "Agents and their calls" }).waitFor();
      expect(await page.getByRole("treeitem").count()).toBe(17);
      await page.keyboard.press("5");
      await page.getByText("the plan has an open step").click();
      await has(page, "211 of 300 calls are left");
      await page.keyboard.press("3");
      await page.getByRole("button", { name: /compare\.py/ }).click();
      await page.locator(".diff .added", { hasText: "c" }).waitFor();
      expect(await page.locator(".diff .removed").textContent()).toContain("b");
      await page.keyboard.press("6");
      await has(page, "Model answers");
    });
  });

  it("the timeline by keyboard: rows take the focus, open, fold and unfold", async () => {
    server.logs.set("c_1", EventLog.sample());
    await at("keyboard", "/c/c_1", async (page) => {
      await row(page, "Turn 1").waitFor();
      await page.keyboard.press("j");
      await expect.poll(() => page.evaluate("document.activeElement.dataset.index")).toBe("0");
      await page.keyboard.press("j");
      await expect
        .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
        .toBe("Turn 1");
      const before = Number(await page.locator(".row").first().getAttribute("aria-setsize"));
      await page.keyboard.press("ArrowLeft");
      await expect
        .poll(async () => Number(await page.locator(".row").first().getAttribute("aria-setsize")))
        .toBeLessThan(before);
      await page.keyboard.press("ArrowRight");
      await expect
        .poll(async () => Number(await page.locator(".row").first().getAttribute("aria-setsize")))
        .toBe(before);
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // The focus is given back first.
      await expect.poll(() => page.evaluate("document.activeElement.closest('.row') !== null")).toBe(true);
      await page.keyboard.press("/");
      await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    });
  });

  it("hostile content is text: nothing runs, nothing is loaded, nothing leads out that should not", async () => {
    server.logs.set("c_1", hostileLog());
    await at("hostile", "/c/c_1", async (page, { outside }) => {
      await page.locator(".row").first().waitFor();
      for (const tab of ["", "?tab=tree", "?tab=why", "?tab=files", "?tab=details"]) {
        await page.goto(`${server.url}/c/c_1${tab}`);
        await page.locator(".panel > *").first().waitFor();
        if (tab !== "") continue;
        const setsize = Number(await page.locator(".row").first().getAttribute("aria-setsize"));
        // Every row has been drawn once, and every call opened.
        for (let top = 0; top < setsize; top += 4) {
          await page.locator(".feed").evaluate((feed, part) => {
            feed.scrollTop = feed.scrollHeight * part;
          }, top / setsize);
          await page.evaluate(
            "document.querySelectorAll('.row button.line[aria-expanded=false]').forEach((one) => one.click())",
          );
          for (const link of (await page.evaluate(linksThatLeave)) as string[]) expect(link).toBe("");
        }
      }
      expect(await page.evaluate("window.owned")).toBeUndefined();
      expect(outside).toEqual([]);
      await page.goto(`${server.url}/c/c_1`);
      await page.locator(".row").first().waitFor();
      const links = await page
        .locator("a")
        .evaluateAll((all) => all.map((a) => [a.getAttribute("href"), a.getAttribute("rel")]));
      for (const [href, rel] of links) {
        expect(href).toMatch(/^(\/|https?:|mailto:)/);
        if (!href?.startsWith("/")) expect(rel).toBe("noopener noreferrer");
      }
      expect(
        await page.locator(".panel img, .panel iframe, .panel script, .panel object, .panel form").count(),
      ).toBe(0);
      expect(await page.title()).not.toMatch(/[\u202e]/);
    });
  });

  it("hostile papers, references, agents, scripts and errors of the server are text, too", async () => {
    const bad = hostileTexts.slice(0, 12);
    server.logs.set("c_1", hostileLog());
    server.handler = (asked) => {
      const hostile = bad[asked.path.length % bad.length] as string;
      if (asked.path === "/api/info")
        return {
          status: 200,
          body: {
            version: "1",
            protocol: 1,
            agents: bad.map((name) => ({ name, title: name, mode: null })),
            features: [],
          },
        };
      if (asked.path.startsWith("/api/runs"))
        return {
          status: 200,
          body: {
            items: bad.map((text, n) => ({
              run: `run-${n}`,
              script: text,
              conversation: text,
              status: text,
              started: 0,
              ended: 1,
              exit_code: 0,
              parent: text,
            })),
            next: null,
          },
        };
      if (asked.path.startsWith("/api/papers")) return hostilePaper(asked, bad);
      return asked.method === "GET" ? undefined : problem(422, "invalid", hostile);
    };
    await at("hostile-papers", "/", async (page, { outside }) => {
      await page.getByRole("button", { name: "Runs" }).click();
      await has(page, "run-0");
      await page.getByLabel("Task").fill("x");
      await page.getByRole("button", { name: "Start" }).click();
      await page.locator(".failure").waitFor();
      await page.goto(`${server.url}/papers`);
      await page.locator(".list-row").first().waitFor();
      await page.goto(`${server.url}/p/p_1`);
      for (const part of ["references", "findings", "versions", "sections"]) {
        await page.getByRole("button", { name: part }).click();
        for (const link of (await page.evaluate(linksThatLeave)) as string[]) expect(link).toBe("");
      }
      await page.getByRole("treeitem").nth(1).click();
      await page.getByRole("button", { name: "references" }).click();
      await page.getByRole("textbox", { name: "Import BibTeX" }).fill("@misc{a}");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.locator(".failure").waitFor();
      expect(await page.evaluate("window.owned")).toBeUndefined();
      expect(outside).toEqual([]);
      expect(await page.locator(".paper img, .paper iframe, .paper script, .paper svg a").count()).toBe(0);
    });
  });

  it("a long text is fetched when somebody asks for it; what fails is said and tried again", async () => {
    const log = new EventLog("c_1").created("Long").runStart().loop("l1").turn("l1", 1);
    const ref = "a".repeat(64);
    log.call("l1", 1, 0, "read", { path: "x", body: { ref, bytes: 40_000, head: "It begins" } });
    log.end("l1.1.0", "ok", { result: { ref, bytes: 40_000, head: "It begins" } });
    server.logs.set("c_1", log);
    let isThere = false;
    server.handler = ({ path }) =>
      path !== `/api/conversations/c_1/blobs/${ref}`
        ? undefined
        : isThere
          ? { status: 200, body: `It begins ${"and goes on ".repeat(3_000)}to its end.` }
          : problem(503, "store", "The store is locked.");
    await at("long-text", "/c/c_1", async (page) => {
      await page.locator(".row-call button.line").click();
      expect(await page.locator(".row-call").textContent()).toContain("It begins");
      const result = page.getByLabel("Result of read");
      const showAll = page.getByRole("button", { name: "Show all" });
      expect(await showAll.count()).toBe(2);
      await has(page, "The beginning of 39.1 KiB");
      await showAll.last().click();
      await has(page, "The store is locked.");
      isThere = true;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("button", { name: "Show the rest" }).click();
      await expect.poll(() => result.textContent()).toContain("to its end.");
      await page.getByText("The store is locked.").waitFor({ state: "detached" });
    });
  });

  it("on a narrow screen a conversation is begun, and every page leads back", async () => {
    server.handler = (asked) => paperAnswers(asked);
    await at(
      "narrow",
      "/",
      async (page) => {
        await page.getByRole("link", { name: "New conversation" }).click();
        await page.getByLabel("Task").waitFor({ state: "visible" });
        for (const path of ["/new", "/settings", "/papers", "/p/p_1"]) {
          await page.goto(server.url + path);
          await page.getByRole("link", { name: "All conversations" }).click();
          await page.getByRole("link", { name: "New conversation" }).waitFor({ state: "visible" });
        }
        await page.goto(`${server.url}/p/p_1`);
        await page.getByRole("button", { name: "versions" }).click();
      },
      { viewport: { width: 400, height: 800 } },
    );
  });

  it("a paragraph goes in the direction of its first letter", async () => {
    const log = new EventLog("c_1").created("שלום and so on").runStart().loop("l1").turn("l1", 1);
    log.text("l1", 1, "שלום and so on\n\nand so on שלום");
    server.logs.set("c_1", log);
    await at("direction", "/c/c_1", async (page) => {
      const paragraphs = page.locator(".row-message-end p");
      await paragraphs.last().waitFor();
      const isRightToLeft = (selector: string, nth: number): Promise<boolean> =>
        page.evaluate(`(() => {
          const text = document.querySelectorAll("${selector}")[${nth}].firstChild;
          const left = (from, to) => {
            const range = document.createRange();
            range.setStart(text, from);
            range.setEnd(text, to);
            return range.getBoundingClientRect().left;
          };
          return left(0, 4) > left(text.length - 3, text.length);
        })()`);
      expect(await isRightToLeft(".row-message-end p", 0)).toBe(true);
      expect(await isRightToLeft(".row-message-end p", 1)).toBe(false);
      expect(await isRightToLeft(".head-row h1", 0)).toBe(true);
      expect(await isRightToLeft(".list-title", 0)).toBe(true);
    });
  });

  it("whoever follows stays at the end when there is less room: a banner, a card", async () => {
    const log = longLog(40);
    server.logs.set("c_long", log);
    await at("less-room", "/c/c_long", async (page) => {
      const gap = (): Promise<number> =>
        page.locator(".feed").evaluate((feed) => feed.scrollHeight - feed.scrollTop - feed.clientHeight);
      await row(page, "Turn 40").waitFor();
      await expect.poll(gap).toBeLessThan(2);
      const room = (): Promise<number> => page.locator(".feed").evaluate((feed) => feed.clientHeight);
      const before = await room();
      server.live("c_long", (one) => one.ask("q_1", { kind: "approval", tool: "run_code" }));
      await page.getByRole("region", { name: "Approval for run_code" }).waitFor();
      await expect.poll(room).toBeLessThan(before);
      await expect.poll(gap).toBeLessThan(2);
      const { port } = server;
      await server.close();
      await has(page, "The connection was lost at");
      await expect.poll(gap).toBeLessThan(2);
      expect(await page.getByRole("button", { name: "Follow" }).count()).toBe(0);
      await server.listen(port);
    });
  });

  it("a direction-changing character in a name is named", async () => {
    const log = new EventLog("c_1").created("x").runStart().loop("l1").turn("l1", 1);
    log.call("l1", 1, 0, "\u202egnp.exe", { path: "a\u200bb" });
    server.logs.set("c_1", log);
    await at("signs", "/c/c_1", async (page) => {
      const text = await page.locator(".row-call").first().textContent();
      expect(text).toContain("U+202E");
      expect(text).toContain("U+200B");
    });
  });

  it("10,000 events: few elements, all of it reachable, the first rows at once", async () => {
    const log = longLog(1_000);
    expect(log.events.length).toBeGreaterThan(10_000);
    server.logs.set("c_long", log);
    await at("long", "/c/c_long", async (page) => {
      await row(page, "Turn 1000").waitFor();
      await page.getByLabel("Moment of the log").waitFor();
      expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1_500);
      const height = (): Promise<string> =>
        page.locator(".feed-all").evaluate((all: { style: { height: string } }) => all.style.height);
      const estimated = await height();
      await page.locator(".feed").evaluate((feed) => {
        feed.scrollTop = 0;
      });
      await row(page, "Count.").waitFor();
      expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1_500);
      // Rows are as high as they were taken for: nothing is placed anew when they come into view.
      expect(await height()).toBe(estimated);
      // What comes at the end does not move what is read, and is counted.
      server.live("c_long", (one) => one.push("notice", { level: "warning", text: "at the end" }));
      await page.getByRole("button", { name: "1 new event" }).click();
      await row(page, "at the end").waitFor();
      await page.getByLabel("Moment of the log").fill("5000");
      await has(page, "event 5000 of");
    });
  });

  it("a paper: read, written with the version that was seen, compared when it changed meanwhile, exported in the page", async () => {
    let isChanged = false;
    server.handler = (asked) => {
      if (asked.method !== "PUT") return paperAnswers(asked, isChanged ? 9 : 2);
      if (isChanged) return { status: 200, body: { version: 10 } };
      isChanged = true;
      return problem(412, "changed", "It was changed meanwhile.");
    };
    await at("paper", "/p/p_1", async (page) => {
      await page.getByRole("treeitem", { name: /Introduction/ }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      const box = page.getByRole("textbox", { name: "Text of Introduction" });
      await box.fill("Mine.");
      await box.press("Control+s");
      await has(page, "Changed meanwhile.");
      await page.locator(".diff .added", { hasText: "Mine." }).waitFor();
      expect(await box.inputValue()).toBe("Mine.");
      await page.getByRole("button", { name: "Keep mine" }).click();
      await box.waitFor({ state: "detached" });
      const saved = server.asked.filter((one) => one.method === "PUT").map((one) => one.body);
      expect(saved).toEqual([
        { body: "Mine.", version: 2 },
        { body: "Mine.", version: 9 },
      ]);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Markdown" }).click();
      expect(readFileSync(await (await download).path(), "utf8")).toMatch(/^# Citations that hold\n/);
    });
  });

  it("citations and references read as an export prints them; one leads to its reference", async () => {
    for (const [style, words, listed] of [
      ["numeric", "Agents cite [1, p. 3; 2]".replace(";", ","), ["Doe (2024). Agents.", "Roe (2020). Runs."]],
      ["author-year", "Agents cite (Doe 2024, p. 3; Roe 2020)", ["Doe (2024). Agents.", "Roe (2020). Runs."]],
    ] as const) {
      server.handler = (asked) => paperAnswers(asked, 2, citing(style));
      await at(`citations-${style}`, "/p/p_1", async (page) => {
        const text = page.locator(".paper article");
        await has(page, words);
        expect(await text.textContent()).toContain(
          "[?] in Section 2, not in Section ??".replace("[?]", style === "numeric" ? "[?]" : "(?)"),
        );
        expect(await text.textContent()).not.toContain("[@");
        expect(await text.locator("li").allTextContents()).toEqual(listed.map((one) => `${one} `));
        await text.getByRole("button", { name: style === "numeric" ? "2" : "Roe 2020" }).click();
        const reference = page.locator(".reference-row:focus");
        expect(await reference.textContent()).toContain("Roe (2020). Runs.");
      });
    }
  });

  it("Word and PDF are made by the server from the version that is seen; why there is no PDF is said", async () => {
    server.handler = (asked) => {
      if (asked.path.includes("format=docx")) return { status: 200, body: "PK made by the server" };
      if (asked.path.includes("format=pdf"))
        return problem(422, "invalid", "nothing here makes a PDF: install tectonic,\nor chromium");
      return paperAnswers(asked);
    };
    await at("paper-exports", "/p/p_1", async (page) => {
      const exports = page.locator(".exports");
      const download = page.waitForEvent("download");
      await exports.getByRole("button", { name: "Word" }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe("Citations-that-hold.docx");
      expect(readFileSync(await file.path(), "utf8")).toBe("PK made by the server");
      await exports.getByRole("button", { name: "PDF" }).click();
      const failure = exports.getByRole("alert");
      await failure.waitFor();
      expect(await failure.textContent()).toContain(
        "nothing here makes a PDF: install tectonic,\nor chromium",
      );
      expect(await exports.getByRole("button", { name: "PDF" }).isEnabled()).toBe(true);
      const asked = server.asked.filter(({ path }) => path.includes("/export")).map(({ path }) => path);
      expect(asked).toEqual([
        "/api/papers/p_1/export?format=docx&version=7",
        "/api/papers/p_1/export?format=pdf&version=7",
      ]);
    });
  });

  it("every page in both themes passes axe, and fits 320 pixels", async () => {
    server.logs.set("c_1", researchLog());
    server.logs.set("c_2", hostileLog());
    server.handler = (asked) => paperAnswers(asked);
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const paths = [
      "/",
      "/c/c_1",
      "/c/c_1?tab=tree",
      "/c/c_1?tab=files",
      "/c/c_1?tab=why",
      "/c/c_1?tab=details",
      "/p/p_1",
      "/papers",
      "/settings",
      "/login",
      "/c/c_2",
    ];
    for (const colorScheme of ["light", "dark"] as const)
      for (const path of paths)
        await at(
          `axe ${colorScheme} ${path}`,
          path,
          async (page) => {
            await page.locator("main").first().waitFor();
            await page.locator(".panel > *, main h1").first().waitFor();
            const found = (await page.evaluate(
              `${axe}; axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })`,
            )) as {
              violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
            };
            const said = found.violations.map(
              (one) => `${path} ${one.id}: ${one.nodes[0]?.html} ${one.nodes[0]?.failureSummary}`,
            );
            expect(said).toEqual([]);
            await page.setViewportSize({ width: 320, height: 640 });
            const wide = await page.evaluate("document.documentElement.scrollWidth");
            expect(wide, `${path} at 320`).toBeLessThanOrEqual(320);
          },
          { colorScheme },
        );
  });

  it("a report opens from disk, asks nobody, scrubs, shows the tree, and stays below its size", async () => {
    const log = longLog(1_000);
    const html = reportHtml(
      { id: "run-1", title: "count.harn", events: log.events },
      new ViewerFiles(folderOnDisk(folder)),
    );
    expect(html.length).toBeLessThan(12_000_000);
    const file = join(files, "report.html");
    writeFileSync(file, html);
    await withPage(browser, "report", async ({ page }) => {
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      await row(page, "Turn 1000").waitFor();
      await page.getByLabel("Moment of the log").fill("4000");
      await has(page, "event 4000 of");
      await page.getByRole("tab", { name: "Tree" }).click();
      await page.getByRole("treeitem").first().waitFor();
      expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);
      expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(file).href]);
    });
  });

  it("a report of hostile content is as harmless, formulas and all", async () => {
    const file = join(files, "hostile.html");
    writeFileSync(
      file,
      reportHtml(
        { id: "run-1", title: hostileTexts[0] as string, events: hostileLog().events },
        new ViewerFiles(folderOnDisk(folder)),
      ),
    );
    await withPage(browser, "hostile-report", async ({ page }) => {
      await page.goto(pathToFileURL(file).href);
      await page.locator(".row").first().waitFor();
      expect(await page.evaluate("window.owned")).toBeUndefined();
    });
  });
});

/** Citations of two references, one that there is not, and references to sections. */
const citing = (style: "numeric" | "author-year"): Partial<PaperRecord> & { readonly body: string } => ({
  citation_style: style,
  body: "Agents cite [@doe2024, p. 3; @roe2020], nobody cites [@gone] in @sec:y, not in @sec:z.",
  references: [
    ["roe2020", "Roe", "Runs", 2020],
    ["doe2024", "Doe", "Agents", 2024],
    ["unused", "Poe", "Ravens", 1845],
  ].map(([key, family, title, year]) => ({
    key: key as string,
    item: {
      title: title as string,
      author: [{ family: family as string }],
      issued: { "date-parts": [[year as number]] },
    },
    verified: true,
    origin: null,
    quote: "",
  })),
});

/** A paper of two sections, as the routes of papers give it. */
function paperAnswers(
  { path }: { readonly path: string },
  version = 2,
  { body, ...more }: Partial<PaperRecord> & { readonly body?: string } = {},
) {
  const section = {
    depth: 1,
    parent: null,
    label: "x",
    summary: "",
    state: "drafted",
    version,
    changed: 1_795_359_694_676,
  };
  const paper: PaperRecord = {
    id: "p_1",
    owner: "admin",
    created: 1_795_359_694_676,
    title: "Citations that hold",
    state: "drafting",
    version: 7,
    changed: 1_795_359_694_676,
    authors: ["A. Author"],
    abstract: "Short.",
    language: "en",
    citation_style: "numeric",
    conversation: "c_1",
    sections: [
      {
        ...section,
        id: "s_1",
        position: 0,
        title: "Introduction",
        body: body ?? "Agents cite [@doe2024]. $x^2$",
      },
      { ...section, id: "s_2", position: 1, title: "Method", label: "y", body: "" },
    ],
    references: [
      {
        key: "doe2024",
        item: { title: "Agents", author: [{ family: "Doe" }] },
        verified: true,
        origin: null,
        quote: "",
      },
    ],
    ...more,
  };
  if (path === "/api/papers") return { status: 200, body: { items: [paper], next: null } };
  if (path === "/api/papers/p_1") return { status: 200, body: paper };
  if (path === "/api/papers/p_1/check") return { status: 200, body: { findings: [] } };
  if (path === "/api/principals")
    return {
      status: 200,
      body: { items: [{ name: "admin", role: "admin", created: 0, revoked: null }], next: null },
    };
  return undefined;
}

/** Everything in a paper that somebody wrote is an attack. */
function hostilePaper(
  { path, method }: { readonly path: string; readonly method: string },
  bad: readonly string[],
) {
  const of = (n: number): string => bad[n % bad.length] as string;
  if (method !== "GET") return problem(422, "invalid", of(1));
  const paper = paperAnswers({ path: "/api/papers/p_1" })?.body as PaperRecord;
  const hostile: PaperRecord = {
    ...paper,
    title: of(0),
    authors: bad,
    abstract: bad.join("\n\n"),
    state: of(1),
    sections: bad.map((text, n) => ({
      ...(paper.sections[0] as PaperRecord["sections"][number]),
      id: `s_${n}`,
      position: n,
      title: text,
      label: text,
      summary: text,
      // Keys that are names of what every object has, and one of each attack, where the grammar takes it for a key.
      body: `${text}\n\n[@__proto__; @constructor, p. 3] @toString [-@hasOwnProperty] @sec:constructor [@${text}]`,
    })),
    citation_style: "author-year",
    references: [...bad, "toString", "hasOwnProperty"].map((text) => ({
      key: text,
      item: {
        title: text,
        author: [{ family: text }, { family: text }],
        URL: "javascript:window.owned=1",
        issued: { "date-parts": [[text]] },
      },
      verified: false,
      origin: { url: text },
      quote: text,
    })),
  };
  if (path === "/api/papers") return { status: 200, body: { items: [hostile], next: null } };
  if (path.endsWith("/check"))
    return {
      status: 200,
      body: { findings: bad.map((text) => ({ kind: text, section: text, offset: 0, text })) },
    };
  if (path.includes("/versions"))
    return {
      status: 200,
      body: {
        items: bad.map((text, n) => ({
          n: n + 1,
          at: 0,
          by: text,
          run: text,
          op: text,
          note: text,
          section: text,
        })),
        next: null,
      },
    };
  return { status: 200, body: hostile };
}
