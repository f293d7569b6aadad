import { describe, expect, it } from 'vitest';
import type {
  ExpectedResult,
  LabReport,
  PlacedRequisition,
  ReportedResult,
  SimulatedReportRequest,
} from '../adapters/lab-network/port.ts';
import { createSimulatedLabNetwork } from '../adapters/lab-network/simulated.ts';
import { toCatalogResult } from '../ordering/catalog/expected-result.ts';
import { readCatalogSeed } from '../ordering/catalog/seed/seed.ts';

const seed = readCatalogSeed(new URL('../../data/catalog/', import.meta.url));
const network = createSimulatedLabNetwork();
const at = new Date('2026-03-02T15:00:00Z');

type SandboxMarker = (typeof seed.markers)[number];

const tests = new Map(
  seed.markers.map(({ id, provider_id, name, slug, expected_results }) => [
    id,
    [{ markerId: id, providerId: provider_id, name, slug, expected: expected_results.map(toCatalogResult) }],
  ]),
);

const orderId = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const DONORS = [
  { dob: '1985-12-10', gender: 'female' },
  { dob: '1950-02-01', gender: 'male' },
  { dob: '2001-07-30', gender: 'unknown' },
  { dob: '1931-07-30', gender: 'female' },
  { dob: '', gender: 'other' },
] as const;

function placed(
  markers: readonly SandboxMarker[],
  number: number,
  wish: Partial<SimulatedReportRequest> = {},
): PlacedRequisition {
  const tenant = { teamId: orderId(0), environment: 'sandbox' } as const;
  const donor = DONORS[number % DONORS.length] ?? DONORS[0];
  return {
    tenant,
    orderId: orderId(number),
    lab: markers[0]?.lab ?? 'labcorp',
    accountNumber: null,
    patient: { firstName: 'Ada', lastName: 'Lovelace', ...donor },
    tests: markers.map((marker) => tests.get(marker.id) ?? []).flat(),
    clinicalNotes: null,
    priority: false,
    sampleId: 'S1',
    collectedAt: at,
    receivedAt: at,
    reportedAt: at,
    wish: { interpretation: 'normal', resultTypes: null, hasMissingResults: false, status: 'final', ...wish },
  };
}

async function reported(requisition: PlacedRequisition): Promise<LabReport> {
  const [report] = await network.reports(requisition);
  if (!report) throw new Error('No report');
  return report;
}

const WORDS = ['critical', 'abnormal', 'normal'] as const;
const worst = ({ results }: LabReport) =>
  WORDS.find((word) => results.some(({ interpretation }) => interpretation === word)) ?? 'unknown';

/** Everything that is wrong with a value as it is printed; empty where it is believable. */
function faultsOf({ expected: analyte, value, result, interpretation, type }: ReportedResult): string[] {
  // This laboratory names what was asked by what it was given.
  const expected = analyte as ExpectedResult;
  if (expected.kind !== 'numeric' || type !== 'numeric')
    return value === -1 ? [] : ['a value without a number'];
  const { low, high, criticalLow, criticalHigh, decimals, unit } = expected;
  const isOut = (low !== null && value < low) || (high !== null && value > high);
  const isBeyond =
    (criticalLow !== null && value < criticalLow) || (criticalHigh !== null && value > criticalHigh);
  // prettier-ignore
  const rules: [string, boolean][] = [
    ['printed otherwise',    result !== value.toFixed(decimals) || Number(result) !== value],
    ['negative',             value < 0],
    ['more than the whole',  unit === '%' && (high ?? 0) <= 100 && value > 100],
    ['absurdly high',        high !== null && value > Math.max(high * 16, (criticalHigh ?? 0) * 1.6, high + 10 * 10 ** -decimals)],
    ['called normal',        interpretation === 'normal' && (isOut || isBeyond)],
    ['called abnormal',      interpretation === 'abnormal' && (!isOut || isBeyond)],
    ['called critical',      interpretation === 'critical' && !isOut],
    ['critical within what alarms nobody', interpretation === 'critical' && !isBeyond && (criticalHigh !== null || criticalLow !== null)],
  ];
  return rules.filter(([, isWrong]) => isWrong).map(([name]) => `${expected.slug} ${result}: ${name}`);
}

