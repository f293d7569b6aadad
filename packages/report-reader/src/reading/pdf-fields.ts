import { z } from 'zod';

/** A text run in the format of the library. */
export interface TextRun {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly fontName: string;
}

/** An annotation of the library, reduced to typed-in text. */
const TypedAnnotation = z.object({
  subtype: z.enum(['Widget', 'FreeText']),
  rect: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  annotationFlags: z.number().catch(0),
  fieldType: z.string().nullish(),
  fieldValue: z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .catch(null),
  multiLine: z.boolean().nullish().catch(null),
  password: z.boolean().nullish().catch(null),
  contentsObj: z.object({ str: z.string() }).nullish().catch(null),
  defaultAppearanceData: z.object({ fontSize: z.number() }).nullish().catch(null),
});
type TypedAnnotation = z.output<typeof TypedAnnotation>;

const HIDDEN = 2;
const NO_VIEW = 32;

/** Text runs of form fields and page notes: they are visible, but not part of the text layer. */
export const readFieldRuns = (annotations: readonly unknown[]): TextRun[] =>
  annotations.flatMap((annotation) => {
    const typed = TypedAnnotation.safeParse(annotation);
    return typed.success ? buildRuns(typed.data) : [];
  });

/** Font size relative to the line height; the printed width is unknown and estimated. */
const LARGEST = 12;
const OF_HEIGHT = 0.7;
const WIDTH_OF_LETTER = 0.5;
const LINE = 1.2;

function buildRuns(typed: TypedAnnotation): TextRun[] {
  const { rect, annotationFlags, defaultAppearanceData: look } = typed;
  if ((annotationFlags & (HIDDEN | NO_VIEW)) !== 0) return [];
  const [x0, x1] = [Math.min(rect[0], rect[2]), Math.max(rect[0], rect[2])];
  const [bottom, top] = [Math.min(rect[1], rect[3]), Math.max(rect[1], rect[3])];
  const size = look && look.fontSize > 0 ? look.fontSize : Math.min(LARGEST, OF_HEIGHT * (top - bottom));
  const lines = readFieldText(typed).split(/\r\n|\r|\n/);
  const isOne = lines.length === 1 && typed.multiLine !== true && typed.subtype === 'Widget';
  return lines.flatMap((str, index) => {
    const base = isOne ? (top + bottom) / 2 - 0.3 * size : top - size - index * LINE * size;
    const width = Math.min(x1 - x0, WIDTH_OF_LETTER * size * str.length);
    return str.trim() === '' ? [] : [{ str, transform: [size, 0, 0, size, x0, base], width, fontName: '' }];
  });
}

function readFieldText({ subtype, fieldType, fieldValue, password, contentsObj }: TypedAnnotation): string {
  if (subtype === 'FreeText') return contentsObj?.str ?? '';
  if (password === true || (fieldType !== 'Tx' && fieldType !== 'Ch')) return '';
  return Array.isArray(fieldValue) ? fieldValue.join(' ') : (fieldValue ?? '');
}
