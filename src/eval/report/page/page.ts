/** The page of a set: one HTML file that loads nothing and opens from disk. */
import type { Json } from "../../../values/index.ts";
import type { Score } from "../../plan/index.ts";
import type { Calibration } from "../labels/calibration.ts";
import type { NoiseReport } from "../noise.ts";
import { hasOnlyFigures, type RecordedTask, type RecordedTrial, type TrialState } from "../recorded-set.ts";
import type { SetReport, TaskReport } from "../set-report.ts";
import { factRows } from "../task-facts.ts";
import { gateOutcome, summaryText } from "../text/summary.ts";
import { combinedScore, successOf } from "../trial-facts.ts";
import { conversationPage, maxInside, shownMessages, type Transcripts } from "./conversations.ts";
import { groupPlots, matrixPlot } from "./group-plots.ts";
import { h, jsonMarkup, type Markup, ownCode } from "./markup.ts";
import { agreementPlot, noisePlot } from "./measured-plots.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import {
  connectionPlot,
  costPlot,
  differencePlot,
  failurePlot,
  forestPlot,
  type Plot,
  stripPlot,
} from "./plots.ts";

export interface PagePort {
  /** SHA-256 of a text in base64: the policy names our script by it, so that no other one runs. */
  readonly digest: (text: string) => string;
  /** A text compressed with gzip, in base64. */
  readonly packed: (text: string) => string;
  /** The conversation of a trial as messages; null when it is not known. */
  readonly conversation: (task: RecordedTask, trial: RecordedTrial) => Json;
}

export interface PageOptions {
  readonly transcripts: Transcripts;
  /** Name of the folder beside the page that holds what does not fit into it. */
  readonly folder: string;
  /** What has been measured beside the set: where its noise comes from, and how far its judges agree with people. */
  readonly noise?: readonly NoiseReport[];
  readonly calibrations?: readonly Calibration[];
}

interface Page {
  readonly html: string;
  /** Files of the folder beside it. */
  readonly beside: readonly { readonly name: string; readonly text: string }[];
}

const states: readonly TrialState[] = [
  "pending",
  "running",
  "waiting",
  "paused",
  "done",
  "errored",
  "skipped",
];

/** Reasons longer than this are cut in the page; `harn eval show` has them whole. */
const maxWhy = 2000;
/** Names of samples come from datasets, which may call them anything. */
const maxName = 300;
/** Past so many trials the reasons of those that passed are left out, and others are shorter. */
const manyTrials = 5000;

export function setPage(report: SetReport, port: PagePort, options: PageOptions): Page {
  const packedAll: string[] = [];
  const beside: { name: string; text: string }[] = [];
  let inside = 0;
  /** Where a trial's conversation is: its place in the page, a file, or null. */
  const keep = (task: RecordedTask, trial: RecordedTrial): number | string | null => {
    if (!isShown(task, trial, options.transcripts)) return null;
    const messages = shownMessages(port.conversation(task, trial));
    if (messages.length === 0) return null;
    const text = port.packed(JSON.stringify(messages));
    if (inside + text.length <= maxInside) {
      inside += text.length;
      return packedAll.push(text) - 1;
    }
    const name = `${beside.length + 1}.html`;
    const title = `${task.spec.name}/${trial.variant}/${trial.sample}.${trial.epoch}`;
    beside.push({ name, text: conversationPage(title, messages) });
    return `${encodeURIComponent(options.folder)}/${name}`;
  };
  const many = report.set.tasks.reduce((sum, { trials }) => sum + trials.length, 0) > manyTrials;
  const data = {
    states,
    // What trials are called in commands; sets without journals have nothing to trace.
    set: hasOnlyFigures(report.set) ? null : report.set.name,
    tasks: report.set.tasks.map((task) => taskData(task, keep, many)),
  };
  const html = h(
    "html",
    { lang: "en" },
    pageHead(report.set.name, port.digest(pageScript)),
    h("body", {}, bodyOf(report, [...plotsOf(report), ...measuredPlots(report, options)])),
    jsonMarkup("data", JSON.stringify(data)),
    jsonMarkup("conversations", JSON.stringify(packedAll)),
    ownCode("script", pageScript),
  );
  return { html: `<!doctype html>\n${html.html}\n`, beside };
}

