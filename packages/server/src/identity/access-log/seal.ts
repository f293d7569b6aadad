import { z } from 'zod';
import type { App } from '../../app.ts';
import { writeAuditEntries, SERVICE_ACTOR, type AccessLogSeal } from '../management/management.ts';
import { MINUTE } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import * as store from './seal-store.ts';

const INTERVAL_MS = 10 * MINUTE;
const SEAL_BATCH_MAX = 20_000;
const SEAL_ACTION = 'access_log.sealed';

/**
 * Seals the part of the access log to which no transaction can still add entries. A seal is an audit log entry with
 * the count and the digest of a range, so the hash chain of the audit log also protects the access log.
 */
interface Sealer {
  /** Returns whether more can be sealed immediately. */
  iterate(): Promise<boolean>;
}

/**
 * A position is assigned when an entry is inserted, but is visible only after the commit. An iteration therefore
 * seals up to the position that an earlier iteration read, once every transaction of that time has ended.
 */
export function openSealer(app: App): Sealer {
  let seen: store.SealSnapshot | undefined;
  return {
    iterate: async () => {
      const now = await asSystem(app.db, store.readSealSnapshot);
      if (seen && now.oldest < seen.next) return false;
      const isMore = seen ? await sealUpTo(app, seen.place) : false;
      if (!isMore) seen = now;
      return isMore;
    },
  };
}

export const startSealing = (app: App): Loop =>
  startLoop(app, { name: 'access-log-seal', everyMs: INTERVAL_MS, iterate: openSealer(app).iterate });

/** In one transaction: writes an audit entry for each tenant with new entries, and advances the sealed positions. */
function sealUpTo(app: App, upTo: number): Promise<boolean> {
  return asSystem(app.db, async (tx) => {
    const after = await store.lockSealedPosition(tx);
    const first = await store.findFirstPosition(tx, { after, upTo });
    if (first === null) return false;
    const to = Math.min(upTo, first + SEAL_BATCH_MAX - 1);
    const stretches = await store.listUnsealedRanges(tx, { after, to });
    const at = app.clock.now();
    const deeds = stretches.map(({ team_id: teamId, org_id: orgId, environment, ...stretch }) => ({
      ...SERVICE_ACTOR,
      orgId,
      teamId,
      action: SEAL_ACTION,
      subject: teamId,
      after: { environment, after: stretch.after, to, lines: stretch.lines, digest: stretch.digest },
      at,
    }));
    await store.advanceSeals(tx, stretches, to);
    await writeAuditEntries(tx, deeds);
    return to < upTo;
  });
}

const SealRecord = z.object({
  environment: z.enum(ENVIRONMENTS),
  after: z.int().min(0),
  to: z.int().min(1),
  lines: z.int().min(1),
  digest: z.string(),
});

/** Describes how the sealed entries differ from their seal; undefined where they match. */
export async function verifySeal(app: App, { teamId, after }: AccessLogSeal): Promise<string | undefined> {
  const sealed = SealRecord.safeParse(after);
  if (!sealed.success || teamId === null) return 'the seal of the access log is unreadable';
  const stretch = { ...sealed.data, teamId };
  const now = await asSystem(app.db, (tx) => store.digestRange(tx, stretch));
  const { environment, lines, digest } = stretch;
  if (now?.lines === lines && now.digest === digest) return undefined;
  const place = `${environment} of team ${teamId}, positions ${stretch.after + 1} to ${stretch.to}`;
  return now?.lines === lines
    ? `lines of the access log were changed: ${place}`
    : `the access log had ${lines} lines and has ${now?.lines ?? 0}: ${place}`;
}
