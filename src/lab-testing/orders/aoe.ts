import { DomainError } from '../../platform/errors.ts';
import type { AoeQuestion, LabTest } from '../catalog/catalog.ts';

export interface Answer {
  readonly marker_id: number;
  readonly question_id: number;
  readonly answer: string;
}

/**
 * The answers at order entry, complete: every required question of the ordered markers is answered, by the caller
 * or by its default (a fasting question by the lab test). 400 for what is missing, unknown, or no answer at all.
 */
export function checkAnswers(test: LabTest, given: readonly Answer[]): Answer[] {
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
      throw new DomainError('bad_request', `Answer to "${known.question.value}": given twice`);
    seen.add(place);
    checkAnswer(known.question, answer.answer);
  }
  const missing = new Set<string>();
  const filled: Answer[] = [...given];
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

/** As people write them; what else a programming language takes for a number is none on a requisition. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function checkAnswer(question: AoeQuestion, answer: string): void {
  const refuse = (expected: string) =>
    new DomainError('bad_request', `Answer to "${question.value}": expected ${expected}, got "${answer}"`);
  const codes = question.answers.map(({ code }) => code);
  if (question.type === 'numeric' && !NUMBER.test(answer.trim())) throw refuse('a number');
  if (question.type === 'choice' && !codes.includes(answer)) throw refuse(`one of ${codes.join(', ')}`);
  if (
    question.type === 'multi_choice' &&
    !answer.split(/[,;]/).every((code) => codes.includes(code.trim()))
  ) {
    throw refuse(`some of ${codes.join(', ')}, separated by commas`);
  }
  if (question.type === 'text' && question.required && answer.trim() === '') throw refuse('a text');
}
