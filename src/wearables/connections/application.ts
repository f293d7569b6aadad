import type { ProviderApplication } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import {
  credentialsOf,
  redirectUri,
  type OwnCredentials,
} from '../../provider-settings/provider-settings.ts';

/**
 * The application at a provider that users grant access to: the team's own where it has set one, else that of the
 * deployment, and undefined where there is neither.
 */
export async function applicationIn(
  work: Work,
  { config, wearableProviders }: Pick<App, 'config' | 'wearableProviders'>,
  provider: string,
): Promise<ProviderApplication | undefined> {
  const own = await credentialsOf(work, provider);
  const ours = redirectUri(config, provider);
  if (!own?.clientId || !own.clientSecret) return wearableProviders.applicationOf(provider, ours);
  return {
    clientId: own.clientId,
    clientSecret: own.clientSecret,
    redirectUri: own.redirectUrl ?? ours,
    webhookSecrets: secretsIn(own.details),
  };
}

/** The same, for who is outside a transaction. */
export const applicationOf = (
  app: App,
  tenant: Tenant,
  provider: string,
): Promise<ProviderApplication | undefined> =>
  readTenant(app, tenant, (work) => applicationIn(work, app, provider));

/** What news are known by, of the providers that are given more than a secret. */
function secretsIn(details: OwnCredentials['details']): string[] {
  if (details && 'webhook_secret' in details) return [details.webhook_secret];
  if (!details || !('fitbit' in details)) return [];
  const { workout_verify_token, sleep_verify_token, body_verify_token, foods_verify_token } = details.fitbit;
  const tokens = [workout_verify_token, sleep_verify_token, body_verify_token, foods_verify_token];
  return tokens.filter((token) => typeof token === 'string');
}
