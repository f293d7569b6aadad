import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { checkCatalogSeed } from './check.ts';
import { hasCheckDigit } from './loinc.ts';
import { readCatalogSeed } from './seed.ts';
import { ACCOUNT_STATUSES, COLLECTION_METHODS, DELEGATED_FLOWS, QUESTION_TYPES } from './vocabulary.ts';

const FOLDER = new URL('../../../../data/catalog/', import.meta.url);
const seed = readCatalogSeed(FOLDER);
const markersOf = (lab: string) => seed.markers.filter((marker) => marker.lab === lab);

const CENTRAL = ['labcorp', 'quest', 'bioreference', 'sonora_quest'];
const KITS = ['ussl', 'crl', 'spiriplex', 'us_biotek', 'mtl', 'sanocardio'];

describe('the shipped catalog', () => {
  it.each(CENTRAL)('is large enough to be useful at %s', (lab) => {
    const markers = markersOf(lab);
    expect(markers.length).toBeGreaterThanOrEqual(150);
    expect(markers.filter(({ type }) => type === 'panel').length).toBeGreaterThanOrEqual(50);
    expect(markers.filter(({ aoe }) => aoe !== null).length).toBeGreaterThanOrEqual(12);
    const types = markers.flatMap(({ aoe }) => aoe?.questions.map(({ type }) => type) ?? []);
    expect([...new Set(types)].sort()).toEqual([...QUESTION_TYPES].sort());
    expect(markers.flatMap(({ aoe }) => aoe?.questions ?? []).some(({ code }) => code === 'FASTING')).toBe(
      true,
    );
  });

  it.each(CENTRAL)(
    'has required questions of every type at %s, for markers that can be ordered a la carte',
    (lab) => {
      const asked = markersOf(lab)
        .filter(({ is_orderable, a_la_carte_enabled }) => is_orderable && a_la_carte_enabled)
        .flatMap(({ aoe }) => aoe?.questions ?? [])
        .filter(({ required }) => required);
      expect(new Set(asked.map(({ type }) => type))).toEqual(new Set(QUESTION_TYPES));
    },
  );

  it.each(KITS)('has test kits at %s', (lab) => {
    expect(seed.labs.find(({ slug }) => slug === lab)?.collection_methods).toEqual(['testkit']);
    expect(markersOf(lab).length).toBeGreaterThanOrEqual(25);
  });

  it('has a LOINC code for every result of a central laboratory', () => {
    const results = CENTRAL.flatMap(markersOf).flatMap((marker) => marker.expected_results);
    expect(results.filter(({ loinc }) => loinc === null)).toEqual([]);
  });

  it('has markers that cannot be ordered, and markers that are available in panels only', () => {
    expect(markersOf('labcorp').some(({ is_orderable }) => !is_orderable)).toBe(true);
    expect(markersOf('labcorp').some((marker) => marker.is_orderable && !marker.a_la_carte_enabled)).toBe(
      true,
    );
  });

  it('has plausible critical values for results that laboratories report by phone', () => {
    const critical = ['glucose', 'potassium', 'sodium', 'calcium', 'hemoglobin', 'platelets'];
    const bands = seed.analytes.flatMap(({ key, measure }) =>
      critical.includes(key) && measure.kind === 'numeric' ? [measure.bands] : [],
    );
    expect(bands.length).toBe(critical.length);
    expect(
      bands.every(({ critical_low, critical_high }) => critical_low !== null && critical_high !== null),
    ).toBe(true);
  });
});

describe('LOINC', () => {
  const [head = '', ...rows] = readFileSync(new URL('loinc.tsv', FOLDER), 'utf8').trimEnd().split('\n');
  const official = new Map(rows.map((row) => row.split('\t')).map((cells) => [cells[0], cells]));

  it('carries the official display name of every code, and no row that is not official', () => {
    const status = head.split('\t').indexOf('name_status');
    expect(rows.every((row) => row.split('\t')[status] === 'official')).toBe(true);
    const named = seed.analytes.flatMap(({ loinc }) => (loinc ? [[loinc.code, loinc.name]] : []));
    expect(named).toEqual(rows.map((row) => row.split('\t').slice(0, 2)));
    expect(named.every(([code = '']) => official.has(code) && hasCheckDigit(code))).toBe(true);
  });

  it.each(['2160-1', '2160', '2160-', '21600', '-0', 'LP2160-0'])('refuses %s', (code) => {
    expect(hasCheckDigit(code)).toBe(false);
  });

  it('ships its notice and its license', () => {
    expect(readFileSync(new URL('LOINC-NOTICE.txt', FOLDER), 'utf8')).toContain('Regenstrief Institute');
    expect(readFileSync(new URL('LOINC-LICENSE.txt', FOLDER), 'utf8').length).toBeGreaterThan(1000);
  });
});

