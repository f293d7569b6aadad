import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { createTeam } from '../management/management.ts';

/** Who may do what with the people, domains, provider settings and record systems of an organization. */
let sister: string;
let callers: Record<'org' | 'team' | 'stranger' | 'nobody' | 'teamApi', ApiClient>;

const service = useTestService({ DASHBOARD_URL: 'https://dashboard.example' });
const team = useTestTeam(service);
beforeAll(async () => {
  sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
  for (const [id, name] of [
    [team.tenant.teamId, 'own'],
    [sister, 'sister'],
  ]) {
    await team.management.patch(`/v1/org/${team.orgId}/team/${id}`, { integration_team_id: name });
  }
  const bound = await team.management.post(`/v1/org/${team.orgId}/management_key`, {
    label: 'Bound',
    role: 'team_admin',
    team_role_bindings: [{ team_id: team.tenant.teamId }],
  });
  // What some rows find there, whichever of them comes first.
  const people = `/v1/org/${team.orgId}/ehr_integration`;
  await team.management.post(`${people}/member`, { ...person, integration_member_id: 'there' });
  await team.management.put(`${people}/configuration`, configuration);
  const stranger = (await service.team()).management;
  const teamApi = service.client({ 'x-service-api-key': team.key });
  const key = { 'x-management-key': bound.json.key };
  callers = {
    org: team.management,
    team: service.client(key),
    stranger,
    nobody: service.client({}),
    teamApi,
  };
});

const NOBODY = '01900000-0000-7000-8000-000000000000';
const CREDENTIALS = 'team_custom_credentials/sandbox';
const PULLS = 'team_data_pull_preferences/sandbox';
const EHR = 'team_ehr_pipelines/sandbox';
const oura = { provider: 'oura', client_id: 'x', client_secret: 'y' };
const pull = { providers: { oura: { default: { historical_days_to_pull: 1 } } } };
const fhir = {
  ehr_type: 'fhir',
  base_url: 'https://x.example',
  authentication: { type: 'api_key', api_key: 'k' },
};
const person = { integration_member_id: 'p', name: 'P', email: 'p@x.example' };
const configuration = { slug: 'rights', modalities: ['link_out'], origin_configs: [] };
const link = { integration_member_id: 'there', feature: 'f', modality: 'link_out', environment: 'sandbox' };
// At a private address, which is refused before anything is asked for.
const connection = {
  name: 'x',
  issuer: 'https://10.0.0.1',
  client_id: 'x',
  client_secret: 'y',
  domains: ['x.example'],
};
const change = { role: 'no_role', team_role_bindings: null };

type AccessCase = [
  method: 'get' | 'post' | 'patch' | 'put' | 'delete',
  path: string,
  body: Record<string, unknown> | undefined,
  org: number,
  team: number,
];

