import { sql, type Insertable, type Updateable } from 'kysely';
import { latest } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type {
  Appointment,
  AppointmentColumns,
  AppointmentEvent,
  AppointmentPrivate,
  MoveWish,
} from './appointment.ts';
import { ACTIVE_STATES, type AppointmentEventState, type AppointmentType } from './status.ts';

const PRIVATE = 'appointment.private';
const WISH = 'appointment.wish';
const DATA = 'appointment_event.data';

export type NewAppointment = Omit<
  Insertable<Database['appointment']>,
  'team_id' | 'environment' | 'private' | 'wish' | 'created_at' | 'updated_at'
> & { private: AppointmentPrivate };

export async function insertAppointment(work: Work, row: NewAppointment): Promise<Appointment> {
  const inserted = await work.tx
    .insertInto('appointment')
    .values({
      ...tenantColumns(work.tenant),
      ...row,
      private: sealed(work, row.private, PRIVATE),
      wish: null,
      created_at: work.now,
      updated_at: work.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return open(work, inserted, []);
}

const sealed = (work: Work, value: unknown, place: string) => work.cipher.seal(JSON.stringify(value), place);

export type AppointmentChanges = Omit<Updateable<Database['appointment']>, 'private' | 'wish'> & {
  private?: AppointmentPrivate;
  wish?: MoveWish | null;
};

/** Writes what changed; whoever does so holds the lock of the order. */
export async function changeAppointment(
  work: Work,
  appointment: Appointment,
  { private: hidden, wish, ...changes }: AppointmentChanges,
): Promise<Appointment> {
  const changed = await work.tx
    .updateTable('appointment')
    .set({
      ...changes,
      ...(hidden ? { private: sealed(work, hidden, PRIVATE) } : {}),
      ...(wish === undefined ? {} : { wish: wish && sealed(work, wish, WISH) }),
      updated_at: work.now,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', appointment.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return open(work, changed, appointment.events);
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
  // As with orders: a visit's history does not run backwards where a clock was set back.
  const createdAt = latest(work.now, appointment.events.at(-1)?.createdAt ?? work.now);
  await work.tx
    .insertInto('appointment_event')
    .values({
      ...tenantColumns(work.tenant),
      appointment_id: appointment.id,
      status,
      data: data && sealed(work, data, DATA),
      created_at: createdAt,
    })
    .execute();
  return { ...appointment, events: [...appointment.events, { status, data, createdAt }] };
}

const appointments = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('appointment')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export async function findAppointment(work: Work, id: string): Promise<Appointment | undefined> {
  const row = await appointments(work).where('id', '=', id).executeTakeFirst();
  return row && withEvents(work, row);
}

export async function findActive(work: Work, orderId: string): Promise<Appointment | undefined> {
  const row = await appointments(work)
    .where('order_id', '=', orderId)
    .where('status', 'in', ACTIVE_STATES)
    .where((eb) => eb.or([eb('errand', 'is', null), eb('errand', '!=', 'withdraw')]))
    .executeTakeFirst();
  return row && withEvents(work, row);
}

/** The appointment that a request with this digest made or moved last, however it stands now. */
export async function findByRequest(
  work: Work,
  orderId: string,
  requestKey: Buffer,
): Promise<Appointment | undefined> {
  const row = await appointments(work)
    .where('order_id', '=', orderId)
    .where('request_key', '=', requestKey)
    .where((eb) => eb.or([eb('errand', 'is', null), eb('errand', '!=', 'withdraw')]))
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && withEvents(work, row);
}

/** The newest appointment of this kind that the team was told of; one that is over, too. */
export async function findTold(
  work: Work,
  orderId: string,
  type: AppointmentType,
): Promise<Appointment | undefined> {
  const row = await appointments(work)
    .where('order_id', '=', orderId)
    .where('type', '=', type)
    .where('told_at', 'is not', null)
    .orderBy('number', 'desc')
    .executeTakeFirst();
  return row && withEvents(work, row);
}

/** The appointments of a user that are still to come or going on, the withdrawn ones aside. An order has one at most. */
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

/** Whoever deletes the user of this order waits until this work ends. */
export async function holdUserOf({ tx, tenant }: Work, orderId: string): Promise<void> {
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

/** What the provider may still have of a user: visits whose time is not over, and all of which something is open. */
export async function listOpenOfUser({ tx, tenant, now }: Work, userId: string) {
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

async function withEvents(work: Work, row: AppointmentColumns): Promise<Appointment> {
  const events = await work.tx
    .selectFrom('appointment_event')
    .select(['status', 'data', 'created_at'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('appointment_id', '=', row.id)
    .orderBy('id')
    .execute();
  return open(
    work,
    row,
    events.map(({ status, data, created_at }) => ({
      status,
      data: data && JSON.parse(work.cipher.open(data, DATA)),
      createdAt: created_at,
    })),
  );
}

const open = (work: Work, row: AppointmentColumns, events: readonly AppointmentEvent[]): Appointment => ({
  ...row,
  private: JSON.parse(work.cipher.open(row.private, PRIVATE)),
  wish: row.wish && JSON.parse(work.cipher.open(row.wish, WISH)),
  events,
});

/** Which of these users have an appointment to look after, over all tenants: for the fan-out. */
export async function listAttended(
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
  return rows.flatMap(({ team_id: teamId, environment, user_id: userId }) => {
    const known = ENVIRONMENTS.find((name) => name === environment);
    return known ? [{ tenant: { teamId, environment: known }, userId }] : [];
  });
}
