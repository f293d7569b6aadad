import type { Config } from '../platform/config.ts';
import { publicUrl } from '../platform/public-url.ts';
import type { Tenant } from '../platform/tenant.ts';

/** Providers whose applications name the address of a webhook, and the kinds of news for which each wants one of its own. */
const WEBHOOKS: Readonly<Record<string, readonly (string | null)[]>> = {
  fitbit: ['workout', 'sleep', 'body', 'foods'],
  garmin: [null],
  withings: [null],
  whoop_v2: [null],
  wahoo: [null],
  omron: [null],
};

/** Where a provider sends the user back to after asking for the grant; the same for every team. */
export const redirectUri = (config: Config, provider: string): string =>
  publicUrl(config, `/v2/link/callback/${provider}`);

/** Where a provider sends news for the application of one tenant. */
export const webhookUri = (config: Config, tenant: Tenant, { provider, kind }: Webhook): string => {
  const path = `/v2/provider_webhook/${provider}/${tenant.teamId}/${tenant.environment}`;
  return publicUrl(config, kind === null ? path : `${path}/${kind}`);
};

export interface Webhook {
  readonly provider: string;
  readonly kind: string | null;
}

/** The webhooks that have to be entered at a provider. */
export const webhooksOf = (provider: string): Webhook[] =>
  (WEBHOOKS[provider] ?? []).map((kind) => ({ provider, kind }));
