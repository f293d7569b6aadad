/**
 * Webhooks: one reaction to all events. The reaction owes each event to the endpoints that want it, the sender
 * signs and posts what is due, and the routes let a team set up its endpoints and see what came of it.
 */
export { createEndpoint, changeEndpoint, disableEndpoints, removeEndpoint } from './endpoints.ts';
export { endpointDisabled, messageAttemptExhausted } from './events.ts';
export { forgetAttempts } from './forget.ts';
export { moveQueueOn } from './move-queue.ts';
export { removeEndpointOn } from './remove-endpoint.ts';
export { webhookReaction } from './reaction.ts';
export { replayMissing } from './replay.ts';
export { startSender, type SenderOptions } from './sender.ts';
export { FILTER_TYPE, wants } from './filter.ts';
export { newSecret, readSecret } from './secrets.ts';
export { messageId, signatureHeaders } from './signing/signature.ts';
export { isPublicAddress } from './address.ts';
export { mayGoPrivate } from './target.ts';
