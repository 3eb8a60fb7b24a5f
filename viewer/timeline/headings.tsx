/** Headings of turns and loops, and the lines that end them. */
import { failedCallText, headOfText, type LogView, rolledUp } from "../../src/server/protocol/index.ts";
import { Gauge } from "../parts/gauge.tsx";
import { Icon } from "../parts/icon.tsx";
import { lookOf, Status, stateOfOpen } from "../parts/status.tsx";
import { oneLine, Safe } from "../parts/text.tsx";
import { clock, cost, count, duration, tokens } from "../text/format.ts";
import { latestLine, loopName } from "./describe.ts";
import type { LoopNode, TimelineTree, TurnNode } from "./tree.ts";

interface Folding {
  readonly isShut: boolean;
  readonly onFold: () => void;
}

const Fold = ({ isShut, onFold, of }: Folding & { readonly of: string }) => (
  <button
    type="button"
    class="fold"
    aria-expanded={!isShut}
    aria-label={`${isShut ? "Unfold" : "Fold"} ${of}`}
    onClick={onFold}
  >
    <Icon name={isShut ? "shut" : "open"} />
  </button>
);

export function TurnHeading({
  node,
  isShut,
  onFold,
  onFork,
}: Folding & { readonly node: TurnNode; readonly onFork: (() => void) | null }) {
  const { start, usage, end } = node;
  const calls = node.items.filter((item) => item.kind === "call").length;
  const model = usage?.data.model ?? start?.data.model ?? "";
  return (
    <div class="turn">
      <Fold isShut={isShut} onFold={onFold} of={`turn ${node.turn}`} />
      <span class="turn-name" role="heading" aria-level={3}>
        Turn {node.turn}
      </span>
      {isShut && calls > 0 ? <span class="soft">{count(calls, "call")}</span> : null}
      <span class="turn-rule" />
      {onFork === null || end === null ? null : (
        <button
          type="button"
          class="plain on-hover"
          title="Fork from here"
          aria-label={`Fork after turn ${node.turn}`}
          onClick={onFork}
        >
          <Icon name="fork" />
        </button>
      )}
      <span class="turn-facts">
        <span>{model}</span>
        {usage === null ? null : (
          <span
            title={`${usage.data.answer.input} tokens in, ${usage.data.answer.output} out, ${usage.data.answer.cached} from the cache`}
          >
            {tokens(usage.data.answer.input)} in, {tokens(usage.data.answer.output)} out
          </span>
        )}
        {usage === null ? null : <span>{cost(usage.data.answer.cost_usd)}</span>}
        {start === null ? null : (
          <span title={clock(start.at)}>{end === null ? clock(start.at) : duration(end.at - start.at)}</span>
        )}
      </span>
    </div>
  );
}

export function LoopHeading({
  node,
  view,
  tree,
  isShut,
  onFold,
}: Folding & { readonly node: LoopNode; readonly view: LogView; readonly tree: TimelineTree }) {
  const loop = view.loops[node.key];
  const end = node.end?.data ?? null;
  const open = stateOfOpen(view, node.key.slice(0, node.key.lastIndexOf("/")));
  const sum = rolledUp(view, node.key);
  const gauge = loop?.gauge ?? null;
  const state = end?.status ?? open;
  return (
    <div class="loop">
      <Fold isShut={isShut} onFold={onFold} of={loopName(node)} />
      <span class="loop-name">
        <Icon name="agent" /> <Safe text={loopName(node)} />
      </span>
      <span class="loop-task">
        <Safe
          text={
            end === null && open !== "interrupted"
              ? latestLine(view, tree, node.key)
              : oneLine(node.start === null ? "" : headOfText(node.start.data.task), 140)
          }
        />
      </span>
      <span class="line-side">
        {gauge === null || gauge.ratio === null ? null : <Gauge usage={gauge} compact />}
        <span>{count(loop?.turn ?? 0, "turn")}</span>
        <span>{tokens(sum.input + sum.output)} tokens</span>
        {sum.answers > 0 ? <span>{cost(sum.cost_usd)}</span> : null}
        {end === null ? null : <span>{duration(end.duration_ms)}</span>}
        <Status state={state} />
      </span>
    </div>
  );
}

export function LoopEnd({ node }: { readonly node: LoopNode }) {
  const end = node.end?.data;
  if (end === undefined) return null;
  const look = lookOf(end.status);
  return (
    <div>
      <div class="line end">
        <span class={`sign tone-${look.tone}`}>
          <Icon name={look.icon} />
        </span>
        <span class="line-head">
          <b>{look.word}</b>{" "}
          <span class="soft">
            {end.stop_reason === "" || end.stop_reason === end.status
              ? ""
              : `${end.stop_reason.replaceAll("_", " ")} · `}
            {count(end.turns, "turn")} · {duration(end.duration_ms)} · {cost(end.total.cost_usd)}
          </span>
        </span>
      </div>
      {end.error == null ? null : (
        <p class="loop-error">
          <Safe text={failedCallText(end.error)} />
        </p>
      )}
    </div>
  );
}
