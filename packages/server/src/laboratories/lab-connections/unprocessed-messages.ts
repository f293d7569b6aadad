import { readTenant, type App } from '../../app.ts';
import { writeAuditEntry, type AuditActor } from '../../identity/management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { findAnyRoute, findRouteById } from './connection-store.ts';
import type { LabRoute } from './connection.ts';
import { insertIncomingMessages, type IncomingMessageRow } from './ingestion-store.ts';
import { toRowOfClaimed } from './ingestion.ts';
import * as store from './unprocessed-message-store.ts';
import { readMessage } from './messages.ts';
import { openUnclaimedBody, resealUnclaimedBody } from './message-sealing.ts';
import { enqueueProcessing } from './processing-job.ts';

/** A message that was not processed: a dead letter, or an unclaimed message without a connection. */
interface UnprocessedMessage {
  readonly id: string;
  readonly kind: 'dead' | 'unclaimed';
  readonly cameAt: Date;
  readonly sizeBytes: number;
  /** Why it was not processed; contains no patient data. */
  readonly reason: string;
  /** The connection id, or the parties in MSH-3 to MSH-6. */
  readonly owner: string;
  /** The connection of a dead letter, or the one whose port or names an unclaimed message came by; null for none. */
  readonly connectionId: string | null;
}

