import { describe, expect, it } from 'vitest';
import { givePassword, openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { joinOrganization } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { enrollTotpApp, openTotpApp } from '../../../test/totp-app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { openKeyring } from '../../platform/crypto/keyring.ts';
import { rewrapOrganizationKeys } from '../organization-keys/organization-keys.ts';
import { createLink } from './links.ts';

const service = useTestService();
const team = useTestTeam(service);

const PASSWORD = 'seven brown otters juggle';
const OTHER = 'nine green herons whistle';
const SECOND_STEP = '/v1/session/second-factor';
let people = 0;

interface Person {
  readonly id: string;
  readonly email: string;
}

/** A member with a password. */
async function newPerson(role: Record<string, unknown> = { role: 'no_role' }, there = team): Promise<Person> {
  const email = `factor-${(people += 1)}@clinic.example`;
  const id = await joinOrganization(service, there, { email, ...role });
  await givePassword(service, id, PASSWORD);
  return { id, email };
}

const signIn = (browser: TestBrowser, { email }: Person, password = PASSWORD) =>
  browser.post('/v1/session', { email, password });

/** A member with an authenticator app, and a browser that showed the password only. */
async function newProtected(there = team) {
  const person = await newPerson({ role: 'no_role' }, there);
  const home = openBrowser(service);
  await signIn(home, person);
  const enrolled = await enrollTotpApp(service, home);
  service.clock.move(30 * SECOND);
  const browser = openBrowser(service);
  const answer = await signIn(browser, person);
  expect(answer.status).toBe(202);
  return { ...enrolled, person, home, browser, answer };
}

const auditOf = async (subject: string, action: string, there = team) =>
  (await there.management.get(`/v1/org/${there.orgId}/audit_log?subject=${subject}&action=${action}`)).json
    .data;

describe('signing in with a second factor', () => {
  it('opens a session with the password and a code, and not with the password alone', async () => {
    const { browser, answer, app, person } = await newProtected();
    expect(answer.json).toMatchObject({
      status: 'second_factor_required',
      methods: ['totp', 'recovery_code'],
    });
    expect((await browser.get('/v1/session')).status).toBe(401);
    const opened = await browser.post(SECOND_STEP, { totp_code: app.code() });
    expect(opened.status).toBe(200);
    expect(opened.json.member.id).toBe(person.id);
    expect((await browser.get('/v1/session')).status).toBe(200);
    const [entry] = await auditOf(person.id, 'session.create');
    expect(entry.after).toMatchObject({ method: 'password', second_factor: 'totp' });
  });

  it('permits nothing between the steps', async () => {
    const { browser } = await newProtected();
    expect([...browser.cookies.keys()]).toEqual(['service-sign-in']);
    // A challenge is for anybody.
    const open = service.http.routes.filter(
      ({ scope, schema }) =>
        scope === 'open' &&
        schema.tag === 'Accounts' &&
        schema.body === undefined &&
        schema.operationId !== 'startPasskeySignIn',
    );
    expect(open.length).toBeGreaterThan(5);
    for (const { method, path } of open) {
      const url = path.replace(/:\w+/g, '01900000-0000-7000-8000-000000000000');
      const { status } = await browser.send(url, { method });
      expect([401, 403], `${method} ${path}`).toContain(status);
    }
    const members = `/v1/org/${team.orgId}/member`;
    expect((await browser.get(members)).status).toBe(401);
  });

  it('ends 10 minutes after the password', async () => {
    const { browser, app } = await newProtected();
    service.clock.move(10 * MINUTE);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(401);
  });

  it('is completed once', async () => {
    const { browser, app, recoveryCodes } = await newProtected();
    const [cookie] = [...browser.cookies];
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(200);
    const thief = openBrowser(service);
    thief.cookies.set(...(cookie ?? ['', '']));
    expect((await thief.post(SECOND_STEP, { recovery_code: recoveryCodes[0] ?? '' })).status).toBe(401);
  });

  it('is refused when another site causes it', async () => {
    const { browser, app } = await newProtected();
    const headers = { origin: 'https://evil.example' };
    const sent = { method: 'POST' as const, body: { totp_code: app.code() }, headers };
    expect((await browser.send(SECOND_STEP, sent)).status).toBe(403);
  });

  // prettier-ignore
  it.each([
    ['neither', {}],
    ['both',    { totp_code: '123456', recovery_code: 'x' }],
    ['text',    { totp_code: '12345x' }],
  ])('needs one code, not %s', async (_, body) => {
    const { browser } = await newProtected();
    expect((await browser.post(SECOND_STEP, body)).status).toBe(422);
  });
});

describe('a code', () => {
  it('is accepted once, also when it is sent twice at the same time', async () => {
    const { person, app } = await newProtected();
    const browsers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const browser = openBrowser(service);
        await signIn(browser, person);
        return browser;
      }),
    );
    const code = app.code();
    const answers = await Promise.all(
      browsers.map((browser) => browser.post(SECOND_STEP, { totp_code: code })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
    const late = openBrowser(service);
    await signIn(late, person);
    expect((await late.post(SECOND_STEP, { totp_code: code })).status).toBe(401);
  });

  it('is not accepted after one of a later time', async () => {
    const { person, browser, app } = await newProtected();
    const earlier = app.code();
    expect((await browser.post(SECOND_STEP, { totp_code: app.code(1) })).status).toBe(200);
    const other = openBrowser(service);
    await signIn(other, person);
    expect((await other.post(SECOND_STEP, { totp_code: earlier })).status).toBe(401);
  });

  it('that confirmed the enrollment does not sign in', async () => {
    const person = await newPerson();
    const home = openBrowser(service);
    await signIn(home, person);
    const { app } = await enrollTotpApp(service, home);
    const browser = openBrowser(service);
    await signIn(browser, person);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(401);
  });

  it('of another member is wrong', async () => {
    const [one, other] = [await newProtected(), await newProtected()];
    expect((await one.browser.post(SECOND_STEP, { totp_code: other.app.code() })).status).toBe(401);
  });
});

