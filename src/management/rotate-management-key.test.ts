import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { DAY, HOUR, later } from '../platform/clock.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const keysOf = (team: TeamInHand) => `/v1/org/${team.orgId}/management_key`;
const inHours = (hours: number) => later(house.clock.now(), hours * HOUR).toISOString();
const statusOf = async (team: TeamInHand, key: string) =>
  (await house.caller({ 'x-management-key': key }).get(keysOf(team))).status;
const make = async (team: TeamInHand, more: object = {}) =>
  (await team.management.post(keysOf(team), { label: 'k', role: 'org_admin', ...more })).json;
const rotate = (team: TeamInHand, id: string, body: object = {}) =>
  team.management.post(`${keysOf(team)}/${id}/rotate`, body);

describe('a management key with an end', () => {
  it('opens nothing any more when it is over, and says in the list when that is', async () => {
    const team = await house.team();
    const made = await make(team, { expires_at: inHours(2) });
    expect(Date.parse(made.expires_at)).toBe(later(house.clock.now(), 2 * HOUR).getTime());
    expect(await statusOf(team, made.key)).toBe(200);
    house.clock.move(2 * HOUR - 1);
    expect(await statusOf(team, made.key)).toBe(200);
    house.clock.move(1);
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

  it('is not what an organization could be left with', async () => {
    const team = await house.team();
    const made = await make(team, { expires_at: inHours(24) });
    const [lasting] = (await team.management.get(keysOf(team))).json.data;
    expect((await team.management.delete(`${keysOf(team)}/${lasting.id}`)).status).toBe(409);
    expect((await rotate(team, lasting.id, { expires_at: inHours(24) })).status).toBe(409);
    expect((await team.management.delete(`${keysOf(team)}/${made.id}`)).status).toBe(200);
  });
});

describe('the rotation of a management key', () => {
  it('makes one like it, beside which the old one goes on for a while', async () => {
    const team = await house.team();
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
    // A Team Management Key is let in, and told that this list is not for it.
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([403, 403]);
    house.clock.move(HOUR);
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([401, 403]);
    const log = await team.management.get(`/v1/org/${team.orgId}/audit_log?subject=${old.id}`);
    expect(log.json.data[0]).toMatchObject({
      action: 'management_key.rotate',
      after: { replaced_by: next.id },
    });
  });

  it('wants no body', async () => {
    const team = await house.team();
    const old = await make(team);
    const next = await team.management.post(`${keysOf(team)}/${old.id}/rotate`);
    expect([next.status, next.json.label]).toEqual([200, 'k']);
  });

  it('of the last one without an end is not done at once, so that a lost answer locks nobody out', async () => {
    const team = await house.team();
    const [{ id }] = (await team.management.get(keysOf(team))).json.data;
    expect((await rotate(team, id, { overlap_hours: 0 })).status).toBe(409);
    expect(await statusOf(team, team.managementKey)).toBe(200);
    const another = await make(team);
    expect((await rotate(team, id, { overlap_hours: 0 })).status).toBe(200);
    expect([await statusOf(team, team.managementKey), await statusOf(team, another.key)]).toEqual([401, 200]);
  });

  it('does not make an old key live longer, and wants to know the end of the new one', async () => {
    const team = await house.team();
    const old = await make(team, { expires_at: inHours(2) });
    expect((await rotate(team, old.id)).status).toBe(422);
    const next = (await rotate(team, old.id, { expires_at: inHours(72) })).json;
    house.clock.move(2 * HOUR);
    expect([await statusOf(team, old.key), await statusOf(team, next.key)]).toEqual([401, 200]);
    house.clock.move(3 * DAY);
    expect((await rotate(team, next.id, { expires_at: inHours(1) })).status).toBe(409);
    expect((await rotate(team, next.id.replace(/.$/, 'x'))).status).toBe(422);
  });

  it('happens once, however many ask at once', async () => {
    const team = await house.team();
    const { id } = await make(team);
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(team, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });
});
