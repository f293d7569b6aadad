import { readTenant, type App } from '../app.ts';
import { listFileIds, resealFile, type ReportFileSealing } from '../lab-reports/lab-reports.ts';
import type { ResealBatch } from './reseal.ts';

/** Small, because each file is read and rewritten completely. */
const FILES_PER_BATCH = 5;

/** Reseals files whose first chunk is sealed with an older key; `after` is the id of the last file checked. */
export async function resealFiles(
  app: App,
  sealing: ReportFileSealing,
  after: readonly string[] | null,
): Promise<ResealBatch> {
  const page = { after: after?.[0] ?? null, limit: FILES_PER_BATCH };
  const ids = await readTenant(app, sealing.tenant, (work) => listFileIds(work, page));
  const closed: string[][] = [];
  let resealed = 0;
  for (const id of ids) {
    const outcome = await resealFile(app, sealing, id);
    if (outcome === 'resealed') resealed += 1;
    if (outcome === 'closed') closed.push([id]);
  }
  const last = ids.length === FILES_PER_BATCH ? ids.at(-1) : undefined;
  return { resealed, unopenable: closed, after: last === undefined ? null : [last] };
}
