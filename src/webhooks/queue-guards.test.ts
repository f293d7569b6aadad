import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksIn, numbersOf, until, type Hook } from '../../test/hook.ts';
import { openHouse, type House } from '../../test/house.ts';

let house: House;
let hooks: ReturnType<typeof hooksIn>;
beforeAll(async () => {
  house = await openHouse();
  hooks = hooksIn(house);
});
afterAll(async () => {
  await house.close();
  await hooks.close();
});

const LATE_MS = 300;

const rowsOf = async ({ id }: Hook) =>
  (
    await house.owner.query<{ status: string; attempts: number }>(
      'select status, attempts from webhook_delivery where endpoint_id = $1',
      [id],
    )
  ).rows;

describe('what another process wrote while a message was on its way', () => {
  it.each([200, 500])('stands, though the message is answered with %i', async (status) => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    hook.receiver.answer = () => ({ status, afterMs: LATE_MS });
    await hooks.say(team, 1);
    await until(() => hook.receiver.received.length === 1);
    await house.owner.query(
      `update webhook_delivery set status = 'failed', finished_at = $2 where endpoint_id = $1`,
      [hook.id, house.clock.now()],
    );
    const other = await hooks.hook(team, { filter_types: ['test.*'] });
    await hooks.say(team, 2);
    await until(() => numbersOf(other).length === 1 && numbersOf(hook).length === 2);
    await house.settle();
    const failed = (await rowsOf(hook)).filter((row) => row.status === 'failed');
    expect(failed).toEqual([{ status: 'failed', attempts: 0 }]);
    const { json } = await team.management.get(`${hook.path}/attempt?limit=100`);
    // The attempt at the second message alone.
    expect(json.data).toHaveLength(1);
  });
});

describe('a bundle', () => {
  it('is not sent while its endpoint is disabled, and is sent when it no longer is', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const numbers = Array.from({ length: 10 }, (_, n) => n);
    await house.owner.query('update webhook_endpoint set rate_limit = null where id = $1', [hook.id]);
    const client = await house.owner.connect();
    try {
      await client.query(`select pg_advisory_lock(hashtextextended('aliquot.webhooks.claim', 0))`);
      await hooks.say(team, ...numbers);
      await until(async () => {
        const { rowCount } = await client.query('select from webhook_bundle where endpoint_id = $1', [
          hook.id,
        ]);
        return rowCount === 1;
      });
      // Without a word to the queue, as if the two met.
      await client.query('update webhook_endpoint set disabled_at = now() where id = $1', [hook.id]);
    } finally {
      await client.query('select pg_advisory_unlock_all()');
      client.release();
    }
    const other = await hooks.hook(team, { filter_types: ['test.*'] });
    await hooks.say(team, 10);
    await until(() => numbersOf(other).length === 1);
    expect(numbersOf(hook)).toEqual([]);
    await house.owner.query('update webhook_endpoint set disabled_at = null where id = $1', [hook.id]);
    await house.settle();
    expect(
      numbersOf(hook)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(expect.arrayContaining(numbers));
  });
});