const plotsOf = (report: SetReport): Plot[] =>
  [
    failurePlot(report.set),
    ...report.tasks.flatMap((task) => [
      forestPlot(task),
      matrixPlot(task),
      ...groupPlots(task),
      stripPlot(task),
      differencePlot(task),
      costPlot(task),
    ]),
    connectionPlot(report.set),
  ].filter((plot) => plot !== undefined);

const measuredPlots = ({ set }: SetReport, { noise = [], calibrations = [] }: PageOptions): Plot[] =>
  [...noise.map(noisePlot), ...calibrations.map((found) => agreementPlot(set, found))].filter(
    (plot) => plot !== undefined,
  );

function isShown(task: RecordedTask, trial: RecordedTrial, transcripts: Transcripts): boolean {
  if (transcripts === "none") return false;
  return transcripts === "all" || trial.state === "errored" || successOf(trial, task.spec) === 0;
}

function taskData(
  task: RecordedTask,
  keep: (task: RecordedTask, trial: RecordedTrial) => number | string | null,
  many: boolean,
): Json {
  const places = new Map(task.samples.map(({ id }, at) => [id, at]));
  const variants = task.spec.variants.map(({ name }) => name);
  const scorers = task.spec.scorers.map(({ name }) => name);
  return {
    name: task.spec.name,
    scorers,
    variants,
    samples: task.samples.map(({ id }) => id.slice(0, maxName)),
    rows: task.trials
      .filter(({ sample }) => places.has(sample))
      .map((trial) => [
        places.get(trial.sample) as number,
        variants.indexOf(trial.variant),
        trial.epoch,
        states.indexOf(trial.state),
        successOf(trial, task.spec) ?? null,
        trial.costUsd,
        trial.turns,
        trial.workingMs,
        trial.blame,
        trial.error?.message.slice(0, maxWhy) ?? null,
        trial.limit,
        trial.faults.length === 0
          ? null
          : trial.faults.map(({ kind, evidence }) => `${kind}: ${evidence.slice(0, 200)}`).join("; "),
        scorers.map((scorer) => scoreData(trial, scorer, many)),
        keep(task, trial),
        trial.inputTokens,
        trial.outputTokens,
      ]),
  };
}

/** `[value, passes, why, draws]`; what is not there at the end is left out. */
function scoreData(trial: RecordedTrial, scorer: string, many: boolean): Json {
  const score = combinedScore(trial, scorer);
  if (score === undefined) return [null, null];
  const draws = trial.scores.filter((one) => one.scorer === scorer);
  const length = many ? 200 : maxWhy;
  const whyOf = ({ why, error }: Pick<Score, "why" | "error">): string | null =>
    (why ?? error?.message)?.slice(0, length) ?? null;
  const why = draws.map(whyOf).find((text) => text !== null) ?? null;
  const pass = passData(score.pass);
  if (many && score.pass === true) return [score.value, pass];
  if (draws.length > 1)
    return [
      score.value,
      pass,
      why,
      draws.map((draw) => [draw.draw, draw.value, passData(draw.pass), draw.label, whyOf(draw)]),
    ];
  return why === null ? [score.value, pass] : [score.value, pass, why];
}

const passData = (pass: boolean | null): number | null => (pass === null ? null : Number(pass));

const pageHead = (title: string, scriptDigest: string): Markup =>
  h(
    "head",
    {},
    h("meta", { charset: "utf-8" }),
    h("meta", {
      "http-equiv": "Content-Security-Policy",
      content: `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${scriptDigest}'; base-uri 'none'; form-action 'none'`,
    }),
    h("meta", { name: "viewport", content: "width=device-width,initial-scale=1" }),
    h("meta", { name: "color-scheme", content: "light dark" }),
    h("title", {}, title),
    ownCode("style", pageStyle),
  );

