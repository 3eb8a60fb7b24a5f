/** Times main() of a kernel in this process: node time-kernel.js KERNEL.js ROUNDS -> result and best milliseconds. */
import { pathToFileURL } from "node:url";

const [path, rounds] = process.argv.slice(2);
const { main } = await import(pathToFileURL(path).href);
const result = await main();
let best = Number.POSITIVE_INFINITY;
for (let i = 0; i < Number(rounds); i++) {
  const begin = performance.now();
  await main();
  best = Math.min(best, performance.now() - begin);
}
console.log(`${result} ${best}`);
