import { describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { openDirectory } from '../../../test/directory.ts';
import { joinOrganization, signedIn } from '../../../test/members.ts';

const service = useTestService();
const open = () => openDirectory(service);

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const ops = (...Operations: unknown[]) => ({ schemas: [PATCH], Operations });

describe('the sequence of Okta', () => {
  it('provisions, updates, deactivates and reactivates a person', async () => {
    const { scim, team, domain } = await open();
    expect((await scim.get('/scim/v2/Users?startIndex=1&count=2')).json).toMatchObject({ totalResults: 0 });
    const userName = `ada@${domain}`;
    const search = `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${userName}"`)}`;
    expect((await scim.get(search)).json).toMatchObject({ totalResults: 0, Resources: [] });
    const body = {
      schemas: [USER],
      userName,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Ada Lovelace',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const made = await scim.post('/scim/v2/Users', body);
    expect([made.status, made.headers['content-type']]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
    ]);
    const { id, meta } = made.json;
    expect(made.json).toMatchObject({ userName, active: true, externalId: body.externalId, name: body.name });
    expect(made.text).not.toContain('1mz050nq');
    expect([made.headers['location'], made.headers['etag']]).toEqual([meta.location, meta.version]);
    expect((await scim.get(search)).json).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const path = `/scim/v2/Users/${id}`;
    const renamed = await scim.put(path, { ...body, id, name: { givenName: 'Ada', familyName: 'King' } });
    expect(renamed.json).toMatchObject({ name: { familyName: 'King' }, active: true });
    expect((await scim.patch(path, ops({ op: 'replace', value: { active: false } }))).json.active).toBe(
      false,
    );
    expect((await scim.patch(path, ops({ op: 'replace', value: { active: true } }))).json.active).toBe(true);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${id}`);
    const actors = log.json.data.map(({ actor }: { actor: string }) => actor.split(':')[0]);
    expect(new Set(actors)).toEqual(new Set(['directory']));
    expect(log.text).not.toMatch(/lovelace|@/i);
  });

  it('pushes, renames, fills and deletes a group', async () => {
    const { scim, addUser } = await open();
    const ada = await addUser('ada');
    const bob = await addUser('bob');
    const made = await scim.post('/scim/v2/Groups', { schemas: [GROUP], displayName: 'Lab', members: [] });
    expect(made.status).toBe(201);
    const path = `/scim/v2/Groups/${made.json.id}`;
    const rename = ops({ op: 'replace', value: { id: made.json.id, displayName: 'Laboratory' } });
    expect((await scim.patch(path, rename)).status).toBe(204);
    const members = ops({
      op: 'add',
      path: 'members',
      value: [{ value: ada, display: 'x' }, { value: bob }],
    });
    expect((await scim.patch(path, members)).status).toBe(204);
    await scim.patch(path, ops({ op: 'remove', path: `members[value eq "${ada}"]` }));
    expect((await scim.get(path)).json).toMatchObject({
      displayName: 'Laboratory',
      members: [{ value: bob }],
    });
    expect((await scim.get(`/scim/v2/Users/${bob}`)).json.groups).toMatchObject([{ display: 'Laboratory' }]);
    expect((await scim.delete(path)).status).toBe(204);
    expect((await scim.get(path)).status).toBe(404);
  });
});

