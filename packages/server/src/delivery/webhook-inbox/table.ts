import type { Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { InboxAnswer, InboxVerification } from './schema.ts';

declare module '../../platform/db/database.ts' {
  interface Database {
    webhook_inbox: TenantColumns & {
      endpoint_id: string;
      token_digest: Buffer;
      answer: Generated<InboxAnswer>;
      created_at: Date;
    };
    webhook_inbox_request: TenantColumns & {
      id: string;
      received_at: Date;
      event_id: string | null;
      verification: InboxVerification;
      answer: InboxAnswer;
      size_bytes: number;
      head: Buffer;
      body: Buffer;
    };
  }
}
