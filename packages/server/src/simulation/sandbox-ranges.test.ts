import { describe, expect, it } from 'vitest';
import { toCatalogResult } from '../ordering/catalog/expected-result.ts';
import { readCatalogSeed } from '../ordering/catalog/seed/seed.ts';
import type { ExpectedResult, PlacedRequisition, ReportedResult } from '../adapters/lab-network/port.ts';
import { ANALYTE_INTERVALS } from '../adapters/lab-network/simulated-reference-intervals.ts';
import { createSimulatedLabNetwork } from '../adapters/lab-network/simulated.ts';

const seed = readCatalogSeed(new URL('../../data/catalog/', import.meta.url));
const catalog = new Map(
  seed.markers
    .filter(({ lab }) => lab === 'labcorp')
    .flatMap((marker) => marker.expected_results.map(toCatalogResult))
    .map((result) => [result.loinc, result]),
);
const network = createSimulatedLabNetwork();
const at = new Date('2026-03-02T15:00:00Z');

interface ReportRequest {
  readonly gender: string;
  readonly age: number | null;
  readonly expected?: readonly ExpectedResult[];
  readonly interpretation?: 'normal' | 'abnormal' | 'critical';
  readonly order?: number;
}

const fittedOf = (loincs: readonly string[]): ExpectedResult[] =>
  loincs.map((loinc) => {
    const found = catalog.get(loinc);
    if (!found) throw new Error(`No ${loinc} in the catalog`);
    return found;
  });
const ALL = fittedOf(ANALYTE_INTERVALS.map(({ loinc }) => loinc));

async function report({ gender, age, expected = ALL, interpretation = 'normal', order = 1 }: ReportRequest) {
  const placed: PlacedRequisition = {
    tenant: { teamId: '', environment: 'sandbox' },
    orderId: `01900000-0000-7000-8000-${String(order).padStart(12, '0')}`,
    lab: 'labcorp',
    accountNumber: null,
    patient: { firstName: 'A', lastName: 'B', dob: age === null ? '' : `${2026 - age}-01-01`, gender },
    tests: [{ markerId: 1, providerId: null, name: 'All', slug: 'all', expected }],
    clinicalNotes: null,
    priority: false,
    sampleId: 'S1',
    collectedAt: at,
    receivedAt: at,
    reportedAt: at,
    wish: { interpretation, resultTypes: null, hasMissingResults: false, status: 'final' },
  };
  const [made] = await network.reports(placed);
  return made?.results ?? [];
}

const rangesOf = async (request: ReportRequest) =>
  new Map((await report(request)).map(({ expected, referenceRange }) => [expected.loinc, referenceRange]));

/** The printed range decides, whatever the laboratory computed with. */
function isWithin({ referenceRange, value }: ReportedResult): boolean {
  const [, sign, bound] = /^([<>])(.+)$/.exec(referenceRange ?? '') ?? [];
  if (sign === '<') return value < Number(bound);
  if (sign === '>') return value > Number(bound);
  const [low = -Infinity, high = Infinity] = (referenceRange ?? '').split('-').map(Number);
  return referenceRange === null || (value >= low && value <= high);
}

const PEOPLE = ['female', 'male'].flatMap((gender) =>
  [0, 1, 3, 7, 11, 13, 14, 16, 18, 22, 34, 41, 48, 52, 66, 78, 93].map((age) => ({ gender, age })),
);

describe('the table of reference intervals', () => {
  it('replaces exactly the general interval of the catalog, in its unit', () => {
    for (const { loinc, unit, general } of ANALYTE_INTERVALS) {
      expect([loinc, catalog.get(loinc)?.unit, catalog.get(loinc)?.rangeText]).toEqual([
        loinc,
        unit,
        general,
      ]);
    }
    expect(new Set(ANALYTE_INTERVALS.map(({ loinc }) => loinc)).size).toBe(ANALYTE_INTERVALS.length);
  });

  it('has ascending ages, printable bounds within the critical limits, and a source', () => {
    for (const { loinc, female, male, source } of ANALYTE_INTERVALS) {
      const [{ decimals = 0, criticalLow = null, criticalHigh = null } = {}] = fittedOf([loinc]);
      for (const intervals of [female, male]) {
        const ages = intervals.map(([age]) => age);
        expect(ages, loinc).toEqual([...new Set(ages)].toSorted((a, b) => a - b));
        for (const [, printed] of intervals) {
          const bounds = (printed ?? '').match(/\d+(\.\d+)?/g) ?? [];
          for (const bound of bounds) expect(bound, loinc).toBe(Number(bound).toFixed(decimals));
          expect(bounds.every((bound) => criticalHigh === null || Number(bound) <= criticalHigh)).toBe(true);
          expect(
            printed?.startsWith('>') ||
              criticalLow === null ||
              Number(bounds[0] ?? criticalLow) >= criticalLow,
            loinc,
          ).toBe(true);
        }
      }
      expect(source, loinc).not.toBe('');
    }
  });
});

