import type { WearableProvider } from './adapters/wearable-provider/port.ts';
import type { WearableProviders } from './app.ts';
import type { Clock } from './platform/clock.ts';
import { ConfigError } from './platform/config.ts';
import type { Platform } from './platform/work.ts';

/** Creates the implementations of all providers, by slug. `origins` maps a slug to the origin to call instead of its own. */
type WearableProviderFactory = (options: {
  readonly origins: Readonly<Record<string, string>>;
  readonly regions: Readonly<Record<string, string>>;
  readonly clock: Clock;
}) => ReadonlyMap<string, WearableProvider>;

/**
 * The supported providers, and the deployment's own application at each. Throws a ConfigError for an unknown slug in
 * WEARABLE_PROVIDERS.
 */
export function configureWearableProviders(
  { config, clock }: Platform,
  open: WearableProviderFactory,
): WearableProviders {
  const given = new Map(Object.entries(config.WEARABLE_PROVIDERS));
  const origins = Object.fromEntries(
    [...given].flatMap(([slug, { origin }]) => (origin === undefined ? [] : [[slug, origin]])),
  );
  const regions = Object.fromEntries(
    [...given].flatMap(([slug, { region }]) => (region === undefined ? [] : [[slug, region]])),
  );
  const own = open({ origins, regions: {}, clock });
  const without = Object.entries(regions).filter(
    ([slug, region]) => own.get(slug)?.isRegionSupported(region) === false,
  );
  if (without.length > 0)
    throw new ConfigError(without.map(([slug, region]) => unknownRegionMessage(slug, region)));
  const bodies = open({ origins, regions, clock });
  const unknown = [...given.keys()].filter((slug) => !bodies.has(slug));
  if (unknown.length > 0)
    throw new ConfigError(unknown.map((slug) => unknownProviderMessage(slug, [...bodies.keys()])));
  return {
    find: (slug) => bodies.get(slug),
    applicationOf: (slug, redirectUri) => {
      const { client_id: clientId, client_secret: clientSecret } = given.get(slug) ?? {};
      return clientId && clientSecret ? { clientId, clientSecret, redirectUri } : undefined;
    },
  };
}

const unknownRegionMessage = (slug: string, region: string): string =>
  `WEARABLE_PROVIDERS.${slug}.region: ${region} is no region of this provider`;

const unknownProviderMessage = (slug: string, known: readonly string[]): string =>
  `WEARABLE_PROVIDERS.${slug}: expected the slug of a provider: ${known.join(', ')}`;
