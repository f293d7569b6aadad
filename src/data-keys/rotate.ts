import { inTenant, readTenant, type App, type Work } from '../app.ts';
import { audit, type Author } from '../management/management.ts';
import { later } from '../platform/clock.ts';
import { KEYS_FRESH_MS } from '../platform/crypto/keyring.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { startLoop, type Loop } from '../platform/jobs/loop.ts';
import type { Tenant } from '../platform/tenant.ts';
import { resealColumn, type Stretch } from './reseal.ts';
import { resealFiles } from './reseal-files.ts';
import { SEALED_COLUMNS } from './sealed-columns.ts';
import * as store from './store.ts';

/** Before a new key seals, and before what is sealed with the old one is counted out, every process has read the keys anew. */
export const SETTLED_AFTER_MS = 3 * KEYS_FRESH_MS;
const LOOK_EVERY_MS = 2_000;
const TENANTS = 20;

/** Whose data key somebody exchanges, and who. */
interface Acting {
  readonly tenant: Tenant;
  readonly orgId: string;
  readonly by: Author;
}

/**
 * Begins the exchange of a tenant's data key: a new one is announced now, seals in half a minute, and everything that was
 * sealed with older ones is sealed anew meanwhile and after. One that is stuck goes on with another round. 409 while one
 * is under way.
 */
export async function rotateDataKey(app: App, { tenant, orgId, by }: Acting): Promise<store.RotationRow> {
  const at = app.clock.now();
  const row = await asSystem(app.db, async (tx) => {
    await store.lockBeginning(tx, tenant);
    const open = await store.findOpen(tx, tenant);
    if (open && open.state !== 'stuck')
      throw new DomainError('conflict', 'The data key is being exchanged already');
    const generation = open?.generation ?? (await app.keyring.addKey(tx, tenant));
    if (open) await store.changeRotation(tx, open, { state: 'sealing', ...NEW_ROUND, round: open.round });
    else await store.insertRotation(tx, tenant, { generation, at });
    const { teamId, environment } = tenant;
    const subject = `${teamId}/${environment}/${generation}`;
    const deed = { action: 'data_key.rotate', subject, after: { generation }, at };
    await audit(tx, { ...by, orgId, teamId, environment, ...deed });
    return store.findOpen(tx, tenant);
  });
  app.keyring.forget(tenant);
  if (!row) throw new Error('The exchange that was just begun is not there');
  return row;
}

const NEW_ROUND = {
  place: 0,
  after: null,
  round_resealed: 0,
  round_began_at: null,
  hindrance: null,
} as const;

export const startKeyRotation = (app: App): Loop =>
  startLoop(app, { name: 'data-keys', everyMs: LOOK_EVERY_MS, round: () => goOn(app) });

/** Takes every exchange a stretch further; answers whether there is more to do at once. */
export async function goOn(app: App): Promise<boolean> {
  const tenants = await asSystem(app.db, (tx) => store.listTenants(tx, TENANTS));
  let isMore = false;
  for (const tenant of tenants) {
    await switchWhenDue(app, tenant);
    isMore = (await resealSome(app, tenant)) || isMore;
  }
  return isMore;
}

async function switchWhenDue(app: App, tenant: Tenant): Promise<void> {
  const now = app.clock.now();
  const isSwitched = await asSystem(app.db, async (tx) => {
    const row = await store.holdOpen(tx, tenant);
    if (row?.state !== 'announced' || now < later(row.announced_at, SETTLED_AFTER_MS)) return false;
    await store.switchKeys(tx, row);
    await store.changeRotation(tx, row, { state: 'sealing', switched_at: now });
    return true;
  });
  if (isSwitched) app.keyring.forget(tenant);
}

/** One stretch of a column, or a few files; answers whether there is more to do at once. */
async function resealSome(app: App, tenant: Tenant): Promise<boolean> {
  const now = app.clock.now();
  const row = await readTenant(app, tenant, ({ tx }) => store.findOpen(tx, tenant));
  if (row?.place !== SEALED_COLUMNS.length) return inTenant(app, tenant, (work) => resealStretch(work, now));
  // Behind the last column come the files, which no transaction waits for: twice is harmless.
  const cipher = await app.keyring.of(tenant);
  if (row.state !== 'sealing' || cipher.generation !== row.generation) return false;
  const stretch = await resealFiles(app, { tenant, cipher }, row.after);
  return inTenant(app, tenant, async (work) => {
    const still = await store.holdOpen(work.tx, tenant);
    const isSame = still?.place === row.place && still.round === row.round;
    return isSame && String(still.after) === String(row.after)
      ? goFurther(work, still, { stretch, now })
      : false;
  });
}

/** With how far that is in the same transaction: who is killed has lost nothing of either. */
async function resealStretch(work: Work, now: Date): Promise<boolean> {
  const row = await store.holdOpen(work.tx, work.tenant);
  // This process may know only the old key yet.
  if (row?.state !== 'sealing' || row.switched_at === null || work.cipher.generation !== row.generation)
    return false;
  const begins = row.round_began_at === null;
  if (begins && row.round > 0 && now < later(row.switched_at, SETTLED_AFTER_MS)) return false;
  const column = SEALED_COLUMNS[row.place];
  if (column === undefined) return true;
  const stretch = await resealColumn(work, { column, after: row.after });
  return goFurther(work, row, { stretch, now });
}

interface Done {
  readonly stretch: Stretch;
  readonly now: Date;
}

/** Notes how far the exchange has come. */
async function goFurther(work: Work, row: store.RotationRow, { stretch, now }: Done): Promise<boolean> {
  const beganAt = row.round_began_at ?? now;
  const far = {
    round: row.round_began_at === null ? row.round + 1 : row.round,
    round_began_at: beganAt,
    resealed: row.resealed + stretch.resealed,
    round_resealed: row.round_resealed + stretch.resealed,
    hindrance: row.hindrance ?? hindranceOf(row.place, stretch),
    place: stretch.after === null ? row.place + 1 : row.place,
    after: stretch.after && [...stretch.after],
  };
  if (far.place <= SEALED_COLUMNS.length) {
    await store.changeRotation(work.tx, row, far);
    return true;
  }
  // A round that began when no process used an old key any more, and found nothing to seal anew, was the last.
  const settledAt = row.switched_at && later(row.switched_at, SETTLED_AFTER_MS);
  const isOver = far.round_resealed === 0 && settledAt !== null && beganAt >= settledAt;
  const end = { state: far.hindrance === null ? 'done' : 'stuck', finished_at: now } as const;
  await store.changeRotation(work.tx, row, isOver ? { ...far, ...end } : { ...far, ...NEW_ROUND });
  return !isOver;
}

const hindranceOf = (place: number, { closed }: Stretch): string | null =>
  closed[0] ? `${SEALED_COLUMNS[place] ?? 'file'} of ${closed[0].join('/')} does not open` : null;
