/** A conversation, a run, or a report: header, tabs, composer. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import {
  awaitsOnlyPeople,
  type LogView,
  lastOutcome,
  type Mode,
  openQuestions,
} from "../../src/server/protocol/index.ts";
import { useKeys } from "../keys.ts";
import { LogStore, useLog } from "../log/log-store.ts";
import type { LogSource } from "../log/source.ts";
import { client, HarnProblem, untilReceived } from "../net/api.ts";
import { say, sayNow } from "../parts/announcements.tsx";
import { Composer } from "../parts/composer.tsx";
import { Failure } from "../parts/failure.tsx";
import { ForkDialog } from "../parts/fork-dialog.tsx";
import { Gauge } from "../parts/gauge.tsx";
import { Icon } from "../parts/icon.tsx";
import { NotHere } from "../parts/not-here.tsx";
import { QuestionCard } from "../parts/question-card.tsx";
import { Scrubber } from "../parts/scrubber.tsx";
import { lookOf, Status } from "../parts/status.tsx";
import { oneLine, Safe } from "../parts/text.tsx";
import { LongTexts } from "../parts/whole-text.tsx";
import { place, setQuery } from "../router.ts";
import { mayWrite } from "../session.ts";
import { DetailsTab } from "../tabs/details-tab.tsx";
import { FilesTab } from "../tabs/files-tab.tsx";
import { PapersOfLog } from "../tabs/papers-of-log.tsx";
import { TreeTab } from "../tabs/tree-tab.tsx";
import { WhyTab } from "../tabs/why-tab.tsx";
import { cost, count, duration, tokens } from "../text/format.ts";
import { Timeline } from "../timeline/timeline.tsx";

const tabs = ["timeline", "tree", "files", "paper", "why", "details"] as const;
type Tab = (typeof tabs)[number];
const tabWords: Readonly<Record<Tab, string>> = {
  timeline: "Timeline",
  tree: "Tree",
  files: "Files",
  paper: "Paper",
  why: "Why",
  details: "Details",
};

const isRunning = (view: LogView, kind: LogSource["kind"]): boolean =>
  kind === "conversation"
    ? view.state === "processing" ||
      view.state === "queued" ||
      (view.state === "waiting" && view.interrupt?.done === null)
    : Object.values(view.runs).some((run) => run.ended === null);

export function LogPage({ source, title }: { readonly source: LogSource; readonly title?: string }) {
  const log = useMemo(() => new LogStore(source), [source]);
  useEffect(() => {
    void log.open();
    return () => log.close();
  }, [log]);
  useLog(log);
  const texts = useMemo(() => {
    const { ref } = source;
    return ref === null ? null : (text: string) => client.blob(ref, text);
  }, [source]);
  const forkAt = useSignal<number | null>(null);
  const asked = place.value.query.get("tab");
  const available = tabs.filter(
    (tab) => tab !== "paper" || Object.keys(log.headView.papers).length > 0 || source.kind === "conversation",
  );
  const tab: Tab = available.find((one) => one === asked) ?? "timeline";
  const show = (next: Tab): void => setQuery("tab", next === "timeline" ? null : next);
  useKeys({
    ...Object.fromEntries(available.map((one, at) => [String(at + 1), () => show(one)])),
    "Ctrl+.": () => void stop(log),
  });
  const view = log.headView;
  const untitled = source.kind !== "conversation" ? source.id : log.isUnknown ? "Loading …" : "Untitled";
  const name = title ?? (view.title || untitled);
  const failure = log.failure.value;
  const isNowhere = failure?.status === 404 && log.all.length === 0;
  useEffect(() => {
    if (!isNowhere) document.title = `${name} · Harn`;
  }, [name, isNowhere]);
  useAnnouncements(view, source.kind);
  if (failure !== null && log.all.length === 0)
    return (
      <main class="page">
        {isNowhere ? (
          <NotHere what={source.kind} />
        ) : (
          <>
            <Failure error={failure} />
            <p>
              <a href="/">All conversations</a>
            </p>
          </>
        )}
      </main>
    );
  // A run that works for no conversation is forked in a terminal.
  const mayFork = source.kind !== "report" && mayWrite.value && (log.all[0]?.conversation ?? null) !== null;
  const onFork = mayFork ? (seq: number) => (forkAt.value = seq) : null;
  const questions = log.at.value === null ? openQuestions(view) : [];
  return (
    <LongTexts.Provider value={texts}>
      <main class="page log-page">
        <Header log={log} title={name} />
        <div
          class="tabs"
          role="tablist"
          aria-label="Parts of this page"
          onKeyDown={(event) => tabKeys(event, available, tab, show)}
        >
          {available.map((one) => (
            <button
              key={one}
              id={`tab-${one}`}
              type="button"
              role="tab"
              aria-selected={one === tab}
              aria-controls="tab-panel"
              tabIndex={one === tab ? 0 : -1}
              onClick={() => show(one)}
            >
              {tabWords[one]}
              {one === "files" && Object.keys(view.files).length > 0 ? (
                <span class="count">{Object.keys(view.files).length}</span>
              ) : null}
            </button>
          ))}
        </div>
        <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <Panel tab={tab} log={log} onFork={onFork} />
        </div>
        <div class="dock">
          {questions.length === 0 ? null : (
            <div class="asked">
              {questions.map((question) => (
                <QuestionCard
                  key={question.id}
                  question={question}
                  plan={view.plan?.text ?? null}
                  canAnswer={source.kind !== "report" && mayWrite.value}
                />
              ))}
            </div>
          )}
          <Scrubber log={log} onFork={onFork} />
          {source.kind === "conversation" && mayWrite.value && log.at.value === null ? (
            <Composer log={log} isBusy={isRunning(view, source.kind)} />
          ) : null}
        </div>
        {forkAt.value === null ? null : (
          <ForkDialog log={log} seq={forkAt.value} onClose={() => (forkAt.value = null)} />
        )}
      </main>
    </LongTexts.Provider>
  );
}

function Panel({
  tab,
  log,
  onFork,
}: {
  readonly tab: Tab;
  readonly log: LogStore;
  readonly onFork: ((seq: number) => void) | null;
}): ComponentChildren {
  switch (tab) {
    case "timeline":
      return <Timeline log={log} onFork={onFork} />;
    case "tree":
      return <TreeTab log={log} />;
    case "files":
      return <FilesTab log={log} />;
    case "paper":
      return <PapersOfLog log={log} />;
    case "why":
      return <WhyTab log={log} />;
    case "details":
      return <DetailsTab log={log} />;
  }
}

function tabKeys(event: KeyboardEvent, available: readonly Tab[], tab: Tab, show: (tab: Tab) => void): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  event.stopPropagation();
  const next = available[(available.indexOf(tab) + by + available.length) % available.length] as Tab;
  show(next);
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
}

function Header({ log, title }: { readonly log: LogStore; readonly title: string }) {
  useLog(log);
  const { source } = log;
  const view = log.view;
  const running = isRunning(log.headView, source.kind);
  const last = Object.values(view.runs).at(-1);
  const state =
    lastOutcome(view) ??
    (source.kind === "conversation"
      ? view.state === "processing" && awaitsOnlyPeople(view)
        ? "waiting"
        : view.state
      : (last?.status ?? (log.last === 0 ? "queued" : running ? "running" : "done")));
  const bad = lastOutcome(view) === null ? null : (last?.error ?? null);
  const why = view.state === "paused" ? view.why : bad;
  const yolo = view.config.yolo_mode === true;
  return (
    <header class="page-head">
      <div class="head-row">
        <a class="back" href="/" aria-label="All conversations">
          <Icon name="left" />
        </a>
        <Title log={log} title={title} />
        {log.isUnknown ? null : <Status state={state} />}
        {yolo ? <span class="chip bad">no approvals are asked</span> : null}
        <span class="grow" />
        {source.kind === "conversation" && view.mode !== null ? <ModeSwitch log={log} /> : null}
        <StopButton log={log} running={running} />
      </div>
      <div class={`head-row facts-line${log.isUnknown ? " unknown" : ""}`}>
        {why === null ? null : (
          <span class={bad === null ? "tone-warn" : "tone-bad"} title={why}>
            <Safe text={oneLine(why, 200)} />
          </span>
        )}
        {view.agent === null ? null : <span>{view.agent}</span>}
        {view.gauge === null ? null : <Gauge usage={view.gauge} />}
        <span title="Tokens in and out">{tokens(view.totals.input + view.totals.output)} tokens</span>
        {view.totals.answers > 0 ? <span>{cost(view.totals.cost_usd)}</span> : null}
        <span>{count(view.turns, "turn")}</span>
        {view.compactions > 0 ? <span>{view.compactions} compacted</span> : null}
        {view.forked_from === null ? null : (
          <a href={`/c/${encodeURIComponent(view.forked_from)}`}>forked from another</a>
        )}
      </div>
    </header>
  );
}

function Title({ log, title }: { readonly log: LogStore; readonly title: string }) {
  const edits = useSignal(false);
  const text = useSignal(title);
  const canEdit = log.source.kind === "conversation" && mayWrite.value;
  const done = async (): Promise<void> => {
    edits.value = false;
    const next = text.value.trim();
    if (next === "" || next === title) return;
    try {
      await client.changeConversation(log.source.id, { title: next.slice(0, 200) });
    } catch (error) {
      sayNow((error as Error).message);
    }
  };
  if (!edits.value)
    return (
      <>
        <h1>
          <Safe text={title} />
        </h1>
        {canEdit ? (
          <button
            type="button"
            class="plain on-hover rename"
            onClick={() => {
              text.value = title;
              edits.value = true;
            }}
          >
            Rename
          </button>
        ) : null}
      </>
    );
  return (
    <input
      class="title-input"
      aria-label="Title"
      maxLength={200}
      value={text.value}
      ref={(element) => element?.focus()}
      onInput={(event) => (text.value = event.currentTarget.value)}
      onBlur={() => void done()}
      onKeyDown={(event) => {
        if (event.key === "Enter") void done();
        else if (event.key === "Escape") edits.value = false;
      }}
    />
  );
}

const modes: readonly Mode[] = ["plan", "execute"];

function ModeSwitch({ log }: { readonly log: LogStore }) {
  useLog(log);
  const failure = useSignal<string | null>(null);
  const { mode } = log.view;
  const set = async (next: Mode): Promise<void> => {
    try {
      await client.changeConversation(log.source.id, { mode: next });
      failure.value = null;
    } catch (error) {
      failure.value = (error as Error).message;
    }
  };
  return (
    <>
      {failure.value === null ? null : (
        <span class="failure" role="alert">
          <Safe text={failure.value} />
        </span>
      )}
      <fieldset class="switch" title="What the agent may do">
        <legend class="unseen">Mode</legend>
        {modes.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={mode === one}
            disabled={!mayWrite.value || log.at.value !== null}
            onClick={() => void set(one)}
          >
            {one}
          </button>
        ))}
      </fieldset>
    </>
  );
}

const stopping = new WeakSet<LogStore>();

/** Asks until the server has heard it, or the run is over by itself. */
async function stop(log: LogStore): Promise<void> {
  const { ref, kind } = log.source;
  if (ref === null || stopping.has(log) || !isRunning(log.headView, kind)) return;
  stopping.add(log);
  log.version.value += 1;
  try {
    await untilReceived(
      (sent) => client.interrupt(ref, undefined, sent),
      () => isRunning(log.headView, kind),
    );
  } catch (error) {
    sayNow((error as Error).message);
  } finally {
    stopping.delete(log);
    log.version.value += 1;
  }
}

