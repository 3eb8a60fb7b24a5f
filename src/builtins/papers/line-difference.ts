/** How two texts differ, line by line, for a model that must merge them: `-` is what stands there, `+` what was wanted. */

/** Lines that are equal at both ends are left out but three. */
export function lineDiff(now: string, wanted: string): string {
  const [a, b] = [now.split("\n"), wanted.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const around = 3;
  const before = a.slice(Math.max(0, head - around), head).map((line) => ` ${line}`);
  const after = a
    .slice(a.length - tail, Math.min(a.length, a.length - tail + around))
    .map((line) => ` ${line}`);
  const removed = a.slice(head, a.length - tail).map((line) => `-${line}`);
  const added = b.slice(head, b.length - tail).map((line) => `+${line}`);
  return [...before, ...removed, ...added, ...after].join("\n");
}
