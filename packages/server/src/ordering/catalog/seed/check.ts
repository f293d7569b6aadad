import type { CatalogSeed, SeedLabTest, SeedMarker } from './catalog-seed.ts';
import { hasCheckDigit, toLoincId } from './loinc.ts';
import type { SeedAnalyte, NumericMeasure, SeedQuestion } from './schema.ts';

/** The ids of a laboratory's markers and results start at its id times this number. */
export const IDS_PER_LAB = 10_000;

/** Checks what the schemas cannot express. Returns error messages; empty for a valid catalog. */
export const checkCatalogSeed = (seed: CatalogSeed): string[] => [
  ...findRepeated('lab id', seed.labs, (lab) => lab.id),
  ...findRepeated('lab', seed.labs, (lab) => lab.slug),
  ...findRepeated('analyte', seed.analytes, (analyte) => analyte.key),
  ...findRepeated('analyte slug', seed.analytes, (analyte) => analyte.slug),
  ...findRepeated('LOINC', seed.analytes, (analyte) => analyte.loinc?.code),
  ...seed.analytes.flatMap(checkAnalyte),
  ...findRepeated('marker id', seed.markers, (marker) => marker.id),
  ...findRepeated('marker code', seed.markers, (marker) => `${marker.lab} ${marker.provider_id}`),
  ...findRepeated('marker slug', seed.markers, (marker) => `${marker.lab} ${marker.slug}`),
  ...seed.markers.flatMap(checkMarker),
  ...checkResultIds(seed.markers),
  ...findRepeated('lab test', allLabTests(seed), (test) => test.slug),
  ...allLabTests(seed).flatMap((test) => checkLabTest(test, seed)),
  ...findRepeated('lab account', seed.lab_accounts, (account) => account.key),
  ...findRepeated(
    'account number',
    seed.lab_accounts,
    (account) => `${account.lab} ${account.provider_account_id}`,
  ),
  ...seed.lab_accounts
    .filter((account) => !seed.labs.some((lab) => lab.slug === account.lab))
    .map((account) => `lab account ${account.key}: unknown lab ${account.lab}`),
];

const allLabTests = (seed: CatalogSeed) => [...seed.lab_tests, ...seed.sandbox_lab_tests];

function findRepeated<Row>(
  what: string,
  rows: readonly Row[],
  key: (row: Row) => string | number | undefined,
): string[] {
  const seen = new Set<string | number>();
  return rows.flatMap((row) => {
    const value = key(row);
    if (value === undefined) return [];
    if (seen.has(value)) return [`duplicate ${what} ${value}`];
    seen.add(value);
    return [];
  });
}

/** The message as a list; empty if nothing is wrong. */
const faultIf = (wrong: boolean | undefined, fault: string): string[] => (wrong ? [fault] : []);

function checkAnalyte({ key, loinc, measure }: SeedAnalyte): string[] {
  const faults = [
    ...faultIf(loinc !== null && !hasCheckDigit(loinc.code), `LOINC ${loinc?.code} has a wrong check digit`),
    ...faultIf(loinc !== null && loinc.id !== toLoincId(loinc.code), `LOINC ${loinc?.code} has a wrong id`),
    ...(measure.kind === 'numeric' ? checkBands(measure) : []),
  ];
  return faults.map((fault) => `analyte ${key}: ${fault}`);
}

