/** Cuts an input down as long as it still shows the same fault. */
import type { Input } from "./fuzzer.ts";

/** How many smaller inputs are tried. */
const TRIES = 120;

export async function minimized(
  input: Input,
  stillFaulty: (smaller: Input) => Promise<boolean>,
): Promise<Input> {
  let best = input;
  let tries = 0;
  for (const part of Object.keys(input)) {
    for (const unit of ["\n", ""]) {
      let pieces = split(best[part]!, unit);
      for (let size = Math.ceil(pieces.length / 2); size >= 1; size = Math.floor(size / 2)) {
        for (let at = 0; at < pieces.length && tries < TRIES; ) {
          const fewer = [...pieces.slice(0, at), ...pieces.slice(at + size)];
          const smaller = { ...best, [part]: fewer.join("") };
          tries++;
          if (await stillFaulty(smaller)) {
            best = smaller;
            pieces = fewer;
          } else at += size;
        }
      }
    }
  }
  return best;
}

const split = (text: string, unit: string): string[] => (unit === "" ? [...text] : text.split(/(?<=\n)/));
