import { DomainError } from '../../platform/errors.ts';
import type { AoeQuestion, LabTest } from '../catalog/catalog.ts';

export interface SubmittedAoeAnswer {
  readonly marker_id: number;
  readonly question_id: number;
  readonly answer: string;
}

/**
 * Validates the answers at order entry and adds the defaults (for a fasting question, from the lab test). 400 for an
 * unknown question, a duplicate or invalid answer, and a required question without an answer.
 */
export function completeAoeAnswers(
  test: LabTest,
  given: readonly SubmittedAoeAnswer[],
): SubmittedAoeAnswer[] {
  const asked = test.markers.flatMap((marker) =>
    (marker.aoe?.questions ?? []).map((question) => ({ marker, question })),
  );
  const seen = new Set<string>();
  for (const answer of given) {
    const place = `${answer.marker_id}/${answer.question_id}`;
    const known = asked.find(
      ({ marker, question }) => marker.id === answer.marker_id && question.id === answer.question_id,
    );
    if (!known) {
      throw new DomainError(
        'bad_request',
        `Unknown question ${answer.question_id} of marker ${answer.marker_id}`,
      );
    }
    if (seen.has(place))
      throw new DomainError(
        'bad_request',
        `Answer to "${known.question.value}": expected one answer, got two`,
      );
    seen.add(place);
    assertValidAnswer(known.question, answer.answer);
  }
  const missing = new Set<string>();
  const filled: SubmittedAoeAnswer[] = [...given];
  for (const { marker, question } of asked) {
    const isGiven = given.some(
      ({ marker_id, question_id }) => marker_id === marker.id && question_id === question.id,
    );
    const standing = isGiven ? undefined : defaultAnswer(test, question);
    if (standing !== undefined)
      filled.push({ marker_id: marker.id, question_id: question.id, answer: standing });
    else if (!isGiven && question.required) missing.add(`"${question.value}"`);
  }
  if (missing.size > 0) {
    throw new DomainError('bad_request', `Missing required questions - ${[...missing].join(', ')}`);
  }
  return filled;
}

function defaultAnswer(test: LabTest, question: AoeQuestion): string | undefined {
  if (question.default !== null) return question.default;
  if (!/fasting/i.test(question.value) || question.type !== 'choice') return undefined;
  const wanted = test.fasting ? /^y/i : /^n/i;
  return question.answers.find(({ value, code }) => wanted.test(value) || wanted.test(code))?.code;
}

/** Plain decimals only. JavaScript's other notations (`1e3`, `0x1F`, `Infinity`) do not belong on a requisition. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function assertValidAnswer(question: AoeQuestion, answer: string): void {
  const bounds = parseBounds(question);
  const codes = question.answers.map(({ code }) => code);
  const refuse = (expected: string) =>
    new DomainError('bad_request', `Answer to "${question.value}": expected ${expected}, got "${answer}"`);
  switch (question.type) {
    case 'numeric': {
      const isNumber = NUMBER.test(answer.trim()) && isWithin(bounds, Number(answer));
      if (!isNumber) throw refuse(bounds ? `a number from ${bounds.low} to ${bounds.high}` : 'a number');
      return;
    }
    case 'choice':
      if (!codes.includes(answer)) throw refuse(`one of ${codes.join(', ')}`);
      return;
    case 'multi_choice': {
      const chosen = new Set(answer.split(/[,;]/).map((code) => code.trim()));
      if ([...chosen].every((code) => codes.includes(code)) && isWithin(bounds, chosen.size)) return;
      throw refuse(`${bounds ? formatBounds(bounds) : 'some'} of ${codes.join(', ')}, separated by commas`);
    }
    case 'text': {
      const length = [...answer.trim()].length;
      if (length === 0 ? !question.required : isWithin(bounds, length)) return;
      throw refuse(bounds ? `a text of ${formatBounds(bounds)} characters` : 'a text');
    }
  }
}

interface AoeAnswerBounds {
  readonly low: number;
  readonly high: number;
}

/** Bounds the value of a number, the length of a text, or the number of choices. */
function parseBounds({ constraint }: AoeQuestion): AoeAnswerBounds | undefined {
  const [, low, high] = /^(\d+)\.\.(\d+)$/.exec(constraint ?? '') ?? [];
  return low === undefined ? undefined : { low: Number(low), high: Number(high) };
}

const isWithin = (bounds: AoeAnswerBounds | undefined, size: number): boolean =>
  !bounds || (size >= bounds.low && size <= bounds.high);

const formatBounds = ({ low, high }: AoeAnswerBounds): string =>
  low === high ? `${low}` : `${low} to ${high}`;
