import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { givePassword, openBrowser } from '../../../test/browser.ts';
import { signedIn } from '../../../test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { enrollTotpApp } from '../../../test/totp-app.ts';
import { removeFactorsByEmail } from './accounts.ts';

const PASSWORD = 'seven brown otters juggle';

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

/** A member with a password and an authenticator app, without an invite, which would be e-mailed. */
async function addProtectedMember(isOwner = false) {
  const id = randomUUID();
  const email = `${id}@clinic.example`;
  await service.ownerPool.query(
    `insert into organization_member (id, org_id, email, name, role, is_owner, created_at)
      values ($1, $2, $3, 'Ada Lovelace', 'org_admin', $4, now())`,
    [id, team.orgId, email, isOwner],
  );
  await givePassword(service, id, PASSWORD);
  const browser = openBrowser(service);
  await browser.post('/v1/session', { email, password: PASSWORD });
  await enrollTotpApp(service, browser);
  return { id, email, browser, path: `/v1/org/${team.orgId}/member/${id}/second_factor` };
}

const ADDED = 'An authenticator app was added to your account';
const subjectsTo = (email: string) =>
  smtp.received
    .filter(({ to }) => to.includes(email))
    .map(({ raw }) => /^Subject: (.+)$/m.exec(raw)?.[1]?.trim());

describe('a member who changes a second factor', () => {
  it('is told of each change by e-mail', async () => {
    const { email, browser } = await addProtectedMember();
    expect((await browser.post('/v1/account/recovery-codes')).status).toBe(200);
    expect((await browser.delete('/v1/account/totp')).status).toBe(204);
    expect(subjectsTo(email)).toEqual([
      ADDED,
      'The recovery codes of your account were replaced',
      'The authenticator app of your account was removed',
    ]);
  });

  it('has changed it although the mail server is away', async () => {
    const { email, browser } = await addProtectedMember();
    smtp.answers.push(451);
    expect((await browser.delete('/v1/account/totp')).status).toBe(204);
    expect(subjectsTo(email)).toEqual([ADDED]);
  });
});

describe('an administrator who removes the second factor of a member', () => {
  it('lets the member sign in with the password, which the member is told', async () => {
    const { id, email, browser, path } = await addProtectedMember();
    const admin = await signedIn(service, (await addProtectedMember()).id);
    expect((await admin.get(path)).json).toMatchObject({ recovery_codes_left: 10 });
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.delete(path)).status).toBe(404);
    expect((await browser.get('/v1/session')).status).toBe(401);
    const again = await openBrowser(service).post('/v1/session', { email, password: PASSWORD });
    expect(again.status).toBe(200);
    expect(subjectsTo(email)).toEqual([ADDED, 'Your second factor was removed']);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?action=second_factor.delete`);
    expect(log.json.data[0]).toMatchObject({ subject: id, actor: expect.stringMatching(/^member:/) });
  });

  it('succeeds although the mail server is away', async () => {
    const { email, path } = await addProtectedMember();
    smtp.answers.push(451);
    expect((await team.management.delete(path)).status).toBe(204);
    expect(subjectsTo(email)).toEqual([ADDED]);
  });

  it('cannot do it for an owner, unless an owner is the author', async () => {
    const owner = await addProtectedMember(true);
    const admin = await signedIn(service, (await addProtectedMember()).id);
    expect((await admin.delete(owner.path)).status).toBe(403);
    const other = await signedIn(service, (await addProtectedMember(true)).id);
    expect((await other.delete(owner.path)).status).toBe(204);
  });

  it('cannot do it in another organization', async () => {
    const { id, path } = await addProtectedMember();
    const stranger = await service.team();
    expect((await stranger.management.delete(path)).status).toBe(404);
    expect(
      (await stranger.management.delete(`/v1/org/${stranger.orgId}/member/${id}/second_factor`)).status,
    ).toBe(404);
    expect((await team.management.get(path)).json.totp).not.toBeNull();
  });
});

describe('an operator who removes the second factor of a sole owner', () => {
  const by = { actor: 'operator' };

  it('lets the owner sign in with the password, audited and told', async () => {
    const { id, email, browser } = await addProtectedMember(true);
    await removeFactorsByEmail(service.app, { email, orgId: undefined, by });
    expect((await browser.get('/v1/session')).status).toBe(401);
    const again = await openBrowser(service).post('/v1/session', { email, password: PASSWORD });
    expect(again.status).toBe(200);
    expect(subjectsTo(email)).toEqual([ADDED, 'Your second factor was removed']);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?action=second_factor.delete`);
    expect(log.json.data[0]).toMatchObject({ subject: id, actor: 'operator' });
  });

  it('cannot do it for an unknown address, another organization or a second time', async () => {
    const { email } = await addProtectedMember(true);
    const remove = (orgId: string | undefined, address = email) =>
      removeFactorsByEmail(service.app, { email: address, orgId, by });
    await expect(remove(undefined, 'nobody@clinic.example')).rejects.toThrow(/not found/);
    await expect(remove((await service.team()).orgId)).rejects.toThrow(/not found/);
    await remove(team.orgId);
    await expect(remove(team.orgId)).rejects.toThrow(/not found/);
  });
});
