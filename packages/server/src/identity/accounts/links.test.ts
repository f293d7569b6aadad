import { createHash } from 'node:crypto';
import { access, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { givePassword } from '../../../test/browser.ts';
import { cookiePair, joinOrganization, signedIn } from '../../../test/members.ts';
import { openTestService, type TestService } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY } from '../../platform/clock.ts';
import { createSignInUrl, prepareOwnerUrl } from './accounts.ts';

const PASSWORD = 'seven brown otters juggle';
const OTHER = 'nine green herons whistle';
const OWNER = { name: 'Ada Lovelace', email: 'Ada@Clinic.example' };
const by = { actor: 'operator' };

const service = useTestService();
/** Services of tests that need the only organization of a deployment. */
const fresh: TestService[] = [];
afterEach(async () => {
  for (const opened of fresh.splice(0)) await opened.close();
});

async function newService() {
  const opened = await openTestService();
  fresh.push(opened);
  return {
    there: opened,
    team: await opened.team(),
    file: join(opened.app.config.DATA_DIR, 'sign-in-url.txt'),
  };
}

const tokenOf = (url: string | undefined) => /#(?:owner\.)?([\w-]{43})$/.exec(url ?? '')?.[1] ?? '';

let addresses = 0;
/** Each from its own address, unless one is given. */
async function use(at: TestService, body: object, remoteAddress?: string, headers: object = {}) {
  addresses += 1;
  const answer = await at.http.server.inject({
    method: 'POST',
    url: '/v1/session/link',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
    remoteAddress: remoteAddress ?? `10.2.${addresses >> 8}.${addresses & 255}`,
  });
  return { status: answer.statusCode, json: JSON.parse(answer.body), headers: answer.headers };
}

const signIn = (at: TestService, email: string, password: string) =>
  at.client({}).post('/v1/session', { email, password });

const actionsOf = async ({ ownerPool }: TestService, orgId: string) =>
  (await ownerPool.query('select action, actor, before, after from audit_log where org_id = $1', [orgId]))
    .rows;

