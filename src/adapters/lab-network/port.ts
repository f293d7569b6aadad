import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { RequisitionName } from './wire.ts';

export type { Origin, ReceivedObservation, ReceivedPatient, ReceivedReport, TestNote } from './received.ts';
export { UnreadableMessage } from './wire.ts';
export type {
  AckCode,
  Flaw,
  HeardFrame,
  LabAnswer,
  LabFormat,
  LabOutbox,
  LabWire,
  MessageHead,
  MllpTarget,
  OutgoingOrder,
  Parties,
  ReadingAt,
  RequisitionName,
  TlsMaterial,
} from './wire.ts';

/** One test asked of the laboratory, with what it is expected to report. */
export interface RequestedTest {
  readonly markerId: number;
  readonly providerId: string | null;
  readonly name: string;
  readonly slug: string;
  readonly expected: readonly ExpectedResult[];
  /** What was answered at order entry, by the laboratory's code of the question. */
  readonly answers?: readonly { readonly code: string; readonly question: string; readonly answer: string }[];
}

/** What is measured, by each of its names. */
export interface Analyte {
  readonly name: string;
  readonly slug: string;
  readonly loinc: string | null;
  readonly loincSlug: string | null;
  /** The laboratory's own code. */
  readonly providerId: string | null;
}

export interface ExpectedResult extends Analyte {
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
  /** False for what the laboratory reports only sometimes: when it does not come, nothing is missing. */
  readonly required?: boolean;
  /** The usual answer of a coded or text result. */
  readonly normalText: string | null;
  readonly abnormalText: string | null;
}

export interface RequisitionAddress {
  readonly firstLine: string;
  readonly secondLine: string | null;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly country: string;
}

export interface RequisitionInsurance {
  readonly payorCode: string;
  readonly company: string;
  readonly memberId: string;
  readonly groupId: string | null;
  /** Of the insured to the patient: Self, Spouse, Other. */
  readonly relationship: string;
  readonly insured: { readonly firstName: string; readonly lastName: string; readonly dob: string };
}

export interface Requisition {
  /** Whose order: connections with laboratories are a tenant's. */
  readonly tenant: Tenant;
  readonly orderId: string;
  /** The laboratory's slug, as `labcorp`. */
  readonly lab: string;
  readonly accountNumber: string | null;
  /** The specimen's own, where it has one before the laboratory is asked: a registered kit. */
  readonly sampleId?: string | null;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly dob: string;
    readonly gender: string;
    /** Our id of the person. */
    readonly id?: string;
    readonly phone?: string | null;
    readonly address?: RequisitionAddress | null;
  };
  /** The primary insurance that pays; none where none does. */
  readonly insurance?: RequisitionInsurance | null;
  /** ICD-10-CM. */
  readonly icdCodes?: readonly string[] | null;
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

export type Interpretation = 'normal' | 'abnormal' | 'critical' | 'unknown';

/** Bounds of a reference range as they were read; a bound that is inside belongs to the range. */
export interface RangeBounds {
  readonly min: number | null;
  readonly minInside: boolean;
  readonly max: number | null;
  readonly maxInside: boolean;
}

/** A report is kept as JSON for years: what is optional here is not in reports that were kept before it was added. */
export interface ReportedResult {
  /** Of the catalogue; made from the report itself where it tells of what was not asked (a reflex test). */
  readonly expected: Analyte;
  /** The ordered marker that it answers; null where the report does not say which. */
  readonly markerId: number | null;
  /** All ordered markers that it answers, where there are several: glucose of two panels. */
  readonly markerIds?: readonly number[];
  readonly type: 'numeric' | 'range' | 'comment' | 'coded_value';
  /** As printed, for example `<1.2`. */
  readonly result: string;
  /** -1 where the result is not a number, as the wire contract has it. */
  readonly value: number;
  /** As printed. */
  readonly unit: string | null;
  /** The unit in UCUM; null where it is not one. */
  readonly ucum?: string | null;
  /** The unit is not that of the catalogue; nothing was converted. */
  readonly unitDiffers?: boolean;
  /** As printed. */
  readonly referenceRange: string | null;
  /** The part of the reference range that is this patient's; null where it has no bounds. */
  readonly bounds?: RangeBounds | null;
  readonly isAbove?: boolean | null;
  readonly isBelow?: boolean | null;
  readonly interpretation: Interpretation;
  /** What the laboratory's own flags say; null where it set none that says it. */
  readonly sourceInterpretation?: Interpretation | null;
  /** HL7 table 0078, as they came. */
  readonly flags?: readonly string[];
  readonly status?: 'final' | 'preliminary' | 'corrected';
  readonly notes: string | null;
  readonly performingLaboratory?: string | null;
  /** An ISO moment. */
  readonly observedAt?: string | null;
}

export interface MissingResult {
  readonly expected: Analyte;
  readonly markerId: number;
  readonly markerIds?: readonly number[];
  readonly failureType: string;
  /** The laboratory's words; null where it gave none. */
  readonly note: string | null;
}

export interface LabReport {
  readonly status: 'partial' | 'final' | 'corrected';
  readonly reportedAt: Date;
  readonly laboratory: string;
  readonly clia: string | null;
  readonly results: readonly ReportedResult[];
  readonly missing: readonly MissingResult[];
  /** ISO moments, where the laboratory tells them. */
  readonly collectedAt?: string | null;
  readonly receivedAt?: string | null;
  /** About the whole report. */
  readonly notes?: readonly string[];
}

/** What we ask of a laboratory network. It never calls us: it answers, and we come back to look. A laboratory that sends of its own accord is heard by LabWire. */
export interface LabNetwork {
  /** Asking twice with the same `orderId` places one requisition and returns the same `sampleId`. */
  requestTests(requisition: Requisition): Promise<{ sampleId: string }>;
  /**
   * Takes a requisition back. What was never asked, or taken back before, is no failure: nothing happens. Throws a
   * DomainError of kind `conflict` where the laboratory has heard of it and refuses.
   */
  withdrawTests(requisition: RequisitionName): Promise<void>;
  /** Every report of this requisition that the laboratory has given until `reportedAt`, oldest first. */
  reports(placed: PlacedRequisition): Promise<readonly LabReport[]>;
}

/** The network that serves an environment; none where no laboratory is connected yet. */
export type LabNetworks = Readonly<Record<Environment, LabNetwork | undefined>>;
