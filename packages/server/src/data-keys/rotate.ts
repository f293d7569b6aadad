import { inTenant, readTenant, type App, type Work } from '../app.ts';
import { writeAuditEntry, type AuditActor } from '../identity/management/management.ts';
import { later } from '../platform/clock.ts';
import { KEY_CACHE_TTL_MS } from '../platform/crypto/keyring.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import { advanceTenants } from '../platform/jobs/tenant-round.ts';
import type { Tenant } from '../platform/tenant.ts';
import { resealColumn, type ResealBatch } from './reseal.ts';
import { resealFiles } from './reseal-files.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import * as store from './store.ts';

/**
 * After this time every process has reloaded the keys: required before a new key seals, and before the last round.
 */
export const KEY_PROPAGATION_MS = 3 * KEY_CACHE_TTL_MS;
const POLL_INTERVAL_MS = 2_000;

/** The tenant whose data key is rotated, and the author of the rotation. */
interface DataKeyRotationRequest {
  readonly tenant: Tenant;
  readonly orgId: string;
  readonly by: AuditActor;
}

/**
 * Starts the rotation of a tenant's data key, or restarts one that is stuck with another round. 409 while one is in
 * progress. The states:
 *
 * - `announced`: every process loads the new key; nothing is sealed with it yet.
 * - `sealing`: the new key seals, and rounds through all columns and files reseal what older keys sealed. The rotation
 *   ends after a round that began when no process used an older key any more and found nothing to reseal.
 * - `done`, or `stuck` if a value cannot be decrypted. Older keys are kept in both states.
 *
 * Progress is saved in the transaction that reseals a batch, so a rotation survives restarts.
 */
export async function rotateDataKey(
  app: App,
  { tenant, orgId, by }: DataKeyRotationRequest,
): Promise<store.DataKeyRotationRow> {
  const at = app.clock.now();
  const row = await asSystem(app.db, async (tx) => {
    await store.lockRotationStart(tx, tenant);
    const open = await store.findOpenRotation(tx, tenant);
    if (open && open.state !== 'stuck')
      throw new DomainError(
        'conflict',
        'A rotation of this data key is already in progress: wait until it is done',
      );
    const generation = open?.generation ?? (await app.keyring.addKey(tx, tenant));
    if (open) await store.updateRotation(tx, open, { state: 'sealing', ...NEW_ROUND, round: open.round });
    else await store.insertRotation(tx, tenant, { generation, at });
    const { teamId, environment } = tenant;
    const subject = `${teamId}/${environment}/${generation}`;
    const deed = { action: 'data_key.rotate', subject, after: { generation }, at };
    await writeAuditEntry(tx, { ...by, orgId, teamId, environment, ...deed });
    return store.findOpenRotation(tx, tenant);
  });
  app.keyring.invalidate(tenant);
  if (!row) throw new Error('The rotation that was just started does not exist');
  return row;
}

const NEW_ROUND = {
  place: 0,
  after: null,
  round_resealed: 0,
  round_began_at: null,
  hindrance: null,
} as const;

export const startDataKeyRotation = (app: App): Loop =>
  startLoop(app, { name: 'data-keys', everyMs: POLL_INTERVAL_MS, iterate: () => advanceRotations(app) });

/** Advances every rotation by one batch; returns whether there is more to do immediately. */
export const advanceRotations = (app: App): Promise<boolean> =>
  advanceTenants(app.db, {
    list: store.listRotatingTenants,
    advance: async (tenant) => {
      await switchWhenDue(app, tenant);
      return resealNextBatch(app, tenant);
    },
  });

async function switchWhenDue(app: App, tenant: Tenant): Promise<void> {
  const now = app.clock.now();
  const isSwitched = await asSystem(app.db, async (tx) => {
    const row = await store.lockOpenRotation(tx, tenant);
    if (row?.state !== 'announced' || now < later(row.announced_at, KEY_PROPAGATION_MS)) return false;
    await store.switchCurrentKey(tx, row);
    await store.updateRotation(tx, row, { state: 'sealing', switched_at: now });
    return true;
  });
  if (isSwitched) app.keyring.invalidate(tenant);
}

/** Reseals one batch of a column or of files; returns whether there is more to do immediately. */
async function resealNextBatch(app: App, tenant: Tenant): Promise<boolean> {
  const now = app.clock.now();
  const row = await readTenant(app, tenant, ({ tx }) => store.findOpenRotation(tx, tenant));
  if (row?.place !== SEALED_COLUMNS.length)
    return inTenant(app, tenant, (work) => resealColumnBatch(work, now));
  // Files come after the last column, and outside a transaction: resealing a file twice is harmless.
  const cipher = await app.keyring.cipherOf(tenant);
  if (row.state !== 'sealing' || cipher.generation !== row.generation) return false;
  const stretch = await resealFiles(app, { tenant, cipher }, row.after);
  return inTenant(app, tenant, async (work) => {
    const still = await store.lockOpenRotation(work.tx, tenant);
    const isSame = still?.place === row.place && still.round === row.round;
    return isSame && String(still.after) === String(row.after)
      ? saveProgress(work, still, { batch: stretch, now })
      : false;
  });
}

/** Reseals and saves the progress in one transaction, so a killed process loses neither or both. */
async function resealColumnBatch(work: Work, now: Date): Promise<boolean> {
  const row = await store.lockOpenRotation(work.tx, work.tenant);
  // This process may still have only the old key.
  if (row?.state !== 'sealing' || row.switched_at === null || work.cipher.generation !== row.generation)
    return false;
  const begins = row.round_began_at === null;
  if (begins && row.round > 0 && now < later(row.switched_at, KEY_PROPAGATION_MS)) return false;
  const column = SEALED_COLUMNS[row.place];
  if (column === undefined) return true;
  const stretch = await resealColumn(work, { column, after: row.after });
  return saveProgress(work, row, { batch: stretch, now });
}

interface ResealProgress {
  readonly batch: ResealBatch;
  readonly now: Date;
}

/** Saves the progress, and starts the next round or ends the rotation after the last batch of a round. */
async function saveProgress(
  work: Work,
  row: store.DataKeyRotationRow,
  { batch, now }: ResealProgress,
): Promise<boolean> {
  const beganAt = row.round_began_at ?? now;
  const far = {
    round: row.round_began_at === null ? row.round + 1 : row.round,
    round_began_at: beganAt,
    resealed: row.resealed + batch.resealed,
    round_resealed: row.round_resealed + batch.resealed,
    hindrance: row.hindrance ?? describeHindrance(row.place, batch),
    place: batch.after === null ? row.place + 1 : row.place,
    after: batch.after && [...batch.after],
  };
  if (far.place <= SEALED_COLUMNS.length) {
    await store.updateRotation(work.tx, row, far);
    return true;
  }
  // The last round began when no process used an old key any more, and found nothing to reseal.
  const settledAt = row.switched_at && later(row.switched_at, KEY_PROPAGATION_MS);
  const isOver = far.round_resealed === 0 && settledAt !== null && beganAt >= settledAt;
  const end = { state: far.hindrance === null ? 'done' : 'stuck', finished_at: now } as const;
  await store.updateRotation(work.tx, row, isOver ? { ...far, ...end } : { ...far, ...NEW_ROUND });
  return !isOver;
}

const describeHindrance = (place: number, { unopenable }: ResealBatch): string | null =>
  unopenable[0]
    ? `${SEALED_COLUMNS[place] ?? 'file'} of ${unopenable[0].join('/')} cannot be decrypted`
    : null;
