import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { CatalogImportError, type CatalogImportFault } from './fault.ts';
import { COLUMNS, type CatalogImportRow } from './record.ts';

const CsvLines = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

/** The rows of a CSV file. Its header names the columns in any order. Empty cells are omitted. */
export function readCsv(content: string): CatalogImportRow[] {
  const [head, ...lines] = parseCsvLines(content);
  if (!head)
    throw new CatalogImportError([{ place: 'line 1', says: 'expected a header with the column names' }]);
  const columns = head.record;
  const faults = [...checkHeader(columns), ...lines.flatMap((line) => checkWidth(line, columns.length))];
  if (faults.length > 0) throw new CatalogImportError(faults);
  return lines.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    cells: Object.fromEntries(
      columns.map((column, at) => [column, record[at] ?? '']).filter(([, cell]) => cell !== ''),
    ),
  }));
}

type CsvLine = z.output<typeof CsvLines>[number];

function parseCsvLines(content: string): CsvLine[] {
  try {
    const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count: true };
    const lines: unknown = parse(content, options);
    return CsvLines.parse(lines);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CatalogImportError([
      { place: `line ${String(error['lines'])}`, says: `invalid CSV: ${error.message}` },
    ]);
  }
}

function checkHeader(columns: readonly string[]): CatalogImportFault[] {
  const place = 'line 1';
  const missing = columns.includes('record') ? [] : [{ place, column: 'record', says: 'missing column' }];
  const unknown = columns
    .filter((column) => !COLUMNS.includes(column))
    .map((column) => ({ place, column, says: `expected one of ${COLUMNS.join(', ')}` }));
  const twice = columns
    .filter((column, at) => columns.indexOf(column) !== at)
    .map((column) => ({ place, column, says: 'duplicate column' }));
  return [...missing, ...unknown, ...twice];
}

const checkWidth = ({ record, info }: CsvLine, width: number): CatalogImportFault[] =>
  record.length === width
    ? []
    : [{ place: `line ${info.lines}`, says: `expected ${width} cells as in line 1, got ${record.length}` }];
