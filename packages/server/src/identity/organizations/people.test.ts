import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { createTeam } from '../management/management.ts';
import { DAY, isoTimestamp, later } from '../../platform/clock.ts';

let service: TestService;
let mailing: TestService;
let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
  const mail = {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'no-reply@lab.example',
    PUBLIC_URL: 'https://api.lab.example',
  };
  [service, mailing] = await Promise.all([openTestService(), openTestService(mail)]);
});
afterAll(async () => {
  await Promise.all([service.close(), mailing.close()]);
  await smtp.close();
});

const at = (team: TestTeam, path: string) => `/v1/org/${team.orgId}/${path}`;
const tokenOf = (url: string) => url.split('#')[1] ?? '';
const anybody = () => service.client({});
const accept = (token: string, name = 'Ada Lovelace') => anybody().post('/v1/invite/accept', { token, name });

async function invited(team: TestTeam, body: Record<string, unknown>): Promise<string> {
  const answer = await team.management.post(at(team, 'invite'), body);
  expect(answer.status).toBe(200);
  return tokenOf(answer.json.invite_url);
}

/** A member, from the invite on. */
async function joined(team: TestTeam, body: Record<string, unknown>): Promise<string> {
  return (await accept(await invited(team, body))).json.member.id;
}

const membersOf = async (team: TestTeam, query = '') =>
  (await team.management.get(at(team, `member${query}`))).json.members;
const invitesOf = async (team: TestTeam, query = '') =>
  (await team.management.get(at(team, `invite${query}`))).json.invites;