const valuesOf = ({ results }: LabReport): Map<string, number> =>
  new Map(results.map(({ expected, value }) => [expected.loinc ?? expected.slug, value]));

/** What has to agree with what, by LOINC, and by how much it may differ. */
// prettier-ignore
const AGREEMENTS: [name: string, needs: string[], off: (of: (loinc: string) => number) => number, most: number][] = [
  ['hematocrit is about three times hemoglobin', ['4544-3', '718-7'],            (v) => v('4544-3') / v('718-7') - 3, 0.2],
  ['MCV',                     ['787-2', '4544-3', '789-8'],                      (v) => v('787-2') - (v('4544-3') / v('789-8')) * 10, 0.51],
  ['MCH',                     ['785-6', '718-7', '789-8'],                       (v) => v('785-6') - (v('718-7') / v('789-8')) * 10, 0.051],
  ['MCHC',                    ['786-4', '718-7', '4544-3'],                      (v) => v('786-4') - (v('718-7') / v('4544-3')) * 100, 0.051],
  ['the differential',        ['770-8', '736-9', '5905-5', '713-8', '706-2'],    (v) => v('770-8') + v('736-9') + v('5905-5') + v('713-8') + v('706-2') - 100, 0],
  ['neutrophils',             ['751-8', '770-8', '6690-2'],                      (v) => v('751-8') - (v('770-8') * v('6690-2')) / 100, 0.051],
  ['lymphocytes',             ['731-0', '736-9', '6690-2'],                      (v) => v('731-0') - (v('736-9') * v('6690-2')) / 100, 0.051],
  ['basophils',               ['704-7', '706-2', '6690-2'],                      (v) => v('704-7') - (v('706-2') * v('6690-2')) / 100, 0.051],
  ['LDL by Friedewald',       ['13457-7', '2093-3', '2085-9', '2571-8'],         (v) => v('13457-7') - (v('2093-3') - v('2085-9') - v('2571-8') / 5), 0.51],
  ['non-HDL',                 ['43396-1', '2093-3', '2085-9'],                   (v) => v('43396-1') - (v('2093-3') - v('2085-9')), 0],
  ['cholesterol over HDL',    ['9830-1', '2093-3', '2085-9'],                    (v) => v('9830-1') - v('2093-3') / v('2085-9'), 0.051],
  ['globulin',                ['2336-6', '2885-2', '1751-7'],                    (v) => v('2336-6') - (v('2885-2') - v('1751-7')), 0.001],
  ['albumin over globulin',   ['1759-0', '1751-7', '2336-6'],                    (v) => v('1759-0') - v('1751-7') / v('2336-6'), 0.051],
  ['electrophoresis',         ['2885-2', '2862-1', '2865-4', '2868-8', '2871-2', '2874-6'], (v) => v('2885-2') - v('2862-1') - v('2865-4') - v('2868-8') - v('2871-2') - v('2874-6'), 0.001],
  ['urea over creatinine',    ['3097-3', '3094-0', '2160-0'],                    (v) => v('3097-3') - v('3094-0') / v('2160-0'), 0.51],
  ['anion gap',               ['33037-3', '2951-2', '2075-0', '2028-9'],         (v) => v('33037-3') - (v('2951-2') - v('2075-0') - v('2028-9')), 0],
  ['an unseen anion gap',     ['2951-2', '2075-0', '2028-9'],                    (v) => v('2951-2') - v('2075-0') - v('2028-9') - 12, 4],
  ['osmolality',              ['2692-2', '2951-2', '2345-7', '3094-0'],          (v) => v('2692-2') - (2 * v('2951-2') + v('2345-7') / 18 + v('3094-0') / 2.8), 0.51],
  ['iron binding',            ['2500-7', '2498-4', '2501-5'],                    (v) => v('2500-7') - v('2498-4') - v('2501-5'), 0],
  ['iron saturation',         ['2502-3', '2498-4', '2500-7'],                    (v) => v('2502-3') - (v('2498-4') / v('2500-7')) * 100, 0.51],
  ['indirect bilirubin',      ['1971-1', '1975-2', '1968-7'],                    (v) => v('1971-1') - (v('1975-2') - v('1968-7')), 0.001],
  ['average glucose',         ['27353-2', '4548-4'],                             (v) => v('27353-2') - (28.7 * v('4548-4') - 46.7), 0.51],
  ['free testosterone',       ['15432-8', '2991-8', '2986-8'],                   (v) => v('15432-8') - (v('2991-8') / v('2986-8')) * 10, 0.0051],
  ['free PSA',                ['12841-3', '10886-0', '2857-1'],                  (v) => v('12841-3') - (v('10886-0') / v('2857-1')) * 100, 0.51],
  ['light chains',            ['48378-4', '36916-5', '33944-0'],                 (v) => v('48378-4') - v('36916-5') / v('33944-0'), 0.0051],
  ['albumin over creatinine', ['14959-1', '14957-5', '2161-8'],                  (v) => v('14959-1') - (v('14957-5') / v('2161-8')) * 100, 0.51],
];

