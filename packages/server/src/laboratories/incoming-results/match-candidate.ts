import type { OrderModality, OrderStep } from '../../ordering/orders/status.ts';

type MatchConfidence = 'high' | 'medium' | 'low';

/** An order that a report may belong to, as stored with the report. */
export interface StoredMatchCandidate {
  /** `provenance_order`: the report contains its id. `order_option`: found by the patient's demographics. */
  readonly type: 'provenance_order' | 'order_option';
  readonly order_id: string;
  readonly order_transaction_id: string;
  readonly user_id: string;
  readonly confidence: MatchConfidence;
  /** 0 to 100. */
  readonly score: number;
  readonly reasons: readonly string[];
  readonly overlap: TestOverlap;
  readonly modality: OrderModality;
  /** The step of the order when the report arrived, and why the order could not accept it. */
  readonly step: OrderStep;
  readonly hindrance: MatchHindrance | null;
}

/** How many of the ordered tests the report contains. */
export interface TestOverlap {
  readonly ordered: number;
  readonly reported: number;
  readonly shared: number;
}

/** Why an order cannot accept a report automatically. */
export type MatchHindrance = 'cancelled' | 'over' | 'wrong_lab' | 'wrong_collection' | 'not_registered';
