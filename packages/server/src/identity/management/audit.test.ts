import { describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();

interface AuditEntryJson {
  action: string;
  actor: string;
  subject: string;
  team_id: string | null;
  before: unknown;
  after: unknown;
}

describe('the audit log', () => {
  it('lists every change with its actor and origin, newest first and without secrets', async () => {
    const org = await service.team();
    const base = `/v1/org/${org.orgId}`;
    const call = org.management;
    const secrets = [org.key, org.managementKey];
    await call.patch(base, { name: 'Renamed' }, { 'x-request-id': 'trace-1' });
    const team = (await call.post(`${base}/team`, { name: 'Clinic', region: 'us' })).json.id;
    await call.patch(`${base}/team/${team}`, { sandbox: { reject_duplicate_connection: true } });
    const key = (await call.post(`${base}/team_api_keys/sandbox/us`, { label: 'k', team_id: team })).json;
    await call.delete(`${base}/team_api_keys/sandbox/us?api_key_id=${key.id}`);
    const manager = (await call.post(`${base}/management_key`, { label: 'm', role: 'org_admin' })).json;
    await call.patch(`${base}/management_key/${manager.id}`, { label: 'n' });
    await call.delete(`${base}/management_key/${manager.id}`);
    const token = (await call.post(`${base}/team/${team}/create_api_access_token`, { env: 'sandbox' })).json;
    await call.post(`${base}/team/${team}/sandbox/clock`, { advance_seconds: 60 });
    await call.delete(`${base}/team/${team}`);
    secrets.push(key.value, manager.key, token.access_token);

    const { json, text } = await call.get(`${base}/audit_log`);
    const mine = json.data.filter(({ actor }: AuditEntryJson) => actor !== 'service');
    expect(mine.map(({ action }: AuditEntryJson) => action)).toEqual([
      'team.delete',
      'sandbox_clock.move',
      'access_token.create',
      'management_key.delete',
      'management_key.update',
      'management_key.create',
      'team_api_key.delete',
      'team_api_key.create',
      'team.update',
      'team.create',
      'organization.update',
    ]);
    expect(mine.at(-1)).toMatchObject({
      before: { name: 'Test organization' },
      after: { name: 'Renamed' },
      address: '127.0.0.1',
      request_id: 'trace-1',
      subject: org.orgId,
    });
    const [self] = (await call.get(`${base}/management_key`)).json.data;
    expect(new Set(mine.map(({ actor }: AuditEntryJson) => actor))).toEqual(new Set([self.id]));
    const { rows } = await service.ownerPool.query(
      'select audit_log::text as line from audit_log where org_id = $1',
      [org.orgId],
    );
    const written = text + rows.map(({ line }) => line).join('\n');
    for (const secret of secrets) expect(written).not.toContain(secret.slice(-20));
  });

  it('is paged by cursor and filtered by team', async () => {
    const org = await service.team();
    const base = `/v1/org/${org.orgId}/audit_log`;
    const all: AuditEntryJson[] = (await org.management.get(base)).json.data;
    const first = (await org.management.get(`${base}?limit=2`)).json;
    const rest = (await org.management.get(`${base}?limit=100&next_cursor=${first.next_cursor}`)).json;
    expect([...first.data, ...rest.data]).toEqual(all);
    expect(rest.next_cursor).toBeNull();
    const ofTeam = (await org.management.get(`${base}?team_id=${org.tenant.teamId}`)).json.data;
    expect(ofTeam).toEqual(all.filter(({ team_id }) => team_id === org.tenant.teamId));
    expect(ofTeam.length).toBeLessThan(all.length);
  });

  it('of a deleted team is readable for Org Management Keys only', async () => {
    const [org, stranger] = [await service.team(), await service.team()];
    const base = `/v1/org/${org.orgId}`;
    const team = (await org.management.post(`${base}/team`, { name: 'Clinic', region: 'us' })).json.id;
    await org.management.delete(`${base}/team/${team}`);
    const { json } = await org.management.get(`${base}/audit_log?team_id=${team}`);
    expect(json.data.map(({ action }: AuditEntryJson) => action)).toEqual(['team.delete', 'team.create']);
    const theirs = `/v1/org/${stranger.orgId}/audit_log?team_id=${team}`;
    expect((await stranger.management.get(theirs)).status).toBe(404);
  });

  it('is not written when the change fails', async () => {
    const org = await service.team();
    // The clock of a sandbox with users does not go back.
    await org.user();
    const base = `/v1/org/${org.orgId}`;
    const count = async () => (await org.management.get(`${base}/audit_log`)).json.data.length;
    const before = await count();
    await org.management.post(`${base}/management_key`, { label: 'x', role: 'team_admin' });
    await org.management.post(`${base}/team`, { id: org.tenant.teamId, name: 'x', region: 'us' });
    await org.management.post(`${base}/team/${org.tenant.teamId}/sandbox/clock`, { advance_seconds: -1 });
    expect(await count()).toBe(before);
  });

  it('cannot be changed by the service', async () => {
    const { asSystem } = await import('../../platform/db/transact.ts');
    await service.team();
    const changing = asSystem(service.app.db, (tx) =>
      tx.updateTable('audit_log').set({ actor: 'x' }).execute(),
    );
    await expect(changing).rejects.toThrow(/permission denied/);
    const deleting = asSystem(service.app.db, (tx) => tx.deleteFrom('audit_log').execute());
    await expect(deleting).rejects.toThrow(/permission denied/);
  });
});
