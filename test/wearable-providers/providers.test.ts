import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  AVAILABLE_PROVIDERS,
  providerFor,
  wearableProviders,
} from '../../src/adapters/wearable-provider/choose.ts';
import {
  AccessRefused,
  GrantLost,
  ProviderAway,
  ProviderBusy,
  type Grant,
  type WearableProvider,
} from '../../src/adapters/wearable-provider/port.ts';
import { DAY, handClock, later } from '../../src/platform/clock.ts';
import { SCOPES } from '../../src/provider-settings/lists.ts';
import type { Reading } from '../../src/wearables/readings.ts';
import { RESOURCES } from '../../src/wearables/resources.ts';
import { allScopes, APP, connect, goAndGrant, pulled } from './connect.ts';
import { backwards, faultsOf, nameOf, toldIn } from './readable.ts';
import { openStandIns, type StandIns } from './stand-ins.ts';

const NOON = new Date('2026-03-15T12:00:00Z');
const clock = handClock(NOON);
/** The clocks of America are changed within it. */
const WEEK = { from: new Date('2026-03-05T00:00:00Z'), to: new Date('2026-03-12T00:00:00Z') };
const LONG = { from: later(WEEK.to, -62 * DAY), to: WEEK.to };

/** How long each of them says that it wants to be left alone. */
const BUSY: Readonly<Record<string, number>> = {
  fitbit: 1477,
  oura: 77,
  withings: 60,
  // Until the next quarter of an hour.
  strava: 901,
  whoop_v2: 33,
  polar: 541,
  // It says when: five past noon.
  dexcom_v3: 300,
};

const but = (...slugs: string[]) => AVAILABLE_PROVIDERS.filter((slug) => !slugs.includes(slug));
/** The token of Polar is good for years, and cannot be refreshed. */
const REFRESHING = but('polar');
/** Dexcom has nothing to take a grant back by. */
const REVOKING = but('dexcom_v3');
/** There is one scope for everything, which is always asked for. */
const SCOPED = but('polar', 'dexcom_v3');

let standIns: StandIns;
let bystander: Server;
const passedOn: string[] = [];
let providers: ReadonlyMap<string, WearableProvider>;

