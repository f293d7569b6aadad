import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { ImportRefused } from '../catalog/catalog.ts';
import { SITE_COLUMNS } from './site-row.ts';

/** A row of an import file: where it stands, and its cells by column. An empty cell is not there. */
export interface GivenRow {
  /** `line 4`, or `sites[2]`. */
  readonly place: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

const Lines = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

/** The rows of a CSV file, whose first line names the columns in any order. */
export function readCsv(content: string): GivenRow[] {
  const [head, ...lines] = linesOf(content);
  const columns = head?.record ?? [];
  const faults = [
    ...SITE_COLUMNS_NEEDED.filter((column) => !columns.includes(column)).map((column) => ({
      place: 'line 1',
      column,
      says: 'expected this column',
    })),
    ...columns
      .filter((column, at) => !SITE_COLUMNS.includes(column) || columns.indexOf(column) !== at)
      .map((column) => ({ place: 'line 1', column, says: `expected ${SITE_COLUMNS.join(', ')}, each once` })),
    ...lines
      .filter(({ record }) => record.length !== columns.length)
      .map(({ record, info }) => ({
        place: `line ${info.lines}`,
        says: `expected ${columns.length} cells as in line 1, got ${record.length}`,
      })),
  ];
  if (faults.length > 0) throw new ImportRefused(faults);
  return lines.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    cells: Object.fromEntries(
      columns.map((column, at) => [column, record[at] ?? '']).filter(([, cell]) => cell !== ''),
    ),
  }));
}

const SITE_COLUMNS_NEEDED = [
  'lab',
  'site_code',
  'name',
  'first_line',
  'city',
  'state',
  'zip_code',
  'hours',
  'bill_types',
];

function linesOf(content: string): z.output<typeof Lines> {
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

const File = z.strictObject({ sites: z.array(z.record(z.string(), z.unknown())) });

/** The rows of a JSON file: `{"sites": [...]}`, a site with the same names as the columns. */
export function readJson(content: string): GivenRow[] {
  const parsed = File.safeParse(parseJson(content));
  if (!parsed.success) {
    throw new ImportRefused(
      parsed.error.issues.map(({ path, message }) => ({
        place: path.length > 0 ? path.join('.') : 'the file',
        says: message,
      })),
    );
  }
  return parsed.data.sites.map((cells, at) => ({
    place: `sites[${at}]`,
    cells: Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== null)),
  }));
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ImportRefused([{ place: 'the file', says: `this is no JSON: ${why}` }]);
  }
}
