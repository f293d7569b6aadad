import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { CatalogImportError } from '../../ordering/catalog/catalog.ts';
import { SITE_COLUMNS } from './site-row.ts';

/** A row of an import file: its location, and its cells by column. Empty cells are omitted. */
export interface SiteImportRow {
  /** For example `line 4` or `sites[2]`. */
  readonly place: string;
  readonly cells: Readonly<Record<string, unknown>>;
}

const CsvLines = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.number() }) }));

/** The rows of a CSV file. Its header names the columns in any order. */
export function readCsv(content: string): SiteImportRow[] {
  const [head, ...lines] = parseCsvLines(content);
  const columns = head?.record ?? [];
  const faults = [
    ...REQUIRED_SITE_COLUMNS.filter((column) => !columns.includes(column)).map((column) => ({
      place: 'line 1',
      column,
      says: 'missing column',
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
  if (faults.length > 0) throw new CatalogImportError(faults);
  return lines.map(({ record, info }) => ({
    place: `line ${info.lines}`,
    cells: Object.fromEntries(
      columns.map((column, at) => [column, record[at] ?? '']).filter(([, cell]) => cell !== ''),
    ),
  }));
}

const REQUIRED_SITE_COLUMNS = [
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

function parseCsvLines(content: string): z.output<typeof CsvLines> {
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

const SiteJsonFile = z.strictObject({ sites: z.array(z.record(z.string(), z.unknown())) });

/** The rows of a JSON file `{"sites": [...]}`; the properties of a site are named like the columns. */
export function readJson(content: string): SiteImportRow[] {
  const parsed = SiteJsonFile.safeParse(parseJson(content));
  if (!parsed.success) {
    throw new CatalogImportError(
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
    throw new CatalogImportError([{ place: 'the file', says: `invalid JSON: ${why}` }]);
  }
}
