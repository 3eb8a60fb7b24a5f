/** A tool call: one line; opened, what went in and what came out. */
import { headOfText, type LogView } from "../../src/server/protocol/index.ts";
import { Arguments } from "../parts/arguments.tsx";
import { Icon } from "../parts/icon.tsx";
import { lookOf, stateOfOpen } from "../parts/status.tsx";
import { briefArguments, oneLine, Pre, Safe } from "../parts/text.tsx";
import { LongText } from "../parts/whole-text.tsx";
import { duration } from "../text/format.ts";
import type { CallNode } from "./tree.ts";

export function CallRow({
  node,
  view,
  isOpen,
  onToggle,
  onFork,
}: {
  readonly node: CallNode;
  readonly view: LogView;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onFork: (() => void) | null;
}) {
  const { start, end } = node;
  const name = start?.data.name ?? end?.data.name ?? "tool";
  const state = end?.data.status ?? stateOfOpen(view, (start ?? end)?.run ?? "");
  const look = lookOf(state);
  const output = view.output[node.key] ?? "";
  const brief = start === null ? "" : briefArguments(start.data.arguments);
  return (
    <>
      <button type="button" class={`line call call-${state}`} aria-expanded={isOpen} onClick={onToggle}>
        <span class={`sign tone-${look.tone}`}>
          <Icon name={look.icon} spin={state === "running"} />
          <span class="unseen">{look.word}</span>
        </span>
        <span class="line-head">
          <span class="call-name">
            <Safe text={name} />
          </span>{" "}
          <span class="call-arguments">
            <Safe text={brief} />
          </span>
          {state === "error" || state === "rejected" ? (
            <span class={`call-why tone-${look.tone}`}>
              {" "}
              <Safe text={oneLine(end?.data.error ?? headOfText(end?.data.result ?? ""), 110)} />
            </span>
          ) : null}
          {state === "running" && output !== "" ? (
            <span class="soft">
              {" "}
              <Safe text={oneLine(output.slice(-120))} />
            </span>
          ) : null}
        </span>
        <span class="line-side">
          {end !== null && end.data.attempts > 1 ? `${end.data.attempts} attempts · ` : ""}
          {end?.data.gate ? `${end.data.gate} · ` : ""}
          {end === null ? look.word : duration(end.data.duration_ms)}
        </span>
      </button>
      {isOpen ? (
        <div class="opened">
          {start === null ? null : (
            <>
              <h4>Arguments</h4>
              <Arguments value={start.data.arguments} label={`Arguments of ${name}`} />
            </>
          )}
          {end === null && output !== "" ? (
            <>
              <h4>Output so far</h4>
              <Pre text={output} label={`Output of ${name}`} />
            </>
          ) : null}
          {end?.data.error ? (
            <>
              <h4>Error{end.data.category ? `: ${end.data.category.replaceAll("_", " ")}` : ""}</h4>
              <Pre text={end.data.error} label={`Error of ${name}`} />
            </>
          ) : null}
          {end === null || headOfText(end.data.result) === "" ? null : (
            <>
              <h4>Result</h4>
              <LongText text={end.data.result} label={`Result of ${name}`} />
            </>
          )}
          <p class="facts-line">
            <span>call {(start ?? end)?.call}</span>
            {start?.data.model_call_id ? <span>model's id {start.data.model_call_id}</span> : null}
            <span>event {(start ?? end)?.seq}</span>
            {onFork === null || end === null ? null : (
              <button type="button" class="plain" onClick={onFork}>
                <Icon name="fork" /> Fork from here
              </button>
            )}
          </p>
        </div>
      ) : null}
    </>
  );
}
