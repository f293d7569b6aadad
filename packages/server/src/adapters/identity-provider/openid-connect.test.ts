import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { manualClock, MINUTE } from '../../platform/clock.ts';
import { createOpenIdProviders } from './openid-connect.ts';
import type { OidcClient } from './port.ts';

const clock = manualClock(new Date('2026-03-02T15:00:00Z'));
const SHORT_MS = 250;
let provider: TestIdentityProvider;
beforeAll(async () => {
  provider = await openIdentityProvider(clock);
});
beforeEach(() => {
  provider.faults = {};
});
afterAll(() => provider.close());

const providers = createOpenIdProviders({ clock, scope: 'loopback' });
const DISCOVERY = '/.well-known/openid-configuration';

const clientOf = ({ issuer, clientId, clientSecret }: TestIdentityProvider): OidcClient => ({
  issuer,
  clientId,
  clientSecret,
  authentication: 'client_secret_basic',
});

const answering = (text: string, headers: Record<string, string> = {}, status = 200) => ({
  answers: { [DISCOVERY]: () => ({ status, headers, text }) },
});
const JSON_TYPE = { 'content-type': 'application/json' };
const METADATA_SERVICE = 'http://169.254.169.254/latest/meta-data';

describe('a discovery document', () => {
  it('of a provider as the specification has it is accepted', async () => {
    await expect(providers.checkIssuer(provider.issuer)).resolves.toBeUndefined();
  });

  // prettier-ignore
  it.each([
    ['that redirects to a private address', () => answering('', { location: METADATA_SERVICE }, 302), 'metadata'],
    ['that is not found',            () => answering('no', {}, 404),            'metadata'],
    ['that is no JSON',              () => answering('<html>'),                 'metadata'],
    ['that is a list',               () => answering('[]', JSON_TYPE),          'metadata'],
    ['that is too large',            () => answering(' '.repeat(300_000), JSON_TYPE), 'unreachable'],
    ['of another issuer',            () => ({ metadata: (all) => ({ ...all, issuer: 'https://else.example' }) }), 'metadata'],
    ['without a token endpoint',     () => ({ metadata: ({ token_endpoint: _none, ...all }) => all }), 'metadata'],
    ['without keys',                 () => ({ metadata: ({ jwks_uri: _none, ...all }) => all }), 'metadata'],
    ['with a token endpoint by http elsewhere', () => ({ metadata: (all) => ({ ...all, token_endpoint: METADATA_SERVICE }) }), 'forbidden'],
    ['with keys by http elsewhere',  () => ({ metadata: (all) => ({ ...all, jwks_uri: METADATA_SERVICE }) }), 'forbidden'],
    ['that sends browsers to a script', () => ({ metadata: (all) => ({ ...all, authorization_endpoint: 'javascript:alert(1)' }) }), 'forbidden'],
    ['without PKCE by S256',         () => ({ metadata: (all) => ({ ...all, code_challenge_methods_supported: ['plain'] }) }), 'metadata'],
    ['with symmetric algorithms only', () => ({ metadata: (all) => ({ ...all, id_token_signing_alg_values_supported: ['HS256', 'none'] }) }), 'metadata'],
  ] satisfies [string, () => TestIdentityProvider['faults'], string][])('%s is refused', async (_name, faults, fault) => {
    provider.faults = faults();
    await expect(providers.checkIssuer(provider.issuer)).rejects.toMatchObject({ fault });
  });

  it('that does not come in time is refused', async () => {
    const impatient = createOpenIdProviders({ clock, scope: 'loopback', timeoutMs: SHORT_MS });
    provider.faults = { answers: { [DISCOVERY]: () => new Promise(() => {}) } };
    await expect(impatient.checkIssuer(provider.issuer)).rejects.toMatchObject({
      fault: 'unreachable',
      message: expect.stringContaining(`within ${SHORT_MS} ms`),
    });
  });

  it.each([
    'http://127.0.0.1:9',
    'http://localhost:9',
    'http://10.0.0.1',
    'https://10.0.0.1',
    'https://[::1]',
  ])('at %s is not asked for where providers must be public', async (issuer) => {
    const guarded = createOpenIdProviders({ clock, scope: 'public' });
    await expect(guarded.checkIssuer(issuer)).rejects.toMatchObject({ fault: 'forbidden' });
  });

  it.each(['https://169.254.169.254', 'http://169.254.169.254', 'https://100.100.100.200'])(
    'at the metadata address %s is never asked for',
    async (issuer) => {
      const wide = createOpenIdProviders({ clock, scope: 'private' });
      await expect(wide.checkIssuer(issuer)).rejects.toMatchObject({ fault: 'forbidden' });
    },
  );

  it('is kept for 10 minutes, and read again when it is checked', async () => {
    const request = {
      client: clientOf(provider),
      redirectUri: 'http://localhost/callback',
      state: 's',
      nonce: 'n',
      codeVerifier: 'v'.repeat(43),
      loginHint: undefined,
      mustAuthenticate: false,
    };
    const own = createOpenIdProviders({ clock, scope: 'loopback' });
    const count = () => provider.requests.filter(({ path }) => path === DISCOVERY).length;
    const before = count();
    await own.buildAuthorizationUrl(request);
    await own.buildAuthorizationUrl(request);
    expect(count()).toBe(before + 1);
    clock.move(11 * MINUTE);
    await own.buildAuthorizationUrl(request);
    await own.checkIssuer(provider.issuer);
    expect(count()).toBe(before + 3);
  });
});

it('a token endpoint that redirects is not followed, so that no secret goes elsewhere', async () => {
  provider.faults = {
    answers: {
      '/token': () => ({ status: 307, headers: { location: `${provider.issuer}/stolen` }, text: '' }),
    },
  };
  const parameters = new URLSearchParams({ code: 'c', state: 's', iss: provider.issuer });
  const callback = { client: clientOf(provider), redirectUri: 'http://localhost/callback', parameters };
  const secrets = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) };
  await expect(providers.exchangeCode({ ...callback, ...secrets })).rejects.toMatchObject({
    fault: 'invalid',
  });
  expect(provider.requests.some(({ path }) => path === '/stolen')).toBe(false);
});
