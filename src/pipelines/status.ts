/** What the webhooks ask of a tenant's settings; a door of its own, because the rest here asks the webhooks. */
export { withWebhooks } from './with-webhooks.ts';
