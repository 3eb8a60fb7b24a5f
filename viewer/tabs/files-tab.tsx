/** Files that changed, what changed in them between two events, and the files themselves. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FileDiff, FileView } from "../../src/server/protocol/index.ts";
import { type LogStore, useLog } from "../log/log-store.ts";
import { client, fileAddress } from "../net/api.ts";
import { Hunks } from "../parts/diff.tsx";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Safe } from "../parts/text.tsx";
import { bytes, clock, count } from "../text/format.ts";

export function FilesTab({ log }: { readonly log: LogStore }) {
  useLog(log);
  const chosen = useSignal<string | null>(null);
  const files = Object.values(log.view.files).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.length === 0) return <p class="empty">No file has changed.</p>;
  const file = files.find((one) => one.path === chosen.value) ?? null;
  return (
    <div class="tab-page files">
      <ul class="file-list" aria-label="Changed files">
        {files.map((one) => (
          <li key={one.path}>
            <button
              type="button"
              class="line"
              aria-pressed={one.path === chosen.value}
              onClick={() => (chosen.value = one.path)}
            >
              <span class="sign">
                <Icon name="file" />
              </span>
              <span class="line-head">
                <Safe text={one.path} />
              </span>
              <span class="line-side">
                <span>{one.change}</span>
                {one.bytes === null ? null : <span>{bytes(one.bytes)}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {file === null ? (
        <p class="empty">Choose a file to see what changed.</p>
      ) : (
        <FilePanel key={file.path} log={log} file={file} />
      )}
    </div>
  );
}

function FilePanel({ log, file }: { readonly log: LogStore; readonly file: FileView }) {
  const changes = log.all.filter((event) => event.type === "file.changed" && event.data.path === file.path);
  const from = useSignal(file.first - 1);
  const to = useSignal(file.last);
  const answer = useSignal<FileDiff | null>(null);
  const failure = useSignal<unknown>(null);
  const conversation = log.source.kind === "conversation" ? log.source.ref : null;
  useEffect(() => {
    if (conversation === null) return;
    const abort = new AbortController();
    const between = { path: file.path, from: from.value, to: to.value };
    client.fileDiff(conversation, between, { signal: abort.signal }).then(
      (read) => {
        answer.value = read;
        failure.value = null;
      },
      (error: Error) => {
        if (error.name !== "AbortError") failure.value = error;
      },
    );
    return () => abort.abort();
  }, [conversation, file.path, from.value, to.value, answer, failure]);
  return (
    <section class="file-panel" aria-label={`Changes of ${file.path}`}>
      <div class="filters">
        <b>
          <Safe text={file.path} />
        </b>
        <span class="soft">{count(changes.length, "change")}</span>
        {conversation === null ? null : (
          <a href={fileAddress(conversation, file.path)} download="">
            Download
          </a>
        )}
      </div>
      {conversation === null ? (
        <p class="soft">A run outside of a conversation keeps no copies of its files.</p>
      ) : (
        <>
          <div class="filters">
            <label>
              From{" "}
              <select
                value={from.value}
                onChange={(event) => (from.value = Number(event.currentTarget.value))}
              >
                <option value={file.first - 1}>before the first change</option>
                {changes.map((event) => (
                  <option key={event.seq} value={event.seq}>
                    event {event.seq}, {clock(event.at)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              to{" "}
              <select value={to.value} onChange={(event) => (to.value = Number(event.currentTarget.value))}>
                {changes.map((event) => (
                  <option key={event.seq} value={event.seq}>
                    event {event.seq}, {clock(event.at)}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {failure.value !== null ? (
            <Failure error={failure.value} />
          ) : answer.value === null ? (
            <p class="soft">Loading …</p>
          ) : (
            <FileHunks answer={answer.value} label={`Changes of ${file.path}`} />
          )}
        </>
      )}
    </section>
  );
}

function FileHunks({ answer, label }: { readonly answer: FileDiff; readonly label: string }) {
  if (answer.hunks === null)
    return <p class="soft">What changed is not known: the file is large, is no text, or was not kept.</p>;
  const hunks = answer.hunks.map((one) => ({
    oldStart: one.old_start,
    oldLines: one.old_lines,
    newStart: one.new_start,
    lines: one.lines,
  }));
  return <Hunks hunks={hunks} label={label} />;
}
