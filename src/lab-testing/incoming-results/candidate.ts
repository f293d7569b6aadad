import type { Modality, Step } from '../orders/status.ts';

export type Confidence = 'high' | 'medium' | 'low';

/** An order that a report may belong to, as it is kept with the report. */
export interface StoredCandidate {
  /** `provenance_order` is what the report itself names; `order_option` was found by the patient's demographics. */
  readonly type: 'provenance_order' | 'order_option';
  readonly order_id: string;
  readonly order_transaction_id: string;
  readonly user_id: string;
  readonly confidence: Confidence;
  /** 0 to 100. */
  readonly score: number;
  readonly reasons: readonly string[];
  readonly overlap: Overlap;
  readonly modality: Modality;
  /** Where the order stood when the report came, and what hindered it from being taken. */
  readonly step: Step;
  readonly hindrance: Hindrance | null;
}

/** How much of what was ordered the report answers. */
export interface Overlap {
  readonly ordered: number;
  readonly reported: number;
  readonly shared: number;
}

/** Why an order cannot take a report by itself. */
export type Hindrance = 'cancelled' | 'over' | 'wrong_lab' | 'wrong_collection' | 'not_registered';
