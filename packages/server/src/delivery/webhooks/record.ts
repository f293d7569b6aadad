import { inTenant, type App } from '../../app.ts';
import { emit, messageId } from '../../events/events.ts';
import { isoTimestamp, later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { type Tenant, toTenantKey } from '../../platform/tenant.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { attemptId } from './attempt-id.ts';
import type { MessageBundle } from './bundle.ts';
import { unpackBundles, type BundleKey } from './bundle-store.ts';
import { forceIndexScans, forceQueuePlans } from './delivery-store.ts';
import { disableEndpoint, NO_SUBJECT } from './disable-endpoint.ts';
import { messageAttemptExhausted } from './events.ts';
import { storableHeaders, sealExchange } from './exchange.ts';
import { assessFailure, type EndpointFailures, type FailureAssessment } from './failing.ts';
import { StaleClaimError, partitionBlocks, writeBlocks, type BlockPartition } from './attempt-blocks.ts';
import { clearFailures, lockFailures, saveFailures, type FailuresRow } from './failure-store.ts';
import { isSuccess, type AttemptOutcome } from './outcome.ts';
import { recordOutcomes, type OutcomeRow } from './record-store.ts';
import { countAttempts } from './statistics.ts';

/**
 * Records the outcomes of many messages, most of them in blocks. If a message has changed since the claim, they are
 * recorded one by one, which skips changed ones. Idempotent.
 */
export async function recordAttempts(app: App, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const parted = partitionBlocks(outcomes);
  if (parted.blocks.length === 0) return recordAll(app, outcomes, parted);
  try {
    await recordAll(app, outcomes, parted);
  } catch (error) {
    if (!(error instanceof StaleClaimError)) throw error;
    await recordAll(app, outcomes, { blocks: [], others: outcomes });
  }
}

/**
 * First disables endpoints where necessary; then records all messages that are not exhausted in one transaction, and
 * the exhausted ones by tenant, each together with its event. In this order no reader sees an exhausted message of an
 * endpoint that should already be disabled.
 */
async function recordAll(
  app: App,
  outcomes: readonly AttemptOutcome[],
  { blocks, others }: BlockPartition,
): Promise<void> {
  for (const { id, tenant, revision } of endpointsIn(outcomes.filter(({ gone }) => gone))) {
    await disableEndpoint(app, tenant, { id, revision, reason: 'gone' });
  }
  const goingOn = others.filter(({ status }) => status !== 'failed').map(toOutcomeRow);
  const parting = bundlesIn(others);
  const write = async (tx: Tx) => {
    if (blocks.length > 0) await writeBlocks(tx, blocks);
    if (parting.size > 0) await unpackBundles(tx, [...parting.values()]);
    const written = goingOn.length > 0 ? await recordOutcomes(tx, goingOn) : new Set<string>();
    const single = others.filter(({ claimed }) => written.has(claimed.row.id));
    await countAttempts(tx, [...blocks.flat(), ...single]);
  };
  const hopeless = await asSystem(app.db, async (tx) => {
    await forceQueuePlans(tx);
    const found = await assessEndpoints(tx, outcomes);
    if (found.size === 0) await write(tx);
    return found;
  });
  if (hopeless.size > 0) {
    for (const { id, tenant, revision } of failingEndpoints(outcomes)) {
      if (hopeless.has(id)) await disableEndpoint(app, tenant, { id, revision, reason: 'failing' });
    }
    await asSystem(app.db, async (tx) => {
      await forceQueuePlans(tx);
      await lockFailures(
        tx,
        failingEndpoints(outcomes).map(({ id }) => id),
      );
      await write(tx);
    });
  }
  for (const bundle of parting.keys()) bundle.unpacked = true;
  const exhausted = outcomes.filter(({ status }) => status === 'failed');
  for (const ofOne of groupByTenant(exhausted)) await recordExhausted(app, ofOne);
}

/** The bundles of which some messages are recorded individually. */
function bundlesIn(outcomes: readonly AttemptOutcome[]): Map<MessageBundle, BundleKey> {
  const found = new Map<MessageBundle, BundleKey>();
  for (const { row } of outcomes.map(({ claimed }) => claimed)) {
    const { bundle, team_id, environment } = row;
    if (bundle && !bundle.unpacked) found.set(bundle, { team_id, environment, id: bundle.id });
  }
  return found;
}

/** An endpoint revision, and when it was last seen. */
interface SeenEndpoint {
  readonly id: string;
  readonly tenant: Tenant;
  readonly revision: number;
  readonly seenAt: Date;
}

function endpointsIn(outcomes: readonly AttemptOutcome[]): SeenEndpoint[] {
  const found = new Map<string, SeenEndpoint>();
  for (const outcome of outcomes) {
    const { endpoint_id: id, revision } = outcome.claimed.row;
    if (revision < (found.get(id)?.revision ?? revision)) continue;
    found.set(id, { id, tenant: tenantOf(outcome), revision, seenAt: outcome.endedAt });
  }
  return [...found.values()];
}

/** The endpoints that failed a message. */
const failingEndpoints = (outcomes: readonly AttemptOutcome[]): SeenEndpoint[] =>
  endpointsIn(outcomes.filter(({ response }) => !isSuccess(response)));

const tenantOf = ({ claimed }: AttemptOutcome): Tenant => toTenant(claimed.row);

function groupByTenant(outcomes: readonly AttemptOutcome[]): AttemptOutcome[][] {
  const groups = new Map<string, AttemptOutcome[]>();
  for (const outcome of outcomes) {
    const name = toTenantKey(tenantOf(outcome));
    const group = groups.get(name);
    if (group) group.push(outcome);
    else groups.set(name, [outcome]);
  }
  return [...groups.values()];
}

function toOutcomeRow({
  claimed,
  response: answered,
  sent,
  status,
  nextDueAt,
  endedAt,
}: AttemptOutcome): OutcomeRow {
  const { row, event, cipher } = claimed;
  const { response } = answered;
  return {
    teamId: row.team_id,
    environment: row.environment,
    id: row.id,
    endpointId: row.endpoint_id,
    countedType: event.test ? null : event.type,
    attemptsBefore: row.attempts,
    status,
    nextDueAt,
    endedAt,
    attemptId: attemptId(row.id, endedAt),
    statusCode: answered.statusCode,
    error: answered.error,
    durationMs: answered.durationMs,
    exchange: sealExchange(cipher, { sent, response_headers: storableHeaders(answered.headers), response }),
  };
}

/**
 * Saves failures and recoveries; returns the endpoints that have failed for too long. Messages to be retried are held
 * if their endpoint is disabled, so no endpoint may be enabled before they are recorded.
 */
async function assessEndpoints(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<Set<string>> {
  const successes = outcomes.filter(({ response }) => isSuccess(response));
  const well = new Set(successes.map(({ claimed }) => claimed.row.endpoint_id));
  const recovered = new Set(
    successes.filter(({ claimed }) => claimed.row.troubled).map(({ claimed }) => claimed.row.endpoint_id),
  );
  const failed = new Map(failingEndpoints(outcomes).map((met) => [met.id, met]));
  const known = failed.size > 0 ? await lockFailures(tx, [...failed.keys(), ...recovered]) : [];
  if (recovered.size > 0) await clearFailures(tx, [...recovered]);
  const judged = known.flatMap((row) => {
    const failure = failed.get(row.id);
    // A failure of an earlier revision says nothing about the current one.
    const counts = row.disabled_at === null && failure?.revision === row.revision && !well.has(row.id);
    return counts
      ? [{ id: row.id, ...assessFailure(failuresOf(row), later(failure.seenAt, row.clock_offset_ms)) }]
      : [];
  });
  await saveChanged(tx, judged);
  return new Set(judged.filter(({ hopeless }) => hopeless).map(({ id }) => id));
}

const failuresOf = (row: FailuresRow): EndpointFailures => ({
  firstFailureAt: row.first_failure_at,
  lastFailureAt: row.last_failure_at,
  failingSince: row.failing_since,
});

async function saveChanged(tx: Tx, judged: readonly (FailureAssessment & { id: string })[]): Promise<void> {
  const changed = judged.filter(({ changed }) => changed);
  if (changed.length === 0) return;
  await saveFailures(
    tx,
    changed.map(({ id, failures }) => ({
      id,
      first_failure_at: failures.firstFailureAt,
      last_failure_at: failures.lastFailureAt,
      failing_since: failures.failingSince,
    })),
  );
}

/** Records exhausted messages of one tenant. Exhausted notices and tests emit no event. */
async function recordExhausted(app: App, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const [first] = outcomes;
  if (!first) return;
  await inTenant(app, tenantOf(first), async (work) => {
    await forceIndexScans(work.tx);
    const written = await recordOutcomes(work.tx, outcomes.map(toOutcomeRow));
    await countAttempts(
      work.tx,
      outcomes.filter(({ claimed }) => written.has(claimed.row.id)),
    );
    for (const { claimed, response, endedAt } of outcomes) {
      const { row, event } = claimed;
      const silent = event.test || event.type === messageAttemptExhausted.type;
      if (silent || !written.has(row.id)) continue;
      await emit(work, messageAttemptExhausted, {
        subject: NO_SUBJECT,
        data: {
          endpoint_id: row.endpoint_id,
          message_id: messageId(row.event_id),
          event_type: event.type,
          attempts: row.attempts + 1,
          last_attempt: {
            at: isoTimestamp(later(endedAt, work.clockOffsetMs)),
            status_code: response.statusCode,
            error: response.error,
          },
        },
      });
    }
  });
}
