import type { ReportPage, ReportWord } from '../src/reading/report-model.ts';

/** A page of words from lines of text; the position in a line gives x. Letters are 10 points high. */
export function pageOf(lines: readonly string[], page = 1, { step } = { step: 14 }): ReportPage {
  const words: ReportWord[] = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
      text,
      box: {
        x0: 20 + index * 6,
        x1: 20 + (index + text.length) * 6,
        y0: 20 + row * step,
        y1: 30 + row * step,
      },
      confidence: 1,
      page,
      fontSize: 10,
    })),
  );
  return { width: 700, height: 900, words, source: 'text', imageShare: 0 };
}
