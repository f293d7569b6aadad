/**
 * Lists in pages: `next_cursor` of a response is the position of its last row, opaque to the caller, and null on the last
 * page. Each page is read with one row more than it has, to know whether there is another.
 */
import { z } from 'zod';
import { invalidField } from '../errors.ts';

/** The query parameter `next_cursor` of a list. */
export const PageCursor = z.string().max(200).nullish();

const PAGE_SIZE = 100;

interface PageRequest {
  readonly next_cursor?: string | null | undefined;
  /** At most so many items; 100 where the caller has no choice. */
  readonly limit?: number;
}

interface RowPage<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** Reads a page of rows in an order that `after`, the id of the last row of the page before, continues. */
export async function readPage<T extends { id: string }>(
  { next_cursor: cursor, limit = PAGE_SIZE }: PageRequest,
  list: (page: { after: string | undefined; limit: number }) => Promise<readonly T[]>,
): Promise<RowPage<T>> {
  const after = parseCursor(cursor, (text) => z.guid().safeParse(text).data);
  return toPage(await list({ after, limit: limit + 1 }), limit, ({ id }) => id);
}

/** How the position of a row in a log is told to callers. */
interface LogKeys<T> {
  readonly keyOf: (row: T) => string;
  /** The position of a key; undefined for a text that is no key. */
  readonly positionIn: (key: string) => number | undefined;
}

/** Keys of a log whose positions callers may know, because each of its tenants counts alone. */
export const plainKeys = <T>(positionOf: (row: T) => number): LogKeys<T> => ({
  keyOf: (row) => String(positionOf(row)),
  positionIn: (key) => (/^[1-9]\d{0,14}$/.test(key) ? Number(key) : undefined),
});

/** Reads a page of a log, newest first: rows with positions lower than `before`. */
export async function readLogPage<T>(
  { next_cursor: cursor, limit = PAGE_SIZE }: PageRequest,
  { keyOf, positionIn }: LogKeys<T>,
  list: (page: { before: number | undefined; limit: number }) => Promise<readonly T[]>,
): Promise<RowPage<T>> {
  const before = parseCursor(cursor, positionIn);
  return toPage(await list({ before, limit: limit + 1 }), limit, keyOf);
}

/** How the position of a row of a sorted list is told to callers. */
interface PositionKeys<P> {
  toId(position: P): string;
  /** Undefined for a text that is no position. */
  toPosition(id: string): P | undefined;
}

/** Reads a page of a list, in the order that `after`, the position of the last row of the page before, continues. */
export async function readSortedPage<P, T extends P>(
  { next_cursor: cursor, limit = PAGE_SIZE }: PageRequest,
  { toId, toPosition }: PositionKeys<P>,
  list: (page: { after: P | undefined; limit: number }) => Promise<readonly T[]>,
): Promise<RowPage<T>> {
  const after = parseCursor(cursor, toPosition);
  return toPage(await list({ after, limit: limit + 1 }), limit, toId);
}

/** A row of a list that is sorted by a time and, within it, by id. Null: rows without a time, which come last. */
export interface TimedPosition {
  readonly at: Date | null;
  readonly id: string;
}

const TIMED_POSITION =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const timedPositions: PositionKeys<TimedPosition> = {
  toId: ({ at, id }) => `${at?.toISOString() ?? ''}/${id}`,
  toPosition: (text) => {
    const [, time, id] = TIMED_POSITION.exec(text) ?? [];
    const at = time === undefined ? null : new Date(time);
    return id === undefined || Number.isNaN(at?.getTime() ?? 0) ? undefined : { at, id };
  },
};

/**
 * Reads a page of a log, newest first, whose filters no index answers: a page looks at a limited number of rows, so it
 * can be short, even empty, and still have a next one. `scannedTo`: where the next page begins, if rows are left.
 */
export async function readScannedPage<P, T extends P>(
  { next_cursor: cursor, limit = PAGE_SIZE }: PageRequest,
  { toId, toPosition }: PositionKeys<P>,
  list: (page: {
    before: P | undefined;
    limit: number;
  }) => Promise<{ rows: readonly T[]; scannedTo: P | null }>,
): Promise<RowPage<T>> {
  const before = parseCursor(cursor, toPosition);
  const { rows, scannedTo } = await list({ before, limit: limit + 1 });
  const page = toPage(rows, limit, toId);
  const next = scannedTo && toCursor(toId(scannedTo));
  return { items: page.items, next_cursor: page.next_cursor ?? next };
}

const EXPORT_BATCH = 500;

/** A whole log, oldest first, as NDJSON in pieces of up to 500 lines. */
export async function* exportLog<T>(
  toViews: (rows: readonly T[]) => Promise<readonly unknown[]>,
  positionOf: (row: T) => number,
  list: (page: { after: number; limit: number }) => Promise<readonly T[]>,
): AsyncGenerator<string, void> {
  let after = 0;
  for (;;) {
    const rows = await list({ after, limit: EXPORT_BATCH });
    if (rows.length > 0) yield (await toViews(rows)).map((view) => `${JSON.stringify(view)}\n`).join('');
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_BATCH) return;
    after = positionOf(last);
  }
}

/** Undefined for the first page. 422 for an invalid cursor. */
function parseCursor<K>(
  cursor: string | null | undefined,
  parse: (text: string) => K | undefined,
): K | undefined {
  if (!cursor) return undefined;
  const key = parse(Buffer.from(cursor, 'base64url').toString());
  if (key === undefined)
    throw invalidField(['query', 'next_cursor'], 'expected the next_cursor of an earlier page of this list');
  return key;
}

function toPage<T>(rows: readonly T[], limit: number, keyOf: (row: T) => string): RowPage<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const hasNext = rows.length > limit && last !== undefined;
  return { items, next_cursor: hasNext ? toCursor(keyOf(last)) : null };
}

const toCursor = (key: string): string => Buffer.from(key).toString('base64url');
