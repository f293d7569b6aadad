import { z } from 'zod';
import { CatalogImportError } from './fault.ts';
import type { CatalogImportRow } from './record.ts';

/** The same rows as in a CSV file, nested in their parents. */
const Cells = z.record(z.string(), z.unknown());
const QuestionNode = Cells.and(z.object({ answers: z.array(Cells).optional() }));
const MarkerNode = Cells.and(
  z.object({ results: z.array(Cells).optional(), questions: z.array(QuestionNode).optional() }),
);
const CatalogJsonFile = z.strictObject({
  labs: z.array(Cells).default([]),
  markers: z.array(MarkerNode).default([]),
});

export function readJson(content: string): CatalogImportRow[] {
  const parsed = CatalogJsonFile.safeParse(parseJson(content));
  if (!parsed.success) {
    throw new CatalogImportError(
      parsed.error.issues.map((issue) => ({ place: formatPath(issue.path), says: issue.message })),
    );
  }
  const { labs, markers } = parsed.data;
  return [
    ...labs.map((lab, at) => toImportRow(`labs[${at}]`, 'lab', lab)),
    ...markers.flatMap((marker, at) => toMarkerRows(`markers[${at}]`, marker)),
  ];
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CatalogImportError([{ place: 'the file', says: `invalid JSON: ${why}` }]);
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  const place = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return place.replace(/^\./, '') || 'the file';
}

const toImportRow = (place: string, record: string, cells: CatalogImportRow['cells']): CatalogImportRow => ({
  place,
  cells: Object.fromEntries(Object.entries({ ...cells, record }).filter(([, cell]) => cell !== null)),
});

function toMarkerRows(place: string, node: z.output<typeof MarkerNode>): CatalogImportRow[] {
  const { results = [], questions = [], ...cells } = node;
  const of = { lab: cells['lab'], marker: cells['marker'] };
  return [
    toImportRow(place, 'marker', cells),
    ...results.map((result, at) => toImportRow(`${place}.results[${at}]`, 'result', { ...of, ...result })),
    ...questions.flatMap(({ answers = [], ...question }, at) => [
      toImportRow(`${place}.questions[${at}]`, 'question', { ...of, ...question }),
      ...answers.map((answer, place2) =>
        toImportRow(`${place}.questions[${at}].answers[${place2}]`, 'answer', {
          ...of,
          question: question['code'],
          ...answer,
        }),
      ),
    ]),
  ];
}
