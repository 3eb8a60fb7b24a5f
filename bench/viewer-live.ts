/** The page while something happens: events that come in, keys that are pressed meanwhile, and how soon a row follows its event. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { EventLog } from "../test/support/event-log.ts";
import { startServing } from "../test/support/serving.ts";
import type { ViewerServer } from "../test/support/viewer-server.ts";
import { type Row, shareOf } from "./rows.ts";

/** How long events come, and how many a second. */
const seconds = Number(process.env.HARN_BENCH_STREAM_SECONDS ?? 60);
const rate = 100;
const everyMs = 20;

/** What makes the page wait, and how long a key takes to the picture with its letter; shorter than 16 ms is not told by the browser. */
const watch = `window.longTasks = [0]; window.keys = new Map();
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: "longtask" });
new PerformanceObserver((list) => {
  for (const one of list.getEntries())
    if (one.name === "keydown") keys.set(one.startTime, one.duration);
}).observe({ type: "event", durationThreshold: 16 });`;

/** Events come into an open page of a long log while somebody writes. `worked`: seconds of the main thread so far. */
export async function fed(page: Page, server: ViewerServer, worked: () => Promise<number>): Promise<Row[]> {
  const number = async (code: string): Promise<number> => (await page.evaluate(code)) as number;
  const box = page.getByRole("textbox", { name: "Message" });
  await page.keyboard.press("End");
  await box.focus();
  await page.evaluate(watch);
  const log = server.logs.get("c_long") as EventLog;
  const first = log.events.length;
  const before = await worked();
  const began = Date.now();
  let turn = 10_000;
  const feeding = setInterval(() => {
    const due = first + ((Date.now() - began) / 1000) * rate;
    while (log.events.length < due) server.live("c_long", (one) => oneTurn(one, turn++));
  }, everyMs);
  let pressed = 0;
  for (; Date.now() - began < seconds * 1000; pressed++) {
    await page.keyboard.press("x");
    await page.waitForTimeout(100);
  }
  clearInterval(feeding);
  const work = (await worked()) - before;
  const took = (Date.now() - began) / 1000;
  const came = log.events.length - first;
  const last = turn - 1;
  await page
    .locator(".row-turn", { hasText: String(last) })
    .last()
    .waitFor();
  const keys = (await page.evaluate("[...keys.values()]")) as number[];
  const quick = Array.from({ length: Math.max(0, pressed - keys.length) }, () => 16);
  return [
    {
      name: `events a second into the page, for ${Math.round(took)} s`,
      value: came / took,
      unit: "",
      target: "100",
    },
    { name: "longest task", value: await number("Math.max(...longTasks)"), unit: "ms", target: "<= 200" },
    { name: "main thread for a second of it", value: (work / took) * 1000, unit: "ms" },
    { name: "key to paint, p95", value: shareOf([...quick, ...keys], 0.95), unit: "ms", target: "<= 100" },
  ];
}

/** Ten events. */
function oneTurn(log: EventLog, turn: number): void {
  log.turn("l1", turn).text("l1", turn, `This is turn **${turn}**, while somebody looks.`);
  log.usage("l1", turn, { input: 1_000, output: 40, cost_usd: 0.001 });
  for (let i = 0; i < 3; i++)
    log.call("l1", turn, i, "read_file", { path: `src/file-${turn}-${i}.ts` }).end(`l1.${turn}.${i}`);
  log.turnEnd("l1", turn, 3);
}

const calls = 150;
const script = `pipeline main(task) {
  let tools = tool_define(tool_registry(), "step", "Goes on.", {
    parameters: {n: "int"}, handler: { _ -> sleep(100ms) }})
  for n in range(${calls}) {
    llm_mock({tool_calls: [{name: "step", arguments: {n: n}}]})
  }
  llm_mock({text: "Done. ##DONE##"})
  return agent_loop(task, nil, {provider: "mock", tools: tools, max_iterations: ${calls + 10}})
}
`;

/** When each row of a call was first in the document, by the same clock as the events. */
const rowTimes = `window.rowTimes = {};
new MutationObserver(() => {
  for (const row of document.querySelectorAll(".row-call")) rowTimes[row.dataset.id] ??= Date.now();
}).observe(document.body, { childList: true, subtree: true });`;

/** A real server, a run in its child, and a page that looks: from an event in the child to its row. */
export async function eventToRow(browser: Browser): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-rows-"));
  writeFileSync(join(folder, "steps.harn"), script);
  const server = await startServing(["steps.harn"], {
    cwd: folder,
    env: { HARN_STATE_DIR: join(folder, "state") },
  });
  const page = await browser.newPage();
  try {
    await page.goto(server.link);
    await page.getByLabel("Task").fill("go on");
    await page.evaluate(rowTimes);
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".page-head .status", { hasText: "idle" }).waitFor({ timeout: 300_000 });
    const times = (await page.evaluate("rowTimes")) as Record<string, number>;
    const { items } = (await page.evaluate(
      "fetch('/api/conversations/' + location.pathname.split('/')[2] + '/events?limit=1000&types=tool.start').then((r) => r.json())",
    )) as { readonly items: readonly { readonly at: number; readonly run: string; readonly call: string }[] };
    const waits = items.map(({ at, run, call }) => (times[`c${run}/${call}`] ?? Number.NaN) - at);
    const lost = waits.filter(Number.isNaN).length;
    return [
      {
        name: `event to row, median of ${items.length - lost} calls`,
        value: shareOf(waits, 0.5),
        unit: "ms",
      },
      { name: "event to row, p95", value: shareOf(waits, 0.95), unit: "ms", target: "<= 250" },
      { name: "calls without a row", value: lost, unit: "", target: "0" },
    ];
  } finally {
    await page.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
