/** A rectangle on a page, in points, from the top left corner. */
export interface BoundingBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A printed word, delimited by blanks. */
export interface ReportWord {
  readonly text: string;
  readonly box: BoundingBox;
  /** 0 to 1; always 1 for words of a text layer. */
  readonly confidence: number;
  /** 1-based. */
  readonly page: number;
  /** In points. */
  readonly fontSize: number;
  /** Distinguishes fonts within a file if the source knows them; has no meaning on its own. */
  readonly font?: string;
  /** Read together with words of another line or page; its box is not where it is printed. */
  readonly isMoved?: true;
}

/** One page as a list of words, from a text layer or OCR. */
export interface ReportPage {
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly words: readonly ReportWord[];
  readonly source: 'text' | 'ocr';
  /** Share of the page that images cover, 0 to 1. */
  readonly imageShare: number;
}

export type ResultType = 'numeric' | 'range' | 'comment' | 'boolean' | 'duration' | 'percentage' | 'ratio';

/** The meaning of a flag, or of the comparison of a value with its range. */
export type ReportInterpretation = 'normal' | 'abnormal' | 'critical' | 'unknown';

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
  | 'differs_from_formula'
  | 'low_confidence'
  | 'unclear_columns'
  | 'duplicate_with_other_value'
  | 'several_patients'
  | 'read_by_extractor'
  | 'extractor_reads_otherwise';

type ResultFieldName = 'name' | 'value' | 'unit' | 'range' | 'flag';

/** One result of a report, with everything that is printed about it. */
export interface ParsedResult {
  readonly testName: string;
  /** As printed, without flag and unit. */
  readonly printedValue: string;
  /** The numeric value, if there is one, without its comparator. */
  readonly value: number | null;
  readonly comparator: Comparator | null;
  readonly type: ResultType;
  readonly unit: string | null;
  /** As printed. */
  readonly referenceRange: string | null;
  /** The bounds that apply to this patient. */
  readonly min: number | null;
  readonly max: number | null;
  /** The exclusive ones of these bounds, such as 200 of "< 200". */
  readonly openBounds?: readonly ('min' | 'max')[];
  /** As printed. */
  readonly flag: string | null;
  readonly flagLevel: FlagLevel | null;
  readonly interpretation: ReportInterpretation;
  readonly isAboveMax: boolean | null;
  readonly isBelowMin: boolean | null;
  readonly panel: string | null;
  readonly section: string | null;
  readonly specimen: string | null;
  readonly method: string | null;
  readonly notes: readonly string[];
  /** 1-based. */
  readonly page: number;
  readonly boxes: Readonly<Partial<Record<ResultFieldName, BoundingBox>>>;
  /** 0 to 1: confidence in both reading and interpretation. */
  readonly confidence: number;
  readonly reviewReasons: readonly ReviewReason[];
}

export type Gender = 'male' | 'female' | 'other';

/** The data of the report header; dates as YYYY-MM-DD, followed by T and the time of day if printed. */
export interface ParsedMetadata {
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

export interface ParsedReport {
  readonly metadata: ParsedMetadata;
  readonly results: readonly ParsedResult[];
  /** The main language of the report; null if it cannot be determined or is not supported. */
  readonly language: Language | null;
  /** False if most letters belong to an alphabet that is not supported. */
  readonly canRead: boolean;
  /** Reasons to doubt the report as a whole. */
  readonly doubts: readonly string[];
}

export const uniteBoxes = (boxes: readonly BoundingBox[]): BoundingBox => ({
  x0: Math.min(...boxes.map((box) => box.x0)),
  y0: Math.min(...boxes.map((box) => box.y0)),
  x1: Math.max(...boxes.map((box) => box.x1)),
  y1: Math.max(...boxes.map((box) => box.y1)),
});
