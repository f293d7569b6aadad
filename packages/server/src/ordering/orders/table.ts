import type { ColumnType, Generated } from 'kysely';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { KitLeg, OrderModality, StatusDetail, OrderStep } from './status.ts';

export type OrderOriginValue = 'initial' | 'redraw' | 'recreation';
type OrderInterpretation = 'normal' | 'abnormal' | 'critical' | 'unknown';

/** A JSON column: written as text, read as a parsed value. */
type OrderJsonColumn = ColumnType<unknown, string | null, string | null>;

declare module '../../platform/db/database.ts' {
  interface Database {
    order_transaction: TenantColumns & { id: string; user_id: string; created_at: Date };
    lab_order: TenantColumns & {
      id: string;
      user_id: string;
      transaction_id: string;
      origin: OrderOriginValue;
      parent_id: string | null;
      modality: OrderModality;
      step: OrderStep;
      status_detail: StatusDetail | null;
      leg: KitLeg;
      registrable: boolean;
      registered_at: Date | null;
      lab_id: number;
      lab_slug: string;
      lab_account_id: string | null;
      lab_test_id: string;
      /** References `ordered_lab_test`. */
      ordered_test_id: string;
      sample_id: string | null;
      private: Buffer;
      /** References `order_name`. */
      patient_name_id: string | null;
      recipient_name_id: string | null;
      /** Whether the names in `private` are still to be indexed: for orders that are older than `order_name`. */
      names_due: Generated<boolean>;
      physician: OrderJsonColumn;
      shipment: OrderJsonColumn;
      priority: boolean;
      billing_type: string;
      icd_codes: string[] | null;
      activate_by: string | null;
      passthrough: string | null;
      health_insurance_id: string | null;
      abn_due: Generated<boolean>;
      interpretation: OrderInterpretation | null;
      has_missing_results: boolean | null;
      /** Null means the team's setting. */
      sms_enabled: boolean | null;
      waiting_reason: string | null;
      /** The newest appointment. Only part of the wire format; orders do not use it. */
      appointment_id: string | null;
      created_at: Date;
      updated_at: Date;
    };
    /** Snapshots of lab tests at the time of an order. */
    ordered_lab_test: TenantColumns & {
      /** The first half of a digest of the document. */
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
      /** In the order of the events; numbered over all tenants, so callers never see it. */
      id: Generated<number>;
      /** The id that callers see; null in events of earlier versions, whose `id` they see. */
      public_id: Generated<number | null>;
      step: OrderStep;
      status_detail: StatusDetail | null;
      created_at: Date;
    };
  }
}
