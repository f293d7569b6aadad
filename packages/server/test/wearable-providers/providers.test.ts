import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AVAILABLE_PROVIDERS,
  createWearableProviderFor,
  createWearableProviders,
} from '../../src/adapters/wearable-provider/choose.ts';
import {
  AccessTokenRejectedError,
  GrantLostError,
  ProviderUnavailableError,
  ProviderRateLimitedError,
  type Grant,
  type WearableProvider,
} from '../../src/adapters/wearable-provider/port.ts';
import { DAY, manualClock, later } from '../../src/platform/clock.ts';
import { SCOPES } from '../../src/provider-settings/lists.ts';
import { type HealthReading, RESOURCES } from '../../src/readings/readings.ts';
import { allScopes, APP, connect, authorizeApp, pullAll } from './connect.ts';
import { maxStepBack, validationFaults, readingName, itemsIn } from './reading-checks.ts';
import { openStandIns, type StandIns } from './stand-ins.ts';

const NOON = new Date('2026-03-15T12:00:00Z');
const clock = manualClock(NOON);
/** Includes the DST change in America. */
const WEEK = { from: new Date('2026-03-05T00:00:00Z'), to: new Date('2026-03-12T00:00:00Z') };
const LONG = { from: later(WEEK.to, -62 * DAY), to: WEEK.to };

/** The retry delay that each provider requests, in seconds. */
const RETRY_AFTER_SECONDS: Readonly<Record<string, number>> = {
  // It names no delay.
  fitbit: 60,
  oura: 77,
  withings: 60,
  // Until the next quarter of an hour.
  strava: 901,
  whoop_v2: 33,
  polar: 541,
  // It sends a date: 12:05.
  dexcom_v3: 300,
};

const allExcept = (...slugs: string[]) => AVAILABLE_PROVIDERS.filter((slug) => !slugs.includes(slug));
/** Polar's token is valid for years and cannot be refreshed. */
const REFRESHING = allExcept('polar');
/** Dexcom has no revocation endpoint. */
const REVOKING = allExcept('dexcom_v3');
/** Polar and Dexcom have a single scope, which is always requested. */
const SCOPED = allExcept('polar', 'dexcom_v3');

let standIns: StandIns;
let redirectServer: Server;
const redirectedRequests: string[] = [];
let providers: ReadonlyMap<string, WearableProvider>;

beforeAll(async () => {
  standIns = await openStandIns();
  providers = createWearableProviders({ origins: standIns.at, clock });
  redirectServer = createServer((request, response) => {
    redirectedRequests.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => redirectServer.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await standIns.close();
  await new Promise((resolve) => redirectServer.close(resolve));
});
beforeEach(() => {
  for (const slug of AVAILABLE_PROVIDERS) standIns.of(slug).behavior = 'well';
});

const providerOf = (slug: string): WearableProvider => {
  const provider = providers.get(slug);
  if (!provider) throw new Error(`There is no ${slug}`);
  return provider;
};
/** Pulls any resource. */
const pullAnything = (provider: WearableProvider, grant: Grant): Promise<HealthReading[]> =>
  pullAll(provider, grant, { resource: provider.resources.at(-1) ?? '', span: WEEK });
const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof GrantLostError ? error.fault : String(error)),
  );
const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

it('implements these providers and no other', () => {
  const slugs = ['fitbit', 'oura', 'withings', 'strava', 'whoop_v2', 'polar', 'dexcom_v3'];
  expect(AVAILABLE_PROVIDERS).toEqual(slugs);
  expect(createWearableProviderFor({}, 'strava')?.slug).toBe('strava');
  expect(createWearableProviderFor({}, 'peloton')).toBeUndefined();
});

