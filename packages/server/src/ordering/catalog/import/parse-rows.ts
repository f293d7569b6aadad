import type { z } from 'zod';
import { formatActualValue, type CatalogImportFault } from './fault.ts';
import {
  isRecordName,
  RECORDS,
  type ParsedImportRow,
  type ImportRecordName,
  type CatalogImportRow,
} from './record.ts';

/** The parsed rows of a file, by record type. */
export type ParsedImportRows = { readonly [Name in ImportRecordName]: readonly ParsedImportRow<Name>[] };

/** `faults` are the parse errors, unordered. */
export function parseRows(given: readonly CatalogImportRow[]): {
  rows: ParsedImportRows;
  faults: CatalogImportFault[];
} {
  const faults = given.flatMap(checkRecordName);
  const rows: ParsedImportRows = {
    lab: parseRecord('lab', RECORDS.lab, { given, faults }),
    marker: parseRecord('marker', RECORDS.marker, { given, faults }),
    result: parseRecord('result', RECORDS.result, { given, faults }),
    question: parseRecord('question', RECORDS.question, { given, faults }),
    answer: parseRecord('answer', RECORDS.answer, { given, faults }),
  };
  return { rows, faults };
}

function parseRecord<Schema extends z.ZodType>(
  name: ImportRecordName,
  schema: Schema,
  { given, faults }: { given: readonly CatalogImportRow[]; faults: CatalogImportFault[] },
): ({ place: string } & z.output<Schema>)[] {
  return given.flatMap(({ place, cells: { record, ...cells } }) => {
    if (record !== name) return [];
    const understood = schema.safeParse(cells);
    if (understood.success) return [Object.assign({ place }, understood.data)];
    faults.push(...understood.error.issues.flatMap((issue) => toFaults(issue, { place, cells })));
    return [];
  });
}

function checkRecordName({ place, cells: { record } }: CatalogImportRow): CatalogImportFault[] {
  if (isRecordName(record)) return [];
  const says = `expected one of ${Object.keys(RECORDS).join(', ')}${formatActualValue(record)}`;
  return [{ place, column: 'record', says }];
}

function toFaults(issue: z.core.$ZodIssue, { place, cells }: CatalogImportRow): CatalogImportFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((column) => ({
      place,
      column,
      says: `expected no value in this column for this record${formatActualValue(cells[column])}`,
    }));
  }
  const column = String(issue.path[0]);
  return [{ place, column, says: `${issue.message}${formatActualValue(cells[column])}` }];
}
