/** The page with a log of 10,000 events, in Chromium on loopback: what a reader waits for, and what the page keeps. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { BundledPackages } from "../scripts/packages.ts";
import { bundleViewer } from "../scripts/viewer.ts";
import { findChromium, startChromium } from "../test/support/chromium.ts";
import { longLog } from "../test/support/viewer-logs.ts";
import { ViewerServer } from "../test/support/viewer-server.ts";
import { type Row, shareOf } from "./rows.ts";
import { eventToRow, fed } from "./viewer-live.ts";

const frames = 240;
/** How long each frame took in which `act` was done. */
const framesOf = (act: string): string => `new Promise((resolve) => {
  const feed = document.querySelector(".feed");
  if (feed !== null) feed.scrollTop = 0;
  const frames = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    ${act};
    if (frames.length < ${frames}) requestAnimationFrame(step);
    else resolve(frames.slice(2));
  };
  requestAnimationFrame(step);
})`;
const scrolling = framesOf("feed.scrollTop += 300");
/** A page with one word, drawn anew in each frame: what the browser and the machine take by themselves. */
const wordOnly = framesOf("document.body.textContent = String(frames.length)");

export async function run(): Promise<Row[]> {
  const chromium = findChromium();
  if ("missing" in chromium) {
    console.error(`bench: no browser: ${chromium.missing}`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "harn-bench-viewer-"));
  await bundleViewer(folder, new BundledPackages());
  const server = new ViewerServer(join(folder, "viewer"));
  const browser = await startChromium(chromium.path);
  try {
    server.logs.set("c_long", longLog(1_000));
    await server.listen();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    return [...(await measured(page, server, `${server.url}/c/c_long`)), ...(await eventToRow(browser))];
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(page: Page, server: ViewerServer, url: string): Promise<Row[]> {
  const number = async (code: string): Promise<number> => (await page.evaluate(code)) as number;
  const p95 = async (code: string): Promise<number> => shareOf((await page.evaluate(code)) as number[], 0.95);
  const bare = await p95(wordOnly);
  await page.goto(url);
  await page.locator(".row").first().waitFor();
  const rows = await number("performance.now()");
  await page.getByLabel("Moment of the log").waitFor();
  const whole = await number("performance.now()");
  const paint = await number("performance.getEntriesByName('first-contentful-paint')[0].startTime");
  const session = await page.context().newCDPSession(page);
  // Time of the processor, which other programs of the machine don't lengthen as they do the time of a frame.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async (): Promise<number> =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")
      ?.value ?? 0;
  const before = await worked();
  const frame = await p95(scrolling);
  const work = ((await worked()) - before) * 1_000;
  const elements = await number("document.querySelectorAll('*').length");
  await session.send("HeapProfiler.collectGarbage");
  const heap = await number("performance.memory.usedJSHeapSize");
  const began = Date.now();
  await page.getByLabel("Moment of the log").fill("5000");
  await page.getByText("event 5000 of").waitFor();
  const scrub = Date.now() - began;
  await page.getByRole("button", { name: "Live" }).click();
  return [
    { name: "first paint", value: paint, unit: "ms", target: "<= 1,000" },
    { name: "first rows of 10,000 events", value: rows, unit: "ms", target: "<= 1,500" },
    { name: "all of them loaded", value: whole, unit: "ms", target: "<= 3,000" },
    { name: "scrolling, frame p95", value: frame, unit: "ms", target: "<= 50" },
    { name: "the same against a page with one word", value: frame / bare, unit: "x" },
    { name: "main thread a frame", value: work / frames, unit: "ms" },
    { name: "to event 5,000", value: scrub, unit: "ms" },
    { name: "elements", value: elements, unit: "", target: "<= 1,500" },
    { name: "heap", value: heap / 1_048_576, unit: "MB", target: "<= 60" },
    ...(await fed(page, server, worked)),
  ];
}
