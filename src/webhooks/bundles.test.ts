import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksIn, numbersOf, somethingHappened, until, type Hook } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { openRelease } from '../../test/receiver.ts';
import { inTenant } from '../app.ts';
import { emit } from '../events/events.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { forgetAttempts } from './forget.ts';
import { startSender } from './sender.ts';

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

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const FORTY = numbers(40);

const count = async (table: 'webhook_bundle' | 'webhook_delivery', { id }: Hook): Promise<number> =>
  (await house.owner.query(`select count(*)::int from ${table} where endpoint_id = $1`, [id])).rows[0]?.count;

/** Forty messages to an endpoint that wait in bundles, while something happens; then they go. */
async function waiting(team: TeamInHand, hook: Hook, happens: () => Promise<unknown>): Promise<void> {
  await hooks.whileNobodyTakes(async () => {
    await hooks.say(team, ...FORTY);
    await until(
      async () => (await count('webhook_bundle', hook)) + (await count('webhook_delivery', hook)) >= 4,
    );
    expect(await count('webhook_bundle', hook)).toBe(4);
    await happens();
  });
  await house.settle();
}

const sorted = (values: readonly unknown[]) => values.map(Number).toSorted((a, b) => a - b);
const idsOf = ({ receiver }: Hook) => receiver.received.map(({ headers }) => String(headers['webhook-id']));
const attemptsOf = async (
  team: TeamInHand,
  { path }: Hook,
): Promise<{ message_id: string; attempt: number }[]> =>
  (await team.management.get(`${path}/attempt?limit=100`)).json.data;

describe('messages that become owed together', () => {
  it('wait in bundles, are sent once each, and leave their attempts', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, async () => expect(await count('webhook_delivery', hook)).toBe(0));
    expect(sorted(numbersOf(hook))).toEqual(FORTY);
    expect(await count('webhook_bundle', hook)).toBe(0);
    expect(await count('webhook_delivery', hook)).toBe(0);
    const attempts = await attemptsOf(team, hook);
    expect(attempts.map(({ message_id: id }) => id).toSorted()).toEqual(idsOf(hook).toSorted());
    expect(new Set(attempts.map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  it('wait by themselves when they are few, and when the endpoint has a rate limit or has failed', async () => {
    const team = await house.team();
    const few = await hooks.hook(team);
    const limited = await hooks.hook(team, { rate_limit: 100 });
    const failed = await hooks.hook(team);
    failed.receiver.answer = () => ({ status: 500 });
    await hooks.say(team, 0);
    await house.settle();
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(team, 1, 2, 3);
      await until(async () => (await count('webhook_delivery', few)) >= 3);
      expect(await count('webhook_bundle', few)).toBe(0);
      await hooks.say(team, ...numbers(20));
      await until(async () => (await count('webhook_bundle', few)) === 2);
      expect(await count('webhook_bundle', limited)).toBe(0);
      expect(await count('webhook_bundle', failed)).toBe(0);
    });
    await team.management.delete(failed.path);
    await team.management.delete(limited.path);
    await house.settle();
  });

  it('are tried again one by one, under their ids, when some of them fail', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const fails = (n: unknown) => Number(n) % 7 === 0;
    hook.receiver.answer = ({ body }) => ({ status: fails(body.data['n']) ? 500 : 200 });
    await waiting(team, hook, async () => {});
    const first = new Set(idsOf(hook));
    expect(first.size).toBe(FORTY.length);
    const statuses = await hooks.statusOf(hook);
    expect(statuses.filter(({ status }) => status === 'pending')).toEqual(
      FORTY.filter(fails).map(() => ({ status: 'pending', attempts: 1 })),
    );
    hook.receiver.answer = () => ({ status: 200 });
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(FORTY.length + FORTY.filter(fails).length);
    expect(new Set(idsOf(hook))).toEqual(first);
    expect(await attemptsOf(team, hook)).toHaveLength(FORTY.length + FORTY.filter(fails).length);
    expect((await hooks.statusOf(hook)).filter(({ status }) => status !== 'delivered')).toEqual([]);
  });

  it('are written down by themselves when one of them waits long for its answer', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const { release, released } = openRelease();
    hook.receiver.answer = ({ body }) => ({
      status: 200,
      ...(body.data['n'] === 3 ? { after: released } : {}),
    });
    await hooks.say(team, ...numbers(10));
    await until(async () => (await attemptsOf(team, hook)).length === 9);
    expect(await count('webhook_bundle', hook)).toBe(0);
    expect(await count('webhook_delivery', hook)).toBe(1);
    release();
    await house.settle();
    expect(await attemptsOf(team, hook)).toHaveLength(10);
    expect(hook.receiver.received).toHaveLength(10);
  });

  it('are held when the endpoint is disabled, and go when it is enabled again', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, async () => {
      await team.management.patch(hook.path, { disabled: true });
      expect((await hooks.statusOf(hook)).map(({ status }) => status)).toEqual(FORTY.map(() => 'held'));
    });
    expect(hook.receiver.received).toEqual([]);
    await team.management.patch(hook.path, { disabled: false });
    await house.settle();
    expect(sorted(numbersOf(hook))).toEqual(FORTY);
  });

  it('go little by little when the endpoint was given a rate limit meanwhile', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const moving = setInterval(() => house.clock.move(10), 10);
    try {
      await waiting(team, hook, () => team.management.patch(hook.path, { rate_limit: 200 }));
    } finally {
      clearInterval(moving);
    }
    expect(sorted(numbersOf(hook))).toEqual(FORTY);
  });

  it('go little by little when the endpoint has failed meanwhile', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    await waiting(team, hook, () =>
      house.owner.query('update webhook_endpoint set first_failure_at = now() where id = $1', [hook.id]),
    );
    expect(sorted(numbersOf(hook))).toEqual(FORTY);
  });

  it('are not owed a second time by a resend or a replay while they wait', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const { json: before } = await team.management.get(hook.path);
    await waiting(team, hook, async () => {
      const { rows } = await house.owner.query<{ id: string }>(
        'select event_ids[2] as id from webhook_bundle where endpoint_id = $1 limit 1',
        [hook.id],
      );
      const again = await team.management.post(`${hook.path}/message/msg_${rows[0]?.id}/resend`, {});
      expect(again.status, again.text).toBeLessThan(300);
      const replay = await team.management.post(`${hook.path}/replay-missing`, { since: before.created_at });
      expect(replay.status, replay.text).toBeLessThan(300);
    });
    await hooks.move(MINUTE);
    expect(sorted(numbersOf(hook))).toEqual(FORTY);
  });
});

