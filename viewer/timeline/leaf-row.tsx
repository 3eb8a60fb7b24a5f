/** Rows of what is neither turn, call nor loop. */
import type { ComponentChildren } from "preact";
import type { DurableEnvelope, LogView } from "../../src/server/protocol/index.ts";
import { headOfText } from "../../src/server/protocol/index.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { jsonText, oneLine, Pre, Safe } from "../parts/text.tsx";
import { LongMarkdown, LongText } from "../parts/whole-text.tsx";
import { bytes, clock, duration, tokens } from "../text/format.ts";

export interface LeafProps {
  readonly event: DurableEnvelope;
  readonly view: LogView;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One line with a sign; opened, what stands behind it. */
export function Line({
  icon,
  tone,
  isOpen,
  onToggle,
  head,
  side,
  children,
}: {
  readonly icon: IconName;
  readonly tone?: "good" | "bad" | "warn" | "busy" | "quiet";
  readonly isOpen?: boolean;
  readonly onToggle?: () => void;
  readonly head: ComponentChildren;
  readonly side?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const line = (
    <>
      <span class={`sign tone-${tone ?? "quiet"}`}>
        <Icon name={icon} />
      </span>
      <span class="line-head">{head}</span>
      {side === undefined ? null : <span class="line-side">{side}</span>}
    </>
  );
  if (onToggle === undefined || children === undefined) return <div class="line">{line}</div>;
  return (
    <>
      <button type="button" class="line" aria-expanded={isOpen === true} onClick={onToggle}>
        {line}
      </button>
      {isOpen ? <div class="opened">{children}</div> : null}
    </>
  );
}

export function LeafRow({ event, view, isOpen, onToggle }: LeafProps) {
  switch (event.type) {
    case "message.queued":
      return (
        <div class="said">
          <div class="said-by">
            <Icon name="person" /> <Safe text={event.data.by} /> <span class="soft">{clock(event.at)}</span>
            {view.queued.some((one) => one.message === event.data.message) ? (
              <span class="chip">{deliveryWords[event.data.delivery] ?? event.data.delivery}</span>
            ) : null}
          </div>
          <LongMarkdown text={event.data.text} />
          {event.data.attachments.length > 0 ? (
            <p class="soft small">{event.data.attachments.length} attached</p>
          ) : null}
        </div>
      );
    case "message.end":
      return <LongMarkdown text={event.data.text} />;
    case "thought.end":
      return (
        <Line
          icon="thought"
          isOpen={isOpen}
          onToggle={onToggle}
          head={
            <span class="soft">
              Thought: <Safe text={oneLine(headOfText(event.data.text), 110)} />
            </span>
          }
        >
          <LongText text={event.data.text} label="Thought" />
        </Line>
      );
    case "context.compacted":
      return <Compaction event={event} isOpen={isOpen} onToggle={onToggle} />;
    case "mode.changed":
      return (
        <Line
          icon="mode"
          tone="busy"
          head={
            <>
              Mode <b>{event.data.from ?? "none"}</b> → <b>{event.data.to}</b> by{" "}
              <Safe text={event.data.by} />
            </>
          }
        />
      );
    case "doom.detected":
      return (
        <Line
          icon="doom"
          tone="warn"
          isOpen={isOpen}
          onToggle={onToggle}
          head={
            <>
              <b>{event.data.pattern === "repeat" ? "The same call again and again" : "Calls in a circle"}</b>{" "}
              <span class="soft">
                strike {event.data.strike}, {doomWords[event.data.action] ?? event.data.action}
              </span>
            </>
          }
        >
          <Pre text={event.data.calls.join("\n")} label="Calls" />
        </Line>
      );
    case "decision":
      return (
        <Line
          icon="decision"
          isOpen={isOpen}
          onToggle={onToggle}
          head={
            <>
              {event.data.about}: <b>{event.data.verdict}</b>{" "}
              <span class="soft">
                <Safe text={oneLine(event.data.why, 110)} />
              </span>
            </>
          }
        >
          <DecisionFacts event={event} />
        </Line>
      );
    case "question.asked":
      return <QuestionLine event={event} view={view} isOpen={isOpen} onToggle={onToggle} />;
    case "file.changed":
      return (
        <Line
          icon="file"
          head={
            <>
              {event.data.change}{" "}
              <code>
                <Safe text={event.data.path} />
              </code>
            </>
          }
          side={event.data.bytes === null ? undefined : bytes(event.data.bytes)}
        />
      );
    case "plan.changed":
      return (
        <Line icon="plan" tone="busy" isOpen={isOpen} onToggle={onToggle} head={<b>Plan changed</b>}>
          {event.data.text == null ? (
            <Pre text={jsonText(event.data.entries)} label="Plan" />
          ) : (
            <LongMarkdown text={event.data.text} />
          )}
        </Line>
      );
    case "paper.changed":
      return (
        <Line
          icon="paper"
          tone="busy"
          head={
            <>
              Paper: {event.data.op.replaceAll("_", " ")}{" "}
              <span class="soft">version {event.data.version}</span>
            </>
          }
          side={<a href={`/p/${encodeURIComponent(event.data.project)}`}>open</a>}
        />
      );
    case "retry":
      return (
        <Line
          icon="retry"
          tone="warn"
          head={
            <>
              {event.data.what === "model" ? "Model call" : "Tool"} tried again{" "}
              <span class="soft">
                attempt {event.data.attempt}, after {duration(event.data.delay_ms)}:{" "}
                <Safe text={oneLine(event.data.reason, 110)} />
              </span>
            </>
          }
        />
      );
    case "notice":
      return (
        <Line
          icon="warning"
          tone={event.data.level === "error" ? "bad" : "warn"}
          isOpen={isOpen}
          onToggle={onToggle}
          head={
            <>
              {event.data.level}: <Safe text={oneLine(event.data.text)} />
            </>
          }
        >
          <Pre text={event.data.text} label="Notice" />
        </Line>
      );
    case "run.resumed":
      return (
        <Line
          icon="retry"
          tone="busy"
          head={<>Resumed {resumeWords[event.data.because] ?? ""}</>}
          side={clock(event.at)}
        />
      );
    case "run.interrupted":
      return (
        <Line
          icon="stop"
          tone="warn"
          head={
            <>
              <b>Interrupted</b> by <Safe text={event.data.by} />{" "}
              <span class="soft">after {duration(event.data.ms)}</span>
              {event.data.reason === null ? null : (
                <>
                  : <Safe text={event.data.reason} />
                </>
              )}
            </>
          }
          side={clock(event.at)}
        />
      );
    case "run.end":
      return (
        <Line
          icon={event.data.status === "failed" ? "error" : "question"}
          tone={event.data.status === "failed" ? "bad" : "warn"}
          isOpen={isOpen}
          onToggle={onToggle}
          head={
            <>
              <b>{event.data.status === "failed" ? "The run failed" : "The run waits for an answer"}</b>{" "}
              {event.data.error === null ? null : <Safe text={oneLine(event.data.error)} />}
            </>
          }
          side={
            event.data.status !== "failed" || event.data.exit_code === null
              ? clock(event.at)
              : `exit ${event.data.exit_code}`
          }
        >
          {event.data.error === null ? undefined : <Pre text={event.data.error} label="Error" />}
        </Line>
      );
    default:
      return (
        <Line
          icon="thought"
          isOpen={isOpen}
          onToggle={onToggle}
          head={<span class="soft">{event.type === "trace" ? event.data.name : event.type}</span>}
        >
          <Pre text={JSON.stringify(event.data, null, 2)} label="Event" />
        </Line>
      );
  }
}

export const deliveryWords: Readonly<Record<string, string>> = {
  queue: "after this run",
  step: "at the next model call",
  now: "now",
};
const doomWords: Readonly<Record<string, string>> = {
  correct: "told to stop it",
  block: "blocked",
  stop: "ended",
};
const resumeWords: Readonly<Record<string, string>> = {
  crash: "after a crash",
  answer: "with an answer",
  asked: "because somebody asked",
};

function Compaction({
  event,
  isOpen,
  onToggle,
}: {
  readonly event: DurableEnvelope<"context.compacted">;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  // A log of an older version has no `cut`.
  const { archived, before, after, strategy, reason, summary, pinned, kept, cut = [] } = event.data;
  return (
    <div class="compaction">
      <button type="button" class="line" aria-expanded={isOpen} onClick={onToggle}>
        <span class="sign tone-busy">
          <Icon name="compaction" />
        </span>
        <span class="line-head">
          <b>{archived} messages → summary</b>, {tokens(before)} → {tokens(after)} tokens
        </span>
        <span class="line-side">{strategy}</span>
      </button>
      <span class="compaction-bar" aria-hidden="true">
        <span style={{ width: `${before <= 0 ? 0 : Math.min(100, (after / before) * 100)}%` }} />
      </span>
      {isOpen ? (
        <div class="opened">
          <p class="soft small">
            Because of {reason.replaceAll("_", " ")}
            {kept == null ? "" : `; ${kept} messages stayed as they are`}
            {pinned.length > 0 ? `; carried over: ${pinned.join(", ")}` : ""}
            {cut.length > 0 ? `; of the last messages ${cut.length} did not fit whole` : ""}.
          </p>
          {headOfText(summary) === "" ? null : <LongMarkdown text={summary} />}
        </div>
      ) : null}
    </div>
  );
}

export const DecisionFacts = ({ event }: { readonly event: DurableEnvelope<"decision"> }) => (
  <>
    <p>
      <Safe text={event.data.why} /> <span class="soft">by {event.data.by}</span>
    </p>
    {event.data.considered.length === 0 ? null : (
      <table class="facts">
        <tbody>
          {event.data.considered.map((one, at) => (
            <tr key={at}>
              <th scope="row">{one.layer}</th>
              <td>
                <Safe text={one.said} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </>
);

function QuestionLine({
  event,
  view,
  isOpen,
  onToggle,
}: {
  readonly event: DurableEnvelope<"question.asked">;
  readonly view: LogView;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const question = view.questions[event.data.question];
  const state = question?.state ?? "open";
  const { kind, tool, prompt } = event.data;
  return (
    <Line
      icon="question"
      tone={state === "open" ? "warn" : "quiet"}
      isOpen={isOpen}
      onToggle={onToggle}
      head={
        <>
          <b>{tool === null ? (kind === "plan" ? "Plan to approve" : "Question") : `May ${tool} run?`}</b>{" "}
          <Safe text={oneLine(prompt, 110)} />
        </>
      }
      side={
        <span class={state === "open" ? "chip warn" : "chip"}>
          {answerWords(state, question?.answer ?? null)}
        </span>
      }
    >
      <p>
        <Safe text={prompt} />
      </p>
      {event.data.arguments === null ? null : <Pre text={jsonText(event.data.arguments)} label="Arguments" />}
      {state === "answered" ? (
        <>
          <p class="soft small">Answered by {question?.by ?? "somebody"}:</p>
          <Pre text={jsonText(question?.answer ?? null)} label="Answer" />
        </>
      ) : null}
    </Line>
  );
}

function answerWords(state: string, answer: unknown): string {
  if (state !== "answered") return state;
  const decision = (answer as { decision?: unknown } | null)?.decision;
  if (decision === "approve") return "approved";
  if (decision === "deny") return "denied";
  return "answered";
}
