import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { CatalogImportError, type CatalogImportFile } from '../../ordering/catalog/catalog.ts';
import * as store from './load-store.ts';
import { readCsv, readJson, type SiteImportRow } from './read-sites.ts';
import { checkSiteRow, SiteRow, toNewSite, type NewSite } from './site-row.ts';

type SiteImportFault = CatalogImportError['faults'][number];

/** The changes of an import, or of a dry run, to a laboratory's list. */
interface SiteListChange {
  readonly lab: string;
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  /** Sites that are not in the file: generated ones and those of an earlier import. */
  readonly removed: number;
}

/**
 * Replaces the complete site lists of the laboratories in the file. Atomic: with any fault, nothing is written and
 * `CatalogImportError` lists every invalid row. Idempotent. Lists of other laboratories and booked appointments are not
 * changed.
 */
export async function importSites(app: Pick<App, 'db'>, file: CatalogImportFile): Promise<SiteListChange[]> {
  const given = file.format === 'csv' ? readCsv(file.content) : readJson(file.content);
  return asSystem(app.db, async (tx) => {
    await store.lockSites(tx);
    const labs = new Map((await store.listSiteLabs(tx)).map((lab) => [lab.slug, lab]));
    const byLab = parseSiteRows(given, labs);
    const known = await store.listSitesOfLabs(
      tx,
      [...byLab.keys()].map((slug) => labs.get(slug)?.id ?? 0),
    );
    const changes: SiteListChange[] = [];
    for (const [slug, sites] of byLab) {
      const before = known.filter(({ labId }) => labId === labs.get(slug)?.id);
      changes.push({ lab: slug, ...countChanges(sites, before) });
      if (!file.dryRun) await replaceSites(tx, sites);
    }
    return changes;
  });
}

async function replaceSites(tx: Tx, sites: readonly NewSite[]): Promise<void> {
  const labId = sites[0]?.lab_id;
  if (labId === undefined) return;
  await store.deleteUnlistedSites(
    tx,
    labId,
    sites.map(({ code }) => code),
  );
  await store.saveSites(tx, sites);
}

function countChanges(
  sites: readonly NewSite[],
  before: readonly store.StoredSite[],
): Omit<SiteListChange, 'lab'> {
  const old = new Map(before.map(({ code, site }) => [code, toComparable(site)]));
  const kept = sites.filter(({ code }) => old.has(code));
  const same = kept.filter((site) => isDeepStrictEqual(toComparable(site), old.get(site.code))).length;
  return {
    added: sites.length - kept.length,
    changed: kept.length - same,
    same,
    removed: old.size - kept.length,
  };
}

/** PostgreSQL reorders the keys of JSON documents: compare the parsed hours. */
const toComparable = ({ hours, ...site }: NewSite) => ({ ...site, hours: JSON.parse(hours) as unknown });

type SiteLabs = ReadonlyMap<string, store.SiteLab>;

/** The sites by laboratory; throws all faults of all rows at once. */
function parseSiteRows(given: readonly SiteImportRow[], labs: SiteLabs): Map<string, NewSite[]> {
  const faults: SiteImportFault[] =
    given.length === 0 ? [{ place: 'the file', says: 'expected at least one site' }] : [];
  const byLab = new Map<string, NewSite[]>();
  const seen = new Map<string, string>();
  for (const row of given) {
    const parsed = SiteRow.safeParse(row.cells);
    if (!parsed.success) {
      faults.push(...toFaults(row, parsed.error.issues));
      continue;
    }
    const site = parsed.data;
    const key = `${site.lab} ${site.site_code}`;
    const first = seen.get(key);
    const [lab, labFaults] = resolveLab(site.lab, labs);
    const found = [...labFaults, ...checkSiteRow(site)];
    if (first) found.push({ column: 'site_code', says: `duplicate of ${first}` });
    faults.push(...found.map((fault) => ({ place: row.place, ...fault })));
    seen.set(key, first ?? row.place);
    if (lab) byLab.set(site.lab, [...(byLab.get(site.lab) ?? []), toNewSite(site, lab.id, 'imported')]);
  }
  if (faults.length > 0) throw new CatalogImportError(faults);
  return byLab;
}

function resolveLab(slug: string, labs: SiteLabs) {
  const lab = labs.get(slug);
  if (!lab) return [undefined, [{ column: 'lab', says: `unknown laboratory ${slug}` }]] as const;
  if (lab.takesWalkIns) return [lab, []] as const;
  return [undefined, [{ column: 'lab', says: `${slug} does not offer walk-in tests` }]] as const;
}

interface SiteRowIssue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

const toFaults = (row: SiteImportRow, issues: readonly SiteRowIssue[]): SiteImportFault[] =>
  issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return (issue.keys ?? []).map((column) => ({
        place: row.place,
        column,
        says: 'unknown column',
      }));
    }
    const column = String(issue.path[0] ?? '');
    return [{ place: row.place, column, says: `${issue.message}${formatActualValue(row.cells[column])}` }];
  });

const SHOWN_CHARACTERS_MAX = 60;

/** The actual value, shortened to fit a line. */
function formatActualValue(value: unknown): string {
  const told = JSON.stringify(value) ?? 'nothing';
  return `, got ${told.length > SHOWN_CHARACTERS_MAX ? `${told.slice(0, SHOWN_CHARACTERS_MAX)}…` : told}`;
}
