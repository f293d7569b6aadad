import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();

const keysOf = (team: TestTeam, environment = 'sandbox') =>
  `/v1/org/${team.orgId}/team_api_keys/${environment}/us`;

describe('team API keys', () => {
  it('are valid once they are created, and each invalid once it is revoked', async () => {
    const team = await service.team();
    const made = await team.management.post(keysOf(team), { label: ' Second ', team_id: team.tenant.teamId });
    expect(made.json).toMatchObject({ label: 'Second', team_id: team.tenant.teamId });
    const caller = service.client({ 'x-service-api-key': made.json.value });
    expect((await caller.get('/v2/user')).status).toBe(200);

    const unknown = '01900000-0000-7000-8000-000000000000';
    const query = `?api_key_id=${made.json.id}&api_key_id=${unknown}&api_key_id=${unknown}`;
    const inProduction = await team.management.delete(keysOf(team, 'production') + query);
    expect(inProduction.json).toEqual({ success: [], failure: [], not_found: [made.json.id, unknown] });
    const gone = await team.management.delete(keysOf(team) + query);
    expect(gone.json).toEqual({ success: [made.json.id], failure: [], not_found: [unknown] });
    expect((await caller.get('/v2/user')).status).toBe(401);
    expect((await team.get('/v2/user')).status).toBe(200);
    expect((await team.management.delete(keysOf(team) + query)).json.success).toEqual([]);
  });

  it('are listed masked, those of the environment only', async () => {
    const team = await service.team();
    const { json } = await team.management.get(keysOf(team));
    expect(json.next_cursor).toBeNull();
    expect(json.api_keys).toHaveLength(1);
    expect(json.api_keys[0].value).toMatch(/^sk_us_\w{4}\*{8}$/);
    expect(team.key.startsWith(json.api_keys[0].value.replaceAll('*', ''))).toBe(true);
    expect((await team.management.get(keysOf(team, 'production'))).json.api_keys).toEqual([]);
  });

  it('of production are created for production', async () => {
    const team = await service.team();
    const body = { label: 'Live', team_id: team.tenant.teamId };
    const { json } = await team.management.post(keysOf(team, 'production'), body);
    expect(json.value).toMatch(/^pk_us_/);
    const userId = await team.user();
    const caller = service.client({ 'x-service-api-key': json.value });
    expect((await caller.get('/v2/user')).json.total).toBe(0);
    expect((await caller.get(`/v2/user/${userId}`)).status).toBe(404);
  });

  it('disappear from the list with their team', async () => {
    const team = await service.team();
    await team.management.delete(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`);
    expect((await team.management.get(keysOf(team))).json.api_keys).toEqual([]);
    expect((await team.management.get(`${keysOf(team)}?team_id=${team.tenant.teamId}`)).status).toBe(404);
  });

  it('are listed in pages', async () => {
    const team = await service.team();
    const body = (place: number) => ({ label: `Key ${place}`, team_id: team.tenant.teamId });
    await Promise.all(
      Array.from({ length: 100 }, (_, place) => team.management.post(keysOf(team), body(place))),
    );
    const first = (await team.management.get(keysOf(team))).json;
    const second = (await team.management.get(`${keysOf(team)}?next_cursor=${first.next_cursor}`)).json;
    const ids = [...first.api_keys, ...second.api_keys].map((key: { id: string }) => key.id);
    expect([new Set(ids).size, second.next_cursor]).toEqual([101, null]);
  });
});
