import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { takeStorageAway, waitOut } from '../../../test/storage-away.ts';
import {
  appleDocument,
  appleRecord,
  fitRun,
  gpxRun,
  handInWearable,
  openFolder,
  START,
  tcxRun,
  writeAppleZip,
} from '../../../test/wearable-files.ts';
import { cleanFiles } from './files.ts';
import { readNextUpload } from './read-uploads.ts';
import { canMove, UPLOAD_STATUSES, type UploadStatus } from './status.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

interface HandedIn {
  readonly user: string;
  readonly bytes: Buffer | string;
  readonly as?: 'form' | 'body';
  readonly by?: Pick<TeamInHand, 'key'>;
  readonly headers?: Record<string, string>;
}

const handIn = ({ user: userId, by = team, ...file }: HandedIn) =>
  handInWearable(house, by, { userId, ...file });

async function done(user: string, id: string) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const { json } = await team.get(`/v2/user/${user}/wearable_file/${id}`);
    if (json.status === 'completed' || json.status === 'failed') return json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The file is still not read');
}

const countOf = async (sql: string, user: string) =>
  Number((await house.owner.query(sql, [user])).rows[0].count);
const FILES = `select count(*) from wearable_file f where f.upload_id is not null and exists (
  select from wearable_upload w where w.id = f.upload_id and w.user_id = $1)`;