function disagreements(report: LabReport): string[] {
  const values = valuesOf(report);
  return AGREEMENTS.flatMap(([name, needs, off, most]) => {
    if (!needs.every((loinc) => values.has(loinc))) return [];
    const distance = Math.abs(off((loinc) => values.get(loinc) ?? NaN));
    return distance <= most + 1e-9 ? [] : [`${name} is off by ${distance}`];
  });
}

/** CKD-EPI 2021 as its authors print it, apart from the code that is tested. */
const rateOf = (creatinine: number, age: number, isFemale: boolean) => {
  const [k, a] = isFemale ? [0.7, -0.241] : [0.9, -0.302];
  const min = Math.min(creatinine / k, 1);
  const max = Math.max(creatinine / k, 1);
  return 142 * min ** a * max ** -1.2 * 0.9938 ** age * (isFemale ? 1.012 : 1);
};

const panels = seed.markers.filter(({ type, lab }) => type === 'panel' && lab === 'labcorp');

describe('every marker of every laboratory', () => {
  it.each(WORDS)('alone has a believable %s report', async (interpretation) => {
    const faults: string[] = [];
    for (const [number, marker] of seed.markers.entries()) {
      const report = await reported(placed([marker], number, { interpretation }));
      faults.push(
        ...[...report.results.flatMap(faultsOf), ...disagreements(report)].map(
          (fault) => `${marker.slug}: ${fault}`,
        ),
      );
      if (worst(report) !== interpretation) faults.push(`${marker.slug} is ${worst(report)}`);
    }
    expect(faults).toEqual([]);
    expect(seed.markers.length).toBeGreaterThan(2000);
  });
});

