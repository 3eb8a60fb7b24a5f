/**
 * The only door of `llm/`: the model port and its adapters.
 *
 * The port, the mock's state and the catalogue's functions are light and exported as they are; what talks to
 * vendors is loaded on the first live call (`live/` imports the SDKs dynamically once more).
 */
export * from "./port.ts";
