import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWearableProviders } from '../../src/adapters/wearable-provider/choose.ts';
import type { Grant, WearableProvider } from '../../src/adapters/wearable-provider/port.ts';
import { allScopes, APP, pullAll } from './connect.ts';
import { dexcomProtocol } from './dexcom.ts';
import { openStandIn, type StandIn } from './stand-in.ts';

/** A host per region, each with accounts and tokens of its own. */
const HOSTS = {
  us: 'https://api.dexcom.com',
  eu: 'https://api.dexcom.eu',
  jp: 'https://api.dexcom.jp',
  sandbox: 'https://sandbox-api.dexcom.com',
};
type Host = keyof typeof HOSTS;
let hosts: Record<Host, StandIn>;
beforeAll(async () => {
  const open = () => openStandIn(dexcomProtocol);
  hosts = { us: await open(), eu: await open(), jp: await open(), sandbox: await open() };
});
afterAll(() => Promise.all(Object.values(hosts).map((host) => host.close())));

function openDexcom(region?: string): WearableProvider {
  const origins = Object.fromEntries(
    Object.entries(HOSTS).map(([name, own]) => [own, hosts[name as Host].url]),
  );
  const regions = region === undefined ? {} : { dexcom_v3: region };
  const found = createWearableProviders({ origins, regions }).get('dexcom_v3');
  if (!found) throw new Error('There is no Dexcom');
  return found;
}

async function connect(dexcom: WearableProvider, region?: string): Promise<Grant> {
  const asked = { app: APP, state: 'state-of-8+', scopes: allScopes(dexcom), codeChallenge: 'c', region };
  const response = await fetch(dexcom.buildAuthorizationUrl(asked), { redirect: 'manual' });
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  return dexcom.exchangeCode({ app: APP, code, codeVerifier: 'v', region });
}

const HOUR = { from: new Date('2026-03-07T12:00:00Z'), to: new Date('2026-03-07T14:00:00Z') };
const callsOf = () => Object.entries(hosts).flatMap(([name, { calls }]) => calls.map(() => name));
const takeHosts = () => {
  const called = [...new Set(callsOf())];
  for (const { calls } of Object.values(hosts)) calls.length = 0;
  return called;
};

it.each([
  [undefined, 'us'],
  ['us', 'us'],
  ['eu', 'eu'],
  ['de', 'eu'],
  ['jp', 'jp'],
  ['sandbox', 'sandbox'],
])('sends everything about a user in region %s to the host %s', async (region, host) => {
  const dexcom = openDexcom();
  const grant = await connect(dexcom, region);
  expect(await pullAll(dexcom, grant, { resource: 'glucose', span: HOUR })).not.toEqual([]);
  const fresh = await dexcom.refresh(APP, grant);
  expect(await pullAll(dexcom, fresh, { resource: 'glucose', span: HOUR })).not.toEqual([]);
  expect(fresh.issuer).toBe(HOSTS[host as Host]);
  expect(takeHosts()).toEqual([host]);
});

it('uses the configured region unless the user’s is named, and keeps each token with its host', async () => {
  const dexcom = openDexcom('jp');
  expect(dexcom.issuer).toBe(HOSTS.jp);
  const [here, there] = [await connect(dexcom), await connect(dexcom, 'eu')];
  expect(takeHosts()).toEqual(['eu', 'jp']);
  await dexcom.refresh(APP, here);
  expect(takeHosts()).toEqual(['jp']);
  // The region of the deployment has changed.
  await openDexcom('eu').refresh(APP, await connect(dexcom));
  expect(takeHosts()).toEqual(['jp']);
  await pullAll(openDexcom('us'), there, { resource: 'glucose', span: HOUR });
  expect(takeHosts()).toEqual(['eu']);
});

it('sends grants of earlier versions to the host of the United States', async () => {
  const grant = { ...(await connect(openDexcom(), 'us')), issuer: undefined };
  takeHosts();
  await pullAll(openDexcom('eu'), grant, { resource: 'glucose', span: HOUR });
  expect(takeHosts()).toEqual(['us']);
});

it('does not send a token to a host that a stored grant invents', async () => {
  const grant = { ...(await connect(openDexcom())), issuer: 'https://elsewhere.example' };
  takeHosts();
  await pullAll(openDexcom(), grant, { resource: 'glucose', span: HOUR });
  expect(takeHosts()).toEqual(['us']);
});

it('knows its regions', () => {
  const providers = createWearableProviders();
  expect(['us', 'gb', 'jp', 'sandbox', 'mars'].map((one) => openDexcom().isRegionSupported(one))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(providers.get('oura')?.isRegionSupported('eu')).toBe(false);
});
