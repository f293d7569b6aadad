import { describe, expect, it } from 'vitest';
import { openDirectory, type TestDirectory } from '../../../test/directory.ts';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { seededRandom } from '../../../test/seeded-random.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, isoTimestamp, later } from '../../platform/clock.ts';
import { bindFilter } from './bound-filter.ts';
import { parseFilter, parsePatchPath } from './filter.ts';
import { ScimError, scimError } from './scim-error.ts';
import { USER_RESOURCE } from './scim-schema.ts';

const service = useTestService();
const open = () => openDirectory(service);
const ops = (...Operations: unknown[]) => ({ Operations });
const off = ops({ op: 'replace', path: 'active', value: false });

const memberOf = async ({ team }: TestDirectory, id: string) => {
  const { members } = (await team.management.get(`/v1/org/${team.orgId}/member`)).json;
  return members.find((member: { id: string }) => member.id === id);
};

describe('the token of a directory', () => {
  it('opens nothing but /scim, and nothing else opens /scim', async () => {
    const { team, token, scim } = await open();
    const org = `/v1/org/${team.orgId}`;
    const bearer = { authorization: `Bearer ${token}` };
    const elsewhere = [bearer, { 'x-management-key': token }, { 'x-service-api-key': token }];
    for (const headers of elsewhere)
      for (const path of [org, '/v2/user', `${org}/directory_token`])
        expect((await service.client(headers).get(path)).status, path).toBe(401);
    const owner = await joinOrganization(service, team, { email: 'o@clinic.example' });
    expect((await (await signedIn(service, owner)).get('/scim/v2/Users')).status).toBe(401);
    for (const headers of [
      {},
      { 'x-management-key': team.managementKey },
      { authorization: `Bearer ${team.managementKey}` },
      { authorization: `Bearer ${team.key}` },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
    ] as Record<string, string>[]) {
      const refused = await service.client(headers).get('/scim/v2/ServiceProviderConfig');
      expect([refused.status, refused.json.schemas, refused.json.status]).toEqual([
        401,
        ['urn:ietf:params:scim:api:messages:2.0:Error'],
        '401',
      ]);
    }
    expect((await scim.get('/scim/v2/ServiceProviderConfig')).json).toMatchObject({
      bulk: { supported: false },
    });
  });

  it('is one of two that work, shown once, kept as a digest, and invalid at once when it is revoked', async () => {
    const { team, token, scim } = await open();
    const path = `/v1/org/${team.orgId}/directory_token`;
    const expires_at = isoTimestamp(later(service.clock.now(), DAY));
    const second = await team.management.post(path, { label: 'Next', expires_at });
    expect(second.status).toBe(200);
    expect((await team.management.post(path, { label: 'Third' })).status).toBe(409);
    await scim.get('/scim/v2/Users');
    const { data } = (await team.management.get(path)).json;
    expect(data[0]).toMatchObject({
      value: `${token.slice(0, 9)}********`,
      last_used_at: isoTimestamp(service.clock.now()),
    });
    const { rows } = await service.ownerPool.query('select t::text from directory_token t');
    expect(JSON.stringify(rows)).not.toContain(token.slice(9));
    await team.management.delete(`${path}/${data[0].id}`);
    expect((await scim.get('/scim/v2/Users')).status).toBe(401);
    const next = service.client({ authorization: `Bearer ${second.json.value}` });
    expect((await next.get('/scim/v2/Users')).status).toBe(200);
    service.clock.move(DAY);
    expect((await next.get('/scim/v2/Users')).status).toBe(401);
  });

  it('is created and revoked by owners only, who also say what groups grant', async () => {
    const { team, scim } = await open();
    await joinOrganization(service, team, { email: 'owner@clinic.example' });
    const admin = await joinOrganization(service, team, { email: 'admin@clinic.example' });
    const session = await signedIn(service, admin);
    const org = `/v1/org/${team.orgId}`;
    const { json } = await scim.post('/scim/v2/Groups', { displayName: 'Lab' });
    const { data } = (await session.get(`${org}/directory_token`)).json;
    expect((await session.post(`${org}/directory_token`, { label: 'x' })).status).toBe(403);
    expect((await session.delete(`${org}/directory_token/${data[0].id}`)).status).toBe(403);
    const grant = { roles: [{ role: 'administrator' }] };
    expect((await session.put(`${org}/directory_group/${json.id}/roles`, grant)).status).toBe(403);
  });

  it('is guessed 20 times in a minute from one address at most', async () => {
    const guess = () =>
      service.client({ authorization: `Bearer scim_${'a'.repeat(43)}` }).get('/scim/v2/Users');
    const answers = [];
    for (let tries = 0; tries < 60; tries += 1) answers.push((await guess()).status);
    expect(answers.at(-1)).toBe(429);
    service.clock.move(DAY);
    expect((await guess()).status).toBe(401);
  });
});

