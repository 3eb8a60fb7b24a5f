/** Conversations, and all runs: searched, filtered, kept where they are while somebody points at them or has the focus in them. */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  type ConversationSummary,
  conversationStateNames,
  type RunSummary,
} from "../../src/server/protocol/index.ts";
import { useKeys } from "../keys.ts";
import { client } from "../net/api.ts";
import { follow } from "../net/live.ts";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";
import { oneLine, Safe } from "../parts/text.tsx";
import { info } from "../session.ts";
import { age, cost, count, percent } from "../text/format.ts";

/** Known conversations by id; changed by the stream. */
const known = signal<ReadonlyMap<string, ConversationSummary>>(new Map());

/** An answer may be older than what the stream has told meanwhile. */
function learn(items: readonly ConversationSummary[]): void {
  const next = new Map(known.peek());
  for (const item of items) if ((next.get(item.id)?.changed ?? 0) <= item.changed) next.set(item.id, item);
  known.value = next;
}

export function Sidebar({ current }: { readonly current: string }) {
  const list = useSignal<"conversations" | "runs">(current.startsWith("/r/") ? "runs" : "conversations");
  const query = useSignal("");
  const state = useSignal("");
  const agent = useSignal("");
  const search = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => search.current?.focus() });
  return (
    <nav class="sidebar" aria-label="Conversations and runs">
      <div class="sidebar-head">
        <a class="brand" href="/">
          Harn
        </a>
        <span class="grow" />
        <a class="icon-link" href="/papers" title="Papers">
          <Icon name="paper" />
          <span class="unseen">Papers</span>
        </a>
        <a class="icon-link" href="/settings" title="Settings">
          <Icon name="gear" />
          <span class="unseen">Settings</span>
        </a>
      </div>
      {(info.value?.agents.length ?? 0) > 0 ? (
        <a class="button primary new" href="/new">
          <Icon name="plus" /> New conversation
        </a>
      ) : null}
      <fieldset class="switch wide">
        <legend class="unseen">List</legend>
        <button
          type="button"
          aria-pressed={list.value === "conversations"}
          onClick={() => (list.value = "conversations")}
        >
          Conversations
        </button>
        <button type="button" aria-pressed={list.value === "runs"} onClick={() => (list.value = "runs")}>
          Runs
        </button>
      </fieldset>
      {list.value === "runs" ? (
        <RunList current={current} />
      ) : (
        <>
          <div class="search">
            <Icon name="search" />
            <input
              ref={search}
              type="search"
              placeholder="Search"
              aria-label="Search conversations"
              maxLength={200}
              value={query.value}
              onInput={(event) => (query.value = event.currentTarget.value)}
            />
          </div>
          <div class="filters">
            <select
              aria-label="State"
              value={state.value}
              onChange={(event) => (state.value = event.currentTarget.value)}
            >
              <option value="">any state</option>
              {conversationStateNames.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
            {(info.value?.agents.length ?? 0) > 1 ? (
              <select
                aria-label="Agent"
                value={agent.value}
                onChange={(event) => (agent.value = event.currentTarget.value)}
              >
                <option value="">any agent</option>
                {info.value?.agents.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.title}
                  </option>
                ))}
              </select>
            ) : null}
          </div>
          <ConversationList current={current} query={query.value} state={state.value} agent={agent.value} />
        </>
      )}
    </nav>
  );
}

