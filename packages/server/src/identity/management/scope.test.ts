import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { createTeam } from './management.ts';

let sister: string;
/** The callers of the table: an Org Management Key, a Team Management Key, and the key of another organization. */
let callers: Record<'org' | 'team' | 'stranger', ApiClient>;

const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  sister = (await createTeam(service.app, { orgId: team.orgId, name: 'Sister', region: 'us' })).id;
  const bound = await team.management.post(`/v1/org/${team.orgId}/management_key`, {
    label: 'Bound',
    role: 'team_admin',
    team_role_bindings: [{ team_id: team.tenant.teamId }],
  });
  callers = {
    org: team.management,
    team: service.client({ 'x-management-key': bound.json.key }),
    stranger: (await service.team()).management,
  };
});

const KEYS = 'team_api_keys/sandbox/us';
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

// prettier-ignore
const table: [method: 'get' | 'post' | 'patch' | 'delete', path: string, body: Record<string, unknown> | undefined, org: number, team: number][] = [
  ['get',    '',                                      undefined,                       200, 403],
  ['patch',  '',                                      { name: 'Renamed' },             200, 403],
  ['get',    '/team',                                 undefined,                       200, 403],
  ['post',   '/team',                                 { name: 'New', region: 'us' },   200, 403],
  ['post',   '/team',                                 { name: 'New', region: 'eu' },   400, 403],
  ['get',    '/team/OWN',                             undefined,                       200, 200],
  ['get',    '/team/SISTER',                          undefined,                       200, 404],
  ['get',    `/team/${UNKNOWN_ID}`,                       undefined,                       404, 404],
  ['patch',  '/team/OWN',                             { name: 'Own' },                 200, 200],
  ['patch',  '/team/OWN',                             { sandbox: { max_users: 3 } },   200, 403],
  ['patch',  '/team/SISTER',                          { name: 'Stolen' },              200, 404],
  ['delete', `/team/${UNKNOWN_ID}`,                       undefined,                       404, 403],
  ['post',   '/team/OWN/create_api_access_token',     { env: 'sandbox' },              200, 200],
  ['post',   '/team/SISTER/create_api_access_token',  { env: 'sandbox' },              200, 404],
  ['get',    '/team/OWN/sandbox/clock',               undefined,                       200, 200],
  ['get',    '/team/SISTER/sandbox/clock',            undefined,                       200, 404],
  ['post',   '/team/OWN/sandbox/clock',               { advance_seconds: 1 },          200, 200],
  ['post',   '/team/SISTER/sandbox/clock',            { advance_seconds: 1 },          200, 404],
  ['get',    `/${KEYS}`,                              undefined,                       200, 403],
  ['get',    `/${KEYS}?team_id=OWN`,                  undefined,                       200, 200],
  ['get',    `/${KEYS}?team_id=SISTER`,               undefined,                       200, 404],
  ['get',    '/team_api_keys/sandbox/eu',             undefined,                       400, 403],
  ['post',   `/${KEYS}`,                              { label: 'x', team_id: 'OWN' },  200, 200],
  ['post',   `/${KEYS}`,                              { label: 'x', team_id: 'SISTER' }, 200, 404],
  ['get',    '/management_key',                       undefined,                       200, 403],
  ['post',   '/management_key',                       { label: 'x', role: 'org_admin' }, 200, 403],
  ['patch',  `/management_key/${UNKNOWN_ID}`,             { label: 'x' },                  404, 403],
  ['delete', `/management_key/${UNKNOWN_ID}`,             undefined,                       404, 403],
  ['get',    '/audit_log',                            undefined,                       200, 403],
  ['get',    '/audit_log?team_id=OWN',                undefined,                       200, 200],
  ['get',    '/audit_log?team_id=SISTER',             undefined,                       200, 404],
];

const fillPath = (text: string) => text.replaceAll('OWN', team.tenant.teamId).replaceAll('SISTER', sister);

async function sendRequest(caller: ApiClient, [method, path, body]: (typeof table)[number]) {
  const url = `/v1/org/${team.orgId}${fillPath(path)}`;
  if (method === 'get' || method === 'delete') return caller[method](url);
  return caller[method](url, JSON.parse(fillPath(JSON.stringify(body))));
}

describe('the scope of a management key', () => {
  it.each(table)('%s %s %j', async (...row) => {
    const [, , , org, bound] = row;
    expect({ org: (await sendRequest(callers.org, row)).status }).toEqual({ org });
    const answer = await sendRequest(callers.team, row);
    expect({ team: answer.status }).toEqual({ team: bound });
    const told = String(answer.json?.detail);
    expect(told.includes('Org Management Key')).toBe(bound === 403);
    const stranger = await sendRequest(callers.stranger, row);
    expect(stranger).toMatchObject({ status: 404, json: { detail: 'Organization not found' } });
  });

  it("prevents a Team Management Key from revoking another team's keys", async () => {
    const path = `/v1/org/${team.orgId}/${KEYS}`;
    const made = await callers.org.post(path, { label: 'Of the sister', team_id: sister });
    const tried = await callers.team.delete(`${path}?api_key_id=${made.json.id}`);
    expect(tried.json).toEqual({ success: [], failure: [], not_found: [made.json.id] });
    const caller = service.client({ 'x-service-api-key': made.json.value });
    expect((await caller.get('/v2/user')).status).toBe(200);
  });

  it('consists of the remaining teams when one of them is deleted', async () => {
    const org = await service.team();
    const gone = (await createTeam(service.app, { orgId: org.orgId, name: 'Gone', region: 'us' })).id;
    const base = `/v1/org/${org.orgId}`;
    const bound = await org.management.post(`${base}/management_key`, {
      label: 'Of both',
      role: 'team_admin',
      team_role_bindings: [{ team_id: gone }, { team_id: org.tenant.teamId }],
    });
    const caller = service.client({ 'x-management-key': bound.json.key });
    const set = async () => {
      const body = { team_ids: [], push_historical_data: true };
      const { status, json } = await caller.post(`${base}/team_etl_pipelines/sandbox/us`, body);
      return [status, json.map?.(({ team_id }: { team_id: string }) => team_id).toSorted()];
    };
    expect(await set()).toEqual([200, [gone, org.tenant.teamId].toSorted()]);
    await org.management.delete(`${base}/team/${gone}`);
    expect(await set()).toEqual([200, [org.tenant.teamId]]);
  });

  it('follows new bindings immediately', async () => {
    const path = `/v1/org/${team.orgId}/management_key`;
    const made = await callers.org.post(path, {
      label: 'Moving',
      role: 'team_admin',
      team_role_bindings: [{ team_id: team.tenant.teamId }],
    });
    const caller = service.client({ 'x-management-key': made.json.key });
    const statuses = () =>
      Promise.all(
        [team.tenant.teamId, sister].map(async (id) => {
          return (await caller.get(`/v1/org/${team.orgId}/team/${id}`)).status;
        }),
      );
    expect(await statuses()).toEqual([200, 404]);
    const moved = { team_role_bindings: [{ team_id: sister }] };
    expect((await callers.org.patch(`${path}/${made.json.id}`, moved)).json).toMatchObject(moved);
    expect(await statuses()).toEqual([404, 200]);
  });
});
