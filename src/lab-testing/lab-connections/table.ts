import type { Generated } from 'kysely';
import type { AckCode, Flaw, LabFormat } from '../../adapters/lab-network/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { MessageStatus } from './status.ts';

export type Way = 'mllp' | 'folder' | 'https';
export type Direction = 'in' | 'out';

interface PartyColumns {
  lab_application: string;
  lab_facility: string;
  our_application: string;
  our_facility: string;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_connection: TenantColumns &
      PartyColumns & {
        id: string;
        lab: string;
        name: string;
        inbound: Way | 'none';
        outbound: Exclude<Way, 'https'> | 'none';
        host: string | null;
        port: number | null;
        uses_tls: boolean;
        tls_material: Buffer | null;
        order_message: 'ORM_O01' | 'OML_O21';
        account_number: string | null;
        client_fingerprint: string | null;
        time_zone: string;
        token_digest: Buffer | null;
        enabled: boolean;
        created_at: Date;
        updated_at: Date;
        deleted_at: Date | null;
      };
    lab_message: TenantColumns & {
      id: string;
      connection_id: string;
      direction: Direction;
      format: LabFormat;
      way: Way;
      status: MessageStatus;
      control_id: string;
      message_type: string;
      digest: Buffer;
      size_bytes: number;
      body: Buffer;
      reason: string | null;
      answer: AckCode | null;
      attempts: Generated<number>;
      due_at: Date | null;
      order_id: string | null;
      kind: 'new' | 'cancel' | null;
      placer: string | null;
      created_at: Date;
      done_at: Date | null;
      /** When it lost what it said of users who were erased, and whether that was all of it. */
      redacted_at: Generated<Date | null>;
      redaction: Generated<'parts' | 'whole' | null>;
    };
    lab_unclaimed_message: PartyColumns & {
      id: string;
      way: Way;
      remote_address: string;
      fingerprint: string | null;
      control_id: string;
      digest: Buffer;
      size_bytes: number;
      body: Buffer;
      reason: string;
      flaw: Generated<Flaw | null>;
      created_at: Date;
    };
  }
}
