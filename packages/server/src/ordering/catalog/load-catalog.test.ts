import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../test/service.ts';
import { seedCatalog } from './catalog.ts';
import { toCatalogResult } from './expected-result.ts';
import type { SeedResult } from './seed/catalog-seed.ts';

const MARKERS = 'data/catalog/markers-crl.jsonl';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await openTestService();
  folder = await mkdtemp(join(tmpdir(), 'aliquot-catalog-'));
  await cp(new URL('data/catalog/', service.app.root), join(folder, 'data/catalog'), { recursive: true });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const load = () =>
  seedCatalog({ db: service.app.db, log: service.app.log, root: pathToFileURL(`${folder}/`) });
const write = (lines: readonly string[]) => writeFile(join(folder, MARKERS), lines.join('\n'));
/** The lines of the shipped markers of a laboratory without one that no lab test uses, and that one. */
async function withoutOne() {
  const lines = (await readFile(new URL(MARKERS, service.app.root), 'utf8')).trim().split('\n');
  const files = ['lab-tests.json', 'sandbox-lab-tests.json'].map((name) =>
    readFile(join(folder, 'data/catalog', name), 'utf8'),
  );
  const used = (await Promise.all(files)).join('');
  const gone = lines.findIndex((line) => !used.includes(`"${JSON.parse(line).provider_id}"`));
  const [left] = lines.splice(gone, 1).map((line) => JSON.parse(line));
  return { lines, left };
}
/** Grows with every write to a marker. */
const writes = async () => {
  const { rows } = await service.ownerPool.query<{ at: string }>(
    'select max(xmin::text::bigint)::text as at from marker',
  );
  return rows[0]?.at;
};

describe('the catalog', () => {
  it('is not loaded again while its files are unchanged', async () => {
    const before = await writes();
    await load();
    expect(await writes()).toBe(before);
  });

  it('is loaded once by concurrent processes after a change; removed markers are retired', async () => {
    const { lines, left } = await withoutOne();
    const renamed = { ...JSON.parse(lines[0] ?? ''), name: 'Renamed marker' };
    await write([JSON.stringify(renamed), ...lines.slice(1)]);
    await Promise.all([load(), load(), load()]);

    const team = await service.team();
    const { json } = await team.get('/v3/lab_tests/markers?lab_slug=crl&size=100');
    expect(json.total).toBe(lines.length);
    expect(json.markers).toContainEqual(expect.objectContaining({ id: renamed.id, name: 'Renamed marker' }));
    expect(json.markers).not.toContainEqual(expect.objectContaining({ id: left.id }));
    const { rows } = await service.ownerPool.query(
      'select is_orderable, retired_at from marker where id = $1',
      [left.id],
    );
    expect(rows).toEqual([{ is_orderable: false, retired_at: expect.any(Date) }]);
  });

  it('restores a marker that was removed and added again', async () => {
    const { lines, left } = await withoutOne();
    await write(lines);
    await load();
    await write([...lines, JSON.stringify(left)]);
    await load();
    const team = await service.team();
    const again = await team.get(`/v3/lab_tests/markers?lab_slug=crl&size=100`);
    expect(again.json.markers).toContainEqual(
      expect.objectContaining({ id: left.id, is_orderable: left.is_orderable }),
    );
  });
});

describe('an expected result', () => {
  const result = (measure: SeedResult['measure']): SeedResult => ({
    id: 1,
    name: 'Hemoglobin A1c',
    slug: 'hemoglobin-a1c',
    lab_id: 1,
    provider_id: 'X1',
    required: true,
    analyte: 'hba1c',
    synonyms: [],
    loinc: null,
    measure,
  });

  it('has inclusive bounds, even for an exclusive reference range', () => {
    const expected = toCatalogResult(
      result({
        kind: 'numeric',
        unit: '%',
        decimals: 1,
        reference: { min: 4, max: 5.7, min_inclusive: true, max_inclusive: false, text: '4.0-<5.7' },
        bands: {
          normal: [4.5, 5.5],
          abnormal_low: [3, 3.9],
          abnormal_high: [5.7, 9],
          critical_low: [0, 2],
          critical_high: [14, 18],
        },
        reportable_min: null,
      }),
    );
    expect(expected).toMatchObject({
      low: 4,
      high: 5.6,
      criticalLow: 2,
      criticalHigh: 14,
      decimals: 1,
      unit: '%',
    });
    expect(expected).toMatchObject({ kind: 'numeric', normalText: null, loinc: null });
  });

  it('has texts if it is not numeric', () => {
    const answers = { normal: ['Negative'], abnormal: ['Positive'], critical: [] };
    const expected = toCatalogResult(result({ kind: 'coded', reference: { text: 'Negative' }, answers }));
    expect(expected).toMatchObject({
      kind: 'coded',
      normalText: 'Negative',
      abnormalText: 'Positive',
      low: null,
    });
  });
});
