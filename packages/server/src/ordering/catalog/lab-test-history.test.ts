import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import type { ApiClient } from '../../../test/service.ts';
import { approveLabTest } from './catalog.ts';

const service = useTestService();
const team = useTestTeam(service);

interface Entry {
  readonly action: string;
  readonly name: string;
  readonly status: string;
  readonly request_id: string | null;
}

const panel = async (caller: ApiClient, more: object = {}) => {
  const { json } = await caller.get('/v3/lab_tests/markers?lab_slug=labcorp&a_la_carte_enabled=true&size=2');
  const marker_ids = json.markers
    .filter(({ is_orderable: isOrderable }: { is_orderable: boolean }) => isOrderable)
    .map(({ id }: { id: number }) => id);
  return { name: 'First', method: 'walk_in_test', description: 'Ours', marker_ids, ...more };
};

const create = async (more: object = {}, headers: Record<string, string> = {}) =>
  team.post('/v3/lab_tests', await panel(team, more), headers);

const historyOf = async (id: string, caller: ApiClient = team) =>
  (await caller.get(`/v3/lab_tests/${id}/history`)).json;

const linesOf = ({ data }: { data: Entry[] }) =>
  data.map(({ action, name, status, request_id: request }) => [action, name, status, request]);

describe('the history of a lab test', () => {
  it('has its creation and every change with the request that made it, newest first', async () => {
    const { id } = (await create({}, { 'x-request-id': 'made' })).json;
    const change = (body: object, cause: string) =>
      team.patch(`/v3/lab_tests/${id}`, body, { 'x-request-id': cause });
    expect((await change({ name: 'Second', active: false }, 'both')).status).toBe(200);
    expect((await change({ name: 'Second' }, 'nothing')).status).toBe(200);
    expect((await change({ active: true }, 'back')).status).toBe(200);
    expect(linesOf(await historyOf(id))).toEqual([
      ['activated', 'Second', 'active', 'back'],
      ['retired', 'Second', 'inactive', 'both'],
      ['renamed', 'Second', 'active', 'both'],
      ['created', 'First', 'active', 'made'],
    ]);
  });

  it('begins with the creation of a lab test that is older than the record', async () => {
    const [walkIn] = (await team.get('/v3/lab_tests?collection_method=walk_in_test&name=Standard')).json;
    expect(linesOf(await historyOf(walkIn.id))).toEqual([['created', walkIn.name, 'active', null]]);
    await team.patch(`/v3/lab_tests/${walkIn.id}`, { active: false }, { 'x-request-id': 'end' });
    expect(linesOf(await historyOf(walkIn.id))).toEqual([
      ['retired', walkIn.name, 'inactive', 'end'],
      ['created', walkIn.name, 'active', null],
    ]);
    await team.patch(`/v3/lab_tests/${walkIn.id}`, { active: true });
  });

  it('has the approval of the operator', async () => {
    const { createTeamKey } = await import('../../identity/management/management.ts');
    const tenant = { teamId: team.tenant.teamId, environment: 'production' as const };
    const { value } = await createTeamKey(service.app, { tenant, label: 'production' });
    const production = service.client({ 'x-service-api-key': value });
    const { id } = (await production.post('/v3/lab_tests', await panel(production))).json;
    await approveLabTest(service.app, id);
    const actions = (await historyOf(id, production)).data.map(({ action, status }: Entry) => [
      action,
      status,
    ]);
    expect(actions).toEqual([
      ['approved', 'active'],
      ['created', 'pending_approval'],
    ]);
  });

  it('is not that of another team', async () => {
    const other = await service.team();
    const { id } = (await create()).json;
    expect((await other.get(`/v3/lab_tests/${id}/history`)).status).toBe(404);
    const foreign = await other.post('/v3/lab_tests', await panel(other, { version_of: id }));
    expect(foreign).toMatchObject({ status: 404, json: { detail: 'Lab test not found' } });
  });
});

describe('a new version of a lab test', () => {
  it('names the one before it, and retires it if it is asked to', async () => {
    const first = (await create()).json;
    const second = (await create({ name: 'Next', version_of: first.id })).json;
    expect((await team.get(`/v3/lab_tests/${first.id}`)).json.status).toBe('active');
    const third = (
      await create(
        { name: 'Last', version_of: second.id, retire_previous: true },
        { 'x-request-id': 'replaced' },
      )
    ).json;
    for (const { id } of [first, second, third]) {
      const { versions } = await historyOf(id);
      expect(versions).toMatchObject([
        { id: first.id, status: 'active', version_of: null },
        { id: second.id, status: 'inactive', version_of: first.id },
        { id: third.id, status: 'active', version_of: second.id },
      ]);
    }
    expect(linesOf(await historyOf(second.id))[0]).toEqual(['retired', 'Next', 'inactive', 'replaced']);
  });

  it('is refused where it makes no sense, and nothing is retired', async () => {
    expect(await create({ retire_previous: true })).toMatchObject({
      status: 400,
      json: { detail: 'retire_previous needs version_of' },
    });
    const { id } = (await create()).json;
    const refused = await create({
      version_of: id,
      retire_previous: true,
      method: 'testkit',
      marker_ids: [1],
    });
    expect(refused.status).toBe(404);
    expect((await team.get(`/v3/lab_tests/${id}`)).json.status).toBe('active');
  });
});
