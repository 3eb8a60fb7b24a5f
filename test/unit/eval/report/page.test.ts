// suite: processes
// long: drives a browser
/** The page of a set, in a real browser: opened from disk, nothing loaded, nothing of a trial alive in it. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page as BrowserPage } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type NoiseReport,
  type PageOptions,
  type PagePort,
  type RecordedSet,
  reportOf,
  setPage,
  summaryText,
  type Transcripts,
} from "../../../../src/eval/report/index.ts";
import type { Agreement, Calibration } from "../../../../src/eval/report/labels/calibration.ts";
import { Dict, type Json } from "../../../../src/values/index.ts";
import { findChromium, startChromium } from "../../../support/chromium.ts";
import { epochsOf, scoreOf, setOf, taskOf, trialOf, variantsOf } from "../../../support/eval-set.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const port = (messages: Json): PagePort => ({
  digest: (text) => createHash("sha256").update(text).digest("base64"),
  packed: (text) => gzipSync(text).toString("base64"),
  conversation: () => messages,
});

const pageOf = (
  set: RecordedSet,
  messages: Json,
  transcripts: Transcripts = "all",
  measured: Pick<PageOptions, "noise" | "calibrations"> = {},
) => setPage(reportOf(set), port(messages), { transcripts, folder: "report.html.d", ...measured });

/** What must stay text, wherever it comes from. */
const attacks = [
  "</script><script>window.owned=1</script>",
  '"><img src=x onerror="window.owned=1">',
  "<svg/onload=window.owned=1>",
  "a\u0000b",
  "<!--<script>",
  "javascript:window.owned=1",
  "\u202egnp.exe",
  `${"x".repeat(1_000_000)}end`,
];

/** A set in which every text is an attack. */
function hostileSet(): RecordedSet {
  const trials = attacks.flatMap((text, at) => [
    trialOf(text, 1, 0, {
      variant: attacks[0] as string,
      blame: "agent",
      faults: [{ kind: text.slice(0, 500), severity: "hindered", turn: 1, evidence: text.slice(0, 500) }],
      failedTool: text.slice(0, 500),
      stopReason: text.slice(0, 500),
      scores: [scoreOf(attacks[1] as string, 0, { why: text, label: text })],
    }),
    trialOf(`error ${at}`, 1, text, { variant: attacks[0] as string }),
  ]);
  return setOf(
    [
      taskOf(trials, {
        name: attacks[2] as string,
        variants: variantsOf(attacks[0] as string),
        scorers: [{ name: attacks[1] as string, threshold: 1, needs: [] }],
        success: [attacks[1] as string],
      }),
    ],
    {
      name: attacks[1] as string,
      why: attacks[0] as string,
      limits: [{ at: 1000, provider: attacks[0] as string, from: 10, to: 7, reason: attacks[1] as string }],
    },
  );
}

const noise = (name: string): NoiseReport => ({
  task: name,
  variant: "default",
  metric: "success",
  design: { agents: 2, users: 1, environments: 1, judges: 1, hasUser: false, hasJudge: false },
  samples: 12,
  left: [name],
  ms: {},
  parts: [
    { source: "sample", name: "sample", variance: 0.1, low: -0.01, high: 0.2, share: 0.8 },
    { source: "agent", name, variance: 0.025, low: null, high: null, share: 0.2 },
  ],
  errors: [{ what: "now", samples: 12, epochs: 2, draws: 1, se: 0.05, costUsd: null }],
  bestDraws: null,
});

const agreement = (set: RecordedSet, rater: string, more: Partial<Agreement> = {}): Calibration => ({
  scorer: rater,
  agreements: [
    {
      rater,
      n: 20,
      baseRate: 0.5,
      accuracy: 0.9,
      alwaysAccuracy: 0.5,
      kappa: 0.8,
      low: 0.5,
      high: 1,
      sensitivity: 0.9,
      specificity: 0.9,
      disagreements: set.tasks[0]?.trials.slice(0, 1) ?? [],
      ...more,
    },
  ],
  betweenRaters: null,
  betweenDraws: 0.7,
  raw: 0.6,
  roganGladen: null,
  predictionPowered: null,
  warnings: [rater],
});

/** Whatever is beside the set, with a hostile name. */
const measuredBy = (set: RecordedSet) => ({
  noise: attacks.map(noise),
  calibrations: attacks.map((name) => agreement(set, name)),
});

const conversation: Json = [
  ...attacks.map((content) => ({ role: "user", content })),
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "1", type: "function", function: { name: "find_order", arguments: '{"id":"A17"}' } }],
  },
  { role: "tool", name: "find_order", content: '{"status":"delivered"}' },
  { role: attacks[0] as string, content: [{ type: "text", text: attacks[1] as string }] },
];

