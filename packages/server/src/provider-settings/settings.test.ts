import { describe, expect, it } from 'vitest';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { inTenant } from '../app.ts';
import { createTeam } from '../identity/management/management.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { getHistoricalDays, findScopeRequirements, getSourceOrder } from './provider-settings.ts';

const service = useTestService();

const within = <T>(team: TestTeam, run: (work: Work) => Promise<T>, environment: Environment = 'sandbox') =>
  inTenant(service.app, { ...team.tenant, environment }, run);
const days = (historical_days_to_pull: number) => ({ historical_days_to_pull });
const shown = (count: number) => ({ historical_days_to_pull: count, historical_days_to_pull_limit: 730 });

describe('data pull preferences', () => {
  const at = (team: TestTeam, query = '') =>
    `/v1/org/${team.orgId}/team_data_pull_preferences/sandbox/us${query}`;
  const set = (team: TestTeam, providers: unknown, team_ids: unknown = [team.tenant.teamId]) =>
    team.management.post(at(team), { team_ids, providers });
  const list = async (team: TestTeam, query = '') => (await team.management.get(at(team, query))).json;

  it('define how much history of a resource is pulled', async () => {
    const team = await service.team();
    const oura = { default: days(30), resource_overrides: { sleep: days(0), heartrate: days(7) } };
    const made = await set(team, { oura, fitbit: { default: days(730) } });
    const view = {
      team_id: team.tenant.teamId,
      providers: {
        oura: { default: shown(30), resource_overrides: { sleep: shown(0), heartrate: shown(7) } },
        fitbit: { default: shown(730), resource_overrides: null },
      },
    };
    expect(made.json).toEqual({ data_pull_preferences: [view], next_cursor: null });
    expect(await list(team)).toEqual(made.json);
    const asked = (provider: string, resource: string, environment?: Environment) =>
      within(team, (work) => getHistoricalDays(work, { provider, resource }), environment);
    expect(await asked('oura', 'sleep')).toBe(0);
    expect(await asked('oura', 'body')).toBe(30);
    expect(await asked('fitbit', 'sleep')).toBe(730);
    expect(await asked('garmin', 'sleep')).toBeUndefined();
    expect(await asked('oura', 'sleep', 'production')).toBeUndefined();
  });

  it('are replaced for the named providers, and deleted for some or for all', async () => {
    const team = await service.team();
    const own = `?team_id=${team.tenant.teamId}`;
    await set(team, {
      oura: { default: days(1), resource_overrides: { sleep: days(2) } },
      polar: { default: days(3) },
    });
    await set(team, { oura: { default: days(4) } });
    const providers = async () => (await list(team)).data_pull_preferences[0]?.providers;
    expect(await providers()).toEqual({
      oura: { default: shown(4), resource_overrides: null },
      polar: { default: shown(3), resource_overrides: null },
    });
    expect((await team.management.delete(at(team, `${own}&provider=oura`))).json).toEqual({ success: true });
    expect(Object.keys(await providers())).toEqual(['polar']);
    await team.management.delete(at(team, own));
    expect(await providers()).toBeUndefined();
  });

  it('are listed with five teams per page, or the requested limit', async () => {
    const team = await service.team();
    const ids = [team.tenant.teamId];
    for (let n = 0; n < 5; n += 1) {
      ids.push((await createTeam(service.app, { orgId: team.orgId, name: `T${n}`, region: 'us' })).id);
    }
    await set(team, { oura: { default: days(1) }, polar: { default: days(2) } }, ids);
    const first = await list(team);
    const second = await list(team, `?next_cursor=${first.next_cursor}`);
    const teams = [...first.data_pull_preferences, ...second.data_pull_preferences];
    expect(first.data_pull_preferences).toHaveLength(5);
    expect(second.next_cursor).toBeNull();
    expect(teams.map(({ team_id }) => team_id)).toEqual(ids.toSorted());
    expect((await list(team, '?limit=6')).next_cursor).toBeNull();
    const some = await list(team, `?team_id=${ids[1]}&provider=polar`);
    expect(some.data_pull_preferences).toEqual([
      { team_id: ids[1], providers: { polar: { default: shown(2), resource_overrides: null } } },
    ]);
  });

  // prettier-ignore
  it.each([
    ['no team',                  { oura: { default: days(1) } }, []],
    ['an unknown provider',      { nobody: { default: days(1) } }, undefined],
    ['a device',                 { beurer_ble: { default: days(1) } }, undefined],
    ['an unknown resource',      { oura: { default: days(1), resource_overrides: { mood: days(1) } } }, undefined],
    ['too many days',            { oura: { default: days(731) } }, undefined],
    ['days before today',        { oura: { default: days(-1) } }, undefined],
    ['half a day',               { oura: { default: days(0.5) } }, undefined],
    ['no default',               { oura: {} }, undefined],
  ])('are not taken with %s', async (_what, providers, teams) => {
    const team = await service.team();
    expect((await set(team, providers, teams)).status).toBe(422);
    expect((await list(team)).data_pull_preferences).toEqual([]);
  });

  it('are set for all the teams or none', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const both = [team.tenant.teamId, other.tenant.teamId];
    expect((await set(team, { oura: { default: days(1) } }, both)).status).toBe(404);
    expect((await list(team)).data_pull_preferences).toEqual([]);
  });
});

