import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitForUploads } from '../../test/finished-uploads.ts';
import { openRouteSamples } from '../../test/route-samples.ts';
import { ingestReadings, origin, sample, samplesReading } from '../../test/wearable-data.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTestService } from '../../test/service-hooks.ts';
import { SEALED_COLUMNS } from '../data-keys/sealed-columns.ts';
import { USER_TABLES } from '../users/erasures/erasures.ts';
import { NOT_EXPORTED } from './user-export.ts';

interface ExportedLine {
  readonly section: string;
  // Each section has rows of its own shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

const service = useTestService();
const NDJSON = { accept: 'application/x-ndjson' };
let team: TestTeam;
let userId: string;
let texts: string[];
let lines: ExportedLine[];

const pathOf = (user: string, { orgId, tenant }: TestTeam = team) =>
  `/v1/org/${orgId}/team/${tenant.teamId}/sandbox/user_export/${user}`;
const sectionOf = (name: string) => lines.filter(({ section }) => section === name).map(({ data }) => data);

beforeAll(async () => {
  const samples = await openRouteSamples(service);
  team = samples.owner;
  userId = samples.theirs['user_id'] ?? '';
  const heartrate = samplesReading('heartrate', [sample({ value: 61.5 })]);
  const track = { kind: 'workout_stream', origin: origin(), workoutKey: 'workouts-1' } as const;
  const columns = { time: [1_772_438_400, 1_772_438_401], heartrate: [120, 121] };
  await ingestReadings({ service, team, userId }, [heartrate, { ...track, columns }]);
  await team.patch(`/v2/user/${userId}/info`, {
    first_name: 'Quirina',
    last_name: 'Export',
    email: 'q@example.com',
    phone_number: '+14155550132',
    gender: 'female',
    dob: '1985-12-10',
    address: { first_line: '1 Main', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
  });
  await waitForUploads(samples);
  await service.settle();
  const answer = await service.http.server.inject({
    url: pathOf(userId),
    headers: { ...NDJSON, 'x-management-key': team.managementKey },
  });
  texts = answer.body.trimEnd().split('\n');
  lines = texts.map((text) => JSON.parse(text));
});

describe('the export of a user', () => {
  it('has a section for every row that the inventory counts, except those with a reason', async () => {
    const { json } = await team.management.get(pathOf(userId));
    expect(json.sections.length).toBeGreaterThan(20);
    for (const { section, rows } of json.sections)
      expect([section, sectionOf(section).length]).toEqual([section, section in NOT_EXPORTED ? 0 : rows]);
  });

  it('names only tables that exist as not exported', () => {
    const known = new Set(USER_TABLES.map(({ table }) => table));
    expect(Object.keys(NOT_EXPORTED).filter((table) => !known.has(table))).toEqual([]);
  });

  it('opens what is encrypted, and leaves out credentials', () => {
    expect(sectionOf('user_info')).toMatchObject([{ document: { first_name: 'Quirina' } }]);
    for (const { private: order } of sectionOf('lab_order')) expect(typeof order).toBe('object');
    for (const connection of sectionOf('connection')) expect(connection).not.toHaveProperty('private');
    expect(SEALED_COLUMNS).toContain('connection.private');
    expect(sectionOf('issued_token')).toEqual([]);
    expect(texts.join('')).not.toMatch(/"\\\\x[0-9a-f]{20}/);
  });

  it('has results as FHIR, samples as in the API, files and access log lines', () => {
    const [bundle] = sectionOf('fhir');
    expect(bundle).toMatchObject({ resourceType: 'Bundle' });
    const types = bundle.entry.map(
      ({ resource }: { resource: { resourceType: string } }) => resource.resourceType,
    );
    expect(types).toEqual(
      expect.arrayContaining(['DiagnosticReport', 'Patient', 'ServiceRequest', 'Observation']),
    );
    const rates = sectionOf('samples').filter(({ resource }) => resource === 'heartrate');
    expect(rates[0].samples[0]).toMatchObject({ value: 61.5 });
    const columns = expect.objectContaining({ time: [1_772_438_400, 1_772_438_401], heartrate: [120, 121] });
    expect(sectionOf('workout_stream')).toContainEqual(expect.objectContaining({ columns }));
    const file = Buffer.concat(sectionOf('files').map(({ base64 }) => Buffer.from(base64, 'base64')));
    expect(file.subarray(0, 5).toString()).toBe('%PDF-');
    expect(file).toHaveLength(sectionOf('files')[0].size);
    expect(sectionOf('access_log').length).toBeGreaterThan(2);
  });

  it('ends with a manifest of digests that match', () => {
    const { section, data } = lines.at(-1) ?? { section: '', data: {} };
    expect(section).toBe('manifest');
    expect(data).toMatchObject({ format: 'aliquot-user-export', version: 1, user_id: userId });
    for (const { section: name, lines: count, sha256 } of data.sections) {
      const own = texts.filter((_text, at) => lines[at]?.section === name);
      expect(own).toHaveLength(count);
      expect(
        createHash('sha256')
          .update(own.map((text) => `${text}\n`).join(''))
          .digest('hex'),
      ).toBe(sha256);
    }
    expect(data.sections.reduce((sum: number, one: { lines: number }) => sum + one.lines, 1)).toBe(
      lines.length,
    );
  });

  it('contains nothing about another user', async () => {
    const other = await team.user();
    expect(texts.join('')).not.toContain(other);
    const { rows } = await service.ownerPool.query<{ id: string }>(
      'select id from lab_order where team_id = $1 and user_id <> $2',
      [team.tenant.teamId, userId],
    );
    expect(rows.length).toBeGreaterThan(0);
    const orders = new Set(sectionOf('lab_order').map(({ id }) => id));
    expect(rows.filter(({ id }) => orders.has(id))).toEqual([]);
  });

  it('is in the audit log and in the access log', async () => {
    const audit = await team.management.get(`/v1/org/${team.orgId}/audit_log?action=user.export`);
    expect(audit.json.data).toMatchObject([{ subject: userId, after: { environment: 'sandbox' } }]);
    const log = pathOf(userId).replace(/user_export.*/, 'access_log?operation=exportUser');
    await expect
      .poll(async () => (await team.management.get(log)).json.data[0]?.user_id, { timeout: 50_000 })
      .toBe(userId);
  });

  it('is refused for users of other teams and for unknown ones', async () => {
    const stranger = await service.team();
    expect((await stranger.management.get(pathOf(userId), NDJSON)).status).toBe(404);
    expect((await stranger.management.get(pathOf(userId, stranger), NDJSON)).status).toBe(404);
  });
});
