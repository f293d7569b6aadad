import { readTenant, type App } from '../../app.ts';
import { audit, type Author } from '../../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, found } from '../../platform/errors.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { findById } from './connection-store.ts';
import type { Route } from './connection.ts';
import { insertArrived, type ArrivedRow } from './intake-store.ts';
import { rowOfClaimed } from './intake.ts';
import * as store from './letter-store.ts';
import { readMessage } from './messages.ts';
import { openUnclaimedBody, resealedUnclaimed } from './sealed.ts';
import { enqueueTaking } from './taking-job.ts';

/** A message that reached nobody: it could not be read, or belongs to no connection. */
export interface Letter {
  readonly id: string;
  readonly kind: 'dead' | 'unclaimed';
  readonly cameAt: Date;
  readonly sizeBytes: number;
  /** Why; nothing that the message says of a person. */
  readonly reason: string;
  /** The connection's id, or the parties of MSH-3 to MSH-6. */
  readonly whose: string;
}

/** Dead letters of all tenants and messages of nobody, newest first. For whoever runs the deployment. */
export async function listLetters(app: App, page: store.LetterPage): Promise<Letter[]> {
  const [dead, unclaimed] = await asSystem(app.db, async (tx) => [
    await store.listDead(tx, page),
    await store.listUnclaimed(tx, page),
  ]);
  const letters = [
    ...dead.map((row) => letterOf('dead', row, row.connection_id)),
    ...unclaimed.map((row) => letterOf('unclaimed', row, partiesIn(row))),
  ];
  return letters.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

type Listed = Pick<store.UnclaimedMessage, 'id' | 'created_at' | 'size_bytes'> & { reason: string | null };

const letterOf = (kind: Letter['kind'], row: Listed, whose: string): Letter => ({
  id: row.id,
  kind,
  cameAt: row.created_at,
  sizeBytes: row.size_bytes,
  reason: row.reason ?? '',
  whose,
});

const partiesIn = (row: Parameters<typeof letterOf>[1] & Record<PartyColumn, string>): string =>
  `${row.lab_application}|${row.lab_facility}|${row.our_application}|${row.our_facility}`;
type PartyColumn = 'lab_application' | 'lab_facility' | 'our_application' | 'our_facility';

/** A message byte for byte, whosever it is; a 404 for an id that no message has. */
export async function readLetter(app: App, id: string): Promise<Buffer> {
  const { unclaimed, owner } = await asSystem(app.db, async (tx) => ({
    unclaimed: await store.findUnclaimed(tx, id),
    owner: await store.findOwner(tx, id),
  }));
  if (unclaimed) return openUnclaimedBody(app.keyring, unclaimed.body);
  const { team_id: teamId, environment: name, connection_id: connectionId } = found(owner, 'Lab message');
  const environment = found(
    ENVIRONMENTS.find((one) => one === name),
    'Lab message',
  );
  const { body } = await readTenant(app, { teamId, environment }, (work) =>
    readMessage(work, { connectionId, id }),
  );
  return body;
}

/** What became of a claim. */
export interface Claimed {
  /** The message as the connection has it: under the same id, or that of an equal one which came before. */
  readonly messageId: string;
  readonly outcome: 'claimed' | 'claimed_before' | 'repeat';
}

/**
 * Gives a message of nobody to a connection, which takes it as if it had come by it when it came; the certificate that
 * the connection asks for does not count. One transaction: it is with nobody or with the connection, and never with
 * two. 404 for an unknown message or connection, 409 for a message that another connection has.
 */
export async function claimLetter(
  app: App,
  { id, connectionId }: { id: string; connectionId: string },
): Promise<Claimed> {
  const known = await asSystem(app.db, async (tx) => ({
    route: await findById(tx, connectionId),
    unclaimed: await store.findUnclaimed(tx, id),
  }));
  const route = found(known.route, 'Enabled lab connection');
  if (!known.unclaimed) return asSystem(app.db, (tx) => claimedBefore(tx, { id, connectionId }));
  const row = await rowOfClaimed(
    app,
    { arrived: arrivedOf(app, known.unclaimed), route },
    cameOf(known.unclaimed),
  );
  return asSystem(app.db, async (tx) => {
    if (!(await store.removeUnclaimed(tx, id))) return claimedBefore(tx, { id, connectionId });
    return give(app, tx, { route, row });
  });
}

const cameOf = ({ id, created_at: at }: store.UnclaimedMessage) => ({ id, at });

const arrivedOf = (app: App, row: store.UnclaimedMessage) => ({
  bytes: openUnclaimedBody(app.keyring, row.body),
  format: 'hl7' as const,
  way: row.way,
  flaw: row.flaw ?? undefined,
  remoteAddress: row.remote_address,
  fingerprint: row.fingerprint,
});

/** A claim that is made again changes nothing. */
async function claimedBefore(
  tx: Tx,
  { id, connectionId }: { id: string; connectionId: string },
): Promise<Claimed> {
  const owner = found(await store.findOwner(tx, id), 'Unclaimed lab message');
  if (owner.connection_id === connectionId) return { messageId: id, outcome: 'claimed_before' };
  throw new DomainError('conflict', `The message belongs to connection ${owner.connection_id}`);
}

/** Nobody's key: who runs commands on the machine of the deployment. */
const BY_COMMAND: Author = { actor: 'service' };

async function give(app: App, tx: Tx, { route, row }: { route: Route; row: ArrivedRow }): Promise<Claimed> {
  const { tenant, connectionId } = route;
  const [known] = await insertArrived(tx, [row]);
  if (!known && row.status === 'stored') await enqueueTaking(tx, tenant, connectionId);
  await audit(tx, {
    ...BY_COMMAND,
    orgId: found(await store.findOrgOf(tx, tenant.teamId), 'Organization'),
    teamId: tenant.teamId,
    environment: tenant.environment,
    action: 'claim_lab_message',
    subject: row.id,
    after: { lab_connection_id: connectionId, status: known?.status ?? row.status },
    at: app.clock.now(),
  });
  return known ? { messageId: known.id, outcome: 'repeat' } : { messageId: row.id, outcome: 'claimed' };
}

const RESEALED_AT_ONCE = 20;

/**
 * After ENCRYPTION_KEY was changed: what belongs to nobody was sealed with the one before, and is sealed with today's. What
 * is so already stays as it is. Answers how many changed.
 */
export async function resealUnclaimed(app: App, previousKey: string): Promise<number> {
  let changed = 0;
  let after: string | null = null;
  for (;;) {
    const from: string | null = after;
    const some = await asSystem(app.db, async (tx) => {
      const letters = await store.listUnclaimedBodies(tx, { after: from, limit: RESEALED_AT_ONCE });
      for (const { id, body } of letters) {
        const sealed = resealedUnclaimed(app.keyring, previousKey, body);
        if (!sealed) continue;
        await store.changeUnclaimed(tx, id, sealed);
        changed += 1;
      }
      return letters;
    });
    after = some.at(-1)?.id ?? null;
    if (some.length < RESEALED_AT_ONCE) return changed;
  }
}
