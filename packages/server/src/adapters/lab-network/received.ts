/** A report sent by a laboratory, parsed from HL7 v2 or FHIR into one shape, before any interpretation. */
export interface ReceivedReport {
  /** The slug of the connection's laboratory, for example `labcorp`. */
  readonly lab: string;
  /** The account number in the message. */
  readonly accountNumber: string | null;
  /** The message's id: MSH-10 or the Bundle's id. The same id marks a duplicate. */
  readonly controlId: string;
  /** Our order id from the requisition, as the report repeats it. */
  readonly placerOrderId: string | null;
  /** Ids of the specimen or requisition; the first is the order's sample id if it is known. */
  readonly sampleIds: readonly string[];
  readonly status: 'partial' | 'final' | 'corrected';
  /** Set on a correction while other results are pending. */
  readonly isPending?: true;
  readonly patient: ReceivedPatient | null;
  readonly collectedAt: Date | null;
  readonly receivedAt: Date | null;
  readonly reportedAt: Date;
  /** The name of the laboratory responsible for the report. */
  readonly laboratory: string | null;
  readonly clia: string | null;
  /** The name of the laboratory director. */
  readonly director?: string;
  readonly observations: readonly ReceivedObservation[];
  /** About the whole report. */
  readonly notes: readonly string[];
  /** Notes on single tests. Older stored reports have them in `notes`. */
  readonly testNotes?: readonly TestNote[];
  /** Missing in older stored reports. */
  readonly timing?: ReportTiming;
  /** Tests that the laboratory canceled as a whole, with all their results. */
  readonly cancelledTests?: readonly CancelledTest[];
  /** The laboratory's own documents. */
  readonly documents?: readonly ReceivedDocument[];
}

/** Orders reports with the same `reportedAt`. */
export interface ReportTiming {
  /** When the message was written: MSH-7, or the timestamp of the Bundle. */
  readonly sentAt?: Date;
  /** The time has day precision: it is the start of the day. */
  readonly isSentDay?: true;
  readonly isReportedDay?: true;
}

export interface CancelledTest {
  readonly test: ReceivedObservation['test'];
  readonly origin?: ObservationOrigin;
  readonly notes: readonly string[];
}

/** A file that the laboratory enclosed, or its reference to a file elsewhere. */
export interface ReceivedDocument {
  /** The test that it is about. */
  readonly test: ReceivedObservation['test'];
  readonly title: string | null;
  /** By its bytes; null for a reference. */
  readonly mediaType: string | null;
  readonly sizeBytes: number | null;
  /** Hexadecimal digest of the bytes. */
  readonly sha256: string | null;
  /** Where the laboratory keeps it, for a reference. */
  readonly address?: string;
  /** Only until the report is stored: the bytes are stored next to it. */
  readonly content?: Buffer;
}

export interface TestNote {
  readonly test: ReceivedObservation['test'];
  readonly note: string;
}

export interface ReceivedPatient {
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** `YYYY-MM-DD`. */
  readonly dob: string | null;
  readonly gender: 'male' | 'female' | 'other' | null;
  /** The laboratory's patient id, or ours if it sends it back. */
  readonly patientId: string | null;
}

/** The request and specimen of an observation, as far as the message identifies them. */
export interface ObservationOrigin {
  /** The laboratory's id of the request: OBR-3. */
  readonly filler?: string;
  /** The laboratory's id of the specimen: SPM-2. */
  readonly specimen?: string;
  /** The type of the specimen, as printed: SPM-4, else OBR-15. */
  readonly specimenType?: string;
  /** Time of collection: OBR-7, else SPM-17. */
  readonly drawnAt?: Date;
  /** The time has day precision: it is the start of the day. */
  readonly isDay?: true;
}

export interface ReceivedObservation {
  /** The ordered panel or test (OBR-4), in the laboratory's code. */
  readonly test: {
    readonly code: string | null;
    readonly name: string | null;
    readonly loinc: string | null;
  };
  /** Distinguishes draws of the same measurement; missing in older stored reports. */
  readonly origin?: ObservationOrigin;
  readonly code: string | null;
  readonly name: string;
  /** The LOINC code in the message. */
  readonly loinc: string | null;
  /** OBX-4: distinguishes several observations with one code, such as the isolates of a culture. */
  readonly subId?: string;
  /** Describes the specimen or answers an order question: a result only if it was ordered. */
  readonly isAside?: true;
  /** The data type in the message; `structured` is a comparator, ratio or range. */
  readonly form: 'number' | 'structured' | 'text' | 'coded';
  /** The SNOMED CT code of a coded value, such as an organism. */
  readonly snomed?: string;
  /** The method of a susceptibility (OBX-17), as printed. */
  readonly method?: string;
  /** As printed, for example `<1.2`, `5.7`, `Positive`; null if empty. */
  readonly value: string | null;
  readonly unit: string | null;
  /** As printed. */
  readonly referenceRange: string | null;
  /** Codes of HL7 table 0078, for example `H`, `LL`, `A`. */
  readonly flags: readonly string[];
  readonly status: 'final' | 'preliminary' | 'corrected' | 'cancelled';
  /**
   * Set where the laboratory reports no value: it announces one (`pending`), makes the value that it reported before
   * final (`confirmation`), or describes the order (`detail`, never a result).
   */
  readonly statement?: 'pending' | 'confirmation' | 'detail';
  /** Set when reports are merged: the laboratory had reported a value that this cancellation withdraws. */
  readonly isWithdrawal?: true;
  readonly notes: readonly string[];
  readonly performingLaboratory: string | null;
  readonly observedAt: Date | null;
}
