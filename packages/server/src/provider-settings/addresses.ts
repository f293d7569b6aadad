import type { Config } from '../platform/config.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Tenant } from '../platform/tenant.ts';

/** Providers whose applications register webhook URLs, and the notification kinds with a separate URL. */
const WEBHOOK_KINDS: Readonly<Record<string, readonly (string | null)[]>> = {
  fitbit: ['workout', 'sleep', 'body', 'foods'],
  garmin: [null],
  withings: [null],
  whoop_v2: [null],
  wahoo: [null],
  omron: [null],
};

/** The OAuth redirect URI of a provider; the same for every team. */
export const redirectUri = (config: Config, provider: string): string =>
  publicUrl(config, `/v2/link/callback/${provider}`);

/** The webhook URL for the provider's application of one tenant. */
export const webhookUri = (config: Config, tenant: Tenant, { provider, kind }: ProviderWebhook): string => {
  const path = `/v2/provider_webhook/${provider}/${tenant.teamId}/${tenant.environment}`;
  return publicUrl(config, kind === null ? path : `${path}/${kind}`);
};

interface ProviderWebhook {
  readonly provider: string;
  readonly kind: string | null;
}

/** The webhooks that a team must register with a provider. */
export const listProviderWebhooks = (provider: string): ProviderWebhook[] =>
  (WEBHOOK_KINDS[provider] ?? []).map((kind) => ({ provider, kind }));