function ConversationList({
  current,
  query,
  state,
  agent,
}: {
  readonly current: string;
  readonly query: string;
  readonly state: string;
  readonly agent: string;
}) {
  const found = useSignal<readonly string[] | null>(null);
  const next = useSignal<string | null>(null);
  const failure = useSignal<unknown>(null);
  const pointed = useRef(false);
  const order = useRef<readonly string[]>([]);
  const filters = {
    ...(query.trim() === "" ? {} : { q: query.trim() }),
    ...(state === "" ? {} : { state }),
    ...(agent === "" ? {} : { agent }),
  };
  const filter = new URLSearchParams(filters).toString();
  const load = async (after: string | null): Promise<void> => {
    const page = await client.conversations({ ...filters, ...(after === null ? {} : { after }) });
    learn(page.items);
    found.value = [...(after === null ? [] : (found.peek() ?? [])), ...page.items.map((one) => one.id)];
    next.value = page.next;
    failure.value = null;
  };
  useEffect(() => {
    const timer = setTimeout(
      () => {
        load(null).catch((error: unknown) => {
          failure.value = error;
        });
      },
      filter === "" ? 0 : 200,
    );
    return () => clearTimeout(timer);
  }, [filter]);
  useEffect(
    () =>
      follow("conversations", {
        onEvent: (event) => {
          const summary = summaryOf(event);
          if (summary === null) return;
          const isNew = !known.peek().has(summary.id);
          learn([summary]);
          if (isNew && filter === "") found.value = [summary.id, ...(found.peek() ?? [])];
        },
        opened: () => void load(null).catch(() => {}),
      }),
    [filter],
  );
  if (failure.value !== null) return <Failure error={failure.value} />;
  if (found.value === null) return <p class="empty">Loading …</p>;
  // What changed last stands first, but nothing moves under the pointer or the focus.
  if (!pointed.current || order.current.length === 0)
    order.current = [...found.value].sort(
      (a, b) => (known.value.get(b)?.changed ?? 0) - (known.value.get(a)?.changed ?? 0),
    );
  else {
    const there = new Set(found.value);
    const placed = order.current.filter((id) => there.has(id));
    const ids = new Set(placed);
    order.current = [...placed, ...found.value.filter((id) => !ids.has(id))];
  }
  const letGo = (): void => {
    pointed.current = false;
    found.value = [...(found.peek() ?? [])];
  };
  const shown = order.current
    .map((id) => known.value.get(id))
    .filter((one) => one !== undefined && !one.archived && (state === "" || one.state === state));
  return (
    <div
      class="list"
      onPointerEnter={() => (pointed.current = true)}
      onPointerLeave={letGo}
      onFocusIn={() => (pointed.current = true)}
      onFocusOut={letGo}
    >
      {shown.length === 0 ? (
        <p class="empty">{filter === "" ? "No conversation yet." : "None found."}</p>
      ) : null}
      <ul>
        {shown.map((one) =>
          one === undefined ? null : <ConversationRow key={one.id} one={one} current={current} />,
        )}
      </ul>
      {next.value === null ? null : (
        <button type="button" class="plain" onClick={() => void load(next.value).catch(() => {})}>
          Older
        </button>
      )}
    </div>
  );
}

/** The topic brings records, or envelopes around them. */
function summaryOf(event: unknown): ConversationSummary | null {
  if (typeof event !== "object" || event === null) return null;
  const record = (
    "data" in event ? (event as { data: unknown }).data : event
  ) as Partial<ConversationSummary> | null;
  return typeof record?.id === "string" && typeof record.state === "string"
    ? (record as ConversationSummary)
    : null;
}

const ConversationRow = ({
  one,
  current,
}: {
  readonly one: ConversationSummary;
  readonly current: string;
}) => (
  <li>
    <a
      class="list-row"
      href={`/c/${encodeURIComponent(one.id)}`}
      {...(current === `/c/${encodeURIComponent(one.id)}` ? { "aria-current": "page" as const } : {})}
    >
      <span class="list-title">
        <Safe text={one.title.trim() === "" ? "Untitled" : oneLine(one.title, 90)} />
      </span>
      {one.open_questions > 0 ? <span class="badge">{count(one.open_questions, "question")}</span> : null}
      <span class="list-facts" title={one.why === "" ? undefined : one.why}>
        <Status state={one.outcome ?? one.state} />
        <span>{one.agent}</span>
        <span>{count(one.turns, "turn")}</span>
        <span>{cost(one.totals.cost_usd)}</span>
        {one.gauge?.ratio != null && one.gauge.ratio >= 0.5 ? (
          <span>context {percent(one.gauge.ratio)}</span>
        ) : null}
        <span>{age(one.changed)}</span>
      </span>
    </a>
  </li>
);

function RunList({ current }: { readonly current: string }) {
  const runs = useSignal<readonly RunSummary[] | null>(null);
  const next = useSignal<string | null>(null);
  const failure = useSignal<unknown>(null);
  const load = async (after: string | null): Promise<void> => {
    try {
      const page = await client.runs(after === null ? {} : { after });
      runs.value = [...(after === null ? [] : (runs.peek() ?? [])), ...page.items];
      next.value = page.next;
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => void load(null), []);
  if (failure.value !== null) return <Failure error={failure.value} />;
  if (runs.value === null) return <p class="empty">Loading …</p>;
  return (
    <div class="list">
      {runs.value.length === 0 ? <p class="empty">No run is recorded here.</p> : null}
      <ul>
        {runs.value.map((run) => (
          <li key={run.run}>
            <a
              class="list-row"
              href={`/r/${encodeURIComponent(run.run)}`}
              {...(current === `/r/${encodeURIComponent(run.run)}`
                ? { "aria-current": "page" as const }
                : {})}
            >
              <span class="list-title">
                <Safe text={run.script} />
              </span>
              <span class="list-facts" title={run.outcome?.why}>
                <Status state={(run.status === "done" && run.outcome?.status) || run.status} />
                <span>{run.run}</span>
                <span>{age(run.started)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {next.value === null ? null : (
        <button type="button" class="plain" onClick={() => void load(next.value)}>
          Older
        </button>
      )}
    </div>
  );
}
