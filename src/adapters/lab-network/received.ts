/** What a laboratory sent of its own accord, read from its wire (HL7 v2, FHIR) into one shape, nothing judged yet. */
export interface ReceivedReport {
  /** The laboratory's slug, as `labcorp`: whose connection it came by. */
  readonly lab: string;
  /** The account that it says it is for. */
  readonly accountNumber: string | null;
  /** How the laboratory names the message, as MSH-10 or a Bundle's id; the same one twice is a repeat. */
  readonly controlId: string;
  /** What it says that we call the order: the order id that the requisition carried. */
  readonly placerOrderId: string | null;
  /** How it names the specimen or the requisition; the first is the order's sample id when it is known. */
  readonly sampleIds: readonly string[];
  readonly status: 'partial' | 'final' | 'corrected';
  /** Of a correction, that something else is still to come. */
  readonly isPending?: true;
  readonly patient: ReceivedPatient | null;
  readonly collectedAt: Date | null;
  readonly receivedAt: Date | null;
  readonly reportedAt: Date;
  /** Name of the laboratory that answers for the report. */
  readonly laboratory: string | null;
  readonly clia: string | null;
  readonly observations: readonly ReceivedObservation[];
  /** About the whole report. */
  readonly notes: readonly string[];
  /** About one of the tests in it. Reports that were kept before this was told apart have them among the others. */
  readonly testNotes?: readonly TestNote[];
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
  /** The laboratory's, or ours as it sends it back. */
  readonly patientId: string | null;
}

/** Of which request of the laboratory and of which specimen something is, as far as its message tells. */
export interface Origin {
  /** How the laboratory calls the request: OBR-3. */
  readonly filler?: string;
  /** How it calls the specimen: SPM-2. */
  readonly specimen?: string;
  /** When that was drawn: OBR-7, else SPM-17. */
  readonly drawnAt?: Date;
  /** Its hour is not told: the moment is where the day begins. */
  readonly isDay?: true;
}

export interface ReceivedObservation {
  /** What was ordered and this answers: OBR-4, a panel or a single test, in the laboratory's code. */
  readonly test: {
    readonly code: string | null;
    readonly name: string | null;
    readonly loinc: string | null;
  };
  /** What tells it from the same measurement of another draw; not in reports that were kept before it was read. */
  readonly origin?: Origin;
  readonly code: string | null;
  readonly name: string;
  /** From the message itself. */
  readonly loinc: string | null;
  /** OBX-4: which of several under one code this is, as the first isolate of a culture and its drugs. */
  readonly subId?: string;
  /** It tells of the specimen, or answers a question of the order: a result only where it is what was ordered. */
  readonly isAside?: true;
  /** As the wire says it: `number`, `structured` (comparator, ratio, range), `text`, `coded`. */
  readonly form: 'number' | 'structured' | 'text' | 'coded';
  /** As printed, for example `<1.2`, `5.7`, `Positive`; null where nothing came. */
  readonly value: string | null;
  readonly unit: string | null;
  /** As printed. */
  readonly referenceRange: string | null;
  /** HL7 table 0078, as `H`, `LL`, `A`; several may stand. */
  readonly flags: readonly string[];
  readonly status: 'final' | 'preliminary' | 'corrected' | 'cancelled';
  readonly notes: readonly string[];
  readonly performingLaboratory: string | null;
  readonly observedAt: Date | null;
}
