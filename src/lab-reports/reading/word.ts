/** A rectangle on a page, in points, from the top left corner. */
export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** What stands between two blanks on a page. */
export interface Word {
  readonly text: string;
  readonly box: Box;
  /** 0 to 1; 1 for what a text layer says. */
  readonly confidence: number;
  /** From 1. */
  readonly page: number;
  /** In points. */
  readonly fontSize: number;
  /** Tells faces apart within a file, where the source knows; says nothing by itself. */
  readonly font?: string;
}

/** One page as a list of words, whatever made them. */
export interface Page {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly words: readonly Word[];
  readonly source: 'text' | 'ocr';
  /** How much of the page images cover, 0 to 1. */
  readonly imageShare: number;
}

export type ResultType = 'numeric' | 'range' | 'comment' | 'boolean' | 'duration' | 'percentage' | 'ratio';

/** How a flag or the comparison of a value with its range is to be understood. */
export type Meaning = 'normal' | 'abnormal' | 'critical' | 'unknown';

export type FlagLevel =
  'high' | 'low' | 'abnormal' | 'normal' | 'critical_high' | 'critical_low' | 'critical';

export type Comparator = '<' | '<=' | '>' | '>=';

export type ReviewReason =
  | 'flag_disagrees_with_range'
  | 'missing_flag_of_value_out_of_range'
  | 'decimals_differ_from_range'
  | 'implausible_value'
  | 'unit_differs_from_usual'
  | 'differential_not_near_100'
  | 'absolute_differs_from_percent'
  | 'indices_disagree'
  | 'ldl_differs_from_formula'
  | 'globulin_differs_from_formula'
  | 'low_confidence'
  | 'unclear_columns'
  | 'duplicate_with_other_value'
  | 'several_patients'
  | 'read_by_extractor'
  | 'extractor_reads_otherwise';

export type FieldName = 'name' | 'value' | 'unit' | 'range' | 'flag';

/** One result of a report, with everything that is printed about it. */
export interface ReadLine {
  readonly testName: string;
  /** As it is printed, without flag and unit. */
  readonly printedValue: string;
  /** The number, where there is one; without its comparator. */
  readonly value: number | null;
  readonly comparator: Comparator | null;
  readonly type: ResultType;
  readonly unit: string | null;
  /** As it is printed. */
  readonly referenceRange: string | null;
  /** The bounds that hold for this patient. */
  readonly min: number | null;
  readonly max: number | null;
  /** Of these bounds those that lie outside, as 200 of "< 200". */
  readonly openBounds?: readonly ('min' | 'max')[];
  /** As it is printed. */
  readonly flag: string | null;
  readonly flagLevel: FlagLevel | null;
  readonly interpretation: Meaning;
  readonly isAboveMax: boolean | null;
  readonly isBelowMin: boolean | null;
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimen: string | null;
  readonly method: string | null;
  readonly notes: readonly string[];
  /** From 1. */
  readonly page: number;
  readonly boxes: Readonly<Partial<Record<FieldName, Box>>>;
  /** 0 to 1: how sure reading and understanding of this line are. */
  readonly confidence: number;
  readonly reviewReasons: readonly ReviewReason[];
}

export type Gender = 'male' | 'female' | 'other';

/** What the head of a report says; dates as YYYY-MM-DD, with the time of day behind a T where it is printed. */
export interface ReadMetadata {
  readonly patientFirstName: string | null;
  readonly patientLastName: string | null;
  readonly dob: string | null;
  readonly ageYears: number | null;
  readonly gender: Gender;
  readonly labName: string | null;
  readonly dateReported: string | null;
  readonly dateCollected: string | null;
  readonly specimenNumber: string | null;
}

export type Language = 'en' | 'es' | 'fr' | 'de' | 'it' | 'pt';

export interface ReadReport {
  readonly metadata: ReadMetadata;
  readonly results: readonly ReadLine[];
  /** The language the report is mostly in; null where nobody can tell or we cannot read it. */
  readonly language: Language | null;
  /** Why nothing can be read here: letters that we do not know. */
  readonly canRead: boolean;
  /** Reasons for doubt about the report as a whole. */
  readonly doubts: readonly string[];
}

export const unite = (boxes: readonly Box[]): Box => ({
  x0: Math.min(...boxes.map((box) => box.x0)),
  y0: Math.min(...boxes.map((box) => box.y0)),
  x1: Math.max(...boxes.map((box) => box.x1)),
  y1: Math.max(...boxes.map((box) => box.y1)),
});
