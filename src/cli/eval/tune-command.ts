/** `harn eval tune`: changes how a set runs while another process works on it. */

import type { SetOptions, SetSpec } from "../../eval/engine/index.ts";
import { evalStoreOf, setRow } from "../../eval/local/index.ts";
import { countedText, dollarText } from "../../eval/report/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, inStore, print, UsageError } from "../../host/command/index.ts";
import type { tuneFlags } from "../flags/eval.ts";
import { setOptions } from "./run-options.ts";

export type TuneFlags = FlagsOf<typeof tuneFlags>;

export function tuneSetCommand(named: string, flags: TuneFlags): number {
  const change = setOptions(flags);
  if (Object.keys(change).length === 0)
    throw new UsageError(
      "name what is to be different: --trials, --connections, --cost or --tokens",
      "HARN-CLI-002",
    );
  inStore((files) =>
    // The owner may write the row at the same time: what it says of the state must stay.
    files.transaction(() => {
      const store = evalStoreOf(files);
      const row = setRow(store, named);
      if (files.leases.leaseOwner(`eval:${row.name}`) === undefined)
        throw new UsageError(
          `nobody works on the set ${row.name}: it is ${row.state}; \`harn eval resume ${row.name}\` takes the same flags`,
          "HARN-CLI-008",
        );
      const spec = JSON.parse(row.spec) as SetSpec;
      const connections = { ...spec.options.connections, ...change.connections };
      const options: SetOptions = { ...spec.options, ...change, connections };
      store.changeSet(row, { spec: JSON.stringify({ ...spec, options }) });
      print(`${row.name}  ${optionsText(options)}\n`);
    }),
  );
  return exitCode.ok;
}

/** `4 trials at once, openai=5, at most $8.00` */
function optionsText({ trials, connections, costUsd, tokens }: SetOptions): string {
  return [
    `${countedText(trials, "trial")} at once`,
    ...Object.entries(connections).map(([provider, rule]) => `${provider}=${rule}`),
    ...(costUsd === null ? [] : [`at most ${dollarText(costUsd)}`]),
    ...(tokens === null ? [] : [`at most ${tokens} tokens`]),
  ].join(", ");
}
