import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ReadingAt, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { hasUndecided, listBroughtOf } from '../incoming-results/incoming-results.ts';
import { unreadable } from './intake.ts';
import { changeMessage } from './message-store.ts';
import * as store from './redaction-store.ts';
import { openBody, sealBody } from './sealed.ts';

const emptying = { name: 'lab-connections.empty-message', input: z.object({ message_id: z.guid() }) };

/**
 * Takes what messages of laboratories say of a user out of them, as the user is erased. A message about a single order
 * goes with it; one that brought reports of others, too, keeps those, byte for byte. Where the user's cannot be told
 * from them, all of it goes once nobody has to decide about one of them: what was read of each report stays with it.
 */
export async function redactMessages(app: App, work: Work, userId: string): Promise<void> {
  const brought = await listBroughtOf(work, userId);
  if (brought.length === 0) return;
  const ids = new Set(brought.map(({ messageId }) => messageId).filter((id) => UUID.test(id)));
  const names = new Set(brought.map(({ report }) => nameOf(report)));
  const isTheirs = (report: ReceivedReport) => names.has(nameOf(report));
  const namesakes = await store.listNamesakes(work, {
    controlIds: brought.map(({ report }) => report.controlId).filter((id) => id !== ''),
    labs: brought.map(({ report }) => report.lab),
  });
  const shared = await store.lockShared(work, [...new Set([...ids, ...namesakes])]);
  for (const message of shared) {
    const left = leftOf(app, work, { message, isTheirs });
    if (left !== undefined) redact(work, message, left);
    // A message that merely came under the same control id, and does not speak of the user, is another one.
    else if (ids.has(message.id)) await emptyWhenDecided(work, message);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Which report of a message: whose it is and of what. Moments depend on settings of the connection, which change. */
const nameOf = ({ sampleIds, patient, reportedAt }: ReceivedReport): string =>
  JSON.stringify([sampleIds, patient, sampleIds.length > 0 ? null : reportedAt]);

interface Shared {
  readonly message: store.SharedMessage;
  readonly isTheirs: (report: ReceivedReport) => boolean;
}

/** What is left of a message without the user; undefined where that cannot be told for certain. */
function leftOf(app: App, work: Work, { message, isTheirs }: Shared): Buffer | undefined {
  const { format, lab, account_number: accountNumber, time_zone: timeZone, created_at: arrivedAt } = message;
  const at: ReadingAt = { lab, accountNumber, timeZone, arrivedAt };
  const bytes = openBody(work.cipher, message.body);
  try {
    const reports = app.labWire.read({ bytes, format }, at);
    const others = reports.filter((report) => !isTheirs(report));
    if (others.length === 0) return NOTHING;
    if (others.length === reports.length) return undefined;
    const left = app.labWire.without({ bytes, format }, at, isTheirs);
    return left && saysTheSame(app.labWire.read({ bytes: left, format }, at), others) ? left : undefined;
  } catch (error) {
    unreadable(app, error);
    return undefined;
  }
}

const NOTHING = Buffer.alloc(0);

/** A bundle without a name of its own is named by its content. */
const saysTheSame = (some: readonly ReceivedReport[], others: readonly ReceivedReport[]): boolean =>
  isDeepStrictEqual(some.map(unnamed), others.map(unnamed));
const unnamed = (report: ReceivedReport) => ({ ...report, controlId: '' });

function redact(work: Work, { id }: store.SharedMessage, left: Buffer): void {
  changeMessage(work, id, {
    body: sealBody(work.cipher, left),
    size_bytes: left.length,
    redacted_at: work.now,
    redaction: left.length === 0 ? 'whole' : 'parts',
  });
}

/** What waits for a person may have to be read in the laboratory's own words. */
async function emptyWhenDecided(work: Work, message: store.SharedMessage): Promise<void> {
  if (!(await hasUndecided(work, message.id))) return redact(work, message, NOTHING);
  const { id } = message;
  await setTimer(work, emptying, { key: id, dueAt: later(work.now, DAY), input: { message_id: id } });
}

/** Looks again, day by day. */
export const emptyMessage: Job<App, { message_id: string }> = defineJob({
  ...emptying,
  run: (app, tenant, { message_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const [message] = await store.lockShared(work, [id]);
      if (message) await emptyWhenDecided(work, message);
    }),
});