describe.each(AVAILABLE_PROVIDERS)('%s', (slug) => {
  it('lists known resources and scopes that can be requested', () => {
    const provider = providerOf(slug);
    const known: Partial<Record<string, readonly string[]>> = SCOPES;
    expect(provider.resources.filter((resource) => !(resource in RESOURCES))).toEqual([]);
    expect(allScopes(provider).filter((scope) => !known[slug]?.includes(scope))).toEqual([]);
  });

  it('sends the user to the provider by https, with the state', () => {
    const url = createWearableProviderFor({}, slug)?.buildAuthorizationUrl({
      app: APP,
      state: 'a b',
      scopes: [],
      codeChallenge: 'c',
    });
    expect(url?.protocol).toBe('https:');
    expect(Object.fromEntries(url?.searchParams ?? [])).toMatchObject({
      response_type: 'code',
      client_id: APP.clientId,
      redirect_uri: APP.redirectUri,
      state: 'a b',
    });
  });

  it('exchanges a code once', async () => {
    const provider = providerOf(slug);
    const back = await authorizeApp(provider);
    const grant = await provider.exchangeCode({ app: APP, ...back });
    expect(grant.externalUserId).toBe(standIns.of(slug).protocol.user);
    expect(grant.scopes).toEqual(expect.arrayContaining(allScopes(provider)));
    expect(grant.expiresAt?.getTime()).toBeGreaterThan(NOON.getTime());
    expect(await faultOf(provider.exchangeCode({ app: APP, ...back }))).toBe('unknown');
  });

  it('reports wrong application credentials as such, not as a lost grant', async () => {
    const provider = providerOf(slug);
    const app = { ...APP, clientSecret: 'another' };
    const redeemed = provider.exchangeCode({ app, ...(await authorizeApp(provider)) });
    expect(await faultOf(redeemed)).toBe('provider_credential_error');
    const grant = { ...(await connect(provider)), refreshToken: 'any' };
    expect(await faultOf(provider.refresh(app, grant))).toBe('provider_credential_error');
  });

  it('pulls a week, oldest first, in our units, with repeatable results', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    for (const resource of provider.resources) {
      const readings = await pullAll(provider, grant, { resource, span: WEEK });
      expect(readings.map(readingName)).toContain(resource);
      expect(readings.flatMap(validationFaults)).toEqual([]);
      expect(maxStepBack(readings), resource).toBe(0);
      const told = readings.flatMap(itemsIn).map(({ name }) => name);
      expect(new Set(told).size, resource).toBe(told.length);
      expect(await pullAll(provider, grant, { resource, span: WEEK })).toEqual(readings);
    }
  });

  it('splits a long period into requests that the provider accepts', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    for (const resource of provider.resources) {
      const readings = await pullAll(provider, grant, { resource, span: LONG });
      // Days at the border of two parts may be returned twice, because the user's time zone is unknown.
      expect(maxStepBack(readings), resource).toBeLessThanOrEqual(3 * DAY);
    }
  });

  it('loses a grant that the user revoked', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    standIns.of(slug).revokeGrants();
    await expect(pullAnything(provider, grant)).rejects.toThrow(AccessTokenRejectedError);
    expect(await faultOf(provider.refresh(APP, grant))).toBe('token_refresh_failed');
  });

  it('respects the retry delay of the provider', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    const back = await authorizeApp(provider);
    standIns.of(slug).behavior = 'busy';
    for (const work of [pullAnything(provider, grant), provider.exchangeCode({ app: APP, ...back })]) {
      const error = await errorOf(work);
      expect(error).toBeInstanceOf(ProviderRateLimitedError);
      const expected = RETRY_AFTER_SECONDS[slug];
      expect(expected, `Add ${slug} to RETRY_AFTER_SECONDS, as its stand-in's "busy" says`).toBeDefined();
      expect(error).toMatchObject({ retryAfterSeconds: expected });
    }
  });

  it.each(['garbage', 'hollow', 'down', 'elsewhere'] as const)(
    'fails with a retryable error when it is %s',
    async (mood) => {
      const provider = providerOf(slug);
      const standIn = standIns.of(slug);
      const grant = await connect(provider);
      const back = await authorizeApp(provider);
      standIn.redirectTarget = `http://127.0.0.1:${(redirectServer.address() as AddressInfo).port}`;
      standIn.behavior = mood;
      const hasNothing = mood === 'hollow' && standIn.protocol.hasEmptyLists === true;
      for (const resource of hasNothing ? [] : provider.resources) {
        await expect(pullAll(provider, grant, { resource, span: WEEK })).rejects.toThrow(
          ProviderUnavailableError,
        );
      }
      await expect(provider.exchangeCode({ app: APP, ...back })).rejects.toThrow(ProviderUnavailableError);
      expect(redirectedRequests).toEqual([]);
    },
  );

  it('ignores invalid values', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    standIns.of(slug).behavior = 'odd';
    for (const resource of provider.resources) {
      const outcome = await pullAll(provider, grant, { resource, span: WEEK }).catch(
        (error: unknown) => error,
      );
      const readings = Array.isArray(outcome) ? outcome : [];
      expect(readings.flatMap(validationFaults), resource).toEqual([]);
      expect(outcome === readings || outcome instanceof ProviderUnavailableError, String(outcome)).toBe(true);
    }
  });

  it('subscribes to notifications once per subscription', async () => {
    const provider = providerOf(slug);
    const { subscriptions } = standIns.of(slug);
    const grant = await connect(provider);
    const address = `https://aliquot.example.com/v2/provider_webhook/${slug}/t/production`;
    // Polar's webhook is created by the team; the other providers ignore unknown subscriptions.
    subscriptions.set('1', { id: 'abdf33', url: address, callback_url: '', callbackurl: '', active: false });
    if (slug !== 'polar') subscriptions.clear();
    await provider.subscribe(APP, grant, address);
    const registered = [...subscriptions.keys()];
    await provider.subscribe(APP, grant, address);
    expect([...subscriptions.keys()]).toEqual(registered);
    expect(registered).toHaveLength(SUBSCRIPTION_COUNTS[slug] ?? 0);
  });
});

