import { sql, type Insertable, type Updateable } from 'kysely';
import { latest } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns, toTenant } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type {
  Appointment,
  AppointmentColumns,
  AppointmentEvent,
  AppointmentPrivate,
  RescheduleTarget,
} from './appointment.ts';
import { ACTIVE_STATES, type AppointmentEventState, type AppointmentType } from './status.ts';

const PRIVATE_SEAL_CONTEXT = 'appointment.private';
const WISH_SEAL_CONTEXT = 'appointment.wish';
const EVENT_DATA_SEAL_CONTEXT = 'appointment_event.data';

type NewAppointment = Omit<
  Insertable<Database['appointment']>,
  'team_id' | 'environment' | 'private' | 'wish' | 'created_at' | 'updated_at'
> & { private: AppointmentPrivate };

export async function insertAppointment(work: Work, row: NewAppointment): Promise<Appointment> {
  const inserted = await work.tx
    .insertInto('appointment')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: sealJson(work, row.private, PRIVATE_SEAL_CONTEXT),
      wish: null,
      created_at: work.now,
      updated_at: work.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return openAppointment(work, inserted, []);
}

const sealJson = (work: Work, value: unknown, place: string) =>
  work.cipher.seal(JSON.stringify(value), place);

export type AppointmentChanges = Omit<Updateable<Database['appointment']>, 'private' | 'wish'> & {
  private?: AppointmentPrivate;
  wish?: RescheduleTarget | null;
};

/** Updates the appointment. Callers hold the lock on its order. */
export async function updateAppointment(
  work: Work,
  appointment: Appointment,
  { private: hidden, wish, ...changes }: AppointmentChanges,
): Promise<Appointment> {
  const changed = await work.tx
    .updateTable('appointment')
    .set({
      ...changes,
      ...(hidden ? { private: sealJson(work, hidden, PRIVATE_SEAL_CONTEXT) } : {}),
      ...(wish === undefined ? {} : { wish: wish && sealJson(work, wish, WISH_SEAL_CONTEXT) }),
      updated_at: work.now,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', appointment.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return openAppointment(work, changed, appointment.events);
}

export async function removeAppointment({ tx, tenant }: Work, id: string): Promise<void> {
  await tx
    .deleteFrom('appointment')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .execute();
}

export async function insertEvent(
  work: Work,
  appointment: Appointment,
  { status, data }: { status: AppointmentEventState; data: Record<string, unknown> | null },
): Promise<Appointment> {
  // Timestamps never run backwards, even if a clock was set back.
  const createdAt = latest(work.now, appointment.events.at(-1)?.createdAt ?? work.now);
  await work.tx
    .insertInto('appointment_event')
    .values({
      ...tenantColumns(work.tenant),
      appointment_id: appointment.id,
      status,
      data: data && sealJson(work, data, EVENT_DATA_SEAL_CONTEXT),
      created_at: createdAt,
    })
    .execute();
  return { ...appointment, events: [...appointment.events, { status, data, createdAt }] };
}

const selectAppointments = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('appointment')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export async function findAppointment(work: Work, id: string): Promise<Appointment | undefined> {
  const row = await selectAppointments(work).where('id', '=', id).executeTakeFirst();
  return row && openWithEvents(work, row);
}

export async function findActiveAppointment(work: Work, orderId: string): Promise<Appointment | undefined> {
  const row = await selectAppointments(work)
    .where('order_id', '=', orderId)
    .where('status', 'in', ACTIVE_STATES)
    .where((eb) => eb.or([eb('errand', 'is', null), eb('errand', '!=', 'withdraw')]))
    .executeTakeFirst();
  return row && openWithEvents(work, row);
}

/** The appointment that the last request with this digest booked or rescheduled, whatever its status is now. */
export async function findByRequestKey(
  work: Work,
  orderId: string,
  requestKey: Buffer,
): Promise<Appointment | undefined> {
  const row = await selectAppointments(work)
    .where('order_id', '=', orderId)
    .where('request_key', '=', requestKey)
    .where((eb) => eb.or([eb('errand', 'is', null), eb('errand', '!=', 'withdraw')]))
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && openWithEvents(work, row);
}

/** The newest published appointment of this type, including ended ones. */
export async function findPublished(
  work: Work,
  orderId: string,
  type: AppointmentType,
): Promise<Appointment | undefined> {
  const row = await selectAppointments(work)
    .where('order_id', '=', orderId)
    .where('type', '=', type)
    .where('told_at', 'is not', null)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && openWithEvents(work, row);
}

/** Active appointments of a user, without withdrawn bookings. */
export async function listActiveOfUser({ tx, tenant }: Work, userId: string) {
  return tx
    .selectFrom('appointment')
    .select(['id', 'order_id'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where('status', 'in', ACTIVE_STATES)
    .where((eb) => eb.or([eb('errand', 'is', null), eb('errand', '!=', 'withdraw')]))
    .execute();
}

/** Locks the user of this order against deletion until this work ends. */
export async function lockUserOfOrder({ tx, tenant }: Work, orderId: string): Promise<void> {
  await tx
    .selectFrom('app_user as u')
    .innerJoin('lab_order as o', (join) =>
      join
        .onRef('o.team_id', '=', 'u.team_id')
        .onRef('o.environment', '=', 'u.environment')
        .onRef('o.user_id', '=', 'u.id'),
    )
    .select('u.id')
    .where('o.team_id', '=', tenant.teamId)
    .where('o.environment', '=', tenant.environment)
    .where('o.id', '=', orderId)
    .forShare('u')
    .execute();
}

/** Visits of a user that may still exist at the provider: not ended, or with a pending action. */
export async function listUnfinishedOfUser({ tx, tenant, now }: Work, userId: string) {
  return tx
    .selectFrom('appointment')
    .select(['id', 'provider'])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('errand', 'is not', null),
        eb.and([
          eb('status', 'in', ACTIVE_STATES),
          eb.or([eb('end_at', 'is', null), eb('end_at', '>', now)]),
        ]),
      ]),
    )
    .execute();
}

async function openWithEvents(work: Work, row: AppointmentColumns): Promise<Appointment> {
  const events = await work.tx
    .selectFrom('appointment_event')
    .select(['status', 'data', 'created_at'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('appointment_id', '=', row.id)
    .orderBy('id')
    .execute();
  return openAppointment(
    work,
    row,
    events.map(({ status, data, created_at }) => ({
      status,
      data: data && JSON.parse(work.cipher.open(data, EVENT_DATA_SEAL_CONTEXT)),
      createdAt: created_at,
    })),
  );
}

export const openAppointmentPrivate = (work: Work, sealed: Buffer): AppointmentPrivate =>
  JSON.parse(work.cipher.open(sealed, PRIVATE_SEAL_CONTEXT));

const openAppointment = (
  work: Work,
  row: AppointmentColumns,
  events: readonly AppointmentEvent[],
): Appointment => ({
  ...row,
  private: openAppointmentPrivate(work, row.private),
  wish: row.wish && JSON.parse(work.cipher.open(row.wish, WISH_SEAL_CONTEXT)),
  events,
});

/** Which of these users have an active appointment, across all tenants. */
export async function listUsersWithActiveAppointment(
  tx: Tx,
  userIds: readonly string[],
): Promise<{ tenant: Tenant; userId: string }[]> {
  const rows = await tx
    .selectFrom('appointment')
    .select(['team_id', 'environment', 'user_id'])
    .distinct()
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('status', 'in', ACTIVE_STATES)
    .execute();
  return rows.map((row) => ({ tenant: toTenant(row), userId: row.user_id }));
}
