import type { App } from '../../app.ts';
import type { Subject } from '../../events/events.ts';
import { found } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import type { Reading } from '../readings.ts';
import { batchesOf, type Piece } from './batches.ts';
import { check } from './check.ts';
import type { Window } from './fault.ts';
import { noteUntold } from './history.ts';
import { keepSamples, keepStreams, keepSummaries, type Keeping } from './keep.ts';
import { Spans } from './spans.ts';
import { holdUser, type Holder } from './store.ts';
import { addTaken, NOTHING_TAKEN, REFUSALS_KEPT, type Taken } from './taken.ts';

export { isFault } from './check-samples.ts';
export { fault, type Fault } from './fault.ts';
export { tellFallen, tellHistory, tellUntold } from './history.ts';
export { SAMPLED_PATHS, sampledAt, sampleFormOf, type SampleForm } from './sample-forms.ts';
export { countAll, REFUSALS_KEPT, type Count, type Refusal, type Taken } from './taken.ts';

export interface How {
  /**
   * Whether daily events tell of it. History is filled in without them; `in sum` is told at the end, by `tellUntold`, and
   * should nobody get there, a while later.
   */
  readonly told: boolean | 'in sum';
}

/** The most samples of one transaction: so long others wait, and so much is done again after a kill. */
const SAMPLES_PER_WORK = 5000;

/**
 * Takes in what a provider, a file or an app brings of one user, as long as it may be: batch by batch, each in a
 * transaction with its events. Whatever is brought again after a kill changes nothing and tells nothing. What cannot be
 * believed is refused piece by piece, and the rest is kept. 404 for a user who is not there, or not any more.
 */
// oxlint-disable-next-line max-params
export async function takeIn(
  app: App,
  { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
  readings: AsyncIterable<Reading> | Iterable<Reading>,
  how: How,
): Promise<Taken> {
  let taken = NOTHING_TAKEN;
  for await (const batch of batchesOf(readings, SAMPLES_PER_WORK)) {
    const more = await inTenant(app, tenant, (work) => takeBatch(work, { userId, batch, how }));
    taken = addTaken(taken, more);
  }
  return taken;
}

/** The same inside a transaction, which should not be asked to take in more than some ten thousand samples. */
// oxlint-disable-next-line max-params
export const takeInWork = (
  work: Work,
  userId: string,
  readings: readonly Reading[],
  how: How,
): Promise<Taken> =>
  takeBatch(work, {
    userId,
    batch: readings.map((reading, index) => ({ reading, index, before: 0 })),
    how,
  });

interface Batch {
  readonly userId: string;
  readonly batch: readonly Piece[];
  readonly how: How;
}

async function takeBatch(work: Work, { userId, batch, how }: Batch): Promise<Taken> {
  const holder = found(await holdUser(work, userId), 'User');
  const { samples, summaries, streams, refused } = check(batch, windowOf(work, holder));
  const spans = new Spans();
  const keeping: Keeping = {
    userId: holder.id,
    subject: subjectOf(holder),
    told: how.told === true,
    spans,
  };
  // A workout comes before the samples and the stream that belong to it.
  const keptSummaries = await keepSummaries(work, keeping, summaries);
  const keptSamples = await keepSamples(work, keeping, samples);
  const keptStreams = await keepStreams(work, keeping, streams);
  if (how.told === 'in sum') await noteUntold(work, holder.id, spans.all());
  const all = [...refused, ...keptStreams.refused];
  const refusals = { counts: {}, refused: all.slice(0, REFUSALS_KEPT), refusedCount: all.length };
  return [keptSummaries, keptSamples, keptStreams.taken].reduce(addTaken, refusals);
}

const subjectOf = ({ id, client_user_id }: Holder): Subject => ({ userId: id, clientUserId: client_user_id });

const windowOf = ({ now }: Work, { ingestion_start, ingestion_end }: Holder): Window => ({
  now: now.getTime(),
  fromDay: ingestion_start,
  toDay: ingestion_end,
});
