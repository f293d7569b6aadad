import { readTenant, type App } from '../app.ts';
import { listFileIds, resealFile, type Sealing } from '../lab-reports/lab-reports.ts';
import type { Stretch } from './reseal.ts';

/** Few, because each is read and written whole. */
const FILES = 5;

/** Seals files anew whose first piece an older key has sealed; `after` is the id of the last one that was looked at. */
export async function resealFiles(
  app: App,
  sealing: Sealing,
  after: readonly string[] | null,
): Promise<Stretch> {
  const page = { after: after?.[0] ?? null, limit: FILES };
  const ids = await readTenant(app, sealing.tenant, (work) => listFileIds(work, page));
  const closed: string[][] = [];
  let resealed = 0;
  for (const id of ids) {
    const outcome = await resealFile(app, sealing, id);
    if (outcome === 'resealed') resealed += 1;
    if (outcome === 'closed') closed.push([id]);
  }
  const last = ids.length === FILES ? ids.at(-1) : undefined;
  return { resealed, closed, after: last === undefined ? null : [last] };
}
