/**
 * Webhooks. An event handler enqueues each event for the endpoints whose filter matches, the sender signs and posts due
 * messages, and the routes let a team manage its endpoints and see delivery attempts.
 */
export { removeOldAttempts } from './cleaner.ts';
export { addEndpoint, disableEndpoints } from './endpoints.ts';
export { INBOX_PATH, inboxUrl } from './inbox-url.ts';
export { findEndpoint } from './store.ts';
export { storableHeaders } from './exchange.ts';
export { eraseAttempts } from './erase-attempts.ts';
export { moveQueueJob } from './move-queue.ts';
export { removeEndpointJob } from './remove-endpoint.ts';
export { webhookEventHandler } from './event-handler.ts';
export { replayMissing } from './replay.ts';
export { startSender } from './sender.ts';
export { FILTER_TYPE, matchesFilter } from './filter.ts';
export { newSecret, openSecrets, readSecret, signingKeys } from './secrets.ts';
export { signatureHeaders, signatureOf } from './signing/signature.ts';
