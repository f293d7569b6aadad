import { DRAWN, DRAWN_SECOND, DRAWN_THIRD, drawReport, isDrawn } from './drawn.ts';
import { HELD_OUT_TABLES } from './held-out.ts';
import { HARDER_LAYOUTS } from './harder.ts';
import { TABLE_LAYOUTS } from './layouts.ts';
import { generateReport, truthOf } from './generated-report.ts';
import { UNSEEN_LAYOUTS } from './unseen.ts';
import { SPECIAL_LAYOUTS } from './specials.ts';
import { drawTable } from './table.ts';
import type { TrueResult } from '../../../tools/eval-reports/truth.ts';

/** Layouts that the reader was developed with. */
export const DEVELOPED = [
  ...Object.keys(TABLE_LAYOUTS),
  ...Object.keys(HARDER_LAYOUTS),
  ...Object.keys(SPECIAL_LAYOUTS),
];
/** Layouts that are only used for measurements. */
export const HELD_OUT = Object.keys(HELD_OUT_TABLES);
/** Layouts that were written after the reader was finished. */
export const WRITTEN_LAST = Object.keys(UNSEEN_LAYOUTS);
/** All layouts, by how the reader was developed with them; drawn.ts explains the drawn ones. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  developed: DEVELOPED,
  heldOut: HELD_OUT,
  writtenLast: WRITTEN_LAST,
  drawn: DRAWN,
  drawnSecond: DRAWN_SECOND,
  drawnThird: DRAWN_THIRD,
};

export interface GeneratedCase {
  readonly pdf: Buffer;
  readonly truth: {
    readonly layout: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly results: readonly TrueResult[];
  };
}

/**
 * Generates a report with its truth; the same for the same layout and seed. Transcribed layouts ignore the seed. Throws
 * for an unknown layout.
 */
export async function generateCase(layout: string, seed: number): Promise<GeneratedCase> {
  if (isDrawn(layout)) {
    const { pdf, results } = await drawReport(layout);
    return { pdf, truth: { layout, metadata: {}, results } };
  }
  const special = SPECIAL_LAYOUTS[layout];
  const table =
    TABLE_LAYOUTS[layout] ?? HARDER_LAYOUTS[layout] ?? HELD_OUT_TABLES[layout] ?? UNSEEN_LAYOUTS[layout];
  const manner = special?.manner ?? table?.manner;
  if (!manner) throw new Error(`Unknown layout ${layout}`);
  const report = generateReport(manner, seed);
  const pdf = special
    ? await special.draw(report)
    : table
      ? await drawTable(report, table.style)
      : Buffer.alloc(0);
  return { pdf, truth: truthOf(report, layout) };
}