/** The bands must ascend without touching, and only the normal band may be inside the reference range. */
function checkBands({ bands, reference }: NumericMeasure): string[] {
  const { critical_low, abnormal_low, normal, abnormal_high, critical_high } = bands;
  const rising = [critical_low, abnormal_low, normal, abnormal_high, critical_high].filter(
    (band) => band !== null,
  );
  const overlap = rising.some((band, at) => band[0] > band[1] || band[0] <= (rising[at - 1]?.[1] ?? -1));

  const { min, max, min_inclusive, max_inclusive, text } = reference;
  const low = (value: number) => min !== null && (min_inclusive ? value < min : value <= min);
  const high = (value: number) => max !== null && (max_inclusive ? value > max : value >= max);
  const outside = normal.some((value) => low(value) || high(value));
  return [
    ...faultIf(overlap, `the bands overlap: ${JSON.stringify(rising)}`),
    ...faultIf(outside, `${normal.join('..')} is not inside ${text}`),
    ...faultIf(
      abnormal_low?.some((value) => !low(value)),
      `${abnormal_low?.join('..')} is not below ${text}`,
    ),
    ...faultIf(
      abnormal_high?.some((value) => !high(value)),
      `${abnormal_high?.join('..')} is not above ${text}`,
    ),
  ];
}

function checkMarker(marker: SeedMarker): string[] {
  const results = marker.expected_results;
  const questions = marker.aoe?.questions ?? [];
  const astray = [marker, ...results].some(({ id }) => Math.floor(id / IDS_PER_LAB) !== marker.lab_id);
  const faults = [
    ...faultIf(astray, 'an id is outside the range of its lab'),
    ...faultIf(marker.type === 'biomarker' && results.length !== 1, 'a biomarker has one result'),
    ...faultIf(
      marker.common_tat_days > marker.worst_case_tat_days,
      'worst_case_tat_days is less than common_tat_days',
    ),
    ...findRepeated('result', results, (result) => result.id),
    ...findRepeated('question', questions, (question) => question.id),
    ...findRepeated('question code', questions, (question) => question.code),
    ...questions.flatMap(checkQuestion),
  ];
  return faults.map((fault) => `marker ${marker.id} (${marker.slug}): ${fault}`);
}

function checkQuestion({ code, type, answers }: SeedQuestion): string[] {
  const chosen = type === 'choice' || type === 'multi_choice';
  return [
    ...findRepeated(`answer of ${code}`, answers, (answer) => answer.code),
    ...faultIf(chosen && answers.length < 2, `${code} needs at least two answers`),
    ...faultIf(!chosen && answers.length > 0, `${code} is ${type} and must have no answers`),
  ];
}

/** An analyte has one result id and one code per laboratory, in all of its markers. */
function checkResultIds(markers: readonly SeedMarker[]): string[] {
  const known = new Map<string, string>();
  return markers.flatMap((marker) =>
    marker.expected_results.flatMap((result) => {
      const here = `${result.id} ${result.provider_id}`;
      const before = known.get(`${marker.lab} ${result.analyte}`) ?? known.get(`id ${result.id}`) ?? here;
      known.set(`${marker.lab} ${result.analyte}`, here);
      known.set(`id ${result.id}`, here);
      return before === here
        ? []
        : [`marker ${marker.id}: ${result.analyte} is ${here} here and ${before} elsewhere`];
    }),
  );
}

/** A shipped lab test must be orderable with only a patient and an address. */
function checkLabTest(test: SeedLabTest, seed: CatalogSeed): string[] {
  const lab = seed.labs.find(({ slug }) => slug === test.lab);
  const markers = seed.markers.filter(({ id }) => test.marker_ids.includes(id));
  const faults = [
    ...faultIf(!lab?.collection_methods.includes(test.method), `${test.lab} does not support ${test.method}`),
    ...faultIf(
      !lab?.sample_types.includes(test.sample_type),
      `${test.lab} does not accept ${test.sample_type}`,
    ),
    ...faultIf(test.registrable && test.method !== 'testkit', 'only a test kit can be registered'),
    ...markers.flatMap(({ slug, is_orderable }) => faultIf(!is_orderable, `${slug} cannot be ordered`)),
    ...markers.flatMap(({ slug, aoe }) =>
      (aoe?.questions ?? []).flatMap(({ code, required }) =>
        faultIf(required && code !== 'FASTING', `${slug} needs an answer to ${code}`),
      ),
    ),
  ];
  return faults.map((fault) => `lab test ${test.slug}: ${fault}`);
}
