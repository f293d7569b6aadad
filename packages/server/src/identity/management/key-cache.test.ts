import { describe, expect, it } from 'vitest';
import { countLockWaiters } from '../../../test/locks.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { invalidateKeyCache } from './authenticate.ts';
import { keyJobs } from './key-lifecycle.ts';

const service = useTestService();
const team = useTestTeam(service);

/** A key of each kind: its table, and a request with it. */
const KINDS = [
  ['api_key', () => team.get(`/v2/team/${team.tenant.teamId}`)],
  ['management_key', () => team.management.get(`/v1/org/${team.orgId}`)],
] as const;

describe.each(KINDS)('the cache of an %s', (table, ask) => {
  /** Locks the table until `meanwhile` is over. */
  async function locked(meanwhile: () => Promise<void>): Promise<void> {
    const client = await service.ownerPool.connect();
    try {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      await meanwhile();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('authenticates it without a database query', async () => {
    invalidateKeyCache(service.app);
    expect((await ask()).status).toBe(200);
    await locked(async () => expect((await ask()).status).toBe(200));
  });

  it('stays empty if it was invalidated during the lookup', async () => {
    invalidateKeyCache(service.app);
    let asked: ReturnType<typeof ask> | undefined;
    await locked(async () => {
      asked = ask();
      await expect.poll(() => countLockWaiters(service, `%${table}%`)).toBe(1);
      invalidateKeyCache(service.app);
    });
    expect((await asked)?.status).toBe(200);
    await locked(async () => {
      const again = ask();
      await expect.poll(() => countLockWaiters(service, `%${table}%`)).toBe(1);
      void again;
    });
  });
});

describe('the expiry of a key', () => {
  const keysPath = () => `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;

  it('uses the job names that older versions have put into the queue', () => {
    expect(keyJobs.map(({ name }) => name)).toEqual([
      'management.api-key-expiring',
      'management.api-key-expired',
    ]);
  });

  it('emits no event for a deleted key, and no job fails', async () => {
    const events = await team.endpoint({ filter_types: ['api_key.*'] });
    const expires_at = later(service.clock.now(), 10 * DAY).toISOString();
    const body = { label: 'Short', team_id: team.tenant.teamId, expires_at };
    const { json } = await team.management.post(keysPath(), body);
    await service.ownerPool.query('update api_key set deleted_at = now() where id = $1', [json.id]);
    service.clock.move(11 * DAY);
    await service.settle();
    const { rows } = await service.ownerPool.query('select last_error from graphile_worker.jobs');
    expect(rows.filter(({ last_error }) => last_error !== null)).toEqual([]);
    expect(events.events().filter((type) => /expir/.test(type))).toEqual([]);
  });

  it('emits no event before the key expires, even if a timer fires early', async () => {
    const expires_at = later(service.clock.now(), 9 * DAY).toISOString();
    const body = { label: 'Longer', team_id: team.tenant.teamId, expires_at };
    const { json } = await team.management.post(keysPath(), body);
    const later_at = later(service.clock.now(), 30 * DAY);
    await service.ownerPool.query('update api_key set expires_at = $2 where id = $1', [json.id, later_at]);
    service.clock.move(10 * DAY);
    await service.settle();
    const { rows } = await service.ownerPool.query(
      'select expiring_told_at, expired_told_at from api_key where id = $1',
      [json.id],
    );
    expect(rows).toEqual([{ expiring_told_at: null, expired_told_at: null }]);
  });
});

describe('an access token', () => {
  it('is valid for ten minutes, as its response says', async () => {
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/create_api_access_token`;
    const { json } = await team.management.post(path, { env: 'sandbox' });
    expect(json.expires_in).toBe(600);
    const caller = service.client({ authorization: `Bearer ${json.access_token}` });
    service.clock.move(10 * MINUTE - SECOND);
    expect((await caller.get(`/v2/team/${team.tenant.teamId}`)).status).toBe(200);
    service.clock.move(SECOND);
    expect((await caller.get(`/v2/team/${team.tenant.teamId}`)).status).toBe(401);
  });
});
