import type { z } from 'zod';
import { got, type Fault } from './fault.ts';
import { isRecordName, RECORDS, type Parsed, type RecordName, type Row } from './record.ts';

/** The rows of a file, understood, by what they are. */
export type Rows = { readonly [Name in RecordName]: readonly Parsed<Name>[] };

/** `faults` has what was not understood, in no order. */
export function parseRows(given: readonly Row[]): { rows: Rows; faults: Fault[] } {
  const faults = given.flatMap(faultOfRecord);
  const rows: Rows = {
    lab: parsed('lab', RECORDS.lab, { given, faults }),
    marker: parsed('marker', RECORDS.marker, { given, faults }),
    result: parsed('result', RECORDS.result, { given, faults }),
    question: parsed('question', RECORDS.question, { given, faults }),
    answer: parsed('answer', RECORDS.answer, { given, faults }),
  };
  return { rows, faults };
}

function parsed<Schema extends z.ZodType>(
  name: RecordName,
  schema: Schema,
  { given, faults }: { given: readonly Row[]; faults: Fault[] },
): ({ place: string } & z.output<Schema>)[] {
  return given.flatMap(({ place, cells: { record, ...cells } }) => {
    if (record !== name) return [];
    const understood = schema.safeParse(cells);
    if (understood.success) return [Object.assign({ place }, understood.data)];
    faults.push(...understood.error.issues.flatMap((issue) => faultsOf(issue, { place, cells })));
    return [];
  });
}

function faultOfRecord({ place, cells: { record } }: Row): Fault[] {
  if (isRecordName(record)) return [];
  const says = `expected one of ${Object.keys(RECORDS).join(', ')}${got(record)}`;
  return [{ place, column: 'record', says }];
}

function faultsOf(issue: z.core.$ZodIssue, { place, cells }: Row): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((column) => ({
      place,
      column,
      says: `expected nothing in such a row${got(cells[column])}`,
    }));
  }
  const column = String(issue.path[0]);
  return [{ place, column, says: `${issue.message}${got(cells[column])}` }];
}