beforeAll(async () => {
  standIns = await openStandIns();
  providers = wearableProviders({ at: standIns.at, clock });
  bystander = createServer((request, response) => {
    passedOn.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((resolve) => bystander.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await standIns.close();
  await new Promise((resolve) => bystander.close(resolve));
});
beforeEach(() => {
  for (const slug of AVAILABLE_PROVIDERS) standIns.of(slug).mood = 'well';
});

const of = (slug: string): WearableProvider => {
  const provider = providers.get(slug);
  if (!provider) throw new Error(`There is no ${slug}`);
  return provider;
};
/** What is asked where it does not matter what. */
const anything = (provider: WearableProvider, grant: Grant): Promise<Reading[]> =>
  pulled(provider, grant, { resource: provider.resources.at(-1) ?? '', span: WEEK });
const faultIn = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof GrantLost ? error.fault : String(error)),
  );
const errorIn = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

it('has a body for seven providers, and for no other', () => {
  const seven = ['fitbit', 'oura', 'withings', 'strava', 'whoop_v2', 'polar', 'dexcom_v3'];
  expect(AVAILABLE_PROVIDERS).toEqual(seven);
  expect(providerFor({}, 'strava')?.slug).toBe('strava');
  expect(providerFor({}, 'peloton')).toBeUndefined();
});

describe.each(AVAILABLE_PROVIDERS)('%s', (slug) => {
  it('tells resources that there are, by scopes that can be asked for', () => {
    const provider = of(slug);
    const known: Partial<Record<string, readonly string[]>> = SCOPES;
    expect(provider.resources.filter((resource) => !(resource in RESOURCES))).toEqual([]);
    expect(allScopes(provider).filter((scope) => !known[slug]?.includes(scope))).toEqual([]);
  });

  it('sends the user to the provider by https, with the state', () => {
    const url = providerFor({}, slug)?.grantUrl({ app: APP, state: 'a b', scopes: [], codeChallenge: 'c' });
    expect(url?.protocol).toBe('https:');
    expect(Object.fromEntries(url?.searchParams ?? [])).toMatchObject({
      response_type: 'code',
      client_id: APP.clientId,
      redirect_uri: APP.redirectUri,
      state: 'a b',
    });
  });

  it('redeems a code once', async () => {
    const provider = of(slug);
    const back = await goAndGrant(provider);
    const grant = await provider.redeem({ app: APP, ...back });
    expect(grant.externalUserId).toBe(standIns.of(slug).wire.user);
    expect(grant.scopes).toEqual(expect.arrayContaining(allScopes(provider)));
    expect(grant.expiresAt?.getTime()).toBeGreaterThan(NOON.getTime());
    expect(await faultIn(provider.redeem({ app: APP, ...back }))).toBe('unknown');
  });

  it('says that the credentials are wrong, and not the grant', async () => {
    const provider = of(slug);
    const app = { ...APP, clientSecret: 'another' };
    const redeemed = provider.redeem({ app, ...(await goAndGrant(provider)) });
    expect(await faultIn(redeemed)).toBe('provider_credential_error');
    const grant = { ...(await connect(provider)), refreshToken: 'any' };
    expect(await faultIn(provider.refresh(app, grant))).toBe('provider_credential_error');
  });

  it('tells everything of a week, oldest first, in our units, the same each time', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    for (const resource of provider.resources) {
      const readings = await pulled(provider, grant, { resource, span: WEEK });
      expect(readings.map(nameOf)).toContain(resource);
      expect(readings.flatMap(faultsOf)).toEqual([]);
      expect(backwards(readings), resource).toBe(0);
      const told = readings.flatMap(toldIn).map(({ name }) => name);
      expect(new Set(told).size, resource).toBe(told.length);
      expect(await pulled(provider, grant, { resource, span: WEEK })).toEqual(readings);
    }
  });

  it('asks for a long time in parts that the provider answers', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    for (const resource of provider.resources) {
      const readings = await pulled(provider, grant, { resource, span: LONG });
      // Where one part ends and the next begins, days may come twice: they are asked for wherever the user is.
      expect(backwards(readings), resource).toBeLessThanOrEqual(3 * DAY);
    }
  });

  it('loses a grant that the user took back', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    standIns.of(slug).forget();
    await expect(anything(provider, grant)).rejects.toThrow(AccessRefused);
    expect(await faultIn(provider.refresh(APP, grant))).toBe('token_refresh_failed');
  });

  it('leaves the provider alone for as long as it wishes', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    const back = await goAndGrant(provider);
    standIns.of(slug).mood = 'busy';
    for (const work of [anything(provider, grant), provider.redeem({ app: APP, ...back })]) {
      const error = await errorIn(work);
      expect(error).toBeInstanceOf(ProviderBusy);
      expect(error).toMatchObject({ retryAfterSeconds: BUSY[slug] });
    }
  });

  it.each(['garbage', 'hollow', 'down', 'elsewhere'] as const)(
    'can be asked again later when it is %s',
    async (mood) => {
      const provider = of(slug);
      const standIn = standIns.of(slug);
      const grant = await connect(provider);
      const back = await goAndGrant(provider);
      standIn.elsewhere = `http://127.0.0.1:${(bystander.address() as AddressInfo).port}`;
      standIn.mood = mood;
      for (const resource of provider.resources) {
        await expect(pulled(provider, grant, { resource, span: WEEK })).rejects.toThrow(ProviderAway);
      }
      await expect(provider.redeem({ app: APP, ...back })).rejects.toThrow(ProviderAway);
      expect(passedOn).toEqual([]);
    },
  );

  it('makes nothing of nonsense', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    standIns.of(slug).mood = 'odd';
    for (const resource of provider.resources) {
      const outcome = await pulled(provider, grant, { resource, span: WEEK }).catch(
        (error: unknown) => error,
      );
      const readings = Array.isArray(outcome) ? outcome : [];
      expect(readings.flatMap(faultsOf), resource).toEqual([]);
      expect(outcome === readings || outcome instanceof ProviderAway, String(outcome)).toBe(true);
    }
  });

  it('registers for news as often as it is told to', async () => {
    const provider = of(slug);
    const { subscriptions } = standIns.of(slug);
    const grant = await connect(provider);
    const address = `https://aliquot.example.com/v2/provider_webhook/${slug}/t/production`;
    // That of Polar is made by the team; the others do not look at what does not look like their own.
    subscriptions.set('1', { id: 'abdf33', url: address, callback_url: '', callbackurl: '', active: false });
    if (slug !== 'polar') subscriptions.clear();
    await provider.subscribe(APP, grant, address);
    const registered = [...subscriptions.keys()];
    await provider.subscribe(APP, grant, address);
    expect([...subscriptions.keys()]).toEqual(registered);
    expect(registered).toHaveLength(REGISTERED[slug] ?? 0);
  });
});