describe('the directory of another organization', () => {
  it('neither reads nor changes users and groups', async () => {
    const [mine, theirs] = [await open(), await open()];
    const victim = await mine.addUser('ada');
    const group = (
      await mine.scim.post('/scim/v2/Groups', { displayName: 'Lab', members: [{ value: victim }] })
    ).json.id;
    for (const path of [`/scim/v2/Users/${victim}`, `/scim/v2/Groups/${group}`]) {
      const body = { userName: `x@${theirs.domain}`, displayName: 'x' };
      const answers = [
        await theirs.scim.get(path),
        await theirs.scim.put(path, body),
        await theirs.scim.patch(path, ops({ op: 'replace', path: 'displayName', value: 'x' })),
        await theirs.scim.delete(path),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
    for (const filter of [`id eq "${victim}"`, 'id pr', 'userName co ""', 'not (id eq "x") or id pr'])
      expect(
        (await theirs.scim.get(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`)).json.totalResults,
      ).toBe(0);
    const stolen = await theirs.scim.post('/scim/v2/Groups', {
      displayName: 'Lab',
      members: [{ value: victim }],
    });
    expect(stolen.json).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const roles = { roles: [{ role: 'owner' }] };
    const path = `/v1/org/${theirs.team.orgId}/directory_group/${group}/roles`;
    expect((await theirs.team.management.put(path, roles)).status).toBe(404);
    expect(await memberOf(mine, victim)).toMatchObject({ name: `ada@${mine.domain}`, is_active: true });
  });

  it('makes nobody a member whose domain it has not verified, also not by a change', async () => {
    const [mine, theirs] = [await open(), await open()];
    await mine.addUser('ada');
    const address = `ada@${mine.domain}`;
    const created = await theirs.scim.post('/scim/v2/Users', { userName: address });
    expect(created.json).toMatchObject({ status: '400', scimType: 'invalidValue' });
    const own = await theirs.addUser('mallory');
    const changed = await theirs.scim.patch(
      `/scim/v2/Users/${own}`,
      ops({ op: 'replace', path: 'emails[type eq "work"].value', value: address }),
    );
    expect(changed.json).toMatchObject({ status: '400', scimType: 'invalidValue' });
    expect(await memberOf(theirs, own)).toMatchObject({ email: `mallory@${theirs.domain}` });
  });

  it('takes away its own membership of a person who is a member elsewhere, and nothing else', async () => {
    const [mine, theirs] = [await open(), await open()];
    const email = `ada@${theirs.domain}`;
    const elsewhere = await joinOrganization(service, mine.team, { email, name: 'Ada' });
    const session = await signedIn(service, elsewhere);
    const own = await theirs.addUser('ada', { displayName: 'Renamed' });
    const path = `/scim/v2/Users/${own}`;
    await theirs.scim.patch(path, ops({ op: 'replace', value: { userName: `eve@${theirs.domain}` } }));
    await theirs.scim.patch(path, off);
    await theirs.scim.delete(path);
    expect(await memberOf(mine, elsewhere)).toMatchObject({ name: 'Ada', email, is_active: true });
    expect((await session.get(`/v1/org/${mine.team.orgId}`)).status).toBe(200);
  });
});

describe('a member whom the directory did not create', () => {
  it('keeps name and address, and can be taken away', async () => {
    const directory = await open();
    const { scim, team, domain } = directory;
    await joinOrganization(service, team, { email: 'owner@clinic.example' });
    const email = `ada@${domain}`;
    const ada = await joinOrganization(service, team, { email, name: 'Ada', role: 'no_role' });
    const path = `/scim/v2/Users/${ada}`;
    const put = await scim.put(path, { userName: email, displayName: 'Mallory', externalId: 'x' });
    expect(put.json).toMatchObject({ displayName: 'Ada', externalId: 'x', name: { formatted: 'Ada' } });
    for (const operation of [
      { op: 'replace', path: 'userName', value: `mallory@${domain}` },
      { op: 'replace', path: 'emails', value: [{ value: `mallory@${domain}` }] },
    ])
      expect((await scim.patch(path, ops(operation))).json).toMatchObject({
        status: '400',
        scimType: 'mutability',
      });
    expect(await memberOf(directory, ada)).toMatchObject({ name: 'Ada', email });
    expect((await scim.patch(path, off)).json.active).toBe(false);
    expect(await memberOf(directory, ada)).toMatchObject({ is_active: false });
  });

  it('is no longer invited once the directory has made a member of the address', async () => {
    const { team, scim, domain, addUser } = await open();
    const org = `/v1/org/${team.orgId}`;
    const invite = await team.management.post(`${org}/invite`, { email: `ada@${domain}` });
    await addUser('ada');
    const token = String(invite.json.invite_url).split('#')[1];
    expect((await service.client({}).post('/v1/invite/accept', { token, name: 'A' })).status).toBe(404);
    expect((await scim.get('/scim/v2/Users')).json.Resources).toMatchObject([{ userName: `ada@${domain}` }]);
  });
});

describe('the directory', () => {
  it('cannot change the address of a member with roles by hand, whose password it could then set', async () => {
    const directory = await open();
    const { scim, team, domain, addUser } = directory;
    const ada = await addUser('ada');
    const body = { role: 'org_admin', team_role_bindings: null };
    await team.management.patch(`/v1/org/${team.orgId}/member/${ada}`, body);
    const changed = await scim.patch(
      `/scim/v2/Users/${ada}`,
      ops({ op: 'replace', path: 'emails[type eq "work"].value', value: `mallory@${domain}` }),
    );
    expect(changed.json).toMatchObject({ status: '400', scimType: 'mutability' });
    expect(await memberOf(directory, ada)).toMatchObject({ email: `ada@${domain}` });
  });

  it('ends sessions when the address of a person changes', async () => {
    const { scim, team, domain, addUser } = await open();
    const ada = await addUser('ada');
    const session = await signedIn(service, ada);
    await scim.patch(`/scim/v2/Users/${ada}`, ops({ op: 'replace', value: { userName: `b@${domain}` } }));
    expect((await session.get('/v1/session')).status).toBe(200);
    const emails = [{ value: `b@${domain}`, type: 'work' }];
    await scim.patch(`/scim/v2/Users/${ada}`, ops({ op: 'replace', path: 'emails', value: emails }));
    expect((await session.get('/v1/session')).status).toBe(401);
    expect((await session.get(`/v1/org/${team.orgId}`)).status).toBe(401);
  });

  it('takes neither the access nor the role from the last owner', async () => {
    const { scim, team, addUser, setRoles } = await open();
    const owner = await joinOrganization(service, team, { email: 'owner@clinic.example' });
    const path = `/scim/v2/Users/${owner}`;
    for (const refused of [await scim.patch(path, off), await scim.delete(path)])
      expect(refused.json).toMatchObject({ status: '409', detail: expect.stringContaining('owner') });
    const ada = await addUser('ada');
    const group = (await scim.post('/scim/v2/Groups', { displayName: 'Owners', members: [{ value: ada }] }))
      .json.id;
    await setRoles(group, [{ role: 'owner' }]);
    expect((await scim.delete(path)).status).toBe(204);
    const at = `/scim/v2/Groups/${group}`;
    for (const refused of [
      await scim.delete(at),
      await scim.put(at, { displayName: 'Owners', members: [] }),
      await scim.patch(at, ops({ op: 'remove', path: 'members' })),
      await scim.patch(`/scim/v2/Users/${ada}`, off),
      await scim.delete(`/scim/v2/Users/${ada}`),
    ])
      expect(refused.json).toMatchObject({ status: '409', detail: expect.stringContaining('owner') });
    expect((await scim.get(at)).json.members).toMatchObject([{ value: ada }]);
  });

  it('gives no role by itself, whatever it sends', async () => {
    const directory = await open();
    const { scim, addUser } = directory;
    const more = { roles: [{ value: 'owner' }], entitlements: ['owner'], is_owner: true, role: 'org_admin' };
    const ada = await addUser('ada', more);
    const body = {
      displayName: 'administrator',
      members: [{ value: ada }],
      grants: [{ role: 'owner' }],
      ...more,
    };
    await scim.post('/scim/v2/Groups', body);
    expect(await memberOf(directory, ada)).toMatchObject({
      role: 'no_role',
      is_owner: false,
      roles: [],
      directory_roles: [],
    });
  });
});

describe('a request that cannot be read', () => {
  it('is a SCIM error, never a 500', async () => {
    const { scim, token, addUser } = await open();
    const ada = await addUser('ada');
    const send = (payload: string, type = 'application/scim+json', url = '/scim/v2/Users') =>
      service.http.server.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        payload,
      });
    // prettier-ignore
    const table = [
      [await send('{'),                                        400],
      [await send('null'),                                     400],
      [await send('[]'),                                       400],
      [await send('{"userName":"a\\u0000b@c.example"}'),       400],
      [await send('{"userName":{}}'),                          400],
      [await send('{}'),                                       400],
      [await send(`${'['.repeat(100)}${']'.repeat(100)}`),     400],
      [await send('a=b', 'application/x-www-form-urlencoded'), 415],
      [await send(`"${'a'.repeat(1_100_000)}"`),               413],
      [await send('{}', 'application/json', '/scim/v2/Bulk'),  501],
      [await send('{}', 'application/json', '/scim/v2/none'),  404],
      [await send('{}', 'application/json', '/scim/v2/Schemas'), 405],
    ] as const;
    for (const [{ statusCode, headers, body }, status] of table) {
      expect([statusCode, JSON.parse(body).status], body).toEqual([status, String(status)]);
      expect(headers['content-type']).toContain('application/scim+json');
    }
    for (const id of ['x', '%2e%2e', `${ada}'`, 'a'.repeat(500)])
      expect((await scim.get(`/scim/v2/Users/${id}`)).status, id).toBe(404);
    for (const filter of ['%00', '%', 'userName eq', 'userName+eq+"\\u0000"', 'active+eq+"x"'])
      expect([400]).toContain((await scim.get(`/scim/v2/Users?filter=${filter}`)).status);
  });

  it('is an invalidFilter for any of many thousand hostile filters, within linear time', () => {
    const words = [
      'userName emails emails.value active meta.created eq ne co pr and or not ( ) [ ]'.split(' '),
      ['"', '"a"', '\\', '"\\"', 'true', 'null', '5', ' ', '.', ':', 'urn:a:b', '$ref', 'é', '\0'],
    ].flat();
    const random = seededRandom(20260302);
    const outcomes = { read: 0, refused: 0 };
    for (let tries = 0; tries < 50_000; tries += 1) {
      const text = Array.from({ length: 1 + random.below(12) }, () => random.pick(words)).join(
        random.oneIn(2) ? '' : ' ',
      );
      for (const read of [
        () => bindFilter(USER_RESOURCE, parseFilter(text), (reason) => scimError('invalidFilter', reason)),
        () => parsePatchPath(text),
      ]) {
        try {
          read();
          outcomes.read += 1;
        } catch (error) {
          if (!(error instanceof ScimError)) throw error;
          outcomes.refused += 1;
        }
      }
    }
    expect(outcomes.read).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(50_000);
  });
});
