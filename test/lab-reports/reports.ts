import { DRAWN, DRAWN_SECOND, DRAWN_THIRD, drawn, isDrawn } from './drawn.ts';
import { HELD_OUT_TABLES } from './held-out.ts';
import { HARDER } from './harder.ts';
import { TABLES } from './layouts.ts';
import { makeReport, truthOf } from './made.ts';
import { UNSEEN } from './unseen.ts';
import { SPECIALS } from './specials.ts';
import { drawTable } from './table.ts';
import type { TrueLine } from '../../tools/eval-reports/truth.ts';

/** Layouts that the reader was made with. */
export const DEVELOPED = [...Object.keys(TABLES), ...Object.keys(HARDER), ...Object.keys(SPECIALS)];
/** Layouts that it was only measured with. */
export const HELD_OUT = Object.keys(HELD_OUT_TABLES);
/** Layouts that were written when the reader was done, and measured with it as it was. */
export const WRITTEN_LAST = Object.keys(UNSEEN);
/** All of them, by how much the reader knows them; the drawn ones are told apart where they are listed. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  developed: DEVELOPED,
  heldOut: HELD_OUT,
  writtenLast: WRITTEN_LAST,
  drawn: DRAWN,
  drawnSecond: DRAWN_SECOND,
  drawnThird: DRAWN_THIRD,
};

export interface MadeCase {
  readonly pdf: Buffer;
  readonly truth: {
    readonly layout: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly results: readonly TrueLine[];
  };
}

/**
 * One made report with its truth; the same for the same layout and seed, which says nothing to what is drawn as it is
 * written. No such layout: throws.
 */
export async function makeCase(layout: string, seed: number): Promise<MadeCase> {
  if (isDrawn(layout)) {
    const { pdf, results } = await drawn(layout);
    return { pdf, truth: { layout, metadata: {}, results } };
  }
  const special = SPECIALS[layout];
  const table = TABLES[layout] ?? HARDER[layout] ?? HELD_OUT_TABLES[layout] ?? UNSEEN[layout];
  const manner = special?.manner ?? table?.manner;
  if (!manner) throw new Error(`There is no layout ${layout}`);
  const report = makeReport(manner, seed);
  const pdf = special
    ? await special.draw(report)
    : table
      ? await drawTable(report, table.style)
      : Buffer.alloc(0);
  return { pdf, truth: truthOf(report, layout) };
}
