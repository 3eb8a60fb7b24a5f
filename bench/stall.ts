/**
 * The detection of stalls on its labelled traces (test/corpora/stall/): false alarms per 1,000 productive turns, loops warned
 * of in time, and what one look costs.
 */
import { play, ratesOf, readTraces } from "../test/corpora/stall/measure.ts";
import { type Benchmark, median, printRows } from "./rows.ts";

export const run: Benchmark = async () => {
  const traces = readTraces();
  const rates = ratesOf(traces.map(play));
  const turns = traces.reduce((sum, trace) => sum + trace.turns.length, 0);
  const times = Array.from({ length: 7 }, () => {
    const start = process.hrtime.bigint();
    for (const trace of traces) play(trace);
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return [
    { name: "traces, healthy", value: rates.healthy, unit: "" },
    { name: "traces, stalled", value: rates.stalled, unit: "" },
    { name: "healthy traces ended", value: rates.stops, unit: "", target: "0" },
    { name: "warnings per 1,000 productive turns", value: rates.warningRate, unit: "", target: "<= 5" },
    {
      name: "stalled traces warned of in time",
      value: (100 * (rates.stalled - rates.late.length)) / rates.stalled,
      unit: "%",
      target: "100 %, within twice their number",
    },
    { name: "one look at a turn", value: (1000 * median(times)) / turns, unit: "µs" },
  ];
};

if (import.meta.main) printRows("stall", await run());
