import type { z } from 'zod';
import type { DocumentBlock, TableRow } from '../platform/pdf/block.ts';
import type { QuestionView } from '../ordering/catalog/schema.ts';
import type { DocumentFacts } from './document-facts.ts';

/** Questions and answers at order entry. Choices are printed as words, not codes. */
export function questionBlocks(facts: DocumentFacts): DocumentBlock[] {
  const rows = answeredRows(facts);
  if (rows.length === 0) return [];
  return [
    { kind: 'heading', text: 'Questions at order entry' },
    {
      kind: 'table',
      columns: [
        { title: 'Test', share: 4 },
        { title: 'Question', share: 6 },
        { title: 'Answer', share: 5 },
      ],
      rows,
    },
  ];
}

function answeredRows({ order, test }: DocumentFacts): TableRow[] {
  return order.private.aoeAnswers.map(({ marker_id: markerId, question_id: questionId, answer }) => {
    const marker = test.markers?.find(({ id }) => id === markerId);
    const question = marker?.aoe?.questions.find(({ id }) => id === questionId);
    return [
      marker?.name ?? `Marker ${markerId}`,
      question?.value ?? `Question ${questionId}`,
      { text: question ? formatAnswer(question, answer) : answer, bold: true },
    ];
  });
}

function formatAnswer({ type, answers }: z.output<typeof QuestionView>, answer: string): string {
  const word = (code: string) => answers.find((choice) => choice.code === code)?.value ?? code;
  if (type === 'choice') return word(answer);
  if (type !== 'multi_choice') return answer;
  return answer
    .split(/[,;]/)
    .map((code) => word(code.trim()))
    .join(', ');
}
