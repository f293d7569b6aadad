import { dexcom } from './dexcom/dexcom.ts';
import type { Definition } from './definition.ts';
import { fitbit } from './fitbit/fitbit.ts';
import { oura } from './oura/oura.ts';
import { polar } from './polar/polar.ts';
import type { WearableProvider } from './port.ts';
import { wearableProvider, type ProviderOptions } from './provider.ts';
import { strava } from './strava/strava.ts';
import { whoop } from './whoop/whoop.ts';
import { withings } from './withings/withings.ts';

const DEFINITIONS: readonly Definition[] = [fitbit, oura, withings, strava, whoop, polar, dexcom];

/** Slugs of the providers that we can ask ourselves. */
export const AVAILABLE_PROVIDERS: readonly string[] = DEFINITIONS.map(({ slug }) => slug);

export interface WearableProviderOptions extends Omit<ProviderOptions, 'at'> {
  /** Origins that are asked instead of a provider's own, by slug: stand-ins, or another region of it. */
  readonly at?: Readonly<Record<string, string>>;
}

/** The body for a provider; undefined where there is none. */
export function providerFor(options: WearableProviderOptions, slug: string): WearableProvider | undefined {
  const definition = DEFINITIONS.find((one) => one.slug === slug);
  return definition && wearableProvider(definition, { ...options, at: options.at?.[slug] });
}

/** All of them, by slug. */
export const wearableProviders = (
  options: WearableProviderOptions = {},
): ReadonlyMap<string, WearableProvider> =>
  new Map(
    DEFINITIONS.map((definition) => [
      definition.slug,
      wearableProvider(definition, { ...options, at: options.at?.[definition.slug] }),
    ]),
  );