describe('an invite', () => {
  it('makes the holder of its link a member, once', async () => {
    const team = await service.team();
    const made = await team.management.post(at(team, 'invite'), { email: 'Ada@Clinic.example' });
    expect(made.json).toMatchObject({
      status: 'invite_created',
      expires_at: isoTimestamp(later(service.clock.now(), 7 * DAY)),
    });
    expect(made.json.invite_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invite#[\w-]{43}$/);
    const [listed] = await invitesOf(team);
    expect(listed).toMatchObject({
      email: 'ada@clinic.example',
      role: 'org_admin',
      resent_at: null,
      creator: { type: 'management_key' },
      team_role_bindings: null,
    });
    const accepted = await accept(tokenOf(made.json.invite_url));
    expect(accepted.json).toMatchObject({
      organization: { id: team.orgId, name: 'Test organization' },
      member: { name: 'Ada Lovelace', email: 'ada@clinic.example', role: 'org_admin' },
    });
    expect(await membersOf(team)).toEqual([accepted.json.member]);
    expect(await invitesOf(team)).toEqual([]);
    expect((await accept(tokenOf(made.json.invite_url))).status).toBe(404);
    const again = await team.management.post(at(team, 'invite'), { email: 'ADA@clinic.example' });
    expect(again.json).toEqual({ status: 'already_in_org', invite_url: null, expires_at: null });
  });

  it('creates one member for many concurrent acceptances', async () => {
    const team = await service.team();
    const token = await invited(team, { email: 'many@clinic.example' });
    const answers = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((name) => accept(token, name)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect(await membersOf(team)).toHaveLength(1);
  });

  it('requested many times concurrently is one invite, whose last link is valid', async () => {
    const team = await service.team();
    const body = { email: 'eager@clinic.example' };
    const tokens = await Promise.all([1, 2, 3, 4].map(() => invited(team, body)));
    expect(await invitesOf(team)).toHaveLength(1);
    const answers = [];
    for (const token of tokens) answers.push((await accept(token)).status);
    expect(answers.toSorted()).toEqual([200, 404, 404, 404]);
  });

  it('expires after 7 days, and is valid again when it is resent', async () => {
    const team = await service.team();
    const late = await openLate(team);
    const again = await team.management.post(at(team, 'invite'), {
      email: 'late@clinic.example',
      role: 'no_role',
    });
    expect(again.json.status).toBe('invite_resent');
    const [listed] = await invitesOf(team);
    expect(listed).toMatchObject({ role: 'no_role', resent_at: listed.resent_at });
    expect(listed.resent_at).not.toBeNull();
    expect((await accept(late)).status).toBe(404);
    expect((await accept(tokenOf(again.json.invite_url))).json.member.role).toBe('no_role');
  });

  async function openLate(team: TestTeam): Promise<string> {
    const token = await invited(team, { email: 'late@clinic.example' });
    service.clock.move(7 * DAY);
    expect((await accept(token)).status).toBe(404);
    return token;
  }

  it('is invalid once it is withdrawn', async () => {
    const team = await service.team();
    const token = await invited(team, { email: 'gone@clinic.example' });
    const [{ id }] = await invitesOf(team);
    expect((await team.management.delete(at(team, `invite/${id}`))).json).toEqual({ success: true });
    expect((await team.management.delete(at(team, `invite/${id}`))).status).toBe(404);
    expect((await accept(token)).status).toBe(404);
  });

  it('is found by its address, whatever characters it contains', async () => {
    const team = await service.team();
    for (const email of ['one_a@clinic.example', 'onexa@clinic.example']) await invited(team, { email });
    const found = (await invitesOf(team, '?search_query=ONE_A')).map(({ email }: { email: string }) => email);
    expect(found).toEqual(['one_a@clinic.example']);
  });

  it('is stored as a digest, and audited without token and address', async () => {
    const team = await service.team();
    const token = await invited(team, { email: 'secret@clinic.example' });
    await accept(token);
    await invited(team, { email: 'secret2@clinic.example' });
    const { rows } = await service.ownerPool.query('select i::text as line from organization_invite i');
    const log = await team.management.get(at(team, 'audit_log'));
    const actions = log.json.data.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(['invite.create', 'invite.accept', 'invite.create']);
    expect(log.json.data[1]).toMatchObject({ address: '127.0.0.1', request_id: expect.any(String) });
    for (const text of [JSON.stringify(rows), log.text]) expect(text).not.toContain(token);
    expect(log.text).not.toContain('clinic.example');
  });

  // prettier-ignore
  it.each([
    [422, {}],
    [422, { email: 'nobody' }],
    [422, { email: 'a@b.example', role: 'owner' }],
    [400, { email: 'a@b.example', role: 'team_admin' }],
    [400, { email: 'a@b.example', role: 'team_admin', team_role_bindings: [] }],
    [400, { email: 'a@b.example', role: 'no_role', team_role_bindings: [{ team_id: 'OWN' }] }],
    [404, { email: 'a@b.example', role: 'team_admin', team_role_bindings: [{ team_id: '01900000-0000-7000-8000-000000000000' }] }],
  ])('is refused with %i: %o', async (status, body) => {
    const team = await service.team();
    const given = JSON.parse(JSON.stringify(body).replace('OWN', team.tenant.teamId));
    expect((await team.management.post(at(team, 'invite'), given)).status).toBe(status);
    expect(await invitesOf(team)).toEqual([]);
  });

  it.each([
    [404, { token: 'x', name: 'Ada' }],
    [422, { token: 'x' }],
    [422, { token: 'x', name: ' ' }],
    [422, 'text'],
    [422, null],
  ])('cannot be accepted: %i for %o', async (status, body) => {
    expect((await anybody().post('/v1/invite/accept', body)).status).toBe(status);
  });

  it('responds with 422 to a body that is not JSON', async () => {
    const answer = await service.http.server.inject({
      method: 'POST',
      url: '/v1/invite/accept',
      payload: 'token=x',
    });
    expect([answer.statusCode, answer.json().detail]).toMatchObject([
      422,
      [{ loc: ['body'], msg: expect.stringContaining('not JSON') }],
    ]);
  });

  it('leads to a page of the dashboard, and browsers take the fragment along', async () => {
    const { status, headers } = await anybody().get('/invite');
    expect([status, headers['location'], headers['referrer-policy']]).toEqual([
      302,
      '/dashboard/invite',
      'no-referrer',
    ]);
  });
});

describe('where a mail server is connected', () => {
  it('the link is e-mailed and not returned', async () => {
    const team = await mailing.team();
    const made = await team.management.post(at(team, 'invite'), { email: 'ada@clinic.example' });
    expect(made.json).toMatchObject({ status: 'invite_created', invite_url: null });
    const { to, raw } = smtp.received.at(-1) ?? { to: [], raw: '' };
    expect(to).toEqual(['ada@clinic.example']);
    const token =
      /https:\/\/api\.lab\.example\/invite#([\w-]{43})/.exec(raw.replaceAll('=\r\n', ''))?.[1] ?? '';
    const accepted = await mailing.client({}).post('/v1/invite/accept', { token, name: 'Ada' });
    expect(accepted.status).toBe(200);
  });

  it('the invite stays when the mail is not accepted, and a repeated request sends it', async () => {
    const team = await mailing.team();
    const ask = () => team.management.post(at(team, 'invite'), { email: 'bob@clinic.example' });
    smtp.answers.push(450);
    const failed = await ask();
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '60']);
    expect((await ask()).json.status).toBe('invite_resent');
    expect(smtp.received.at(-1)?.to).toEqual(['bob@clinic.example']);
    smtp.answers.push(550);
    expect((await ask()).status).toBe(400);
  });
});

