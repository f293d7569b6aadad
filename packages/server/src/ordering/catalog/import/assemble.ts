import type { CatalogImportFault } from './fault.ts';
import type { ParsedImportRows } from './parse-rows.ts';
import { RANGE_FORMS, parseReferenceRange } from './reference-range.ts';
import type { ParsedImportRow } from './record.ts';

/** A question of the file with its answers. */
interface ImportedQuestion {
  readonly row: ParsedImportRow<'question'>;
  readonly answers: readonly ParsedImportRow<'answer'>[];
}

/** A marker of the file with its results and questions. */
export interface ImportedMarker {
  readonly row: ParsedImportRow<'marker'>;
  readonly results: readonly ParsedImportRow<'result'>[];
  readonly questions: readonly ImportedQuestion[];
}

export interface ImportedCatalog {
  readonly labs: readonly ParsedImportRow<'lab'>[];
  readonly markers: readonly ImportedMarker[];
}

/** Groups the rows by marker and checks their references. `knownLabs` are the slugs of the catalog. */
export function assembleImport(
  rows: ParsedImportRows,
  knownLabs: ReadonlySet<string>,
): { imported: ImportedCatalog; faults: CatalogImportFault[] } {
  const markers = rows.marker.map((row): ImportedMarker => {
    const own = <Row extends MarkerMemberRow>(list: readonly Row[]) =>
      list.filter((one) => one.lab === row.lab && one.marker === row.marker);
    const answers = own(rows.answer);
    const questions = own(rows.question).map((question) => ({
      row: question,
      answers: answers.filter((answer) => answer.question === question.code),
    }));
    return { row, results: own(rows.result), questions };
  });
  const labs = new Set([...knownLabs, ...rows.lab.map(({ lab }) => lab)]);
  const faults = [
    ...findRepeated(rows.lab, 'lab', (row) => row.lab),
    ...findRepeated(rows.marker, 'marker', (row) => `${row.lab} ${row.marker}`),
    ...findRepeated(rows.result, 'code', (row) => `${row.lab} ${row.marker} ${row.code}`),
    ...findRepeated(rows.question, 'code', (row) => `${row.lab} ${row.marker} ${row.code}`),
    ...findRepeated(rows.answer, 'code', (row) => `${row.lab} ${row.marker} ${row.question} ${row.code}`),
    ...rows.marker.flatMap((row) => (labs.has(row.lab) ? [] : [toUnknownLabFault(row)])),
    ...findOrphans(rows),
    ...markers.flatMap(checkMarker),
    ...rows.result.flatMap(checkResult),
    ...checkResultCodes(rows.result),
  ];
  return { imported: { labs: rows.lab, markers }, faults };
}

type MarkerMemberRow = ParsedImportRow<'result'> | ParsedImportRow<'question'> | ParsedImportRow<'answer'>;

const toUnknownLabFault = ({ place, lab }: ParsedImportRow<'marker'>): CatalogImportFault => ({
  place,
  column: 'lab',
  says: `expected a laboratory of the catalog or this file, got "${lab}"`,
});

function findRepeated<Row extends { place: string }>(
  rows: readonly Row[],
  column: string,
  key: (row: Row) => string,
): CatalogImportFault[] {
  const seen = new Map<string, string>();
  return rows.flatMap((row) => {
    const before = seen.get(key(row));
    if (before === undefined) seen.set(key(row), row.place);
    return before === undefined ? [] : [{ place: row.place, column, says: `duplicate of ${before}` }];
  });
}

/** Rows that refer to a marker or a question that is not in the file. */
function findOrphans({ marker, result, question, answer }: ParsedImportRows): CatalogImportFault[] {
  const markers = new Set(marker.map((row) => `${row.lab} ${row.marker}`));
  const questions = new Set(question.map((row) => `${row.lab} ${row.marker} ${row.code}`));
  const lost: CatalogImportFault[] = [...result, ...question, ...answer]
    .filter((row) => !markers.has(`${row.lab} ${row.marker}`))
    .map(({ place, lab, marker: code }) => ({
      place,
      column: 'marker',
      says: `expected a marker of this file, got "${code}" of ${lab}`,
    }));
  const unasked: CatalogImportFault[] = answer
    .filter((row) => !questions.has(`${row.lab} ${row.marker} ${row.question}`))
    .map((row) => ({
      place: row.place,
      column: 'question',
      says: `expected a question of the marker, got "${row.question}"`,
    }));
  return [...lost, ...unasked];
}

function checkMarker({ row, results, questions }: ImportedMarker): CatalogImportFault[] {
  const { place, type, common_tat_days: common, worst_case_tat_days: worst } = row;
  const faults: CatalogImportFault[] = [];
  if (results.length === 0) faults.push({ place, says: 'expected at least one result row' });
  if (type === 'biomarker' && results.length > 1)
    faults.push({
      place,
      column: 'type',
      says: `expected one result for a biomarker, got ${results.length}`,
    });
  if (common !== undefined && worst !== undefined && common > worst) {
    const says = `expected at least common_tat_days (${common}), got ${worst}`;
    faults.push({ place, column: 'worst_case_tat_days', says });
  }
  return [...faults, ...questions.flatMap(checkQuestion)];
}

function checkQuestion({ row, answers }: ImportedQuestion): CatalogImportFault[] {
  const { place, type, default: standing } = row;
  const chosen = type === 'choice' || type === 'multi_choice';
  const faults: CatalogImportFault[] = [];
  if (chosen && answers.length < 2)
    faults.push({
      place,
      column: 'type',
      says: `expected at least two answers for ${type}, got ${answers.length}`,
    });
  if (!chosen && answers.length > 0)
    faults.push({ place, column: 'type', says: `expected no answers for ${type}` });
  if (type === 'choice' && standing !== undefined && !answers.some(({ code }) => code === standing))
    faults.push({ place, column: 'default', says: `expected the code of an answer, got "${standing}"` });
  return faults;
}

function checkResult(row: ParsedImportRow<'result'>): CatalogImportFault[] {
  const { place, type, reference_range: range, critical_low: low, critical_high: high } = row;
  const faults: CatalogImportFault[] = [];
  if (type === 'numeric' && range !== undefined && !parseReferenceRange(range, row.decimals))
    faults.push({ place, column: 'reference_range', says: `expected ${RANGE_FORMS}, got "${range}"` });
  if (low !== undefined && high !== undefined && low >= high)
    faults.push({ place, column: 'critical_high', says: `expected more than critical_low (${low})` });
  for (const column of ['decimals', 'critical_low', 'critical_high'] as const) {
    if (type !== 'numeric' && row[column] !== undefined)
      faults.push({ place, column, says: `expected nothing for a ${type} result` });
  }
  return faults;
}

/** A laboratory's result code has one meaning in all of its markers. */
function checkResultCodes(rows: readonly ParsedImportRow<'result'>[]): CatalogImportFault[] {
  const first = new Map<string, ParsedImportRow<'result'>>();
  return rows.flatMap((row) => {
    const key = `${row.lab} ${row.code}`;
    const before = first.get(key);
    if (!before) first.set(key, row);
    if (!before || fingerprintResult(before) === fingerprintResult(row)) return [];
    return [
      { place: row.place, column: 'code', says: `"${row.code}" has another meaning in ${before.place}` },
    ];
  });
}

const fingerprintResult = ({
  place: _place,
  marker: _marker,
  required: _required,
  ...rest
}: ParsedImportRow<'result'>): string => JSON.stringify(rest, Object.keys(rest).toSorted());
