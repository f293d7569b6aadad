import type pg from 'pg';
import { compareVersions, isWithinOneMinor, newerOf, versionOf } from '../version.ts';

/*
 * Processes of two versions use one database during an upgrade. A version works on the schema of the next minor version,
 * because migrations only add to it. What the previous version no longer uses is taken away by a migration that says so
 * (`-- Contract: VERSION`); processes older than that version then have to be gone.
 *
 * - A process that is too old for the schema does not start, and one that runs is not ready.
 * - A process within the window starts, runs, and changes neither the schema nor what the newer version has loaded.
 */

/** A version of Aliquot, with the migrations that it knows. */
export interface SchemaRelease {
  readonly version: string;
  readonly migrations: URL;
}

export const schemaReleaseOf = (root: URL): SchemaRelease => ({
  version: versionOf(root),
  migrations: new URL('migrations/', root),
});

interface SchemaVersion {
  /** The newest version that has migrated the database. */
  readonly newest: string;
  /** The oldest version that can use it. */
  readonly minimum: string;
}

type SchemaQueries = Pick<pg.Pool, 'query'>;

/** No such table, or no right to read it: the user of `aliquot doctor` may lack it. */
const UNREADABLE = new Set<unknown>(['42P01', '42501']);

/** Undefined for a database of a version that did not keep it, and where it cannot be read. */
export async function readSchemaVersion(pool: SchemaQueries): Promise<SchemaVersion | undefined> {
  try {
    const { rows } = await pool.query<SchemaVersion>('select newest, minimum from public.schema_version');
    return rows[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

/** Why a process of this version must not use the database; undefined if it may. */
export function describeIncompatibility(
  version: string,
  schema: SchemaVersion | undefined,
): string | undefined {
  if (!schema) return undefined;
  const { newest, minimum } = schema;
  if (compareVersions(version, minimum) < 0)
    return `The database was migrated by Aliquot ${newest} and needs at least ${minimum}; this is ${version}. Start a newer version, or restore a backup made before the upgrade.`;
  if (!isWithinOneMinor(version, newest))
    return `The database was migrated by Aliquot ${newest}, and this is ${version}: only the minor version before it can be used together with it. Start a newer version, or restore a backup made before the upgrade.`;
  return undefined;
}

/** Whether a newer version has migrated the database: this one must not load its own catalog over the newer one. */
export async function isOlderThanDatabase(pool: SchemaQueries, version: string): Promise<boolean> {
  const schema = await readSchemaVersion(pool);
  return schema !== undefined && compareVersions(version, schema.newest) < 0;
}

export async function recordNewestVersion(pool: SchemaQueries, version: string): Promise<void> {
  const schema = await readSchemaVersion(pool);
  if (!schema || compareVersions(version, schema.newest) <= 0) return;
  await pool.query('update public.schema_version set newest = $1', [version]);
}

/** The minimum after a migration that needs `required`. */
export const raisedMinimum = (schema: Pick<SchemaVersion, 'minimum'>, required: string): string =>
  newerOf(schema.minimum, required);

/** The version in a migration's line `-- Contract:`; undefined if the migration only adds. */
export const contractOf = (text: string): string | undefined =>
  /^-- Contract: (\d+\.\d+\.\d+)\b/m.exec(text.slice(0, headLengthOf(text)))?.[1];

/** The length of the comment at the beginning. */
const headLengthOf = (text: string): number => /^(?:--[^\n]*\n)*/.exec(text)?.[0].length ?? 0;
