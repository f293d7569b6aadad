import type { Generated } from 'kysely';
import type { Broker } from '../../adapters/event-destination/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { DestinationKind, BrokerRole } from './preferences.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    event_pipeline: TenantColumns & {
      push_historical_data: boolean;
      provider_raw_data: boolean;
      preferred: DestinationKind;
      enabled: DestinationKind[];
      event_type_prefixes: string[] | null;
      rabbitmq: Buffer | null;
      nats: Buffer | null;
      revision: Generated<number>;
      created_at: Date;
      updated_at: Date;
    };
    event_destination: TenantColumns & {
      id: string;
      broker: Broker;
      role: BrokerRole | 'removed';
      leased_until: Date | null;
      tried_at: Date | null;
      failures: Generated<number>;
      retry_at: Date | null;
      failing_since: Date | null;
      last_success_at: Date | null;
      last_failure_at: Date | null;
      last_error: string | null;
      handed_over_to: Generated<number>;
      hands_on_up_to: number | null;
      created_at: Date;
    };
    pipeline_delivery: TenantColumns & {
      destination_id: string;
      event_id: string;
      position: number;
      attempts: Generated<number>;
      due_wall: Date;
      last_error: string | null;
    };
  }
}
