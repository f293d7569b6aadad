import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givePassword, openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { addMember } from '../../../test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';

const PASSWORD = 'seven brown otters juggle';
const PATH = '/v1/account/email-change';

let service: TestService;
let team: TestTeam;
let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
  service = await openTestService({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@lab.example' });
  team = await service.team();
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});

let people = 0;
const newAddress = () => `member-${(people += 1)}@clinic.example`;

/** A member with a password. */
async function addPerson(email: string, there: TestTeam = team): Promise<string> {
  const id = await addMember(service, there.orgId, { email });
  await givePassword(service, id, PASSWORD);
  return id;
}

const signIn = (browser: TestBrowser, email: string) =>
  browser.post('/v1/session', { email, password: PASSWORD });

/** A browser in which the new member is signed in. */
async function signedInBrowser(email: string, there?: TestTeam) {
  const id = await addPerson(email, there);
  const browser = openBrowser(service);
  expect((await signIn(browser, email)).status).toBe(200);
  return { id, browser };
}

const mailsTo = (email: string) => smtp.received.filter(({ to }) => to.includes(email));
const subjectsTo = (email: string) =>
  mailsTo(email).map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());

/** The token in the last mail to an address. */
function mailedToken(email: string): string {
  const text = String(mailsTo(email).at(-1)?.raw).replaceAll('=\r\n', '');
  return /\/confirm-email#([\w-]{43})/.exec(text)?.[1] ?? '';
}

const confirm = (browser: TestBrowser, token: string) => browser.post(`${PATH}/confirm`, { token });
const addressOf = async (id: string) =>
  (await service.ownerPool.query('select email from organization_member where id = $1', [id])).rows[0].email;

