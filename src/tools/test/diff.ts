/** Line differences: what was expected against what came, with a few lines of context. */
import { showText } from "../../diagnostics/index.ts";

/** Lines of context round a change. */
const CONTEXT = 3;
/** Beyond this many cells the table of the exact algorithm is not worth its memory: everything between counts as changed. */
const maxCells = 4_000_000;
/** Enough to see what is wrong. */
const maxShown = 200;

export interface DiffLine {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** All lines: common ones, those only expected (`-`), those only in the actual text (`+`). */
export function diffLines(expected: readonly string[], actual: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < expected.length && start < actual.length && expected[start] === actual[start]) start++;
  let tail = 0;
  while (
    tail < expected.length - start &&
    tail < actual.length - start &&
    expected[expected.length - 1 - tail] === actual[actual.length - 1 - tail]
  )
    tail++;
  const same = (text: string): DiffLine => ({ mark: " ", text });
  return [
    ...expected.slice(0, start).map(same),
    ...changedLines(expected.slice(start, expected.length - tail), actual.slice(start, actual.length - tail)),
    ...expected.slice(expected.length - tail).map(same),
  ];
}

/** Longest common subsequence of the lines in between. */
function changedLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  const gone = (text: string): DiffLine => ({ mark: "-", text });
  const come = (text: string): DiffLine => ({ mark: "+", text });
  if (a.length === 0 || b.length === 0 || a.length * b.length > maxCells)
    return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ mark: " ", text: a[i]! });
      i++;
      j++;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) lines.push(gone(a[i++]!));
    else lines.push(come(b[j++]!));
  }
  return [...lines, ...a.slice(i).map(gone), ...b.slice(j).map(come)];
}

/** The difference for people: `- ` expected, `+ ` actual; long equal stretches are left out. */
export function renderDiff(expected: readonly string[], actual: readonly string[], colour: boolean): string {
  const lines = diffLines(expected, actual);
  const kept = lines.map((_line, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some((near) => near.mark !== " "),
  );
  const shown: string[] = [paint("- expected", 31, colour), paint("+ actual", 32, colour)];
  let skipping = false;
  for (const [i, line] of lines.entries()) {
    if (kept[i]) shown.push(renderLine(line, colour));
    else if (!skipping) shown.push("  …");
    skipping = kept[i] !== true;
    if (shown.length >= maxShown) {
      shown.push(`  … ${lines.length - i - 1} more lines`);
      break;
    }
  }
  return shown.join("\n");
}

/** Blanks at the end of a line are what nobody sees: they are shown as dots where they matter. */
function renderLine({ mark, text }: DiffLine, colour: boolean): string {
  if (mark === " ") return `  ${showText(text)}`.trimEnd();
  const visible = showText(text).replace(/ +$/, (blanks) => "·".repeat(blanks.length));
  return paint(`${mark} ${visible}`, mark === "-" ? 31 : 32, colour);
}

const paint = (text: string, code: number, colour: boolean): string =>
  colour ? `\u001b[${code}m${text}\u001b[0m` : text;
