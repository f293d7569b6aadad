import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import * as store from './load-store.ts';
import { checkSiteRow, SiteRow, toNewSite } from './site-row.ts';

/** A row that is marked as generated. */
const GeneratedSiteRow = SiteRow.extend({ source: z.literal('made') });

/** Increase it when the loaded form changes, so that an unchanged file is loaded again. */
const SEED_FORMAT_VERSION = '1';

/**
 * Loads the shipped sites if their checksum differs from the loaded one. They are fictional, for sandboxes; a
 * laboratory with an imported list gets none. Call it after the catalog is loaded. Safe to call from several processes
 * at once: one loads, the others wait.
 */
export async function seedSites(app: Pick<App, 'db' | 'log' | 'root'>): Promise<void> {
  const content = await readFile(new URL('data/places/sites.jsonl', app.root), 'utf8');
  const checksum = createHash('sha256').update(SEED_FORMAT_VERSION).update(content).digest('hex');
  if (await asSystem(app.db, (tx) => store.areSitesLoaded(tx, checksum))) return;
  const made = parseGeneratedSites(content);
  await asSystem(app.db, async (tx) => {
    await store.lockSites(tx);
    if (await store.areSitesLoaded(tx, checksum)) return;
    const labs = (await store.listSiteLabs(tx)).filter(({ isImported }) => !isImported);
    const idOf = new Map(labs.map(({ slug, id }) => [slug, id]));
    await store.deleteGeneratedSites(tx);
    const sites = made.flatMap((row) => {
      const labId = idOf.get(row.lab);
      return labId === undefined ? [] : [toNewSite(row, labId, 'made')];
    });
    await store.saveSites(tx, sites);
    await store.recordSiteLoad(tx, checksum);
    app.log.info({ sites: sites.length }, 'patient service centers loaded');
  });
}

/** Parses the shipped file; throws one error that lists every fault. */
export function parseGeneratedSites(content: string): SiteRow[] {
  const faults: string[] = [];
  const rows = content
    .trimEnd()
    .split('\n')
    .flatMap((line, at) => {
      const parsed = GeneratedSiteRow.safeParse(JSON.parse(line));
      if (!parsed.success) {
        faults.push(`line ${at + 1}: ${z.prettifyError(parsed.error)}`);
        return [];
      }
      const { source: _made, ...row } = parsed.data;
      faults.push(...checkSiteRow(row).map(({ column, says }) => `line ${at + 1}, ${column}: ${says}`));
      return [row];
    });
  if (faults.length > 0) throw new Error(`data/places/sites.jsonl is invalid:\n${faults.join('\n')}`);
  return rows;
}
