import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hooksIn, until, type Hook } from '../../test/hook.ts';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { openRelease, type Received } from '../../test/receiver.ts';
import { inTenant } from '../app.ts';
import { DAY, isoMoment, later, MINUTE, SECOND } from '../platform/clock.ts';
import { clean } from './cleaner.ts';
import { openBlock, type StoredBlock } from './block.ts';
import { forgetAttempts } from './forget.ts';

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

/** More than one sending of them fits into; at least half of them are written down together. */
const TEN = Array.from({ length: 10 }, (_, n) => n);

/** Lets a run of messages be sent, and holds up all writing until every one has been: what came of most is written at once. */
async function sentTogether(hook: Hook, say: () => Promise<unknown>, count = TEN.length): Promise<void> {
  const client = await house.owner.connect();
  const before = hook.receiver.received.length;
  try {
    await client.query('begin');
    await client.query('lock table webhook_tally in exclusive mode');
    await say();
    await until(() => hook.receiver.received.length - before >= count);
    await client.query('commit');
  } finally {
    client.release();
  }
  await house.settle();
}

const blocksOf = async ({ id }: Hook): Promise<(StoredBlock & { last_at: Date })[]> =>
  (
    await house.owner.query('select * from webhook_attempt_block where endpoint_id = $1 order by last_at', [
      id,
    ])
  ).rows;

