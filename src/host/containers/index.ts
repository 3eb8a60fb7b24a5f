/** Containers as hosts: the engine, one container, its files and its processes. */
export { BrokenArchive } from "../archives/index.ts";
export * from "./contained-host.ts";
export * from "./container.ts";
export { type ArchivedFile, archivedFiles } from "./container-files.ts";
export { ContainerEngine, lastWords } from "./engine.ts";
