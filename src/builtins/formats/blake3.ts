/**
 * BLAKE3, 256 bits, unkeyed: Node's OpenSSL has it not. Chunks of 1,024 bytes are compressed one by one and joined as
 * a binary tree whose left sides are full; the tree is kept as a stack of subtree results, merged by the number of
 * chunks so far (as many merges as that number has trailing zero bits).
 */

const iv = Uint32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
const permutation = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const;
const chunkStart = 1;
const chunkEnd = 2;
const parentNode = 4;
const rootNode = 8;
const blockSize = 64;
const chunkSize = 1024;

type Words = Uint32Array<ArrayBuffer>;

/** Input of one compression, kept so that the last one can be made the root. */
interface Node {
  readonly chaining: Words;
  readonly block: Words;
  readonly counter: number;
  readonly length: number;
  readonly flags: number;
}

const rotate = (x: number, bits: number): number => (x >>> bits) | (x << (32 - bits));

function mix(s: Words, a: number, b: number, c: number, d: number, x: number, y: number): void {
  s[a] = (s[a] as number) + (s[b] as number) + x;
  s[d] = rotate((s[d] as number) ^ (s[a] as number), 16);
  s[c] = (s[c] as number) + (s[d] as number);
  s[b] = rotate((s[b] as number) ^ (s[c] as number), 12);
  s[a] = (s[a] as number) + (s[b] as number) + y;
  s[d] = rotate((s[d] as number) ^ (s[a] as number), 8);
  s[c] = (s[c] as number) + (s[d] as number);
  s[b] = rotate((s[b] as number) ^ (s[c] as number), 7);
}

/** Quarter rounds: columns, then diagonals. */
const lanes = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function compress({ chaining, block, counter, length, flags }: Node): Words {
  const state = new Uint32Array(16);
  state.set(chaining.subarray(0, 8));
  state.set(iv.subarray(0, 4), 8);
  state[12] = counter >>> 0;
  state[13] = Math.floor(counter / 2 ** 32);
  state[14] = length;
  state[15] = flags;
  let words: Words = block;
  for (let round = 0; round < 7; round++) {
    lanes.forEach(([a, b, c, d], i) => {
      mix(state, a, b, c, d, words[2 * i] as number, words[2 * i + 1] as number);
    });
    const mixed = words;
    words = Uint32Array.from(permutation, (from) => mixed[from] as number);
  }
  return Uint32Array.from({ length: 8 }, (_, i) => (state[i] as number) ^ (state[i + 8] as number));
}

/** Sixteen little-endian words, missing bytes as zeros. */
function wordsOf(data: Uint8Array): Words {
  const words = new Uint32Array(16);
  data.forEach((byte, i) => {
    words[i >> 2] = (words[i >> 2] as number) | (byte << (8 * (i & 3)));
  });
  return words;
}

/** The last compression of a chunk, not yet done. */
function chunkNode(chunk: Uint8Array, counter: number): Node {
  let chaining = iv;
  const blocks = Math.max(1, Math.ceil(chunk.length / blockSize));
  for (let i = 0; ; i++) {
    const data = chunk.subarray(i * blockSize, (i + 1) * blockSize);
    const flags = (i === 0 ? chunkStart : 0) | (i === blocks - 1 ? chunkEnd : 0);
    const node: Node = { chaining, block: wordsOf(data), counter, length: data.length, flags };
    if (i === blocks - 1) return node;
    chaining = compress(node);
  }
}

function parent(left: Words, right: Words): Node {
  const block = new Uint32Array(16);
  block.set(left);
  block.set(right, 8);
  return { chaining: iv, block, counter: 0, length: blockSize, flags: parentNode };
}

/** The 32 bytes of the hash. */
export function blake3(data: Uint8Array): Uint8Array {
  const stack: Words[] = [];
  const chunks = Math.max(1, Math.ceil(data.length / chunkSize));
  for (let i = 0; i < chunks - 1; i++) {
    let result = compress(chunkNode(data.subarray(i * chunkSize, (i + 1) * chunkSize), i));
    for (let total = i + 1; total % 2 === 0; total /= 2)
      result = compress(parent(stack.pop() as Words, result));
    stack.push(result);
  }
  let node = chunkNode(data.subarray((chunks - 1) * chunkSize), chunks - 1);
  while (stack.length > 0) node = parent(stack.pop() as Words, compress(node));
  const words = compress({ ...node, flags: node.flags | rootNode });
  return Uint8Array.from({ length: 32 }, (_, i) => ((words[i >> 2] as number) >>> (8 * (i & 3))) & 0xff);
}
