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
        /** The port of this connection alone; kept by a deleted connection until an operator frees it. */
        listener_port: number | null;
        /** Whether its parties are found on the shared port. Only operators set it. */
        shared_listener: Generated<boolean>;
        /** Whether messages must come with the names of the connection. */
        checks_parties: boolean;
        client_fingerprint: string | null;
        previous_client_fingerprint: Generated<string | null>;
        previous_client_fingerprint_until: Generated<Date | null>;
        time_zone: string;
        token_digest: Buffer | null;
        previous_token_digest: Generated<Buffer | null>;
        previous_token_until: Generated<Date | null>;
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
      /** When data of erased users, or the body of an old message, were removed; whether the whole body was. */
      redacted_at: Generated<Date | null>;
      redaction: Generated<'parts' | 'whole' | 'expired' | null>;
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
      /** The connection whose port or names it came by. */
      connection_id: Generated<string | null>;
      flaw: Generated<FrameDefect | null>;
      created_at: Date;
    };
  }
}
