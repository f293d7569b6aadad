import { z } from 'zod';
import { ImportRefused } from './fault.ts';
import type { Row } from './record.ts';

/** The same rows as those of a CSV file, each inside the one that it belongs to. */
const Cells = z.record(z.string(), z.unknown());
const QuestionNode = Cells.and(z.object({ answers: z.array(Cells).optional() }));
const MarkerNode = Cells.and(
  z.object({ results: z.array(Cells).optional(), questions: z.array(QuestionNode).optional() }),
);
const File = z.strictObject({
  labs: z.array(Cells).default([]),
  markers: z.array(MarkerNode).default([]),
});

export function readJson(content: string): Row[] {
  const parsed = File.safeParse(parse(content));
  if (!parsed.success) {
    throw new ImportRefused(
      parsed.error.issues.map((issue) => ({ place: placeOf(issue.path), says: issue.message })),
    );
  }
  const { labs, markers } = parsed.data;
  return [
    ...labs.map((lab, at) => row(`labs[${at}]`, 'lab', lab)),
    ...markers.flatMap((marker, at) => rowsOfMarker(`markers[${at}]`, marker)),
  ];
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ImportRefused([{ place: 'the file', says: `this is no JSON: ${why}` }]);
  }
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return place.replace(/^\./, '') || 'the file';
}

const row = (place: string, record: string, cells: Row['cells']): Row => ({
  place,
  cells: Object.fromEntries(Object.entries({ ...cells, record }).filter(([, cell]) => cell !== null)),
});

function rowsOfMarker(place: string, node: z.output<typeof MarkerNode>): Row[] {
  const { results = [], questions = [], ...cells } = node;
  const of = { lab: cells['lab'], marker: cells['marker'] };
  return [
    row(place, 'marker', cells),
    ...results.map((result, at) => row(`${place}.results[${at}]`, 'result', { ...of, ...result })),
    ...questions.flatMap(({ answers = [], ...question }, at) => [
      row(`${place}.questions[${at}]`, 'question', { ...of, ...question }),
      ...answers.map((answer, place2) =>
        row(`${place}.questions[${at}].answers[${place2}]`, 'answer', {
          ...of,
          question: question['code'],
          ...answer,
        }),
      ),
    ]),
  ];
}
