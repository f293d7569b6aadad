import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../test/browser.ts';
import { openIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { joinOrganization } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  beginSignOn,
  connectProvider,
  joinWithAddress,
  signOn,
  visitProvider,
  type TestConnection,
} from '../../../test/single-sign-on.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';

const service = useTestService();
const team = useTestTeam(service);
let provider: TestIdentityProvider;
let connection: TestConnection;
beforeAll(async () => {
  provider = await openIdentityProvider(service.clock);
  connection = await connectProvider(service, team, provider);
});
beforeEach(() => {
  provider.faults = {};
});
afterAll(() => provider.close());

const join = (role: Record<string, unknown> = {}) =>
  joinWithAddress(service, team, { domain: connection.domain, ...role });

const audited = async (action: string) => {
  const { rows } = await service.ownerPool.query(
    'select actor, subject, before, after from audit_log where org_id = $1 and action = $2 order by position desc limit 1',
    [team.orgId, action],
  );
  return rows[0];
};

describe('a member of an organization with single sign-on', () => {
  it('signs in by the address, with a code, PKCE, state and nonce', async () => {
    const { id, email } = await join();
    provider.account = { sub: id, email: email.toUpperCase(), email_verified: true, name: 'Ada' };
    const browser = openBrowser(service);
    const url = new URL(await beginSignOn(browser, { email }));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: expect.stringMatching(new RegExp(`/sso/${team.orgId}/callback$`)),
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      login_hint: email,
    });
    expect(url.searchParams.has('prompt')).toBe(false);
    const back = await browser.get(await visitProvider(url.href));
    expect(back.status).toBe(200);
    expect(back.text).toContain('You are signed in');
    const session = await browser.get('/v1/session');
    expect(session.json).toMatchObject({ org_id: team.orgId, member: { id, email } });
    expect((await browser.get('/v1/account/session')).json.sessions).toMatchObject([{ method: 'sso' }]);
    expect(await audited('session.create')).toMatchObject({
      subject: id,
      after: { method: 'sso', connection_id: connection.id },
    });
    expect(await audited('sso_identity.create')).toMatchObject({ subject: id });
  });

  it('is known by the subject afterwards, whatever the address and its verification', async () => {
    const { id, email } = await join();
    provider.account = { sub: id, email, email_verified: true };
    expect((await signOn(openBrowser(service), { email })).status).toBe(200);
    provider.account = { sub: id, email: 'else@elsewhere.example', email_verified: false };
    const browser = openBrowser(service);
    await signOn(browser, { connection_id: connection.id });
    expect((await browser.get('/v1/session')).json.member.id).toBe(id);
  });

  it('goes to a path of this service if the caller wishes so', async () => {
    const { id, email } = await join();
    provider.account = { sub: id, email, email_verified: true };
    const back = await signOn(openBrowser(service), { email, return_to: '/dashboard?tab=orders#top' });
    expect(back).toMatchObject({ status: 303, headers: { location: '/dashboard?tab=orders#top' } });
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    'javascript:alert(1)',
    '/\n//evil.example',
    'dashboard',
    '',
  ])('does not go to %j', async (returnTo) => {
    const asked = { connection_id: connection.id, return_to: returnTo };
    const refused = await openBrowser(service).post('/v1/session/sso', asked);
    expect(refused).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'return_to'] }] } });
  });

  it('gets a session cookie that is Strict, and brings back one that is Lax', async () => {
    const { id, email } = await join();
    provider.account = { sub: id, email, email_verified: true };
    const browser = openBrowser(service);
    const started = await browser.post('/v1/session/sso', { email });
    expect(started.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^service-single-sign-on=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      ),
    ]);
    const back = await browser.get(await visitProvider(started.json.authorization_url));
    expect(back.headers['set-cookie']).toEqual([
      expect.stringMatching(/^service-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^service-single-sign-on=; .*Max-Age=0$/),
    ]);
  });
});

describe('a person without a member', () => {
  it('becomes the member of an invite', async () => {
    const email = `invited@${connection.domain}`;
    await team.management.post(`/v1/org/${team.orgId}/invite`, { email, role: 'org_admin' });
    provider.account = { sub: 'invited', email, email_verified: true, name: 'Grace Hopper' };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    expect((await browser.get('/v1/session')).json.member).toMatchObject({ name: 'Grace Hopper', email });
    expect(await audited('invite.accept')).toMatchObject({ after: { role: 'org_admin' } });
    const invites = await team.management.get(`/v1/org/${team.orgId}/invite`);
    expect(invites.json.invites).toEqual([]);
  });

  it('is not signed in by an invite that has expired', async () => {
    const email = `late@${connection.domain}`;
    await team.management.post(`/v1/org/${team.orgId}/invite`, { email });
    service.clock.move(8 * 24 * HOUR);
    provider.account = { sub: 'late', email, email_verified: true };
    expect((await signOn(openBrowser(service), { email })).status).toBe(403);
  });

  it('is created with the default role, if there is one, and not again after the removal', async () => {
    const open = await connectProvider(service, team, provider, { default_role: 'readonly' });
    const email = `new@${open.domain}`;
    provider.account = { sub: 'new', email, email_verified: true, name: '' };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    const { id } = (await browser.get('/v1/session')).json.member;
    const member = (await team.management.get(`/v1/org/${team.orgId}/member?search_query=${email}`)).json;
    expect(member.members).toMatchObject([
      { id, name: 'new', role: 'no_role', is_owner: false, roles: [{ role: 'readonly', team_id: null }] },
    ]);
    await team.management.delete(`/v1/org/${team.orgId}/member/${id}`);
    expect((await browser.get('/v1/session')).status).toBe(401);
    expect((await signOn(browser, { email })).text).toContain('You were removed');
    expect(await audited('session.fail')).toMatchObject({
      subject: open.id,
      after: { method: 'sso', reason: 'member_removed' },
    });
    await joinOrganization(service, team, { email, role: 'no_role' });
    expect((await signOn(browser, { email })).status).toBe(200);
  });
});

