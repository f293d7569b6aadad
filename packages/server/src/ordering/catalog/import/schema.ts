import { z } from 'zod';
import type { CatalogImportFault } from './fault.ts';
import type { CatalogImportPlan } from './plan.ts';

/** Rows and faults in a response; the counts are those of all. */
const LISTED_MAX = 1000;

export const ImportParams = z.object({ org_id: z.uuid() });

export const ImportCatalogBody = z
  .object({
    format: z.enum(['csv', 'json']).describe('How the file is written; both have the same content.'),
    content: z.string().max(8_000_000).describe('The text of the file.'),
    dry_run: z
      .boolean()
      .default(false)
      .describe('Only compares the file with the catalog, and writes nothing.'),
  })
  .meta({ id: 'ImportCatalogBody' });

const CountsView = z
  .object({ added: z.int(), changed: z.int(), unchanged: z.int() })
  .meta({ id: 'CatalogImportCounts' });

export const CatalogImportView = z
  .object({
    imported: z
      .boolean()
      .describe('Whether the catalog is now as the file says; false for a dry run and for faults.'),
    labs: CountsView,
    markers: CountsView,
    taken_over: z
      .int()
      .describe('How many of the rows were shipped with the service: updates no longer change them.'),
    changes: z
      .array(
        z.object({
          record: z.enum(['lab', 'marker']),
          lab: z.string(),
          marker: z.string().nullable().describe("The laboratory's code of the marker."),
          name: z.string(),
          action: z.enum(['added', 'changed']),
          columns: z.array(z.string()).describe('What is different in a changed row.'),
        }),
      )
      .describe('At most 1000.'),
    faults: z
      .array(
        z.object({
          place: z.string().describe('`line 4`, or the path in a JSON file: `markers[2].results[0]`.'),
          line: z.int().nullable().describe('The line of a CSV file.'),
          column: z.string().nullable(),
          message: z.string(),
        }),
      )
      .describe('What is wrong with the file, at most 1000. With any fault nothing is imported.'),
  })
  .meta({ id: 'CatalogImport' });

const NO_COUNTS = { added: 0, changed: 0, same: 0 };

export function toCatalogImportView(
  { plan, faults }: { plan?: CatalogImportPlan; faults: readonly CatalogImportFault[] },
  isDryRun: boolean,
): z.input<typeof CatalogImportView> {
  const { labs, markers } = plan?.counts ?? { labs: NO_COUNTS, markers: NO_COUNTS };
  return {
    imported: plan !== undefined && !isDryRun,
    labs: toCountsView(labs),
    markers: toCountsView(markers),
    taken_over: plan?.takenOver ?? 0,
    changes: (plan?.changes ?? [])
      .slice(0, LISTED_MAX)
      .map((change) => ({ ...change, columns: [...change.columns] })),
    faults: faults.slice(0, LISTED_MAX).map(({ place, column, says }) => ({
      place,
      line: lineOf(place),
      column: column ?? null,
      message: says,
    })),
  };
}

const toCountsView = ({ added, changed, same }: CatalogImportPlan['counts']['labs']) => ({
  added,
  changed,
  unchanged: same,
});

function lineOf(place: string): number | null {
  const [, line] = /^line (\d+)$/.exec(place) ?? [];
  return line === undefined ? null : Number(line);
}