function bodyOf(report: SetReport, plots: readonly Plot[]): Markup {
  return h(
    "main",
    {},
    h("h1", {}, report.set.name),
    h("p", { class: "soft" }, stateText(report)),
    ...report.tasks.map((task) => factsMarkup(task, report.tasks.length > 1)),
    h("h2", { id: "summary" }, "Summary"),
    linesBlock("summary", summaryText(report, { setName: report.set.name })),
    ...report.tasks.map(gatesMarkup),
    ...plots.map(plotOf),
    ...trialsOf(),
  );
}

/** Lines of a table must not wrap: on a narrow screen they are scrolled, which the keyboard can do, too. */
const linesBlock = (name: string, text: string): Markup =>
  h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    h("pre", { class: "summary" }, text),
  );

const stateText = ({ set }: SetReport): string =>
  [
    set.state,
    ...(set.why === null ? [] : [set.why]),
    ...(set.receipt === null ? [] : [`receipt ${set.receipt}`]),
  ].join(" · ");

/** What a task is for, and what the set was made of. */
function factsMarkup({ task, facts }: TaskReport, isNamed: boolean): Markup {
  const rows = factRows(facts);
  return h(
    "div",
    { class: "facts" },
    isNamed ? h("h2", {}, task.spec.name.slice(0, maxName)) : null,
    facts.description === null ? null : h("p", {}, facts.description.slice(0, maxWhy)),
    rows.length === 0
      ? null
      : h(
          "dl",
          {},
          ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text.slice(0, maxWhy))]),
        ),
  );
}

function gatesMarkup({ task, gates }: TaskReport): Markup | null {
  if (gates.length === 0) return null;
  return h(
    "section",
    {},
    h("h2", {}, `Gates of ${task.spec.name}`),
    ...gates.map((gate) =>
      h("p", { class: `gate gate-${gate.verdict}` }, h("b", {}, gate.text), ` ${gateOutcome(gate)}`),
    ),
  );
}

const plotOf = ({ title, svg, head, rows, note, lines = [] }: Plot): Markup =>
  h(
    "section",
    {},
    h("h2", {}, title.slice(0, maxName)),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title.slice(0, maxName) }, svg),
    note === undefined ? null : h("p", { class: "soft" }, note),
    lines.length === 0
      ? null
      : linesBlock(
          `${title.slice(0, maxName)}, in words`,
          lines.map((line) => line.slice(0, maxWhy)).join("\n"),
        ),
    h(
      "details",
      {},
      h("summary", {}, "as a table"),
      h(
        "div",
        { class: "scroll" },
        h(
          "table",
          {},
          h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
          h(
            "tbody",
            {},
            ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell.slice(0, maxName))))),
          ),
        ),
      ),
    ),
  );

function trialsOf(): Markup[] {
  const select = (id: string, what: string): Markup =>
    h("select", { id, "aria-label": what }, h("option", {}, `every ${what}`));
  return [
    h("h2", { id: "trials" }, "Trials"),
    h(
      "div",
      { class: "tools" },
      h("input", {
        id: "filter-text",
        type: "search",
        placeholder: "sample or reason (/)",
        "aria-label": "filter",
      }),
      select("filter-task", "task"),
      select("filter-variant", "variant"),
      select("filter-outcome", "outcome"),
      h("button", { id: "before", type: "button" }, "before"),
      h("button", { id: "after", type: "button" }, "after"),
      h("span", { id: "count", class: "soft", role: "status" }),
    ),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "trials" },
        h("thead", {}, h("tr", { id: "trial-head" })),
        h("tbody", { id: "trial-rows" }),
      ),
    ),
    h(
      "dialog",
      { id: "trial", "aria-label": "trial" },
      h(
        "div",
        { class: "tools" },
        h("button", { id: "close", type: "button", autofocus: true }, "close"),
        h("button", { id: "previous", type: "button" }, "previous (k)"),
        h("button", { id: "next", type: "button" }, "next (j)"),
        h("span", { id: "place", class: "soft", role: "status" }),
      ),
      h("div", { id: "trial-body" }),
    ),
  ];
}
