import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksIn, numbersOf, until, type Hook } from '../../test/hook.ts';
import { openHouse, type House } from '../../test/house.ts';
import { HOUR, later } from '../platform/clock.ts';
import { MOVED_AT_ONCE } from './move-queue.ts';

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

const LONG = MOVED_AT_ONCE + 1;

/** Messages that wait for their next try, one after the other. */
const fill = ({ id }: Hook) =>
  house.owner.query(
    `with more as (
       insert into event (team_id, environment, id, event_type, data, created_at, position)
       select e.team_id, e.environment, gen_random_uuid(), 'test.something.happened', '', $3,
         nextval('event_position_seq') from webhook_endpoint e, generate_series(1, $2::int) where e.id = $1
       returning *)
     insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
     select team_id, environment, gen_random_uuid(), $1, id, due, due, $3 from more
     cross join lateral (select $4::timestamptz + interval '1 ms' * position as due) d`,
    [id, LONG, house.clock.now(), later(house.clock.now(), HOUR)],
  );

/** While somebody has the last message of a queue in their hands. */
async function whileLastIsHeld({ id }: Hook, run: () => Promise<void>): Promise<void> {
  const client = await house.owner.connect();
  await client.query('begin');
  await client.query(
    'select from webhook_delivery where endpoint_id = $1 order by due_wall desc limit 1 for update',
    [id],
  );
  await run().finally(() => client.query('commit'));
  client.release();
}

describe('a webhook with a long queue', () => {
  it.each([
    ['is disabled', true, 'held'],
    ['is enabled again', false, 'pending'],
  ] as const)(
    'keeps no events waiting while it %s, and all its messages follow',
    async (_, disabled, status) => {
      const [team, other] = [await house.team(), await house.team()];
      const [hook, beside, elsewhere] = [
        await hooks.hook(team),
        await hooks.hook(team),
        await hooks.hook(other),
      ];
      await fill(hook);
      if (!disabled) await team.management.patch(hook.path, { disabled: true });
      await house.settle();
      await whileLastIsHeld(hook, async () => {
        expect((await team.management.patch(hook.path, { disabled })).json.disabled).toBe(disabled);
        await hooks.say(team, 1);
        await hooks.say(other, 2);
        await until(() => beside.receiver.received.length + elsewhere.receiver.received.length === 2);
      });
      await house.settle();
      expect([numbersOf(beside), numbersOf(elsewhere)]).toEqual([[1], [2]]);
      const stand = (await hooks.statusOf(hook)).filter((message) => message.status !== 'delivered');
      expect(stand).toEqual(Array.from({ length: LONG }, () => ({ status, attempts: 0 })));
    },
  );

  it('keeps no events waiting while it is deleted: nobody sees it any more, and all its messages go', async () => {
    const [team, other] = [await house.team(), await house.team()];
    const [hook, beside, elsewhere] = [
      await hooks.hook(team),
      await hooks.hook(team),
      await hooks.hook(other),
    ];
    await hooks.say(team, 0);
    await until(() => hook.receiver.received.length + beside.receiver.received.length === 2);
    await fill(hook);
    await whileLastIsHeld(hook, async () => {
      expect((await team.management.delete(hook.path)).status).toBe(204);
      expect((await team.management.get(hook.path)).status).toBe(404);
      expect((await team.management.delete(hook.path)).status).toBe(404);
      const { json } = await team.management.get(hook.path.replace(/\/[^/]*$/, ''));
      expect(json.data.map(({ id }: { id: string }) => id)).toEqual([beside.id]);
      await hooks.say(team, 1);
      await hooks.say(other, 2);
      await until(() => beside.receiver.received.length + elsewhere.receiver.received.length === 3);
    });
    await house.settle();
    expect([numbersOf(hook), numbersOf(beside), numbersOf(elsewhere)]).toEqual([[0], [0, 1], [2]]);
    expect(await hooks.statusOf(hook)).toEqual([]);
    const { rows } = await house.owner.query('select from webhook_endpoint where id = $1', [hook.id]);
    expect(rows).toEqual([]);
  });
});