describe('the sign-in URL of the first start', () => {
  it('is stored in a file that only its owner can read, and only its digest is in the database', async () => {
    const { there, file } = await newService();
    const owner = await prepareOwnerUrl(there.app);
    expect(owner?.url).toMatch(/^http:\/\/localhost:\d+\/sign-in-link#owner\.[\w-]{43}$/);
    expect(await readFile(file, 'utf8')).toBe(`${owner?.url}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { rows } = await there.ownerPool.query('select * from member_link');
    expect(rows).toHaveLength(1);
    expect(rows[0].digest).toEqual(createHash('sha256').update(tokenOf(owner?.url)).digest());
  });

  it('makes its holder the owner, once, and its file disappears', async () => {
    const { there, team, file } = await newService();
    const token = tokenOf((await prepareOwnerUrl(there.app))?.url);
    const answer = await use(there, { token, password: PASSWORD, ...OWNER });
    expect([answer.status, answer.json.member.email]).toEqual([200, 'ada@clinic.example']);
    const { members } = (await team.management.get(`/v1/org/${team.orgId}/member`)).json;
    expect(members).toMatchObject([{ email: 'ada@clinic.example', name: 'Ada Lovelace' }]);
    const { rows } = await there.ownerPool.query('select role from organization_member');
    expect(rows).toEqual([{ role: 'org_admin' }]);
    expect((await signIn(there, 'ada@clinic.example', PASSWORD)).status).toBe(200);
    await expect(access(file)).rejects.toThrow(/ENOENT/);
    expect((await use(there, { token, password: PASSWORD, ...OWNER })).status).toBe(404);
    expect(await prepareOwnerUrl(there.app)).toBeUndefined();
  });

  it('is audited from its creation on, without a secret and without a name', async () => {
    const { there, team } = await newService();
    const token = tokenOf((await prepareOwnerUrl(there.app))?.url);
    await use(there, { token, password: PASSWORD, ...OWNER });
    const entries = await actionsOf(there, team.orgId);
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['sign_in_link.create', 'member.create', 'password.change', 'session.create']),
    );
    expect(entries.find(({ action }) => action === 'session.create').after.method).toBe('link');
    for (const secret of [token, PASSWORD, 'Ada', 'clinic.example'])
      expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('stays the same over restarts while it is valid, and is replaced after 24 hours', async () => {
    const { there, file } = await newService();
    const first = await prepareOwnerUrl(there.app);
    expect((await prepareOwnerUrl(there.app))?.url).toBe(first?.url);
    there.clock.move(DAY);
    expect((await use(there, { token: tokenOf(first?.url), ...OWNER })).status).toBe(404);
    const second = await prepareOwnerUrl(there.app);
    expect(second?.url).not.toBe(first?.url);
    expect(await readFile(file, 'utf8')).toBe(`${second?.url}\n`);
  });

  it('is replaced when its file was changed, and keeps the mode of its file', async () => {
    const { there, file } = await newService();
    await writeFile(file, `http://x/#owner.${'a'.repeat(43)}\n`, { mode: 0o644 });
    const owner = await prepareOwnerUrl(there.app);
    expect(tokenOf(owner?.url)).not.toBe('a'.repeat(43));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('of two nodes works on one of them only', async () => {
    const { there, file } = await newService();
    const first = tokenOf((await prepareOwnerUrl(there.app))?.url);
    await writeFile(file, '');
    const second = tokenOf((await prepareOwnerUrl(there.app))?.url);
    const answers = await Promise.all(
      [first, second].map((token, n) =>
        use(there, { token, password: PASSWORD, name: 'Ada', email: `ada-${n}@clinic.example` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect((await there.ownerPool.query('select * from organization_member')).rows).toHaveLength(1);
  });

  // prettier-ignore
  it.each([
    ['a weak password',    { password: 'password1234' },      'password'],
    ['no name',            { name: null },                    'name'],
    ['no address',         { email: undefined },              'email'],
  ])('stays valid after an answer with %s', async (_, change, field) => {
    const { there } = await newService();
    const token = tokenOf((await prepareOwnerUrl(there.app))?.url);
    const refused = await use(there, { token, password: PASSWORD, ...OWNER, ...change });
    expect([refused.status, refused.json.detail[0].loc]).toEqual([422, ['body', field]]);
    expect((await use(there, { token, password: PASSWORD, ...OWNER })).status).toBe(200);
  });

  it('makes an existing member with that address the owner', async () => {
    const { there, team } = await newService();
    const id = await joinOrganization(there, team, { email: 'ada@clinic.example' });
    const token = tokenOf((await prepareOwnerUrl(there.app))?.url);
    expect((await use(there, { token, password: PASSWORD, ...OWNER })).json.member.id).toBe(id);
    const { rows } = await there.ownerPool.query('select id, role from organization_member');
    expect(rows).toEqual([{ id, role: 'org_admin' }]);
  });

  it('is needed until an owner has a password or a passkey, whoever else can sign in', async () => {
    const { there, team } = await newService();
    const [owner, admin] = [
      await joinOrganization(there, team, { email: 'owner@clinic.example', role: 'org_admin' }),
      await joinOrganization(there, team, { email: 'admin@clinic.example', role: 'org_admin' }),
    ];
    await givePassword(there, admin, PASSWORD);
    expect(await prepareOwnerUrl(there.app)).toBeDefined();
    await there.ownerPool.query(
      `insert into member_passkey (id, member_id, credential_id, public_key, counter, transports, name, created_at)
        values ($1, $1, 'of the owner', '', 0, '{}', 'Key', now())`,
      [owner],
    );
    expect(await prepareOwnerUrl(there.app)).toBeUndefined();
    await there.ownerPool.query('delete from member_passkey');
    await givePassword(there, owner, PASSWORD);
    expect(await prepareOwnerUrl(there.app)).toBeUndefined();
  });

  it('does not keep the service from starting where the data folder cannot be written to', async () => {
    const { there } = await newService();
    const config = { ...there.app.config, DATA_DIR: '/dev/null/nowhere' };
    expect(await prepareOwnerUrl({ ...there.app, config })).toMatchObject({ file: undefined });
  });
});

describe('the sign-in URL of the operator', () => {
  let people = 0;
  const newAddress = () => `bob-${(people += 1)}@clinic.example`;

  it('signs a member in once, and a new password ends all other sessions and links', async () => {
    const [team, email] = [await service.team(), newAddress()];
    const id = await joinOrganization(service, team, { email });
    const elsewhere = await signedIn(service, id);
    const [first, second] = [1, 2].map(() => createSignInUrl(service.app, { email, orgId: undefined, by }));
    const tokens = [tokenOf((await first)?.url), tokenOf((await second)?.url)];
    const answer = await use(service, { token: tokens[0], password: PASSWORD });
    expect([answer.status, answer.json.member.id]).toEqual([200, id]);
    const here = service.client({ cookie: cookiePair(String(answer.headers['set-cookie'])) });
    expect((await here.get('/v1/session')).status).toBe(200);
    expect((await elsewhere.get('/v1/session')).status).toBe(401);
    for (const token of tokens) expect((await use(service, { token, password: OTHER })).status).toBe(404);
    expect((await signIn(service, email, PASSWORD)).status).toBe(200);
  });

  it('without a password leaves the old one', async () => {
    const [team, email] = [await service.team(), newAddress()];
    const id = await joinOrganization(service, team, { email });
    await (await signedIn(service, id)).put('/v1/account/password', { password: PASSWORD });
    const { url } = await createSignInUrl(service.app, { email, orgId: team.orgId, by });
    const answer = await use(service, { token: tokenOf(url) });
    expect([answer.status, answer.json.member.id]).toEqual([200, id]);
    expect((await signIn(service, email, PASSWORD)).status).toBe(200);
    const { sessions } = (await team.management.get(`/v1/org/${team.orgId}/member/${id}/session`)).json;
    expect(sessions.map(({ method }: { method: string }) => method)).toContain('link');
  });

  it('names a host at which passkeys work, unless the deployment has another', async () => {
    const [team, email] = [await service.team(), newAddress()];
    await joinOrganization(service, team, { email });
    const hostOf = async (config: Partial<typeof service.app.config>) => {
      const app = { ...service.app, config: { ...service.app.config, PORT: 3000, ...config } };
      return new URL((await createSignInUrl(app, { email, orgId: team.orgId, by })).url).host;
    };
    for (const HOST of ['127.0.0.1', '::1', '0.0.0.0', '::'])
      expect([HOST, await hostOf({ HOST })]).toEqual([HOST, 'localhost:3000']);
    expect(await hostOf({ HOST: '10.0.0.7' })).toBe('10.0.0.7:3000');
    expect(await hostOf({ PUBLIC_URL: 'https://api.lab.example' })).toBe('api.lab.example');
    expect(await hostOf({ HOST: '127.0.0.1', TLS_CERT_FILE: 'cert.pem' })).toBe('127.0.0.1:3000');
  });

  it('is used once when it is used twice at the same time', async () => {
    const [team, email] = [await service.team(), newAddress()];
    await joinOrganization(service, team, { email });
    const token = tokenOf((await createSignInUrl(service.app, { email, orgId: undefined, by })).url);
    const answers = await Promise.all([1, 2, 3].map(() => use(service, { token })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  it('creates the owner of an organization without one, but no other member', async () => {
    const { there, team } = await newService();
    const email = newAddress();
    const created = await createSignInUrl(there.app, { email, orgId: undefined, by });
    expect(created.isNewOwner).toBe(true);
    expect((await use(there, { token: tokenOf(created.url), password: PASSWORD })).status).toBe(200);
    const unknown = { email: 'eve@clinic.example', orgId: team.orgId, by };
    await expect(createSignInUrl(there.app, unknown)).rejects.toThrow(/No member has this e-mail address/);
    const entries = await actionsOf(there, team.orgId);
    expect(entries.filter(({ actor }) => actor === 'operator').map(({ action }) => action)).toEqual([
      'member.create',
      'sign_in_link.create',
    ]);
  });

  it('needs the organization where several have such a member', async () => {
    const [one, two] = [await service.team(), await service.team()];
    const asked = { email: 'both@clinic.example', by };
    const ids = [await joinOrganization(service, one, asked), await joinOrganization(service, two, asked)];
    await expect(createSignInUrl(service.app, { ...asked, orgId: undefined })).rejects.toThrow(/several/);
    const { url } = await createSignInUrl(service.app, { ...asked, orgId: two.orgId });
    expect((await use(service, { token: tokenOf(url) })).json.member.id).toBe(ids[1]);
  });
});

describe('links', () => {
  it('are not exchanged for another site', async () => {
    const foreign = { origin: 'https://evil.example' };
    expect((await use(service, { token: 'x' }, undefined, foreign)).status).toBe(403);
  });

  it('are guessed 30 times in 15 minutes from one address at most', async () => {
    const guess = (address: string) => use(service, { token: 'x'.repeat(43) }, address);
    for (let n = 0; n < 30; n += 1) expect((await guess('203.0.113.9')).status).toBe(404);
    const refused = await guess('203.0.113.9');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '900']);
    expect((await guess('203.0.113.10')).status).toBe(404);
  });

  it('lead to a page of the dashboard, and browsers take the fragment along', async () => {
    const link = await service.client({}).get('/sign-in-link');
    expect([link.status, link.headers['location'], link.headers['referrer-policy']]).toEqual([
      302,
      '/dashboard/sign-in-link',
      'no-referrer',
    ]);
  });
});
