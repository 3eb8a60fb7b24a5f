/** The one place where a model effect is performed: retries, accounting, budgets, mock and tape routing. */
export * from "./types.ts";
