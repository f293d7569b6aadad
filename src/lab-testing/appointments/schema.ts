import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';

const Moment = z.iso.datetime({ offset: true });

export const AppointmentType = z
  .enum(['phlebotomy', 'patient_service_center'])
  .meta({ id: 'AppointmentType' });

/** Who sees the patient. */
export const AppointmentProvider = openList(['getlabs', 'phlebfinders', 'quest', 'sonora_quest']).meta({
  id: 'AppointmentProvider',
});

export const AppointmentStatus = z
  .enum(['confirmed', 'pending', 'reserved', 'in_progress', 'completed', 'cancelled'])
  .meta({ id: 'AppointmentStatus' });

export const AppointmentEventStatus = z
  .enum(['pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress'])
  .meta({ id: 'AppointmentEventStatus' });

const AppointmentAddress = z
  .object({
    first_line: z.string(),
    second_line: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip_code: z.string().describe('Five digits, or nine as ZIP+4.'),
    unit: z.string().nullable().meta({ deprecated: true }),
    access_notes: z.string().nullable(),
  })
  .meta({ id: 'USAddress' });

const Location = z
  .object({ lng: z.number().min(-180).max(180), lat: z.number().min(-90).max(90) })
  .meta({ id: 'LngLat' });

/** What the provider said with a change, in its own words. */
const Particulars = z.record(z.string(), z.unknown()).nullable();

const AppointmentEventView = z
  .object({ created_at: Moment, status: AppointmentEventStatus, data: Particulars })
  .meta({ id: 'ClientFacingAppointmentEvent' });

export const AppointmentView = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    order_id: z.guid(),
    order_transaction_id: z.guid().nullable(),
    type: AppointmentType,
    status: AppointmentStatus,
    start_at: Moment.nullable(),
    end_at: Moment.nullable(),
    iana_timezone: z.string().nullable().describe('Of the place.'),
    address: AppointmentAddress,
    location: Location,
    provider: AppointmentProvider,
    provider_id: z.string().describe('The appointment, as the provider calls it.'),
    external_id: z.string().nullable(),
    can_reschedule: z.boolean(),
    appointment_notes: z.string().max(1000).nullable(),
    event_status: AppointmentEventStatus.describe('That of the last event.'),
    event_data: Particulars,
    events: z.array(AppointmentEventView).describe('Oldest first.'),
  })
  .meta({ id: 'ClientFacingAppointment' });
export type AppointmentView = z.output<typeof AppointmentView>;
