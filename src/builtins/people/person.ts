/**
 * Reaching a person. One request is one effect of class `human`: the journal keeps question and answer, a replay asks
 * nobody, and a recorded run that nobody can answer parks with it (`question`) until `harn hitl` or a server does.
 */
import { approvers } from "../../agent/index.ts";
import { showOneLine } from "../../diagnostics/index.ts";
import type { Host } from "../../host/index.ts";
import { isInputMocked, notifyPerson, type Runtime, stateKey, type Task } from "../../interp/index.ts";
import { Dict, display, encodeValue, List, type MaybePromise, type Value } from "../../values/index.ts";
import type { HumanRequest } from "./request.ts";
import { type HumanOutcome, outcomeShape } from "./responses.ts";

/** A request with at most this much time is waited for where it stands: parking is for longer. */
const waitedForMs = 60_000;

/** One question at a time: two at once on one terminal could not be told apart. */
const terminalLine = stateKey<{ last: Promise<unknown> }>("questions at the terminal", () => ({
  last: Promise.resolve(),
}));

/** Asks, and waits for what comes of it. */
export function askPerson(task: Task, request: HumanRequest): MaybePromise<HumanOutcome> {
  const shown = () => encodeValue(request.row);
  return task.perform<HumanOutcome>({
    effect: "human",
    kind: `hitl.${request.kind}`,
    args: shown,
    ...(request.limitMs > waitedForMs && !isDenied(task, request) ? { question: shown } : {}),
    run: (signal) => (isDenied(task, request) ? { kind: "denied" } : reach(task, request, signal)),
    result: outcomeShape,
  });
}

/** `--on-approval deny` is about decisions, not about questions. */
const isDenied = (task: Task, { kind }: HumanRequest): boolean =>
  task.runtime.state(approvers).denies && (kind === "approval" || kind === "dual_control");

async function reach(task: Task, request: HumanRequest, signal: AbortSignal): Promise<HumanOutcome> {
  const { host } = task.runtime;
  const left = request.dueMs - host.clock.now();
  if (left <= 0) return { kind: "timed_out" };
  if (host.isTty("stdin") && !isInputMocked(task.runtime)) {
    return askInTime(host, left, signal, (inner) =>
      inTurn(task, () => atTerminal(task.runtime, request, inner)),
    );
  }
  if (request.limitMs > waitedForMs) return { kind: "nobody" };
  await host.clock.sleep(left, signal);
  return { kind: "timed_out" };
}

function inTurn<T>(task: Task, ask: () => Promise<T>): Promise<T> {
  const line = task.runtime.state(terminalLine);
  const turn = line.last.then(ask, ask);
  line.last = turn.catch(() => {});
  return turn;
}

/** What comes first: the answer, the end of the time, or that nobody wants to know any more. */
async function askInTime(
  host: Host,
  ms: number,
  outer: AbortSignal,
  ask: (signal: AbortSignal) => Promise<HumanOutcome>,
): Promise<HumanOutcome> {
  const over = new AbortController();
  const signal = AbortSignal.any([outer, over.signal]);
  const late = host.clock.sleep(ms, signal).then((): HumanOutcome => ({ kind: "timed_out" }));
  const asked = ask(signal);
  try {
    return await Promise.race([asked, late]);
  } finally {
    over.abort();
    for (const one of [asked, late]) one.catch(() => {});
  }
}

async function atTerminal(
  runtime: Runtime,
  request: HumanRequest,
  signal: AbortSignal,
): Promise<HumanOutcome> {
  signal.throwIfAborted();
  const { host } = runtime;
  const read = async (label: string): Promise<string | undefined> => {
    notifyPerson(runtime, `  ${label} `);
    return (await host.readLine(signal))?.trim();
  };
  notifyPerson(runtime, `\n${requestHeading(request)}\n${details(request.row)}`);
  const typed = request.kind === "question" ? await read(">") : await decision(host, request, read);
  return typed === undefined ? { kind: "nobody" } : { kind: "answered", answers: [typed] };
}

const headings: Readonly<Record<HumanRequest["kind"], string>> = {
  question: "Question",
  approval: "Approval needed",
  dual_control: "Approval of several people needed",
  escalation: "Escalation",
};

const requestHeading = (request: HumanRequest): string =>
  `${headings[request.kind]}: ${request.prompt.replaceAll("\n", "\n    ")}`;

/** What else the program says about it, a line each. */
function details(row: Dict): string {
  const metadata = row.get("metadata");
  const problem = row.get("problem") ?? null;
  const lines = metadata instanceof Dict ? [...metadata.entries()] : [];
  if (problem !== null) lines.unshift(["problem", problem]);
  return lines
    .filter(([key, value]) => !(key === "quorum" && value === 1))
    .filter(
      ([, value]) =>
        !(value instanceof Dict && value.size === 0) && !(value instanceof List && value.length === 0),
    )
    .map(([key, value]) => `  ${showOneLine(`${key}: ${display(value)}`)}\n`)
    .join("");
}

/** Yes, or no with a reason; and who says so, when it matters. `undefined` at the end of input. */
async function decision(
  host: Host,
  request: HumanRequest,
  read: (label: string) => Promise<string | undefined>,
): Promise<Value | undefined> {
  const named = request.approvers.length > 0;
  const line = await read(
    request.kind === "escalation" ? "Take it on? [y]es, [n]o:" : "Approve? [y]es, [n]o:",
  );
  if (line === undefined) return undefined;
  const approved = /^y(es)?$/i.test(line);
  const reviewer = named ? await read(`Your name (${request.approvers.join(", ")}):`) : undefined;
  const reason = approved ? "" : ((await read("Reason:")) ?? "");
  return Dict.of({
    approved,
    reviewer: reviewer === undefined || reviewer === "" ? host.userName : reviewer,
    reason: reason === "" ? null : reason,
  });
}
