import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Text = z.string().nullish();

/** What a report really says: the form of the JSON files beside the reports. */
export const Truth = z.object({
  file: z.string().optional(),
  layout: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  results: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      unit: Text,
      reference_range: Text,
      flag: Text,
      flag_printed: Text,
      loinc: Text,
    }),
  ),
});
export type Truth = z.output<typeof Truth>;
export type TrueLine = Truth['results'][number];

export interface Case {
  readonly name: string;
  readonly files: readonly string[];
  readonly truth: Truth;
}

const READABLE = /\.(?:pdf|jpe?g|png)$/i;

/**
 * Every report of a folder with its truth: `name.json` belongs to `name.pdf`, and to `name-1.scan.jpg`,
 * `name-2.scan.jpg`, which are the pages of one report.
 */
export async function casesOf(folder: string): Promise<Case[]> {
  const files = (await readdir(folder)).toSorted();
  const cases: Case[] = [];
  for (const json of files.filter((file) => file.endsWith('.json'))) {
    const truth = Truth.parse(JSON.parse(await readFile(join(folder, json), 'utf8')));
    const stem = json.slice(0, -'.json'.length);
    const kinds = new Map<string, string[]>();
    for (const file of files.filter((name) => READABLE.test(name))) {
      const rest = file.startsWith(stem) ? file.slice(stem.length) : undefined;
      if (rest === undefined || !/^(?:-\d+)?(?:\.\w+)?\.\w+$/.test(rest)) continue;
      const kind = rest.replace(/^-\d+/, '');
      kinds.set(kind, [...(kinds.get(kind) ?? []), join(folder, file)]);
    }
    for (const [kind, of] of kinds) cases.push({ name: `${stem}${kind}`, files: of, truth });
  }
  return cases;
}
