import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const OptionalText = z.string().nullish();

/** What a report really contains: the format of the JSON files next to the reports. */
const ReportTruth = z.object({
  file: z.string().optional(),
  layout: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  results: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      unit: OptionalText,
      reference_range: OptionalText,
      flag: OptionalText,
      flag_printed: OptionalText,
      loinc: OptionalText,
    }),
  ),
});
type ReportTruth = z.output<typeof ReportTruth>;
export type TrueResult = ReportTruth['results'][number];

export interface EvalCase {
  readonly name: string;
  readonly files: readonly string[];
  readonly truth: ReportTruth;
}

const READABLE = /\.(?:pdf|jpe?g|png)$/i;

/**
 * Every report in a folder with its truth. `name.json` belongs to `name.pdf`, and to `name-1.scan.jpg`,
 * `name-2.scan.jpg`, which are the pages of one report.
 */
export async function listCases(folder: string): Promise<EvalCase[]> {
  const files = (await readdir(folder)).toSorted();
  const cases: EvalCase[] = [];
  for (const json of files.filter((file) => file.endsWith('.json'))) {
    const truth = ReportTruth.parse(JSON.parse(await readFile(join(folder, json), 'utf8')));
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
