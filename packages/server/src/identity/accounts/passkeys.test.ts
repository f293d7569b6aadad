import { beforeAll, describe, expect, it } from 'vitest';
import { givePassword, openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { joinOrganization } from '../../../test/members.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { openAuthenticator, type SoftwareAuthenticator } from '../../../test/software-authenticator.ts';
import { isoTimestamp, MINUTE } from '../../platform/clock.ts';
import { relyingPartyOf, toUserHandle } from '../factors/factors.ts';

const ORIGIN = 'https://api.lab.example';
const service = useTestService({ PUBLIC_URL: ORIGIN });
const team = useTestTeam(service);

const PASSWORD = 'seven brown otters juggle';
const OPTIONS = '/v1/session/passkey/options';
let people = 0;

interface Person {
  readonly id: string;
  readonly email: string;
}

async function newPerson(there = team, role: object = { role: 'no_role' }): Promise<Person> {
  const email = `passkey-${(people += 1)}@clinic.example`;
  const id = await joinOrganization(service, there, { email, ...role });
  await givePassword(service, id, PASSWORD);
  return { id, email };
}

const withPassword = (browser: TestBrowser, { email }: Person) =>
  browser.post('/v1/session', { email, password: PASSWORD });

async function register(browser: TestBrowser, authenticator: SoftwareAuthenticator, forgery = {}) {
  const { json } = await browser.post('/v1/account/passkey/options');
  const credential = authenticator.create(json, forgery);
  return browser.post('/v1/account/passkey', { name: 'Work laptop', credential });
}

/** A member with a passkey, and the browser in which it was registered. */
async function newHolder() {
  const person = await newPerson();
  const home = openBrowser(service);
  await withPassword(home, person);
  const authenticator = openAuthenticator(ORIGIN);
  const registered = await register(home, authenticator);
  expect(registered.status).toBe(200);
  return { person, home, authenticator, registered: registered.json };
}

async function signIn(browser: TestBrowser, authenticator: SoftwareAuthenticator, forgery = {}) {
  const { json } = await browser.post(OPTIONS);
  return browser.post('/v1/session/passkey', { credential: authenticator.get(json, forgery) });
}

describe('a passkey', () => {
  it('signs in alone, and counts as two factors', async () => {
    const { person, authenticator, registered } = await newHolder();
    expect(registered).toMatchObject({ passkey_id: expect.any(String), session: null });
    expect(registered.recovery_codes).toHaveLength(10);
    const browser = openBrowser(service);
    const opened = await signIn(browser, authenticator);
    expect(opened.status).toBe(200);
    expect(opened.json.member.id).toBe(person.id);
    expect([...browser.cookies.keys()]).toEqual(['__Host-service-session']);
    const { sessions } = (await browser.get('/v1/account/session')).json;
    expect(sessions.at(-1)).toMatchObject({ method: 'passkey', is_current: true });
    const { passkeys } = (await browser.get('/v1/account/passkey')).json;
    expect(passkeys).toMatchObject([
      { name: 'Work laptop', last_used_at: isoTimestamp(service.clock.now()) },
    ]);
  });

  it('makes the password alone insufficient', async () => {
    const { person, registered, authenticator } = await newHolder();
    const browser = openBrowser(service);
    const answer = await withPassword(browser, person);
    expect(answer.status).toBe(202);
    expect(answer.json.methods).toEqual(['passkey', 'recovery_code']);
    const code = { recovery_code: registered.recovery_codes[0] };
    expect((await browser.post('/v1/session/second-factor', code)).status).toBe(200);
    const other = openBrowser(service);
    await withPassword(other, person);
    expect((await signIn(other, authenticator)).status).toBe(200);
    expect([...other.cookies.keys()]).toEqual(['__Host-service-session']);
  });

  it('asks for a discoverable credential and a verified user, and names those that exist', async () => {
    const { home, person, authenticator } = await newHolder();
    const { json } = await home.post('/v1/account/passkey/options');
    expect(json).toMatchObject({
      rp: { id: 'api.lab.example' },
      user: { id: toUserHandle(person.id), name: person.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: authenticator.credentialId }],
      attestation: 'none',
    });
    expect((await home.post(OPTIONS)).json).toMatchObject({
      rpId: 'api.lab.example',
      userVerification: 'required',
    });
  });

  it('is one of several, is renamed, and removed only within 5 minutes of authentication', async () => {
    const { home, person, authenticator, registered } = await newHolder();
    const second = openAuthenticator(ORIGIN, { counts: false });
    expect((await register(home, second)).json.recovery_codes).toBeNull();
    for (const one of [authenticator, second, second])
      expect((await signIn(openBrowser(service), one)).status).toBe(200);
    const path = `/v1/account/passkey/${registered.passkey_id}`;
    expect((await home.patch(path, { name: 'Old laptop' })).status).toBe(204);
    const stranger = (await newHolder()).home;
    expect((await stranger.patch(path, { name: 'Mine' })).status).toBe(404);
    expect((await stranger.delete(path)).status).toBe(404);
    const { passkeys } = (await home.get('/v1/account/passkey')).json;
    expect(passkeys.map(({ name }: { name: string }) => name)).toEqual(['Old laptop', 'Work laptop']);
    service.clock.move(5 * MINUTE);
    expect((await home.delete(path)).json.detail.code).toBe('reauthentication_required');
    const { json } = await home.post(OPTIONS);
    const proof = { credential: second.get(json) };
    expect((await home.post('/v1/session/reauthenticate/passkey', proof)).status).toBe(200);
    expect((await home.delete(path)).status).toBe(204);
    expect((await signIn(openBrowser(service), authenticator)).status).toBe(401);
    expect((await signIn(openBrowser(service), second)).json.member.id).toBe(person.id);
  });

  it('cannot be registered twice, also by another member', async () => {
    const { home, authenticator } = await newHolder();
    expect((await register(home, authenticator)).status).toBe(409);
    const other = (await newHolder()).home;
    expect((await register(other, authenticator)).status).toBe(409);
  });

  it('completes a sign-in where the organization requires a factor, and stays the last one', async () => {
    const there = await service.team();
    const person = await newPerson(there);
    await there.management.patch(`/v1/org/${there.orgId}/sign_in_policy`, { require_second_factor: true });
    const browser = openBrowser(service);
    expect((await withPassword(browser, person)).json.status).toBe('enrollment_required');
    const registered = await register(browser, openAuthenticator(ORIGIN));
    expect(registered.json.session.member.id).toBe(person.id);
    expect((await browser.get('/v1/session')).status).toBe(200);
    expect((await browser.delete(`/v1/account/passkey/${registered.json.passkey_id}`)).status).toBe(409);
  });
});

