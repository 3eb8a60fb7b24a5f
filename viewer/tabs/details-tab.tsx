/** What a log is: its conversation, its configuration, its runs, its figures; export and deletion. */
import { useSignal } from "@preact/signals";
import { type LogStore, useLog } from "../log/log-store.ts";
import { client, reportAddress } from "../net/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { GaugeLine } from "../parts/gauge.tsx";
import { save } from "../parts/save.ts";
import { Status } from "../parts/status.tsx";
import { Pre, Safe } from "../parts/text.tsx";
import { go } from "../router.ts";
import { cost, count, dateAndTime, duration, tokens } from "../text/format.ts";
import { withTraces } from "../timeline/timeline.tsx";

export function DetailsTab({ log }: { readonly log: LogStore }) {
  useLog(log);
  const { view } = log;
  const asks = useSignal(false);
  const purge = useSignal(false);
  const failure = useSignal<unknown>(null);
  const isConversation = log.source.kind === "conversation";
  const facts: readonly (readonly [string, string | null])[] = [
    [isConversation ? "Conversation" : "Run", log.source.id],
    ["Agent", view.agent],
    ["Owner", view.owner],
    ["Created", view.created === null ? null : dateAndTime(view.created)],
    ["Forked from", view.forked_from],
    ["Mode", view.mode],
    ["State", view.why === "" ? view.state : `${view.state} (${view.why})`],
    ["Last event", view.seq === 0 ? null : `${view.seq}, ${dateAndTime(view.at)}`],
    ["Model answers", String(view.totals.answers)],
    [
      "Tokens",
      `${tokens(view.totals.input)} in (${tokens(view.totals.cached)} from the cache), ${tokens(view.totals.output)} out (${tokens(view.totals.reasoning)} reasoning)`,
    ],
    ["Cost", cost(view.totals.cost_usd)],
    ["Compactions", String(view.compactions)],
    ["Agents, calls", `${Object.keys(view.loops).length}, ${Object.keys(view.calls).length}`],
  ];
  const points = log.all.flatMap((event) =>
    event.type === "context.usage" && event.parent === null && event.data.ratio !== null
      ? [{ at: event.at, ratio: event.data.ratio, compacted: false }]
      : event.type === "context.compacted" && event.parent === null && view.gauge?.window
        ? [{ at: event.at, ratio: event.data.after / view.gauge.window, compacted: true }]
        : [],
  );
  const remove = async (): Promise<void> => {
    try {
      await client.removeConversation(log.source.id, { purge: purge.value });
      go("/");
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <div class="tab-page details">
      <table class="facts">
        <tbody>
          {facts.map(([name, value]) =>
            value === null ? null : (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <Safe text={value} />
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {points.length > 1 ? (
        <section>
          <h3>Context</h3>
          <GaugeLine points={points} />
        </section>
      ) : null}
      {Object.keys(view.config).length > 0 ? (
        <section>
          <h3>Configuration</h3>
          <Pre text={JSON.stringify(view.config, null, 2)} label="Configuration" />
        </section>
      ) : null}
      <section>
        <h3>Runs</h3>
        <ul class="runs">
          {Object.values(view.runs).map((run) => (
            <li key={run.run}>
              <Status state={run.status ?? "running"} />
              {log.source.kind === "run" || run.run === "" ? (
                <code>{run.run}</code>
              ) : (
                <a href={`/r/${encodeURIComponent(run.run)}`}>
                  <code>{run.run}</code>
                </a>
              )}
              <span class="soft">
                {dateAndTime(run.started)}
                {run.ended === null ? "" : `, ${duration(run.ended - run.started)}`}
                {run.resumed > 0 ? `, resumed ${count(run.resumed, "time")}` : ""}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>Timeline</h3>
        <label>
          <input
            type="checkbox"
            checked={withTraces.value}
            onChange={(event) => (withTraces.value = event.currentTarget.checked)}
          />{" "}
          show everything the runtime tells
        </label>
      </section>
      <section>
        <h3>Export</h3>
        <div class="buttons">
          <button
            type="button"
            onClick={() =>
              save(
                `${log.source.id}.jsonl`,
                log.all.map((event) => `${JSON.stringify(event)}\n`).join(""),
                "application/jsonl",
              )
            }
          >
            Events as JSON lines
          </button>
          {log.source.kind === "run" ? (
            <a class="button" href={reportAddress(log.source.id)} download="">
              Report in one file
            </a>
          ) : null}
        </div>
      </section>
      {isConversation ? (
        <section>
          <h3>Delete</h3>
          <button type="button" class="danger" onClick={() => (asks.value = true)}>
            Delete this conversation
          </button>
        </section>
      ) : null}
      {asks.value ? (
        <Dialog title="Delete this conversation?" onClose={() => (asks.value = false)}>
          <p>Its messages and its log are gone for good.</p>
          <label>
            <input
              type="checkbox"
              checked={purge.value}
              onChange={(event) => (purge.value = event.currentTarget.checked)}
            />{" "}
            its workspace, too
          </label>
          {failure.value === null ? null : <Failure error={failure.value} />}
          <div class="buttons">
            <button type="button" class="danger" onClick={() => void remove()}>
              Delete
            </button>
          </div>
        </Dialog>
      ) : null}
    </div>
  );
}
