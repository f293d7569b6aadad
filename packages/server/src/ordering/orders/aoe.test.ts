import { describe, expect, it } from 'vitest';
import type { AoeQuestion, LabTest } from '../catalog/catalog.ts';
import { completeAoeAnswers, type SubmittedAoeAnswer } from './aoe.ts';

const answers = [
  { id: 1, code: 'Y', value: 'Yes' },
  { id: 2, code: 'N', value: 'No' },
];
const question = (id: number, change: Partial<AoeQuestion> = {}): AoeQuestion => ({
  id,
  required: true,
  code: `Q${id}`,
  value: `Question ${id}`,
  type: 'text',
  sequence: id,
  answers: [],
  constraint: null,
  default: null,
  ...change,
});

/** A lab test of two markers; only what the answers are checked by is there. */
const testWith = (questions: AoeQuestion[], change: Partial<LabTest> = {}): LabTest =>
  ({
    fasting: false,
    markers: [
      { id: 7, name: 'Glucose', aoe: { questions } },
      { id: 8, name: 'Plain', aoe: null },
    ],
    ...change,
  }) as unknown as LabTest;

const answer = (text: string, questionId = 1, markerId = 7): SubmittedAoeAnswer => ({
  marker_id: markerId,
  question_id: questionId,
  answer: text,
});

// prettier-ignore
const taken: [string, Partial<AoeQuestion>, string][] = [
  ['a text',               { type: 'text' },                    'since May'],
  ['a code',               { type: 'choice', answers },         'Y'],
  ['several codes',        { type: 'multi_choice', answers },   'Y, N'],
  ['a whole number',       { type: 'numeric' },                 '12'],
  ['a number with decimals', { type: 'numeric' },               ' -0.5 '],
  ['an empty text where none is required', { type: 'text', required: false }, ''],
  ['the lowest number',    { type: 'numeric', constraint: '50..10000' },           '50'],
  ['the highest number',   { type: 'numeric', constraint: '50..10000' },           '10000'],
  ['a number of decimals between them', { type: 'numeric', constraint: '0..72' },  '71.5'],
  ['a text as long as may be', { type: 'text', constraint: '1..4' },               '𝒜bcd'],
  ['an empty text where one would have a length', { type: 'text', required: false, constraint: '3..9' }, ' '],
  ['as many codes as may be', { type: 'multi_choice', answers, constraint: '1..2' }, 'Y;N'],
  ['what no bounds are read from', { type: 'numeric', constraint: 'as usual' },    '12'],
];

it.each(taken)('takes %s', (_what, asked, text) => {
  expect(completeAoeAnswers(testWith([question(1, asked)]), [answer(text)])).toEqual([answer(text)]);
});

// prettier-ignore
const refused: [string, Partial<AoeQuestion>, SubmittedAoeAnswer[], string][] = [
  ['nothing at all',              {},                                  [],                  'Missing required questions - "Question 1"'],
  ['the words of a choice',       { type: 'choice', answers },         [answer('Yes')],     'Answer to "Question 1": expected one of Y, N, got "Yes"'],
  ['the id of a choice',          { type: 'choice', answers },         [answer('1')],       'Answer to "Question 1": expected one of Y, N, got "1"'],
  ['a code that is none',         { type: 'multi_choice', answers },   [answer('Y,X')],     'Answer to "Question 1": expected some of Y, N, separated by commas, got "Y,X"'],
  ['no code',                     { type: 'multi_choice', answers },   [answer('')],        'Answer to "Question 1": expected some of Y, N, separated by commas, got ""'],
  ['a number in words',           { type: 'numeric' },                 [answer('many')],    'Answer to "Question 1": expected a number, got "many"'],
  ['no number',                   { type: 'numeric' },                 [answer(' ')],       'Answer to "Question 1": expected a number, got " "'],
  ['a number of programmers',     { type: 'numeric' },                 [answer('0x10')],    'Answer to "Question 1": expected a number, got "0x10"'],
  ['no end of a number',          { type: 'numeric' },                 [answer('Infinity')], 'Answer to "Question 1": expected a number, got "Infinity"'],
  ['blanks',                      { type: 'text' },                    [answer('  ')],      'Answer to "Question 1": expected a text, got "  "'],
  ['less than the lowest number',  { type: 'numeric', constraint: '50..10000' }, [answer('49.9')],  'Answer to "Question 1": expected a number from 50 to 10000, got "49.9"'],
  ['more than the highest number', { type: 'numeric', constraint: '50..10000' }, [answer('10001')], 'Answer to "Question 1": expected a number from 50 to 10000, got "10001"'],
  ['words where bounds are',       { type: 'numeric', constraint: '0..72' },     [answer('many')],  'Answer to "Question 1": expected a number from 0 to 72, got "many"'],
  ['a text that is too short',     { type: 'text', constraint: '10..10' },       [answer('May 1')], 'Answer to "Question 1": expected a text of 10 characters, got "May 1"'],
  ['a text that is too long',      { type: 'text', constraint: '1..4' },         [answer('since')], 'Answer to "Question 1": expected a text of 1 to 4 characters, got "since"'],
  ['too few codes',                { type: 'multi_choice', answers, constraint: '2..2' }, [answer('Y,Y')], 'Answer to "Question 1": expected 2 of Y, N, separated by commas, got "Y,Y"'],
  ['too many codes',               { type: 'multi_choice', answers, constraint: '1..1' }, [answer('Y,N')], 'Answer to "Question 1": expected 1 of Y, N, separated by commas, got "Y,N"'],
  ['a question of nobody',        {},                                  [answer('x', 2)],    'Unknown question 2 of marker 7'],
  ['a question of another marker', {},                                 [answer('x', 1, 8)], 'Unknown question 1 of marker 8'],
  ['two answers to one question', {},                                  [answer('a'), answer('b')], 'Answer to "Question 1": expected one answer, got two'],
];

describe('rejects with a 400', () => {
  it.each(refused)('%s', (_what, asked, given, detail) => {
    expect(() => completeAoeAnswers(testWith([question(1, asked)]), given)).toThrow(detail);
  });

  it('all unanswered required questions, each listed once', () => {
    const asked = [
      question(1),
      question(2, { required: false }),
      question(3),
      question(4, { value: 'Question 3' }),
    ];
    expect(() => completeAoeAnswers(testWith(asked), [])).toThrow(
      'Missing required questions - "Question 1", "Question 3"',
    );
  });
});

describe('an unanswered question', () => {
  const fasting = question(1, { type: 'choice', answers, value: 'Fasting status' });

  it.each([
    [true, 'Y'],
    [false, 'N'],
  ])('about fasting is answered by the lab test: %s', (isFasting, code) => {
    expect(completeAoeAnswers(testWith([fasting], { fasting: isFasting }), [])).toEqual([answer(code)]);
  });

  it('about fasting uses the answer of the caller if given', () => {
    expect(completeAoeAnswers(testWith([fasting], { fasting: true }), [answer('N')])).toEqual([answer('N')]);
  });

  it('gets its default', () => {
    expect(completeAoeAnswers(testWith([question(1, { default: 'none' })]), [])).toEqual([answer('none')]);
  });

  it('stays unanswered if it is not required', () => {
    expect(completeAoeAnswers(testWith([question(1, { required: false })]), [])).toEqual([]);
  });
});
