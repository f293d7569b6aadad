import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.ts';
import {
  writeAuditEntries,
  SERVICE_ACTOR,
  type AccessLogSeal,
  type SealVerifier,
} from '../management/management.ts';
import { isoTimestamp, MINUTE, SECOND } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { findInvalidRemoval, findRemovedPosition, listRemovalPositions } from './remove-store.ts';
import {
  decodePosition,
  decodeSeal,
  encodeDigest,
  encodePositions,
  environmentOfSeal,
  isIntact,
} from './seal-record.ts';
import * as store from './seal-store.ts';

/** How old the oldest unsealed entry becomes before it is sealed. Each seal is an entry of the audit log. */
const SEAL_AFTER_MS = 5 * MINUTE;
const POLL_INTERVAL_MS = MINUTE;
/** Entries of a process whose clock is ahead do not wait for it. */
const CLOCK_SKEW_MS = MINUTE;
/** A committed entry that is older and not sealed is a fault. */
const UNSEALED_MAX_MS = 10 * MINUTE;
const SEAL_BATCH_MAX = 20_000;
const SEAL_ACTION = 'access_log.sealed';
const OPEN_TRANSACTIONS_POLL_MS = 50;
const OPEN_TRANSACTIONS_MAX_MS = 10 * SECOND;

/**
 * Seals the access log: every entry within ten minutes, from whichever process. A seal is an audit log entry with the
 * count and the digest of a range, so the hash chain of the audit log also protects the access log.
 *
 * Nothing is remembered between iterations. Any process may seal, and one that dies leaves nothing behind: the next
 * iteration of another, or the first one of the next process, seals what is there.
 */
interface Sealer {
  /** Seals if an entry is due; the first time, in any case. Returns false: nothing more is due immediately. */
  iterate(): Promise<false>;
}

export function openSealer(app: App): Sealer {
  let isFirst = true;
  return {
    iterate: async () => {
      if (isFirst || (await hasDueEntry(app))) await sealAccessLog(app);
      isFirst = false;
      return false;
    },
  };
}

export const startSealing = (app: App): Loop =>
  startLoop(app, { name: 'access-log-seal', everyMs: POLL_INTERVAL_MS, iterate: openSealer(app).iterate });

function hasDueEntry(app: App): Promise<boolean> {
  const now = app.clock.now().getTime();
  const youngest = { from: new Date(now - SEAL_AFTER_MS), to: new Date(now + CLOCK_SKEW_MS) };
  return asSystem(app.db, (tx) => store.hasUnsealedEntryOutside(tx, youngest));
}

/**
 * Seals all entries that are committed now. A position is assigned when an entry is inserted, but is visible only after
 * the commit, so this first waits for the transactions that have inserted entries. Such a transaction commits
 * immediately afterwards, or is ended by its idle timeout; throws if one takes longer than ten seconds.
 */
export async function sealAccessLog(app: App): Promise<void> {
  const { place, writers } = await asSystem(app.db, store.readSealSnapshot);
  const end = performance.now() + OPEN_TRANSACTIONS_MAX_MS;
  for (let open = writers; open.length > 0;) {
    if (performance.now() > end)
      throw new Error('A transaction with access log entries is open; nothing can be sealed before it ends');
    await sleep(OPEN_TRANSACTIONS_POLL_MS);
    const now = await asSystem(app.db, store.listWriters);
    open = open.filter((writer) => now.includes(writer));
  }
  while (await sealUpTo(app, place));
}

/** In one transaction: writes an audit entry for each tenant with new entries, and advances the sealed positions. */
function sealUpTo(app: App, upTo: number): Promise<boolean> {
  return asSystem(app.db, async (tx) => {
    const after = await store.lockSealedPosition(tx);
    const first = await store.findFirstPosition(tx, { after, upTo });
    if (first === null) return false;
    const to = Math.min(upTo, first + SEAL_BATCH_MAX - 1);
    const stretches = await store.listUnsealedRanges(tx, { after, to });
    const keyOf = await store.advanceSeals(tx, stretches, to);
    const at = app.clock.now();
    const deeds = stretches.map((stretch) => ({
      ...SERVICE_ACTOR,
      orgId: stretch.org_id,
      teamId: stretch.team_id,
      action: SEAL_ACTION,
      subject: stretch.team_id,
      after: toSealRecord(keyOf(stretch), { ...stretch, to }),
      at,
    }));
    await writeAuditEntries(tx, deeds);
    return to < upTo;
  });
}

