import { createHash, createHmac } from 'node:crypto';
import { exportSPKI, importJWK, SignJWT, type CryptoKey as JwkKey } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../../test/browser.ts';
import {
  createSigningKey,
  openIdentityProvider,
  type ProviderFaults,
  type TestIdentityProvider,
} from '../../../test/identity-provider.ts';
import { joinOrganization } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  beginSignOn,
  connectProvider,
  joinWithAddress,
  signOn,
  verifiedDomain,
  visitProvider,
  type TestConnection,
} from '../../../test/single-sign-on.ts';
import { MINUTE } from '../../platform/clock.ts';

const service = useTestService();
const clinic = useTestTeam(service);
const attacker = useTestTeam(service);
let provider: TestIdentityProvider;
let evil: TestIdentityProvider;
let connection: TestConnection;
beforeAll(async () => {
  provider = await openIdentityProvider(service.clock);
  evil = await openIdentityProvider(service.clock);
  connection = await connectProvider(service, clinic, provider);
});
beforeEach(() => {
  provider.faults = {};
  evil.faults = {};
});
afterAll(() => Promise.all([provider.close(), evil.close()]));

const join = () => joinWithAddress(service, clinic, { domain: connection.domain });

/** A member with an address of the connection, as whom the provider is about to sign in. */
async function member() {
  const joined = await join();
  provider.account = { sub: joined.id, email: joined.email, email_verified: true };
  return joined;
}

const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
  (await browser.get('/v1/session')).status === 200;

