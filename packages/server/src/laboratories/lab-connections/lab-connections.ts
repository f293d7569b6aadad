/**
 * The connections between teams and laboratories. Inbound messages are stored before they are acknowledged, and a job
 * processes their reports. Outbound messages are stored before they are sent.
 */
export { checkLabConnections, type LabConnectionCheck } from './check-connections.ts';
export { hasEverConnected } from './connection-store.ts';
export { MessageReceiptsView, toReceiptsView } from './receipts.ts';
export { findSimulatedSender, receiveSimulated, type SimulatedSender } from './receive-simulated.ts';
export { startMllpListeners } from './mllp-listener.ts';
export {
  freeListenerPort,
  listListenerIdentities,
  shareListener,
  unshareListener,
  type ListenerIdentity,
} from './listener-identities.ts';
export {
  claimMessage,
  listUnprocessedMessages,
  readMessageBytes,
  resealUnclaimed,
  type MessageClaim,
} from './unprocessed-messages.ts';