const toSealRecord = (key: Buffer, stretch: store.UnsealedRange & { readonly to: number }) => ({
  environment: stretch.environment,
  ...encodePositions(key, stretch),
  lines: stretch.lines,
  digest: encodeDigest(key, stretch.digest),
});

/** Describes how the sealed entries differ from their seal; undefined where they match. */
async function verifySeal(app: App, { teamId, after }: AccessLogSeal): Promise<string | undefined> {
  const environment = environmentOfSeal(after);
  if (teamId === null || environment === undefined) return 'the seal of the access log is unreadable';
  const key = await asSystem(app.db, (tx) => store.findPositionKey(tx, { teamId, environment }));
  if (key === undefined)
    return `the sealed position of the access log was changed: ${environment} of team ${teamId}, it is missing`;
  const seal = decodeSeal(key, after);
  if (!seal) return `the seal of the access log is unreadable: ${environment} of team ${teamId}`;
  const stretch = { ...seal, teamId };
  const now = await asSystem(app.db, (tx) => store.digestRange(tx, stretch));
  if (isIntact(seal, key, now)) return undefined;
  const removedTo = await asSystem(app.db, (tx) => findRemovedPosition(tx, stretch));
  if (now?.lines === 0 && seal.to <= removedTo) return undefined;
  const place = `${environment} of team ${teamId}, positions ${seal.after + 1} to ${seal.to}`;
  return now?.lines === seal.lines
    ? `lines of the access log were changed: ${place}`
    : `the access log had ${seal.lines} lines and has ${now?.lines ?? 0}: ${place}`;
}

const describeTenant = ({ environment, team_id: teamId }: store.AccessLogOfTenant): string =>
  `${environment} of team ${teamId}`;

/** Finds what no single seal shows: entries outside of all seals, and sealed positions that do not match the seals. */
async function verifyUnsealed(app: App, orgId: string): Promise<string | undefined> {
  const { sealed, unsealed, removals, invalidRemoval } = await asSystem(app.db, async (tx) => ({
    removals: await listRemovalPositions(tx, orgId),
    invalidRemoval: await findInvalidRemoval(tx, orgId),
    sealed: await store.listSealedPositions(tx, orgId),
    unsealed: await store.listUnsealedEntries(tx, orgId),
  }));
  for (const { position_key: key, sealed_to: stored, newest, ...tenant } of sealed) {
    const expected = decodePosition(key, newest) ?? null;
    if (stored === expected && stored !== null) continue;
    const positions = `it is ${stored ?? 'missing'}, and that of the seals is ${expected ?? 'missing'}`;
    return `the sealed position of the access log was changed: ${describeTenant(tenant)}, ${positions}`;
  }
  const removal =
    removals.find(({ position_key: key, removed_to: stored, newest }) => {
      const expected = decodePosition(key, newest) ?? null;
      return stored !== expected || stored === null;
    }) ?? invalidRemoval;
  if (removal)
    return `lines of the access log were removed without a valid record: ${describeTenant(removal)}`;
  for (const tenant of unsealed) {
    const { added, first, lines, oldest } = tenant;
    if (added > 0)
      return `${added} lines were added to the access log before the newest seal: ${describeTenant(tenant)}, from position ${first}`;
    if (app.clock.now().getTime() - oldest.getTime() > UNSEALED_MAX_MS)
      return `${lines} lines of the access log are not sealed since ${isoTimestamp(oldest)}: ${describeTenant(tenant)}, from position ${first}`;
  }
  return undefined;
}

export const sealVerifier: SealVerifier = { verifySeal, verifyUnsealed };
