import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitingForLocks } from '../../test/locks.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { DAY, later, MINUTE, SECOND } from '../platform/clock.ts';
import { forgetKeys } from './gate.ts';
import { keyJobs } from './key-life.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

/** A key of each kind: the table in which it is, and what it is asked for. */
const KINDS = [
  ['api_key', () => team.get(`/v2/team/${team.tenant.teamId}`)],
  ['management_key', () => team.management.get(`/v1/org/${team.orgId}`)],
] as const;

describe.each(KINDS)('what is remembered of an %s', (table, ask) => {
  /** Nobody can read the table until `meanwhile` is over. */
  async function locked(meanwhile: () => Promise<void>): Promise<void> {
    const client = await house.owner.connect();
    try {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      await meanwhile();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('lets it in without a look at the database', async () => {
    forgetKeys(house.app);
    expect((await ask()).status).toBe(200);
    await locked(async () => expect((await ask()).status).toBe(200));
  });

  it('is nothing, if keys were forgotten while it was looked up', async () => {
    forgetKeys(house.app);
    let asked: ReturnType<typeof ask> | undefined;
    await locked(async () => {
      asked = ask();
      await expect.poll(() => waitingForLocks(house, `%${table}%`)).toBe(1);
      forgetKeys(house.app);
    });
    expect((await asked)?.status).toBe(200);
    await locked(async () => {
      const again = ask();
      await expect.poll(() => waitingForLocks(house, `%${table}%`)).toBe(1);
      void again;
    });
  });
});

describe('the end of a key', () => {
  const keysPath = () => `/v1/org/${team.orgId}/team_api_keys/sandbox/us`;

  it('is told by jobs whose names older versions have put into the queue', () => {
    expect(keyJobs.map(({ name }) => name)).toEqual([
      'management.api-key-expiring',
      'management.api-key-expired',
    ]);
  });

  it('is not told of one that was deleted before, and no job fails of it', async () => {
    const events = await team.endpoint({ filter_types: ['api_key.*'] });
    const expires_at = later(house.clock.now(), 10 * DAY).toISOString();
    const body = { label: 'Short', team_id: team.tenant.teamId, expires_at };
    const { json } = await team.management.post(keysPath(), body);
    await house.owner.query('update api_key set deleted_at = now() where id = $1', [json.id]);
    house.clock.move(11 * DAY);
    await house.settle();
    const { rows } = await house.owner.query('select last_error from graphile_worker._private_jobs');
    expect(rows.filter(({ last_error }) => last_error !== null)).toEqual([]);
    expect(events.events().filter((type) => /expir/.test(type))).toEqual([]);
  });

  it('is not told before the key ends, though a timer comes early', async () => {
    const expires_at = later(house.clock.now(), 9 * DAY).toISOString();
    const body = { label: 'Longer', team_id: team.tenant.teamId, expires_at };
    const { json } = await team.management.post(keysPath(), body);
    const later_at = later(house.clock.now(), 30 * DAY);
    await house.owner.query('update api_key set expires_at = $2 where id = $1', [json.id, later_at]);
    house.clock.move(10 * DAY);
    await house.settle();
    const { rows } = await house.owner.query(
      'select expiring_told_at, expired_told_at from api_key where id = $1',
      [json.id],
    );
    expect(rows).toEqual([{ expiring_told_at: null, expired_told_at: null }]);
  });
});

describe('an access token', () => {
  it('lives for ten minutes, and says so', async () => {
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/create_api_access_token`;
    const { json } = await team.management.post(path, { env: 'sandbox' });
    expect(json.expires_in).toBe(600);
    const caller = house.caller({ authorization: `Bearer ${json.access_token}` });
    house.clock.move(10 * MINUTE - SECOND);
    expect((await caller.get(`/v2/team/${team.tenant.teamId}`)).status).toBe(200);
    house.clock.move(SECOND);
    expect((await caller.get(`/v2/team/${team.tenant.teamId}`)).status).toBe(401);
  });
});