describe('several hundred orders of many markers', () => {
  it.each([...WORDS, 'unknown'] as const)(
    'are %s as a whole, and their values agree',
    async (interpretation) => {
      const faults: string[] = [];
      for (let number = 0; number < 240; number += 1) {
        const some = panels.filter(
          (_, index) => (index * 7 + number) % 5 === 0 || index === number % panels.length,
        );
        const report = await reported(placed(some, number, { interpretation }));
        const found = [...report.results.flatMap(faultsOf), ...disagreements(report)];
        faults.push(...found.map((fault) => `order ${number}: ${fault}`));
        if (worst(report) !== interpretation) faults.push(`order ${number} is ${worst(report)}`);
      }
      expect(faults).toEqual([]);
    },
  );

  it('differ from each other, and are themselves on every machine', async () => {
    const seen = new Set<string>();
    const few = panels.slice(0, 12);
    for (let number = 0; number < 200; number += 1) {
      const first = await reported(placed(few, number));
      expect(await reported(placed(few, number))).toEqual(first);
      seen.add(JSON.stringify([...valuesOf(first)]));
    }
    expect(seen.size).toBe(200);
  });

  it('have the filtration rate of CKD-EPI 2021 for their age and sex', async () => {
    const kidney = panels.filter(({ expected_results: all }) =>
      all.some(({ analyte }) => analyte === 'egfr'),
    );
    for (let number = 0; number < 100; number += 1) {
      const values = valuesOf(await reported(placed(kidney, number, { interpretation: 'abnormal' })));
      const { dob, gender } = DONORS[number % DONORS.length] ?? DONORS[0];
      const age = dob === '' ? 40 : 2026 - Number(dob.slice(0, 4)) - (dob.slice(5) > '03-02' ? 1 : 0);
      const rate = rateOf(values.get('2160-0') ?? NaN, age, gender === 'female');
      expect(Math.abs((values.get('33914-3') ?? NaN) - rate)).toBeLessThanOrEqual(0.51);
    }
  });

  it('give one analyte one value, whichever panel asks for it', async () => {
    for (let number = 0; number < 20; number += 1) {
      const { results } = await reported(placed(panels, number, { interpretation: 'abnormal' }));
      const seen = new Map<string, string>();
      for (const { expected, result } of results) {
        const name = expected.loinc ?? expected.slug;
        expect(result).toBe(seen.get(name) ?? result);
        seen.set(name, result);
      }
    }
  });
});

describe('what is wished of a report', () => {
  const types = ['numeric', 'range', 'comment', 'coded_value'] as const;

  it.each(types)('is said in the type %s, in every interpretation', async (type) => {
    for (const interpretation of WORDS) {
      const report = await reported(placed(panels, 7, { interpretation, resultTypes: [type] }));
      expect(worst(report)).toBe(interpretation);
      for (const result of report.results) {
        expect(result.type).toBe(type);
        expect(result.result).not.toBe('');
        expect(result.value === -1).toBe(type !== 'numeric');
        expect(type !== 'range' || /^[<>]\d+(\.\d+)?$/.test(result.result)).toBe(true);
      }
    }
  });

  it('takes the types in turn', async () => {
    const { results } = await reported(placed(panels, 8, { resultTypes: ['range', 'numeric'] }));
    expect(results.slice(0, 4).map(({ type }) => type)).toEqual(['range', 'numeric', 'range', 'numeric']);
  });

  it.each(WORDS)('holds for what is left where results are missing: %s', async (interpretation) => {
    for (let number = 0; number < 60; number += 1) {
      const some = panels.filter((_, index) => (index + number) % 4 === 0);
      const report = await reported(placed(some, number, { interpretation, hasMissingResults: true }));
      expect(report.missing.length).toBeGreaterThan(0);
      expect(report.results.length).toBeGreaterThan(0);
      expect([number, worst(report)]).toEqual([number, interpretation]);
    }
  });

  it('says the same in the partial report and in the final one', async () => {
    for (const interpretation of WORDS) {
      for (let number = 0; number < 40; number += 1) {
        const some = panels.filter((_, index) => (index + number) % 6 < 2);
        const part = await reported(placed(some, number, { interpretation, status: 'partial' }));
        const whole = await reported(placed(some, number, { interpretation }));
        expect(worst(part)).toBe(interpretation);
        expect(part.results.length).toBeLessThan(whole.results.length);
        expect(whole.results.slice(0, part.results.length)).toEqual(part.results);
      }
    }
  });

  it.each(WORDS)('changes few values in a correction, plausibly, and says so: %s', async (interpretation) => {
    for (let number = 0; number < 60; number += 1) {
      const some = panels.filter((_, index) => (index + number) % 6 < 2);
      const before = await reported(placed(some, number, { interpretation }));
      const after = await reported(placed(some, number, { interpretation, status: 'corrected' }));
      const changed = after.results.filter(({ result }, index) => result !== before.results[index]?.result);
      expect(worst(after)).toBe(interpretation);
      expect(changed.length).toBeGreaterThan(0);
      expect(changed.length).toBeLessThan(after.results.length / 2 + 1);
      for (const one of changed)
        expect([one.status, one.notes]).toEqual(['corrected', expect.stringContaining('Corrected')]);
      expect([...after.results.flatMap(faultsOf), ...disagreements(after)]).toEqual([]);
    }
  });
});

