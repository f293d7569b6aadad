import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { ImportRefused, type Fault } from './fault.ts';
import { COLUMNS, type Row } from './record.ts';

const Lines = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

/** The rows of a CSV file, whose first line names the columns in any order. Empty cells are left out. */
export function readCsv(content: string): Row[] {
  const [head, ...lines] = linesOf(content);
  if (!head) throw new ImportRefused([{ place: 'line 1', says: 'expected the names of the columns' }]);
  const columns = head.record;
  const faults = [...faultsOfHead(columns), ...lines.flatMap((line) => faultsOfWidth(line, columns.length))];
  if (faults.length > 0) throw new ImportRefused(faults);
  return lines.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    cells: Object.fromEntries(
      columns.map((column, at) => [column, record[at] ?? '']).filter(([, cell]) => cell !== ''),
    ),
  }));
}

type Line = z.output<typeof Lines>[number];

function linesOf(content: string): Line[] {
  try {
    const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count: true };
    const lines: unknown = parse(content, options);
    return Lines.parse(lines);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ImportRefused([
      { place: `line ${String(error['lines'])}`, says: `this is no CSV: ${error.message}` },
    ]);
  }
}

function faultsOfHead(columns: readonly string[]): Fault[] {
  const place = 'line 1';
  const missing = columns.includes('record')
    ? []
    : [{ place, column: 'record', says: 'expected this column' }];
  const unknown = columns
    .filter((column) => !COLUMNS.includes(column))
    .map((column) => ({ place, column, says: `expected one of ${COLUMNS.join(', ')}` }));
  const twice = columns
    .filter((column, at) => columns.indexOf(column) !== at)
    .map((column) => ({ place, column, says: 'expected this column once' }));
  return [...missing, ...unknown, ...twice];
}

const faultsOfWidth = ({ record, info }: Line, width: number): Fault[] =>
  record.length === width
    ? []
    : [{ place: `line ${info.lines}`, says: `expected ${width} cells as in line 1, got ${record.length}` }];
