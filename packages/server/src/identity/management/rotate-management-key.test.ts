import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';

const service = useTestService();

const keysOf = (team: TestTeam) => `/v1/org/${team.orgId}/management_key`;
const inHours = (hours: number) => later(service.clock.now(), hours * HOUR).toISOString();
const statusOf = async (team: TestTeam, key: string) =>
  (await service.client({ 'x-management-key': key }).get(keysOf(team))).status;
const make = async (team: TestTeam, more: object = {}) =>
  (await team.management.post(keysOf(team), { label: 'k', role: 'org_admin', ...more })).json;
const rotate = (team: TestTeam, id: string, body: object = {}) =>
  team.management.post(`${keysOf(team)}/${id}/rotate`, body);

describe('a management key that expires', () => {
  it('is invalid after its expiry, which the list shows', async () => {
    const team = await service.team();
    const made = await make(team, { expires_at: inHours(2) });
    expect(Date.parse(made.expires_at)).toBe(later(service.clock.now(), 2 * HOUR).getTime());
    expect(await statusOf(team, made.key)).toBe(200);
    service.clock.move(2 * HOUR - 1);
    expect(await statusOf(team, made.key)).toBe(200);
    service.clock.move(1);
    expect(await statusOf(team, made.key)).toBe(401);
    const { data } = (await team.management.get(keysOf(team))).json;
    expect(data.map(({ expires_at }: { expires_at: string | null }) => expires_at)).toEqual([
      null,
      made.expires_at,
    ]);
    const past = { label: 'k', role: 'org_admin', expires_at: inHours(-1) };
    expect((await team.management.post(keysOf(team), past)).json.detail[0].loc).toEqual([
      'body',
      'expires_at',
    ]);
  });

  it('cannot be the last one of an organization', async () => {
    const team = await service.team();
    const made = await make(team, { expires_at: inHours(24) });
    const [lasting] = (await team.management.get(keysOf(team))).json.data;
    expect((await team.management.delete(`${keysOf(team)}/${lasting.id}`)).status).toBe(409);
    expect((await rotate(team, lasting.id, { expires_at: inHours(24) })).status).toBe(409);
    expect((await team.management.delete(`${keysOf(team)}/${made.id}`)).status).toBe(200);
  });
});

describe('the rotation of a management key', () => {
  it('creates an equal key, while the old one stays valid for a while', async () => {
    const team = await service.team();
    const team_role_bindings = [{ team_id: team.tenant.teamId }];
    const old = await make(team, { role: 'team_admin', team_role_bindings });
    const next = (await rotate(team, old.id, { overlap_hours: 1 })).json;
    expect(next).toMatchObject({ label: 'k', role: 'team_admin', team_role_bindings, expires_at: null });
    expect(next.key).not.toBe(old.key);
    const { data } = (await team.management.get(`${keysOf(team)}?role=team_admin`)).json;
    expect(data).toMatchObject([
      { id: old.id, replaced_by: next.id },
      { id: next.id, replaced_by: null },
    ]);
    expect((await rotate(team, old.id)).status).toBe(409);
    // A Team Management Key is authenticated, but not permitted to read this list.
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([403, 403]);
    service.clock.move(HOUR);
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([401, 403]);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${old.id}`);
    expect(log.json.data[0]).toMatchObject({
      action: 'management_key.rotate',
      after: { replaced_by: next.id },
    });
  });

  it('works without a body', async () => {
    const team = await service.team();
    const old = await make(team);
    const next = await team.management.post(`${keysOf(team)}/${old.id}/rotate`);
    expect([next.status, next.json.label]).toEqual([200, 'k']);
  });

  it('requires an overlap for the last key without expiry, so that a lost response locks nobody out', async () => {
    const team = await service.team();
    const [{ id }] = (await team.management.get(keysOf(team))).json.data;
    expect((await rotate(team, id, { overlap_hours: 0 })).status).toBe(409);
    expect(await statusOf(team, team.managementKey)).toBe(200);
    const another = await make(team);
    expect((await rotate(team, id, { overlap_hours: 0 })).status).toBe(200);
    expect([await statusOf(team, team.managementKey), await statusOf(team, another.key)]).toEqual([401, 200]);
  });

  it('does not extend the old key, and requires the expiry of the new one', async () => {
    const team = await service.team();
    const old = await make(team, { expires_at: inHours(2) });
    expect((await rotate(team, old.id)).status).toBe(422);
    const next = (await rotate(team, old.id, { expires_at: inHours(72) })).json;
    service.clock.move(2 * HOUR);
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([401, 200]);
    service.clock.move(3 * DAY);
    expect((await rotate(team, next.id, { expires_at: inHours(1) })).status).toBe(409);
    expect((await rotate(team, next.id.replace(/.$/, 'x'))).status).toBe(422);
  });

  it('happens once for concurrent requests', async () => {
    const team = await service.team();
    const { id } = await make(team);
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(team, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });
});
