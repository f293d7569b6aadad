import type { ProviderApplication } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import {
  findOwnCredentials,
  redirectUri,
  type OwnCredentials,
} from '../../provider-settings/provider-settings.ts';

/**
 * The application at a provider that users grant access to: the team's own if it has set one, else that of the
 * deployment, else undefined.
 */
export async function findApplication(
  work: Work,
  { config, wearableProviders }: Pick<App, 'config' | 'wearableProviders'>,
  provider: string,
): Promise<ProviderApplication | undefined> {
  const own = await findOwnCredentials(work, provider);
  const ours = redirectUri(config, provider);
  if (!own?.clientId || !own.clientSecret) return wearableProviders.applicationOf(provider, ours);
  return {
    clientId: own.clientId,
    clientSecret: own.clientSecret,
    redirectUri: own.redirectUrl ?? ours,
    webhookSecrets: collectWebhookSecrets(own.details),
  };
}

/** Which settings name the application of a provider. */
export const notConfigured = (provider: string): string =>
  `No application is configured for ${provider}: set WEARABLE_PROVIDERS, or custom credentials of the team`;

/** Same as findApplication, for callers outside a transaction. */
export const loadApplication = (
  app: App,
  tenant: Tenant,
  provider: string,
): Promise<ProviderApplication | undefined> =>
  readTenant(app, tenant, (work) => findApplication(work, app, provider));

/** The secrets that authenticate notifications, for providers whose credentials include some. */
function collectWebhookSecrets(details: OwnCredentials['details']): string[] {
  if (details && 'webhook_secret' in details) return [details.webhook_secret];
  if (!details || !('fitbit' in details)) return [];
  const { workout_verify_token, sleep_verify_token, body_verify_token, foods_verify_token } = details.fitbit;
  const tokens = [workout_verify_token, sleep_verify_token, body_verify_token, foods_verify_token];
  return tokens.filter((token) => typeof token === 'string');
}
