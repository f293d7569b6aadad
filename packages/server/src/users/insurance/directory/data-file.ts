import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** The folder of the data files. The service is bundled, so the caller passes the location. */
export type DataFolder = string | URL;

/** The `# name: value` lines at the top of a table; `seed` means that the table is incomplete. */
const DataFileHeader = z.object({ release: z.string().min(1), coverage: z.enum(['seed', 'complete']) });
export type DataFileHeader = z.infer<typeof DataFileHeader>;

interface DataTable {
  path: string;
  header: DataFileHeader;
  /** The rows without comments, each terminated by a newline. */
  body: string;
}

export const dataPath = (folder: DataFolder, name: string): string =>
  join(folder instanceof URL ? fileURLToPath(folder) : folder, name);

/** Reads the first of these tables that exists; names ending in `.gz` are decompressed. */
export function readTable(folder: DataFolder, names: readonly string[]): DataTable {
  const paths = names.map((name) => dataPath(folder, name));
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`No data file: expected one of ${paths.join(', ')}`);
  const bytes = readFileSync(path);
  return parseTable(path, (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}

/** Comments are allowed only at the top, so that the rows remain one slice of the text. */
export function parseTable(path: string, text: string): DataTable {
  const said: Record<string, string> = {};
  let at = 0;
  while (text[at] === '#') {
    const end = findLineEnd(text, at);
    const match = /^# (\w+): (.*)$/.exec(text.slice(at, end));
    if (match?.[1] !== undefined && match[2] !== undefined) said[match[1]] = match[2];
    at = end + 1;
  }
  const head = DataFileHeader.safeParse(said);
  if (!head.success) throw new Error(`${path}: expected "# release:" and "# coverage:" lines at the top`);
  const body = text.slice(at);
  return { path, header: head.data, body: body === '' || body.endsWith('\n') ? body : `${body}\n` };
}

export function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
