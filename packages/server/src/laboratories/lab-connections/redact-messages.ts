import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ReportReadContext, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { hasUndecidedReport, listMessageReportsOfUser } from '../incoming-results/incoming-results.ts';
import { describeReadError } from './ingestion.ts';
import { changeMessage } from './message-store.ts';
import * as store from './redaction-store.ts';
import { openBody, sealBody } from './message-sealing.ts';

const redactionJob = { name: 'lab-connections.empty-message', input: z.object({ message_id: z.guid() }) };

/**
 * Removes the data of an erased user from laboratory messages. A message of a single order is deleted with the order;
 * one with reports of other users keeps those byte for byte. If the user's reports cannot be separated, the whole body
 * is removed as soon as none of its reports awaits a review; the parsed reports are stored separately.
 */
export async function redactMessages(app: App, work: Work, userId: string): Promise<void> {
  const brought = await listMessageReportsOfUser(work, userId);
  if (brought.length === 0) return;
  const ids = new Set(brought.map(({ messageId }) => messageId).filter((id) => UUID.test(id)));
  const names = new Set(brought.map(({ report }) => toReportKey(report)));
  const isTheirs = (report: ReceivedReport) => names.has(toReportKey(report));
  const namesakes = await store.listSharedByControlIds(work, {
    controlIds: brought.map(({ report }) => report.controlId).filter((id) => id !== ''),
    labs: brought.map(({ report }) => report.lab),
  });
  const shared = await store.lockSharedMessages(work, [...new Set([...ids, ...namesakes])]);
  for (const message of shared) {
    const left = removeUserReports(app, work, { message, isTheirs });
    if (left !== undefined) redact(work, message, left);
    // A message that only shares the control id and has no report of the user is a different message.
    else if (ids.has(message.id)) await redactWhenDecided(work, message);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Identifies a report in a message. Avoids timestamps, which depend on the connection's changeable settings. */
const toReportKey = ({ sampleIds, patient, reportedAt }: ReceivedReport): string =>
  JSON.stringify([sampleIds, patient, sampleIds.length > 0 ? null : reportedAt]);

interface MessageRedaction {
  readonly message: store.SharedMessage;
  readonly isTheirs: (report: ReceivedReport) => boolean;
}

/** The message without the user's reports; undefined if they cannot be separated reliably. */
function removeUserReports(
  app: App,
  work: Work,
  { message, isTheirs }: MessageRedaction,
): Buffer | undefined {
  const { format, lab, account_number: accountNumber, time_zone: timeZone, created_at: arrivedAt } = message;
  const at: ReportReadContext = { lab, accountNumber, timeZone, arrivedAt };
  const bytes = openBody(work.cipher, message.body);
  try {
    const reports = app.labWire.readReports({ bytes, format }, at);
    const others = reports.filter((report) => !isTheirs(report));
    if (others.length === 0) return NOTHING;
    if (others.length === reports.length) return undefined;
    const left = app.labWire.removeReports({ bytes, format }, at, isTheirs);
    return left && haveSameContent(app.labWire.readReports({ bytes: left, format }, at), others)
      ? left
      : undefined;
  } catch (error) {
    describeReadError(app, error);
    return undefined;
  }
}

const NOTHING = Buffer.alloc(0);

/** Ignores the control id: for a bundle without an identifier it is derived from the content. */
const haveSameContent = (some: readonly ReceivedReport[], others: readonly ReceivedReport[]): boolean =>
  isDeepStrictEqual(some.map(omitControlId), others.map(omitControlId));
const omitControlId = (report: ReceivedReport) => ({ ...report, controlId: '' });

function redact(work: Work, { id }: store.SharedMessage, left: Buffer): void {
  changeMessage(work, id, {
    body: sealBody(work.cipher, left),
    size_bytes: left.length,
    redacted_at: work.now,
    redaction: left.length === 0 ? 'whole' : 'parts',
  });
}

/** A reviewer may need the original message: keep it until all of its reports are decided. */
async function redactWhenDecided(work: Work, message: store.SharedMessage): Promise<void> {
  if (!(await hasUndecidedReport(work, message.id))) return redact(work, message, NOTHING);
  const { id } = message;
  await setTimer(work, redactionJob, { key: id, dueAt: later(work.now, DAY), input: { message_id: id } });
}

/** Checks again every day. */
export const redactDecidedMessage: Job<App, { message_id: string }> = defineJob({
  ...redactionJob,
  run: (app, tenant, { message_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const [message] = await store.lockSharedMessages(work, [id]);
      if (message) await redactWhenDecided(work, message);
    }),
});