describe('dangerous acts in a session of single sign-on', () => {
  const dangerous = (email: string) => ({ email: `x-${email}`, role: 'no_role' });
  const invite = `/v1/org/:org/invite`;
  const act = (browser: ReturnType<typeof openBrowser>, email: string) =>
    browser.post(invite.replace(':org', team.orgId), dangerous(email));

  it('need a new authentication if the last one at the provider was not within 5 minutes', async () => {
    const { id, email } = await join({ role: 'org_admin' });
    const authenticatedAt = later(service.clock.now(), -6 * MINUTE);
    provider.account = { sub: id, email, email_verified: true, authenticatedAt };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    expect((await act(browser, email)).json.detail.code).toBe('reauthentication_required');
    const before = (await browser.get('/v1/session')).json.session_id;

    const again = await browser.post('/v1/session/reauthenticate/sso', {});
    const url = new URL(again.json.authorization_url);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
    provider.account = { sub: id };
    expect((await browser.get(await visitProvider(url.href))).status).toBe(200);
    const after = await browser.get('/v1/session');
    expect(after.json.session_id).not.toBe(before);
    expect((await act(browser, email)).status).toBe(200);
  });

  it.each([
    ['does not tell when', null],
    ['tells an earlier time', -2 * MINUTE],
  ])('stay forbidden if the provider %s', async (_name, offset) => {
    const { id, email } = await join({ role: 'org_admin' });
    provider.account = { sub: id, email, email_verified: true, authenticatedAt: null };
    const browser = openBrowser(service);
    await signOn(browser, { email });
    expect((await act(browser, email)).status).toBe(403);
    const again = await browser.post('/v1/session/reauthenticate/sso', {});
    const authenticatedAt = offset === null ? null : later(service.clock.now(), offset);
    provider.account = { sub: id, authenticatedAt };
    const back = await browser.get(await visitProvider(again.json.authorization_url));
    expect(back).toMatchObject({ status: 403, text: expect.stringContaining('just signed in') });
    expect((await act(browser, email)).json.detail.code).toBe('reauthentication_required');
  });

  it('stay forbidden if another account of the provider authenticates', async () => {
    const [one, other] = [await join({ role: 'org_admin' }), await join({ role: 'org_admin' })];
    for (const { id, email } of [other, one]) {
      provider.account = { sub: id, email, email_verified: true, authenticatedAt: null };
      await signOn(openBrowser(service), { email });
    }
    provider.account = { sub: one.id, authenticatedAt: null };
    const browser = openBrowser(service);
    await signOn(browser, { email: one.email });
    const again = await browser.post('/v1/session/reauthenticate/sso', {});
    provider.account = { sub: other.id };
    const back = await browser.get(await visitProvider(again.json.authorization_url));
    expect(back).toMatchObject({ status: 403, text: expect.stringContaining('another account') });
    expect((await browser.get('/v1/session')).json.member.id).toBe(one.id);
    expect((await act(browser, one.email)).status).toBe(403);
  });

  it('of a member who never used single sign-on need another way', async () => {
    const { id } = await join();
    const browser = openBrowser(service);
    const { signedIn } = await import('../../../test/members.ts');
    const client = await signedIn(service, id);
    expect((await client.post('/v1/session/reauthenticate/sso', {})).status).toBe(409);
    expect((await browser.post('/v1/session/reauthenticate/sso', {})).status).toBe(401);
  });
});

it('an address or a connection without single sign-on is a 404, for members and others alike', async () => {
  const id = await joinOrganization(service, team, { email: 'ada@without.example', role: 'no_role' });
  const texts = new Set<string>();
  for (const asked of [
    { email: 'ada@without.example' },
    { email: 'nobody@without.example' },
    { connection_id: id },
  ]) {
    const refused = await openBrowser(service).post('/v1/session/sso', asked);
    expect(refused.status).toBe(404);
    texts.add(refused.text);
  }
  expect(texts.size).toBe(1);
  for (const asked of [{}, { email: `a@${connection.domain}`, connection_id: connection.id }])
    expect((await openBrowser(service).post('/v1/session/sso', asked)).status).toBe(422);
});

it('the page where single sign-on begins has no inline code but its own', async () => {
  const page = await openBrowser(service).get('/sso');
  expect(page.status).toBe(200);
  expect(page.text).toContain("form-action 'none'");
});
