import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../../test/members.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { MINUTE } from '../../platform/clock.ts';

const PASSWORD = 'seven brown otters juggle';
const OTHER = 'nine green herons whistle';

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

/** A member of an organization, without an invite, which would be e-mailed. */
async function addMember(email: string, there: TestTeam = team): Promise<string> {
  const id = randomUUID();
  await service.ownerPool.query(
    `insert into organization_member (id, org_id, email, name, role, created_at)
      values ($1, $2, $3, 'Ada Lovelace', 'no_role', now())`,
    [id, there.orgId, email],
  );
  return id;
}

let addresses = 0;
/** Each from its own address, unless one is given. */
async function post(url: string, body: object, remoteAddress?: string) {
  addresses += 1;
  const answer = await service.http.server.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
    remoteAddress: remoteAddress ?? `10.3.${addresses >> 8}.${addresses & 255}`,
  });
  return { status: answer.statusCode, text: answer.body, json: answer.body ? answer.json() : undefined };
}

const ask = (email: string, address?: string) => post('/v1/account/password-reset', { email }, address);
const use = (token: string | undefined, password?: string) =>
  post('/v1/session/link', { token, password: password ?? null });
const signIn = (email: string, password: string) => post('/v1/session', { email, password });

/** The tokens in all mails to an address, once there are so many. The text and the HTML of a mail have the same. */
async function mailedTokens(email: string, count: number): Promise<string[]> {
  const tokens = () => [
    ...new Set(
      smtp.received
        .filter(({ to }) => to.includes(email))
        .flatMap(({ raw }) => [...raw.replaceAll('=\r\n', '').matchAll(/\/sign-in-link#([\w-]{43})/g)])
        .map(([, token]) => token ?? ''),
    ),
  ];
  await expect.poll(() => tokens().length).toBe(count);
  return tokens();
}

describe('a forgotten password', () => {
  it('is replaced by the holder of the e-mailed link, once, which ends all sessions', async () => {
    const email = 'ada@clinic.example';
    const client = await signedIn(service, await addMember(email));
    expect((await ask(email.toUpperCase())).status).toBe(204);
    const [token] = await mailedTokens(email, 1);
    expect((await use(token, PASSWORD)).status).toBe(200);
    expect((await client.get('/v1/session')).status).toBe(401);
    expect((await signIn(email, PASSWORD)).status).toBe(200);
    expect((await use(token, OTHER)).status).toBe(404);
  });

  it('has links that all end with the new password', async () => {
    const email = 'twice@clinic.example';
    await addMember(email);
    await ask(email);
    await ask(email);
    const [first, second] = await mailedTokens(email, 2);
    expect((await use(second, PASSWORD)).status).toBe(200);
    expect((await use(first, OTHER)).status).toBe(404);
  });

  it('has a link that opens no session without a new password', async () => {
    const email = 'silent@clinic.example';
    await addMember(email);
    await ask(email);
    const [token] = await mailedTokens(email, 1);
    const refused = await use(token);
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', 'password']]);
    expect((await use(token, PASSWORD)).status).toBe(200);
  });

  it('is answered the same for an unknown address, which gets no mail', async () => {
    const email = 'known@clinic.example';
    await addMember(email);
    const answers = [await ask('nobody@clinic.example'), await ask(email)];
    expect(answers[0]).toEqual(answers[1]);
    await mailedTokens(email, 1);
    expect(smtp.received.flatMap(({ to }) => to)).not.toContain('nobody@clinic.example');
  });

  it('has a link for each organization of the person', async () => {
    const email = 'both@clinic.example';
    const ids = [await addMember(email), await addMember(email, await service.team())];
    await ask(email);
    const used = [];
    for (const token of await mailedTokens(email, 2)) used.push((await use(token, PASSWORD)).json.member.id);
    expect(used.toSorted()).toEqual(ids.toSorted());
  });

  it('is audited without a secret', async () => {
    const email = 'audited@clinic.example';
    const id = await addMember(email);
    await ask(email, '198.51.100.8');
    const [token = ''] = await mailedTokens(email, 1);
    await use(token, PASSWORD);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${id}`);
    expect(log.json.data).toMatchObject([
      { action: 'session.create', after: { method: 'link' } },
      { action: 'password.change' },
      { action: 'sign_in_link.create', address: '198.51.100.8', after: { purpose: 'password_reset' } },
    ]);
    for (const secret of [token, PASSWORD, email]) expect(log.text).not.toContain(secret);
  });

  it('has a link that ends after 30 minutes', async () => {
    const email = 'late@clinic.example';
    await addMember(email);
    await ask(email);
    const [token] = await mailedTokens(email, 1);
    service.clock.move(30 * MINUTE);
    expect((await use(token, PASSWORD)).status).toBe(404);
  });
});

describe('asking for resets', () => {
  it.each(['limited@clinic.example', 'stranger@clinic.example'])(
    'for %s is refused after three requests from one address, and ten from many',
    async (email) => {
      if (email.startsWith('limited')) await addMember(email);
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await ask(email, '203.0.113.20')).status);
      expect(statuses).toEqual([204, 204, 204, 429]);
      for (let n = 4; n < 10; n += 1) expect((await ask(email)).status).toBe(204);
      expect((await ask(email)).status).toBe(429);
    },
  );

  it('is refused without a mail server', async () => {
    const silent = await openTestService();
    const body = { email: 'ada@clinic.example' };
    const answer = await silent.client({}).post('/v1/account/password-reset', body);
    await silent.close();
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('sends no e-mail')]);
  });
});
