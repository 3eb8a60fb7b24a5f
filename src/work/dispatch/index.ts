/** What runs now, what is due, who may do it: the port and its embedded engine. */
export {
  type Dispatcher,
  type Holder,
  type Holding,
  type Letter,
  MailboxFull,
  NoLongerOwner,
  type SendOptions,
  type Write,
} from "./dispatcher.ts";
export { type EmbeddedOptions, embeddedDispatcher } from "./embedded.ts";
