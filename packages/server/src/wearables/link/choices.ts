import type { App } from '../../app.ts';
import { readTenant } from '../../platform/work.ts';
import { listOwnSources, redirectUri } from '../../provider-settings/provider-settings.ts';
import { DEMO_SLUGS } from '../demo/demo-connection.ts';
import { KNOWN_PROVIDERS, type KnownProvider } from '../../readings/readings.ts';
import type { LinkToken } from './token.ts';

/** Whether a token allows a provider. */
export const isProviderAllowed = (
  { row: { provider, filter_on_providers: only } }: Pick<LinkToken, 'row'>,
  slug: string,
): boolean => (provider === null || provider === slug) && (only === null || only.includes(slug));

/** The demos that our own page offers; only in a sandbox. */
export const listDemos = ({ tenant, row }: Pick<LinkToken, 'tenant' | 'row'>): KnownProvider[] =>
  tenant.environment === 'sandbox'
    ? KNOWN_PROVIDERS.filter(
        ({ slug }) => DEMO_SLUGS.some((demo) => demo === slug) && isProviderAllowed({ row }, slug),
      )
    : [];

/** The providers that can be connected with a token: allowed, supported, and with an application. */
export async function listChoices(app: App, token: LinkToken): Promise<KnownProvider[]> {
  const own = await readTenant(app, token.tenant, listOwnSources);
  const { config, wearableProviders } = app;
  return KNOWN_PROVIDERS.filter(
    ({ slug }) =>
      isProviderAllowed(token, slug) &&
      wearableProviders.find(slug) !== undefined &&
      (own.has(slug) || wearableProviders.applicationOf(slug, redirectUri(config, slug)) !== undefined),
  );
}