/** What somebody may ask to go on. */
const resumable: ReadonlySet<string> = new Set(["interrupted", "paused", "failed"]);

function StopButton({ log, running }: { readonly log: LogStore; readonly running: boolean }) {
  useLog(log);
  const view = log.headView;
  const failure = useSignal<string | null>(null);
  const { id, kind } = log.source;
  if (kind === "report" || !mayWrite.value) return null;
  const isStopping = stopping.has(log) || (view.interrupt !== null && view.interrupt.done === null);
  if (running)
    return (
      <button type="button" class="stop" aria-busy={isStopping} onClick={() => void stop(log)} title="Ctrl+.">
        <Icon name="stop" /> {isStopping ? "Stopping …" : "Stop"}
      </button>
    );
  if (kind !== "conversation" || !resumable.has(view.state)) return null;
  const resume = async (): Promise<void> => {
    try {
      await client.resume(id);
      failure.value = null;
    } catch (error) {
      failure.value = error instanceof HarnProblem ? error.message : String(error);
    }
  };
  return (
    <>
      {view.interrupt?.done ? <span class="soft">stopped in {duration(view.interrupt.done.ms)}</span> : null}
      {failure.value === null ? null : (
        <span class="failure" role="alert">
          <Safe text={failure.value} />
        </span>
      )}
      <button type="button" onClick={() => void resume()}>
        Resume
      </button>
    </>
  );
}

function useAnnouncements(view: LogView, kind: LogSource["kind"]): void {
  const { state, interrupt } = view;
  const open = openQuestions(view).length;
  useEffect(() => {
    if (kind === "conversation" && view.seq > 0) say(`The conversation is ${lookOf(state).word}.`);
  }, [state, kind, view.seq > 0]);
  useEffect(() => {
    if (open > 0) sayNow(open === 1 ? "A question waits for you." : `${open} questions wait for you.`);
  }, [open]);
  const doneAt = interrupt?.done?.at;
  useEffect(() => {
    if (doneAt !== undefined && Date.now() - doneAt < 10_000) sayNow("Interrupted.");
  }, [doneAt]);
}
