import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import * as store from './load-store.ts';
import { faultsBetween, SiteRow, siteToSave } from './site-row.ts';

/** Says of itself that it is an invention. */
const MadeSite = SiteRow.extend({ source: z.literal('made') });

/** Raised when what is made of the file changes, so that an unchanged file is loaded once more. */
const FORM = '1';

/**
 * Loads the sites that ship with the service, when they are others than those there. They are inventions for trying
 * things out; a laboratory whose list was imported gets none of them. Needs the catalogue loaded. Several processes
 * may start at the same moment: one loads, the others wait for it.
 */
export async function seedSites(app: Pick<App, 'db' | 'log' | 'root'>): Promise<void> {
  const content = await readFile(new URL('data/places/sites.jsonl', app.root), 'utf8');
  const checksum = createHash('sha256').update(FORM).update(content).digest('hex');
  if (await asSystem(app.db, (tx) => store.isLoaded(tx, checksum))) return;
  const made = readMade(content);
  await asSystem(app.db, async (tx) => {
    await store.lockSites(tx);
    if (await store.isLoaded(tx, checksum)) return;
    const labs = (await store.listLabsOfSites(tx)).filter(({ isImported }) => !isImported);
    const idOf = new Map(labs.map(({ slug, id }) => [slug, id]));
    await store.deleteMade(tx);
    const sites = made.flatMap((row) => {
      const labId = idOf.get(row.lab);
      return labId === undefined ? [] : [siteToSave(row, labId, 'made')];
    });
    await store.saveSites(tx, sites);
    await store.markLoaded(tx, checksum);
    app.log.info({ sites: sites.length }, 'patient service centers loaded');
  });
}

/** The rows of the shipped file; one error names every fault. */
export function readMade(content: string): SiteRow[] {
  const faults: string[] = [];
  const rows = content
    .trimEnd()
    .split('\n')
    .flatMap((line, at) => {
      const parsed = MadeSite.safeParse(JSON.parse(line));
      if (!parsed.success) {
        faults.push(`line ${at + 1}: ${z.prettifyError(parsed.error)}`);
        return [];
      }
      const { source: _made, ...row } = parsed.data;
      faults.push(...faultsBetween(row).map(({ column, says }) => `line ${at + 1}, ${column}: ${says}`));
      return [row];
    });
  if (faults.length > 0) throw new Error(`data/places/sites.jsonl is wrong:\n${faults.join('\n')}`);
  return rows;
}
