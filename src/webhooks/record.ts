import { inTenant, type App } from '../app.ts';
import { emit } from '../events/events.ts';
import { isoMoment, later } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Tenant } from '../platform/tenant.ts';
import { attemptId } from './attempt-id.ts';
import type { Bundle } from './bundle.ts';
import { unpackBundles, type PackedRow } from './bundle-store.ts';
import { byIndexOnly, forQueue } from './delivery-store.ts';
import { disableEndpoint, NOBODY } from './disable-endpoint.ts';
import { messageAttemptExhausted } from './events.ts';
import { keptHeaders, sealExchange } from './exchange.ts';
import { judgeFailure, type Failures, type Judgement } from './failing.ts';
import { NotAsClaimed, partBlocks, writeBlocks, type Parted } from './in-blocks.ts';
import { clearFailures, lockFailures, noteFailures, type FailuresRow } from './failure-store.ts';
import { isSuccess, type Outcome } from './outcome.ts';
import { recordOutcomes, type RecordRow } from './record-store.ts';
import { messageId } from './signing/signature.ts';

/**
 * Writes down what came of many messages, most of it in blocks; when a message is no longer as it was taken, one by one,
 * which leaves alone what somebody else wrote. Doing it twice does nothing twice.
 */
export async function record(app: App, outcomes: readonly Outcome[]): Promise<void> {
  const parted = partBlocks(outcomes);
  if (parted.blocks.length === 0) return recordAll(app, outcomes, parted);
  try {
    await recordAll(app, outcomes, parted);
  } catch (error) {
    if (!(error instanceof NotAsClaimed)) throw error;
    await recordAll(app, outcomes, { blocks: [], others: outcomes });
  }
}

/**
 * First what it means for their endpoints, of which some are disabled; then all that go on in one transaction, and the
 * last failures of messages by tenant, each together with its event. In this order nobody meets a message that is done
 * with while its endpoint is not.
 */
async function recordAll(app: App, outcomes: readonly Outcome[], { blocks, others }: Parted): Promise<void> {
  for (const { id, tenant, revision } of endpointsIn(outcomes.filter(({ gone }) => gone))) {
    await disableEndpoint(app, tenant, { id, revision, reason: 'gone' });
  }
  const goingOn = others.filter(({ status }) => status !== 'failed').map(rowOf);
  const parting = bundlesIn(others);
  const write = async (tx: Tx) => {
    if (blocks.length > 0) await writeBlocks(tx, blocks);
    if (parting.size > 0) await unpackBundles(tx, [...parting.values()]);
    if (goingOn.length > 0) await recordOutcomes(tx, goingOn);
  };
  const hopeless = await asSystem(app.db, async (tx) => {
    await forQueue(tx);
    const found = await judgeEndpoints(tx, outcomes);
    if (found.size === 0) await write(tx);
    return found;
  });
  if (hopeless.size > 0) {
    for (const { id, tenant, revision } of refusing(outcomes)) {
      if (hopeless.has(id)) await disableEndpoint(app, tenant, { id, revision, reason: 'failing' });
    }
    await asSystem(app.db, async (tx) => {
      await forQueue(tx);
      await lockFailures(
        tx,
        refusing(outcomes).map(({ id }) => id),
      );
      await write(tx);
    });
  }
  for (const bundle of parting.keys()) bundle.unpacked = true;
  const exhausted = outcomes.filter(({ status }) => status === 'failed');
  for (const ofOne of byTenant(exhausted)) await recordExhausted(app, ofOne);
}

/** The bundles of which some messages are written down by themselves. */
function bundlesIn(outcomes: readonly Outcome[]): Map<Bundle, PackedRow> {
  const found = new Map<Bundle, PackedRow>();
  for (const { row } of outcomes.map(({ claimed }) => claimed)) {
    const { bundle, team_id, environment } = row;
    if (bundle && !bundle.unpacked) found.set(bundle, { team_id, environment, id: bundle.id });
  }
  return found;
}

/** An endpoint as it was when it was met last, and when that was. */
interface Met {
  readonly id: string;
  readonly tenant: Tenant;
  readonly revision: number;
  readonly wall: Date;
}