const largeSet = (): RecordedSet => {
  const rows = Array.from({ length: 2500 }, (_, sample) =>
    [1, 2].map((epoch) => Number((sample * 7 + epoch) % 5 !== 0)),
  );
  return setOf([
    taskOf([...epochsOf(rows, "a"), ...epochsOf(rows, "b")], { epochs: 2, variants: variantsOf("a", "b") }),
  ]);
};

describe("the page as text", () => {
  it("writes names beside points of the same place below each other", () => {
    const { html } = pageOf(largeSet(), []);
    const plot = /aria-label="success upwards[^>]*>(.*?)<\/svg>/.exec(html)?.[1] ?? "";
    const heights = [...plot.matchAll(/<text x="([\d.]+)" y="([\d.]+)">[ab]<\/text>/g)].map((found) =>
      Number(found[2]),
    );
    expect(heights).toHaveLength(2);
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(14);
  });

  it("is one file without anything to load, whose script is named by its digest", () => {
    const set = hostileSet();
    const { html, beside } = pageOf(set, conversation, "all", measuredBy(set));
    expect(beside).toEqual([]);
    expect(html).toContain("default-src &#39;none&#39;");
    expect(html).toMatch(/script-src &#39;sha256-[A-Za-z0-9+/=]{44}&#39;/);
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    expect(html).not.toMatch(/<img|<svg\//);
    expect(html).not.toContain("\u0000");
  });

  it("shows where the noise comes from, and how far judges agree with people", () => {
    const set = setOf([taskOf(epochsOf([[1], [0]]))], { name: "k" });
    const { html } = pageOf(set, [], "none", {
      noise: [noise("agent and environment"), { ...noise("none"), parts: [] }],
      calibrations: [agreement(set, "ann"), { ...agreement(set, "bob"), agreements: [] }],
    });
    const [measured = "", people = ""] = html.split("<section>").filter((part) => /Noise|people/.test(part));
    expect(measured).toContain("<h2>Noise of agent and environment  success   12 samples × 2 agents</h2>");
    expect(measured.match(/class="interval"/g)).toHaveLength(1);
    expect(measured.match(/class="point"/g)).toHaveLength(2);
    expect(measured).toContain("<td>sample</td><td>0.1000</td><td>80 %</td><td>[-0.0100, 0.2000]</td>");
    expect(measured).toContain(
      "left out, since a trial errored or is unscored: agent and environment\nnow   12 samples × 2 epochs × 1 draw  standard error 0.0500  cost unknown\nbrackets of fewer than 50 samples are too narrow",
    );
    expect(people).toContain("<h2>ann against people</h2>");
    expect(people).toContain("<td>0.800 [0.500, 1.000]</td>");
    expect(people).toContain(
      "between draws of the judge: alpha 0.700\nthe judge says 0.600\nann\n1 disagreements:",
    );
    expect(html).not.toContain("bob");
    expect(html).not.toContain("Noise of none");
  });

  it("says what the set was made of, and shows groups and the matrix of variants", () => {
    const bodies = [
      ["terse", "small"],
      ["terse", "large"],
      ["kind", "small"],
      ["kind", "large"],
    ] as const;
    const variants = bodies.map(([prompt, model]) => {
      const name = `model=${model},prompt=${prompt}`;
      return { name, key: name, digest: name, body: Dict.of({ model, prompt }) };
    });
    const set = setOf(
      [
        taskOf(
          variants.flatMap(({ name }, at) => epochsOf([[1], [at > 1 ? 1 : 0], [at === 3 ? 1 : 0]], name)),
          {
            variants,
            groupBy: ["topic"],
            description: "Does it answer <well>?",
            tags: ["smoke", "shop"],
            dataset: { kind: "path", path: "rows.jsonl", base: "." },
            roles: { judge: { model: "o3" } },
          },
          { s1: { topic: "refunds" }, s2: { topic: "refunds" }, s3: { topic: "orders" } },
        ),
      ],
      { program: ["t.eval.harn"] },
    );
    const { html } = pageOf(set, []);
    expect(html).toContain("<p>Does it answer &lt;well&gt;?</p>");
    expect(html).toContain(
      "<dt>date</dt><dd>1970-01-01 00:00 UTC</dd><dt>program</dt><dd>t.eval.harn</dd><dt>dataset</dt><dd>rows.jsonl</dd><dt>models</dt><dd>small, large, judge o3</dd><dt>tags</dt><dd>smoke, shop</dd>",
    );
    expect(html).toContain("<h2>sums: success by topic</h2>");
    expect(html).toContain("<td>orders</td>");
    const [, matrix = ""] = html.split("<h2>sums: success by prompt and model</h2>");
    expect(matrix).toContain('<th scope="col">small</th><th scope="col">large</th>');
    expect(matrix).toMatch(/<td>kind<\/td><td>0\.667 \[[^\]]+\]<\/td><td>1\.000 \[/);
    const text = summaryText(reportOf(set));
    expect(text).toContain(
      "\nDoes it answer <well>?\n1970-01-01 00:00 UTC · program t.eval.harn · dataset rows.jsonl · models small, large, judge o3 · tags smoke, shop\n",
    );
    expect(text).toMatch(/\n {2}by topic +model=small,prompt=terse +model=large,prompt=terse/);
    expect(text).toMatch(/\n {2}orders +0\.000 +0\.000 +0\.000 +1\.000\n/);
  });

  it("has each draw of a judge, and how trials are called", () => {
    const scores = [1, 0, 1].map((value, at) =>
      scoreOf("is", value, { draw: at + 1, why: `draw ${at + 1}` }),
    );
    const { html } = pageOf(setOf([taskOf([trialOf("a", 1, 1, { scores })])]), []);
    const data = JSON.parse(/id="data">(.*?)<\/script>/.exec(html)?.[1] ?? "") as {
      set: string;
      tasks: { rows: unknown[][] }[];
    };
    expect(data.set).toBe("eval-20261122-145648-ee174955");
    expect(data.tasks[0]?.rows[0]?.[12]).toEqual([
      [
        2 / 3,
        1,
        "draw 1",
        [
          [1, 1, 1, null, "draw 1"],
          [2, 0, 0, null, "draw 2"],
          [3, 1, 1, null, "draw 3"],
        ],
      ],
    ]);
    expect(data.tasks[0]?.rows[0]?.slice(14)).toEqual([100, 10]);
  });

  it("keeps conversations of failures, of all, or of none", () => {
    const set = setOf([taskOf(epochsOf([[1], [0], ["it broke"]]))]);
    const count = (transcripts: Transcripts): number => {
      const { html } = pageOf(set, [{ role: "user", content: "hello" }], transcripts);
      return (JSON.parse(/id="conversations">(.*)<\/script>/.exec(html)?.[1] ?? "") as unknown[]).length;
    };
    expect([count("none"), count("failed"), count("all")]).toEqual([0, 2, 3]);
  });

  it("puts conversations beyond 20 MB beside it, escaped as well", () => {
    const set = setOf([taskOf(epochsOf([[0], [0], [0]]))]);
    const large = { ...port(conversation), packed: () => "A".repeat(8 * 1024 * 1024) };
    const { beside } = setPage(reportOf(set), large, { transcripts: "all", folder: "my report.d" });
    expect(beside.map(({ name }) => name)).toEqual(["1.html"]);
    expect(beside[0]?.text).toContain("default-src &#39;none&#39;");
    expect(beside[0]?.text).not.toMatch(/<script|<img|<svg/);
  });
});

const found = findChromium();
const missing = "missing" in found ? found.missing : undefined;

describe.skipIf(missing !== undefined)(
  `the page in a browser${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const folder = tempFolder("page");
    let browser: Browser;

    beforeAll(async () => {
      if ("path" in found) browser = await startChromium(found.path);
    });
    afterAll(async () => {
      await browser?.close();
    });

    /** Opens the page from disk; gives what it asked for and complained of. */
    async function opened(
      set: RecordedSet,
      messages: Json,
    ): Promise<{ page: BrowserPage; problems: string[]; requests: string[] }> {
      const path = join(folder, "report.html");
      mkdirSync(join(folder, "report.html.d"), { recursive: true });
      writeFileSync(path, pageOf(set, messages, "all", measuredBy(set)).html);
      const page = await browser.newPage();
      const problems: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(pathToFileURL(path).href);
      await page.waitForSelector("html[data-ready=yes]", { timeout: 300_000 });
      return { page, problems, requests };
    }

    it("runs nothing of what a trial says", async () => {
      const { page, problems, requests } = await opened(hostileSet(), conversation);
      const rows = page.locator("#trial-rows tr");
      expect(await rows.count()).toBe(attacks.length * 2);
      for (const at of [0, 1, 3, 7]) {
        await rows.nth(at * 2).click();
        await page.waitForSelector("dialog[open] .message");
        expect(await page.locator("dialog .message").count()).toBe(attacks.length + 3);
        await page.keyboard.press("Escape");
      }
      await rows.nth(14).click();
      await page.waitForSelector("dialog[open] .message");
      const long = page.locator("dialog .message").nth(7);
      await long.locator("button").click();
      expect(await long.locator("pre").evaluate((node) => node.textContent?.endsWith("end"))).toBe(true);
      expect(await page.evaluate("window.owned")).toBeUndefined();
      expect(problems).toEqual([]);
      expect(requests).toHaveLength(1);
      await page.close();
    });

    it("holds 10,000 trials, and is used by keyboard", async () => {
      const { page, problems } = await opened(largeSet(), [{ role: "user", content: "2 + 2?" }]);
      expect(await page.locator("#count").textContent()).toBe("10000 of 10000 trials, page 1 of 100");
      await page.keyboard.press("/");
      await page.keyboard.type("s2499");
      expect(await page.locator("#count").textContent()).toBe("4 of 10000 trials, page 1 of 1");
      await page.locator("#trial-rows tr").first().focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog[open]");
      expect(await page.locator("dialog h2").textContent()).toBe("sums/a/s2499.2");
      await page.waitForSelector("dialog .message");
      expect(await page.locator("dialog .message pre").textContent()).toBe("2 + 2?");
      await page.keyboard.press("Escape");
      await page.locator("#filter-text").fill("");
      await page.locator("#trial-head button", { hasText: "outcome" }).click();
      expect(await page.locator("#trial-rows tr td:nth-child(5)").first().textContent()).toBe("failure");
      await page.locator("#after").click();
      expect(await page.locator("#count").textContent()).toContain("page 2 of 100");
      expect(problems).toEqual([]);
      await page.close();
    });

    it("keeps words and figures whole on wide and narrow screens", async () => {
      const { page } = await opened(largeSet(), []);
      for (const width of [1280, 420, 400]) {
        await page.setViewportSize({ width, height: 900 });
        // The page itself never scrolls sideways; tables and plots do within their boxes.
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        // Plots are whole: nothing of them is cut off, and their words can be read.
        const plots = `[...document.querySelectorAll("svg.plot")].map((plot) => {
          const box = plot.getBoundingClientRect(), scroll = plot.parentElement;
          const inside = [...plot.querySelectorAll("text")].every((text) => {
            const own = text.getBoundingClientRect();
            return own.left >= box.left - 1 && own.right <= box.right + 1;
          });
          return inside && box.right <= ${width} && scroll.scrollWidth <= scroll.clientWidth && 12.5 * box.width / 460 >= 9;
        })`;
        expect(new Set((await page.evaluate(plots)) as boolean[])).toEqual(new Set([true]));
        const outcome = page.locator("#trial-rows td", { hasText: /^failure$/ }).first();
        const lines =
          "(cell) => { const box = document.createRange(); box.selectNodeContents(cell); return box.getClientRects().length; }";
        expect(
          await outcome.evaluate(`(${lines})(document.querySelector("#trial-rows td:nth-child(5)"))`),
        ).toBe(1);
        const box = await outcome.boundingBox();
        expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
      }
      expect(await page.evaluate("getComputedStyle(document.querySelector('.summary')).whiteSpace")).toBe(
        "pre",
      );
      // What went wrong stands first; from there to the next one.
      await page.locator("#trial-rows tr").first().click();
      expect(await page.locator("#trial-body").textContent()).toContain("outcome: failure");
      expect(await page.locator("#trial-body").textContent()).toContain("used: 1 turn, ");
      expect(await page.locator("#trial-body").textContent()).toContain("tokens: 100 in, 10 out");
      const heading = () => page.locator("dialog h2").textContent();
      const first = await heading();
      expect(await page.locator("#previous").isDisabled()).toBe(true);
      await page.locator("#next").click();
      expect(await heading()).not.toBe(first);
      expect(await page.locator("#place").textContent()).toBe("2 of 10000");
      await page.keyboard.press("k");
      expect(await heading()).toBe(first);
      expect(await page.locator("dialog code").textContent()).toMatch(
        /^harn trace 'eval-20261122-145648-ee174955:sums\/a\/s\d+\.\d'$/,
      );
      await page.close();
    });

    it("has a table behind each plot, and colours for the dark", async () => {
      const { page } = await opened(largeSet(), []);
      const plots = await page.locator("svg.plot").count();
      expect(plots).toBeGreaterThan(3);
      expect(await page.locator("section details table").count()).toBe(plots);
      const background = (): Promise<string> =>
        page.evaluate("getComputedStyle(document.body).backgroundColor");
      await page.emulateMedia({ colorScheme: "light" });
      const light = await background();
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await background()).not.toBe(light);
      await page.close();
    });
  },
);
