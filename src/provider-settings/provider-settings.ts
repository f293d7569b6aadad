/**
 * Provider settings: what teams say of the providers, laboratories and couriers that they work with. Whoever speaks
 * with a provider asks here, inside the work of a tenant; the routes write it down.
 */
export { redirectUri, webhooksOf, webhookUri, type Webhook } from './addresses.ts';
export { credentialsOf, ownSources, type OwnCredentials } from './credentials.ts';
export { sourceOrder } from './priorities.ts';
export { LABS, OAUTH_PROVIDERS, PULLED_RESOURCES, type PriorityResource } from './lists.ts';
export { historicalDays, historicalDaysOf } from './pulls.ts';
export { scopeRequirements, type ScopeRequirements } from './scopes.ts';
