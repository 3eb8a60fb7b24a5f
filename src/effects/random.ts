/**
 * Recorded randomness: one seed per run, a stream per path. A stream is sfc32 (128 bits of state, passes PractRand)
 * whose state is the path hashed with the seed, so streams of different tasks don't depend on each other's order.
 * Not for secrets.
 */

/** One stream: each call gives 32 bits as a number from 0 to 2^32 - 1. */
export type RandomStream = () => number;

/** The stream of a path under a seed. */
export function randomStream(seed: string, path: string): RandomStream {
  const next = mixer(`${seed}/${path}`);
  let a = next();
  let b = next();
  let c = next();
  let counter = 1;
  const draw = (): number => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  // The first outputs still show the seed's structure.
  for (let i = 0; i < 12; i++) draw();
  return draw;
}

/** Spreads a text over as many 32-bit words as are asked for (FNV-1a, then the murmur3 finisher per word). */
function mixer(text: string): () => number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return () => {
    h = (h + 0x9e3779b9) | 0;
    let x = h;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
}