describe('the e-mail address of a member', () => {
  it('changes when the link in the new mailbox is confirmed, which ends all other sessions', async () => {
    const [old, wanted] = [newAddress(), newAddress()];
    const { id, browser } = await signedInBrowser(old);
    const elsewhere = openBrowser(service);
    await signIn(elsewhere, old);
    const asked = await browser.post(PATH, { email: wanted.toUpperCase() });
    expect([asked.status, asked.json.email]).toEqual([200, wanted]);
    expect((await browser.get(PATH)).json).toEqual({ email_change: asked.json });
    expect(await addressOf(id)).toBe(old);
    expect(subjectsTo(old)).toEqual(['A new e-mail address was requested for your account']);
    expect(String(mailsTo(old)[0]?.raw)).not.toContain(mailedToken(wanted));

    const done = await confirm(browser, mailedToken(wanted));
    expect([done.status, done.json.member.email]).toEqual([200, wanted]);
    expect(subjectsTo(old).at(-1)).toBe('The e-mail address of your account was changed');
    expect((await browser.get('/v1/session')).json.member.email).toBe(wanted);
    expect((await browser.get(PATH)).json).toEqual({ email_change: null });
    expect((await elsewhere.get('/v1/session')).status).toBe(401);
    expect((await signIn(openBrowser(service), wanted)).status).toBe(200);
    expect((await signIn(openBrowser(service), old)).status).toBe(401);
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(404);
  });

  it('is audited without the addresses and the token', async () => {
    const [old, wanted] = [newAddress(), newAddress()];
    const { id, browser } = await signedInBrowser(old);
    await browser.post(PATH, { email: wanted });
    const token = mailedToken(wanted);
    await confirm(browser, token);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${id}&limit=3`);
    expect(log.json.data).toMatchObject([
      { action: 'session.create', actor: `member:${id}` },
      { action: 'email.change', actor: `member:${id}`, address: browser.address },
      { action: 'email_change.create', actor: `member:${id}` },
    ]);
    for (const secret of [token, old, wanted]) expect(log.text).not.toContain(secret);
    const { rows } = await service.ownerPool.query('select * from member_email_change');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('takes with it the links that were sent to the old address', async () => {
    const [old, wanted] = [newAddress(), newAddress()];
    const { browser } = await signedInBrowser(old);
    await openBrowser(service).post('/v1/account/password-reset', { email: old });
    await expect.poll(() => subjectsTo(old)).toContain('Set a new password');
    const reset = /\/sign-in-link#([\w-]{43})/.exec(
      String(mailsTo(old)[0]?.raw).replaceAll('=\r\n', ''),
    )?.[1];
    await browser.post(PATH, { email: wanted });
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(200);
    const used = await openBrowser(service).post('/v1/session/link', { token: reset, password: PASSWORD });
    expect(used.status).toBe(404);
  });

  it('needs credentials that were just shown, and the token against forged requests', async () => {
    const { browser } = await signedInBrowser(newAddress());
    const anonymous = openBrowser(service);
    for (const [method, path] of [
      ['POST', PATH],
      ['GET', PATH],
      ['DELETE', PATH],
      ['POST', `${PATH}/confirm`],
    ] as const) {
      const body = method === 'POST' ? { email: newAddress(), token: 'x' } : undefined;
      expect([path, (await anonymous.send(path, { method, body })).status]).toEqual([path, 401]);
    }
    const forged = {
      method: 'POST',
      body: { email: newAddress() },
      headers: { 'x-csrf-token': 'no' },
    } as const;
    expect((await browser.send(PATH, forged)).status).toBe(403);
    service.clock.move(6 * MINUTE);
    const late = await browser.post(PATH, { email: newAddress() });
    expect([late.status, late.json.detail.code]).toEqual([403, 'reauthentication_required']);
  });

  it.each(['not an address', '', `${'x'.repeat(260)}@clinic.example`])('is not %j', async (email) => {
    const { browser } = await signedInBrowser(newAddress());
    expect((await browser.post(PATH, { email })).status).toBe(422);
  });
});

describe('an address that is taken', () => {
  it('is refused without saying who has it, and only within the organization', async () => {
    const [old, taken] = [newAddress(), newAddress()];
    await addPerson(taken);
    const { browser } = await signedInBrowser(old);
    const refused = await browser.post(PATH, { email: taken });
    expect([refused.status, refused.json.detail]).toEqual([
      409,
      'This address cannot be used: choose another one',
    ]);
    expect(mailsTo(taken)).toEqual([]);
    expect((await browser.post(PATH, { email: old })).status).toBe(422);
    const { browser: stranger } = await signedInBrowser(newAddress(), await service.team());
    expect((await stranger.post(PATH, { email: taken })).status).toBe(200);
  });

  it('is confirmed by one of two members who asked for it', async () => {
    const wanted = newAddress();
    const [one, two] = [await signedInBrowser(newAddress()), await signedInBrowser(newAddress())];
    await one.browser.post(PATH, { email: wanted });
    const first = mailedToken(wanted);
    await two.browser.post(PATH, { email: wanted });
    const second = mailedToken(wanted);
    const answers = await Promise.all([confirm(one.browser, first), confirm(two.browser, second)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { rows } = await service.ownerPool.query('select id from organization_member where email = $1', [
      wanted,
    ]);
    expect(rows).toHaveLength(1);
  });
});

describe('the link to a new address', () => {
  it('is used once when it is used twice at the same time', async () => {
    const wanted = newAddress();
    const { id, browser } = await signedInBrowser(newAddress());
    await browser.post(PATH, { email: wanted });
    const token = mailedToken(wanted);
    const statuses = (await Promise.all([1, 2, 3].map(() => confirm(browser, token)))).map(
      ({ status }) => status,
    );
    // A later one finds the session ended, or the link used.
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status !== 200).every((status) => [401, 404].includes(status))).toBe(
      true,
    );
    expect(await addressOf(id)).toBe(wanted);
  });

  it('is replaced by the next one, and one of two requests at the same time has the valid link', async () => {
    const wanted = [newAddress(), newAddress()];
    const { id, browser } = await signedInBrowser(newAddress());
    const asked = await Promise.all(wanted.map((email) => browser.post(PATH, { email })));
    expect(asked.map(({ status }) => status)).toEqual([200, 200]);
    const pending = (await browser.get(PATH)).json.email_change.email;
    const replaced = wanted.find((email) => email !== pending) ?? '';
    expect((await confirm(browser, mailedToken(replaced))).status).toBe(404);
    expect((await confirm(browser, mailedToken(pending))).status).toBe(200);
    expect(await addressOf(id)).toBe(pending);
  });

  it('is of no use to another member', async () => {
    const [old, wanted] = [newAddress(), newAddress()];
    const { id, browser } = await signedInBrowser(old);
    const { browser: other, id: otherId } = await signedInBrowser(newAddress());
    await browser.post(PATH, { email: wanted });
    expect((await confirm(other, mailedToken(wanted))).status).toBe(404);
    expect([await addressOf(id), await addressOf(otherId)]).not.toContain(wanted);
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(200);
  });

  it('ends after an hour, with a new password, and when the request is cancelled', async () => {
    const [old, wanted] = [newAddress(), newAddress()];
    const { id, browser } = await signedInBrowser(old);
    await browser.post(PATH, { email: wanted });
    expect((await browser.delete(PATH)).status).toBe(204);
    expect((await browser.delete(PATH)).status).toBe(404);
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(404);

    await browser.post(PATH, { email: wanted });
    expect(
      (await browser.put('/v1/account/password', { password: 'nine green herons whistle' })).status,
    ).toBe(200);
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(404);

    await browser.post(PATH, { email: wanted });
    service.clock.move(HOUR);
    await browser.post('/v1/session', { email: old, password: 'nine green herons whistle' });
    expect((await browser.get(PATH)).json).toEqual({ email_change: null });
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(404);
    expect(await addressOf(id)).toBe(old);
  });

  it('is mailed again after the mail server refused it', async () => {
    const wanted = newAddress();
    const { browser } = await signedInBrowser(newAddress());
    smtp.answers.push(450);
    expect((await browser.post(PATH, { email: wanted })).status).toBe(503);
    smtp.answers.push(550);
    expect((await browser.post(PATH, { email: wanted })).status).toBe(400);
    expect((await browser.post(PATH, { email: wanted })).status).toBe(200);
    expect((await confirm(browser, mailedToken(wanted))).status).toBe(200);
  });

  it('is asked for five times from one network, then refused', async () => {
    const { browser } = await signedInBrowser(newAddress());
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await browser.post(PATH, { email: newAddress() })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});
