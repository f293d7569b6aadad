import { z } from 'zod';
import type { Selectable } from 'kysely';
import type { PatientAddress, PatientDetails, ShippingAddress } from '../../people/schema.ts';
import { isoTimestamp, latest } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import type { EventSubject } from '../../events/events.ts';
import {
  isRequisitionStep,
  type OrderFacts,
  type OrderModality,
  type StatusDetail,
  type OrderStep,
} from './status.ts';
import type { OrderOriginValue } from './table.ts';

/** The sealed part of an order: personal and health data of the patient. */
export interface OrderPrivate {
  readonly patient: PatientDetails | null;
  readonly address: PatientAddress | null;
  readonly shipping: ShippingAddress | null;
  readonly clinicalNotes: string | null;
  readonly aoeAnswers: readonly { marker_id: number; question_id: number; answer: string }[];
  /** The caller's reason for replacing another order. */
  readonly updateReason?: string | null;
  readonly consents: readonly { consentType: string; version: string; timeOfConsent: string }[];
}

export interface OrderEvent {
  readonly id: number;
  readonly step: OrderStep;
  readonly status_detail: StatusDetail | null;
  readonly created_at: Date;
}

/** An order of the same transaction, with the fields that the transaction view shows. */
export interface SiblingOrder {
  readonly id: string;
  readonly modality: OrderModality;
  readonly step: OrderStep;
  readonly step_at: Date;
  readonly origin: OrderOriginValue;
  readonly parent_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The row without the columns that only lists and searches use. */
export type OrderRow = Omit<
  Selectable<Database['lab_order']>,
  'patient_name_id' | 'recipient_name_id' | 'names_due'
>;

/** An order as the domain uses it: the decrypted row with its events and siblings. */
export interface Order extends Omit<OrderRow, 'private'> {
  /** Snapshot of the lab test at the time of the order. */
  readonly lab_test: unknown;
  readonly private: OrderPrivate;
  readonly events: readonly OrderEvent[];
  readonly siblings: readonly SiblingOrder[];
  readonly client_user_id: string;
  /** URL of the requisition; valid once there is one. */
  readonly requisition_url: string;
}

/** The part of an order that results show. Leaves out the lab test snapshot, which is large. */
export type OrderHead = Pick<Order, (typeof ORDER_HEAD_COLUMNS)[number] | 'private' | 'events' | 'siblings'>;

// prettier-ignore
export const ORDER_HEAD_COLUMNS = [
  'id', 'user_id', 'transaction_id', 'sample_id', 'lab_slug', 'lab_account_id', 'physician',
] as const satisfies readonly (keyof OrderRow)[];

export const factsOf = (order: Order): OrderFacts => ({
  modality: order.modality,
  step: order.step,
  leg: order.leg,
  registrable: order.registrable,
  registered: order.registered_at !== null,
  hasRequisition: order.events.some(({ step }) => isRequisitionStep(step)),
});

export const requisitionUrl = ({ publicUrl }: Work, id: string): string =>
  `${publicUrl}/v3/order/${id}/requisition/pdf`;

/**
 * The timestamp for a change that happens now, never earlier than the order's last change. Without this, timestamps
 * could run backwards: clocks are set back, differ between nodes, and transactions do not commit in start order.
 */
export const nextTimestamp = (
  { updated_at: changed, events }: Pick<Order, 'updated_at' | 'events'>,
  now: Date,
): Date => latest(latest(now, changed), events.at(-1)?.created_at ?? now);

export const subjectOfOrder = (order: Order): EventSubject => ({
  userId: order.user_id,
  clientUserId: order.client_user_id,
});

/** The fields of the lab test snapshot that the domain reads. */
export const OrderedTest = z.object({
  name: z.string(),
  lab: z.object({ name: z.string(), slug: z.string() }).nullable(),
  markers: z
    .array(
      z.object({ id: z.number(), name: z.string(), slug: z.string(), provider_id: z.string().nullish() }),
    )
    .nullable(),
});

/** Consents without a timestamp were given at the time of the request. */
export const dateConsents = (
  now: Date,
  consents: readonly { consentType: string; version: string; timeOfConsent?: string | undefined }[],
): OrderPrivate['consents'] =>
  consents.map((consent) => ({ ...consent, timeOfConsent: consent.timeOfConsent ?? isoTimestamp(now) }));
