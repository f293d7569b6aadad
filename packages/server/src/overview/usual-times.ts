import {
  isFinalStep,
  machines,
  MODALITIES,
  type OrderModality,
  type OrderStep,
} from '../ordering/orders/status.ts';

/**
 * How many days an order usually stays at a step at most. An order that stays longer needs a person. Every step that is
 * not final has a row. Steps that wait for a courier or a laboratory allow for a weekend.
 */
// prettier-ignore
const USUAL_DAYS: Readonly<Record<OrderModality, Readonly<Partial<Record<OrderStep, number>>>>> = {
  testkit: {
    ordered:                     1,
    awaiting_registration:       3,
    requisition_created:         3,
    requisition_bypassed:        3,
    testkit_registered:          2,
    transit_customer:            7,
    problem_in_transit_customer: 3,
    out_for_delivery:            2,
    with_customer:               21,
    transit_lab:                 7,
    problem_in_transit_lab:      3,
    delivered_to_lab:            7,
    lab_processing_blocked:      3,
  },
  walk_in_test: {
    ordered:                     1,
    requisition_created:         30,
    requisition_bypassed:        30,
    appointment_pending:         3,
    appointment_scheduled:       45,
    appointment_cancelled:       14,
    partial_results:             7,
  },
  at_home_phlebotomy: {
    ordered:                     1,
    requisition_created:         7,
    requisition_bypassed:        7,
    appointment_pending:         3,
    appointment_scheduled:       45,
    appointment_cancelled:       14,
    draw_completed:              7,
    partial_results:             7,
  },
  on_site_collection: {
    ordered:                     1,
    requisition_created:         30,
    requisition_bypassed:        30,
    draw_completed:              7,
    partial_results:             7,
  },
};

export interface StepTime {
  readonly modality: OrderModality;
  readonly step: OrderStep;
  readonly days: number;
}

/** The steps at which an order can wait too long. */
export const WAITING_STEPS: readonly StepTime[] = MODALITIES.flatMap((modality) =>
  (Object.keys(machines[modality]) as OrderStep[])
    .filter((step) => !isFinalStep(modality, step))
    .map((step) => ({ modality, step, days: usualDaysOf(modality, step) })),
);

function usualDaysOf(modality: OrderModality, step: OrderStep): number {
  const days = USUAL_DAYS[modality][step];
  if (days === undefined) throw new Error(`No usual time for ${modality}.${step}`);
  return days;
}
