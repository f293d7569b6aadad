import type { WearableProvider } from './adapters/wearable-provider/port.ts';
import type { WearableProviders } from './app.ts';
import type { Clock } from './platform/clock.ts';
import { ConfigError } from './platform/config.ts';
import type { Platform } from './platform/work.ts';

/** The bodies of all providers by slug; `at` has the origins that are asked instead of a provider's own. */
type OpenProviders = (options: {
  readonly at: Readonly<Record<string, string>>;
  readonly clock: Clock;
}) => ReadonlyMap<string, WearableProvider>;

/** The providers that we can speak with, and the applications that the deployment has there. Throws for a slug that is none. */
export function wearableProvidersOf({ config, clock }: Platform, open: OpenProviders): WearableProviders {
  const given = new Map(Object.entries(config.WEARABLE_PROVIDERS));
  const at = Object.fromEntries(
    [...given].flatMap(([slug, { origin }]) => (origin === undefined ? [] : [[slug, origin]])),
  );
  const bodies = open({ at, clock });
  const unknown = [...given.keys()].filter((slug) => !bodies.has(slug));
  if (unknown.length > 0) throw new ConfigError(unknown.map((slug) => noProvider(slug, [...bodies.keys()])));
  return {
    find: (slug) => bodies.get(slug),
    applicationOf: (slug, redirectUri) => {
      const { client_id: clientId, client_secret: clientSecret } = given.get(slug) ?? {};
      return clientId && clientSecret ? { clientId, clientSecret, redirectUri } : undefined;
    },
  };
}

const noProvider = (slug: string, known: readonly string[]): string =>
  `WEARABLE_PROVIDERS.${slug}: expected the slug of a provider: ${known.join(', ')}`;