describe('members', () => {
  it('are listed page by page, and found by name and address', async () => {
    const team = await service.team();
    await service.ownerPool.query(
      `insert into organization_member (id, org_id, email, name, role, created_at)
        select gen_random_uuid(), $1, 'm' || n || '@clinic.example', 'Member ' || n, 'no_role', now()
        from generate_series(1, 101) n`,
      [team.orgId],
    );
    const first = (await team.management.get(at(team, 'member'))).json;
    const second = (await team.management.get(at(team, `member?next_cursor=${first.next_cursor}`))).json;
    expect([first.members.length, second.members.length, second.next_cursor]).toEqual([100, 1, null]);
    expect(await membersOf(team, '?search_query=member 77')).toMatchObject([{ email: 'm77@clinic.example' }]);
    expect(await membersOf(team, '?search_query=m77@clinic.example')).toMatchObject([{ name: 'Member 77' }]);
    expect(await membersOf(team, '?search_query=m5&next_cursor=')).not.toEqual([]);
    expect((await team.management.get(at(team, 'member?search_query=a%25b'))).status).toBe(422);
    expect((await team.management.get(at(team, 'member?next_cursor=x'))).status).toBe(422);
  });

  it('get roles and teams, and lose the teams with the role', async () => {
    const team = await service.team();
    await joined(team, { email: 'boss@clinic.example' });
    const id = await joined(team, { email: 'ada@clinic.example', role: 'no_role' });
    const change = (body: object) => team.management.patch(at(team, `member/${id}`), body);
    const bindings = [{ team_id: team.tenant.teamId }];
    const one = async () => (await membersOf(team)).find((one: { id: string }) => one.id === id);
    expect((await change({ role: 'team_admin', team_role_bindings: null })).status).toBe(400);
    expect((await change({ role: 'team_admin' })).status).toBe(422);
    expect((await change({ role: 'team_admin', team_role_bindings: bindings })).json).toEqual({
      success: true,
    });
    expect(await one()).toMatchObject({ role: 'team_admin', team_role_bindings: bindings });
    const second = await createTeam(service.app, { orgId: team.orgId, name: 'Second', region: 'us' });
    await change({ role: null, team_role_bindings: [{ team_id: second.id }] });
    expect(await one()).toMatchObject({ role: 'team_admin', team_role_bindings: [{ team_id: second.id }] });
    await team.management.delete(at(team, `team/${second.id}`));
    expect(await one()).toMatchObject({ team_role_bindings: [] });
    await change({ role: 'org_admin', team_role_bindings: null });
    expect(await one()).toMatchObject({ role: 'org_admin', team_role_bindings: null });
  });

  it('cannot lose their last org_admin, even by concurrent removals', async () => {
    const team = await service.team();
    const ids = [
      await joined(team, { email: 'a@clinic.example' }),
      await joined(team, { email: 'b@clinic.example' }),
    ];
    const going = await Promise.all(ids.map((id) => team.management.delete(at(team, `member/${id}`))));
    expect(going.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [{ id }] = await membersOf(team);
    const demoted = await team.management.patch(at(team, `member/${id}`), {
      role: 'no_role',
      team_role_bindings: null,
    });
    expect(demoted.status).toBe(409);
    expect(await membersOf(team)).toMatchObject([{ id, role: 'org_admin' }]);
  });

  it('of another organization are not found', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const id = await joined(team, { email: 'ada@clinic.example' });
    const change = { role: 'no_role', team_role_bindings: null };
    expect((await other.management.patch(at(other, `member/${id}`), change)).status).toBe(404);
    expect((await other.management.delete(at(other, `member/${id}`))).status).toBe(404);
    expect(await membersOf(other)).toEqual([]);
    expect(await membersOf(team)).toHaveLength(1);
  });
});
