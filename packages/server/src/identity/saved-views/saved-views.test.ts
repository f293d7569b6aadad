import { describe, expect, it } from 'vitest';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { ApiClient, TestTeam } from '../../../test/service.ts';

const service = useTestService();
const VIEWS = '/v1/saved-views';
const lost = { page: 'orders', name: 'Lost kits', filters: { status: ['lost'], search_input: 'Lovelace' } };

let people = 0;
/** A member of the team, whose requests name it. */
async function openMember(team: TestTeam, role: string): Promise<{ id: string; client: ApiClient }> {
  const email = `person-${(people += 1)}@example.com`;
  const roles = [{ role, team_id: team.tenant.teamId }];
  const id = await joinOrganization(service, team, { email, role: 'no_role', roles });
  const client = await signedIn(service, id);
  const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
  return {
    id,
    client: {
      get: (url) => client.get(url, headers),
      post: (url, body) => client.post(url, body, headers),
      patch: (url, body) => client.patch(url, body, headers),
      put: (url, body) => client.put(url, body, headers),
      delete: (url) => client.delete(url, headers),
    },
  };
}

const namesOf = async (caller: ApiClient, query = ''): Promise<string[]> =>
  (await caller.get(`${VIEWS}${query}`)).json.data.map(({ name }: { name: string }) => name);

describe('saved views', () => {
  it('are created, listed by page, changed and deleted by a member of any role', async () => {
    const team = await service.team();
    for (const role of ['readonly', 'support']) {
      const { client } = await openMember(team, role);
      const made = await client.post(VIEWS, lost);
      expect(made.json).toMatchObject(lost);
      await client.post(VIEWS, { page: 'users', name: 'New', filters: {} });
      expect(await namesOf(client)).toEqual(['Lost kits', 'New']);
      expect(await namesOf(client, '?page=users')).toEqual(['New']);
      const path = `${VIEWS}/${made.json.id}`;
      const changed = await client.patch(path, { name: 'Lost' });
      expect(changed.json).toMatchObject({ name: 'Lost', filters: lost.filters });
      expect((await client.patch(path, { filters: { a: 'b' } })).json.filters).toEqual({ a: 'b' });
      expect((await client.delete(path)).json.name).toBe('Lost');
      expect((await client.delete(path)).status).toBe(404);
      expect(await namesOf(client)).toEqual(['New']);
    }
  });

  it('are seen by their owner only: another member, a key and another team see none', async () => {
    const team = await service.team();
    const [one, other] = [await openMember(team, 'operations'), await openMember(team, 'administrator')];
    const { json } = await one.client.post(VIEWS, lost);
    for (const caller of [other.client, team, await service.team()]) {
      expect(await namesOf(caller)).toEqual([]);
      expect((await caller.patch(`${VIEWS}/${json.id}`, { name: 'x' })).status).toBe(404);
      expect((await caller.delete(`${VIEWS}/${json.id}`)).status).toBe(404);
    }
    await team.post(VIEWS, { ...lost, name: 'Of the key' });
    expect(await namesOf(team)).toEqual(['Of the key']);
    expect(await namesOf(one.client)).toEqual(['Lost kits']);
  });

  it('are stored encrypted, and removed with the member', async () => {
    const team = await service.team();
    const { id, client } = await openMember(team, 'operations');
    await client.post(VIEWS, lost);
    const read = async () =>
      (
        await service.ownerPool.query<{ line: string }>(
          `select concat(encode(document, 'escape'), v::text) as line from saved_view v where member_id = $1`,
          [id],
        )
      ).rows;
    expect(await read()).toHaveLength(1);
    expect(JSON.stringify(await read())).not.toMatch(/lost kits|lovelace/i);
    await team.management.delete(`/v1/org/${team.orgId}/member/${id}`);
    expect(await read()).toEqual([]);
  });

  it('are at most a hundred', async () => {
    const team = await service.team();
    for (let index = 0; index < 100; index += 1) await team.post(VIEWS, lost);
    expect(await team.post(VIEWS, lost)).toMatchObject({ status: 409 });
    expect(await namesOf(team)).toHaveLength(100);
  });

  it.each([
    ['a page with other characters', { page: 'Orders?' }],
    ['an empty name', { name: ' ' }],
    ['a filter that is no text', { filters: { size: 5 } }],
    ['a text that is too long', { filters: { a: 'x'.repeat(501) } }],
    [
      'too many filters',
      { filters: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`f${at}`, ''])) },
    ],
    ['an unknown field', { color: 'red' }],
  ])('refuse %s', async (_what, change) => {
    const team = await service.team();
    expect((await team.post(VIEWS, { ...lost, ...change })).status).toBe(422);
  });
});
