/** Names of segments and fields as HL7 v2.5.1 has them, for the segments that laboratories exchange with us. */
export const SEGMENT_NAMES: Readonly<Record<string, string>> = {
  MSH: 'Message header',
  MSA: 'Acknowledgment',
  ERR: 'Error',
  FHS: 'File header',
  BHS: 'Batch header',
  BTS: 'Batch trailer',
  FTS: 'File trailer',
  PID: 'Patient',
  PD1: 'Additional patient data',
  PV1: 'Visit',
  NK1: 'Next of kin',
  IN1: 'Insurance',
  GT1: 'Guarantor',
  ORC: 'Order control',
  OBR: 'Test',
  OBX: 'Result',
  NTE: 'Note',
  SPM: 'Specimen',
  DG1: 'Diagnosis',
  TQ1: 'Timing',
  DSC: 'Continuation pointer',
  ADD: 'Addendum',
  SFT: 'Software',
  ZPS: 'Performing site',
};

const list = (names: string): readonly string[] => names.split('; ');

export const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
  MSH: list(
    'Field separator; Encoding characters; Sending application; Sending facility; Receiving application; Receiving facility; Date and time; Security; Message type; Control id; Processing id; Version; Sequence number; Continuation pointer; Accept acknowledgment; Application acknowledgment; Country; Character set; Language; Character set handling; Profile',
  ),
  MSA: list(
    'Acknowledgment code; Control id of the message; Text; Expected sequence; Delayed type; Error condition',
  ),
  ERR: list(
    'Code and location; Location; Error code; Severity; Application code; Parameter; Diagnostics; Message',
  ),
  PID: list(
    'Set id; Patient id; Patient identifiers; Alternate id; Name; Mother’s maiden name; Birth date; Sex; Alias; Race; Address; County; Home phone; Business phone; Language; Marital status; Religion; Account number; SSN; Driver’s license; Mother’s identifier; Ethnic group; Birth place; Multiple birth; Birth order; Citizenship; Veterans status; Nationality; Death; Death indicator',
  ),
  PV1: list(
    'Set id; Patient class; Location; Admission type; Preadmit number; Prior location; Attending doctor; Referring doctor; Consulting doctor; Hospital service',
  ),
  ORC: list(
    'Order control; Placer number; Filler number; Group number; Order status; Response flag; Timing; Parent; Transaction time; Entered by; Verified by; Ordering provider; Enterer’s location; Callback phone; Effective time; Control reason; Entering organization; Entering device; Action by; ABN code; Facility name; Facility address; Facility phone; Provider address',
  ),
  OBR: list(
    'Set id; Placer number; Filler number; Test; Priority; Requested time; Observation time; Observation end; Collection volume; Collector; Specimen action; Danger code; Clinical information; Specimen received; Specimen source; Ordering provider; Callback phone; Placer field 1; Placer field 2; Filler field 1; Filler field 2; Report or status change; Charge; Diagnostic section; Result status; Parent result; Timing; Copies to; Parent; Transportation; Reason for study; Principal interpreter; Assistant; Technician; Transcriptionist; Scheduled time',
  ),
  OBX: list(
    'Set id; Value type; Test; Sub-id; Value; Units; Reference range; Flags; Probability; Nature of abnormal test; Result status; Effective date of range; Access checks; Observation time; Producer; Observer; Method; Equipment; Analysis time; Site; Instance; Mood; Performing organization; Performing address; Performing director; Release category; Root cause; Local process control; Observation type; Observation sub-type',
  ),
  NTE: list('Set id; Source; Comment; Comment type'),
  SPM: list(
    'Set id; Specimen id; Parent ids; Type; Type modifier; Additives; Collection method; Source site; Site modifier; Collection site; Role; Amount; Grouped count; Description; Handling; Risk; Collection time; Received time; Expiry; Availability; Reject reason; Quality; Appropriateness; Condition',
  ),
  DG1: list('Set id; Coding method; Diagnosis; Description; Time; Type'),
  IN1: list(
    'Set id; Plan; Company id; Company name; Company address; Contact; Phone; Group number; Group name; Employer id; Employer name; Effective; Expires; Authorization; Plan type; Name of insured; Relationship; Birth date of insured; Address of insured',
  ),
  TQ1: list(
    'Set id; Quantity; Repeat pattern; Explicit time; Relative time; Service duration; Start; End; Priority',
  ),
  DSC: list('Continuation pointer; Continuation style'),
};
