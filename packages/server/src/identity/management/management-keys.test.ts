import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { createTeam } from './management.ts';

const service = useTestService();

const keysOf = (team: TestTeam) => `/v1/org/${team.orgId}/management_key`;
const binding = (...ids: string[]) => ids.map((id) => ({ team_id: id }));

describe('management keys', () => {
  it('are shown in full once, with their creator and their teams', async () => {
    const team = await service.team();
    const second = await createTeam(service.app, { orgId: team.orgId, name: 'Second', region: 'us' });
    const teams = binding(...[team.tenant.teamId, second.id].toSorted());
    const body = { label: ' Both ', role: 'team_admin', team_role_bindings: [...teams, ...teams] };
    const made = await team.management.post(keysOf(team), body);
    const { key, ...view } = made.json;
    expect(key).toMatch(/^mg_/);
    expect(view).toMatchObject({
      label: 'Both',
      role: 'team_admin',
      creator: { type: 'management_key' },
      team_role_bindings: teams,
    });
    const { json, text } = await team.management.get(keysOf(team));
    expect(json.data).toHaveLength(2);
    expect(json.data[0]).toMatchObject({
      role: 'org_admin',
      team_role_bindings: null,
      creator: { type: 'vital_staff' },
    });
    expect(json.data[1]).toEqual(view);
    expect(text).not.toContain(key);
  });

  it('are listed by team and by role', async () => {
    const team = await service.team();
    const teamId = team.tenant.teamId;
    const body = { label: 'Bound', role: 'team_admin', team_role_bindings: binding(teamId) };
    const { id } = (await team.management.post(keysOf(team), body)).json;
    const listed = async (query: string) =>
      (await team.management.get(keysOf(team) + query)).json.data.map((key: { id: string }) => key.id);
    expect(await listed(`?team_id=${teamId}`)).toEqual([id]);
    expect(await listed('?role=team_admin')).toEqual([id]);
    expect(await listed('?role=org_admin')).toHaveLength(1);
    expect(await listed(`?role=org_admin&team_id=${teamId}`)).toEqual([]);
  });

  it('are bound to teams of the organization according to their role', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const post = async (body: object) =>
      (await team.management.post(keysOf(team), { label: 'x', ...body })).status;
    const own = binding(team.tenant.teamId);
    expect(await post({ role: 'team_admin' })).toBe(400);
    expect(await post({ role: 'team_admin', team_role_bindings: [] })).toBe(400);
    expect(await post({ role: 'org_admin', team_role_bindings: own })).toBe(400);
    expect(await post({ role: 'team_admin', team_role_bindings: binding(other.tenant.teamId) })).toBe(404);
    expect(await post({ role: 'owner' })).toBe(422);
    expect(await post({ role: 'org_admin', label: ' ' })).toBe(422);
    expect((await team.management.get(keysOf(team))).json.data).toHaveLength(1);
  });

  it('can be renamed and keep their bindings', async () => {
    const team = await service.team();
    const body = { label: 'Old', role: 'team_admin', team_role_bindings: binding(team.tenant.teamId) };
    const { id, key: _key, ...made } = (await team.management.post(keysOf(team), body)).json;
    const renamed = await team.management.patch(`${keysOf(team)}/${id}`, { label: 'New' });
    expect(renamed.json).toEqual({ ...made, id, label: 'New' });
  });

  it('are invalid immediately when revoked, but the last one cannot be revoked', async () => {
    const team = await service.team();
    const made = await team.management.post(keysOf(team), { label: 'Second', role: 'org_admin' });
    const caller = service.client({ 'x-management-key': made.json.key });
    expect((await caller.get(keysOf(team))).json.data).toHaveLength(2);
    const path = `${keysOf(team)}/${made.json.id}`;
    expect((await team.management.delete(path)).json).toMatchObject({ id: made.json.id, label: 'Second' });
    expect((await caller.get(keysOf(team))).status).toBe(401);
    expect((await team.management.delete(path)).status).toBe(404);
    const [last] = (await team.management.get(keysOf(team))).json.data;
    expect((await team.management.delete(`${keysOf(team)}/${last.id}`)).status).toBe(409);
  });

  it('are listed in pages', async () => {
    const team = await service.team();
    const making = Array.from({ length: 101 }, (_, place) =>
      team.management.post(keysOf(team), { label: `Key ${place}`, role: 'org_admin' }),
    );
    await Promise.all(making);
    const first = (await team.management.get(keysOf(team))).json;
    const second = (await team.management.get(`${keysOf(team)}?next_cursor=${first.next_cursor}`)).json;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([100, 2, null]);
    const ids = [...first.data, ...second.data].map((key: { id: string }) => key.id);
    expect(new Set(ids).size).toBe(102);
    expect((await team.management.get(`${keysOf(team)}?next_cursor=nonsense`)).status).toBe(422);
  });
});
