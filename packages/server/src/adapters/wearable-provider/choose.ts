import { dexcom } from './dexcom/dexcom.ts';
import type { ProviderDefinition } from './definition.ts';
import { fitbit } from './fitbit/fitbit.ts';
import { oura } from './oura/oura.ts';
import { polar } from './polar/polar.ts';
import type { WearableProvider } from './port.ts';
import { createWearableProvider, type WearableProviderSettings } from './provider.ts';
import { strava } from './strava/strava.ts';
import { whoop } from './whoop/whoop.ts';
import { withings } from './withings/withings.ts';

const DEFINITIONS: readonly ProviderDefinition[] = [fitbit, oura, withings, strava, whoop, polar, dexcom];

/** Slugs of the providers with an implementation. */
export const AVAILABLE_PROVIDERS: readonly string[] = DEFINITIONS.map(({ slug }) => slug);

interface WearableProviderOptions extends Omit<WearableProviderSettings, 'at' | 'region'> {
  /** Origins that replace a provider's own: by slug, or by one of several own origins. */
  readonly origins?: Readonly<Record<string, string>>;
  /** The default regions of providers with a host per region, by slug. */
  readonly regions?: Readonly<Record<string, string>>;
}

const toSettings = (
  { origins, regions, ...options }: WearableProviderOptions,
  slug: string,
): WearableProviderSettings => ({
  ...options,
  region: regions?.[slug],
  at: (own) => origins?.[own] ?? origins?.[slug],
});

/** The implementation of a provider; undefined if there is none. */
export function createWearableProviderFor(
  options: WearableProviderOptions,
  slug: string,
): WearableProvider | undefined {
  const definition = DEFINITIONS.find((one) => one.slug === slug);
  return definition && createWearableProvider(definition, toSettings(options, slug));
}

/** The implementations of all providers, by slug. */
export const createWearableProviders = (
  options: WearableProviderOptions = {},
): ReadonlyMap<string, WearableProvider> =>
  new Map(
    DEFINITIONS.map((definition) => [
      definition.slug,
      createWearableProvider(definition, toSettings(options, definition.slug)),
    ]),
  );
