import type { Environment, Tenant } from '../../platform/tenant.ts';
import type { MessageParties, RequisitionReference } from './protocol.ts';

export type {
  CancelledTest,
  ObservationOrigin,
  ReceivedDocument,
  ReceivedObservation,
  ReceivedPatient,
  ReceivedReport,
  ReportTiming,
  TestNote,
} from './received.ts';
export { hasCheckDigit } from './loinc-code.ts';
export { ORDER_CHARACTER_SETS, UnreadableMessageError } from './protocol.ts';
export type {
  AckCode,
  FrameDefect,
  ReceivedFrame,
  ReceivedAcknowledgement,
  LabFormat,
  LabOutbox,
  LabProtocol,
  MessageHead,
  MllpListener,
  MllpListenOptions,
  MllpTarget,
  OrderCharacterSet,
  OutgoingOrder,
  MessageParties,
  ReportReadContext,
  RequisitionReference,
  TlsMaterial,
} from './protocol.ts';

/** One test requested from the laboratory, with its expected results. */
export interface RequestedTest {
  readonly markerId: number;
  readonly providerId: string | null;
  readonly name: string;
  readonly slug: string;
  readonly expected: readonly ExpectedResult[];
  /** Answers at order entry, with the laboratory's code of each question. */
  readonly answers?: readonly { readonly code: string; readonly question: string; readonly answer: string }[];
}

/** A measured quantity, with all its names. */
export interface LabAnalyte {
  readonly name: string;
  readonly slug: string;
  readonly loinc: string | null;
  readonly loincSlug: string | null;
  /** The laboratory's own code. */
  readonly providerId: string | null;
}

export interface ExpectedResult extends LabAnalyte {
  readonly unit: string | null;
  readonly kind: 'numeric' | 'coded' | 'text';
  readonly decimals: number;
  /** Reference bounds for an adult, inclusive; null if unbounded. */
  readonly low: number | null;
  readonly high: number | null;
  /** The range as the laboratory prints it: `<5.7`, `1-10`. */
  readonly rangeText: string | null;
  readonly criticalLow: number | null;
  readonly criticalHigh: number | null;
  /** False for optional results: their absence is not a missing result. */
  readonly required?: boolean;
  /** The normal value of a coded or text result. */
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
  /** Relationship of the insured to the patient: Self, Spouse, Other. */
  readonly relationship: string;
  readonly insured: { readonly firstName: string; readonly lastName: string; readonly dob: string };
}

/** What a report has to say of the laboratory that performed it; null where unknown. */
export interface LaboratoryIdentity {
  /** The CLIA number, as `05D0642827`. */
  readonly clia: string | null;
  /** The name of the laboratory director. */
  readonly director: string | null;
}

export interface Requisition {
  /** The owner of the order; laboratory connections belong to a tenant. */
  readonly tenant: Tenant;
  readonly orderId: string;
  /** The laboratory's slug, for example `labcorp`. */
  readonly lab: string;
  /** The laboratory as the catalog knows it. */
  readonly laboratory?: LaboratoryIdentity;
  readonly accountNumber: string | null;
  /** Set if the specimen already has an id before the request: a registered kit. */
  readonly sampleId?: string | null;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly dob: string;
    readonly gender: string;
    /** Our id of the patient. */
    readonly id?: string;
    readonly phone?: string | null;
    readonly address?: RequisitionAddress | null;
  };
  /** The primary insurance, if it pays. */
  readonly insurance?: RequisitionInsurance | null;
  /** ICD-10-CM. */
  readonly icdCodes?: readonly string[] | null;
  readonly tests: readonly RequestedTest[];
  /** The ordering physician: the team's own or the service's; absent in a sandbox without one. */
  readonly physician?: { readonly firstName: string; readonly lastName: string; readonly npi: string };
  readonly clinicalNotes: string | null;
  readonly priority: boolean;
}

/** What a simulated report should contain; real laboratories ignore it. */
/** A fictional person whose values follow each other over time: the same seed and day give the same values. */
export interface SimulatedPerson {
  readonly seed: string;
  /** Days since the first draw. */
  readonly day: number;
}

export interface SimulatedReportRequest {
  readonly interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly resultTypes: readonly ('numeric' | 'range' | 'comment' | 'coded_value')[] | null;
  readonly hasMissingResults: boolean;
  readonly status: 'partial' | 'final' | 'corrected';
  /** Default: a new person for each order. */
  readonly person?: SimulatedPerson | null;
}

export interface PlacedRequisition extends Requisition {
  readonly sampleId: string;
  readonly collectedAt: Date;
  readonly receivedAt: Date;
  readonly reportedAt: Date;
  readonly wish?: SimulatedReportRequest;
}

export type LabInterpretation = 'normal' | 'abnormal' | 'critical' | 'unknown';