describe('scope requirements', () => {
  const at = (team: TestTeam, query = '') =>
    `/v1/org/${team.orgId}/team/${team.tenant.teamId}/scope_requirements${query}`;
  const fitbit = { user_must_grant: ['sleep', 'heartrate'], user_may_grant: ['weight'] };

  it('apply to both environments until they are removed', async () => {
    const team = await service.team();
    const oura = { user_must_grant: [], user_may_grant: ['daily'] };
    const made = await team.management.post(at(team), { fitbit, oura });
    const view = (provider: string, given: object) => ({ team_id: team.tenant.teamId, provider, ...given });
    expect(made.json.requirements).toEqual([view('fitbit', fitbit), view('oura', oura)]);
    expect((await team.management.get(at(team))).json).toEqual(made.json);
    expect((await team.management.get(at(team, '?provider=oura'))).json.requirements).toHaveLength(1);
    for (const environment of ['sandbox', 'production'] as const) {
      const asked = await within(team, (work) => findScopeRequirements(work, 'fitbit'), environment);
      expect(asked).toEqual({ mustGrant: fitbit.user_must_grant, mayGrant: fitbit.user_may_grant });
    }
    const after = await team.management.post(at(team), { fitbit: null });
    expect(after.json.requirements).toEqual([view('oura', oura)]);
    expect(await within(team, (work) => findScopeRequirements(work, 'fitbit'))).toBeUndefined();
  });

  // prettier-ignore
  it.each([
    ['a scope of another provider', { oura: { user_must_grant: ['weight'], user_may_grant: [] } }],
    ['a scope twice',               { oura: { user_must_grant: ['daily', 'daily'], user_may_grant: [] } }],
    ['a scope that must and may',   { oura: { user_must_grant: ['daily'], user_may_grant: ['daily'] } }],
    ['half of it',                  { oura: { user_must_grant: ['daily'] } }],
  ])('are not taken with %s', async (_what, body) => {
    const team = await service.team();
    expect((await team.management.post(at(team), { fitbit, ...body })).status).toBe(422);
    expect((await team.management.get(at(team))).json.requirements).toEqual([]);
  });
});

describe('source priorities', () => {
  const PATH = '/v2/team/source/priorities';
  const place = (data_type: string, provider: string, priority: number | null) => ({
    data_type,
    provider,
    priority,
  });

  it('define the order of the providers, and can be changed one by one', async () => {
    const team = await service.team();
    expect((await team.get(PATH)).json).toEqual([]);
    await team.patch(PATH, [
      place('sleep', 'oura', 1),
      place('sleep', 'fitbit', 2),
      place('body', 'withings', 1),
    ]);
    const swapped = await team.patch(PATH, [place('sleep', 'oura', 2), place('sleep', 'fitbit', 1)]);
    const rows = [place('body', 'withings', 1), place('sleep', 'fitbit', 1), place('sleep', 'oura', 2)];
    const views = rows.map((row) => ({ team_id: team.tenant.teamId, ...row }));
    expect(swapped.json).toEqual(views);
    expect((await team.patch(PATH)).json).toEqual(views);
    expect((await team.get(`${PATH}?data_type=sleep`)).json).toEqual(views.slice(1));
    expect(await within(team, (work) => getSourceOrder(work, 'sleep'))).toEqual(['fitbit', 'oura']);
    expect(await within(team, (work) => getSourceOrder(work, 'sleep'), 'production')).toEqual([]);
    await team.patch(PATH, [place('sleep', 'fitbit', null)]);
    expect(await within(team, (work) => getSourceOrder(work, 'sleep'))).toEqual(['oura']);
  });

  it('give a priority to one provider only, even with concurrent changes', async () => {
    const team = await service.team();
    const ask = (provider: string) => team.patch(PATH, [place('activity', provider, 1)]);
    const answers = await Promise.all(['oura', 'fitbit', 'garmin'].map(ask));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
    expect((await team.get(PATH)).json).toHaveLength(1);
  });

  it.each([
    [[place('mood', 'oura', 1)]],
    [[place('sleep', 'nobody', 1)]],
    [[place('sleep', 'oura', 0)]],
    [{ sleep: ['oura'] }],
  ])('are not taken: %o', async (body) => {
    const team = await service.team();
    expect((await team.patch(PATH, body)).status).toBe(422);
  });
});

it('returns the URL of the webhook documentation', async () => {
  const team = await service.team();
  const { url } = (await team.get('/v2/team/svix/url')).json;
  const { pathname, hash } = new URL(url);
  const page = await team.get(pathname);
  expect(page.text).toContain(`id="${hash.slice(1)}"`);
});
