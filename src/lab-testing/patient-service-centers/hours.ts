import type { OpenHours } from '../../adapters/scheduling/port.ts';

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Monday first; a day without stretches is closed. */
export type WeekHours = OpenHours[][];

const SHORT = DAYS.map((day) => day.slice(0, 3));
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const PART = new RegExp(`^([a-z]{3})(?:-([a-z]{3}))?((?: +${TIME}-${TIME})+)$`);
const STRETCH = new RegExp(`(${TIME})-(${TIME})`, 'g');

/**
 * Opening hours as they are written in files: `mon-fri 07:00-12:00 13:00-16:00; sat 07:00-11:00`. Days that are not
 * named are closed. Answers what is wrong as a sentence.
 */
export function parseHours(text: string): WeekHours | string {
  const week: WeekHours = DAYS.map(() => []);
  for (const part of text.split(';')) {
    const match = PART.exec(part.trim().toLowerCase());
    if (!match)
      return `expected hours as mon-fri 07:00-12:00 13:00-16:00; sat 07:00-11:00, got ${part.trim()}`;
    const [, from = '', to = from, times = ''] = match;
    const [first, last] = [SHORT.indexOf(from), SHORT.indexOf(to)];
    if (first < 0 || last < first) return `expected days from mon to sun in their order, got ${from}-${to}`;
    const stretches = [...times.matchAll(STRETCH)].map(([, opens = '', closes = '']) => ({ opens, closes }));
    if (!areInOrder(stretches)) return `expected times that follow one another, got${times}`;
    for (let day = first; day <= last; day += 1) {
      if (week[day]?.length !== 0) return `expected each day once, got ${SHORT[day]} twice`;
      week[day] = stretches;
    }
  }
  return week;
}

/** Times of four digits compare as texts. */
const areInOrder = (stretches: readonly OpenHours[]): boolean =>
  stretches.every(
    ({ opens, closes }, at) => opens < closes && (at === 0 || (stretches[at - 1]?.closes ?? '') < opens),
  );
