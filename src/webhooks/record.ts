import { inTenant, type App } from '../app.ts';
import { emit } from '../events/events.ts';
import { isoMoment, later } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Tenant } from '../platform/tenant.ts';
import { byIndexOnly } from './delivery-store.ts';
import { disableEndpoint, NOBODY } from './disable-endpoint.ts';
import { messageAttemptExhausted } from './events.ts';
import { keptHeaders, sealExchange } from './exchange.ts';
import { judgeFailure } from './failing.ts';
import { clearFailures, lockFailures, noteFailures } from './failure-store.ts';
import { isSuccess, type Outcome } from './outcome.ts';
import { recordOutcomes, type RecordRow } from './record-store.ts';
import { messageId } from './signature.ts';

export const RESPONSE_PLACE = 'webhook_attempt.response';

/**
 * Writes down what came of many messages: first what it means for their endpoints, of which some are disabled; then all
 * that go on in one transaction, and the last failures of messages by tenant, each together with its event. In this
 * order nobody meets a message that is done with while its endpoint is not. Doing it twice does nothing twice.
 */
export async function record(app: App, outcomes: readonly Outcome[]): Promise<void> {
  for (const [id, tenant] of goneIn(outcomes)) await disableEndpoint(app, tenant, { id, reason: 'gone' });
  const goingOn = await rowsOf(
    app,
    outcomes.filter(({ status }) => status !== 'failed'),
  );
  const write = async (tx: Tx) => {
    if (goingOn.length > 0) await recordOutcomes(tx, goingOn);
  };
  const hopeless = await asSystem(app.db, async (tx) => {
    await byIndexOnly(tx);
    const found = await judgeEndpoints(tx, outcomes);
    if (found.size === 0) await write(tx);
    return found;
  });
  if (hopeless.size > 0) {
    for (const [id, tenant] of endpointsIn(outcomes)) {
      if (hopeless.has(id)) await disableEndpoint(app, tenant, { id, reason: 'failing' });
    }
    await asSystem(app.db, async (tx) => {
      await byIndexOnly(tx);
      await write(tx);
    });
  }
  const exhausted = outcomes.filter(({ status }) => status === 'failed');
  for (const ofOne of byTenant(exhausted)) await recordExhausted(app, ofOne);
}

const endpointsIn = (outcomes: readonly Outcome[]): Map<string, Tenant> =>
  new Map(outcomes.map((outcome) => [outcome.delivery.endpoint_id, tenantOf(outcome)]));

const goneIn = (outcomes: readonly Outcome[]) => endpointsIn(outcomes.filter(({ gone }) => gone));

const tenantOf = ({ delivery }: Outcome): Tenant => ({
  teamId: delivery.team_id,
  environment: delivery.environment,
});

function byTenant(outcomes: readonly Outcome[]): Outcome[][] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const name = `${outcome.delivery.team_id}/${outcome.delivery.environment}`;
    const group = groups.get(name);
    if (group) group.push(outcome);
    else groups.set(name, [outcome]);
  }
  return [...groups.values()];
}

const rowsOf = (app: App, outcomes: readonly Outcome[]): Promise<RecordRow[]> =>
  Promise.all(
    outcomes.map(async (outcome) => {
      const { delivery, answered, sent } = outcome;
      const tenant = tenantOf(outcome);
      const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant));
      return {
        tenant,
        id: delivery.id,
        endpointId: delivery.endpoint_id,
        countedType: delivery.test ? null : delivery.event_type,
        attemptsBefore: delivery.attempts,
        status: outcome.status,
        dueWall: outcome.dueWall,
        wall: outcome.wall,
        attemptId: outcome.attemptId,
        statusCode: answered.statusCode,
        error: answered.error,
        durationMs: answered.durationMs,
        response: answered.response === '' ? null : cipher.seal(answered.response, RESPONSE_PLACE),
        exchange: sealExchange(cipher, { sent, response_headers: keptHeaders(answered.headers) }),
      };
    }),
  );

/** Notes who failed and who recovered; answers the endpoints that have failed for too long. */
async function judgeEndpoints(tx: Tx, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const well = new Set<string>();
  const recovered = new Set<string>();
  for (const { delivery, answered } of outcomes) {
    if (!isSuccess(answered)) continue;
    well.add(delivery.endpoint_id);
    if (delivery.troubled) recovered.add(delivery.endpoint_id);
  }
  const failedAt = new Map<string, Date>();
  for (const { delivery, answered, wall } of outcomes) {
    if (!isSuccess(answered) && !well.has(delivery.endpoint_id)) failedAt.set(delivery.endpoint_id, wall);
  }
  if (recovered.size > 0) await clearFailures(tx, [...recovered]);
  return failedAt.size > 0 ? judgeFailed(tx, failedAt) : new Set();
}

async function judgeFailed(tx: Tx, failedAt: ReadonlyMap<string, Date>): Promise<Set<string>> {
  const judged = (await lockFailures(tx, [...failedAt.keys()])).map((row) => {
    const before = {
      firstFailureAt: row.first_failure_at,
      lastFailureAt: row.last_failure_at,
      failingSince: row.failing_since,
    };
    const wall = failedAt.get(row.id) ?? new Date(0);
    return { id: row.id, ...judgeFailure(before, later(wall, row.clock_offset_ms)) };
  });
  const changed = judged.filter(({ changed }) => changed);
  if (changed.length > 0) {
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
  return new Set(judged.filter(({ hopeless }) => hopeless).map(({ id }) => id));
}

/** The last failures of messages of one tenant. Neither a notice of exhaustion nor a test that is exhausted is told of. */
async function recordExhausted(app: App, outcomes: readonly Outcome[]): Promise<void> {
  const [first] = outcomes;
  if (!first) return;
  const rows = await rowsOf(app, outcomes);
  await inTenant(app, tenantOf(first), async (work) => {
    await byIndexOnly(work.tx);
    const written = await recordOutcomes(work.tx, rows);
    for (const { delivery, answered, wall } of outcomes) {
      const silent = delivery.test || delivery.event_type === messageAttemptExhausted.type;
      if (silent || !written.has(delivery.id)) continue;
      await emit(work, messageAttemptExhausted, {
        subject: NOBODY,
        data: {
          endpoint_id: delivery.endpoint_id,
          message_id: messageId(delivery.event_id),
          event_type: delivery.event_type,
          attempts: delivery.attempts + 1,
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
