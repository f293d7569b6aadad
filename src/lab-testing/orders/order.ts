import { z } from 'zod';
import type { Selectable } from 'kysely';
import type { PatientAddress, PatientDetails, ShippingAddress } from '../../people/schema.ts';
import { isoMoment, latest } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import type { Subject } from '../../events/events.ts';
import { isRequisition, type Facts, type Modality, type StatusDetail, type Step } from './status.ts';
import type { Origin } from './table.ts';

/** What is sealed in an order's row: who the patient is, where, and what was said about them. */
export interface OrderPrivate {
  readonly patient: PatientDetails | null;
  readonly address: PatientAddress | null;
  readonly shipping: ShippingAddress | null;
  readonly clinicalNotes: string | null;
  readonly aoeAnswers: readonly { marker_id: number; question_id: number; answer: string }[];
  /** Why the order replaced another one, as the caller said it. */
  readonly updateReason?: string | null;
  readonly consents: readonly { consentType: string; version: string; timeOfConsent: string }[];
}

export interface OrderEvent {
  readonly id: number;
  readonly step: Step;
  readonly status_detail: StatusDetail | null;
  readonly created_at: Date;
}

/** An order of the same transaction, as far as the transaction tells of it. */
export interface Sibling {
  readonly id: string;
  readonly modality: Modality;
  readonly step: Step;
  readonly step_at: Date;
  readonly origin: Origin;
  readonly parent_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The row without what only lists and searches look at. */
export type OrderRow = Omit<
  Selectable<Database['lab_order']>,
  'patient_name_id' | 'recipient_name_id' | 'names_due'
>;

/** An order as it is worked with: its row, opened, with its events and its siblings. */
export interface Order extends Omit<OrderRow, 'private'> {
  /** As it was when it was ordered. */
  readonly lab_test: unknown;
  readonly private: OrderPrivate;
  readonly events: readonly OrderEvent[];
  readonly siblings: readonly Sibling[];
  readonly client_user_id: string;
  /** Where its requisition is, once there is one. */
  readonly requisition_url: string;
}

/** What of an order its results tell: without what was ordered, which is long. */
export type OrderHead = Pick<Order, (typeof HEAD)[number] | 'private' | 'events' | 'siblings'>;

// prettier-ignore
export const HEAD = [
  'id', 'user_id', 'transaction_id', 'sample_id', 'lab_slug', 'lab_account_id', 'physician',
] as const satisfies readonly (keyof OrderRow)[];

export const factsOf = (order: Order): Facts => ({
  modality: order.modality,
  step: order.step,
  leg: order.leg,
  registrable: order.registrable,
  registered: order.registered_at !== null,
  hasRequisition: order.events.some(({ step }) => isRequisition(step)),
});

export const requisitionUrl = ({ publicUrl }: Work, id: string): string =>
  `${publicUrl}/v3/order/${id}/requisition/pdf`;

/**
 * The moment of what happens to an order now: not before what happened to it last, though a clock may have been set
 * back, or another node's be ahead, or who changed it last have begun later than this work.
 */
export const momentFor = (
  { updated_at: changed, events }: Pick<Order, 'updated_at' | 'events'>,
  now: Date,
): Date => latest(latest(now, changed), events.at(-1)?.created_at ?? now);

export const subjectOfOrder = (order: Order): Subject => ({
  userId: order.user_id,
  clientUserId: order.client_user_id,
});

/** The markers that were ordered, as far as the domain looks into the snapshot of the lab test. */
export const OrderedTest = z.object({
  name: z.string(),
  lab: z.object({ name: z.string(), slug: z.string() }).nullable(),
  markers: z
    .array(
      z.object({ id: z.number(), name: z.string(), slug: z.string(), provider_id: z.string().nullish() }),
    )
    .nullable(),
});

/** A consent without a moment was given with the request that carries it. */
export const datedConsents = (
  now: Date,
  consents: readonly { consentType: string; version: string; timeOfConsent?: string | undefined }[],
): OrderPrivate['consents'] =>
  consents.map((consent) => ({ ...consent, timeOfConsent: consent.timeOfConsent ?? isoMoment(now) }));