function endpointsIn(outcomes: readonly Outcome[]): Met[] {
  const found = new Map<string, Met>();
  for (const outcome of outcomes) {
    const { endpoint_id: id, revision } = outcome.claimed.row;
    if (revision < (found.get(id)?.revision ?? revision)) continue;
    found.set(id, { id, tenant: tenantOf(outcome), revision, wall: outcome.wall });
  }
  return [...found.values()];
}

/** The endpoints that did not take a message. */
const refusing = (outcomes: readonly Outcome[]): Met[] =>
  endpointsIn(outcomes.filter(({ answered }) => !isSuccess(answered)));

const tenantOf = ({ claimed: { row } }: Outcome): Tenant => ({
  teamId: row.team_id,
  environment: row.environment,
});

function byTenant(outcomes: readonly Outcome[]): Outcome[][] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const { teamId, environment } = tenantOf(outcome);
    const name = `${teamId}/${environment}`;
    const group = groups.get(name);
    if (group) group.push(outcome);
    else groups.set(name, [outcome]);
  }
  return [...groups.values()];
}

function rowOf({ claimed, answered, sent, status, dueWall, wall }: Outcome): RecordRow {
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
    dueWall,
    wall,
    attemptId: attemptId(row.id, wall),
    statusCode: answered.statusCode,
    error: answered.error,
    durationMs: answered.durationMs,
    exchange: sealExchange(cipher, { sent, response_headers: keptHeaders(answered.headers), response }),
  };
}

/**
 * Notes who failed and who recovered; answers the endpoints that have failed for too long. What is about to be tried
 * again is held if its endpoint is disabled, so that nobody may enable one until it is written down.
 */
async function judgeEndpoints(tx: Tx, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const successes = outcomes.filter(({ answered }) => isSuccess(answered));
  const well = new Set(successes.map(({ claimed }) => claimed.row.endpoint_id));
  const recovered = new Set(
    successes.filter(({ claimed }) => claimed.row.troubled).map(({ claimed }) => claimed.row.endpoint_id),
  );
  const failed = new Map(refusing(outcomes).map((met) => [met.id, met]));
  const known = failed.size > 0 ? await lockFailures(tx, [...failed.keys(), ...recovered]) : [];
  if (recovered.size > 0) await clearFailures(tx, [...recovered]);
  const judged = known.flatMap((row) => {
    const failure = failed.get(row.id);
    // What came of an endpoint as it was before somebody changed it says nothing of what it is now.
    const counts = row.disabled_at === null && failure?.revision === row.revision && !well.has(row.id);
    return counts
      ? [{ id: row.id, ...judgeFailure(failuresOf(row), later(failure.wall, row.clock_offset_ms)) }]
      : [];
  });
  await noteChanged(tx, judged);
  return new Set(judged.filter(({ hopeless }) => hopeless).map(({ id }) => id));
}

const failuresOf = (row: FailuresRow): Failures => ({
  firstFailureAt: row.first_failure_at,
  lastFailureAt: row.last_failure_at,
  failingSince: row.failing_since,
});

async function noteChanged(tx: Tx, judged: readonly (Judgement & { id: string })[]): Promise<void> {
  const changed = judged.filter(({ changed }) => changed);
  if (changed.length === 0) return;
  await noteFailures(
    tx,
    changed.map(({ id, failures }) => ({
      id,
      first_failure_at: failures.firstFailureAt,
      last_failure_at: failures.lastFailureAt,
      failing_since: failures.failingSince,
    })),
  );
}

/** The last failures of messages of one tenant. Neither a notice of exhaustion nor a test that is exhausted is told of. */
async function recordExhausted(app: App, outcomes: readonly Outcome[]): Promise<void> {
  const [first] = outcomes;
  if (!first) return;
  await inTenant(app, tenantOf(first), async (work) => {
    await byIndexOnly(work.tx);
    const written = await recordOutcomes(work.tx, outcomes.map(rowOf));
    for (const { claimed, answered, wall } of outcomes) {
      const { row, event } = claimed;
      const silent = event.test || event.type === messageAttemptExhausted.type;
      if (silent || !written.has(row.id)) continue;
      await emit(work, messageAttemptExhausted, {
        subject: NOBODY,
        data: {
          endpoint_id: row.endpoint_id,
          message_id: messageId(row.event_id),
          event_type: event.type,
          attempts: row.attempts + 1,
          last_attempt: {
            at: isoMoment(later(wall, work.clockOffsetMs)),
            status_code: answered.statusCode,
            error: answered.error,
          },
        },
      });
    }
  });
}
