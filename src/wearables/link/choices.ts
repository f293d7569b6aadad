import type { App } from '../../app.ts';
import { readTenant } from '../../platform/work.ts';
import { ownSources, redirectUri } from '../../provider-settings/provider-settings.ts';
import { DEMO_SLUGS } from '../connections/demo.ts';
import { KNOWN_PROVIDERS, type KnownProvider } from '../providers.ts';
import type { LinkToken } from './token.ts';

/** Whether a token may be used for a provider. */
export const isChoosable = (
  { row: { provider, filter_on_providers: only } }: Pick<LinkToken, 'row'>,
  slug: string,
): boolean => (provider === null || provider === slug) && (only === null || only.includes(slug));

/** The demonstrations that our own page offers: in a sandbox, where no provider need know of anybody. */
export const demosOf = ({ tenant, row }: Pick<LinkToken, 'tenant' | 'row'>): KnownProvider[] =>
  tenant.environment === 'sandbox'
    ? KNOWN_PROVIDERS.filter(
        ({ slug }) => DEMO_SLUGS.some((demo) => demo === slug) && isChoosable({ row }, slug),
      )
    : [];

/** What can be connected with a token here and now: we can speak with it, and there is an application. */
export async function choicesOf(app: App, token: LinkToken): Promise<KnownProvider[]> {
  const own = await readTenant(app, token.tenant, ownSources);
  const { config, wearableProviders } = app;
  return KNOWN_PROVIDERS.filter(
    ({ slug }) =>
      isChoosable(token, slug) &&
      wearableProviders.find(slug) !== undefined &&
      (own.has(slug) || wearableProviders.applicationOf(slug, redirectUri(config, slug)) !== undefined),
  );
}