/** Parsed bounds of a reference range; `inside` marks inclusive bounds. */
export interface RangeBounds {
  readonly min: number | null;
  readonly minInside: boolean;
  readonly max: number | null;
  readonly maxInside: boolean;
}

/** An isolate of a culture, or the susceptibility of one to the drug that the result is named after. */
export interface MicrobiologyFinding {
  /** The laboratory's number of the isolate in this report. */
  readonly isolate: string | null;
  /** Null for a susceptibility of which the report does not say whose it is. */
  readonly organism: string | null;
  /** The SNOMED CT code of the organism. */
  readonly snomed: string | null;
  /** `S`, `I`, `R`, `SDD` or `NS`; null for the isolate itself. */
  readonly susceptibility: string | null;
  readonly method: string | null;
}

/** Reports are stored as JSON for years: optional fields are missing in reports from before they were added. */
export interface ReportedResult {
  /** From the catalog; created from the report itself for results that were not ordered (a reflex test). */
  readonly expected: LabAnalyte;
  /** The ordered marker that it belongs to; null if the report does not say. */
  readonly markerId: number | null;
  /** All ordered markers that it belongs to, if several: glucose in two panels. */
  readonly markerIds?: readonly number[];
  readonly type: 'numeric' | 'range' | 'comment' | 'coded_value';
  /** As printed, for example `<1.2`. */
  readonly result: string;
  /** -1 if the result is not a number, as the interface defines. */
  readonly value: number;
  /** As printed. */
  readonly unit: string | null;
  /** The unit in UCUM; null if it has no UCUM equivalent. */
  readonly ucum?: string | null;
  /** The unit differs from the catalog's; the value is not converted. */
  readonly unitDiffers?: boolean;
  /** As printed. */
  readonly referenceRange: string | null;
  /** The part of the reference range that applies to this patient; null without bounds. */
  readonly bounds?: RangeBounds | null;
  readonly isAbove?: boolean | null;
  readonly isBelow?: boolean | null;
  readonly interpretation: LabInterpretation;
  /** The interpretation by the laboratory's flags; null if they do not give one. */
  readonly sourceInterpretation?: LabInterpretation | null;
  /** Codes of HL7 table 0078, as received. */
  readonly flags?: readonly string[];
  readonly status?: 'final' | 'preliminary' | 'corrected';
  readonly notes: string | null;
  readonly performingLaboratory?: string | null;
  /** Set for isolates and their susceptibilities. */
  readonly microbiology?: MicrobiologyFinding;
  /** An ISO timestamp. */
  readonly observedAt?: string | null;
}

export interface MissingResult {
  readonly expected: LabAnalyte;
  readonly markerId: number;
  readonly markerIds?: readonly number[];
  readonly failureType: string;
  /** The laboratory's explanation, if any. */
  readonly note: string | null;
}

export interface LabReport {
  readonly status: 'partial' | 'final' | 'corrected';
  readonly reportedAt: Date;
  readonly laboratory: string;
  readonly clia: string | null;
  /** The name of the laboratory director, if the laboratory reports it. */
  readonly director?: string | null;
  readonly results: readonly ReportedResult[];
  readonly missing: readonly MissingResult[];
  /** ISO timestamps, if the laboratory reports them. */
  readonly collectedAt?: string | null;
  readonly receivedAt?: string | null;
  /** About the whole report. */
  readonly notes?: readonly string[];
}

/** The order data that a laboratory repeats in its report. */
export interface ReportEnvelope extends MessageParties {
  readonly controlId: string;
  readonly placer: string;
  readonly filler: string;
  readonly processing: string;
  readonly patient: { id: string; firstName: string; lastName: string; dob: string; gender: string };
  /** Test codes by marker id. */
  readonly codes: ReadonlyMap<number | null, { code: string; name: string }>;
  readonly collectedAt: Date;
  readonly at: Date;
}

/** Writes a report as the message of a simulated laboratory. */
export type LabReportWriter = (report: LabReport, envelope: ReportEnvelope) => Buffer;

/** A laboratory network that is polled for reports. Laboratories that send reports on their own use LabProtocol. */
export interface LabNetwork {
  /** Idempotent: the same `orderId` places one requisition and returns the same `sampleId`. */
  requestTests(requisition: Requisition): Promise<{ sampleId: string }>;
  /**
   * Cancels a requisition. Does nothing if it was never placed or is already cancelled. Throws a DomainError of kind
   * `conflict` if the laboratory refuses.
   */
  cancelTests(requisition: RequisitionReference): Promise<void>;
  /** All reports of this requisition up to `reportedAt`, oldest first. */
  reports(placed: PlacedRequisition): Promise<readonly LabReport[]>;
}

/** The network of each environment; undefined if none is connected. */
export type LabNetworks = Readonly<Record<Environment, LabNetwork | undefined>>;