describe('guessing codes', () => {
  it('is refused after five attempts from one address, and audited', async () => {
    const { browser, app, person } = await newProtected();
    for (let tried = 0; tried < 5; tried += 1)
      expect((await browser.post(SECOND_STEP, { recovery_code: `guess-${tried}` })).status).toBe(401);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(429);
    await expect
      .poll(async () => (await auditOf(person.id, 'session.fail')).length, { timeout: 10_000 })
      .toBe(5);
    service.clock.move(15 * MINUTE);
    expect((await signIn(browser, person)).status).toBe(202);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(200);
  });

  it('is refused after twenty attempts from many addresses', async () => {
    const { person, app } = await newProtected();
    const statuses: number[] = [];
    for (let network = 0; network < 7; network += 1) {
      const browser = openBrowser(service);
      await signIn(browser, person);
      for (let tried = 0; tried < 3; tried += 1)
        statuses.push((await browser.post(SECOND_STEP, { recovery_code: 'guess' })).status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true);
    expect(statuses[20]).toBe(429);
    const fresh = openBrowser(service);
    await signIn(fresh, person);
    expect((await fresh.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(429);
    service.clock.move(15 * MINUTE);
  });
});

describe('recovery codes', () => {
  it('are ten, sign in once each, and are stored as digests only', async () => {
    const { browser, recoveryCodes, person } = await newProtected();
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes)
      expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    const [code = ''] = recoveryCodes;
    const loose = code.toUpperCase().replaceAll('-', ' ');
    expect((await browser.post(SECOND_STEP, { recovery_code: loose })).status).toBe(200);
    expect((await browser.get('/v1/account/second-factor')).json.recovery_codes_left).toBe(9);
    const again = openBrowser(service);
    await signIn(again, person);
    expect((await again.post(SECOND_STEP, { recovery_code: code })).status).toBe(401);
    const { rows } = await service.ownerPool.query(
      'select c::text as text from member_recovery_code c where member_id = $1',
      [person.id],
    );
    expect(rows).toHaveLength(10);
    for (const known of recoveryCodes)
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(known.replaceAll('-', '')).toString('hex'));
  });

  it('are replaced by the member, and the earlier ones become invalid', async () => {
    const { home, person, recoveryCodes } = await newProtected();
    const replaced = await home.post('/v1/account/recovery-codes');
    expect(replaced.status).toBe(200);
    const browser = openBrowser(service);
    await signIn(browser, person);
    expect((await browser.post(SECOND_STEP, { recovery_code: recoveryCodes[0] ?? '' })).status).toBe(401);
    const [fresh] = replaced.json.recovery_codes;
    expect((await browser.post(SECOND_STEP, { recovery_code: fresh })).status).toBe(200);
  });

  it('need a factor, and credentials that were shown recently', async () => {
    const person = await newPerson();
    const browser = openBrowser(service);
    await signIn(browser, person);
    expect((await browser.post('/v1/account/recovery-codes')).status).toBe(409);
    const { home } = await newProtected();
    service.clock.move(5 * MINUTE);
    expect((await home.post('/v1/account/recovery-codes')).status).toBe(403);
  });
});

describe('enrolling an authenticator app', () => {
  it('seals the secret, and tells nothing of it afterwards', async () => {
    const person = await newPerson();
    const browser = openBrowser(service);
    await signIn(browser, person);
    const { json } = await browser.post('/v1/account/totp');
    expect(new URL(json.otpauth_uri).searchParams.get('issuer')).toBe('Test organization');
    const app = openTotpApp(service, json.otpauth_uri);
    await browser.post('/v1/account/totp/confirm', { totp_code: app.code() });
    const { rows } = await service.ownerPool.query('select * from member_totp where member_id = $1', [
      person.id,
    ]);
    expect(rows[0].secret.toString('latin1')).not.toContain(json.secret);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    const [own, known] = [
      await browser.get('/v1/account/second-factor'),
      await team.management.get(`/v1/org/${team.orgId}/member/${person.id}/second_factor`),
    ];
    expect(own.json).toEqual(known.json);
    for (const { text } of [log, own, known]) expect(text).not.toContain(json.secret);
  });

  it('does not open with a secret that is copied to another member', async () => {
    const [one, other] = [await newProtected(), await newProtected()];
    await service.ownerPool.query(
      'update member_totp set secret = (select secret from member_totp where member_id = $1) where member_id = $2',
      [one.person.id, other.person.id],
    );
    expect((await other.browser.post(SECOND_STEP, { totp_code: one.app.code() })).status).toBe(500);
  });

  it('survives a change of the ENCRYPTION_KEY once the keys are re-wrapped', async () => {
    const { browser, app } = await newProtected();
    const { app: running } = service;
    const [old, fresh] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));
    const changed = { ...running, keyring: openKeyring(running.db, fresh ?? '') };
    expect(await rewrapOrganizationKeys(changed, old ?? '')).toBeGreaterThan(0);
    expect(await rewrapOrganizationKeys(changed, old ?? '')).toBe(0);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(500);
    expect(await rewrapOrganizationKeys(running, fresh ?? '')).toBeGreaterThan(0);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(200);
  });

  it('needs a right code, within 15 minutes', async () => {
    const browser = openBrowser(service);
    await signIn(browser, await newPerson());
    expect((await browser.post('/v1/account/totp/confirm', { totp_code: '123456' })).status).toBe(404);
    const { json } = await browser.post('/v1/account/totp');
    const app = openTotpApp(service, json.otpauth_uri);
    const wrong = String((Number(app.code()) + 1) % 1_000_000).padStart(6, '0');
    expect((await browser.post('/v1/account/totp/confirm', { totp_code: wrong })).status).toBe(401);
    expect((await browser.get('/v1/account/second-factor')).json.totp).toBeNull();
    await service.ownerPool.query(
      "update member_totp set pending_until = pending_until - interval '15 minutes'",
    );
    expect((await browser.post('/v1/account/totp/confirm', { totp_code: app.code() })).status).toBe(404);
  });

  it('needs credentials that were shown recently, and the CSRF token', async () => {
    const browser = openBrowser(service);
    await signIn(browser, await newPerson());
    const forged = { method: 'POST' as const, headers: { 'x-csrf-token': '' } };
    expect((await browser.send('/v1/account/totp', forged)).status).toBe(403);
    service.clock.move(5 * MINUTE);
    expect((await browser.post('/v1/account/totp')).json.detail.code).toBe('reauthentication_required');
  });

  it('ends the other sessions of the member, and replaces the app without a gap', async () => {
    const person = await newPerson();
    const [home, elsewhere] = [openBrowser(service), openBrowser(service)];
    for (const browser of [home, elsewhere]) await signIn(browser, person);
    const first = await enrollTotpApp(service, home);
    expect((await elsewhere.get('/v1/session')).status).toBe(401);
    expect((await home.get('/v1/session')).status).toBe(200);
    service.clock.move(30 * SECOND);
    const begun = await home.post('/v1/account/totp');
    await signIn(elsewhere, person);
    expect((await elsewhere.post(SECOND_STEP, { totp_code: first.app.code() })).status).toBe(200);
    const second = openTotpApp(service, begun.json.otpauth_uri);
    const confirmed = await home.post('/v1/account/totp/confirm', { totp_code: second.code() });
    expect(confirmed.json).toEqual({ recovery_codes: null, session: null });
    service.clock.move(30 * SECOND);
    await signIn(elsewhere, person);
    expect((await elsewhere.post(SECOND_STEP, { totp_code: first.app.code() })).status).toBe(401);
    expect((await elsewhere.post(SECOND_STEP, { totp_code: second.code() })).status).toBe(200);
  });

  it('is impossible between the steps of a sign-in: the factor must be shown', async () => {
    const { browser } = await newProtected();
    expect((await browser.post('/v1/account/totp')).status).toBe(403);
  });
});

