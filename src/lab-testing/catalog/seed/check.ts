import type { CatalogSeed, SeedLabTest, SeedMarker } from './catalog-seed.ts';
import { hasCheckDigit, loincId } from './loinc.ts';
import type { Analyte, NumericMeasure, SeedQuestion } from './schema.ts';

/** The ids of a laboratory's markers and results lie between its id times this and the next. */
export const IDS_PER_LAB = 10_000;

/** Everything that a schema cannot say about the catalogue, as sentences. Empty when all is well. */
export const faultsOf = (seed: CatalogSeed): string[] => [
  ...repeated('lab id', seed.labs, (lab) => lab.id),
  ...repeated('lab', seed.labs, (lab) => lab.slug),
  ...repeated('analyte', seed.analytes, (analyte) => analyte.key),
  ...repeated('analyte slug', seed.analytes, (analyte) => analyte.slug),
  ...repeated('LOINC', seed.analytes, (analyte) => analyte.loinc?.code),
  ...seed.analytes.flatMap(faultsOfAnalyte),
  ...repeated('marker id', seed.markers, (marker) => marker.id),
  ...repeated('marker code', seed.markers, (marker) => `${marker.lab} ${marker.provider_id}`),
  ...repeated('marker slug', seed.markers, (marker) => `${marker.lab} ${marker.slug}`),
  ...seed.markers.flatMap(faultsOfMarker),
  ...faultsOfResultIds(seed.markers),
  ...repeated('lab test', seed.lab_tests, (test) => test.slug),
  ...seed.lab_tests.flatMap((test) => faultsOfLabTest(test, seed)),
  ...repeated('lab account', seed.lab_accounts, (account) => account.key),
  ...repeated(
    'account number',
    seed.lab_accounts,
    (account) => `${account.lab} ${account.provider_account_id}`,
  ),
  ...seed.lab_accounts
    .filter((account) => !seed.labs.some((lab) => lab.slug === account.lab))
    .map((account) => `lab account ${account.key}: no such lab ${account.lab}`),
];

function repeated<Row>(
  what: string,
  rows: readonly Row[],
  key: (row: Row) => string | number | undefined,
): string[] {
  const seen = new Set<string | number>();
  return rows.flatMap((row) => {
    const value = key(row);
    if (value === undefined) return [];
    if (seen.has(value)) return [`${what} ${value} comes twice`];
    seen.add(value);
    return [];
  });
}

/** The fault, when it is one. */
const when = (wrong: boolean | undefined, fault: string): string[] => (wrong ? [fault] : []);

function faultsOfAnalyte({ key, loinc, measure }: Analyte): string[] {
  const faults = [
    ...when(loinc !== null && !hasCheckDigit(loinc.code), `LOINC ${loinc?.code} has a wrong check digit`),
    ...when(loinc !== null && loinc.id !== loincId(loinc.code), `LOINC ${loinc?.code} has a wrong id`),
    ...(measure.kind === 'numeric' ? faultsOfBands(measure) : []),
  ];
  return faults.map((fault) => `analyte ${key}: ${fault}`);
}

/** The bands follow each other without touching, and only the normal one lies inside the reference range. */
function faultsOfBands({ bands, reference }: NumericMeasure): string[] {
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
    ...when(overlap, `the bands overlap: ${JSON.stringify(rising)}`),
    ...when(outside, `${normal.join('..')} is not inside ${text}`),
    ...when(
      abnormal_low?.some((value) => !low(value)),
      `${abnormal_low?.join('..')} is not below ${text}`,
    ),
    ...when(
      abnormal_high?.some((value) => !high(value)),
      `${abnormal_high?.join('..')} is not above ${text}`,
    ),
  ];
}

function faultsOfMarker(marker: SeedMarker): string[] {
  const results = marker.expected_results;
  const questions = marker.aoe?.questions ?? [];
  const astray = [marker, ...results].some(({ id }) => Math.floor(id / IDS_PER_LAB) !== marker.lab_id);
  const faults = [
    ...when(astray, 'an id is outside the range of its lab'),
    ...when(marker.type === 'biomarker' && results.length !== 1, 'a biomarker has one result'),
    ...when(
      marker.common_tat_days > marker.worst_case_tat_days,
      'the worst case is faster than the common one',
    ),
    ...repeated('result', results, (result) => result.id),
    ...repeated('question', questions, (question) => question.id),
    ...repeated('question code', questions, (question) => question.code),
    ...questions.flatMap(faultsOfQuestion),
  ];
  return faults.map((fault) => `marker ${marker.id} (${marker.slug}): ${fault}`);
}

function faultsOfQuestion({ code, type, answers }: SeedQuestion): string[] {
  const chosen = type === 'choice' || type === 'multi_choice';
  return [
    ...repeated(`answer of ${code}`, answers, (answer) => answer.code),
    ...when(chosen && answers.length < 2, `${code} leaves nothing to choose`),
    ...when(!chosen && answers.length > 0, `${code} is ${type} and has answers`),
  ];
}

/** At one laboratory an analyte has one result id and one code, whichever marker brings it. */
function faultsOfResultIds(markers: readonly SeedMarker[]): string[] {
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

/** A standard test must be orderable by anybody who only knows a patient and an address. */
function faultsOfLabTest(test: SeedLabTest, seed: CatalogSeed): string[] {
  const lab = seed.labs.find(({ slug }) => slug === test.lab);
  const markers = seed.markers.filter(({ id }) => test.marker_ids.includes(id));
  const faults = [
    ...when(!lab?.collection_methods.includes(test.method), `${test.lab} does not collect by ${test.method}`),
    ...when(!lab?.sample_types.includes(test.sample_type), `${test.lab} does not take ${test.sample_type}`),
    ...when(test.registrable && test.method !== 'testkit', 'only a test kit can be registered'),
    ...markers.flatMap(({ slug, is_orderable }) => when(!is_orderable, `${slug} cannot be ordered`)),
    ...markers.flatMap(({ slug, aoe }) =>
      (aoe?.questions ?? []).flatMap(({ code, required }) =>
        when(required && code !== 'FASTING', `${slug} needs an answer to ${code}`),
      ),
    ),
  ];
  return faults.map((fault) => `lab test ${test.slug}: ${fault}`);
}
