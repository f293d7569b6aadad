/**
 * Provider settings: what teams configure for their providers, laboratories and couriers. Modules that call a provider
 * read the settings here, inside a tenant transaction.
 */
export { redirectUri, listProviderWebhooks, webhookUri } from './addresses.ts';
export { findOwnCredentials, listOwnSources, type OwnCredentials } from './credentials.ts';
export { getSourceOrder } from './priorities.ts';
export { LABS, OAUTH_PROVIDERS, PULLED_RESOURCES, type PriorityResource } from './lists.ts';
export { getHistoricalDays, getHistoricalDaysByResource } from './pull-preferences.ts';
export { findScopeRequirements } from './scopes.ts';
