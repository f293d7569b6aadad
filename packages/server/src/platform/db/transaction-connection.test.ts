import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { DomainError } from '../errors.ts';
import { runOnce } from '../http/idempotency.ts';
import { defer, inTenant, readTenant, type Work } from '../work.ts';
import { DRIVER_NAMES } from './driver.ts';
import { insertRow } from './insert-row.ts';

describe.each(DRIVER_NAMES)('with the %s driver', (driver) => {
  let service: TestService;
  let mine: TestTeam;
  let other: TestTeam;
  beforeAll(async () => {
    // Few connections, so that leftovers of one work would meet the next one.
    service = await openTestService({ DATABASE_POOL: '2', DATABASE_DRIVER: driver });
    mine = await service.team();
    other = await service.team();
  });
  afterAll(() => service.close());

  const STATEMENTS = 20;
  const OVER = 'The work has ended: it can send no more statements';

  const settings = async ({ tx }: Work) => {
    const { rows } = await sql<{ team: string; writes: boolean }>`
      select current_setting('aliquot.team_id') as team, current_setting('transaction_read_only') = 'off' as writes
      where ${1} = 1`.execute(tx);
    return rows[0];
  };

  /** Keeps sending queries next to a failing one. Returns how it ended. */
  async function goOn(work: Work): Promise<string> {
    try {
      for (let n = 0; n < STATEMENTS; n += 1) await settings(work);
      return 'done';
    } catch (error) {
      return String(error);
    }
  }

  // prettier-ignore
  const works: [string, () => typeof inTenant][] = [
    ['writes', () => inTenant],
    ['reads',  () => readTenant],
  ];

  describe('code that still runs after its work has ended', () => {
    it.each(works)(
      'sends nothing into the work of another team, after a failure: of one that %s',
      async (_name, open) => {
        const ended: Promise<string>[] = [];
        const failed = open()(service.app, mine.tenant, async (work) => {
          ended.push(goOn(work));
          await settings(work);
          throw new DomainError('not_found', 'This is not there');
        });
        await expect(failed).rejects.toThrow('This is not there');
        const seen = await inTenant(service.app, other.tenant, async (work) => {
          const all = [];
          for (let n = 0; n < STATEMENTS; n += 1) all.push(await settings(work));
          return all;
        });
        expect(seen).toEqual(seen.map(() => ({ team: other.tenant.teamId, writes: true })));
        expect(await Promise.all(ended)).toEqual([`Error: ${OVER}`]);
      },
    );

    it.each(works)('sends nothing after a success either: of one that %s', async (_name, open) => {
      const works: Work[] = [];
      await open()(service.app, mine.tenant, async (work) => {
        works.push(work);
        await settings(work);
      });
      const [work] = works;
      if (!work) throw new Error('There was no work');
      expect(await goOn(work)).toBe(`Error: ${OVER}`);
      const row = insertRow('order_transaction', {
        team_id: mine.tenant.teamId,
        environment: mine.tenant.environment,
        id: mine.tenant.teamId,
        user_id: mine.tenant.teamId,
        created_at: work.now,
      });
      expect(() => defer(work, row)).toThrow(OVER);
    });

    it('writes nothing after the stored response of an idempotency key', async () => {
      const request = {
        operation: 'op',
        key: 'key',
        hash: Buffer.alloc(32),
        forgetErrors: false,
        keepHours: 1,
      };
      const ended: Promise<unknown>[] = [];
      const write = async ({ tx, tenant }: Work) => {
        for (let n = 0; n < STATEMENTS; n += 1) {
          await tx
            .updateTable('app_user')
            .set({ client_user_id: `behind ${n}` })
            .where('team_id', '=', tenant.teamId)
            .execute();
        }
      };
      const user = await mine.user('before');
      const refuse = () =>
        inTenant(service.app, mine.tenant, (work) =>
          runOnce(work, request, async (part) => {
            ended.push(write(part).catch(String));
            await settings(part);
            throw new DomainError('not_found', 'This is not there');
          }),
        );
      expect(await refuse()).toMatchObject({ status: 404 });
      expect(await Promise.all(ended)).toEqual([`Error: ${OVER}`]);
      expect((await mine.get(`/v2/user/${user}`)).json.client_user_id).toBe('before');
      expect(await refuse()).toMatchObject({ status: 404, headers: { 'idempotency-replayed': 'true' } });
    });
  });
});
