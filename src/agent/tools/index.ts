/** Tools of agents: registry, text-call grammar, dispatch. README.md has the drawing. */
export { dispatchBatch, dispatchCall } from "./dispatch.ts";
export { microcompact } from "./microcompact.ts";
export { defaultOutputLimit, outcomeDict } from "./outcome.ts";
export { type Surface, type SurfaceDiagnostic, validateSurface } from "./surface.ts";