describe('removing the authenticator app', () => {
  it('needs the password and a code within 5 minutes', async () => {
    const { home, app, person } = await newProtected();
    service.clock.move(5 * MINUTE);
    expect((await home.delete('/v1/account/totp')).status).toBe(403);
    const bare = await home.post('/v1/session/reauthenticate', { password: PASSWORD });
    expect([bare.status, bare.json.detail.code]).toEqual([403, 'second_factor_required']);
    const proof = { password: PASSWORD, totp_code: app.code() };
    expect((await home.post('/v1/session/reauthenticate', { ...proof, password: OTHER })).status).toBe(403);
    expect((await home.post('/v1/session/reauthenticate', proof)).status).toBe(200);
    expect((await home.delete('/v1/account/totp')).status).toBe(204);
    expect((await home.delete('/v1/account/totp')).status).toBe(404);
    expect((await auditOf(person.id, 'second_factor.delete'))[0].before).toEqual({ methods: ['totp'] });
    expect((await signIn(openBrowser(service), person)).status).toBe(200);
    const left = await service.ownerPool.query('select from member_recovery_code where member_id = $1', [
      person.id,
    ]);
    expect(left.rowCount).toBe(0);
  });
});

describe('a one-time link', () => {
  it('sets a password but does not go around the second factor', async () => {
    const { person, app, browser: before } = await newProtected();
    const { token } = await asSystem(service.app.db, (tx) =>
      createLink(service.app, tx, {
        orgId: team.orgId,
        memberId: person.id,
        purpose: 'password_reset',
        by: { actor: 'service' },
      }),
    );
    const browser = openBrowser(service);
    const answer = await browser.post('/v1/session/link', { token, password: OTHER });
    expect(answer.status).toBe(202);
    expect((await browser.get('/v1/session')).status).toBe(401);
    expect((await before.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(401);
    expect((await browser.post(SECOND_STEP, { totp_code: app.code() })).status).toBe(200);
    const [entry] = await auditOf(person.id, 'session.create');
    expect(entry.after).toMatchObject({ method: 'link', second_factor: 'totp' });
  });
});

describe('an organization that requires a second factor', () => {
  const policyOf = (orgId: string) => `/v1/org/${orgId}/sign_in_policy`;

  it('leads members to enroll one before they get a session', async () => {
    const there = await service.team();
    const person = await newPerson({ role: 'org_admin' }, there);
    const earlier = openBrowser(service);
    await signIn(earlier, person);
    const path = policyOf(there.orgId);
    expect((await there.management.get(path)).json).toEqual({ require_second_factor: false });
    expect((await there.management.patch(path, { require_second_factor: true })).status).toBe(200);
    expect((await earlier.get('/v1/session')).status).toBe(401);

    const browser = openBrowser(service);
    const answer = await signIn(browser, person);
    expect(answer.status).toBe(202);
    expect(answer.json).toMatchObject({ status: 'enrollment_required', methods: [] });
    expect((await browser.post(SECOND_STEP, { recovery_code: 'any' })).status).toBe(401);
    await enrollTotpApp(service, browser);
    expect((await browser.get('/v1/session')).json.member.id).toBe(person.id);
    expect([...browser.cookies.keys()]).toEqual(['service-session']);
    expect((await browser.delete('/v1/account/totp')).status).toBe(409);
    expect((await browser.get('/v1/account/second-factor')).json.totp).not.toBeNull();
    const [entry] = await auditOf(there.orgId, 'sign_in_policy.update', there);
    expect(entry).toMatchObject({
      before: { require_second_factor: false },
      after: { require_second_factor: true },
    });
  });

  it('is made by an owner who has one', async () => {
    const there = await service.team();
    const [owner, admin] = [
      await newPerson({ role: 'org_admin' }, there),
      await newPerson({ role: 'org_admin' }, there),
    ];
    const [first, second] = [openBrowser(service), openBrowser(service)];
    await signIn(first, owner);
    await signIn(second, admin);
    const change = { require_second_factor: true };
    expect((await second.patch(policyOf(there.orgId), change)).status).toBe(403);
    expect((await first.patch(policyOf(there.orgId), change)).status).toBe(409);
    await enrollTotpApp(service, first);
    expect((await first.patch(policyOf(there.orgId), change)).status).toBe(200);
    expect((await first.get('/v1/session')).status).toBe(200);
    expect((await second.get('/v1/session')).status).toBe(401);
    const stranger = await service.team();
    expect((await stranger.management.patch(policyOf(there.orgId), change)).status).toBe(404);
  });
});