describe('the sequence of Entra ID', () => {
  it('provisions and disables a person', async () => {
    const { scim, domain } = await open();
    const made = await scim.post('/scim/v2/Users', {
      schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@tenant.onmicrosoft.example',
      active: true,
      emails: [{ primary: true, type: 'work', value: `Test_User@${domain}` }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Lab' },
    });
    expect(made.json).toMatchObject({
      userName: 'Test_User_ab6490ee@tenant.onmicrosoft.example',
      emails: [{ value: `test_user@${domain}`, type: 'work', primary: true }],
      displayName: 'givenName familyName',
    });
    const path = `/scim/v2/Users/${made.json.id}`;
    const patched = await scim.patch(
      path,
      ops(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: `updated@${domain}` },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: 'x' },
      ),
    );
    expect(patched.json).toMatchObject({
      emails: [{ value: `updated@${domain}` }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
    });
    const disabled = await scim.patch(path, ops({ op: 'Replace', path: 'active', value: 'False' }));
    expect(disabled.json.active).toBe(false);
    expect((await scim.delete(path)).status).toBe(204);
    expect((await scim.get(path)).json).toMatchObject({ status: '404' });
  });

  it('looks for groups without members, and for members in them', async () => {
    const { scim, addUser } = await open();
    const ada = await addUser('ada');
    const made = await scim.post('/scim/v2/Groups', { displayName: 'Lab', externalId: 'e', members: [] });
    const { id } = made.json;
    const body = ops({ op: 'Add', path: 'members', value: [{ $ref: null, value: ada }] });
    expect((await scim.patch(`/scim/v2/Groups/${id}`, body)).status).toBe(204);
    const found = async (filter: string, more = '&excludedAttributes=members') =>
      (await scim.get(`/scim/v2/Groups?filter=${encodeURIComponent(filter)}${more}`)).json.Resources;
    const [group] = await found('displayName eq "lab"');
    expect(group.id).toBe(id);
    expect(group).not.toHaveProperty('members');
    expect(await found(`id eq "${id}" and members eq "${ada}"`)).toHaveLength(1);
    expect(await found(`id eq "${id}" and members eq "${id}"`)).toHaveLength(0);
    const removal = ops({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ada }] });
    await scim.patch(`/scim/v2/Groups/${id}`, removal);
    expect((await scim.get(`/scim/v2/Groups/${id}`)).json.members).toEqual([]);
  });
});

