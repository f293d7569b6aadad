import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { defineEvent, emit } from '../../events/events.ts';
import { DAY, later } from '../../platform/clock.ts';
import { removeAttempts } from '../../../test/old-attempts.ts';
import { ENDPOINTS_MAX } from './endpoints.ts';
import { MASK } from './headers.ts';

let team: TestTeam;
let base: string;
const service = useTestService();
beforeAll(async () => {
  // The event type of a test message must be in the catalog of this test service.
  Object.assign(service.app, { eventTypes: [...service.app.eventTypes, noted.type] });
});

const baseOf = ({ orgId, tenant }: TestTeam) =>
  `/v1/org/${orgId}/team/${tenant.teamId}/${tenant.environment}/webhook`;
const newTeam = async () => {
  team = await service.team();
  base = baseOf(team);
};
const make = async (body: Record<string, unknown> = {}) => {
  const made = await team.management.post(base, { url: 'http://127.0.0.1:9/', ...body });
  expect(made.status, made.text).toBe(200);
  return made.json;
};

describe('webhooks', () => {
  beforeAll(newTeam);

  it('are created with the defaults of the contract', async () => {
    expect(await make({ url: 'http://localhost:9/hook' })).toEqual({
      id: expect.any(String),
      description: '',
      rate_limit: null,
      url: 'http://localhost:9/hook',
      disabled: false,
      filter_types: null,
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: expect.stringMatching(/\+00:00$/),
    });
  });

  it('are read, changed and deleted', async () => {
    const { id } = await make({
      description: 'one',
      rate_limit: 5,
      filter_types: ['labtest.*', 'labtest.*'],
    });
    const read = await team.management.get(`${base}/${id}`);
    expect(read.json).toMatchObject({ description: 'one', rate_limit: 5, filter_types: ['labtest.*'] });
    const changed = await team.management.patch(`${base}/${id}`, {
      disabled: true,
      rate_limit: null,
      filter_types: [],
    });
    expect(changed.json).toMatchObject({
      description: 'one',
      rate_limit: null,
      disabled: true,
      filter_types: null,
    });
    expect((await team.management.patch(`${base}/${id}`, {})).json).toMatchObject({ disabled: true });
    expect((await team.management.patch(`${base}/${id}`, { disabled: false })).json).toMatchObject({
      disabled: false,
    });
    const gone = await team.management.delete(`${base}/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await team.management.get(`${base}/${id}`)).status).toBe(404);
    expect((await team.management.delete(`${base}/${id}`)).status).toBe(404);
  });

  it('mask the values of their headers, and keep those that are sent back masked', async () => {
    const { id } = await make();
    const path = `${base}/${id}/headers`;
    expect((await team.management.get(path)).json).toEqual({ headers: {}, sensitive: [] });
    expect(
      (await team.management.put(path, { headers: { Authorization: 'Bearer 1', 'X-A': 'a' } })).status,
    ).toBe(204);
    const hidden = { headers: { authorization: MASK, 'x-a': MASK }, sensitive: ['authorization', 'x-a'] };
    expect((await team.management.get(path)).json).toEqual(hidden);
    await team.management.put(path, { headers: { authorization: MASK } });
    expect((await team.management.get(path)).json.sensitive).toEqual(['authorization']);
    const { id: other } = await make();
    const copied = await team.management.put(`${base}/${other}/headers`, {
      headers: { Authorization: MASK },
    });
    expect([copied.status, copied.json.detail]).toMatchObject([
      422,
      [{ loc: ['body', 'headers', 'Authorization'] }],
    ]);
    for (const name of ['constructor', 'x-b'])
      expect((await team.management.put(path, { headers: { [name]: MASK } })).status, name).toBe(422);
    expect((await team.management.get(path)).json.sensitive).toEqual(['authorization']);
    expect((await team.management.put(path, { headers: { host: 'x' } })).json.detail).toMatchObject([
      { loc: ['body', 'headers', 'host'] },
    ]);
  });

  it('return their secret, given or generated, and rotate it', async () => {
    const given = `whsec_${randomBytes(24).toString('base64')}`;
    const { id } = await make({ secret: given });
    const key = async () => (await team.management.get(`${base}/${id}/secret`)).json.key;
    expect(await key()).toBe(given);
    expect((await team.management.post(`${base}/${id}/secret/rotate`, {})).status).toBe(204);
    expect(await key()).toMatch(/^whsec_[A-Za-z0-9+/=]{44}$/);
    const before = await key();
    expect((await team.management.post(`${base}/${id}/secret/rotate`)).status).toBe(204);
    expect(await key()).not.toBe(before);
    const other = randomBytes(32).toString('base64');
    await team.management.post(`${base}/${id}/secret/rotate`, { key: other });
    expect(await key()).toBe(`whsec_${other}`);
  });

  // prettier-ignore
  it.each([
    [{ url: 'nonsense' },                                   422, 'url'],
    [{ url: 'https://user:word@example.com' },              422, 'url'],
    [{},                                                    422, 'url'],
    [{ url: 'http://localhost/', filter_types: ['*'] },     422, 'filter_types'],
    [{ url: 'http://localhost/', filter_types: ['order'] }, 422, 'filter_types'],
    [{ url: 'http://localhost/', filter_types: ['labtest.*', 'nothing.*'] }, 422, 1],
    [{ url: 'ftp://localhost/' },                            422, 'url'],
    [{ url: 'http://[::1' },                                 422, 'url'],
    [{ url: 'localhost/hook' },                              422, 'url'],
    [{ url: 'http://local host/' },                          422, 'url'],
    [{ url: `http://localhost/${'a'.repeat(2048)}` },        422, 'url'],
    [{ url: 'http://localhost/', description: 'a\0b' },      422, 'description'],
    [{ url: 'http://localhost/', filter_types: 'labtest.*' }, 422, 'filter_types'],
    [{ url: 'http://localhost/', rate_limit: 1.5 },         422, 'rate_limit'],
    [{ url: 'http://localhost/', rate_limit: 0 },           422, 'rate_limit'],
    [{ url: 'http://localhost/', secret: 'short' },         422, 'secret'],
    [{ url: 'http://localhost/', description: 7 },          422, 'description'],
  ])('refuse %j', async (body, status, place) => {
    const refused = await team.management.post(base, body);
    expect(refused.status).toBe(status);
    expect(refused.json.detail[0].loc).toContain(place);
  });

  it('refuse the same when they are changed, and stay as they were', async () => {
    const made = await make({ filter_types: ['labtest.*'] });
    for (const body of [{ url: 'nonsense' }, { filter_types: ['nothing.*'] }, { rate_limit: 0 }]) {
      const refused = await team.management.patch(`${base}/${made.id}`, body);
      expect([refused.status, refused.json.detail[0].loc[1]]).toEqual([422, Object.keys(body)[0]]);
    }
    expect((await team.management.get(`${base}/${made.id}`)).json).toEqual(made);
  });

  it('are not accessible to other teams', async () => {
    const { id } = await make();
    const stranger = await service.team();
    for (const path of [`${base}/${id}`, `${baseOf(stranger)}/${id}`]) {
      for (const rest of ['', '/headers', '/secret', '/attempt']) {
        expect((await stranger.management.get(`${path}${rest}`)).status).toBe(404);
      }
      expect((await stranger.management.patch(path, { disabled: true })).status).toBe(404);
      expect((await stranger.management.delete(path)).status).toBe(404);
      expect((await stranger.management.post(`${path}/secret/rotate`, {})).status).toBe(404);
    }
    const elsewhere = base.replace('/sandbox/', '/production/');
    expect((await team.management.get(`${elsewhere}/${id}`)).status).toBe(404);
    expect((await team.management.get(`${base}/${randomUUID()}`)).status).toBe(404);
    expect((await team.management.get(`${base}/not-an-id`)).status).toBe(404);
    expect((await team.get(base)).status).toBe(401);
  });

  it('in production must be https and public', async () => {
    const path = base.replace('/sandbox/', '/production/');
    for (const url of [
      'http://8.8.8.8/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest',
    ]) {
      expect((await team.management.post(path, { url })).status, url).toBe(422);
    }
    expect((await team.management.post(path, { url: 'https://8.8.8.8/' })).status).toBe(200);
  });

  it('leave their changes in the audit log, without secrets', async () => {
    await newTeam();
    const { id } = await make();
    await team.management.patch(`${base}/${id}`, { description: 'changed' });
    await team.management.put(`${base}/${id}/headers`, { headers: { Authorization: 'Bearer 1' } });
    await team.management.post(`${base}/${id}/secret/rotate`, {});
    await team.management.delete(`${base}/${id}`);
    const { rows } = await service.ownerPool.query<{ action: string; before: unknown; after: unknown }>(
      "select action, before, after from audit_log where team_id = $1 and action like 'webhook%'",
      [team.tenant.teamId],
    );
    expect(new Set(rows.map(({ action }) => action))).toEqual(
      new Set([
        'webhook.create',
        'webhook.change',
        'webhook.delete',
        'webhook.headers.replace',
        'webhook.secret.rotate',
      ]),
    );
    expect(JSON.stringify(rows)).not.toMatch(/whsec_|Bearer/);
  });
});

describe('lists', () => {
  beforeAll(newTeam);

  it('have the documented limits', async () => {
    const page = await readFile(
      new URL('../../../../../docs/reference/webhooks.md', import.meta.url),
      'utf8',
    );
    expect(page).toContain(`at most ${ENDPOINTS_MAX} a tenant`);
  });

  it('are read page by page, and have a maximum number of webhooks', async () => {
    const made: string[] = [];
    for (let index = 0; index < ENDPOINTS_MAX - 2; index += 1) made.push((await make()).id);
    const last = await Promise.all(
      Array.from({ length: 6 }, () => team.management.post(base, { url: 'http://localhost/' })),
    );
    expect(last.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(last.filter(({ status }) => status === 400)).toHaveLength(4);
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await team.management.get(`${base}?limit=60${cursor ? `&next_cursor=${cursor}` : ''}`);
      read.push(...page.json.data.map((each: { id: string }) => each.id));
      cursor = page.json.next_cursor;
    } while (cursor !== null);
    expect(read).toHaveLength(ENDPOINTS_MAX);
    expect(read.slice(0, -2)).toEqual(made);
    expect((await team.management.get(`${base}?next_cursor=x`)).status).toBe(422);
    expect((await team.management.get(`${base}?limit=0`)).status).toBe(422);
  });
});

const noted = defineEvent({ type: 'test.noted', when: 'A test says so.', data: z.object({ n: z.int() }) });
const note = (n: number) =>
  inTenant(service.app, team.tenant, (work) =>
    emit(work, noted, { subject: { userId: null, clientUserId: null }, data: { n } }),
  );

describe('attempts', () => {
  beforeEach(newTeam);

  it('are listed newest first with their responses, and can be resent', async () => {
    const receiver = await team.endpoint();
    const [{ id }] = (await team.management.get(base)).json.data;
    receiver.respond = ({ body }) => ({ status: body.data['n'] === 1 ? 500 : 200 });
    for (const n of [0, 1, 2]) {
      await note(n);
      await service.settle();
      service.clock.move(1000);
    }
    const first = (await team.management.get(`${base}/${id}/attempt?limit=2`)).json;
    expect(first.data).toMatchObject([
      { status_code: 200, attempt: 1, event_type: 'test.noted', response: 'ok', error: null },
      { status_code: 500, attempt: 1, error: 'Answered 500' },
    ]);
    const next = `${base}/${id}/attempt?limit=2&next_cursor=${encodeURIComponent(first.next_cursor)}`;
    const second = (await team.management.get(next)).json;
    expect(second).toMatchObject({ data: [{ status_code: 200 }], next_cursor: null });
    expect((await team.management.get(`${base}/${id}/attempt?next_cursor=2026/x`)).status).toBe(422);

    const message = first.data[0].message_id;
    const again = `${base}/${id}/message/${message}/resend`;
    expect((await team.management.post(again)).status).toBe(204);
    await service.settle();
    expect(
      receiver.received.map(({ headers }) => headers['webhook-id']).filter((each) => each === message),
    ).toHaveLength(2);
    expect((await team.management.post(`${base}/${id}/message/msg_${randomUUID()}/resend`)).status).toBe(404);
    expect((await team.management.post(`${base}/${id}/message/nothing/resend`)).status).toBe(404);
  });

  it('are removed after thirty days', async () => {
    const receiver = await team.endpoint();
    receiver.respond = ({ body }) => ({ status: body.data['n'] === 1 ? 500 : 200 });
    const [{ id }] = (await team.management.get(base)).json.data;
    await note(1);
    await note(2);
    await service.settle();
    await service.ownerPool.query(
      "update webhook_delivery set status = 'failed', finished_at = created_at where endpoint_id = $1",
      [id],
    );
    const count = async () => {
      const { rows } = await service.ownerPool.query(
        `select (select count(*) from webhook_attempt where endpoint_id = $1) as attempts,
          (select count(*) from webhook_delivery where endpoint_id = $1) as deliveries`,
        [id],
      );
      return rows;
    };
    await removeAttempts(service, team, later(service.clock.now(), 29 * DAY));
    expect(await count()).toEqual([{ attempts: 2, deliveries: 1 }]);
    await removeAttempts(service, team, later(service.clock.now(), 31 * DAY));
    expect(await count()).toEqual([{ attempts: 0, deliveries: 0 }]);
  });
});
