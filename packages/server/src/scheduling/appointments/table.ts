import type { Generated } from 'kysely';
import type { SchedulingProviderName } from '../../adapters/scheduling/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { AppointmentEventState, AppointmentState, AppointmentType } from './status.ts';

/**
 * The pending action at the provider. `withdraw`: cancel a booking that was refused to the caller but may exist there.
 */
type ProviderAction = 'book' | 'request' | 'move' | 'confirm' | 'cancel' | 'withdraw';

declare module '../../platform/db/database.ts' {
  interface Database {
    appointment: TenantColumns & {
      id: string;
      number: Generated<number>;
      order_id: string;
      user_id: string;
      type: AppointmentType;
      provider: SchedulingProviderName;
      kind: 'slots' | 'request';
      status: AppointmentState;
      start_at: Date | null;
      end_at: Date | null;
      time_zone: string;
      provider_id: string | null;
      external_id: string | null;
      private: Buffer;
      wish: Buffer | null;
      until_requisition: boolean;
      request_key: Buffer | null;
      told_at: Date | null;
      confirm_by: Date | null;
      errand: ProviderAction | null;
      errand_until: Date | null;
      errand_tries: Generated<number>;
      errand_sent_at: Date | null;
      sequence: Generated<number>;
      created_at: Date;
      updated_at: Date;
    };
    appointment_event: TenantColumns & {
      appointment_id: string;
      id: Generated<number>;
      status: AppointmentEventState;
      data: Buffer | null;
      created_at: Date;
    };
    appointment_place: TenantColumns & {
      order_id: string;
      appointment_id: string;
      key_index: Buffer;
      site_index: Buffer;
      slot_index: Buffer;
      start_at: Date;
      taken_at: Date;
      kept_at: Date | null;
      freed_at: Date | null;
    };
  }
}