/** Number of subscriptions. The webhooks of Fitbit and WHOOP are set by the team, and Dexcom is polled. */
const SUBSCRIPTION_COUNTS: Readonly<Record<string, number>> = {
  oura: 9,
  withings: 6,
  strava: 1,
  polar: 1,
};

describe.each(REFRESHING)('%s', (slug) => {
  it('rejects an expired access token and accepts a refreshed one', async () => {
    const provider = providerOf(slug);
    const grant = await connect(provider);
    standIns.of(slug).expireAccessTokens();
    await expect(pullAnything(provider, grant)).rejects.toThrow(AccessTokenRejectedError);
    const fresh = await provider.refresh(APP, grant);
    expect(fresh.accessToken).not.toBe(grant.accessToken);
    const isKept = standIns.of(slug).protocol.keepsRefreshToken === true;
    expect(fresh.refreshToken === grant.refreshToken).toBe(isKept);
    const { scopes, externalUserId } = grant;
    expect(fresh).toMatchObject({ scopes, externalUserId });
    expect(await pullAnything(provider, fresh)).not.toEqual([]);
    expect(await faultOf(provider.refresh(APP, grant))).toBe(isKept ? 'none' : 'token_refresh_failed');
  });

  it.each(['busy', 'garbage', 'hollow', 'down', 'elsewhere'] as const)(
    'keeps a grant when it is %s',
    async (mood) => {
      const provider = providerOf(slug);
      const grant = await connect(provider);
      standIns.of(slug).behavior = mood;
      expect(await errorOf(provider.refresh(APP, grant))).toBeInstanceOf(
        mood === 'busy' ? ProviderRateLimitedError : ProviderUnavailableError,
      );
      standIns.of(slug).behavior = 'well';
      expect(await pullAnything(provider, await provider.refresh(APP, grant))).not.toEqual([]);
    },
  );
});

it.each(REVOKING)('%s revokes a grant, also if it is revoked already', async (slug) => {
  const provider = providerOf(slug);
  const grant = await connect(provider);
  await provider.revoke(APP, grant);
  await expect(pullAnything(provider, grant)).rejects.toThrow(AccessTokenRejectedError);
  await provider.revoke(APP, grant);
});

it.each(SCOPED)('%s reports scopes that the user did not grant', async (slug) => {
  const provider = providerOf(slug);
  const grant = await connect(provider, []);
  for (const resource of provider.resources) {
    const fault = await faultOf(pullAll(provider, grant, { resource, span: WEEK }));
    // Fitbit returns intraday data only to some applications; Oura's profile scope is always requested.
    expect(fault === 'none' ? resource : fault).toMatch(
      /^(required_scopes_not_granted|heartrate|steps|profile)$/,
    );
  }
});

it('limits the time and size of a response', async () => {
  const standIn = standIns.of('fitbit');
  const provider = providerOf('fitbit');
  const grant = await connect(provider);
  const hasty = createWearableProviders({ origins: standIns.at, timeoutMs: 40 }).get('fitbit') ?? provider;
  standIn.behavior = 'silent';
  await expect(pullAnything(hasty, grant)).rejects.toThrow('Fitbit did not answer within 40 ms');
  standIn.behavior = 'endless';
  await expect(pullAnything(provider, grant)).rejects.toThrow('Fitbit sent a response that is too large');
  const nobody =
    createWearableProviders({ origins: { fitbit: 'http://127.0.0.1:1' } }).get('fitbit') ?? provider;
  await expect(pullAnything(nobody, grant)).rejects.toThrow('Fitbit cannot be reached');
});

it('proves by PKCE that it started the authorization', async () => {
  const provider = providerOf('fitbit');
  const back = await authorizeApp(provider);
  const stolen = provider.exchangeCode({ app: APP, ...back, codeVerifier: 'x'.repeat(43) });
  expect(await faultOf(stolen)).toBe('unknown');
});
