import type { ColumnType, Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Leg, Modality, StatusDetail, Step } from './status.ts';

export type Origin = 'initial' | 'redraw' | 'recreation';
export type Interpretation = 'normal' | 'abnormal' | 'critical' | 'unknown';

/** A JSON column: documents are written as text and read as what they are. */
type Json = ColumnType<unknown, string | null, string | null>;

declare module '../../platform/db/database.ts' {
  interface Database {
    order_transaction: TenantColumns & { id: string; user_id: string; created_at: Date };
    lab_order: TenantColumns & {
      id: string;
      user_id: string;
      transaction_id: string;
      origin: Origin;
      parent_id: string | null;
      modality: Modality;
      step: Step;
      status_detail: StatusDetail | null;
      leg: Leg;
      registrable: boolean;
      registered_at: Date | null;
      lab_id: number;
      lab_slug: string;
      lab_account_id: string | null;
      lab_test_id: string;
      /** Of `ordered_lab_test`. */
      ordered_test_id: string;
      sample_id: string | null;
      private: Buffer;
      /** Of `order_name`. */
      patient_name_id: string | null;
      recipient_name_id: string | null;
      /** The names are in `private` and not indexed yet: an order that is older than `order_name`. */
      names_due: Generated<boolean>;
      physician: Json;
      shipment: Json;
      priority: boolean;
      billing_type: string;
      icd_codes: string[] | null;
      activate_by: string | null;
      passthrough: string | null;
      health_insurance_id: string | null;
      abn_due: Generated<boolean>;
      interpretation: Interpretation | null;
      has_missing_results: boolean | null;
      /** Null is as the team has it. */
      sms_enabled: boolean | null;
      waiting_reason: string | null;
      /** The newest one; a fact of the wire contract, which the order does not look into. */
      appointment_id: string | null;
      created_at: Date;
      updated_at: Date;
    };
    /** Lab tests as they were when they were ordered. */
    ordered_lab_test: TenantColumns & {
      /** Half a digest of the document. */
      id: string;
      document: ColumnType<object, string, never>;
      created_at: Date;
    };
    order_name: TenantColumns & {
      /** A keyed digest of the name. */
      id: string;
      name: Buffer;
      /** 64-bit integers in decimal. */
      begins: ColumnType<string[], string[], never>;
      ends: ColumnType<string[], string[], never>;
      rank: ColumnType<number | null, never, number>;
      created_at: Date;
    };
    lab_order_event: TenantColumns & {
      order_id: string;
      id: Generated<number>;
      step: Step;
      status_detail: StatusDetail | null;
      created_at: Date;
    };
  }
}