// prettier-ignore
const table: AccessCase[] = [
  ['get',    '/member',                                     undefined,                             200, 403],
  ['get',    `/member/${NOBODY}`,                           undefined,                             404, 403],
  ['patch',  `/member/${NOBODY}`,                           change,                                404, 403],
  ['delete', `/member/${NOBODY}`,                           undefined,                             404, 403],
  ['get',    `/member/${NOBODY}/session`,                   undefined,                             404, 403],
  ['delete', `/member/${NOBODY}/session/${NOBODY}`,         undefined,                             404, 403],
  ['get',    `/member/${NOBODY}/second_factor`,             undefined,                             404, 403],
  ['delete', `/member/${NOBODY}/second_factor`,             undefined,                             404, 403],
  ['get',    '/invite',                                     undefined,                             200, 403],
  ['post',   '/invite',                                     { email: 'a@x.example' },              200, 403],
  ['delete', `/invite/${NOBODY}`,                           undefined,                             404, 403],
  ['get',    '/sso_connection',                             undefined,                             200, 403],
  ['post',   '/sso_connection',                             connection,                            422, 403],
  ['get',    `/sso_connection/${NOBODY}`,                   undefined,                             404, 403],
  ['patch',  `/sso_connection/${NOBODY}`,                   { name: 'x' },                         404, 403],
  ['delete', `/sso_connection/${NOBODY}`,                   undefined,                             404, 403],
  ['delete', `/member/${NOBODY}/sso_identity`,              undefined,                             404, 403],
  ['get',    '/domain',                                     undefined,                             200, 403],
  ['post',   '/domain',                                     { domain: 'x.example' },               201, 403],
  ['get',    '/directory_token',                            undefined,                             200, 403],
  ['post',   '/directory_token',                            { label: 'x' },                        200, 403],
  ['delete', `/directory_token/${NOBODY}`,                  undefined,                             404, 403],
  ['get',    '/directory_group',                            undefined,                             200, 403],
  ['put',    `/directory_group/${NOBODY}/roles`,            { roles: [] },                         404, 403],
  ['get',    `/domain/${NOBODY}`,                           undefined,                             404, 403],
  ['delete', `/domain/${NOBODY}`,                           undefined,                             404, 403],
  ['post',   `/domain/${NOBODY}/verify`,                    undefined,                             404, 403],
  ['post',   `/domain/${NOBODY}/send_domain_instructions`,  { to_email: 'a@x.example' },           404, 403],
  ['post',   '/resolve_team',                               { integration_team_id: 'own' },        200, 200],
  ['post',   '/resolve_team',                               { integration_team_id: 'sister' },     200, 404],
  ['post',   '/resolve_team',                               { integration_team_id: 'none' },       404, 404],
  ['get',    '/team/OWN/scope_requirements',                undefined,                             200, 200],
  ['get',    '/team/SISTER/scope_requirements',             undefined,                             200, 404],
  ['post',   '/team/OWN/scope_requirements',                {},                                    200, 200],
  ['post',   '/team/SISTER/scope_requirements',             {},                                    200, 404],
  ['get',    `/${CREDENTIALS}/us`,                          undefined,                             200, 200],
  ['get',    `/${CREDENTIALS}/us?team_id=OWN`,              undefined,                             200, 200],
  ['get',    `/${CREDENTIALS}/us?team_id=SISTER`,           undefined,                             200, 404],
  ['get',    `/${CREDENTIALS}/eu`,                          undefined,                             400, 400],
  ['post',   `/${CREDENTIALS}/us`,                          { team_id: 'OWN', ...oura },           200, 200],
  ['post',   `/${CREDENTIALS}/us`,                          { team_id: 'SISTER', ...oura },        200, 404],
  ['post',   `/${CREDENTIALS}/eu`,                          { team_id: 'OWN', ...oura },           400, 400],
  ['delete', `/${CREDENTIALS}/us?credential_id=${NOBODY}`,  undefined,                             200, 200],
  ['delete', `/${CREDENTIALS}/eu?credential_id=${NOBODY}`,  undefined,                             400, 400],
  ['post',   '/prepare_team_custom_credentials/sandbox/us', { team_id: 'OWN', provider: 'oura' },  200, 200],
  ['post',   '/prepare_team_custom_credentials/sandbox/us', { team_id: 'SISTER', provider: 'oura' }, 200, 404],
  ['get',    `/${PULLS}/us`,                                undefined,                             200, 200],
  ['get',    `/${PULLS}/us?team_id=SISTER`,                 undefined,                             200, 404],
  ['post',   `/${PULLS}/us`,                                { team_ids: ['OWN'], ...pull },        200, 200],
  ['post',   `/${PULLS}/us`,                                { team_ids: ['OWN', 'SISTER'], ...pull }, 200, 404],
  ['post',   `/${PULLS}/us`,                                { team_ids: [], ...pull },             422, 200],
  ['post',   `/${PULLS}/eu`,                                { team_ids: ['OWN'], ...pull },        400, 400],
  ['delete', `/${PULLS}/us`,                                undefined,                             422, 200],
  ['delete', `/${PULLS}/us?team_id=SISTER`,                 undefined,                             200, 404],
  ['get',    `/${EHR}/us`,                                  undefined,                             200, 200],
  ['get',    `/${EHR}/us?team_id=SISTER`,                   undefined,                             200, 404],
  ['post',   `/${EHR}/us`,                                  { team_ids: ['OWN'], ...fhir },        200, 200],
  ['post',   `/${EHR}/us`,                                  { team_ids: ['SISTER'], ...fhir },     200, 404],
  ['post',   `/${EHR}/us`,                                  fhir,                                  422, 200],
  ['post',   `/${EHR}/eu`,                                  { team_ids: ['OWN'], ...fhir },        400, 400],
  ['delete', `/${EHR}/us?ehr_type=fhir`,                    undefined,                             422, 200],
  ['delete', `/${EHR}/us?ehr_type=fhir&team_id=SISTER`,     undefined,                             200, 404],
  ['get',    '/ehr_integration/member',                     undefined,                             200, 403],
  ['post',   '/ehr_integration/member',                     person,                                200, 403],
  ['get',    `/ehr_integration/member/${NOBODY}`,           undefined,                             404, 403],
  ['patch',  `/ehr_integration/member/${NOBODY}`,           { name: 'x' },                         404, 403],
  ['delete', `/ehr_integration/member/${NOBODY}`,           undefined,                             404, 403],
  ['post',   '/ehr_integration/resolve_member',             { integration_member_id: 'there' },    200, 403],
  ['put',    '/ehr_integration/configuration',              configuration,                         200, 403],
  ['get',    '/ehr_integration/configuration',              undefined,                             200, 403],
  ['post',   '/ehr_integration/create_dashboard_url',       link,                                  200, 403],
  ['post',   '/ehr_integration/read_dashboard_session',     { session: 'x' },                      400, 403],
];