/** Every refusal of the organization since a position of its audit log. */
async function reasonOf(orgId: string): Promise<string | undefined> {
  const { rows } = await service.ownerPool.query(
    `select after->>'reason' as reason from audit_log where org_id = $1 and action = 'session.fail'
     order by position desc limit 1`,
    [orgId],
  );
  return rows[0]?.reason;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(service.clock.now().getTime() / 1000);

// prettier-ignore
const forgeries: [name: string, faults: () => ProviderFaults][] = [
  ['for another client',          () => ({ claims: (claims) => ({ ...claims, aud: 'another-client' }) })],
  ['for several, authorized to another', () => ({
    claims: (claims) => ({ ...claims, aud: [String(claims['aud']), 'another'], azp: 'another' }) })],
  ['for several, without an authorized party', () => ({
    claims: (claims) => ({ ...claims, aud: [String(claims['aud']), 'another'] }) })],
  ['of another issuer',           () => ({ claims: (claims) => ({ ...claims, iss: evil.issuer }) })],
  ['with another nonce',          () => ({ claims: (claims) => ({ ...claims, nonce: 'another' }) })],
  ['without a nonce',             () => ({ claims: ({ nonce: _nonce, ...claims }) => claims })],
  ['without a subject',           () => ({ claims: ({ sub: _sub, ...claims }) => claims })],
  ['with an empty subject',       () => ({ claims: (claims) => ({ ...claims, sub: '' }) })],
  ['with an endless subject',     () => ({ claims: (claims) => ({ ...claims, sub: 'x'.repeat(300) }) })],
  ['that has expired',            () => ({ claims: (claims) => ({ ...claims, exp: seconds() - 31 }) })],
  ['without an expiry',           () => ({ claims: ({ exp: _exp, ...claims }) => claims })],
  ['that is not valid yet',       () => ({ claims: (claims) => ({ ...claims, nbf: seconds() + 31 }) })],
  ['with the algorithm none',     () => ({ idToken: async (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.` })],
  ['without a signature',         () => ({ idToken: async (claims) => `${encode({ alg: 'RS256', kid: provider.key().kid })}.${encode(claims)}.` })],
  ['with HS256 by the public key', () => ({ idToken: signWithPublicKey })],
  ['with HS256 by the client secret', () => ({ idToken: signWithSecret })],
  ['of a key that is not published', () => ({ idToken: (claims) => signWith(claims, 'unknown') })],
  ['of another key, as the published one', () => ({ idToken: (claims) => signWith(claims, provider.key().kid) })],
  ['that was changed after signing', () => ({ idToken: changeSigned })],
  ['that is missing',             () => ({ idToken: async () => '' })],
  ['that is no token',            () => ({ idToken: async () => 'a.b.c' })],
];

async function signWithPublicKey(claims: Record<string, unknown>): Promise<string> {
  const pem = await exportSPKI((await importJWK(provider.key().publicKey, 'RS256')) as JwkKey);
  return signHs256(claims, pem);
}
const signWithSecret = async (claims: Record<string, unknown>) => signHs256(claims, provider.clientSecret);

function signHs256(claims: Record<string, unknown>, secret: string): string {
  const text = `${encode({ alg: 'HS256', kid: provider.key().kid })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function signWith(claims: Record<string, unknown>, kid: string): Promise<string> {
  const { privateKey } = await createSigningKey();
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
}

async function changeSigned(claims: Record<string, unknown>): Promise<string> {
  const { privateKey, kid } = provider.key();
  const signed = await new SignJWT({ ...claims, sub: 'victim' })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(privateKey);
  const [header, , signature] = signed.split('.');
  return `${header}.${encode(claims)}.${signature}`;
}

describe('an ID token', () => {
  it.each(forgeries)('%s signs nobody in', async (_name, faults) => {
    const { email } = await member();
    provider.faults = faults();
    const browser = openBrowser(service);
    const back = await signOn(browser, { email });
    expect(back).toMatchObject({ status: 400, text: expect.stringContaining('failed a check') });
    expect(await isSignedIn(browser)).toBe(false);
    expect(await reasonOf(clinic.orgId)).toBe('provider_invalid');
    provider.faults = {};
    expect((await signOn(browser, { email })).status).toBe(200);
  });

  it('that expired within the tolerance of clocks is accepted', async () => {
    const { email } = await member();
    provider.faults = { claims: (claims) => ({ ...claims, exp: seconds() - 29 }) };
    expect((await signOn(openBrowser(service), { email })).status).toBe(200);
  });

  it('of a new key is accepted at once, and one of the old key no longer', async () => {
    const { email } = await member();
    expect((await signOn(openBrowser(service), { email })).status).toBe(200);
    const old = provider.key();
    await provider.rotateKeys();
    expect((await signOn(openBrowser(service), { email })).status).toBe(200);
    provider.faults = {
      idToken: (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: old.kid }).sign(old.privateKey),
    };
    expect((await signOn(openBrowser(service), { email })).status).toBe(400);
  });

  it('does not make the service read the keys with every sign-in', async () => {
    const { email } = await member();
    await signOn(openBrowser(service), { email });
    const before = provider.requests.filter(({ path }) => path === '/keys').length;
    await signOn(openBrowser(service), { email });
    expect(provider.requests.filter(({ path }) => path === '/keys')).toHaveLength(before);
    service.clock.move(6 * MINUTE);
    await signOn(openBrowser(service), { email });
    expect(provider.requests.filter(({ path }) => path === '/keys')).toHaveLength(before + 1);
  });
});

describe('an answer', () => {
  it.each([
    ['with the issuer of another provider', (query: URLSearchParams) => query.set('iss', evil.issuer)],
    ['without the issuer that the provider promises', (query: URLSearchParams) => query.delete('iss')],
    ['without a code', (query: URLSearchParams) => query.delete('code')],
    ['with a code that was never issued', (query: URLSearchParams) => query.set('code', 'guess')],
    ['of the implicit flow', (query: URLSearchParams) => query.set('id_token', 'a.b.c')],
  ])('%s signs nobody in', async (_name, callback) => {
    const { email } = await member();
    provider.faults = { callback };
    const browser = openBrowser(service);
    expect((await signOn(browser, { email })).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('with an error says that the provider refused, and nothing of its text', async () => {
    const { email } = await member();
    provider.faults = {
      callback: (query) => {
        query.delete('code');
        query.set('error', '<script>alert(1)</script>');
        query.set('error_description', '<script>alert(2)</script>');
      },
    };
    const back = await signOn(openBrowser(service), { email });
    expect(back).toMatchObject({ status: 403, text: expect.stringContaining('did not sign you in') });
    expect(back.text).not.toMatch(/alert\(/);
    expect(await reasonOf(clinic.orgId)).toBe('provider_denied');
  });

  it('is used once: its repetition in the same browser signs nobody in', async () => {
    const { email } = await member();
    const browser = openBrowser(service);
    const started = await browser.post('/v1/session/sso', { email });
    const cookies = new Map(browser.cookies);
    const back = await visitProvider(started.json.authorization_url);
    expect((await browser.get(back)).status).toBe(200);
    const again = openBrowser(service);
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect((await again.get(back)).status).toBe(400);
    expect(await isSignedIn(again)).toBe(false);
  });

  it('is used once also by two requests at the same time', async () => {
    const { email } = await member();
    const browser = openBrowser(service);
    const back = await visitProvider(await beginSignOn(browser, { email }));
    const answers = await Promise.all([browser.get(back), browser.get(back), browser.get(back)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  });

  it('in another browser signs nobody in there, and stays valid in its own', async () => {
    const { id, email } = await member();
    const browser = openBrowser(service);
    const back = await visitProvider(await beginSignOn(browser, { email }));
    const without = openBrowser(service);
    const other = openBrowser(service);
    await beginSignOn(other, { email });
    for (const stranger of [without, other]) {
      expect((await stranger.get(back)).status).toBe(400);
      expect(await isSignedIn(stranger)).toBe(false);
    }
    expect((await browser.get(back)).status).toBe(200);
    expect((await browser.get('/v1/session')).json.member.id).toBe(id);
  });

  it('with the code of another browser signs nobody in, because the verifier is not the same', async () => {
    const { email } = await member();
    const [victim, thief] = [openBrowser(service), openBrowser(service)];
    const stolen = new URL(await visitProvider(await beginSignOn(victim, { email })), provider.issuer);
    const own = new URL(await visitProvider(await beginSignOn(thief, { email })), provider.issuer);
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect((await thief.get(own.pathname + own.search)).status).toBe(400);
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('is too late after 10 minutes', async () => {
    const { email } = await member();
    const [late, punctual] = [openBrowser(service), openBrowser(service)];
    const back = await visitProvider(await beginSignOn(late, { email }));
    service.clock.move(MINUTE);
    const other = await visitProvider(await beginSignOn(punctual, { email }));
    service.clock.move(9 * MINUTE);
    expect((await late.get(back)).status).toBe(400);
    expect((await punctual.get(other)).status).toBe(200);
  });

  it('stores neither state, verifier nor nonce', async () => {
    const { email } = await member();
    const browser = openBrowser(service);
    const url = new URL(await beginSignOn(browser, { email }));
    const state = url.searchParams.get('state') ?? '';
    const { rows } = await service.ownerPool.query('select * from sso_request where state = $1', [
      createHash('sha256').update(state).digest(),
    ]);
    expect(rows).toHaveLength(1);
    const stored = JSON.stringify(rows);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(stored).not.toContain(url.searchParams.get(name));
  });
});

describe('an account of the provider', () => {
  // prettier-ignore
  it.each([
    ['without email_verified',        { email_verified: undefined },            'email_unverified'],
    ['with email_verified false',     { email_verified: false },                'email_unverified'],
    ['with email_verified as text',   { email_verified: 'true' as never },      'email_unverified'],
    ['with false and xms_edov',       { email_verified: false, xms_edov: true }, 'email_unverified'],
    ['with xms_edov false',           { email_verified: undefined, xms_edov: false }, 'email_unverified'],
    ['without an address',            { email: undefined },                     'email_missing'],
    ['with something else as address', { email: 'ada' },                        'email_missing'],
    ['with an address of a foreign domain', { email: 'ada@foreign.example' },   'domain_foreign'],
    ['with a subdomain',              { email: 'ada@sub.DOMAIN' },              'domain_foreign'],
    ['with the domain as a prefix',   { email: 'ada@DOMAIN.evil.example' },     'domain_foreign'],
    ['with the address of nobody',    { email: 'nobody@DOMAIN' },               'member_unknown'],
  ])('%s becomes no member', async (_name, claims, reason) => {
    const { id, email } = await member();
    const own = 'email' in claims ? { email: claims.email?.replace('DOMAIN', connection.domain) } : {};
    provider.account = { sub: `new-${id}`, email, email_verified: true, ...claims, ...own };
    const browser = openBrowser(service);
    expect((await signOn(browser, { email })).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await reasonOf(clinic.orgId)).toBe(reason);
  });

  it('of Entra ID becomes a member by xms_edov where email_verified is absent', async () => {
    const { id, email } = await member();
    provider.account = { sub: `entra-${id}`, email, xms_edov: true } as never;
    const browser = openBrowser(service);
    await signOn(browser, { email });
    expect((await browser.get('/v1/session')).json.member.id).toBe(id);
  });

  it('does not take over a member who has another one', async () => {
    const { id, email } = await member();
    await signOn(openBrowser(service), { email });
    provider.account = { sub: `recycled-${id}`, email, email_verified: true };
    const browser = openBrowser(service);
    expect((await signOn(browser, { email })).status).toBe(409);
    expect(await isSignedIn(browser)).toBe(false);
    await clinic.management.delete(`/v1/org/${clinic.orgId}/member/${id}/sso_identity`);
    const { rows } = await service.ownerPool.query(
      `select action from audit_log where org_id = $1 and subject = $2 order by position desc limit 1`,
      [clinic.orgId, id],
    );
    expect(rows[0].action).toBe('sso_identity.delete');
    expect((await signOn(browser, { email })).status).toBe(200);
  });

  it('of a removed member signs nobody in', async () => {
    const { id, email } = await member();
    const browser = openBrowser(service);
    await signOn(browser, { email });
    await clinic.management.delete(`/v1/org/${clinic.orgId}/member/${id}`);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await signOn(browser, { email })).status).toBe(403);
    expect(await reasonOf(clinic.orgId)).toBe('member_removed');
  });

  it('signs nobody in with a connection that was turned off meanwhile', async () => {
    const own = await connectProvider(service, clinic, provider);
    const { id, email } = await joinWithAddress(service, clinic, { domain: own.domain });
    provider.account = { sub: `off-${id}`, email, email_verified: true };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    const begun = openBrowser(service);
    const back = await visitProvider(await beginSignOn(begun, { email }));
    await clinic.management.patch(own.path, { is_active: false });
    expect(await isSignedIn(browser)).toBe(false);
    expect(await begun.get(back)).toMatchObject({ status: 403, text: expect.stringContaining('turned') });
    for (const asked of [{ email }, { connection_id: own.id }])
      expect((await begun.post('/v1/session/sso', asked)).status).toBe(404);
  });
});

/**
 * The worst attack: an organization that anybody can found sets up its own provider, which says whatever it likes, and
 * reaches for a person who is a member of another organization.
 */
describe('an organization with a hostile provider', () => {
  /** A member of the clinic, whom the attacker has made a member of the own organization, too. */
  async function victim() {
    const { id, email } = await member();
    await signOn(openBrowser(service), { email });
    const twin = await joinOrganization(service, attacker, { email, role: 'org_admin', is_owner: true });
    return { id, email, twin, subject: id };
  }

  const connect = (domains: readonly string[]) =>
    attacker.management.post(`/v1/org/${attacker.orgId}/sso_connection`, {
      name: 'Evil',
      issuer: evil.issuer,
      client_id: evil.clientId,
      client_secret: evil.clientSecret,
      domains,
      default_role: 'support',
    });

  it('cannot claim the domain of another one, nor one that it did not verify', async () => {
    const pending = 'pending.example';
    await attacker.management.post(`/v1/org/${attacker.orgId}/domain`, { domain: connection.domain });
    await attacker.management.post(`/v1/org/${attacker.orgId}/domain`, { domain: pending });
    for (const domain of [connection.domain, pending, 'gmail.com', connection.domain.toUpperCase()]) {
      const refused = await connect([await verifiedDomain(service, attacker), domain]);
      expect(refused).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'domains', 1] }] } });
    }
  });

  it('is not asked when a person enters an address of another organization', async () => {
    const { email } = await victim();
    await connectProvider(service, attacker, evil);
    const url = await beginSignOn(openBrowser(service), { email });
    expect(new URL(url).origin).toBe(provider.issuer);
  });

  it('cannot sign in as a member of another one, by the address or by the subject', async () => {
    const { id, email, subject } = await victim();
    const own = await connectProvider(service, attacker, evil, { default_role: 'support' });
    for (const account of [
      { sub: subject, email, email_verified: true },
      { sub: subject, email: `x@${own.domain}`, email_verified: true },
      { sub: 'else', email, email_verified: true },
    ]) {
      evil.account = account;
      const browser = openBrowser(service);
      await signOn(browser, { connection_id: own.id });
      const session = await browser.get('/v1/session');
      expect(session.json.member?.id).not.toBe(id);
      expect((await browser.get(`/v1/org/${clinic.orgId}/team`)).status).not.toBe(200);
    }
    const { rows } = await service.ownerPool.query(
      'select count(*)::int as sessions from member_session where member_id = $1',
      [id],
    );
    expect(rows[0].sessions).toBe(1);
  });

  it('reaches only its own organization even if it had the domain', async () => {
    const { id, email, twin } = await victim();
    const own = await connectProvider(service, attacker, evil);
    // As if DNS had lied, and the clinic had not verified its domain.
    await service.ownerPool.query(
      `update organization_domain set domain = 'moved.example' where domain = $1`,
      [connection.domain],
    );
    await service.ownerPool.query('update organization_domain set domain = $1 where domain = $2', [
      connection.domain,
      own.domain,
    ]);
    await service.ownerPool.query('update sso_connection set domains = $1 where id = $2', [
      [connection.domain],
      own.id,
    ]);
    evil.account = { sub: 'anything', email, email_verified: true };
    const browser = openBrowser(service);
    await signOn(browser, { connection_id: own.id });
    const session = (await browser.get('/v1/session')).json;
    expect(session).toMatchObject({ org_id: attacker.orgId, member: { id: twin } });
    expect(session.member.id).not.toBe(id);
    const paths = [
      ['get', `/v1/org/${clinic.orgId}`],
      ['get', `/v1/org/${clinic.orgId}/team`],
      ['get', `/v1/org/${clinic.orgId}/member`],
      ['get', connection.path],
      ['delete', connection.path],
      ['delete', `/v1/org/${clinic.orgId}/member/${id}/session/${id}`],
    ] as const;
    for (const [method, path] of paths) expect((await browser[method](path)).status, path).toBe(404);
    const tenant = {
      'x-service-team-id': clinic.tenant.teamId,
      'x-service-environment': clinic.tenant.environment,
    };
    expect((await browser.send('/v2/user', { headers: tenant })).status).toBe(404);
    await service.ownerPool.query('update organization_domain set domain = $1 where domain = $2', [
      own.domain,
      connection.domain,
    ]);
    await service.ownerPool.query(
      `update organization_domain set domain = $1 where domain = 'moved.example'`,
      [connection.domain],
    );
  });

  it('cannot use the answer of another provider, nor send its own to another redirect URI', async () => {
    const { email } = await victim();
    const own = await connectProvider(service, attacker, evil);
    evil.account = { sub: 'mixed', email: `mixed@${own.domain}`, email_verified: true };
    const browser = openBrowser(service);
    // The hostile provider sends the browser on to the honest one, with the state of its own connection (mix-up).
    const begun = new URL(await beginSignOn(browser, { connection_id: own.id }));
    const honest = new URL(await beginSignOn(openBrowser(service), { email }));
    honest.searchParams.set('state', begun.searchParams.get('state') ?? '');
    const back = await visitProvider(honest.href);
    expect(back).toContain(clinic.orgId);
    const exchanged = evil.requests.length;
    expect((await browser.get(back)).status).toBe(400);
    expect(evil.requests).toHaveLength(exchanged);
    expect(await isSignedIn(browser)).toBe(false);
    const swapped = new URL(await beginSignOn(browser, { connection_id: own.id }));
    const answer = (await visitProvider(swapped.href)).replace(attacker.orgId, clinic.orgId);
    expect((await browser.get(answer)).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('cannot be linked with a member of another organization, not even in the database', async () => {
    const { id } = await victim();
    const own = await connectProvider(service, attacker, evil);
    for (const orgId of [attacker.orgId, clinic.orgId]) {
      const link = service.ownerPool.query(
        `insert into sso_identity (connection_id, subject, org_id, member_id, created_at) values ($1, 'x', $2, $3, now())`,
        [own.id, orgId, id],
      );
      await expect(link).rejects.toThrow(/foreign key/);
    }
  });

  it('cannot begin a sign-in in a foreign browser from another site', async () => {
    const own = await connectProvider(service, attacker, evil);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const body = { connection_id: own.id };
      const refused = await openBrowser(service).send('/v1/session/sso', { method: 'POST', body, headers });
      expect(refused.status).toBe(403);
      expect(refused.headers['set-cookie']).toBeUndefined();
    }
  });
});
