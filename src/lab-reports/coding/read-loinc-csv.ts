import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { type LoincCode, loincCode } from './code.ts';
import { UNRANKED } from './read-shipped.ts';

/** The columns of the official table that are read; the others may be there or not. */
const NEEDED = [
  'LOINC_NUM',
  'COMPONENT',
  'PROPERTY',
  'TIME_ASPCT',
  'SYSTEM',
  'SCALE_TYP',
  'METHOD_TYP',
  'LONG_COMMON_NAME',
  'SHORTNAME',
  'STATUS',
  'CLASSTYPE',
] as const;
const OPTIONAL = ['EXAMPLE_UCUM_UNITS', 'RELATEDNAMES2', 'COMMON_TEST_RANK', 'DisplayName'] as const;
type Column = (typeof NEEDED)[number] | (typeof OPTIONAL)[number];

export interface CsvCode {
  readonly code: LoincCode;
  /** LOINC's display name, where the table has one. */
  readonly displayName: string;
}

/**
 * The laboratory codes of a user's own Loinc.csv, one at a time as the file is read. Deprecated and discouraged codes
 * are left out. Throws an error that names the file and the missing columns where it is not such a table.
 */
export async function* readLoincCsv(path: string): AsyncGenerator<CsvCode> {
  const rows = parse({ bom: true, relax_column_count: true, max_record_size: 1_000_000 });
  // Unlike pipe this ends the parser when the file cannot be read: the loop below throws then.
  pipeline(createReadStream(path), rows, () => undefined);
  let cell: ((row: readonly string[], name: Column) => string) | undefined;
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      if (!cell) cell = columnsOf(row, path);
      else if (isWanted(row, cell)) yield codeOf(row, cell);
    }
  } catch (error) {
    throw new Error(
      `LOINC_CSV: ${path} cannot be read as the LOINC table: ${error instanceof Error ? error.message : 'unknown'}`,
      { cause: error },
    );
  }
  if (!cell) throw new Error(`LOINC_CSV: ${path} is empty`);
}

/** Throws what reading it would throw at its beginning: where it is not there, or is no such table. */
export async function checkLoincCsv(path: string): Promise<void> {
  const codes = readLoincCsv(path);
  try {
    await codes.next();
  } finally {
    await codes.return(undefined);
  }
}

function columnsOf(head: readonly string[], path: string): (row: readonly string[], name: Column) => string {
  const places = new Map(head.map((name, at) => [name.trim(), at]));
  const missing = NEEDED.filter((name) => !places.has(name));
  if (missing.length > 0) throw new Error(`${path} has no column ${missing.join(', ')}`);
  return (row, name) => row[places.get(name) ?? -1]?.trim() ?? '';
}

const isWanted = (row: readonly string[], cell: (row: readonly string[], name: Column) => string): boolean =>
  cell(row, 'STATUS') === 'ACTIVE' && cell(row, 'CLASSTYPE') === '1' && cell(row, 'LOINC_NUM') !== '';

function codeOf(row: readonly string[], cell: (row: readonly string[], name: Column) => string): CsvCode {
  const rank = Number(cell(row, 'COMMON_TEST_RANK'));
  const code = loincCode({
    code: cell(row, 'LOINC_NUM'),
    longName: cell(row, 'LONG_COMMON_NAME'),
    shortName: cell(row, 'SHORTNAME'),
    component: cell(row, 'COMPONENT'),
    units: cell(row, 'EXAMPLE_UCUM_UNITS'),
    property: cell(row, 'PROPERTY'),
    time: cell(row, 'TIME_ASPCT'),
    system: cell(row, 'SYSTEM'),
    scale: cell(row, 'SCALE_TYP'),
    method: cell(row, 'METHOD_TYP'),
    rank: rank > 0 ? Math.min(rank, UNRANKED) : UNRANKED,
  });
  return { code, displayName: cell(row, 'DisplayName') };
}
