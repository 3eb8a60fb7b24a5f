/** The engine of tests keeps the contract of the real one. */
import { describeEngine } from "../../../support/engine-contract.ts";
import { MemoryServer } from "../../../support/memory-engine.ts";

const server = new MemoryServer();

describeEngine("the engine in memory", {
  connect: async (settings) => server.connect(settings),
  waiting: async () => {},
});
