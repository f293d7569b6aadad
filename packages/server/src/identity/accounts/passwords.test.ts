import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../platform/clock.ts';
import { cookiePair, joinOrganization, signedIn } from '../../../test/members.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const service = useTestService();
const team = useTestTeam(service);

const PASSWORD = 'seven brown otters juggle';
const OTHER = 'nine green herons whistle';
let people = 0;

interface Person {
  readonly id: string;
  readonly email: string;
}

/** A member with a password. */
async function newPerson(there: TestTeam = team, email?: string): Promise<Person> {
  people += 1;
  const address = email ?? `person-${people}@clinic.example`;
  const id = await joinOrganization(service, there, { email: address });
  const answer = await (await signedIn(service, id)).put('/v1/account/password', { password: PASSWORD });
  expect(answer.status).toBe(200);
  return { id, email: address };
}

let addresses = 0;
/** Each from its own address, unless one is given. */
const signIn = async (
  body: Record<string, unknown>,
  remoteAddress?: string,
  headers: Record<string, string> = {},
) => {
  addresses += 1;
  const answer = await service.http.server.inject({
    method: 'POST',
    url: '/v1/session',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
    remoteAddress: remoteAddress ?? `10.1.${addresses >> 8}.${addresses & 255}`,
  });
  return {
    status: answer.statusCode,
    text: answer.body,
    json: JSON.parse(answer.body),
    headers: answer.headers,
  };
};
const clientOf = ({ headers, json }: Awaited<ReturnType<typeof signIn>>) =>
  service.client({ cookie: cookiePair(String(headers['set-cookie'])), 'x-csrf-token': json.csrf_token });

describe('signing in with a password', () => {
  it('opens a session', async () => {
    const { id, email } = await newPerson();
    const answer = await signIn({ email: email.toUpperCase(), password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.json.member.id).toBe(id);
    expect((await clientOf(answer).get('/v1/session')).json).toEqual(answer.json);
  });

  it('answers the same for a wrong password, an unknown address and a member without a password', async () => {
    const { email } = await newPerson();
    await joinOrganization(service, team, { email: 'bare@clinic.example' });
    const answers = [
      await signIn({ email, password: OTHER }),
      await signIn({ email: 'nobody@clinic.example', password: PASSWORD }),
      await signIn({ email: 'bare@clinic.example', password: PASSWORD }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const { headers } of answers) expect(headers['set-cookie']).toBeUndefined();
  });

  it('needs the organization of a person who is a member of several', async () => {
    const other = await service.team();
    const { id, email } = await newPerson();
    await joinOrganization(service, other, { email });
    expect((await signIn({ email, password: PASSWORD })).status).toBe(401);
    expect((await signIn({ email, password: PASSWORD, org_id: other.orgId })).status).toBe(401);
    expect((await signIn({ email, password: PASSWORD, org_id: team.orgId })).json.member.id).toBe(id);
  });

  it('is refused when another site causes it', async () => {
    const { email } = await newPerson();
    const foreign = { origin: 'https://evil.example' };
    expect((await signIn({ email, password: PASSWORD }, undefined, foreign)).status).toBe(403);
  });

  it('is audited, and so is its failure, without a secret', async () => {
    const { id, email } = await newPerson();
    await signIn({ email, password: OTHER }, '198.51.100.7');
    const failures = async () =>
      (await team.management.get(`/v1/org/${team.orgId}/audit_log?action=session.fail&subject=${id}`)).json
        .data;
    await expect
      .poll(async () => (await failures())[0])
      .toMatchObject({
        address: '198.51.100.7',
        request_id: expect.any(String),
        after: { method: 'password' },
      });
    await signIn({ email, password: PASSWORD });
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    expect(log.json.data[0]).toMatchObject({ action: 'session.create', subject: id });
    for (const secret of [PASSWORD, OTHER, email, '$argon2id']) expect(log.text).not.toContain(secret);
  });
});

describe('accepting an invite', () => {
  const invite = async (email: string) => {
    const made = await team.management.post(`/v1/org/${team.orgId}/invite`, { email });
    const token = String(made.json.invite_url).split('#')[1];
    return (password: string) =>
      service.client({}).post('/v1/invite/accept', { token, name: 'Ada Lovelace', password });
  };

  it('with a password lets the new member sign in', async () => {
    const accept = await invite('new@clinic.example');
    const { json } = await accept(PASSWORD);
    const answer = await signIn({ email: 'new@clinic.example', password: PASSWORD });
    expect(answer.json.member.id).toBe(json.member.id);
  });

  it('with a weak password changes nothing, and the link stays valid', async () => {
    const accept = await invite('weak@clinic.example');
    const refused = await accept('password1234');
    expect(refused.status).toBe(422);
    expect(refused.json.detail[0].loc).toEqual(['body', 'password']);
    expect((await accept(PASSWORD)).status).toBe(200);
    expect((await accept(PASSWORD)).status).toBe(404);
  });
});

describe('guessing invites', () => {
  const accept = (token: string, remoteAddress: string) =>
    service.http.server.inject({
      method: 'POST',
      url: '/v1/invite/accept',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ token, name: 'Ada Lovelace' }),
      remoteAddress,
    });

  it('is refused after 30 wrong tokens in 15 minutes from one network', async () => {
    const made = await team.management.post(`/v1/org/${team.orgId}/invite`, {
      email: 'guess@clinic.example',
    });
    const token = String(made.json.invite_url).split('#')[1] ?? '';
    for (let tried = 0; tried < 30; tried += 1)
      expect((await accept(`guess-${tried}`, '203.0.113.20')).statusCode).toBe(404);
    expect((await accept(token, '203.0.113.20')).statusCode).toBe(429);
    expect((await accept('guess', '203.0.113.21')).statusCode).toBe(404);
    service.clock.move(15 * MINUTE);
    expect((await accept(token, '203.0.113.20')).statusCode).toBe(200);
  });
});

