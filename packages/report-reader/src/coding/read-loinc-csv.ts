import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { type LoincCode, toLoincCode } from './code.ts';
import { UNRANKED } from './read-bundled.ts';

/** The columns of the official LOINC table that must be present. */
const REQUIRED_COLUMNS = [
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
const OPTIONAL_COLUMNS = [
  'CLASS',
  'EXAMPLE_UCUM_UNITS',
  'RELATEDNAMES2',
  'COMMON_TEST_RANK',
  'DisplayName',
] as const;
type LoincCsvColumn = (typeof REQUIRED_COLUMNS)[number] | (typeof OPTIONAL_COLUMNS)[number];

export interface LoincCsvRow {
  readonly code: LoincCode;
  /** The LOINC display name; empty if the table has none. */
  readonly displayName: string;
}

/**
 * Streams the active laboratory codes of the operator's Loinc.csv. Deprecated and discouraged codes are skipped. Throws
 * an error that names the file, and the missing columns if it is not a LOINC table.
 */
export async function* readLoincCsv(path: string): AsyncGenerator<LoincCsvRow> {
  const rows = parse({ bom: true, relax_column_count: true, max_record_size: 1_000_000 });
  // Unlike pipe, pipeline ends the parser if the file cannot be read, so the loop below throws.
  pipeline(createReadStream(path), rows, () => undefined);
  let cell: ((row: readonly string[], name: LoincCsvColumn) => string) | undefined;
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      if (!cell) cell = columnsOf(row, path);
      else if (isActiveLaboratoryCode(row, cell)) yield toCsvRow(row, cell);
    }
  } catch (error) {
    throw new Error(
      `LOINC_CSV: ${path} cannot be read as the LOINC table: ${error instanceof Error ? error.message : 'unknown'}`,
      { cause: error },
    );
  }
  if (!cell) throw new Error(`LOINC_CSV: ${path} is empty`);
}

/** Throws if the file cannot be opened or is not a LOINC table. Reads only its beginning. */
export async function checkLoincCsv(path: string): Promise<void> {
  const codes = readLoincCsv(path);
  try {
    await codes.next();
  } finally {
    await codes.return(undefined);
  }
}

function columnsOf(
  head: readonly string[],
  path: string,
): (row: readonly string[], name: LoincCsvColumn) => string {
  const places = new Map(head.map((name, at) => [name.trim(), at]));
  const missing = REQUIRED_COLUMNS.filter((name) => !places.has(name));
  if (missing.length > 0) throw new Error(`${path} has no column ${missing.join(', ')}`);
  return (row, name) => row[places.get(name) ?? -1]?.trim() ?? '';
}

const isActiveLaboratoryCode = (
  row: readonly string[],
  cell: (row: readonly string[], name: LoincCsvColumn) => string,
): boolean =>
  cell(row, 'STATUS') === 'ACTIVE' && cell(row, 'CLASSTYPE') === '1' && cell(row, 'LOINC_NUM') !== '';

function toCsvRow(
  row: readonly string[],
  cell: (row: readonly string[], name: LoincCsvColumn) => string,
): LoincCsvRow {
  const rank = Number(cell(row, 'COMMON_TEST_RANK'));
  const code = toLoincCode({
    code: cell(row, 'LOINC_NUM'),
    longName: cell(row, 'LONG_COMMON_NAME'),
    shortName: cell(row, 'SHORTNAME'),
    component: cell(row, 'COMPONENT'),
    loincClass: cell(row, 'CLASS'),
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
