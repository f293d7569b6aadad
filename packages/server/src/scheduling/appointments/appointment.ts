import type { Selectable } from 'kysely';
import type { ProviderVisit, VisitLocation } from '../../adapters/scheduling/port.ts';
import type { Database } from '../../platform/db/database.ts';
import type { AppointmentEventState } from './status.ts';
import './table.ts';

/** The sealed part of an appointment's row. */
export interface AppointmentPrivate {
  readonly place: VisitLocation;
  /** Null if the provider sets the time. */
  readonly slotId: string | null;
  readonly notes: string | null;
}

/** The target of a reschedule in progress. */
export interface RescheduleTarget extends AppointmentPrivate {
  readonly slotId: string;
  /** ISO 8601 timestamps. */
  readonly startAt: string;
  readonly endAt: string;
  /** The signature of the booking key, base64: the key of its row in `appointment_place`. */
  readonly keyIndex: string;
}

export interface AppointmentEvent {
  readonly status: AppointmentEventState;
  readonly data: Record<string, unknown> | null;
  readonly createdAt: Date;
}

export type AppointmentColumns = Selectable<Database['appointment']>;

/** An appointment as the domain uses it: the decrypted row with its events, oldest first. */
export interface Appointment extends Omit<AppointmentColumns, 'private' | 'wish'> {
  readonly private: AppointmentPrivate;
  readonly wish: RescheduleTarget | null;
  readonly events: readonly AppointmentEvent[];
}

/** The last known state at the provider; undefined before its first answer. */
export function lastProviderVisit(appointment: Appointment): ProviderVisit | undefined {
  if (appointment.provider_id === null) return undefined;
  return {
    providerId: appointment.provider_id,
    externalId: appointment.external_id,
    status: appointment.status,
    startAt: appointment.start_at,
    endAt: appointment.end_at,
    said: null,
  };
}
