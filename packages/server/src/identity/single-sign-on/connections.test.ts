import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givePassword, openBrowser } from '../../../test/browser.ts';
import { openIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { connectProvider, joinWithAddress, signOn, verifiedDomain } from '../../../test/single-sign-on.ts';
import { enrollTotpApp } from '../../../test/totp-app.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';

const PASSWORD = 'seven brown otters juggle';
const service = useTestService();
const team = useTestTeam(service);
const stranger = useTestTeam(service);
let provider: TestIdentityProvider;
let other: TestIdentityProvider;
beforeAll(async () => {
  provider = await openIdentityProvider(service.clock);
  other = await openIdentityProvider(service.clock);
});
beforeEach(() => {
  provider.faults = {};
});
afterAll(() => Promise.all([provider.close(), other.close()]));

const base = () => `/v1/org/${team.orgId}/sso_connection`;
const complete = async (more: Record<string, unknown> = {}) => ({
  name: 'Clinic login',
  issuer: provider.issuer,
  client_id: provider.clientId,
  client_secret: provider.clientSecret,
  domains: [await verifiedDomain(service, team)],
  ...more,
});

describe('a connection', () => {
  it('is created, read, changed and deleted, and never shows its secret', async () => {
    const body = await complete();
    const made = await team.management.post(base(), body);
    expect(made).toMatchObject({
      status: 201,
      json: {
        name: 'Clinic login',
        issuer: provider.issuer,
        client_authentication: 'client_secret_basic',
        domains: body.domains,
        is_active: true,
        is_enforced: false,
        default_role: null,
        redirect_uri: expect.stringMatching(new RegExp(`^http.*/sso/${team.orgId}/callback$`)),
      },
    });
    const path = `${base()}/${made.json.id}`;
    expect((await team.management.get(path)).json).toEqual(made.json);
    const changed = await team.management.patch(path, { name: 'Another', default_role: 'support' });
    expect(changed.json).toMatchObject({ name: 'Another', default_role: 'support', domains: body.domains });
    expect((await team.management.patch(path, { default_role: null })).json.default_role).toBeNull();
    expect((await team.management.get(base())).json.connections).toHaveLength(1);
    const { rows: entries } = await service.ownerPool.query(
      `select action, after->>'issuer' as issuer from audit_log where subject = $1 order by position`,
      [made.json.id],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'sso_connection.create',
      'sso_connection.update',
      'sso_connection.update',
    ]);
    expect(entries[0].issuer).toBe(provider.issuer);
    const { rows } = await service.ownerPool.query(
      `select jsonb_agg(to_jsonb(a))::text as log from audit_log a where action like 'sso_connection.%'`,
    );
    const { rows: stored } = await service.ownerPool.query('select client_secret from sso_connection');
    for (const text of [made.text, changed.text, rows[0].log, stored[0].client_secret.toString('latin1')])
      expect(text).not.toContain(provider.clientSecret);
    expect((await team.management.delete(path)).status).toBe(204);
    expect((await team.management.get(path)).status).toBe(404);
  });

  it('is a 404 for another organization', async () => {
    const { path, id } = await connectProvider(service, team, provider);
    const foreign = `/v1/org/${stranger.orgId}/sso_connection/${id}`;
    for (const url of [path, foreign]) {
      expect((await stranger.management.get(url)).status).toBe(404);
      expect((await stranger.management.patch(url, { name: 'x' })).status).toBe(404);
      expect((await stranger.management.delete(url)).status).toBe(404);
    }
  });

  it('is changed by owners only, with a recent authentication', async () => {
    const { path } = await connectProvider(service, team, provider);
    const admin = await joinOrganization(service, team, { email: 'admin@x.example', role: 'org_admin' });
    const owner = { email: 'owner@x.example', role: 'org_admin', is_owner: true };
    const client = await signedIn(service, await joinOrganization(service, team, owner));
    const administrator = await signedIn(service, admin);
    await team.management.patch(`/v1/org/${team.orgId}/member/${admin}`, {
      role: 'org_admin',
      team_role_bindings: null,
      is_owner: false,
    });
    expect((await administrator.get(path)).status).toBe(200);
    expect((await administrator.patch(path, { name: 'x' })).status).toBe(403);
    expect((await client.patch(path, { name: 'x' })).status).toBe(200);
    service.clock.move(6 * 60_000);
    expect((await client.patch(path, { name: 'y' })).json.detail.code).toBe('reauthentication_required');
  });

  it.each([
    ['a secret missing', { client_secret: null }, 'client_secret'],
    ['a secret for none', { client_authentication: 'none' }, 'client_secret'],
    ['an issuer with a query', { issuer: 'https://idp.example/?a=1' }, 'issuer'],
    ['an issuer with a user name', { issuer: 'https://a@idp.example' }, 'issuer'],
    ['an issuer of another scheme', { issuer: 'ftp://idp.example' }, 'issuer'],
    ['an issuer by http on another machine', { issuer: 'http://192.0.2.1' }, 'issuer'],
    ['an issuer at a private address', { issuer: 'https://10.1.2.3' }, 'issuer'],
    ['an issuer at the metadata service', { issuer: 'https://169.254.169.254' }, 'issuer'],
    ['an administrator as default role', { default_role: 'administrator' }, 'default_role'],
    ['no domain', { domains: [] }, 'domains'],
  ])('with %s is a 422', async (_name, wrong, field) => {
    const refused = await team.management.post(base(), await complete(wrong));
    expect(refused).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', field] }] } });
  });

  it('works without a secret and with the secret in the body', async () => {
    const post = { client_authentication: 'client_secret_post' };
    const own = await connectProvider(service, team, provider, post);
    const { id, email } = await joinWithAddress(service, team, { domain: own.domain });
    provider.account = { sub: `post-${id}`, email, email_verified: true };
    expect((await signOn(openBrowser(service), { email })).status).toBe(200);
    const last = provider.requests.findLast(({ path }) => path === '/token');
    expect(last).toMatchObject({ authorization: '', body: expect.stringContaining('client_secret=') });
    const public_ = { client_authentication: 'none', client_secret: null };
    expect((await team.management.post(base(), await complete(public_))).status).toBe(201);
  });

  it('with a wrong secret says whom to ask', async () => {
    const own = await connectProvider(service, team, provider, { client_secret: 'wrong' });
    const { id, email } = await joinWithAddress(service, team, { domain: own.domain });
    provider.account = { sub: `wrong-${id}`, email, email_verified: true };
    const refused = await signOn(openBrowser(service), { email });
    expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('renew the client secret') });
  });

  it('does not share a domain with another one, and keeps the domain verified', async () => {
    const { path, domain } = await connectProvider(service, team, provider);
    const shared = await complete({ domains: [domain] });
    expect((await team.management.post(base(), shared)).status).toBe(409);
    const domains = (await team.management.get(`/v1/org/${team.orgId}/domain`)).json.data;
    const { id } = domains.find((row: { domain: string }) => row.domain === domain);
    const removal = `/v1/org/${team.orgId}/domain/${id}`;
    expect((await team.management.delete(removal)).status).toBe(409);
    await team.management.delete(path);
    expect((await team.management.delete(removal)).status).toBe(200);
  });

  it('never sends the secret of one issuer to another, and forgets its accounts', async () => {
    const own = await connectProvider(service, team, provider);
    const { id, email } = await joinWithAddress(service, team, { domain: own.domain });
    provider.account = { sub: id, email, email_verified: true };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    const moved = { issuer: other.issuer, client_id: other.clientId };
    expect(await team.management.patch(own.path, moved)).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'client_secret'] }] },
    });
    const change = { ...moved, client_secret: other.clientSecret };
    expect((await team.management.patch(own.path, change)).status).toBe(200);
    expect((await browser.get('/v1/session')).status).toBe(401);
    // The same subject of another issuer is another account.
    other.account = { sub: id, email: `x@${own.domain}`, email_verified: true };
    expect((await signOn(browser, { connection_id: own.id })).status).toBe(403);
  });
});

