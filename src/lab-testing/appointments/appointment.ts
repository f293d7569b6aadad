import type { Selectable } from 'kysely';
import type { ProviderVisit, VisitPlace } from '../../adapters/scheduling/port.ts';
import type { Database } from '../../platform/db/database.ts';
import type { AppointmentEventState } from './status.ts';
import './table.ts';

/** What is sealed in an appointment's row. */
export interface AppointmentPrivate {
  readonly place: VisitPlace;
  /** Null where the provider sets the time. */
  readonly slotId: string | null;
  readonly notes: string | null;
}

/** Where a visit that is being moved is to go. */
export interface MoveWish extends AppointmentPrivate {
  readonly slotId: string;
  /** ISO moments. */
  readonly startAt: string;
  readonly endAt: string;
  /** The digest of the booking key, base64: its row in the ledger. */
  readonly keyIndex: string;
}

export interface AppointmentEvent {
  readonly status: AppointmentEventState;
  readonly data: Record<string, unknown> | null;
  readonly createdAt: Date;
}

export type AppointmentColumns = Selectable<Database['appointment']>;

/** An appointment as it is worked with: its row, opened, with its events, oldest first. */
export interface Appointment extends Omit<AppointmentColumns, 'private' | 'wish'> {
  readonly private: AppointmentPrivate;
  readonly wish: MoveWish | null;
  readonly events: readonly AppointmentEvent[];
}

/** What the provider answered last, as far as it answered. */
export function lastAnswer(appointment: Appointment): ProviderVisit | undefined {
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
