/** `node --cpu-prof bench/profile-kernel.ts KERNEL [rounds]`: runs one kernel again and again, for a profiler. */
import { timeHere } from "./kernels.ts";

const name = process.argv[2] ?? "arithmetic";
for (let i = 0; i < Number(process.argv[3] ?? 5); i++) {
  const { ms } = await timeHere(name);
  console.log(`${name}: ${ms.toFixed(2)} ms`);
}
