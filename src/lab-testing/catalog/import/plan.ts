import { isDeepStrictEqual } from 'node:util';
import type { ImportedMarker, Imported } from './assemble.ts';
import { ids, type Numbering } from './numbering.ts';
import type { LabRow, LoincNames, MarkerRow } from './import-store.ts';
import { resultOf } from './result-of.ts';
import { slugOf } from './slug.ts';
import type { Parsed } from './record.ts';

/** What is in the catalogue already. */
export interface Existing {
  readonly labs: readonly LabRow[];
  /** Those of the laboratories that the file names. */
  readonly markers: readonly MarkerRow[];
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

export interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

/** What an import would write, and what it need not. */
export interface Plan {
  readonly labs: readonly LabRow[];
  readonly markers: readonly MarkerRow[];
  readonly counts: { readonly labs: Counts; readonly markers: Counts };
  /** How many of the changed ones were shipped, and are the deployment's own from then on. */
  readonly takenOver: number;
}

/** Compares the file with the catalogue. `take` gives a number to what has none yet. */
export function planImport(imported: Imported, existing: Existing, take: () => number): Plan {
  const known = new Map(existing.labs.map((lab) => [lab.slug, lab]));
  const labs = imported.labs.map((row) => {
    const before = known.get(row.lab);
    return { before, after: labRow(row, before?.id ?? take()) };
  });
  const idOf = new Map(
    [...existing.labs, ...labs.map(({ after }) => after)].map(({ slug, id }) => [slug, id]),
  );
  const numbering = ids(existing.markers, take);
  const markers = imported.markers.map((marker) => {
    const labId = idOf.get(marker.row.lab) ?? 0;
    const before = numbering.marker(labId, marker.row.marker);
    return { before, after: markerRow(marker, { labId, before, numbering, loincs: existing.loincs }) };
  });
  const taken = [...labs, ...markers].filter(({ before }) => before?.source === 'shipped').length;
  return {
    labs: written(labs),
    markers: written(markers),
    counts: { labs: counted(labs), markers: counted(markers) },
    takenOver: taken,
  };
}

interface Change<Row> {
  readonly before: Row | undefined;
  readonly after: Row;
}

const isSame = <Row>({ before, after }: Change<Row>): boolean => isDeepStrictEqual(before, after);

const written = <Row>(changes: readonly Change<Row>[]): Row[] =>
  changes.filter((change) => !isSame(change)).map(({ after }) => after);

function counted<Row>(changes: readonly Change<Row>[]): Counts {
  const added = changes.filter(({ before }) => before === undefined).length;
  const same = changes.filter(isSame).length;
  return { added, same, changed: changes.length - added - same };
}

const labRow = (row: Parsed<'lab'>, id: number): LabRow => ({
  id,
  slug: row.lab,
  name: row.name,
  first_line_address: row.first_line_address,
  city: row.city,
  zipcode: row.zipcode,
  collection_methods: row.collection_methods,
  sample_types: row.sample_types,
  source: 'imported',
});

interface Known {
  readonly labId: number;
  readonly before: MarkerRow | undefined;
  readonly numbering: Numbering;
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

function markerRow(marker: ImportedMarker, { labId, before, numbering, loincs }: Known): MarkerRow {
  const { row, results, questions } = marker;
  return {
    id: before?.id ?? numbering.take(),
    lab_id: labId,
    slug: row.slug ?? slugOf(row.name),
    name: row.name,
    description: row.description ?? null,
    provider_id: row.marker,
    type: row.type,
    unit: row.unit ?? null,
    price: row.price ?? null,
    aoe: questions.length === 0 ? null : { questions: questionsOf(questions, { before, numbering }) },
    expected_results: results.map((result) =>
      resultOf(result, { id: numbering.result(labId, result.code), loincs }),
    ),
    a_la_carte_enabled: row.a_la_carte_enabled,
    is_orderable: row.is_orderable,
    common_tat_days: row.common_tat_days ?? null,
    worst_case_tat_days: row.worst_case_tat_days ?? null,
    synonyms: row.synonyms,
    cpt_codes: row.cpt_codes,
    source: 'imported',
    retired_at: null,
  };
}

/** In the order of the file. One that was there before keeps its number, and so do its answers. */
function questionsOf(
  questions: ImportedMarker['questions'],
  { before, numbering }: Pick<Known, 'before' | 'numbering'>,
) {
  return questions.map(({ row, answers }, at) => {
    const known = before?.aoe?.questions.find(({ code }) => code === row.code);
    return {
      id: known?.id ?? numbering.take(),
      required: row.required,
      code: row.code,
      value: row.name,
      type: row.type,
      sequence: at + 1,
      answers: answers.map(({ code, name }) => ({
        id: known?.answers.find((answer) => answer.code === code)?.id ?? numbering.take(),
        code,
        value: name,
      })),
      constraint: row.constraint ?? null,
      default: row.default ?? null,
    };
  });
}