interface Attempt {
  id: string;
  message_id: string;
  at: string;
  status: string;
  attempt: number;
}
const pageOf = async (team: TeamInHand, { path }: Hook, query = '') => {
  const answer = await team.management.get(`${path}/attempt${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { data: Attempt[]; next_cursor: string | null };
};
async function allOf(team: TeamInHand, hook: Hook, query = ''): Promise<Attempt[]> {
  const all: Attempt[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await pageOf(
      team,
      hook,
      `?limit=3${cursor && `&next_cursor=${encodeURIComponent(cursor)}`}${query}`,
    );
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}
const sentIds = ({ receiver }: Hook) => receiver.received.map(({ headers }) => String(headers['webhook-id']));

describe('attempts that are written together', () => {
  it('are listed, filtered and read like any other', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    await team.management.put(`${hook.path}/headers`, { headers: { 'X-Plain': 'p' } });
    hook.receiver.answer = ({ body }) => ({ status: 202, headers: { 'x-about': String(body.data['n']) } });
    await sentTogether(hook, () => hooks.say(team, ...TEN));
    const blocks = await blocksOf(hook);
    const [block] = blocks;
    expect(blocks.flatMap(({ event_ids: ids }) => ids).length).toBeGreaterThanOrEqual(TEN.length / 2);
    expect(block?.attempts.toString('latin1')).not.toMatch(/x-about|127\.0\.0\.1|v1,/);

    const listed = await allOf(team, hook);
    expect(listed.map(({ message_id: id }) => id).toSorted()).toEqual(sentIds(hook).toSorted());
    expect(new Set(listed.map(({ id }) => id)).size).toBe(TEN.length);
    expect(listed.map(({ at }) => at)).toEqual(
      listed
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    for (const { id, message_id: message } of listed) {
      const got = hook.receiver.received.find(({ headers }) => headers['webhook-id'] === message);
      const { json } = await team.management.get(`${hook.path}/attempt/${id}`);
      expect(json).toMatchObject({
        id,
        message_id: message,
        event_type: 'test.something.happened',
        attempt: 1,
        status: 'success',
        status_code: 202,
        error: null,
        response: 'ok',
        request: { url: hook.receiver.url, body: got?.text },
        response_headers: { 'x-about': String(got?.body.data['n']) },
      });
      expect(json.request.headers).toMatchObject({
        'x-plain': '********',
        'webhook-signature': got?.headers['webhook-signature'],
        'webhook-timestamp': got?.headers['webhook-timestamp'],
      });
      expect((await team.management.get(`${hook.path}/attempt/${id.toUpperCase()}`)).json).toEqual(json);
      expect(await allOf(team, hook, `&message_id=${message}`)).toEqual([expect.objectContaining({ id })]);
    }
    const [newest] = listed;
    const soon = encodeURIComponent(isoMoment(later(new Date(newest?.at ?? ''), SECOND)));
    expect(await allOf(team, hook, '&status=failure')).toEqual([]);
    expect(await allOf(team, hook, '&status=success')).toEqual(listed);
    expect(await allOf(team, hook, `&since=${soon}`)).toEqual([]);
    expect(await allOf(team, hook, `&until=${soon}`)).toEqual(listed);
    expect(await allOf(team, hook, `&until=${encodeURIComponent(listed.at(-1)?.at ?? '')}`)).toEqual([]);
    expect(
      (await team.management.get(`${hook.path}/attempt/${block?.id.slice(0, 15)}fff${block?.id.slice(18)}`))
        .status,
    ).toBe(404);
  });

  it('stand in one order with those that are written by themselves, block after block', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team);
    for (let round = 0; round < 3; round += 1) {
      await sentTogether(hook, () => hooks.say(team, ...TEN));
      await hooks.move(7 * MINUTE);
      hook.receiver.answer = () => ({ status: 500 });
      await hooks.say(team, 99);
      await house.settle();
      hook.receiver.answer = () => ({ status: 200 });
      await hooks.move(7 * MINUTE);
    }
    expect((await blocksOf(hook)).length).toBeGreaterThanOrEqual(3);
    const listed = await allOf(team, hook);
    expect(listed.map(({ message_id: id }) => id).toSorted()).toEqual(sentIds(hook).toSorted());
    expect(listed.map(({ at }) => at)).toEqual(
      listed
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(listed.filter(({ status }) => status === 'failure')).toHaveLength(3);
    expect(listed.filter(({ attempt }) => attempt === 2)).toHaveLength(3);
    const { rows } = await house.owner.query(
      'select sum(succeeded)::int as succeeded, sum(failed)::int as failed from webhook_tally where endpoint_id = $1',
      [hook.id],
    );
    expect(rows).toEqual([{ succeeded: 33, failed: 3 }]);
  });

  it('are not seen by another team that knows their messages', async () => {
    const [team, other] = [await house.team(), await house.team()];
    const [hook, theirs] = [await hooks.hook(team), await hooks.hook(other)];
    await sentTogether(hook, () => hooks.say(team, ...TEN));
    const [attempt] = await allOf(team, hook);
    expect((await other.management.get(`${theirs.path}/attempt/${attempt?.id}`)).status).toBe(404);
    expect(await allOf(other, theirs, `&message_id=${attempt?.message_id}`)).toEqual([]);
    const found = await house.owner.query(
      `select set_config('aliquot.team_id', $1, false), set_config('aliquot.environment', $2, false),
        (select count(*) from aliquot_blocks_of_events(array[$3::uuid])) as count`,
      [other.tenant.teamId, other.tenant.environment, attempt?.message_id.slice('msg_'.length)],
    );
    expect(found.rows[0]?.count).toBe(0);
  });

  it('go with their endpoint, and after thirty days', async () => {
    const team = await house.team();
    const [goes, stays] = [await hooks.hook(team), await hooks.hook(team)];
    await sentTogether(stays, () => hooks.say(team, ...TEN));
    expect(await blocksOf(goes)).not.toEqual([]);
    await team.management.delete(goes.path);
    await house.settle();
    expect(await blocksOf(goes)).toEqual([]);
    expect(await blocksOf(stays)).not.toEqual([]);
    const place = { team_id: team.tenant.teamId, environment: team.tenant.environment, id: stays.id };
    await clean(house.app, { ...place, clock_offset_ms: 29 * DAY });
    expect(await blocksOf(stays)).not.toEqual([]);
    await clean(house.app, { ...place, clock_offset_ms: 31 * DAY });
    expect(await blocksOf(stays)).toEqual([]);
  });

  it('are not replayed', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const since = isoMoment(house.clock.now());
    await sentTogether(hook, () => hooks.say(team, ...TEN));
    expect((await team.management.post(`${hook.path}/replay-missing`, { since })).status).toBe(202);
    await house.settle();
    expect(hook.receiver.received).toHaveLength(TEN.length);
  });
});

describe('a user who shares a block with others', () => {
  it('is hidden from it when deleted, seen when restored, and taken out of it when erased', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const [gone, other] = [await team.user(), await team.user()];
    hook.receiver.answer = ({ body }) => ({ status: 200, headers: { 'x-about': `${body['user_id']}` } });
    await sentTogether(hook, async () => {
      for (const n of TEN) await hooks.sayOf(team, n % 2 === 0 ? gone : other, n);
    });
    const about = (user: string) =>
      hook.receiver.received
        .filter(({ body }) => body['user_id'] === user)
        .map(({ headers }) => headers['webhook-id']);
    const seen = async () => (await allOf(team, hook)).map(({ message_id: id }) => id).toSorted();
    await team.delete(`/v2/user/${gone}`);
    expect(await seen()).toEqual(about(other).toSorted());
    await team.post(`/v2/user/undo_delete?user_id=${gone}`);
    expect(await seen()).toEqual(sentIds(hook).toSorted());

    const before = await blocksOf(hook);
    const kept = await allOf(team, hook);
    await team.delete(`/v2/user/${gone}`);
    await hooks.move(8 * DAY);
    expect(hook.receiver.received).toHaveLength(TEN.length);
    const cipher = await house.app.keyring.of(team.tenant);
    const after = await blocksOf(hook);
    const opened = after.flatMap((block) => openBlock(cipher, block));
    expect(before.flatMap(({ event_ids: ids }) => ids).length).toBeGreaterThan(opened.length);
    expect(opened.map(({ exchange }) => exchange.response_headers['x-about'])).toEqual(
      opened.map(() => other),
    );
    expect(
      after
        .map(({ attempts }) => cipher.openPiece(attempts, 'webhook_attempt_block.attempts').toString())
        .join(),
    ).not.toContain(gone);
    expect(await seen()).toEqual(about(other).toSorted());
    // What stays keeps its id.
    const still = kept.filter(({ message_id: id }) => about(other).includes(id));
    expect(await allOf(team, hook)).toEqual(still);
  });

  it('of whom nobody else is in it takes it along', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const gone = await team.user();
    await sentTogether(hook, async () => {
      for (const n of TEN) await hooks.sayOf(team, gone, n);
    });
    expect(await blocksOf(hook)).not.toEqual([]);
    await team.delete(`/v2/user/${gone}`);
    await hooks.move(8 * DAY);
    expect(await blocksOf(hook)).toEqual([]);
  });
});

describe('what is no longer as it was taken', () => {
  it('is written one by one: of an endpoint that was disabled meanwhile nothing is lost or sent twice', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const { release, released } = openRelease();
    hook.receiver.answer = () => ({ status: 200, after: released });
    await hooks.say(team, ...TEN);
    await until(() => hook.receiver.received.length === TEN.length);
    await team.management.patch(hook.path, { disabled: true });
    release();
    await house.settle();
    await until(async () => (await hooks.statusOf(hook)).every(({ status }) => status === 'delivered'));
    await team.management.patch(hook.path, { disabled: false });
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(TEN.length);
    expect(await allOf(team, hook)).toHaveLength(TEN.length);
    expect(await blocksOf(hook)).toEqual([]);
  });

  it('is written without what was erased meanwhile, whoever of the two comes first', async () => {
    const team = await house.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    const forget = () =>
      inTenant(house.app, team.tenant, async (work) => {
        await forgetAttempts(house.app, work, user);
        await work.tx.deleteFrom('event').where('user_id', '=', user).execute();
      });
    let erased = Promise.resolve();
    await sentTogether(hook, async () => {
      await hooks.say(team, ...TEN.slice(1));
      await hooks.sayOf(team, user, 0);
      await until(() => hook.receiver.received.length === TEN.length);
      erased = forget();
    });
    await erased;
    await house.settle();
    const isGone = (message: Received) => message.body.data['n'] === 0;
    const idsOf = (messages: readonly Received[]) =>
      messages.map(({ headers }) => String(headers['webhook-id'])).toSorted();
    const [gone] = idsOf(hook.receiver.received.filter(isGone));
    const kept = (await allOf(team, hook)).map(({ message_id: id }) => id).toSorted();
    expect(kept).toEqual(idsOf(hook.receiver.received.filter((message) => !isGone(message))));
    const { rows } = await house.owner.query(
      `select from webhook_attempt_block where $1 = any(event_ids) union all
       select from webhook_bundle where $1 = any(event_ids)`,
      [gone?.slice('msg_'.length)],
    );
    expect(rows).toEqual([]);
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(TEN.length);
  });
});
