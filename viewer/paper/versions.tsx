/** Versions of a paper: who made them, what changed, and going back (which is a version, too). */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PaperDiff, VersionRecord } from "../../src/server/protocol/index.ts";
import { client, once } from "../net/api.ts";
import { Diff } from "../parts/diff.tsx";
import { Failure } from "../parts/failure.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";
import { dateAndTime } from "../text/format.ts";

export function Versions({
  id,
  version,
  onRestored,
}: {
  readonly id: string;
  readonly version: number;
  readonly onRestored: () => void;
}) {
  const list = useSignal<readonly VersionRecord[] | null>(null);
  const open = useSignal<number | null>(null);
  const diff = useSignal<PaperDiff | null>(null);
  const failure = useSignal<unknown>(null);
  const act = async (what: () => Promise<void>): Promise<void> => {
    failure.value = null;
    try {
      await what();
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(
    () =>
      void act(async () => {
        list.value = (await client.paperVersions(id, { limit: 200 })).items;
      }),
    [id, version],
  );
  const show = (n: number): Promise<void> =>
    act(async () => {
      open.value = open.value === n ? null : n;
      diff.value = null;
      if (open.value === null) return;
      diff.value = await client.paperDiff(id, Math.max(1, n - 1), n);
    });
  return (
    <div class="sheet">
      {failure.value === null ? null : <Failure error={failure.value} />}
      <ol class="plain-list" reversed>
        {list.value?.map((one) => (
          <li key={one.n}>
            <div class="filters">
              <b>{one.n}</b>
              <span>
                {one.op.replaceAll("_", " ")} <Safe text={one.note ?? ""} />
              </span>
              <span class="soft small">
                {one.by}, {dateAndTime(one.at)}
              </span>
              <span class="grow" />
              <button
                type="button"
                class="plain"
                aria-expanded={open.value === one.n}
                onClick={() => void show(one.n)}
              >
                What changed
              </button>
              {mayWrite.value && one.n !== version ? (
                <button
                  type="button"
                  class="plain"
                  onClick={() =>
                    void act(async () => {
                      await client.restorePaper(id, one.n, once());
                      onRestored();
                    })
                  }
                >
                  Restore
                </button>
              ) : null}
            </div>
            {open.value === one.n && diff.value !== null ? <Difference diff={diff.value} /> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Difference({ diff }: { readonly diff: PaperDiff }) {
  const others = [
    ...diff.fields.map((field) => `${field.replaceAll("_", " ")} changed`),
    ...diff.references.map((one) => `reference ${one.key} ${one.change}`),
  ];
  return (
    <div class="opened">
      {others.length === 0 ? null : (
        <p class="soft">
          <Safe text={others.join(", ")} />
        </p>
      )}
      {diff.sections.map((one) => (
        <div key={one.section}>
          <h4>
            <Safe text={one.title} />: {one.change}
          </h4>
          {one.before === one.after ? null : (
            <Diff before={one.before} after={one.after} label={`Changes of ${one.title}`} />
          )}
        </div>
      ))}
      {others.length === 0 && diff.sections.length === 0 ? <p class="soft">No difference.</p> : null}
    </div>
  );
}