describe('the reference range of a simulated result', () => {
  it('is that of the sex: testosterone, hemoglobin, ferritin, HDL', async () => {
    const [woman, man] = [
      await rangesOf({ gender: 'female', age: 34 }),
      await rangesOf({ gender: 'male', age: 34 }),
    ];
    expect([woman.get('2986-8'), man.get('2986-8')]).toEqual(['8-60', '264-916']);
    expect([woman.get('718-7'), man.get('718-7')]).toEqual(['12.0-16.0', '13.5-17.5']);
    expect([woman.get('2276-4'), man.get('2276-4')]).toEqual(['15-150', '30-400']);
    expect([woman.get('2085-9'), man.get('2085-9')]).toEqual(['>49', '>39']);
  });

  it('is that of the age: PSA, FSH after menopause, alkaline phosphatase of a child', async () => {
    const psa = await Promise.all([45, 55, 65, 75].map((age) => rangesOf({ gender: 'male', age })));
    expect(psa.map((ranges) => ranges.get('2857-1'))).toEqual(['0.0-2.5', '0.0-3.5', '0.0-4.5', '0.0-6.5']);
    expect((await rangesOf({ gender: 'female', age: 60 })).get('15067-2')).toBe('25.8-134.8');
    expect((await rangesOf({ gender: 'male', age: 8 })).get('6768-6')).toBe('156-369');
  });

  it('is the general interval without a sex or without a birth date', async () => {
    const general = new Map(ANALYTE_INTERVALS.map((each) => [each.loinc, each.general]));
    for (const unknown of [
      { gender: 'unknown', age: 34 },
      { gender: 'other', age: 34 },
      { gender: 'female', age: null },
    ]) {
      expect(await rangesOf(unknown)).toEqual(general);
    }
  });

  it('is absent for a child where none is established', async () => {
    const ranges = await rangesOf({ gender: 'female', age: 8 });
    expect(ranges.get('33914-3')).toBeNull();
    expect(ranges.get('2160-0')).toBe('0.31-0.61');
  });

  it('of an imported catalog stays as imported', async () => {
    const [hemoglobin] = fittedOf(['718-7']);
    if (!hemoglobin) throw new Error('No hemoglobin');
    const own = { ...hemoglobin, rangeText: '11.0-18.0', low: 11, high: 18 };
    expect(await rangesOf({ gender: 'female', age: 34, expected: [own] })).toEqual(
      new Map([['718-7', '11.0-18.0']]),
    );
  });

  it('is read from the codes of HL7, too', async () => {
    expect((await rangesOf({ gender: 'F', age: 34 })).get('2986-8')).toBe('8-60');
    expect((await rangesOf({ gender: 'M', age: 34 })).get('2986-8')).toBe('264-916');
  });
});

describe('the value of a simulated result', () => {
  it.each(PEOPLE)(
    'of a $gender of $age years agrees with its range and its flag',
    async ({ gender, age }) => {
      for (let order = 0; order < 12; order += 1) {
        const normal = await report({ gender, age, order });
        expect(
          normal.filter((each) => !isWithin(each)).map(({ expected, value }) => [expected.name, value]),
        ).toEqual([]);
        expect(normal.every(({ interpretation }) => interpretation === 'normal')).toBe(true);
        const abnormal = await report({ gender, age, order, interpretation: 'abnormal' });
        expect(abnormal.some(({ interpretation }) => interpretation === 'abnormal')).toBe(true);
        for (const each of abnormal)
          expect([each.expected.name, each.interpretation]).toEqual([
            each.expected.name,
            isWithin(each) ? 'normal' : 'abnormal',
          ]);
      }
    },
  );

  it.each(PEOPLE)(
    'of the blood count of a $gender of $age years agree with each other',
    async ({ gender, age }) => {
      for (let order = 0; order < 12; order += 1) {
        const results = await report({
          gender,
          age,
          order,
          expected: fittedOf(['718-7', '4544-3', '789-8', '787-2', '785-6', '786-4']),
        });
        const of = (loinc: string) => results.find(({ expected }) => expected.loinc === loinc)?.value ?? NaN;
        expect(Math.abs(of('787-2') - (of('4544-3') / of('789-8')) * 10)).toBeLessThanOrEqual(0.51);
        expect(Math.abs(of('785-6') - (of('718-7') / of('789-8')) * 10)).toBeLessThanOrEqual(0.051);
        expect(Math.abs(of('786-4') - (of('718-7') / of('4544-3')) * 100)).toBeLessThanOrEqual(0.051);
      }
    },
  );
});
