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

function faultsOfAnalyte({ key, loinc, measure }: Analyte): string[] {
  const faults: string[] = [];
  if (loinc && !hasCheckDigit(loinc.code)) faults.push(`LOINC ${loinc.code} has a wrong check digit`);
  if (loinc && loinc.id !== loincId(loinc.code)) faults.push(`LOINC ${loinc.code} has a wrong id`);
  if (measure.kind === 'numeric') faults.push(...faultsOfBands(measure));
  return faults.map((fault) => `analyte ${key}: ${fault}`);
}

/** The bands follow each other without touching, and only the normal one lies inside the reference range. */
function faultsOfBands({ bands, reference }: NumericMeasure): string[] {
  const { critical_low, abnormal_low, normal, abnormal_high, critical_high } = bands;
  const ordered = [critical_low, abnormal_low, normal, abnormal_high, critical_high].filter(
    (band) => band !== null,
  );
  const ends = ordered.flat();
  const rising = ends.every(
    (end, at) => at === 0 || (at % 2 === 0 ? end > (ends[at - 1] ?? 0) : end >= (ends[at - 1] ?? 0)),
  );
  const faults = rising ? [] : [`the bands overlap: ${JSON.stringify(ordered)}`];

  const low = (value: number) =>
    reference.min !== null && (reference.min_inclusive ? value < reference.min : value <= reference.min);
  const high = (value: number) =>
    reference.max !== null && (reference.max_inclusive ? value > reference.max : value >= reference.max);
  if (normal.some((value) => low(value) || high(value)))
    faults.push(`${normal.join('..')} is not inside ${reference.text}`);
  if (abnormal_low?.some((value) => !low(value)))
    faults.push(`${abnormal_low.join('..')} is not below ${reference.text}`);
  if (abnormal_high?.some((value) => !high(value)))
    faults.push(`${abnormal_high.join('..')} is not above ${reference.text}`);
  return faults;
}

function faultsOfMarker(marker: SeedMarker): string[] {
  const faults: string[] = [];
  const ids = [marker.id, ...marker.expected_results.map((result) => result.id)];
  if (ids.some((id) => Math.floor(id / IDS_PER_LAB) !== marker.lab_id))
    faults.push('an id is outside the range of its lab');
  if (marker.type === 'biomarker' && marker.expected_results.length !== 1)
    faults.push('a biomarker has one result');
  if (marker.common_tat_days > marker.worst_case_tat_days)
    faults.push('the worst case is faster than the common one');
  const questions = marker.aoe?.questions ?? [];
  faults.push(...repeated('result', marker.expected_results, (result) => result.id));
  faults.push(...repeated('question', questions, (question) => question.id));
  faults.push(...repeated('question code', questions, (question) => question.code));
  faults.push(...questions.flatMap(faultsOfQuestion));
  return faults.map((fault) => `marker ${marker.id} (${marker.slug}): ${fault}`);
}

function faultsOfQuestion({ code, type, answers }: SeedQuestion): string[] {
  const chosen = type === 'choice' || type === 'multi_choice';
  const faults = repeated(`answer of ${code}`, answers, (answer) => answer.code);
  if (chosen && answers.length < 2) faults.push(`${code} leaves nothing to choose`);
  if (!chosen && answers.length > 0) faults.push(`${code} is ${type} and has answers`);
  return faults;
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
  const faults: string[] = [];
  const lab = seed.labs.find(({ slug }) => slug === test.lab);
  if (!lab?.collection_methods.includes(test.method))
    faults.push(`${test.lab} does not collect by ${test.method}`);
  if (!lab?.sample_types.includes(test.sample_type))
    faults.push(`${test.lab} does not take ${test.sample_type}`);
  if (test.registrable && test.method !== 'testkit') faults.push('only a test kit can be registered');
  for (const marker of seed.markers.filter(({ id }) => test.marker_ids.includes(id))) {
    if (!marker.is_orderable) faults.push(`${marker.slug} cannot be ordered`);
    const asked = marker.aoe?.questions.filter(({ required, code }) => required && code !== 'FASTING') ?? [];
    faults.push(...asked.map(({ code }) => `${marker.slug} needs an answer to ${code}`));
  }
  return faults.map((fault) => `lab test ${test.slug}: ${fault}`);
}
