/** Tools of agents: registry, text-call grammar, dispatch. README.md has the drawing. */
export * from "./dispatch.ts";
export { callHost } from "./host-bridge.ts";
export { microcompact } from "./microcompact.ts";
export { defaultOutputLimit, outcomeDict } from "./outcome.ts";
export { validateSurface } from "./surface.ts";
