import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { LogoImage } from './logo-image.ts';
import './table.ts';

const CONTENT_CONTEXT = 'brand_logo.content';

/** A logo without its bytes. */
export type LogoRow = Omit<Selectable<Database['brand_logo']>, 'team_id' | 'environment' | 'content'>;

const rowOf = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('brand_logo')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

// prettier-ignore
const COLUMNS = [
  'source', 'source_url', 'state', 'media_type', 'width', 'height', 'size', 'attempts', 'failure', 'next_attempt_at',
  'stored_at',
] as const;

export const findLogo = (work: Work): Promise<LogoRow | undefined> =>
  rowOf(work).select(COLUMNS).executeTakeFirst();

/** The bytes of the logo. */
export async function findLogoContent(work: Work): Promise<LogoImage | undefined> {
  const row = await rowOf(work).select(['media_type', 'width', 'height', 'content']).executeTakeFirst();
  if (!row?.content || !row.media_type) return undefined;
  const { media_type: mediaType, width, height } = row;
  const bytes = work.cipher.openChunk(row.content, CONTENT_CONTEXT);
  return { mediaType, width: width ?? 0, height: height ?? 0, bytes };
}

const EMPTY = {
  media_type: null,
  width: null,
  height: null,
  size: null,
  content: null,
  stored_at: null,
  attempts: 0,
  failure: null,
  next_attempt_at: null,
};

const imageColumns = (work: Work, { mediaType, width, height, bytes }: LogoImage) => ({
  media_type: mediaType,
  width,
  height,
  size: bytes.length,
  content: work.cipher.sealChunk(bytes, CONTENT_CONTEXT),
  stored_at: work.now,
});

/** Replaces the logo by one that is still to be fetched. */
export const putWaitingLogo = (work: Work, url: string): Promise<void> =>
  putLogo(work, { ...EMPTY, source: 'url', source_url: url, state: 'waiting', next_attempt_at: work.now });

/** `url` is the logo_url that the upload replaces. */
export const putUploadedLogo = (work: Work, image: LogoImage, url: string | null): Promise<void> =>
  putLogo(work, {
    ...EMPTY,
    source: 'upload',
    source_url: url,
    state: 'stored',
    ...imageColumns(work, image),
  });

async function putLogo({ tx, tenant }: Work, columns: LogoRow & { content: Buffer | null }): Promise<void> {
  await tx
    .insertInto('brand_logo')
    .values({ ...tenantColumns(tenant), ...columns })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment']).doUpdateSet(columns))
    .execute();
}

export async function deleteLogo({ tx, tenant }: Work): Promise<void> {
  await tx
    .deleteFrom('brand_logo')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .execute();
}

/** Counts an attempt and returns it; undefined unless a logo waits to be fetched. */
export async function beginFetch(
  work: Work,
  nextAttemptAt: (attempt: number) => Date | null,
): Promise<{ url: string; attempt: number } | undefined> {
  const waiting = await rowOf(work)
    .select(['source_url', 'attempts'])
    .where('state', '=', 'waiting')
    .forUpdate()
    .executeTakeFirst();
  if (!waiting || waiting.source_url === null) return undefined;
  const attempt = waiting.attempts + 1;
  await updateWaiting(work, waiting.source_url, {
    attempts: attempt,
    next_attempt_at: nextAttemptAt(attempt),
  });
  return { url: waiting.source_url, attempt };
}

/** Stores what was fetched; false if the setting has changed meanwhile. */
export const storeFetchedLogo = (work: Work, url: string, image: LogoImage): Promise<boolean> =>
  updateWaiting(work, url, {
    state: 'stored',
    failure: null,
    next_attempt_at: null,
    ...imageColumns(work, image),
  });

/** The same for a failure. Without a next attempt the logo has failed. */
export const recordFetchFailure = (
  work: Work,
  url: string,
  { failure, nextAttemptAt }: { failure: string; nextAttemptAt: Date | null },
): Promise<boolean> =>
  updateWaiting(work, url, {
    state: nextAttemptAt === null ? 'failed' : 'waiting',
    failure,
    next_attempt_at: nextAttemptAt,
  });

async function updateWaiting(
  { tx, tenant }: Work,
  url: string,
  change: Partial<LogoRow & { content: Buffer }>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('brand_logo')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('state', '=', 'waiting')
    .where('source_url', '=', url)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
