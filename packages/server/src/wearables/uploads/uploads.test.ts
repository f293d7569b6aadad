import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { failStorage, expectRetryPauses } from '../../../test/storage-outage.ts';
import {
  appleDocument,
  appleRecord,
  fitRun,
  gpxRun,
  uploadWearableFile,
  openFolder,
  START,
  tcxRun,
  writeAppleZip,
} from '../../../test/wearable-files.ts';
import { cleanFiles } from './files.ts';
import { readNextUpload } from './read-uploads.ts';
import { canTransition, UPLOAD_STATUSES, type UploadStatus } from './status.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

interface UploadInput {
  readonly user: string;
  readonly bytes: Buffer | string;
  readonly as?: 'form' | 'body';
  readonly by?: TestTeam;
  readonly headers?: Record<string, string>;
}

const upload = ({ user: userId, by = team, ...file }: UploadInput) =>
  uploadWearableFile(service, by, { userId, ...file });

async function done(user: string, id: string, by = team) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const { json } = await by.get(`/v2/user/${user}/wearable_file/${id}`);
    if (json.status === 'completed' || json.status === 'failed') return json;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The file is still not read');
}

const countOf = async (sql: string, user: string) =>
  Number((await service.ownerPool.query(sql, [user])).rows[0].count);
const FILES = `select count(*) from wearable_file f where f.upload_id is not null and exists (
  select from wearable_upload w where w.id = f.upload_id and w.user_id = $1)`;

