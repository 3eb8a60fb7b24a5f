/** A pool of `harn` processes for long-running commands: each does one command of the task table (`pool-worker.ts`). */
import { type ChildPool, loadChildPool, type PoolLimits } from "../../../host/index.ts";

export interface CommandPoolOptions {
  readonly spares: number;
  readonly maxChildren: number;
  readonly limits?: Partial<PoolLimits>;
  /** The launcher of `harn`; default the one that this process was started with. */
  readonly launcher?: string | undefined;
  /** Variables of the environment that children do not get. */
  readonly withheld?: readonly string[];
}

const usualLimits: PoolLimits = { memoryMb: 1024, totalMs: 30 * 60_000, stuckMs: 30_000 };

export async function commandPool({
  spares,
  maxChildren,
  limits,
  withheld = [],
  launcher,
}: CommandPoolOptions): Promise<ChildPool> {
  const { ChildPool } = await loadChildPool();
  return new ChildPool({
    args: ["pool-worker"],
    launcher,
    spares,
    maxChildren,
    limits: { ...usualLimits, ...limits },
    withheld,
  });
}
