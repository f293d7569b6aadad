import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { ImportRefused, type ImportFile } from '../catalog/catalog.ts';
import * as store from './load-store.ts';
import { readCsv, readJson, type GivenRow } from './read-sites.ts';
import { faultsBetween, SiteRow, siteToSave, type SiteToSave } from './site-row.ts';

type Fault = ImportRefused['faults'][number];

/** What an import does, or would do, to a laboratory's list. */
export interface ListChange {
  readonly lab: string;
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  /** Sites that the file does not name: those that were made, and those of an earlier import. */
  readonly removed: number;
}

/**
 * Replaces the lists of sites of the laboratories that the file names, each wholly: all of the file, or, with one
 * fault in it, nothing (`ImportRefused`, which names every bad row). Lists of other laboratories stay. The same file
 * a second time changes nothing. Appointments that were booked keep their place.
 */
export async function importSites(app: Pick<App, 'db'>, file: ImportFile): Promise<ListChange[]> {
  const given = file.format === 'csv' ? readCsv(file.content) : readJson(file.content);
  return asSystem(app.db, async (tx) => {
    await store.lockSites(tx);
    const labs = new Map((await store.listLabsOfSites(tx)).map((lab) => [lab.slug, lab]));
    const byLab = parseRows(given, labs);
    const known = await store.listSitesOfLabs(
      tx,
      [...byLab.keys()].map((slug) => labs.get(slug)?.id ?? 0),
    );
    const changes: ListChange[] = [];
    for (const [slug, sites] of byLab) {
      const before = known.filter(({ labId }) => labId === labs.get(slug)?.id);
      changes.push({ lab: slug, ...changeOf(sites, before) });
      if (!file.dryRun) await replace(tx, sites);
    }
    return changes;
  });
}

async function replace(tx: Tx, sites: readonly SiteToSave[]): Promise<void> {
  const labId = sites[0]?.lab_id;
  if (labId === undefined) return;
  await store.deleteOthers(
    tx,
    labId,
    sites.map(({ code }) => code),
  );
  await store.saveSites(tx, sites);
}

function changeOf(sites: readonly SiteToSave[], before: readonly store.KnownSite[]): Omit<ListChange, 'lab'> {
  const old = new Map(before.map(({ code, site }) => [code, comparable(site)]));
  const kept = sites.filter(({ code }) => old.has(code));
  const same = kept.filter((site) => isDeepStrictEqual(comparable(site), old.get(site.code))).length;
  return {
    added: sites.length - kept.length,
    changed: kept.length - same,
    same,
    removed: old.size - kept.length,
  };
}

/** The database keeps the keys of a document in an order of its own. */
const comparable = ({ hours, ...site }: SiteToSave) => ({ ...site, hours: JSON.parse(hours) as unknown });

type Labs = ReadonlyMap<string, store.LabOfSites>;

/** The sites by their laboratory; refused with every fault of every row at once. */
function parseRows(given: readonly GivenRow[], labs: Labs): Map<string, SiteToSave[]> {
  const faults: Fault[] =
    given.length === 0 ? [{ place: 'the file', says: 'expected at least one site' }] : [];
  const byLab = new Map<string, SiteToSave[]>();
  const seen = new Map<string, string>();
  for (const row of given) {
    const parsed = SiteRow.safeParse(row.cells);
    if (!parsed.success) {
      faults.push(...faultsOfShape(row, parsed.error.issues));
      continue;
    }
    const site = parsed.data;
    const key = `${site.lab} ${site.site_code}`;
    const first = seen.get(key);
    const [lab, labFaults] = labOf(site.lab, labs);
    const found = [...labFaults, ...faultsBetween(site)];
    if (first) found.push({ column: 'site_code', says: `${site.site_code} stands in ${first} already` });
    faults.push(...found.map((fault) => ({ place: row.place, ...fault })));
    seen.set(key, first ?? row.place);
    if (lab) byLab.set(site.lab, [...(byLab.get(site.lab) ?? []), siteToSave(site, lab.id, 'imported')]);
  }
  if (faults.length > 0) throw new ImportRefused(faults);
  return byLab;
}

function labOf(slug: string, labs: Labs) {
  const lab = labs.get(slug);
  if (!lab) return [undefined, [{ column: 'lab', says: `the catalogue has no laboratory ${slug}` }]] as const;
  if (lab.takesWalkIns) return [lab, []] as const;
  return [undefined, [{ column: 'lab', says: `${slug} takes no walk-in tests` }]] as const;
}

interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

const faultsOfShape = (row: GivenRow, issues: readonly Issue[]): Fault[] =>
  issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return (issue.keys ?? []).map((column) => ({
        place: row.place,
        column,
        says: 'there is no such column',
      }));
    }
    const column = String(issue.path[0] ?? '');
    return [{ place: row.place, column, says: `${issue.message}${got(row.cells[column])}` }];
  });

const SHOWN = 60;

/** What stood there instead, short enough for a line. */
function got(value: unknown): string {
  const told = JSON.stringify(value) ?? 'nothing';
  return `, got ${told.length > SHOWN ? `${told.slice(0, SHOWN)}…` : told}`;
}
