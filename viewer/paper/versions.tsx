/** Versions of a paper: who made them, what changed, and going back (which is a version, too). */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Page } from "../../src/server/protocol/index.ts";
import { ask, newKey } from "../net/api.ts";
import { Diff } from "../parts/diff.tsx";
import { Failure } from "../parts/failure.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";
import { dateAndTime } from "../text/format.ts";
import type { VersionRecord } from "./records.ts";

interface VersionDiff {
  /** Fields of the paper that differ. */
  readonly fields: readonly string[];
  readonly sections: readonly {
    readonly section: string;
    readonly title: string;
    readonly change: string;
    readonly before: string;
    readonly after: string;
  }[];
  readonly references: readonly { readonly key: string; readonly change: string }[];
}

export function Versions({
  base,
  version,
  onRestored,
}: {
  readonly base: string;
  readonly version: number;
  readonly onRestored: () => void;
}) {
  const list = useSignal<readonly VersionRecord[] | null>(null);
  const open = useSignal<number | null>(null);
  const diff = useSignal<VersionDiff | null>(null);
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
        list.value = (await ask<Page<VersionRecord>>(`${base}/versions?limit=200`)).items;
      }),
    [base, version],
  );
  const show = (n: number): Promise<void> =>
    act(async () => {
      open.value = open.value === n ? null : n;
      diff.value = null;
      if (open.value === null) return;
      diff.value = await ask<VersionDiff>(`${base}/versions/${Math.max(1, n - 1)}/diff?to=${n}`);
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
                      await ask(`${base}/restore`, {
                        method: "POST",
                        body: { version: one.n },
                        key: newKey(),
                      });
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

function Difference({ diff }: { readonly diff: VersionDiff }) {
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