describe('an enforced connection', () => {
  async function enforceable() {
    const own = await connectProvider(service, team, provider);
    const owner = await joinWithAddress(service, team, {
      domain: own.domain,
      role: 'org_admin',
      is_owner: true,
    });
    const person = await joinWithAddress(service, team, { domain: own.domain });
    await givePassword(service, owner.id, PASSWORD);
    await givePassword(service, person.id, PASSWORD);
    return { own, owner, person };
  }

  it('needs a member who has signed in with it, and an owner who can do without', async () => {
    const { own, owner, person } = await enforceable();
    const enforce = () => team.management.patch(own.path, { is_enforced: true });
    expect(await enforce()).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('Nobody') },
    });
    provider.account = { sub: person.id, email: person.email, email_verified: true };
    await signOn(openBrowser(service), { email: person.email });
    expect(await enforce()).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('recovery') },
    });
    const browser = openBrowser(service);
    await browser.post('/v1/session', { email: owner.email, password: PASSWORD });
    await enrollTotpApp(service, browser);
    expect((await enforce()).status).toBe(200);
    expect((await team.management.patch(own.path, { is_active: false })).status).toBe(409);
    expect((await team.management.delete(own.path)).status).toBe(409);
  });

  it.each([
    ['by hand', {}],
    ['by a group', { is_owner: false, role: 'no_role', directory_roles: '[{"role": "owner"}]' }],
  ])(
    'ends other sessions and refuses every other way, but a recovery code of an owner %s',
    async (_how, how) => {
      const { own, owner, person } = await enforceable();
      for (const [column, value] of Object.entries(how))
        await service.ownerPool.query(`update organization_member set ${column} = $2 where id = $1`, [
          owner.id,
          value,
        ]);
      provider.account = { sub: person.id, email: person.email, email_verified: true };
      const single = openBrowser(service);
      await signOn(single, { email: person.email });
      const ownerBrowser = openBrowser(service);
      await ownerBrowser.post('/v1/session', { email: owner.email, password: PASSWORD });
      const { app, recoveryCodes } = await enrollTotpApp(service, ownerBrowser);
      const personal = openBrowser(service);
      await personal.post('/v1/session', { email: person.email, password: PASSWORD });
      expect((await personal.get('/v1/session')).status).toBe(200);
      await team.management.patch(own.path, { is_enforced: true });
      expect((await personal.get('/v1/session')).status).toBe(401);
      expect((await ownerBrowser.get('/v1/session')).status).toBe(401);
      expect((await single.get('/v1/session')).status).toBe(200);

      const refused = await personal.post('/v1/session', { email: person.email, password: PASSWORD });
      expect(refused).toMatchObject({ status: 403, json: { detail: { code: 'single_sign_on_required' } } });
      const wrong = await personal.post('/v1/session', { email: person.email, password: 'wrong, of course' });
      expect(wrong.status).toBe(401);
      await expect(signedIn(service, person.id)).rejects.toThrow('single_sign_on_required');

      const pending = await ownerBrowser.post('/v1/session', { email: owner.email, password: PASSWORD });
      expect(pending).toMatchObject({ status: 202, json: { methods: ['recovery_code'] } });
      const byApp = await ownerBrowser.post('/v1/session/second-factor', { totp_code: app.code(1) });
      expect(byApp).toMatchObject({ status: 403, json: { detail: { code: 'single_sign_on_required' } } });
      const byCode = await ownerBrowser.post('/v1/session/second-factor', {
        recovery_code: recoveryCodes[0],
      });
      expect(byCode.status).toBe(200);

      await team.management.patch(own.path, { is_enforced: false });
      expect((await personal.post('/v1/session', { email: person.email, password: PASSWORD })).status).toBe(
        200,
      );
    },
  );

  it.each([
    [
      'refuses a link to reset a password',
      'password_reset',
      403,
      { detail: { code: 'single_sign_on_required' } },
    ],
    ['accepts a link of the operator', 'sign_in', 200, { member: {} }],
  ])('%s', async (_name, purpose, status, json) => {
    const { own, person } = await enforceable();
    await service.ownerPool.query('update sso_connection set is_enforced = true where id = $1', [own.id]);
    const token = `${purpose}-${person.id}`;
    await service.ownerPool.query(
      `insert into member_link values (gen_random_uuid(), $1, $2, $3, $4, $5, $5::timestamptz + interval '1 hour')`,
      [team.orgId, person.id, purpose, digestToken(token), service.clock.now()],
    );
    const answer = await openBrowser(service).post('/v1/session/link', {
      token,
      password: `${PASSWORD} twice`,
    });
    expect(answer).toMatchObject({ status, json });
  });

  it('does not bind members with other addresses, nor of other organizations', async () => {
    const email = 'contractor@outside.example';
    const id = await joinOrganization(service, team, { email, role: 'no_role' });
    await givePassword(service, id, PASSWORD);
    expect((await openBrowser(service).post('/v1/session', { email, password: PASSWORD })).status).toBe(200);
    const { own, person } = await enforceable();
    const twin = await joinOrganization(service, stranger, { email: person.email, role: 'no_role' });
    await service.ownerPool.query('update sso_connection set is_enforced = true where id = $1', [own.id]);
    expect((await signedIn(service, twin).then((client) => client.get('/v1/session'))).status).toBe(200);
  });
});

it('requiring a second factor keeps the sessions of single sign-on', async () => {
  const own = await connectProvider(service, team, provider);
  const { id, email } = await joinWithAddress(service, team, { domain: own.domain });
  provider.account = { sub: id, email, email_verified: true };
  const browser = openBrowser(service);
  await signOn(browser, { email });
  await team.management.patch(`/v1/org/${team.orgId}/sign_in_policy`, { require_second_factor: true });
  expect((await browser.get('/v1/session')).status).toBe(200);
  expect((await signOn(openBrowser(service), { email })).status).toBe(200);
  await team.management.patch(`/v1/org/${team.orgId}/sign_in_policy`, { require_second_factor: false });
});
