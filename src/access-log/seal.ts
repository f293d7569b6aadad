import { z } from 'zod';
import type { App } from '../app.ts';
import { auditAll, theService, type SealedStretch } from '../management/management.ts';
import { MINUTE } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import * as store from './seal-store.ts';

const EVERY_MS = 10 * MINUTE;
const LINES_AT_ONCE = 20_000;
export const SEALED = 'access_log.sealed';

/** Seals what no transaction can add to any more. */
export interface Sealer {
  /** Answers whether there may be more to seal at once. */
  round(): Promise<boolean>;
}

/**
 * Places are given when a line is written, and seen when it is committed. So a round seals up to the place that the
 * last one saw, when every transaction of that time is over.
 */
export function openSealer(app: App): Sealer {
  let seen: store.Sight | undefined;
  return {
    round: async () => {
      const now = await asSystem(app.db, store.look);
      if (seen && now.oldest < seen.next) return false;
      const isMore = seen ? await sealUpTo(app, seen.place) : false;
      if (!isMore) seen = now;
      return isMore;
    },
  };
}

export const startSealing = (app: App): Loop =>
  startLoop(app, { name: 'access-log-seal', everyMs: EVERY_MS, round: openSealer(app).round });

/** One line of the audit log for each tenant with new lines, and how far that is, in one transaction. */
function sealUpTo(app: App, upTo: number): Promise<boolean> {
  return asSystem(app.db, async (tx) => {
    const after = await store.lockSeals(tx);
    const first = await store.firstPlace(tx, { after, upTo });
    if (first === null) return false;
    const to = Math.min(upTo, first + LINES_AT_ONCE - 1);
    const stretches = await store.stretchesOf(tx, { after, to });
    const at = app.clock.now();
    const deeds = stretches.map(({ team_id: teamId, org_id: orgId, environment, ...stretch }) => ({
      ...theService,
      orgId,
      teamId,
      action: SEALED,
      subject: teamId,
      after: { environment, after: stretch.after, to, lines: stretch.lines, digest: stretch.digest },
      at,
    }));
    await store.moveSeals(tx, stretches, to);
    await auditAll(tx, deeds);
    return to < upTo;
  });
}

const Sealed = z.object({
  environment: z.enum(ENVIRONMENTS),
  after: z.int().min(0),
  to: z.int().min(1),
  lines: z.int().min(1),
  digest: z.string(),
});

/** What is wrong with the lines that a line of the audit log seals; undefined where they are what they were. */
export async function checkSeal(app: App, { teamId, after }: SealedStretch): Promise<string | undefined> {
  const sealed = Sealed.safeParse(after);
  if (!sealed.success || teamId === null) return 'the seal of the access log cannot be read';
  const stretch = { ...sealed.data, teamId };
  const now = await asSystem(app.db, (tx) => store.digestOf(tx, stretch));
  const { environment, lines, digest } = stretch;
  if (now?.lines === lines && now.digest === digest) return undefined;
  const place = `${environment} of team ${teamId}, places ${stretch.after + 1} to ${stretch.to}`;
  return now?.lines === lines
    ? `lines of the access log were changed: ${place}`
    : `the access log had ${lines} lines and has ${now?.lines ?? 0}: ${place}`;
}