describe('a file that is handed in', () => {
  it('is stored, and the same file again changes nothing', async () => {
    const user = await team.user();
    const first = await handIn({ user, bytes: fitRun() });
    expect(first).toMatchObject({
      status: 200,
      json: { status: 'received', kind: 'fit', user_id: user, counts: {} },
    });
    const read = await done(user, first.json.id);
    expect(read).toMatchObject({ status: 'completed', progress: 1, failure_reason: null, faults: [] });
    expect(read.counts).toMatchObject({
      workouts: { created: 1, updated: 0, unchanged: 0 },
      heartrate: { created: 61, updated: 0, unchanged: 0 },
    });
    const again = await done(user, (await handIn({ user, bytes: fitRun(), as: 'form' })).json.id);
    expect(again.counts).toMatchObject({
      workouts: { created: 0, updated: 0, unchanged: 1 },
      heartrate: { created: 0, updated: 0, unchanged: 61 },
    });
    const workouts = await team.get(`/v2/summary/workouts/${user}?start_date=2024-05-12`);
    expect(workouts.json.workouts).toMatchObject([{ sport: { slug: 'trail_running' }, distance: 198 }]);
    const stream = await team.get(`/v2/timeseries/workouts/${workouts.json.workouts[0].id}/stream`);
    expect(stream.json.heartrate).toHaveLength(61);
  });

  it('wakes who reads it', async () => {
    let rung = 0;
    const silence = house.app.bell.on('uploads', () => (rung += 1));
    const user = await team.user();
    const { json } = await handIn({ user, bytes: fitRun({ seconds: 3 }) });
    silence();
    expect(rung).toBeGreaterThan(0);
    await done(user, json.id);
  });

  it('is told as history, once for each resource, and the same file again not at all', async () => {
    const user = await team.user();
    const receiver = await team.endpoint({ filter_types: ['daily.data.*', 'historical.data.*'] });
    const told = async () => {
      await house.settle();
      return receiver.received
        .splice(0)
        .map(({ body }) => body.event_type)
        .toSorted();
    };
    const first = await done(user, (await handIn({ user, bytes: gpxRun() })).json.id);
    const resources = Object.keys(first.counts).toSorted();
    expect(resources).toContain('workouts');
    expect(await told()).toEqual(resources.map((name) => `historical.data.${name}.created`));
    await done(user, (await handIn({ user, bytes: gpxRun() })).json.id);
    expect(await told()).toEqual([]);
  });

  it('is taken once for an idempotency key, which is refused for another user', async () => {
    const [user, other] = [await team.user(), await team.user()];
    const file = { bytes: fitRun({ seconds: 5 }), headers: { 'x-idempotency-key': 'one-file' } };
    const first = await handIn({ user, ...file });
    expect(first).toMatchObject({ status: 200, json: { user_id: user } });
    expect(await handIn({ user, ...file })).toEqual(first);
    expect((await handIn({ user: other, ...file })).status).toBe(409);
    await done(user, first.json.id);
  });

  it('may be an export of Apple Health', async () => {
    const folder = await openFolder();
    const records = [0, 1, 2].map((minute) =>
      appleRecord('HKQuantityTypeIdentifierHeartRate', {
        value: 60 + minute,
        unit: 'count/min',
        start: START + minute * 60_000,
      }),
    );
    const absurd = appleRecord('HKQuantityTypeIdentifierBodyMass', {
      value: 99_999,
      unit: 'kg',
      start: START,
    });
    await writeAppleZip(folder.path('export.zip'), { document: appleDocument([...records, absurd]) });
    const user = await team.user();
    const { json } = await handIn({ user, bytes: await readFile(folder.path('export.zip')) });
    await folder.close();
    const read = await done(user, json.id);
    expect(read).toMatchObject({
      kind: 'apple_health',
      status: 'completed',
      counts: { heartrate: { created: 3 } },
    });
    expect(read.faults).toContainEqual({
      place: expect.stringMatching(/^weight, reading \d+/),
      reason: expect.stringContaining('expected'),
    });
  });

  it('is refused at once when it is nothing of ours', async () => {
    const user = await team.user();
    // prettier-ignore
    for (const bytes of ['', 'hello', '<html/>']) {
      const { status, json } = await handIn({ user, bytes });
      expect([bytes, status, json.detail[0].loc]).toEqual([bytes, 422, ['body', 'file']]);
    }
    expect((await handIn({ user: crypto.randomUUID(), bytes: fitRun() })).status).toBe(404);
    const stranger = await house.team();
    expect((await handIn({ user, bytes: fitRun(), by: stranger })).status).toBe(404);
  });

  it('fails with the place when it is broken, and leaves nothing', async () => {
    const user = await team.user();
    const read = await done(user, (await handIn({ user, bytes: tcxRun().slice(0, 4000) })).json.id);
    expect(read).toMatchObject({ status: 'failed', failure_reason: 'unreadable_file', counts: {} });
    expect(read.failure_message).toMatch(/^line \d+, column \d+: not readable as XML/);
    const { json } = await team.get(`/v2/summary/workouts/${user}?start_date=2024-05-12`);
    expect(json.workouts).toEqual([]);
  });

  it('is read in the end when the storage was away for minutes', async () => {
    const user = await team.user();
    const { signal } = new AbortController();
    const comeBack = takeStorageAway(house);
    let id = '';
    try {
      id = (await handIn({ user, bytes: fitRun({ seconds: 3 }) })).json.id;
      await waitOut(house, {
        row: { table: 'wearable_upload', id },
        readNext: () => readNextUpload(house.app, signal),
        pausesSeconds: [10, 30, 90, 270],
      });
    } finally {
      comeBack();
    }
    house.app.bell.ring('uploads');
    expect(await done(user, id)).toMatchObject({ status: 'completed', failure_reason: null });
  });

  it('is in the storage only until it is read', async () => {
    const user = await team.user();
    const { json } = await handIn({ user, bytes: fitRun({ seconds: 3 }) });
    await done(user, json.id);
    expect(await countOf(FILES, user)).toBe(0);
    house.clock.move(2 * 3_600_000);
    while (await cleanFiles(house.app));
    const { rows } = await house.owner.query(
      'select count(*)::int as count from wearable_file where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ count: 0 }]);
  });
});

it('can come from every status to an end', () => {
  const ends = (from: UploadStatus): boolean => {
    const next = UPLOAD_STATUSES[from].next;
    return next.length === 0 || next.some(ends);
  };
  const all = Object.keys(UPLOAD_STATUSES).filter((name): name is UploadStatus => name in UPLOAD_STATUSES);
  expect(all.every(ends)).toBe(true);
  expect(canMove('completed', 'reading')).toBe(false);
});