describe('the standard lab tests', () => {
  it('are one for each collection method', () => {
    expect(seed.lab_tests.map(({ method }) => method).sort()).toEqual([...COLLECTION_METHODS].sort());
    expect(seed.lab_tests.filter(({ registrable }) => registrable).map(({ method }) => method)).toEqual([
      'testkit',
    ]);
  });

  it('require fasting if a marker requires it', () => {
    for (const test of seed.lab_tests) {
      const markers = seed.markers.filter(({ id }) => test.marker_ids.includes(id));
      const asks = markers.some(({ aoe }) => aoe?.questions.some(({ code }) => code === 'FASTING'));
      expect([test.slug, test.fasting]).toEqual([test.slug, asks]);
    }
  });
});

describe('the lab tests of sandboxes', () => {
  const tests = [...seed.lab_tests, ...seed.sandbox_lab_tests];

  it('are at least fifteen with the standard ones, at every laboratory', () => {
    expect(tests.length).toBeGreaterThanOrEqual(15);
    expect(new Set(tests.map(({ lab }) => lab))).toEqual(new Set(seed.labs.map(({ slug }) => slug)));
  });

  it('require fasting if a marker requires it', () => {
    const asks = (ids: readonly number[]) =>
      seed.markers.some(
        ({ id, aoe }) => ids.includes(id) && aoe?.questions.some(({ code }) => code === 'FASTING') === true,
      );
    expect(seed.sandbox_lab_tests.map(({ slug, fasting }) => [slug, fasting])).toEqual(
      seed.sandbox_lab_tests.map(({ slug, marker_ids }) => [slug, asks(marker_ids)]),
    );
  });
});

describe('the sandbox lab accounts', () => {
  it('have every status with every delegated flow', () => {
    const seen = new Set(
      seed.lab_accounts.map(({ status, delegated_flow }) => `${status} ${delegated_flow}`),
    );
    for (const status of ACCOUNT_STATUSES) {
      for (const flow of DELEGATED_FLOWS) expect(seen).toContain(`${status} ${flow}`);
    }
  });

  it.each([
    ['labcorp', ['not_delegated']],
    ['quest', ['order_delegated']],
    ['sonora_quest', ['fully_delegated']],
    ['bioreference', ['result_delegated', 'not_delegated', 'not_delegated']],
  ])('are active at %s as %j', (lab, flows) => {
    const active = seed.lab_accounts.filter((account) => account.lab === lab && account.status === 'active');
    expect(active.map(({ delegated_flow }) => delegated_flow)).toEqual(flows);
  });

  it('have default clinical notes once, and a pending one to import orders into', () => {
    expect(seed.lab_accounts.filter((account) => account.default_clinical_notes !== null).length).toBe(1);
    expect(seed.lab_accounts.some(({ lab, status }) => lab === 'labcorp' && status === 'pending')).toBe(true);
  });
});

describe('a hand-edited catalog', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const read = (edit: { file: string; from: string; to: string }) => () => {
    cpSync(fileURLToPath(FOLDER), folder, { recursive: true });
    const content = readFileSync(join(folder, edit.file), 'utf8');
    expect(content).toContain(edit.from);
    writeFileSync(join(folder, edit.file), content.replace(edit.from, edit.to));
    return readCatalogSeed(folder);
  };

  // prettier-ignore
  it.each([
    { what: 'a repeated id', file: 'markers-quest.jsonl', from: '"id":20002', to: '"id":20001', fault: 'duplicate marker id 20001' },
    { what: 'a wrong check digit', file: 'analytes.jsonl', from: '"code":"2160-0"', to: '"code":"2160-1"', fault: 'wrong check digit' },
    { what: 'an unknown analyte', file: 'markers-crl.jsonl', from: '"analyte":"tsh"', to: '"analyte":"nothing"', fault: 'unknown analyte nothing' },
    { what: 'an unknown marker', file: 'lab-tests.json', from: '"LC', to: '"XX', fault: 'has the unknown marker XX' },
    { what: 'an id of another lab', file: 'markers-mtl.jsonl', from: '"id":15', to: '"id":25', fault: 'outside the range of its lab' },
    { what: 'a normal band beyond the range', file: 'analytes.jsonl', from: '"normal":[72,97]', to: '"normal":[72,100]', fault: 'is not inside 70-99' },
    { what: 'bands that overlap', file: 'analytes.jsonl', from: '"critical_low":[44,50]', to: '"critical_low":[44,55]', fault: 'the bands overlap' },
    { what: 'an unknown field', file: 'labs.json', from: '"city"', to: '"town"', fault: 'labs.json[0]' },
    { what: 'an unknown state', file: 'lab-accounts.json', from: '"AZ"', to: '"ZZ"', fault: 'lab-accounts.json[0]' },
    { what: 'a standard test that asks more', file: 'lab-tests.json', from: 'LC49595', to: 'LC43813', fault: 'needs an answer to URINE_VOLUME' },
  ])('is rejected with $what', ({ fault, ...edit }) => {
    expect(read(edit)).toThrow(fault);
  });

  it('reports all faults at once', () => {
    const [first, ...others] = seed.markers;
    if (!first) throw new Error('no markers');
    const twice = { ...seed, markers: [first, first, ...others], labs: [...seed.labs, ...seed.labs] };
    expect(checkCatalogSeed(twice).length).toBeGreaterThan(2);
  });
});