/** How many registrations are made: of WHOOP's webhook its dashboard knows, and Dexcom is asked. */
const REGISTERED: Readonly<Record<string, number>> = { fitbit: 4, oura: 6, withings: 6, strava: 1, polar: 1 };

describe.each(REFRESHING)('%s', (slug) => {
  it('is refused when the access token has ended, and goes on with a fresh one', async () => {
    const provider = of(slug);
    const grant = await connect(provider);
    standIns.of(slug).expire();
    await expect(anything(provider, grant)).rejects.toThrow(AccessRefused);
    const fresh = await provider.refresh(APP, grant);
    expect(fresh.accessToken).not.toBe(grant.accessToken);
    expect(fresh.refreshToken).not.toBe(grant.refreshToken);
    const { scopes, externalUserId } = grant;
    expect(fresh).toMatchObject({ scopes, externalUserId });
    expect(await anything(provider, fresh)).not.toEqual([]);
    expect(await faultIn(provider.refresh(APP, grant))).toBe('token_refresh_failed');
  });

  it.each(['busy', 'garbage', 'hollow', 'down', 'elsewhere'] as const)(
    'keeps a grant when it is %s',
    async (mood) => {
      const provider = of(slug);
      const grant = await connect(provider);
      standIns.of(slug).mood = mood;
      expect(await errorIn(provider.refresh(APP, grant))).toBeInstanceOf(
        mood === 'busy' ? ProviderBusy : ProviderAway,
      );
      standIns.of(slug).mood = 'well';
      expect(await anything(provider, await provider.refresh(APP, grant))).not.toEqual([]);
    },
  );
});

it.each(REVOKING)('%s takes a grant back, and does not mind that it is back already', async (slug) => {
  const provider = of(slug);
  const grant = await connect(provider);
  await provider.revoke(APP, grant);
  await expect(anything(provider, grant)).rejects.toThrow(AccessRefused);
  await provider.revoke(APP, grant);
});

it.each(SCOPED)('%s says what the user did not grant', async (slug) => {
  const provider = of(slug);
  const grant = await connect(provider, []);
  for (const resource of provider.resources) {
    const fault = await faultIn(pulled(provider, grant, { resource, span: WEEK }));
    // What Fitbit shows only to some is not held against anybody; the profile of Oura is always asked for.
    expect(fault === 'none' ? resource : fault).toMatch(
      /^(required_scopes_not_granted|heartrate|steps|profile)$/,
    );
  }
});

it('does not wait for ever, nor take in everything', async () => {
  const standIn = standIns.of('fitbit');
  const provider = of('fitbit');
  const grant = await connect(provider);
  const hasty = wearableProviders({ at: standIns.at, timeoutMs: 40 }).get('fitbit') ?? provider;
  standIn.mood = 'silent';
  await expect(anything(hasty, grant)).rejects.toThrow('Fitbit did not answer within 40 ms');
  standIn.mood = 'endless';
  await expect(anything(provider, grant)).rejects.toThrow('Fitbit answered more than can be taken in');
  const nobody = wearableProviders({ at: { fitbit: 'http://127.0.0.1:1' } }).get('fitbit') ?? provider;
  await expect(anything(nobody, grant)).rejects.toThrow('Fitbit cannot be reached');
});

it('proves by PKCE that it is the one who asked', async () => {
  const provider = of('fitbit');
  const back = await goAndGrant(provider);
  const stolen = provider.redeem({ app: APP, ...back, codeVerifier: 'x'.repeat(43) });
  expect(await faultIn(stolen)).toBe('unknown');
});
