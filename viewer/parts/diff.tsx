/** Two texts against each other, line by line: what stayed far from changes is left out. */
import { structuredPatch } from "diff";
import { useMemo } from "preact/hooks";
import { limits } from "../../src/server/protocol/index.ts";
import { linePatch } from "../../src/source/line-patch.ts";
import { Safe } from "./text.tsx";

const fits = (text: string): boolean =>
  text.length <= limits.diffBytes && (text.match(/\n/g)?.length ?? 0) <= limits.diffLines;
const drawnLines = 3_000;

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

export function Diff({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const hunks = useMemo(
    () =>
      fits(before) && fits(after)
        ? linePatch({ structuredPatch }, before, after, { fromLabel: "", toLabel: "", context: 3 }).hunks
        : undefined,
    [before, after],
  );
  if (hunks === undefined)
    return (
      <p class="soft">
        Too much to compare: {before.length} and {after.length} characters.
      </p>
    );
  return <Hunks hunks={hunks} label={label} />;
}

/** A comparison that somebody else made. */
export function Hunks({ hunks, label }: { readonly hunks: readonly Hunk[]; readonly label: string }) {
  if (hunks.length === 0) return <p class="soft">No difference.</p>;
  let left = drawnLines;
  return (
    <div class="diff scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table>
        <tbody>
          {hunks.map((hunk) => {
            let oldLine = hunk.oldStart;
            let newLine = hunk.newStart;
            const rows = hunk.lines.slice(0, Math.max(0, left)).map((line, at) => {
              const mark = line[0] === "+" || line[0] === "-" ? line[0] : " ";
              if (line[0] === "\\") return null;
              const kind = mark === "+" ? "added" : mark === "-" ? "removed" : "same";
              const row = (
                <tr key={`${hunk.oldStart}.${at}`} class={kind}>
                  <td class="number">{mark === "+" ? "" : oldLine}</td>
                  <td class="number">{mark === "-" ? "" : newLine}</td>
                  <td class="sign">{mark}</td>
                  <td>
                    <Safe text={line.slice(1)} />
                  </td>
                </tr>
              );
              if (mark !== "+") oldLine += 1;
              if (mark !== "-") newLine += 1;
              return row;
            });
            left -= hunk.lines.length;
            return [
              <tr key={`h${hunk.oldStart}`} class="hunk">
                <td
                  colSpan={4}
                >{`lines ${hunk.oldStart} to ${hunk.oldStart + Math.max(0, hunk.oldLines - 1)}`}</td>
              </tr>,
              ...rows,
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}
