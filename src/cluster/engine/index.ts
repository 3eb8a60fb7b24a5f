/** Temporal as the engine, loaded at the first use: nobody else names its packages. */
export { connectEngine, type EngineOptions } from "./engine.ts";
