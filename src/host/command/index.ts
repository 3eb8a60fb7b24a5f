/** What every command stands on: exit codes, terminal and streams, errors for people, the store of the project. */

export { openPage, setVariables, stopOnSignals, version } from "./command-process.ts";
export { exitCode } from "./exit-codes.ts";
export * from "./process-console.ts";
export * from "./report.ts";
export {
  type ExecutableContents,
  folderOnDisk,
  ownExecutable,
  type ShippedFolder,
  shippedFolder,
  textOfModule,
  useExecutable,
} from "./shipped-files.ts";
export * from "./state.ts";
export { colourOnStderr, colourOnStdout, isTerminal, outputWidth, stderrWidth } from "./terminal.ts";
export { commandLineMark, typedCommand, typedCommandName } from "./typed-command.ts";
export * from "./usage-error.ts";
export * from "./written-file.ts";
