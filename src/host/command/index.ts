/** What every command stands on: exit codes, terminal and streams, errors for people, the store of the project. */
export { exitCode } from "./exit-codes.ts";
export { openPage } from "./open-page.ts";
export { ProcessConsole, writeConsoleError } from "./process-console.ts";
export {
  print,
  reportAsJson,
  reportData,
  reportError,
  reportFigures,
  reportLog,
  reportPainted,
  reportPaintedError,
} from "./report.ts";
export { shippedFolder } from "./shipped-folder.ts";
export {
  asUsageError,
  explained,
  inStore,
  ownFile,
  ownStateFolder,
  ownStatePlaces,
  problemError,
  reportFailure,
  runNamed,
} from "./state.ts";
export { stopOnSignals } from "./stop-signals.ts";
export { colourOnStderr, colourOnStdout, isTerminal, outputWidth, stderrWidth } from "./terminal.ts";
export { lostOutput, UsageError } from "./usage-error.ts";
export { setVariables, version } from "./variables.ts";
export { exportedText, writing } from "./written-file.ts";
