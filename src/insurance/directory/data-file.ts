import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** A folder of data files: the service is bundled, so the caller says where they lie. */
export type DataFolder = string | URL;

/** What a table says of itself in its `# name: value` lines; `seed` means that rows are missing. */
const Head = z.object({ release: z.string().min(1), coverage: z.enum(['seed', 'complete']) });
export type Head = z.infer<typeof Head>;

export interface Table {
  path: string;
  head: Head;
  /** The rows, without comments, each ended by a newline. */
  body: string;
}

export const dataPath = (folder: DataFolder, name: string): string =>
  join(folder instanceof URL ? fileURLToPath(folder) : folder, name);

/** Reads the first of these tables that is there; a name ending in `.gz` is unpacked. */
export function readTable(folder: DataFolder, names: readonly string[]): Table {
  const paths = names.map((name) => dataPath(folder, name));
  const path = paths.find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`No data file: expected one of ${paths.join(', ')}`);
  const bytes = readFileSync(path);
  return parseTable(path, (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}

/** Comments stand only at the top, so that the rows stay one piece of text. */
export function parseTable(path: string, text: string): Table {
  const said: Record<string, string> = {};
  let at = 0;
  while (text[at] === '#') {
    const end = lineEnd(text, at);
    const match = /^# (\w+): (.*)$/.exec(text.slice(at, end));
    if (match?.[1] !== undefined && match[2] !== undefined) said[match[1]] = match[2];
    at = end + 1;
  }
  const head = Head.safeParse(said);
  if (!head.success) throw new Error(`${path}: expected "# release:" and "# coverage:" lines at the top`);
  const body = text.slice(at);
  return { path, head: head.data, body: body === '' || body.endsWith('\n') ? body : `${body}\n` };
}

export function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