describe('guessing passwords', () => {
  // prettier-ignore
  it.each([
    ['of a member',              true],
    ['of an unknown address',    false],
  ])('%s is refused after ten attempts from one address, for 15 minutes', async (_, exists) => {
    const email = exists ? (await newPerson()).email : 'unknown@clinic.example';
    const from = exists ? '203.0.113.1' : '203.0.113.2';
    for (let tried = 0; tried < 10; tried += 1)
      expect((await signIn({ email, password: OTHER }, from)).status).toBe(401);
    const refused = await signIn({ email, password: PASSWORD }, from);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('900');
    expect((await signIn({ email, password: PASSWORD })).status).toBe(exists ? 200 : 401);
    service.clock.move(15 * MINUTE);
    expect((await signIn({ email, password: PASSWORD }, from)).status).toBe(exists ? 200 : 401);
  });

  it('is refused no less when all attempts come at once', async () => {
    const { email } = await newPerson();
    const attempts = Array.from({ length: 14 }, () => signIn({ email, password: OTHER }, '203.0.113.3'));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(4).fill(429)]);
  });
});

describe('a password', () => {
  // prettier-ignore
  it.each([
    ['short',                          'k7#mQ2!xV9a'],
    ['one of the most common',         'password1234'],
    ['a repetition',                   'aaaaaaaaaaaa'],
    ['a sequence of keys',             'qwertyuiop12'],
    ['the member’s own name',          'AdaLovelace1'],
  ])('is refused when it is %s', async (_, password) => {
    const id = await joinOrganization(service, team, { email: `weak-${(people += 1)}@clinic.example` });
    const answer = await (await signedIn(service, id)).put('/v1/account/password', { password });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].loc).toEqual(['body', 'password']);
  });

  it('is stored as an argon2id hash with its parameters', async () => {
    const { id } = await newPerson();
    const { rows } = await service.ownerPool.query('select hash from member_password where member_id = $1', [
      id,
    ]);
    expect(rows[0].hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('ends all other sessions when it changes, and replaces this one', async () => {
    const { id, email } = await newPerson();
    const [here, elsewhere] = [await signedIn(service, id), await signedIn(service, id)];
    const changed = await here.put('/v1/account/password', { password: OTHER });
    expect(changed.status).toBe(200);
    for (const client of [here, elsewhere]) expect((await client.get('/v1/session')).status).toBe(401);
    const cookie = cookiePair(String(changed.headers['set-cookie']));
    expect((await service.client({ cookie }).get('/v1/session')).status).toBe(200);
    expect((await signIn({ email, password: PASSWORD })).status).toBe(401);
    expect((await signIn({ email, password: OTHER })).status).toBe(200);
  });

  it('changes only within 5 minutes of the last authentication, which can be repeated', async () => {
    const { email } = await newPerson();
    const client = clientOf(await signIn({ email, password: PASSWORD }));
    service.clock.move(5 * MINUTE);
    const late = await client.put('/v1/account/password', { password: OTHER });
    expect(late.status).toBe(403);
    expect(late.json.detail.code).toBe('reauthentication_required');
    expect((await client.post('/v1/session/reauthenticate', { password: OTHER })).status).toBe(403);
    const again = await client.post('/v1/session/reauthenticate', { password: PASSWORD });
    expect(again.status).toBe(200);
    expect((await client.get('/v1/session')).status).toBe(401);
    const fresh = service.client({
      cookie: cookiePair(String(again.headers['set-cookie'])),
      'x-csrf-token': again.json.csrf_token,
    });
    expect((await fresh.put('/v1/account/password', { password: OTHER })).status).toBe(200);
  });
});
