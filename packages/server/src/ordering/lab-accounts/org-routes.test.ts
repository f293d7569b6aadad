import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse, ApiClient } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { createManagementKey, createTeam } from '../../identity/management/management.ts';
import { DelegatedFlow, LabAccountStatus } from './schema.ts';

interface LabAccountWireFields {
  id: string;
  lab: string;
  status: string;
  delegated_flow: string;
  team_id_allowlist: string[];
}

/** Another team of the same organization. */
let other: string;
let path: string;
let teamKey: ApiClient;
/** Before any test opens an account to another team, or makes one more. */
let atFirst: LabAccountWireFields[];
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  other = (await createTeam(service.app, { orgId: team.orgId, name: 'Other team', region: 'us' })).id;
  path = `/v1/org/${team.orgId}/lab_account/sandbox/us`;
  const teamIds = [team.tenant.teamId];
  const { key } = await createManagementKey(service.app, {
    orgId: team.orgId,
    label: 'team',
    role: 'team_admin',
    teamIds,
  });
  teamKey = service.client({ 'x-management-key': key });
  atFirst = await listed();
});

const listed = async (query = '', caller: ApiClient = team.management): Promise<LabAccountWireFields[]> => {
  const { status, json } = await caller.get(`${path}${query}`);
  expect(status).toBe(200);
  return json.data;
};
const first = async (): Promise<LabAccountWireFields> => {
  const account = (await listed(`?team_id=${team.tenant.teamId}`))[0];
  if (!account) throw new Error('The organization has no account');
  return account;
};
const allow = (id: string, teamIds: unknown, caller: ApiClient = team.management): Promise<ApiResponse> =>
  caller.patch(`${path}/${id}`, { team_id_allowlist: teamIds });

describe("the organization's lab accounts", () => {
  it('are those of all its teams, in every status and delegated flow', async () => {
    const accounts = atFirst;
    expect(new Set(accounts.map(({ status }) => status))).toEqual(new Set(LabAccountStatus.options));
    expect(new Set(accounts.map(({ delegated_flow }) => delegated_flow))).toEqual(
      new Set(DelegatedFlow.options),
    );
    const teams = new Set(accounts.flatMap(({ team_id_allowlist }) => team_id_allowlist));
    expect(teams).toEqual(new Set([team.tenant.teamId, other]));
    expect((await team.management.get(path.replace('sandbox', 'production'))).json).toEqual({ data: [] });
  });

  it('keep to the filters', async () => {
    const all = await listed();
    const [one] = all;
    for (const status of LabAccountStatus.options) {
      expect(await listed(`?status=${status}`)).toEqual(all.filter((account) => account.status === status));
    }
    expect(await listed(`?lab_account_id=${one?.id}`)).toEqual([one]);
    expect(await listed(`?lab_account_id=${randomUUID()}`)).toEqual([]);
    const ofOther = await listed(`?team_id=${other}`);
    expect(ofOther).toEqual(all.filter((account) => account.team_id_allowlist.includes(other)));
    expect(await listed(`?team_id=${other}&lab_account_id=${(await first()).id}`)).toEqual([]);
  });

  it('get a new team allowlist that applies at once and is audited', async () => {
    const { id } = await first();
    const before = (await team.get('/v3/lab_test/lab_account')).json.data.length;
    const opened = await allow(id, [other, other]);
    expect(opened).toMatchObject({ status: 200, json: { lab_account: { id, team_id_allowlist: [other] } } });
    expect((await team.get('/v3/lab_test/lab_account')).json.data).toHaveLength(before - 1);

    const both = await allow(id, [team.tenant.teamId, other]);
    expect(both.json.lab_account.team_id_allowlist).toEqual([team.tenant.teamId, other].toSorted());
    expect(await listed(`?lab_account_id=${id}`)).toEqual([both.json.lab_account]);
    const mine = await team.get(`/v3/lab_test/lab_account?lab_account_id=${id}`);
    expect(mine.json.data[0].team_id_allowlist).toEqual([team.tenant.teamId]);

    const closed = await allow(id, []);
    expect(closed.json.lab_account.team_id_allowlist).toEqual([]);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?limit=1`);
    expect(log.json.data[0]).toMatchObject({
      action: 'lab_account.open_to_teams',
      subject: id,
      before: { team_id_allowlist: [team.tenant.teamId, other].toSorted() },
      after: { team_id_allowlist: [] },
    });
    await allow(id, [team.tenant.teamId]);
  });

  it('are rejected for other organizations and unknown ids', async () => {
    const { id } = await first();
    const stranger = await service.team();
    const gone = await createTeam(service.app, { orgId: team.orgId, name: 'Gone', region: 'us' });
    await team.management.delete(`/v1/org/${team.orgId}/team/${gone.id}`);
    const org = team.management;
    // prettier-ignore
    const rows: [string, () => Promise<ApiResponse>, number][] = [
      ['a list of a stranger',       () => stranger.management.get(path),                                404],
      ['a change by a stranger',     () => allow(id, [], stranger.management),                           404],
      ['an account of nobody',       () => allow(randomUUID(), []),                                      404],
      ['the other environment',      () => org.patch(`${path.replace('sandbox', 'production')}/${id}`, { team_id_allowlist: [] }), 404],
      ['a team of a stranger',       () => allow(id, [stranger.tenant.teamId]),                          404],
      ['a team of nobody',           () => allow(id, [randomUUID()]),                                    404],
      ['a deleted team',             () => allow(id, [gone.id]),                                         404],
      ['a filter by a stranger',     () => org.get(`${path}?team_id=${stranger.tenant.teamId}`),         404],
      ['another region',             () => org.get(path.replace(/us$/, 'eu')),                           400],
      ['a change elsewhere',         () => org.patch(`${path.replace(/us$/, 'eu')}/${id}`, { team_id_allowlist: [] }), 400],
      ['an unknown region',          () => org.get(path.replace(/us$/, 'mars')),                         422],
      ['an unknown environment',     () => org.get(path.replace('sandbox', 'staging')),                  422],
      ['an unknown status',          () => org.get(`${path}?status=asleep`),                             422],
      ['an id that is none',         () => org.get(`${path}?lab_account_id=x`),                          422],
      ['a list of words',            () => allow(id, ['x']),                                             422],
      ['no list',                    () => allow(id, undefined),                                         422],
      ['no list for null',           () => allow(id, null),                                              422],
      ['a list for a team key',      () => teamKey.get(path),                                            403],
      ['a change by a team key',     () => allow(id, [], teamKey),                                       403],
      ['a team key’s other team',    () => teamKey.get(`${path}?team_id=${other}`),                      404],
      ['no key',                     () => service.client({}).get(path),                                   401],
      ['a team’s API key',           () => team.get(path),                                               401],
    ];
    for (const [what, call, status] of rows) expect([what, (await call()).status]).toEqual([what, status]);
    expect((await first()).team_id_allowlist).toEqual([team.tenant.teamId]);
  });

  it('show a Team Management Key only its own team', async () => {
    const { id } = await first();
    await allow(id, [team.tenant.teamId, other]);
    const accounts = await listed(`?team_id=${team.tenant.teamId}`, teamKey);
    expect(accounts.find((account) => account.id === id)?.team_id_allowlist).toEqual([team.tenant.teamId]);
    await allow(id, [team.tenant.teamId]);
  });
});
