import type { Environment } from '../../platform/tenant.ts';

/** One test asked of the laboratory, with what it is expected to report. */
export interface RequestedTest {
  readonly markerId: number;
  readonly providerId: string | null;
  readonly name: string;
  readonly slug: string;
  readonly expected: readonly ExpectedResult[];
}

export interface ExpectedResult {
  readonly name: string;
  readonly slug: string;
  readonly loinc: string | null;
  readonly loincSlug: string | null;
  readonly providerId: string | null;
  readonly unit: string | null;
  readonly kind: 'numeric' | 'coded' | 'text';
  readonly decimals: number;
  /** Usual bounds for an adult, both included; null where there is none. */
  readonly low: number | null;
  readonly high: number | null;
  /** The range as the laboratory prints it, with its bounds as they are: `<5.7`, `1-10`. */
  readonly rangeText: string | null;
  readonly criticalLow: number | null;
  readonly criticalHigh: number | null;
  /** The usual answer of a coded or text result. */
  readonly normalText: string | null;
  readonly abnormalText: string | null;
}

export interface Requisition {
  readonly orderId: string;
  /** The laboratory's slug, as `labcorp`. */
  readonly lab: string;
  readonly accountNumber: string | null;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly dob: string;
    readonly gender: string;
  };
  readonly tests: readonly RequestedTest[];
  /** Who orders it: the team's own physician or one of the service's; none in a sandbox that has none. */
  readonly physician?: { readonly firstName: string; readonly lastName: string; readonly npi: string };
  readonly clinicalNotes: string | null;
  readonly priority: boolean;
}

/** What a sandbox may wish of the report; a real laboratory does not look at it. */
export interface ReportWish {
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly resultTypes: readonly ('numeric' | 'range' | 'comment' | 'coded_value')[] | null;
  readonly hasMissingResults: boolean;
  readonly status: 'partial' | 'final' | 'corrected';
}

export interface PlacedRequisition extends Requisition {
  readonly sampleId: string;
  readonly collectedAt: Date;
  readonly receivedAt: Date;
  readonly reportedAt: Date;
  readonly wish?: ReportWish;
}

export interface ReportedResult {
  readonly expected: ExpectedResult;
  readonly markerId: number;
  readonly type: 'numeric' | 'range' | 'comment' | 'coded_value';
  /** As printed, for example `<1.2`. */
  readonly result: string;
  /** -1 where the result is not a number, as the wire contract has it. */
  readonly value: number;
  readonly unit: string | null;
  readonly referenceRange: string | null;
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly notes: string | null;
}

export interface MissingResult {
  readonly expected: ExpectedResult;
  readonly markerId: number;
  readonly failureType: string;
  readonly note: string;
}

export interface LabReport {
  readonly status: 'partial' | 'final' | 'corrected';
  readonly reportedAt: Date;
  readonly laboratory: string;
  readonly clia: string | null;
  readonly results: readonly ReportedResult[];
  readonly missing: readonly MissingResult[];
}

/** What we ask of a laboratory network. It never calls us: it answers, and we come back to look. */
export interface LabNetwork {
  /** Asking twice with the same `orderId` places one requisition and returns the same `sampleId`. */
  requestTests(requisition: Requisition): Promise<{ sampleId: string }>;
  /** Takes a requisition back. What was never asked, or taken back before, is no failure: nothing happens. */
  withdrawTests(requisition: Pick<Requisition, 'orderId' | 'lab'>): Promise<void>;
  /** Every report of this requisition that the laboratory has given until `reportedAt`, oldest first. */
  reports(placed: PlacedRequisition): Promise<readonly LabReport[]>;
}

/** The network that serves an environment; none where no laboratory is connected yet. */
export type LabNetworks = Readonly<Record<Environment, LabNetwork | undefined>>;
