import { describe, expect, it } from 'vitest';
import { useWebhookFixture, waitUntil, type TestEndpoint } from '../../../test/webhook-fixture.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { createLatch, type ReceivedRequest } from '../../../test/receiver.ts';
import { inTenant } from '../../app.ts';
import { DAY, isoTimestamp, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { removeAttempts } from '../../../test/old-attempts.ts';
import { openBlock, type StoredAttemptBlock } from './block.ts';
import { eraseAttempts } from './erase-attempts.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);

/** More messages than one batch holds; at least half of them are recorded together. */
const TEN = Array.from({ length: 10 }, (_, n) => n);

/** Sends many messages, and delays all recording until every one was sent, so that most are recorded at once. */
async function sentTogether(
  hook: TestEndpoint,
  say: () => Promise<unknown>,
  count = TEN.length,
): Promise<void> {
  const client = await service.ownerPool.connect();
  const before = hook.receiver.received.length;
  try {
    await client.query('begin');
    await client.query('lock table webhook_tally in exclusive mode');
    await say();
    await waitUntil(() => hook.receiver.received.length - before >= count);
    await client.query('commit');
  } finally {
    client.release();
  }
  await service.settle();
}

const blocksOf = async ({ id }: TestEndpoint): Promise<(StoredAttemptBlock & { last_at: Date })[]> =>
  (
    await service.ownerPool.query(
      'select * from webhook_attempt_block where endpoint_id = $1 order by last_at',
      [id],
    )
  ).rows;

interface BlockAttemptJson {
  id: string;
  message_id: string;
  at: string;
  status: string;
  attempt: number;
}
const pageOf = async (team: TestTeam, { path }: TestEndpoint, query = '') => {
  const answer = await team.management.get(`${path}/attempt${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { data: BlockAttemptJson[]; next_cursor: string | null };
};
async function allOf(team: TestTeam, hook: TestEndpoint, query = ''): Promise<BlockAttemptJson[]> {
  const all: BlockAttemptJson[] = [];
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
const sentIds = ({ receiver }: TestEndpoint) =>
  receiver.received.map(({ headers }) => String(headers['webhook-id']));

describe('attempts that are stored in blocks', () => {
  it('are listed, filtered and read like any other', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    await team.management.put(`${hook.path}/headers`, { headers: { 'X-Plain': 'p' } });
    hook.receiver.respond = ({ body }) => ({ status: 202, headers: { 'x-about': String(body.data['n']) } });
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
    const soon = encodeURIComponent(isoTimestamp(later(new Date(newest?.at ?? ''), SECOND)));
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

  it('are listed in one order with those stored individually, block after block', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team);
    for (let round = 0; round < 3; round += 1) {
      await sentTogether(hook, () => hooks.say(team, ...TEN));
      await hooks.move(7 * MINUTE);
      hook.receiver.respond = () => ({ status: 500 });
      await hooks.say(team, 99);
      await service.settle();
      hook.receiver.respond = () => ({ status: 200 });
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
    const { rows } = await service.ownerPool.query(
      'select sum(succeeded)::int as succeeded, sum(failed)::int as failed from webhook_tally where endpoint_id = $1',
      [hook.id],
    );
    expect(rows).toEqual([{ succeeded: 33, failed: 3 }]);
  });

  it('are not seen by another team that knows their messages', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const [hook, theirs] = [await hooks.hook(team), await hooks.hook(other)];
    await sentTogether(hook, () => hooks.say(team, ...TEN));
    const [attempt] = await allOf(team, hook);
    expect((await other.management.get(`${theirs.path}/attempt/${attempt?.id}`)).status).toBe(404);
    expect(await allOf(other, theirs, `&message_id=${attempt?.message_id}`)).toEqual([]);
    const found = await service.ownerPool.query(
      `select set_config('aliquot.team_id', $1, false), set_config('aliquot.environment', $2, false),
        (select count(*) from aliquot_blocks_of_events(array[$3::uuid])) as count`,
      [other.tenant.teamId, other.tenant.environment, attempt?.message_id.slice('msg_'.length)],
    );
    expect(found.rows[0]?.count).toBe(0);
  });

  it('are removed with their endpoint, and after thirty days', async () => {
    const team = await service.team();
    const [goes, stays] = [await hooks.hook(team), await hooks.hook(team)];
    await sentTogether(stays, () => hooks.say(team, ...TEN));
    expect(await blocksOf(goes)).not.toEqual([]);
    await team.management.delete(goes.path);
    await service.settle();
    expect(await blocksOf(goes)).toEqual([]);
    expect(await blocksOf(stays)).not.toEqual([]);
    await removeAttempts(service, team, later(service.clock.now(), 29 * DAY));
    expect(await blocksOf(stays)).not.toEqual([]);
    await removeAttempts(service, team, later(service.clock.now(), 31 * DAY));
    expect(await blocksOf(stays)).toEqual([]);
  });

  it('are not replayed', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const since = isoTimestamp(service.clock.now());
    await sentTogether(hook, () => hooks.say(team, ...TEN));
    expect((await team.management.post(`${hook.path}/replay-missing`, { since })).status).toBe(202);
    await service.settle();
    expect(hook.receiver.received).toHaveLength(TEN.length);
  });
});

describe('a user who shares a block with others', () => {
  it('is hidden from it when deleted, visible when restored, and removed from it when erased', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const [gone, other] = [await team.user(), await team.user()];
    hook.receiver.respond = ({ body }) => ({ status: 200, headers: { 'x-about': `${body['user_id']}` } });
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
    const cipher = await service.app.keyring.cipherOf(team.tenant);
    const after = await blocksOf(hook);
    const opened = after.flatMap((block) => openBlock(cipher, block));
    expect(before.flatMap(({ event_ids: ids }) => ids).length).toBeGreaterThan(opened.length);
    expect(opened.map(({ exchange }) => exchange.response_headers['x-about'])).toEqual(
      opened.map(() => other),
    );
    expect(
      after
        .map(({ attempts }) => cipher.openChunk(attempts, 'webhook_attempt_block.attempts').toString())
        .join(),
    ).not.toContain(gone);
    expect(await seen()).toEqual(about(other).toSorted());
    // The remaining attempts keep their ids.
    const still = kept.filter(({ message_id: id }) => about(other).includes(id));
    expect(await allOf(team, hook)).toEqual(still);
  });

  it('removes it when no other user is in it', async () => {
    const team = await service.team();
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

describe('messages that changed since they were claimed', () => {
  it('are recorded one by one: nothing of an endpoint that was disabled meanwhile is lost or sent twice', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const { release, released } = createLatch();
    hook.receiver.respond = () => ({ status: 200, after: released });
    await hooks.say(team, ...TEN);
    await waitUntil(() => hook.receiver.received.length === TEN.length);
    await team.management.patch(hook.path, { disabled: true });
    release();
    await service.settle();
    await waitUntil(async () => (await hooks.statusOf(hook)).every(({ status }) => status === 'delivered'));
    await team.management.patch(hook.path, { disabled: false });
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(TEN.length);
    expect(await allOf(team, hook)).toHaveLength(TEN.length);
    expect(await blocksOf(hook)).toEqual([]);
  });

  it('are recorded without those erased meanwhile, whichever comes first', async () => {
    const team = await service.team();
    const hook = await hooks.hook(team, { filter_types: ['test.*'] });
    const user = await team.user();
    const forget = () =>
      inTenant(service.app, team.tenant, async (work) => {
        await eraseAttempts(service.app, work, user);
        await work.tx.deleteFrom('event').where('user_id', '=', user).execute();
      });
    let erased = Promise.resolve();
    await sentTogether(hook, async () => {
      await hooks.say(team, ...TEN.slice(1));
      await hooks.sayOf(team, user, 0);
      await waitUntil(() => hook.receiver.received.length === TEN.length);
      erased = forget();
    });
    await erased;
    await service.settle();
    const isGone = (message: ReceivedRequest) => message.body.data['n'] === 0;
    const idsOf = (messages: readonly ReceivedRequest[]) =>
      messages.map(({ headers }) => String(headers['webhook-id'])).toSorted();
    const [gone] = idsOf(hook.receiver.received.filter(isGone));
    const kept = (await allOf(team, hook)).map(({ message_id: id }) => id).toSorted();
    expect(kept).toEqual(idsOf(hook.receiver.received.filter((message) => !isGone(message))));
    const { rows } = await service.ownerPool.query(
      `select from webhook_attempt_block where $1 = any(event_ids) union all
       select from webhook_bundle where $1 = any(event_ids)`,
      [gone?.slice('msg_'.length)],
    );
    expect(rows).toEqual([]);
    await hooks.move(MINUTE);
    expect(hook.receiver.received).toHaveLength(TEN.length);
  });
});
