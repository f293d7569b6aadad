import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { createTeam } from '../management/management.ts';
import { MINUTE } from '../../platform/clock.ts';

let service: TestService;
let bare: TestService;
beforeAll(async () => {
  [service, bare] = await Promise.all([
    openTestService({ DASHBOARD_URL: 'https://dashboard.lab.example/embed' }),
    openTestService(),
  ]);
});
afterAll(async () => {
  await Promise.all([service.close(), bare.close()]);
});

const at = (team: TestTeam, path: string) => `/v1/org/${team.orgId}/ehr_integration/${path}`;
const NURSE = { integration_member_id: 'ehr/77', name: 'Nora', email: 'nora@clinic.example' };
const create = (team: TestTeam, body: Record<string, unknown> = NURSE) =>
  team.management.post(at(team, 'member'), body);
const NOBODY = '01900000-0000-7000-8000-000000000000';

describe('EHR-managed members', () => {
  it('are found by the ids of the EHR', async () => {
    const team = await service.team();
    const bindings = [{ team_id: team.tenant.teamId }];
    const made = await create(team, {
      ...NURSE,
      avatar: 'https://x.example/n.png',
      team_role_bindings: bindings,
    });
    expect(made.json).toEqual({
      id: made.json.id,
      ...NURSE,
      avatar: 'https://x.example/n.png',
      team_role_bindings: bindings,
    });
    const { id } = made.json;
    const resolve = (integration_member_id: string) =>
      team.management.post(at(team, 'resolve_member'), { integration_member_id });
    expect((await resolve('ehr/77')).json).toEqual(made.json);
    expect((await resolve('ehr/78')).status).toBe(404);
    expect((await team.management.get(at(team, `member/${id}`))).json).toEqual(made.json);
    const change = { name: 'Nora B', avatar: null };
    const changed = await team.management.patch(at(team, `member/${id}`), change);
    expect(changed.json).toEqual({ ...made.json, ...change });
    const freed = await team.management.patch(at(team, `member/${id}`), { team_role_bindings: null });
    expect(freed.json.team_role_bindings).toBeNull();
    expect((await team.management.get(at(team, 'member'))).json).toEqual({
      data: [freed.json],
      next_cursor: null,
    });
    expect((await team.management.delete(at(team, `member/${id}`))).json).toEqual({ success: true });
    expect((await resolve('ehr/77')).status).toBe(404);
    expect((await team.management.delete(at(team, `member/${id}`))).status).toBe(404);
  });

  it('are unique by id within an organization, even when created concurrently', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const answers = await Promise.all([1, 2, 3].map(() => create(team)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const made = answers.find(({ status }) => status === 200)?.json.id;
    expect(answers.find(({ status }) => status === 409)?.json).toEqual({ member_id: made });
    expect((await create(other)).status).toBe(200);
    expect((await other.management.get(at(other, `member/${made}`))).status).toBe(404);
    expect((await other.management.patch(at(other, `member/${made}`), { name: 'x' })).status).toBe(404);
  });

  // prettier-ignore
  it.each([
    [422, { ...NURSE, email: 'nora' }],
    [422, { ...NURSE, name: '' }],
    [422, { ...NURSE, integration_member_id: 'x'.repeat(257) }],
    [422, { ...NURSE, avatar: 'javascript:alert(1)' }],
    [404, { ...NURSE, team_role_bindings: [{ team_id: NOBODY }] }],
  ])('are refused with %i: %o', async (status, body) => {
    const team = await service.team();
    expect((await create(team, body)).status).toBe(status);
    expect((await team.management.get(at(team, 'member'))).json.data).toEqual([]);
  });

  it('appear in the audit log only by their ids', async () => {
    const team = await service.team();
    await create(team);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    expect(log.json.data[0]).toMatchObject({
      action: 'ehr_member.create',
      after: { integration_member_id: 'ehr/77' },
    });
    expect(log.text).not.toContain('nora');
  });
});

let slugs = 0;
const configuration = () => ({
  slug: `clinic-${(slugs += 1)}`,
  modalities: ['link_out'],
  origin_configs: [
    { origin: 'https://records.example', session_continuation_url: 'https://records.example/go' },
    { origin: 'http://localhost:8080' },
  ],
});
const configure = (team: TestTeam, body: Record<string, unknown>) =>
  team.management.put(at(team, 'configuration'), body);

describe('the configuration', () => {
  it('is replaced as a whole', async () => {
    const team = await service.team();
    expect((await team.management.get(at(team, 'configuration'))).status).toBe(404);
    const given = configuration();
    const [first, second] = given.origin_configs;
    const set = await configure(team, given);
    const view = { ...given, origin_configs: [first, { ...second, session_continuation_url: null }] };
    expect(set.json).toEqual(view);
    expect((await team.management.get(at(team, 'configuration'))).json).toEqual(view);
    const other = await configure(team, { ...given, modalities: [], origin_configs: [] });
    expect(other.json).toEqual({ ...given, modalities: [], origin_configs: [] });
  });

  it('has a unique slug', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const given = configuration();
    const answers = await Promise.all([configure(team, given), configure(other, given)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  // prettier-ignore
  it.each([
    [{ slug: 'ab' }],
    [{ slug: 'Clinic' }],
    [{ slug: 'a--b' }],
    [{ modalities: ['popup'] }],
    [{ modalities: ['link_out', 'link_out'] }],
    [{ origin_configs: [{ origin: 'https://records.example/path' }] }],
    [{ origin_configs: [{ origin: 'http://records.example' }] }],
    [{ origin_configs: [{ origin: '*' }] }],
    [{ origin_configs: [{ origin: 'https://a.example' }, { origin: 'https://a.example' }] }],
    [{ origin_configs: [{ origin: 'https://a.example', session_continuation_url: 'javascript:x' }] }],
  ])('is not taken with %o', async (change) => {
    const team = await service.team();
    expect((await configure(team, { ...configuration(), ...change })).status).toBe(422);
  });
});

describe('the dashboard URL', () => {
  const LINK = {
    integration_member_id: 'ehr/77',
    feature: 'orders',
    modality: 'link_out',
    environment: 'sandbox',
  };
  const ask = (team: TestTeam, body: Record<string, unknown> = {}) =>
    team.management.post(at(team, 'create_dashboard_url'), { ...LINK, ...body });
  const read = (team: TestTeam, session: string) =>
    team.management.post(at(team, 'read_dashboard_session'), { session });
  const ready = async () => {
    const team = await service.team();
    await configure(team, configuration());
    return { team, member: (await create(team)).json };
  };

  it('contains a session that identifies the member for 5 minutes', async () => {
    const { team, member } = await ready();
    const { json } = await ask(team, { team_id: team.tenant.teamId });
    expect(json.expires_in).toBe(300);
    const url = new URL(json.url);
    expect(`${url.origin}${url.pathname}`).toBe('https://dashboard.lab.example/embed');
    const session = url.searchParams.get('session') ?? '';
    expect((await read(team, session)).json).toEqual({
      member,
      team_id: team.tenant.teamId,
      environment: 'sandbox',
      feature: 'orders',
      modality: 'link_out',
    });
    const stranger = await service.team();
    expect((await read(stranger, session)).status).toBe(400);
    expect((await read(team, `${session}x`)).status).toBe(400);
    service.clock.move(5 * MINUTE);
    expect((await read(team, session)).status).toBe(400);
  });

  it('finds members and teams by either id', async () => {
    const { team, member } = await ready();
    await team.management.patch(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`, {
      integration_team_id: 'ward-3',
    });
    const asked = { integration_member_id: null, member_id: member.id, integration_team_id: 'ward-3' };
    const session = new URL((await ask(team, asked)).json.url).searchParams.get('session') ?? '';
    expect((await read(team, session)).json).toMatchObject({ member, team_id: team.tenant.teamId });
  });

  it('becomes invalid when the team is deleted or the member is no longer bound to it', async () => {
    const { team, member } = await ready();
    const { teamId } = team.tenant;
    const sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
    const sessionFor = async (id: string) =>
      new URL((await ask(team, { team_id: id })).json.url).searchParams.get('session') ?? '';
    const [own, other] = [await sessionFor(teamId), await sessionFor(sister)];
    await team.management.patch(at(team, `member/${member.id}`), {
      team_role_bindings: [{ team_id: teamId }],
    });
    expect([(await read(team, own)).status, (await read(team, other)).status]).toEqual([200, 400]);
    expect((await team.management.delete(`/v1/org/${team.orgId}/team/${teamId}`)).status).toBe(200);
    const refused = await read(team, own);
    expect([refused.status, refused.json.detail]).toEqual([
      400,
      'The session is not valid, or is older than 5 minutes',
    ]);
  });

  it('becomes invalid when the management key that made it is revoked', async () => {
    const { team } = await ready();
    const keyPath = `/v1/org/${team.orgId}/management_key`;
    const made = (await team.management.post(keyPath, { label: 'k', role: 'org_admin' })).json;
    const maker = service.client({ 'x-management-key': made.key });
    const { json } = await maker.post(at(team, 'create_dashboard_url'), LINK);
    const session = new URL(json.url).searchParams.get('session') ?? '';
    expect((await read(team, session)).status).toBe(200);
    expect((await team.management.delete(`${keyPath}/${made.id}`)).status).toBe(200);
    expect((await read(team, session)).status).toBe(400);
  });

  // prettier-ignore
  it.each([
    [422, { integration_member_id: null }],
    [422, { member_id: NOBODY }],
    [422, { team_id: NOBODY, integration_team_id: 'ward-3' }],
    [422, { environment: 'staging' }],
    [400, { modality: 'feature_embed' }],
    [404, { integration_member_id: 'ehr/78' }],
    [404, { team_id: NOBODY }],
    [404, { integration_team_id: 'ward-4' }],
  ])('is refused with %i: %o', async (status, body) => {
    const { team } = await ready();
    expect((await ask(team, body)).status).toBe(status);
  });

  it('is not created for a team that the member is not bound to', async () => {
    const { team, member } = await ready();
    const sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
    const bindings = { team_role_bindings: [{ team_id: team.tenant.teamId }] };
    await team.management.patch(at(team, `member/${member.id}`), bindings);
    expect((await ask(team, { team_id: sister })).status).toBe(403);
    expect((await ask(team, { team_id: team.tenant.teamId })).status).toBe(200);
  });

  it('reaches every team of the organization for a member without bindings, and none for one with an empty list', async () => {
    const { team, member } = await ready();
    const stranger = await service.team();
    const sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
    const bind = (bindings: unknown) =>
      team.management.patch(at(team, `member/${member.id}`), { team_role_bindings: bindings });
    const statuses = async () =>
      Promise.all(
        [team.tenant.teamId, sister, stranger.tenant.teamId].map(
          async (id) => (await ask(team, { team_id: id })).status,
        ),
      );
    expect(member.team_role_bindings).toBeNull();
    expect(await statuses()).toEqual([200, 200, 404]);
    expect((await bind([])).json.team_role_bindings).toEqual([]);
    expect(await statuses()).toEqual([403, 403, 404]);
    await bind(null);
    expect(await statuses()).toEqual([200, 200, 404]);
  });

  it('is not created without DASHBOARD_URL, and the error says so', async () => {
    const team = await bare.team();
    const answer = await ask(team);
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('DASHBOARD_URL')]);
  });
});

describe('the EHR pipelines of teams', () => {
  const place = (team: TestTeam, query = '', environment = 'sandbox') =>
    `/v1/org/${team.orgId}/team_ehr_pipelines/${environment}/us${query}`;
  const FHIR = {
    ehr_type: 'fhir',
    base_url: 'https://fhir.example/r4',
    authentication: {
      type: 'client_credentials',
      client_id: 'c',
      client_secret: 'hush-hush',
      token_url: 'https://fhir.example/token',
    },
  };
  const set = (team: TestTeam, body: Record<string, unknown> = {}, environment = 'sandbox') =>
    team.management.post(place(team, '', environment), { team_ids: [team.tenant.teamId], ...FHIR, ...body });
  const list = async (team: TestTeam, query = '') =>
    (await team.management.get(place(team, query))).json.data;

  it('are stored sealed, and their secrets are masked in responses', async () => {
    const team = await service.team();
    const made = await set(team, { allowed_mappers: ['results'] });
    const view = {
      team_id: team.tenant.teamId,
      type: 'ehr_linked',
      ...FHIR,
      authentication: { ...FHIR.authentication, client_secret: '********' },
      allowed_mappers: ['results'],
    };
    expect(made.json).toEqual([view]);
    expect(await list(team)).toEqual([view]);
    const back = await set(team, { authentication: view.authentication });
    expect(back.json).toEqual([{ ...view, allowed_mappers: null }]);
    const hint = { ehr_type: 'hint_health', authentication: { type: 'api_key', api_key: 'hush-hush' } };
    await set(team, hint);
    expect(await list(team)).toHaveLength(2);
    const own = `?team_id=${team.tenant.teamId}`;
    expect((await team.management.delete(place(team, `${own}&ehr_type=fhir`))).json).toEqual({
      success: true,
    });
    expect(await list(team, own)).toMatchObject([
      { authentication: { type: 'api_key', api_key: '********' } },
    ]);
    const { rows } = await service.ownerPool.query('select p::text as line from ehr_pipeline p');
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log`);
    for (const text of [JSON.stringify(rows), log.text]) expect(text).not.toContain('hush-hush');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('hush-hush').toString('hex'));
  });

  it('keep the secret when the mask is sent back', async () => {
    const team = await service.team();
    await set(team);
    const sealed = async () =>
      (
        await service.ownerPool.query('select authentication from ehr_pipeline where team_id = $1', [
          team.tenant.teamId,
        ])
      ).rows[0].authentication;
    const open = async () => {
      const cipher = await service.app.keyring.cipherOf(team.tenant);
      return JSON.parse(cipher.open(await sealed(), 'ehr_pipeline.authentication'));
    };
    await set(team, {
      authentication: { ...FHIR.authentication, client_id: 'd', client_secret: '********' },
    });
    expect(await open()).toEqual({ ...FHIR.authentication, client_id: 'd' });
  });

  // prettier-ignore
  it.each([
    ['sandbox',    200, { base_url: 'http://fhir.example' }],
    ['production', 422, { base_url: 'http://fhir.example' }],
    ['production', 422, { authentication: { ...FHIR.authentication, token_url: 'http://fhir.example' } }],
    ['sandbox',    200, { authentication: { type: 'google_iam', service_account_email: 'a@b.example', audience: 'https://healthcare.googleapis.com/' } }],
    ['sandbox',    422, { authentication: { type: 'google_iam', service_account_email: 'a@b.example', audience: 'https://x.example/' } }],
    ['sandbox',    422, { authentication: { type: 'api_key', api_key: '********' } }],
    ['sandbox',    422, { authentication: { type: 'password' } }],
    ['sandbox',    422, { base_url: 'https://me:hush-hush@fhir.example' }],
    ['sandbox',    422, { authentication: { ...FHIR.authentication, token_url: 'https://hush-hush@fhir.example' } }],
    ['sandbox',    422, { ehr_type: 'other' }],
    ['sandbox',    422, { team_ids: [] }],
    ['sandbox',    404, { team_ids: [NOBODY] }],
  ])('in %s are answered with %i: %o', async (environment, status, body) => {
    const team = await service.team();
    expect((await set(team, body, environment)).status).toBe(status);
  });

  it('are listed in pages that end', async () => {
    const team = await service.team();
    await set(team);
    await set(team, { ehr_type: 'hint_health' });
    const { json } = await team.management.get(place(team));
    expect([json.data.length, json.next_token]).toEqual([2, null]);
  });
});
