import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../platform/clock.ts';
import { cookiePair, joinOrganization, signedIn } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { findSession, openSession, requireRecentAuthentication, type MemberSession } from './accounts.ts';

const service = useTestService();
const secure = useTestService({ PUBLIC_URL: 'https://api.lab.example', SESSION_IDLE_MINUTES: '600' });
const team = useTestTeam(service);

let people = 0;
const newMember = (role = 'org_admin') => {
  people += 1;
  return joinOrganization(service, team, { email: `person-${people}@clinic.example`, role });
};
const at = (path: string) => `/v1/org/${team.orgId}/${path}`;
const origin = { method: 'password', address: '192.0.2.7', userAgent: 'Firefox' } as const;

describe('a session', () => {
  it('identifies its member by the cookie', async () => {
    const memberId = await newMember();
    const client = await signedIn(service, memberId);
    const answer = await client.get('/v1/session');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      org_id: team.orgId,
      member: { id: memberId, name: 'Ada Lovelace', email: `person-${people}@clinic.example` },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  // prettier-ignore
  it.each([
    ['no cookie',        undefined],
    ['an empty cookie',  'service-session='],
    ['an unknown token', `service-session=${'A'.repeat(43)}`],
    ['another cookie',   'other=1; x-service-session=2'],
  ])('is not found for %s', async (_, cookie) => {
    const client = service.client(cookie === undefined ? {} : { cookie });
    expect((await client.get('/v1/session')).status).toBe(401);
    expect((await client.delete('/v1/session')).status).toBe(401);
  });

  it('is stored without its token, and audited without it', async () => {
    const memberId = await newMember();
    const { cookie, csrfToken } = await openSession(service.app, memberId, origin);
    const token = cookiePair(cookie).split('=')[1] ?? '';
    const { rows } = await service.ownerPool.query('select s::text from member_session s');
    const log = await team.management.get(at('audit_log'));
    expect(log.json.data[0]).toMatchObject({
      actor: `member:${memberId}`,
      action: 'session.create',
      subject: memberId,
      address: '192.0.2.7',
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    for (const text of [JSON.stringify(rows), log.text])
      for (const secret of [token, csrfToken]) expect(text).not.toContain(secret);
  });

  it('has another token each time', async () => {
    const memberId = await newMember();
    const [one, other] = [
      await openSession(service.app, memberId, origin),
      await openSession(service.app, memberId, origin),
    ];
    expect(one.cookie).not.toBe(other.cookie);
    expect(one.csrfToken).not.toBe(other.csrfToken);
  });

  it('ends after 15 minutes without a request, and not before', async () => {
    const client = await signedIn(service, await newMember());
    for (const minutes of [14, 14]) {
      service.clock.move(minutes * MINUTE);
      expect((await client.get('/v1/session')).status).toBe(200);
    }
    service.clock.move(15 * MINUTE);
    expect((await client.get('/v1/session')).status).toBe(401);
  });

  it('ends 12 hours after sign-in, however active it is', async () => {
    const there = await secure.team();
    const memberId = await joinOrganization(secure, there, { email: 'busy@clinic.example' });
    const { cookie } = await openSession(secure.app, memberId, origin);
    const client = secure.client({ cookie: cookiePair(cookie) });
    for (const minutes of [360, 359]) {
      secure.clock.move(minutes * MINUTE);
      expect((await client.get('/v1/session')).status).toBe(200);
    }
    secure.clock.move(MINUTE);
    expect((await client.get('/v1/session')).status).toBe(401);
  });

  // prettier-ignore
  it.each([
    ['the member is removed',        (id: string) => team.management.delete(at(`member/${id}`))],
    ['the role is taken away',       (id: string) => team.management.patch(at(`member/${id}`), { role: 'no_role', team_role_bindings: null })],
    ['the role becomes another one', (id: string) => team.management.patch(at(`member/${id}`), { role: 'team_admin', team_role_bindings: [{ team_id: team.tenant.teamId }] })],
  ])('ends at once when %s', async (_, change) => {
    await newMember();
    const memberId = await newMember();
    const client = await signedIn(service, memberId);
    expect((await client.get('/v1/session')).status).toBe(200);
    expect((await change(memberId)).status).toBe(200);
    expect((await client.get('/v1/session')).status).toBe(401);
  });

  it('goes on when a change leaves the role as it is', async () => {
    const memberId = await newMember();
    const client = await signedIn(service, memberId);
    await team.management.patch(at(`member/${memberId}`), { role: 'org_admin', team_role_bindings: null });
    expect((await client.get('/v1/session')).status).toBe(200);
  });
});

describe('the session cookie', () => {
  it('is not readable by scripts and is sent for this site only', async () => {
    const { cookie } = await openSession(service.app, await newMember(), origin);
    expect(cookie).toMatch(/^service-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('is bound to the host and to https where the public URL is https', async () => {
    const there = await secure.team();
    const memberId = await joinOrganization(secure, there, { email: 'ada@clinic.example' });
    const { cookie } = await openSession(secure.app, memberId, origin);
    expect(cookie).toMatch(/^__Host-service-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  });
});

describe('the session cookie below a path prefix', () => {
  it.each([
    ['https://lab.example/aliquot', /^__Secure-service-session=[\w-]{43}; Path=\/aliquot; .*; Secure$/],
    ['http://localhost/a/b', /^service-session=[\w-]{43}; Path=\/a\/b; HttpOnly; SameSite=Strict$/],
  ])('of %s is not sent to the other programs of the host', async (PUBLIC_URL, expected) => {
    const app = { ...service.app, config: { ...service.app.config, PUBLIC_URL } };
    const { cookie } = await openSession(app, await newMember(), origin);
    expect(cookie).toMatch(expected);
  });
});

describe('an unsafe request of a session', () => {
  // prettier-ignore
  it.each<[string, Record<string, string>, number]>([
    ['no CSRF token',                   { 'x-csrf-token': '' },                                     403],
    ['the token of another session',    { 'x-csrf-token': 'other' },                                403],
    ['the origin of another site',      { origin: 'https://evil.example' },                         403],
    ['an opaque origin',                { origin: 'null' },                                         403],
    ['the mark of another site',        { 'sec-fetch-site': 'cross-site' },                         403],
    ['the mark of a sibling subdomain', { 'sec-fetch-site': 'same-site' },                          403],
    ['its own origin and token',        { origin: 'http://localhost:80', 'sec-fetch-site': 'same-origin' }, 204],
    ['its token, from a program',       {},                                                         204],
  ])('with %s', async (_, headers, status) => {
    const memberId = await newMember();
    const { cookie, csrfToken } = await openSession(service.app, memberId, origin);
    const other = await openSession(service.app, memberId, origin);
    const token = headers['x-csrf-token'] === 'other' ? { 'x-csrf-token': other.csrfToken } : {};
    const client = service.client({ cookie: cookiePair(cookie), 'x-csrf-token': csrfToken });
    const answer = await client.delete('/v1/session', { host: 'localhost', ...headers, ...token });
    expect(answer.status).toBe(status);
    expect((await client.get('/v1/session')).status).toBe(status === 403 ? 200 : 401);
  });

  it('is accepted from the public origin only, where there is one', async () => {
    const there = await secure.team();
    const memberId = await joinOrganization(secure, there, { email: 'eve@clinic.example' });
    const { cookie, csrfToken } = await openSession(secure.app, memberId, origin);
    const asked = (from: string) =>
      findSession(secure.app, {
        method: 'POST',
        headers: {
          cookie: cookiePair(cookie),
          'x-csrf-token': csrfToken,
          origin: from,
          host: 'evil.example',
        },
      });
    await expect(asked('https://evil.example')).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await asked('https://api.lab.example')).toMatchObject({ memberId });
  });
});

describe('sessions of a member', () => {
  it('are listed with device and address, and revoked by the member', async () => {
    const memberId = await newMember();
    const [mine, lost] = [await signedIn(service, memberId), await signedIn(service, memberId)];
    const { sessions } = (await mine.get('/v1/account/session')).json;
    expect(sessions).toMatchObject([
      { is_current: true, method: 'password', device: 'Test browser', address: '192.0.2.1' },
      { is_current: false },
    ]);
    expect((await mine.delete(`/v1/account/session/${sessions[1].session_id}`)).status).toBe(204);
    expect((await lost.get('/v1/session')).status).toBe(401);
    expect((await mine.delete(`/v1/account/session/${sessions[1].session_id}`)).status).toBe(404);
    expect((await mine.get('/v1/session')).status).toBe(200);
  });

  it('of another member cannot be revoked', async () => {
    const [one, other] = [
      await signedIn(service, await newMember()),
      await signedIn(service, await newMember()),
    ];
    const { session_id: id } = (await other.get('/v1/session')).json;
    expect((await one.delete(`/v1/account/session/${id}`)).status).toBe(404);
    expect((await other.get('/v1/session')).status).toBe(200);
  });

  it('are listed and revoked by an administrator of the organization only', async () => {
    const memberId = await newMember();
    const client = await signedIn(service, memberId);
    const path = at(`member/${memberId}/session`);
    const { sessions } = (await team.management.get(path)).json;
    expect(sessions).toMatchObject([{ is_current: false, address: '192.0.2.1' }]);
    const stranger = await service.team();
    const foreign = path.replace(team.orgId, stranger.orgId);
    for (const url of [path, foreign]) {
      expect((await stranger.management.get(url)).status).toBe(404);
      expect((await stranger.management.delete(`${url}/${sessions[0].session_id}`)).status).toBe(404);
    }
    expect((await client.get('/v1/session')).status).toBe(200);
    expect((await team.management.delete(`${path}/${sessions[0].session_id}`)).status).toBe(204);
    expect((await client.get('/v1/session')).status).toBe(401);
    const log = await team.management.get(at('audit_log?action=session.revoke'));
    expect(log.json.data[0]).toMatchObject({
      subject: memberId,
      before: { session_id: sessions[0].session_id },
    });
  });
});

describe('a dangerous act', () => {
  it('is possible until 5 minutes after the member showed credentials', async () => {
    const { session, cookie } = await openSession(service.app, await newMember(), origin);
    const found = async (): Promise<MemberSession | undefined> =>
      findSession(service.app, { method: 'GET', headers: { cookie: cookiePair(cookie) } });
    service.clock.move(5 * MINUTE - 1);
    expect(await found()).toEqual(session);
    expect(() => requireRecentAuthentication(service.app, session)).not.toThrow();
    service.clock.move(1);
    expect(() => requireRecentAuthentication(service.app, session)).toThrow(/reauthentication_required/);
  });
});