describe('resources', () => {
  it('are unique by userName, e-mail address and displayName', async () => {
    const { scim, addUser, domain } = await open();
    await addUser('ada');
    const user = (more: object) => scim.post('/scim/v2/Users', { userName: `x@${domain}`, ...more });
    for (const more of [{ userName: `ADA@${domain}` }, { emails: [{ value: `Ada@${domain}` }] }])
      expect((await user(more)).json).toMatchObject({ status: '409', scimType: 'uniqueness' });
    await scim.post('/scim/v2/Groups', { displayName: 'Lab' });
    const twice = await scim.post('/scim/v2/Groups', { displayName: 'LAB' });
    expect(twice.json).toMatchObject({ status: '409', scimType: 'uniqueness' });
  });

  it('have weak versions: 412 for an old one, 304 for the known one', async () => {
    const { scim, addUser } = await open();
    const id = await addUser('ada');
    const path = `/scim/v2/Users/${id}`;
    const etag = String((await scim.get(path)).headers['etag']);
    expect(etag).toMatch(/^W\/"/);
    expect((await scim.get(path, { 'if-none-match': etag })).status).toBe(304);
    const off = ops({ op: 'replace', path: 'active', value: false });
    expect((await scim.patch(path, off, { 'if-match': etag })).status).toBe(200);
    expect((await scim.patch(path, off, { 'if-match': etag })).status).toBe(412);
    expect((await scim.delete(path, { 'if-match': etag })).status).toBe(412);
    expect((await scim.delete(path, { 'if-match': '*' })).status).toBe(204);
  });

  it('are paged, and show the attributes that were asked for', async () => {
    const { scim, addUser } = await open();
    const ids = [await addUser('a'), await addUser('b'), await addUser('c')];
    const page = async (query: string) => (await scim.get(`/scim/v2/Users?${query}`)).json;
    expect(await page('startIndex=2&count=1')).toMatchObject({
      totalResults: 3,
      startIndex: 2,
      itemsPerPage: 1,
      Resources: [{ id: ids[1] }],
    });
    expect(await page('count=0')).toMatchObject({ totalResults: 3, Resources: [] });
    expect(await page('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, Resources: [] });
    const { Resources } = await page('count=1&attributes=userName,emails.value');
    expect(Object.keys(Resources[0])).toEqual(['schemas', 'id', 'userName', 'emails']);
    expect(Object.keys(Resources[0].emails[0])).toEqual(['value']);
    for (const query of ['startIndex=x', 'count=1.5', 'sortBy=userName'])
      expect(await page(query)).toMatchObject({ status: '400' });
  });

  it('lose no change of two PATCHes at once', async () => {
    const { scim, addUser } = await open();
    const people = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => addUser(name)));
    const group = await scim.post('/scim/v2/Groups', { displayName: 'Lab' });
    const path = `/scim/v2/Groups/${group.json.id}`;
    const add = (value: string) => scim.patch(path, ops({ op: 'add', path: 'members', value: [{ value }] }));
    expect((await Promise.all(people.map(add))).map(({ status }) => status)).toEqual([
      204, 204, 204, 204, 204,
    ]);
    expect((await scim.get(path)).json.members).toHaveLength(5);
  });

  it('are found by SQL as by the evaluation of a filter', async () => {
    const { scim, addUser, team } = await open();
    const ada = await addUser('ada', { externalId: 'A', name: { familyName: 'Lovelace' } });
    await addUser('bob', { active: false });
    await joinOrganization(service, team, { email: 'eve@clinic.example', name: 'Eve' });
    const group = await scim.post('/scim/v2/Groups', { displayName: 'Lab', members: [{ value: ada }] });
    const found = async (filter: string) => {
      const { status, text, json } = await scim.get(`/scim/v2/Users?filter=${encodeURIComponent(filter)}`);
      expect(status, `${filter}: ${text}`).toBe(200);
      return json.Resources.map(({ userName }: { userName: string }) => userName.split('@')[0]);
    };
    // prettier-ignore
    const table: [string, string[]][] = [
      ['userName sw "A"',                                   ['ada']],
      ['externalId ne "A"',                                 ['bob', 'eve']],
      ['externalId eq null',                                ['bob', 'eve']],
      ['not (externalId eq "A")',                           ['bob', 'eve']],
      ['name.familyName pr',                                ['ada']],
      ['name.familyName ew "LACE" or active eq false',      ['ada', 'bob']],
      ['active eq true and not (userName co "eve")',        ['ada']],
      ['emails[type eq "work" and value sw "EVE"]',         ['eve']],
      ['emails.type eq "home"',                             []],
      [`groups.value eq "${group.json.id}"`,                ['ada']],
      ['groups[display eq "LAB"]',                          ['ada']],
      ['not (groups pr)',                                   ['bob', 'eve']],
      ['displayName eq "Eve"',                              ['eve']],
      ['meta.created ge "2020-01-01T00:00:00Z"',            ['ada', 'bob', 'eve']],
      ['userName co "%" or userName co "\\\\" or displayName co "_"', []],
      [`id eq "${ada}"`,                                    ['ada']],
      ['id eq "not a uuid"',                                []],
    ];
    for (const [filter, expected] of table) expect(await found(filter), filter).toEqual(expected);
  });
});

describe('the groups of the directory', () => {
  it('grant the union of what owners have set, and nothing without it', async () => {
    const { scim, addUser, team, setRoles } = await open();
    const ada = await addUser('ada');
    const group = async (displayName: string) =>
      String((await scim.post('/scim/v2/Groups', { displayName, members: [{ value: ada }] })).json.id);
    const [lab, it] = [await group('Lab'), await group('IT')];
    const session = await signedIn(service, ada);
    const at = `/v1/org/${team.orgId}`;
    const status = async () => (await session.get(`${at}/audit_log`)).status;
    expect((await session.get(at)).status).toBe(403);
    await setRoles(lab, [{ role: 'developer' }]);
    expect([(await session.get(at)).status, await status()]).toEqual([200, 403]);
    await setRoles(it, [{ role: 'administrator' }, { role: 'developer' }]);
    expect(await status()).toBe(200);
    const { members } = (await team.management.get(`${at}/member`)).json;
    expect(members.find(({ id }: { id: string }) => id === ada)).toMatchObject({
      role: 'no_role',
      roles: [],
      directory_roles: [{ role: 'administrator' }, { role: 'developer' }],
    });
    await scim.patch(`/scim/v2/Groups/${it}`, ops({ op: 'remove', path: `members[value eq "${ada}"]` }));
    expect(await status()).toBe(403);
    await scim.delete(`/scim/v2/Groups/${lab}`);
    expect((await session.get(at)).status).toBe(403);
  });

  it('are kept through a deactivation', async () => {
    const { scim, addUser, team, setRoles } = await open();
    const ada = await addUser('ada');
    const made = await scim.post('/scim/v2/Groups', { displayName: 'Lab', members: [{ value: ada }] });
    await setRoles(made.json.id, [{ role: 'developer' }]);
    const session = await signedIn(service, ada);
    const path = `/scim/v2/Users/${ada}`;
    await scim.patch(path, ops({ op: 'replace', path: 'active', value: false }));
    expect((await session.get(`/v1/org/${team.orgId}`)).status).toBe(401);
    await scim.patch(path, ops({ op: 'replace', path: 'active', value: true }));
    expect((await (await signedIn(service, ada)).get(`/v1/org/${team.orgId}`)).status).toBe(200);
  });
});