const named = (text: string) => text.replaceAll('OWN', team.tenant.teamId).replaceAll('SISTER', sister);

async function statusFor(who: keyof typeof callers, [method, path, body]: AccessCase): Promise<number> {
  const url = named(`/v1/org/${team.orgId}${path}`);
  const given: unknown = body && JSON.parse(named(JSON.stringify(body)));
  const caller = callers[who];
  if (method === 'get' || method === 'delete') return (await caller[method](url)).status;
  return (await caller[method](url, given)).status;
}

describe('authorization for members, settings and EHR integration of an organization', () => {
  it.each(table)('%s %s %o: %i for its key, %i for a team’s', async (...row) => {
    // A stranger first: what it is refused must not depend on what others did before.
    expect(await statusFor('stranger', row)).toBe(404);
    expect(await statusFor('nobody', row)).toBe(401);
    expect(await statusFor('teamApi', row)).toBe(401);
    expect(await statusFor('org', row)).toBe(row[3]);
    expect(await statusFor('team', row)).toBe(row[4]);
  });

  it('covers every operation of these areas', () => {
    const about = /member|invite|domain|sso_connection|resolve_team|scope_req|custom_cred|data_pull|ehr/;
    const known = service.http.routes.filter(({ scope, path }) => scope === 'management' && about.test(path));
    const asked = table.map(([method, path]) => `${method.toUpperCase()} ${pattern(path)}`);
    const missing = known.filter(
      (route) => !asked.includes(`${route.method} ${pattern(route.path.slice(15))}`),
    );
    expect(known.length).toBeGreaterThan(30);
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  /** A path with the same sign for every parameter. */
  const pattern = (path: string) =>
    path.replace(/\?.*/, '').replaceAll(/:\w+|OWN|SISTER|[0-9a-f-]{36}|(?<=\/)(sandbox|us|eu)(?=\/|$)/g, '*');

  it('finds a team by the exact integration_team_id', async () => {
    const at = `/v1/org/${team.orgId}`;
    const both = 'include_environment=sandbox&include_environment=production';
    const read = await callers.org.get(`${at}/team/${sister}?${both}`);
    const resolved = await callers.org.post(`${at}/resolve_team`, { integration_team_id: 'sister' });
    expect(resolved.json).toEqual(read.json);
    expect(resolved.json).toMatchObject({ id: sister, sandbox: { reject_duplicate_connection: false } });
  });

  it('gives a Team Management Key only its own rows of a list', async () => {
    const at = `/v1/org/${team.orgId}`;
    for (const team_id of [team.tenant.teamId, sister])
      await callers.org.post(`${at}/${CREDENTIALS}/us`, { team_id, ...oura });
    await callers.org.post(`${at}/${PULLS}/us`, { team_ids: [team.tenant.teamId, sister], ...pull });
    await callers.org.post(`${at}/${EHR}/us`, { team_ids: [team.tenant.teamId, sister], ...fhir });
    for (const list of [CREDENTIALS, PULLS, EHR]) {
      const mine = await callers.team.get(`${at}/${list}/us`);
      expect(mine.text, list).toContain(team.tenant.teamId);
      expect(mine.text, list).not.toContain(sister);
      expect((await callers.org.get(`${at}/${list}/us`)).text, list).toContain(sister);
    }
  });

  it('lets a Team Management Key delete only its own credentials', async () => {
    const at = `/v1/org/${team.orgId}/${CREDENTIALS}/us`;
    const { id } = (await callers.org.post(at, { team_id: sister, ...oura })).json;
    const tried = await callers.team.delete(`${at}?credential_id=${id}`);
    expect(tried.json).toEqual({ success: [], failure: [], not_found: [id] });
    expect((await callers.org.get(`${at}?team_id=${sister}`)).json.credentials).toHaveLength(1);
  });
});
