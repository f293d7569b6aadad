import type { Fault } from './fault.ts';
import type { Rows } from './parse-rows.ts';
import { RANGE_FORMS, readBounds } from './range.ts';
import type { Parsed } from './record.ts';

/** A question with its answers, as the file has them. */
export interface ImportedQuestion {
  readonly row: Parsed<'question'>;
  readonly answers: readonly Parsed<'answer'>[];
}

/** A marker with all that belongs to it, as the file has it. */
export interface ImportedMarker {
  readonly row: Parsed<'marker'>;
  readonly results: readonly Parsed<'result'>[];
  readonly questions: readonly ImportedQuestion[];
}

export interface Imported {
  readonly labs: readonly Parsed<'lab'>[];
  readonly markers: readonly ImportedMarker[];
}

/** Puts the rows together, and says what does not fit. `knownLabs` are those of the catalogue, by slug. */
export function assemble(
  rows: Rows,
  knownLabs: ReadonlySet<string>,
): { imported: Imported; faults: Fault[] } {
  const markers = rows.marker.map((row): ImportedMarker => {
    const own = <Row extends Member>(list: readonly Row[]) =>
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
    ...repeated(rows.lab, 'lab', (row) => row.lab),
    ...repeated(rows.marker, 'marker', (row) => `${row.lab} ${row.marker}`),
    ...repeated(rows.result, 'code', (row) => `${row.lab} ${row.marker} ${row.code}`),
    ...repeated(rows.question, 'code', (row) => `${row.lab} ${row.marker} ${row.code}`),
    ...repeated(rows.answer, 'code', (row) => `${row.lab} ${row.marker} ${row.question} ${row.code}`),
    ...rows.marker.flatMap((row) => (labs.has(row.lab) ? [] : [unknownLab(row)])),
    ...orphans(rows),
    ...markers.flatMap(faultsOfMarker),
    ...rows.result.flatMap(faultsOfResult),
    ...faultsOfResultCodes(rows.result),
  ];
  return { imported: { labs: rows.lab, markers }, faults };
}

type Member = Parsed<'result'> | Parsed<'question'> | Parsed<'answer'>;

const unknownLab = ({ place, lab }: Parsed<'marker'>): Fault => ({
  place,
  column: 'lab',
  says: `expected a laboratory of the catalogue or of this file, got "${lab}"`,
});

function repeated<Row extends { place: string }>(
  rows: readonly Row[],
  column: string,
  key: (row: Row) => string,
): Fault[] {
  const seen = new Map<string, string>();
  return rows.flatMap((row) => {
    const before = seen.get(key(row));
    if (before === undefined) seen.set(key(row), row.place);
    return before === undefined ? [] : [{ place: row.place, column, says: `is in ${before} already` }];
  });
}

/** Rows of a marker or a question that the file does not have. */
function orphans({ marker, result, question, answer }: Rows): Fault[] {
  const markers = new Set(marker.map((row) => `${row.lab} ${row.marker}`));
  const questions = new Set(question.map((row) => `${row.lab} ${row.marker} ${row.code}`));
  const lost: Fault[] = [...result, ...question, ...answer]
    .filter((row) => !markers.has(`${row.lab} ${row.marker}`))
    .map(({ place, lab, marker: code }) => ({
      place,
      column: 'marker',
      says: `expected a marker of this file, got "${code}" of ${lab}`,
    }));
  const unasked: Fault[] = answer
    .filter((row) => !questions.has(`${row.lab} ${row.marker} ${row.question}`))
    .map((row) => ({
      place: row.place,
      column: 'question',
      says: `expected a question of the marker, got "${row.question}"`,
    }));
  return [...lost, ...unasked];
}

function faultsOfMarker({ row, results, questions }: ImportedMarker): Fault[] {
  const { place, type, common_tat_days: common, worst_case_tat_days: worst } = row;
  const faults: Fault[] = [];
  if (results.length === 0) faults.push({ place, says: 'expected at least one row of a result' });
  if (type === 'biomarker' && results.length > 1)
    faults.push({ place, column: 'type', says: `a biomarker has one result, this has ${results.length}` });
  if (common !== undefined && worst !== undefined && common > worst) {
    const says = `expected at least common_tat_days (${common}), got ${worst}`;
    faults.push({ place, column: 'worst_case_tat_days', says });
  }
  return [...faults, ...questions.flatMap(faultsOfQuestion)];
}

function faultsOfQuestion({ row, answers }: ImportedQuestion): Fault[] {
  const { place, type, default: standing } = row;
  const chosen = type === 'choice' || type === 'multi_choice';
  const faults: Fault[] = [];
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

function faultsOfResult(row: Parsed<'result'>): Fault[] {
  const { place, type, reference_range: range, critical_low: low, critical_high: high } = row;
  const faults: Fault[] = [];
  if (type === 'numeric' && range !== undefined && !readBounds(range, row.decimals))
    faults.push({ place, column: 'reference_range', says: `expected ${RANGE_FORMS}, got "${range}"` });
  if (low !== undefined && high !== undefined && low >= high)
    faults.push({ place, column: 'critical_high', says: `expected more than critical_low (${low})` });
  for (const column of ['decimals', 'critical_low', 'critical_high'] as const) {
    if (type !== 'numeric' && row[column] !== undefined)
      faults.push({ place, column, says: `expected nothing for a ${type} result` });
  }
  return faults;
}

/** A laboratory's code of a result means one thing, whichever of its markers brings it. */
function faultsOfResultCodes(rows: readonly Parsed<'result'>[]): Fault[] {
  const first = new Map<string, Parsed<'result'>>();
  return rows.flatMap((row) => {
    const key = `${row.lab} ${row.code}`;
    const before = first.get(key);
    if (!before) first.set(key, row);
    if (!before || meaning(before) === meaning(row)) return [];
    return [{ place: row.place, column: 'code', says: `"${row.code}" is something else in ${before.place}` }];
  });
}

const meaning = ({
  place: _place,
  marker: _marker,
  required: _required,
  ...rest
}: Parsed<'result'>): string => JSON.stringify(rest, Object.keys(rest).toSorted());
