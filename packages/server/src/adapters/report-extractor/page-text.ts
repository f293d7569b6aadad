import type { PageWord } from './port.ts';

const LINE_OVERLAP = 0.5;
const TAB_WIDTHS = 2.5;

/** Renders words as text: one line for each printed line, tabs for wide gaps, form feeds between pages. */
export function renderPageText(words: readonly PageWord[], limitCharacters: number): string {
  const pages = new Map<number, PageWord[]>();
  for (const word of words) pages.set(word.page, [...(pages.get(word.page) ?? []), word]);
  const texts = [...pages]
    .sort(([one], [other]) => one - other)
    .map(([, page]) => groupIntoLines(page).map(renderLine).join('\n'));
  return texts.join('\n\f\n').slice(0, limitCharacters);
}

/** Groups the words of a page into lines, top to bottom, with the words of each line left to right. */
function groupIntoLines(words: readonly PageWord[]): PageWord[][] {
  const lines: { y0: number; y1: number; words: PageWord[] }[] = [];
  for (const word of [...words].sort((one, other) => one.box.y0 + one.box.y1 - other.box.y0 - other.box.y1)) {
    const { y0, y1 } = word.box;
    const line = lines.findLast(
      (one) =>
        Math.min(one.y1, y1) - Math.max(one.y0, y0) > LINE_OVERLAP * Math.min(one.y1 - one.y0, y1 - y0),
    );
    if (line) line.words.push(word);
    else lines.push({ y0, y1, words: [word] });
  }
  return lines.map((line) => line.words.sort((one, other) => one.box.x0 - other.box.x0));
}

function renderLine(words: readonly PageWord[]): string {
  return words
    .map((word, at) => {
      const before = words[at - 1];
      const gap = before ? word.box.x0 - before.box.x1 : 0;
      const height = word.box.y1 - word.box.y0;
      return `${at === 0 ? '' : gap > TAB_WIDTHS * height ? '\t' : ' '}${word.text}`;
    })
    .join('');
}
