/** Containers as hosts: the engine, one container, its files and its processes. */
export { BrokenArchive } from "../archives/index.ts";
export { type ArchivedFile, archivedFiles } from "./archive-files.ts";
export { type ContainedHost, containedHost } from "./contained-host.ts";
export { Container, type ContainerName, ContainerProblem, type ContainerSpec, done } from "./container.ts";
export { ContainerEngine, lastWords } from "./engine.ts";
