import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import type {
  Grant,
  ProviderApplication,
  WearableProvider,
} from '../../src/adapters/wearable-provider/port.ts';
import type { HealthReading } from '../../src/readings/readings.ts';
import { CLIENT, REDIRECT_URI } from './stand-in.ts';

export const APP: ProviderApplication = {
  ...CLIENT,
  redirectUri: REDIRECT_URI,
  webhookSecrets: ['a-code-of-a-subscriber', 'secret-of-a-webhook'],
};

/** All scopes that the provider's resources need. */
export const allScopes = (provider: WearableProvider): string[] => [
  ...new Set(provider.resources.flatMap((resource) => provider.scopesOf(resource))),
];

interface OAuthCallback {
  readonly code: string;
  readonly codeVerifier: string;
  readonly scope: string;
}

/** The OAuth redirects to the provider and back, as a browser follows them. */
export async function authorizeApp(
  provider: WearableProvider,
  scopes = allScopes(provider),
): Promise<OAuthCallback> {
  const codeVerifier = generateRandomCodeVerifier();
  const codeChallenge = await calculatePKCECodeChallenge(codeVerifier);
  const url = provider.buildAuthorizationUrl({ app: APP, state: 'state-of-8+', scopes, codeChallenge });
  const response = await fetch(url, { redirect: 'manual' });
  const back = new URL(response.headers.get('location') ?? '');
  if (back.searchParams.get('state') !== 'state-of-8+') throw new Error('The redirect has a different state');
  return {
    code: back.searchParams.get('code') ?? '',
    codeVerifier,
    scope: back.searchParams.get('scope') ?? '',
  };
}

export const connect = async (provider: WearableProvider, scopes?: string[]): Promise<Grant> =>
  provider.exchangeCode({ app: APP, ...(await authorizeApp(provider, scopes)) });

export async function pullAll(
  provider: WearableProvider,
  grant: Grant,
  what: Parameters<WearableProvider['pull']>[1],
): Promise<HealthReading[]> {
  const readings: HealthReading[] = [];
  for await (const reading of provider.pull(grant, what)) readings.push(reading);
  return readings;
}