describe('the answer to a challenge', () => {
  let holder: Awaited<ReturnType<typeof newHolder>>;
  beforeAll(async () => {
    holder = await newHolder();
  });

  // prettier-ignore
  it.each<[string, object]>([
    ['a wrong origin',             { origin: 'https://api.lab.example.evil.example' }],
    ['the origin without https',   { origin: 'http://api.lab.example' }],
    ['a wrong RP id',              { rpId: 'lab.example' }],
    ['another challenge',          { challenge: 'A'.repeat(43) }],
    ['no user verification',       { isVerified: false }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['a counter that went back',   { counter: 1 }],
    ['an unknown credential',      { credentialId: 'A'.repeat(43) }],
    ['the handle of another user', { userHandle: toUserHandle('01900000-0000-7000-8000-000000000000') }],
  ])('is refused with %s', async (_, forgery) => {
    const { authenticator } = holder;
    expect((await signIn(openBrowser(service), authenticator)).status).toBe(200);
    const browser = openBrowser(service);
    const answer = await signIn(browser, authenticator, forgery);
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await browser.get('/v1/session')).status).toBe(401);
  });

  // prettier-ignore
  it.each<[string, object]>([
    ['a wrong origin',        { origin: 'https://evil.example' }],
    ['a wrong RP id',         { rpId: 'evil.example' }],
    ['another challenge',     { challenge: 'A'.repeat(43) }],
    ['no user verification',  { isVerified: false }],
    ['the type of a sign-in', { type: 'webauthn.get' }],
  ])('registers nothing with %s', async (_, forgery) => {
    const before = (await holder.home.get('/v1/account/passkey')).json;
    expect((await register(holder.home, openAuthenticator(ORIGIN), forgery)).status).toBe(400);
    expect((await holder.home.get('/v1/account/passkey')).json).toEqual(before);
  });

  it('is accepted once, also if it is sent twice at the same time', async () => {
    const browser = openBrowser(service);
    const { json } = await browser.post(OPTIONS);
    const [cookie] = [...browser.cookies];
    const credential = holder.authenticator.get(json);
    const answers = await Promise.all(
      [1, 2, 3].map(() => {
        const tab = openBrowser(service);
        tab.cookies.set(...(cookie ?? ['', '']));
        return tab.post('/v1/session/passkey', { credential });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it('is refused after a failed one, in another browser, and after 5 minutes', async () => {
    const browser = openBrowser(service);
    const { json } = await browser.post(OPTIONS);
    const wrong = { credential: holder.authenticator.get(json, { isVerified: false }) };
    expect((await browser.post('/v1/session/passkey', wrong)).status).toBe(401);
    const right = () => ({ credential: holder.authenticator.get(json) });
    expect((await browser.post('/v1/session/passkey', right())).status).toBe(401);

    const begun = await browser.post(OPTIONS);
    const stolen = { credential: holder.authenticator.get(begun.json) };
    const thief = openBrowser(service);
    await thief.post(OPTIONS);
    expect((await thief.post('/v1/session/passkey', stolen)).status).toBe(401);

    service.clock.move(5 * MINUTE);
    expect((await browser.post('/v1/session/passkey', stolen)).status).toBe(401);
  });

  it('to a registration does not sign in, and the other way round', async () => {
    const { home, authenticator } = await newHolder();
    const { json } = await home.post('/v1/account/passkey/options');
    const request = { rpId: json.rp.id, challenge: json.challenge };
    const credential = authenticator.get(request);
    expect((await home.post('/v1/session/passkey', { credential })).status).toBe(401);
    const begun = await home.post(OPTIONS);
    const created = openAuthenticator(ORIGIN).create({ ...json, challenge: begun.json.challenge });
    expect((await home.post('/v1/account/passkey', { name: 'x', credential: created })).status).toBe(400);
  });

  it('of another member does not reauthenticate, nor register for somebody else', async () => {
    const [one, other] = [await newHolder(), await newHolder()];
    const { json } = await one.home.post(OPTIONS);
    const proof = { credential: other.authenticator.get(json) };
    expect((await one.home.post('/v1/session/reauthenticate/passkey', proof)).status).toBe(401);
    const begun = (await one.home.post('/v1/account/passkey/options')).json;
    const name = '__Host-service-passkey';
    other.home.cookies.set(name, one.home.cookies.get(name) ?? '');
    const credential = openAuthenticator(ORIGIN).create(begun);
    expect((await other.home.post('/v1/account/passkey', { name: 'x', credential })).status).toBe(400);
  });
});

describe('the relying party', () => {
  const of = (PUBLIC_URL: string | undefined) =>
    relyingPartyOf({ ...service.app, config: { ...service.app.config, PUBLIC_URL, PORT: 3000 } });

  it('is the domain of the public URL, or the machine itself', () => {
    expect(of('https://lab.example:8443/x')).toEqual({
      id: 'lab.example',
      origin: 'https://lab.example:8443',
    });
    expect(of(undefined)).toEqual({ id: 'localhost', origin: 'http://localhost:3000' });
    for (const url of ['https://192.0.2.1', 'https://[2001:db8::1]'])
      expect(() => of(url)).toThrow(/domain name/);
  });
});