/** Ten messages at once, the last of them about a user. */
const sayTenOf = (team: TeamInHand, user: string) =>
  inTenant(house.app, team.tenant, async (work) => {
    for (const n of numbers(10)) {
      const userId = n === 9 ? user : null;
      await emit(work, somethingHappened, { subject: { userId, clientUserId: userId }, data: { n } });
    }
  });

describe('a bundle with a message about somebody', () => {
  it('who was deleted is sent without it, and the message goes when the user comes back', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    await hooks.whileNobodyTakes(async () => {
      await sayTenOf(team, user);
      await until(async () => (await count('webhook_bundle', hook)) === 1);
      await team.delete(`/v2/user/${user}`);
    });
    await house.settle();
    expect(sorted(numbersOf(hook))).toEqual(numbers(9));
    await team.post(`/v2/user/undo_delete?user_id=${user}`);
    await house.settle();
    expect(sorted(numbersOf(hook))).toEqual(numbers(10));
  });

  it('who is erased is sent without it, and nothing of it stays', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    await hooks.whileNobodyTakes(async () => {
      await sayTenOf(team, user);
      await until(async () => (await count('webhook_bundle', hook)) === 1);
      await inTenant(house.app, team.tenant, async (work) => {
        await forgetAttempts(house.app, work, user);
        await work.tx.deleteFrom('event').where('user_id', '=', user).execute();
      });
      expect(await hooks.statusOf(hook)).toHaveLength(9);
    });
    await house.settle();
    expect(sorted(numbersOf(hook))).toEqual(numbers(9));
    expect(await attemptsOf(team, hook)).toHaveLength(9);
  });
});

describe('senders', () => {
  it('take each bundle once, and nobody a message that was unpacked while it is on its way', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    const { release, released } = openRelease();
    hook.receiver.answer = () => ({ status: 200, after: released });
    const others = [startSender(house.app), startSender(house.app)];
    await hooks.say(team, ...numbers(10));
    await until(() => hook.receiver.received.length === 10);
    // Unpacks them, and leaves them as they are.
    const again = await team.management.post(`${hook.path}/message/${idsOf(hook)[4]}/resend`, {});
    expect(again.status, again.text).toBeLessThan(300);
    expect(await count('webhook_delivery', hook)).toBe(10);
    release();
    await house.settle();
    await Promise.all(others.map((sender) => sender.stop()));
    expect(sorted(numbersOf(hook))).toEqual(numbers(10));
    expect(await attemptsOf(team, hook)).toHaveLength(10);
  });

  it('send what a killed one had taken as a bundle again, under the same ids', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    await hooks.whileNobodyTakes(async () => {
      await hooks.say(team, ...FORTY);
      await until(async () => (await count('webhook_bundle', hook)) === 4);
      await hooks.leaseAll(hook, new Date(house.clock.now().getTime() + MINUTE));
    });
    await hooks.say(team, 40);
    await until(() => hook.receiver.received.length > 0);
    expect(numbersOf(hook)).toEqual([40]);
    await hooks.move(MINUTE + SECOND);
    expect(sorted(numbersOf(hook))).toEqual([...FORTY, 40]);
  });
});