it('gives values of a living person where one bound says little: A1c, cholesterol, filtration', async () => {
  // prettier-ignore
  const living: Record<string, [number, number]> = { 'hba1c': [4.5, 5.7], 'cholesterol': [120, 200], 'egfr': [59, 140], 'hdl': [39, 90], 'hematocrit': [36, 49] };
  for (const [analyte, [from, to]] of Object.entries(living)) {
    const marker = seed.markers.find(
      ({ type, expected_results: [only] }) => type === 'biomarker' && only?.analyte === analyte,
    );
    if (!marker) throw new Error(`No ${analyte}`);
    for (let number = 0; number < 40; number += 1) {
      const [result] = (await reported(placed([marker], number))).results;
      expect(result?.value, analyte).toBeGreaterThanOrEqual(from);
      expect(result?.value, analyte).toBeLessThanOrEqual(to);
    }
  }
});

it('does not take units that it cannot compute in for those that it can', async () => {
  const [lipids] = panels.filter(({ expected_results: all }) => all.some(({ analyte }) => analyte === 'ldl'));
  if (!lipids) throw new Error('No lipid panel');
  const requisition = placed([lipids], 1);
  const inMoles = (each: ExpectedResult): ExpectedResult =>
    each.unit === 'mg/dL'
      ? {
          ...each,
          unit: 'mmol/L',
          decimals: 2,
          low: each.low === null ? null : each.low / 38.67,
          high: each.high === null ? null : Number((each.high / 38.67).toFixed(2)),
          rangeText: null,
          criticalHigh: null,
        }
      : each;
  const tests = requisition.tests.map((test) => ({ ...test, expected: test.expected.map(inMoles) }));
  const { results } = await reported({ ...requisition, tests });
  expect(results.flatMap(faultsOf)).toEqual([]);
});

describe('a simulated person', () => {
  const markers = seed.markers.filter(({ lab }) => lab === 'labcorp').slice(0, 40);
  const valuesOn = async (name: string, day: number, order: number) => {
    const report = await reported(placed(markers, order, { person: { seed: name, day } }));
    return report.results.filter(({ type }) => type === 'numeric');
  };

  it('has the same values for the same seed and day, whatever the order', async () => {
    const [one, other] = [await valuesOn('ada', 90, 0), await valuesOn('ada', 90, DONORS.length)];
    expect(one.map(({ result }) => result)).toEqual(other.map(({ result }) => result));
    const stranger = await valuesOn('bob', 90, 0);
    expect(stranger.map(({ result }) => result)).not.toEqual(one.map(({ result }) => result));
  });

  it('has values that are believable on every day and follow each other', async () => {
    const days = [0, 90, 180, 365, 730];
    const visits = await Promise.all(days.map((day) => valuesOn('ada', day, 0)));
    expect(visits.flatMap((results) => results.flatMap(faultsOf))).toEqual([]);
    // A month changes less than two years do.
    const [first = [], month = []] = [await valuesOn('ada', 0, 0), await valuesOn('ada', 30, 0)];
    const changeOf = (later: readonly ReportedResult[]) =>
      later.reduce((sum, { value }, at) => {
        const before = first[at]?.value ?? value;
        return sum + Math.abs(value - before) / Math.max(Math.abs(before), 1);
      }, 0);
    expect(changeOf(month)).toBeLessThan(changeOf(visits[4] ?? []));
  });
});
