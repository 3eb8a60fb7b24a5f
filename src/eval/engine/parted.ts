/** Two texts that should be the same, at the place where they part. */

/** Some characters of both texts from shortly before they part. */
export function partedAt(recorded: string, now: string): { readonly recorded: string; readonly now: string } {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at++;
  const from = Math.max(0, at - 40);
  return { recorded: recorded.slice(from, at + 120), now: now.slice(from, at + 120) };
}