describe('an uploaded file', () => {
  it('of Apple Health fills the activity of a day without counting the phone and the watch twice', async () => {
    const user = await team.user();
    // At 08:30 of the phone's time.
    const hour = { start: START, end: START + 3_600_000 };
    const record = (type: string, unit: string, given: object) =>
      appleRecord(`HKQuantityTypeIdentifier${type}`, { value: 0, unit, ...hour, ...given });
    const yesterday = { start: START - 86_400_000, end: START - 86_000_000 };
    const summary =
      '<ActivitySummary dateComponents="2024-05-12" activeEnergyBurned="300" activeEnergyBurnedUnit="kcal"/>';
    const document = appleDocument([
      record('StepCount', 'count', { value: 1000 }),
      record('StepCount', 'count', { value: 900, by: 'phone' }),
      record('StepCount', 'count', { value: 50, by: 'phone', start: hour.end, end: hour.end + 600_000 }),
      record('StepCount', 'count', { value: 70, by: 'phone', ...yesterday }),
      record('DistanceWalkingRunning', 'km', { value: 0.8 }),
      record('FlightsClimbed', 'count', { value: 4 }),
      record('AppleExerciseTime', 'min', { value: 30 }),
      record('ActiveEnergyBurned', 'kcal', { value: 290 }),
      record('BasalEnergyBurned', 'kcal', { value: 60 }),
      summary,
    ]);
    const folder = await openFolder();
    await writeAppleZip(folder.path('steps.zip'), { document });
    const bytes = await readFile(folder.path('steps.zip'));
    await folder.close();
    await done(user, (await upload({ user, bytes })).json.id);
    const read = () => team.get(`/v2/summary/activity/${user}?start_date=2024-05-11&end_date=2024-05-12`);
    const { json } = await read();
    expect(json.activity).toMatchObject([
      { calendar_date: '2024-05-11', steps: 70, derived: true },
      { calendar_date: '2024-05-12', steps: 1050, distance: 800, floors_climbed: 4, medium: 30 },
    ]);
    expect(json.activity[1]).toMatchObject({ calories_active: 300, calories_total: 360 });
    expect(json.activity[1]).not.toHaveProperty('derived');
    const again = await done(user, (await upload({ user, bytes })).json.id);
    expect(again.counts.activity).toEqual({ created: 0, updated: 0, unchanged: 2 });
    expect((await read()).json).toEqual(json);
  });

  it('of Apple Health takes the place of an activity that was derived from a push', async () => {
    const user = await team.user();
    const hour = { start: START, end: START + 3_600_000 };
    const [timestamp, end] = [hour.start, hour.end].map((at) => new Date(at).toISOString());
    const source = { provider: 'apple_health_kit', type: 'watch' };
    await team.post(`/v2/timeseries/${user}/steps`, { source, data: [{ timestamp, end, value: 50 }] });
    const read = async () =>
      (await team.get(`/v2/summary/activity/${user}?start_date=2024-05-12&end_date=2024-05-12`)).json
        .activity;
    expect(await read()).toMatchObject([{ steps: 50, derived: true }]);
    const steps = { value: 1000, unit: 'count', ...hour };
    const folder = await openFolder();
    await writeAppleZip(folder.path('steps.zip'), {
      document: appleDocument([appleRecord('HKQuantityTypeIdentifierStepCount', steps)]),
    });
    const bytes = await readFile(folder.path('steps.zip'));
    await folder.close();
    await done(user, (await upload({ user, bytes })).json.id);
    expect(await read()).toMatchObject([{ steps: 1000, derived: true }]);
    await team.post(`/v2/timeseries/${user}/steps`, { source, data: [{ timestamp: end, value: 5 }] });
    expect(await read()).toHaveLength(1);
  });

  it('without an offset counts toward the day of the user', async () => {
    const user = await team.user();
    const zone = { fallback_time_zone: 'Asia/Tokyo' };
    expect((await team.patch(`/v2/user/${user}`, zone)).status).toBe(204);
    const late = Date.UTC(2024, 4, 12, 22, 30);
    await done(user, (await upload({ user, bytes: gpxRun({ start: late }) })).json.id);
    const { json } = await team.get(`/v2/summary/workouts/${user}?start_date=2024-05-13`);
    expect(json.workouts).toMatchObject([{ calendar_date: '2024-05-13' }]);
  });

  it('is ingested, and importing it again changes nothing', async () => {
    const user = await team.user();
    const first = await upload({ user, bytes: fitRun() });
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
    const again = await done(user, (await upload({ user, bytes: fitRun(), as: 'form' })).json.id);
    expect(again.counts).toMatchObject({
      workouts: { created: 0, updated: 0, unchanged: 1 },
      heartrate: { created: 0, updated: 0, unchanged: 61 },
    });
    const workouts = await team.get(`/v2/summary/workouts/${user}?start_date=2024-05-12`);
    expect(workouts.json.workouts).toMatchObject([{ sport: { slug: 'trail_running' }, distance: 198 }]);
    const stream = await team.get(`/v2/timeseries/workouts/${workouts.json.workouts[0].id}/stream`);
    expect(stream.json.heartrate).toHaveLength(61);
  });

  it('wakes the reader', async () => {
    let rung = 0;
    const silence = service.app.notifier.subscribe('uploads', () => (rung += 1));
    const user = await team.user();
    const { json } = await upload({ user, bytes: fitRun({ seconds: 3 }) });
    silence();
    expect(rung).toBeGreaterThan(0);
    await done(user, json.id);
  });

  it('emits one historical event per resource, and none when imported again', async () => {
    const user = await team.user();
    const receiver = await team.endpoint({ filter_types: ['daily.data.*', 'historical.data.*'] });
    const told = async () => {
      await service.settle();
      return receiver.received
        .splice(0)
        .map(({ body }) => body.event_type)
        .toSorted();
    };
    const first = await done(user, (await upload({ user, bytes: gpxRun() })).json.id);
    const resources = Object.keys(first.counts).toSorted();
    expect(resources).toContain('workouts');
    expect(await told()).toEqual(resources.map((name) => `historical.data.${name}.created`));
    await done(user, (await upload({ user, bytes: gpxRun() })).json.id);
    expect(await told()).toEqual([]);
  });

  it('emits its data as events, too, if the pipeline of the team pushes historical data', async () => {
    const own = await service.team();
    const path = `/v1/org/${own.orgId}/team_etl_pipelines/sandbox/us`;
    await own.management.post(path, { team_ids: [own.tenant.teamId], push_historical_data: true });
    const user = await own.user();
    const receiver = await own.endpoint({ filter_types: ['daily.data.*', 'historical.data.*'] });
    await done(user, (await upload({ user, bytes: gpxRun(), by: own })).json.id, own);
    await service.settle();
    const told = new Set(receiver.events());
    const { rows } = await service.ownerPool.query(
      'select event_type from event where user_id = $1 order by position',
      [user],
    );
    for (const resource of ['workouts', 'workout_stream'])
      for (const kind of ['daily', 'historical'])
        expect([...told]).toContain(`${kind}.data.${resource}.created`);
    const order = rows.map((row) => row.event_type.split('.')[0]);
    expect(order.lastIndexOf('daily')).toBeLessThan(order.indexOf('historical'));
  });

  it('is accepted once per idempotency key, which is rejected for another user', async () => {
    const [user, other] = [await team.user(), await team.user()];
    const file = { bytes: fitRun({ seconds: 5 }), headers: { 'x-idempotency-key': 'one-file' } };
    const first = await upload({ user, ...file });
    expect(first).toMatchObject({ status: 200, json: { user_id: user } });
    expect(await upload({ user, ...file })).toEqual(first);
    expect((await upload({ user: other, ...file })).status).toBe(409);
    await done(user, first.json.id);
  });

  it('may be an Apple Health export', async () => {
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
    const { json } = await upload({ user, bytes: await readFile(folder.path('export.zip')) });
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

  it('is rejected at once if the format is unsupported', async () => {
    const user = await team.user();
    // prettier-ignore
    for (const bytes of ['', 'hello', '<html/>']) {
      const { status, json } = await upload({ user, bytes });
      expect([bytes, status, json.detail[0].loc]).toEqual([bytes, 422, ['body', 'file']]);
    }
    expect((await upload({ user: crypto.randomUUID(), bytes: fitRun() })).status).toBe(404);
    const stranger = await service.team();
    expect((await upload({ user, bytes: fitRun(), by: stranger })).status).toBe(404);
  });

  it('fails with a position if it is broken, and stores nothing', async () => {
    const user = await team.user();
    const read = await done(user, (await upload({ user, bytes: tcxRun().slice(0, 4000) })).json.id);
    expect(read).toMatchObject({ status: 'failed', failure_reason: 'unreadable_file', counts: {} });
    expect(read.failure_message).toMatch(/^line \d+, column \d+: not readable as XML/);
    const { json } = await team.get(`/v2/summary/workouts/${user}?start_date=2024-05-12`);
    expect(json.workouts).toEqual([]);
  });

  it('is read after a storage outage of minutes', async () => {
    const user = await team.user();
    const { signal } = new AbortController();
    const comeBack = failStorage(service);
    let id = '';
    try {
      id = (await upload({ user, bytes: fitRun({ seconds: 3 }) })).json.id;
      await expectRetryPauses(service, {
        row: { table: 'wearable_upload', id },
        readNext: () => readNextUpload(service.app, signal),
        pausesSeconds: [10, 30, 90, 270],
      });
    } finally {
      comeBack();
    }
    service.app.notifier.notify('uploads');
    expect(await done(user, id)).toMatchObject({ status: 'completed', failure_reason: null });
  });

  it('is deleted from the storage after it is read', async () => {
    const user = await team.user();
    const { json } = await upload({ user, bytes: fitRun({ seconds: 3 }) });
    await done(user, json.id);
    expect(await countOf(FILES, user)).toBe(0);
    service.clock.move(2 * 3_600_000);
    while (await cleanFiles(service.app));
    const { rows } = await service.ownerPool.query(
      'select count(*)::int as count from wearable_file where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ count: 0 }]);
  });
});

it('reaches a final status from every status', () => {
  const ends = (from: UploadStatus): boolean => {
    const next = UPLOAD_STATUSES[from].next;
    return next.length === 0 || next.some(ends);
  };
  const all = Object.keys(UPLOAD_STATUSES).filter((name): name is UploadStatus => name in UPLOAD_STATUSES);
  expect(all.every(ends)).toBe(true);
  expect(canTransition('completed', 'reading')).toBe(false);
});
