/** What the webhooks module needs of the settings. A separate entry point, because the rest here imports webhooks. */
export { filterWebhookEvents } from './filter-webhook-events.ts';
