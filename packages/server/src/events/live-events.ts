/**
 * Follows the event logs of tenants for the readers that are connected to this process.
 *
 * Guarantees: a reader receives every event after its position, in order and once. One loop serves all readers: after a
 * wakeup, or twice a second, one query finds the followed logs that grew, and each of them is read once for all its
 * readers. Without readers there is no loop and no query; between rounds no database connection is held.
 */
import type { z } from 'zod';
import type { App } from '../app.ts';
import { readTenant } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import { toEventNotice, type EventNotice } from './event-notice.ts';
import * as store from './store.ts';

export type EventNoticeView = z.input<typeof EventNotice>;

/** A reader of the log of one tenant. */
export interface LogReader {
  readonly tenant: Tenant;
  /** The last position that was passed to `receive`. The caller sets the first one. */
  position: number;
  readonly isOpen: boolean;
  receive(notices: readonly EventNoticeView[]): void;
  /** Resolves when the reader can take another page of old events. */
  drained(): Promise<void>;
  /** The log cannot be read any more: the team was deleted, or reading failed. */
  end(reason: string): void;
}

export interface LiveEvents {
  /** Begins after the position of the reader. Returns the function that ends it. */
  follow(reader: LogReader): () => void;
}

interface FollowedLog {
  readonly tenant: Tenant;
  /** All readers have received the events up to here. */
  position: number;
  readonly readers: Set<LogReader>;
}

/** One page is sent to a reader at once; see the buffer in platform/http/event-output.ts. */
const PAGE = 200;
const POLL_INTERVAL_MS = 500;

const nameOf = ({ teamId, environment }: Tenant): string => `${teamId}/${environment}`;

export function openLiveEvents(app: App): LiveEvents {
  const logs = new Map<string, FollowedLog>();
  let loop: Loop | undefined;

  const join = (reader: LogReader): boolean => {
    const log = logs.get(nameOf(reader.tenant));
    if (log && reader.position < log.position) return false;
    if (log) log.readers.add(reader);
    else logs.set(nameOf(reader.tenant), toLog(reader));
    loop ??= startLoop(app, {
      name: 'live-events',
      wakeup: 'positions',
      everyMs: POLL_INTERVAL_MS,
      iterate: () => readGrownLogs(app, [...logs.values()]),
    });
    return true;
  };
  const leave = (reader: LogReader): void => {
    const log = logs.get(nameOf(reader.tenant));
    log?.readers.delete(reader);
    if (log?.readers.size === 0) logs.delete(nameOf(reader.tenant));
    if (logs.size > 0) return;
    void loop?.stop();
    loop = undefined;
  };
  return {
    follow: (reader) => {
      catchUp(app, reader, () => reader.isOpen && join(reader)).catch((error: unknown) => {
        app.log.warn({ err: error }, 'an event log could not be read');
        reader.end('the event log could not be read');
      });
      return () => leave(reader);
    },
  };
}

const toLog = (reader: LogReader): FollowedLog => ({
  tenant: reader.tenant,
  position: reader.position,
  readers: new Set([reader]),
});

/** Reads old events, each page when the reader has taken the one before, until the reader can join the others. */
async function catchUp(app: App, reader: LogReader, join: () => boolean): Promise<void> {
  let isBehind = true;
  while (reader.isOpen) {
    if (!isBehind && join()) return;
    const page = await readPage(app, reader.tenant, { after: reader.position });
    pass(reader, page);
    isBehind = page.hasMore;
    await reader.drained();
  }
}

interface NoticePage {
  readonly notices: readonly EventNoticeView[];
  /** The position up to which the page is complete. */
  readonly position: number;
  readonly hasMore: boolean;
}

function pass(reader: LogReader, { notices, position }: Pick<NoticePage, 'notices' | 'position'>): void {
  const fresh = notices.filter((notice) => notice.position > reader.position);
  if (fresh.length > 0) reader.receive(fresh);
  reader.position = Math.max(reader.position, position);
}

/**
 * Positions follow commits and have no gaps, so everything up to the newest position is visible once that is. Events
 * that are hidden have a position too: the page is complete without them.
 */
const readPage = (app: App, tenant: Tenant, { after }: { after: number }): Promise<NoticePage> =>
  readTenant(app, tenant, async (work) => {
    const { newest } = await store.getLogBounds(work);
    const rows = await store.listEvents(work, { after, upTo: newest, limit: PAGE });
    const last = rows.at(-1)?.position ?? newest;
    const hasMore = rows.length === PAGE;
    const position = Math.max(after, hasMore ? last : newest);
    return { notices: rows.map((row) => toEventNotice(work, row)), position, hasMore };
  });

/** Reads a page of each log that grew, so that a flood of one tenant does not delay the others. */
async function readGrownLogs(app: App, logs: readonly FollowedLog[]): Promise<boolean> {
  if (logs.length === 0) return false;
  const tenants = logs.map(({ tenant }) => tenant);
  const heads = await asSystem(app.db, (tx) => store.listLogHeads(tx, tenants));
  let hasMore = false;
  for (const log of logs) {
    const newest = heads.get(nameOf(log.tenant));
    if (newest === undefined) for (const reader of log.readers) reader.end('the team was deleted');
    else if (newest > log.position) hasMore = (await readNext(app, log)) || hasMore;
  }
  return hasMore;
}

async function readNext(app: App, log: FollowedLog): Promise<boolean> {
  const page = await readPage(app, log.tenant, { after: log.position });
  log.position = page.position;
  for (const reader of log.readers) pass(reader, page);
  return page.hasMore;
}
