import type { Generated } from 'kysely';
import type { AckCode, FrameDefect, LabFormat, OrderCharacterSet } from '../../adapters/lab-network/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { LabMessageStatus } from './status.ts';

export type LabTransport = 'mllp' | 'folder' | 'https';
export type LabMessageDirection = 'in' | 'out';

interface LabPartyColumns {
  lab_application: string;
  lab_facility: string;
  our_application: string;
  our_facility: string;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    lab_connection: TenantColumns &
      LabPartyColumns & {
        id: string;
        lab: string;
        name: string;
        inbound: LabTransport | 'none';
        outbound: Exclude<LabTransport, 'https'> | 'none';
        host: string | null;
        port: number | null;
        uses_tls: boolean;
        tls_material: Buffer | null;
        order_message: 'ORM_O01' | 'OML_O21';
        character_set: OrderCharacterSet;
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
      direction: LabMessageDirection;
      format: LabFormat;
      way: LabTransport;
      status: LabMessageStatus;
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
      /** When data of erased users were removed, and whether the whole body was. */
      redacted_at: Generated<Date | null>;
      redaction: Generated<'parts' | 'whole' | null>;
    };
    lab_unclaimed_message: LabPartyColumns & {
      id: string;
      way: LabTransport;
      remote_address: string;
      fingerprint: string | null;
      control_id: string;
      digest: Buffer;
      size_bytes: number;
      body: Buffer;
      reason: string;
      flaw: Generated<FrameDefect | null>;
      created_at: Date;
    };
  }
}