/** Dead letters of all tenants and unclaimed messages, newest first. For operators of the deployment. */
export async function listUnprocessedMessages(
  app: App,
  page: store.UnprocessedMessagePage,
): Promise<UnprocessedMessage[]> {
  const [dead, unclaimed] = await asSystem(app.db, async (tx) => [
    await store.listDeadMessages(tx, page),
    await store.listUnclaimedMessages(tx, page),
  ]);
  const letters = [
    ...dead.map((row) => toUnprocessedMessage('dead', row, row.connection_id)),
    ...unclaimed.map((row) => toUnprocessedMessage('unclaimed', row, formatParties(row))),
  ];
  return letters.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

type UnprocessedMessageRow = Pick<
  store.UnclaimedMessage,
  'id' | 'created_at' | 'size_bytes' | 'connection_id'
> & {
  reason: string | null;
};

const toUnprocessedMessage = (
  kind: UnprocessedMessage['kind'],
  row: UnprocessedMessageRow,
  whose: string,
): UnprocessedMessage => ({
  id: row.id,
  kind,
  cameAt: row.created_at,
  sizeBytes: row.size_bytes,
  reason: row.reason ?? '',
  owner: whose,
  connectionId: row.connection_id,
});

const formatParties = (
  row: Parameters<typeof toUnprocessedMessage>[1] & Record<PartyColumn, string>,
): string => `${row.lab_application}|${row.lab_facility}|${row.our_application}|${row.our_facility}`;
type PartyColumn = 'lab_application' | 'lab_facility' | 'our_application' | 'our_facility';

/** The exact bytes of a message of any tenant, or of an unclaimed one; 404 for an unknown id. */
export async function readMessageBytes(app: App, id: string): Promise<Buffer> {
  const { unclaimed, owner } = await asSystem(app.db, async (tx) => ({
    unclaimed: await store.findUnclaimedMessage(tx, id),
    owner: await store.findMessageOwner(tx, id),
  }));
  if (unclaimed) return openUnclaimedBody(app.keyring, unclaimed.body);
  const message = requireFound(owner, 'Lab message');
  const { body } = await readTenant(app, toTenant(message), (work) =>
    readMessage(work, { connectionId: message.connection_id, id }),
  );
  return body;
}

interface MessageClaimRequest {
  readonly id: string;
  readonly connectionId: string;
  /** Also assigns a message that came by the port or the names of another team's connection. */
  readonly toAnyTeam?: boolean;
}

/** The result of a claim. */
export interface MessageClaim {
  /** The id of the message in the connection: its own, or that of an equal message received earlier. */
  readonly messageId: string;
  readonly outcome: 'claimed' | 'claimed_before' | 'repeat';
}

/**
 * Assigns an unclaimed message to a connection, as if it had been received by it at its arrival time. The client
 * certificate and the names are not checked. Atomic and idempotent. 404 for an unknown message or connection, 409 for a
 * message that belongs to another connection, or came by the port or the names of another team's connection, unless
 * `toAnyTeam` is set.
 */
export async function claimMessage(app: App, claim: MessageClaimRequest): Promise<MessageClaim> {
  const { id, connectionId } = claim;
  const known = await asSystem(app.db, async (tx) => ({
    route: await findRouteById(tx, connectionId),
    unclaimed: await store.findUnclaimedMessage(tx, id),
  }));
  const route = requireFound(known.route, 'Enabled lab connection');
  if (!known.unclaimed) return asSystem(app.db, (tx) => resolveEarlierClaim(tx, { id, connectionId }));
  if (claim.toAnyTeam !== true) await requireSameTeam(app, known.unclaimed, route);
  const row = await toRowOfClaimed(
    app,
    { arrived: toIncomingBytes(app, known.unclaimed), route },
    toArrival(known.unclaimed),
  );
  return asSystem(app.db, async (tx) => {
    if (!(await store.deleteUnclaimedMessage(tx, id))) return resolveEarlierClaim(tx, { id, connectionId });
    return assignToConnection(app, tx, { route, row });
  });
}

const toArrival = ({ id, created_at: at }: store.UnclaimedMessage) => ({ id, at });

const toIncomingBytes = (app: App, row: store.UnclaimedMessage) => ({
  bytes: openUnclaimedBody(app.keyring, row.body),
  format: 'hl7' as const,
  way: row.way,
  flaw: row.flaw ?? undefined,
  remoteAddress: row.remote_address,
  fingerprint: row.fingerprint,
});

/** A message that came by the port or the names of a connection, even of a deleted one, is that team's. */
async function requireSameTeam(app: App, message: store.UnclaimedMessage, route: LabRoute): Promise<void> {
  const { connection_id: cameBy } = message;
  if (cameBy === null) return;
  const owner = await asSystem(app.db, (tx) => findAnyRoute(tx, cameBy));
  const { teamId, environment } = route.tenant;
  if (!owner || (owner.tenant.teamId === teamId && owner.tenant.environment === environment)) return;
  throw new DomainError(
    'conflict',
    `The message came by connection ${cameBy} of another team; use --any-team if it is not for that team`,
  );
}

/** Makes repeated claims idempotent. */
async function resolveEarlierClaim(
  tx: Tx,
  { id, connectionId }: { id: string; connectionId: string },
): Promise<MessageClaim> {
  const owner = requireFound(await store.findMessageOwner(tx, id), 'Unclaimed lab message');
  if (owner.connection_id === connectionId) return { messageId: id, outcome: 'claimed_before' };
  throw new DomainError('conflict', `The message belongs to connection ${owner.connection_id}`);
}

/** The audit author of CLI commands, which use no API key. */
const CLI_AUTHOR: AuditActor = { actor: 'service' };

async function assignToConnection(
  app: App,
  tx: Tx,
  { route, row }: { route: LabRoute; row: IncomingMessageRow },
): Promise<MessageClaim> {
  const { tenant, connectionId } = route;
  const [known] = await insertIncomingMessages(tx, [row]);
  if (!known && row.status === 'stored') await enqueueProcessing(tx, tenant, connectionId);
  await writeAuditEntry(tx, {
    ...CLI_AUTHOR,
    orgId: requireFound(await store.findOrgOfTeam(tx, tenant.teamId), 'Organization'),
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'claim_lab_message',
    subject: row.id,
    after: { lab_connection_id: connectionId, status: known?.status ?? row.status },
    at: app.clock.now(),
  });
  return known ? { messageId: known.id, outcome: 'repeat' } : { messageId: row.id, outcome: 'claimed' };
}

const RESEAL_BATCH_SIZE = 20;

/**
 * Re-encrypts unclaimed messages after a change of ENCRYPTION_KEY. Messages that the previous key does not open are
 * skipped. Returns the number of changed messages.
 */
export async function resealUnclaimed(app: App, previousKey: string): Promise<number> {
  let changed = 0;
  let after: string | null = null;
  for (;;) {
    const from: string | null = after;
    const some = await asSystem(app.db, async (tx) => {
      const letters = await store.listUnclaimedBodies(tx, { after: from, limit: RESEAL_BATCH_SIZE });
      for (const { id, body } of letters) {
        const sealed = resealUnclaimedBody(app.keyring, previousKey, body);
        if (!sealed) continue;
        await store.updateUnclaimedMessage(tx, id, sealed);
        changed += 1;
      }
      return letters;
    });
    after = some.at(-1)?.id ?? null;
    if (some.length < RESEAL_BATCH_SIZE) return changed;
  }
}
