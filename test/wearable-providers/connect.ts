import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import type {
  Grant,
  ProviderApplication,
  WearableProvider,
} from '../../src/adapters/wearable-provider/port.ts';
import type { Reading } from '../../src/wearables/readings.ts';
import { CLIENT, REDIRECT_URI } from './core.ts';

export const APP: ProviderApplication = {
  ...CLIENT,
  redirectUri: REDIRECT_URI,
  webhookSecrets: ['a-code-of-a-subscriber', 'secret-of-a-webhook'],
};

/** All the scopes that the resources of a provider need. */
export const allScopes = (provider: WearableProvider): string[] => [
  ...new Set(provider.resources.flatMap((resource) => provider.scopesOf(resource))),
];

export interface CameBack {
  readonly code: string;
  readonly codeVerifier: string;
  readonly scope: string;
}

/** The way of a user to the provider and back, as a browser goes it. */
export async function goAndGrant(
  provider: WearableProvider,
  scopes = allScopes(provider),
): Promise<CameBack> {
  const codeVerifier = generateRandomCodeVerifier();
  const codeChallenge = await calculatePKCECodeChallenge(codeVerifier);
  const url = provider.grantUrl({ app: APP, state: 'state-of-8+', scopes, codeChallenge });
  const response = await fetch(url, { redirect: 'manual' });
  const back = new URL(response.headers.get('location') ?? '');
  if (back.searchParams.get('state') !== 'state-of-8+') throw new Error('The state was lost on the way');
  return {
    code: back.searchParams.get('code') ?? '',
    codeVerifier,
    scope: back.searchParams.get('scope') ?? '',
  };
}

export const connect = async (provider: WearableProvider, scopes?: string[]): Promise<Grant> =>
  provider.redeem({ app: APP, ...(await goAndGrant(provider, scopes)) });

export async function pulled(
  provider: WearableProvider,
  grant: Grant,
  what: Parameters<WearableProvider['pull']>[1],
): Promise<Reading[]> {
  const readings: Reading[] = [];
  for await (const reading of provider.pull(grant, what)) readings.push(reading);
  return readings;
}
