/** A set as JUnit XML: a suite for each task and variant, a case for each sample, a suite `gates`. */

import { xmlAttribute, xmlText } from "../../../values/index.ts";
import { mean } from "../../stats/index.ts";
import { trialsBySample } from "../metrics/selection.ts";
import type { RecordedTask, RecordedTrial } from "../recorded-set.ts";
import type { SetReport } from "../set-report.ts";
import { gateOutcome } from "../text/summary.ts";
import { failingScorers, successOf } from "../trial-facts.ts";

type JunitVerdict = "passed" | "failure" | "error" | "skipped";

interface Case {
  readonly name: string;
  readonly seconds: number;
  readonly verdict: JunitVerdict;
  readonly message: string;
  readonly detail: string;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Long reasons are cut: build servers keep these files for years. */
const maxDetail = 20_000;

export function setAsJunit(report: SetReport, strict = false): string {
  const suites = [
    ...report.tasks.flatMap(({ task }) => task.spec.variants.map(({ name }) => variantSuite(task, name))),
    gateSuite(report, strict),
  ].filter(({ cases }) => cases.length > 0);
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="${xmlAttribute(report.set.name)}" ${junitCounts(all)}>\n`,
    ...suites.map(suiteXml),
    "</testsuites>\n",
  ].join("");
}

function variantSuite(task: RecordedTask, variant: string): Suite {
  const isOnly = task.spec.variants.length === 1 && variant === "default";
  return {
    name: isOnly ? task.spec.name : `${task.spec.name}/${variant}`,
    cases: trialsBySample(task, { variant, group: null })
      .filter(({ trials }) => trials.length > 0)
      .map(({ sample, trials }) => sampleCase(sample.id, task, trials)),
  };
}

function sampleCase(name: string, task: RecordedTask, trials: readonly RecordedTrial[]): Case {
  const seconds = trials.reduce((sum, { workingMs }) => sum + workingMs, 0) / 1000;
  const errors = trials.filter(({ state }) => state === "errored");
  if (errors.length === trials.length) {
    const texts = errors.map(({ epoch, error }) => `epoch ${epoch}: ${error?.message ?? "it errored"}`);
    return {
      name,
      seconds,
      verdict: "error",
      message: errors[0]?.error?.message ?? "",
      detail: texts.join("\n"),
    };
  }
  const successes = trials.flatMap((trial) => successOf(trial, task.spec) ?? []);
  if (successes.length === 0) {
    return { name, seconds, verdict: "skipped", message: "unscored", detail: "" };
  }
  const share = mean(successes);
  if (share >= 0.5) return { name, seconds, verdict: "passed", message: "", detail: "" };
  const failed = trials.filter((trial) => successOf(trial, task.spec) === 0);
  const scorers = [...new Set(failed.flatMap((trial) => failingScorers(trial, task.spec)))];
  return {
    name,
    seconds,
    verdict: "failure",
    message: `${successes.length - failed.length} of ${successes.length} succeeded; failed: ${scorers.join(", ")}`,
    detail: failed.flatMap((trial) => failureTexts(trial, task)).join("\n"),
  };
}

function failureTexts(trial: RecordedTrial, task: RecordedTask): string[] {
  return failingScorers(trial, task.spec).map((scorer) => {
    const why = trial.scores.find((score) => score.scorer === scorer && score.pass === false)?.why;
    return `epoch ${trial.epoch}: ${scorer}${why === null || why === undefined ? "" : `: ${why}`}`;
  });
}

function gateSuite({ tasks }: SetReport, strict: boolean): Suite {
  return {
    name: "gates",
    cases: tasks.flatMap(({ task, gates }) =>
      gates.map((gate): Case => {
        const isFailed = gate.verdict === "fail" || (strict && gate.verdict === "unclear");
        return {
          name: tasks.length > 1 ? `${task.spec.name}: ${gate.text}` : gate.text,
          seconds: 0,
          verdict: isFailed ? "failure" : gate.verdict === "unclear" ? "skipped" : "passed",
          message: gate.verdict === "pass" ? "" : gateOutcome(gate),
          detail: "",
        };
      }),
    ),
  };
}

function junitCounts(cases: readonly Case[]): string {
  const count = (verdict: JunitVerdict): number => cases.filter((one) => one.verdict === verdict).length;
  return `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function suiteXml({ name, cases }: Suite): string {
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  const body = cases.map((one) => caseXml(one, name)).join("");
  return `  <testsuite name="${xmlAttribute(name)}" ${junitCounts(cases)} time="${time}">\n${body}  </testsuite>\n`;
}

function caseXml({ name, seconds, verdict, message, detail }: Case, suite: string): string {
  const head = `    <testcase classname="${xmlAttribute(suite)}" name="${xmlAttribute(name)}" time="${seconds.toFixed(3)}"`;
  if (verdict === "passed") return `${head}/>\n`;
  const said = ` message="${xmlAttribute(message.slice(0, maxDetail))}"`;
  const inside = xmlText(detail.slice(0, maxDetail));
  const fault = inside === "" ? `<${verdict}${said}/>` : `<${verdict}${said}>${inside}</${verdict}>`;
  return `${head}>\n      ${fault}\n    </testcase>\n`;
}
