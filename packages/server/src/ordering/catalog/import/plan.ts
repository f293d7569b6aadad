import { isDeepStrictEqual } from 'node:util';
import type { ImportedMarker, ImportedCatalog } from './assemble.ts';
import { createIdAllocator, type CatalogIdAllocator } from './id-allocator.ts';
import type { LabRow, LoincNames, MarkerRow } from './import-store.ts';
import { toImportedResult } from './imported-result.ts';
import { slugify } from './slug.ts';
import type { ParsedImportRow } from './record.ts';

/** The stored catalog, as far as the file refers to it. */
interface ExistingCatalog {
  readonly labs: readonly LabRow[];
  /** The markers of the laboratories that the file names. */
  readonly markers: readonly MarkerRow[];
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

interface CatalogImportCounts {
  readonly added: number;
  readonly changed: number;
  readonly same: number;
}

/** A laboratory or marker that an import adds or changes. */
interface CatalogRowChange {
  readonly record: 'lab' | 'marker';
  /** The slug of the laboratory. */
  readonly lab: string;
  /** The laboratory's code of a marker. */
  readonly marker: string | null;
  readonly name: string;
  readonly action: 'added' | 'changed';
  /** The columns that a change makes different. */
  readonly columns: readonly string[];
}

/** The rows that an import writes, and the counts of changed and unchanged rows. */
export interface CatalogImportPlan {
  readonly labs: readonly LabRow[];
  readonly markers: readonly MarkerRow[];
  readonly counts: { readonly labs: CatalogImportCounts; readonly markers: CatalogImportCounts };
  readonly changes: readonly CatalogRowChange[];
  /** How many shipped rows the import takes over. */
  readonly takenOver: number;
}

/** Compares the file with the catalog. `take` returns the id for a new row. */
export function planImport(
  imported: ImportedCatalog,
  existing: ExistingCatalog,
  take: () => number,
): CatalogImportPlan {
  const known = new Map(existing.labs.map((lab) => [lab.slug, lab]));
  const labs = imported.labs.map((row) => {
    const before = known.get(row.lab);
    return { before, after: toLabRow(row, before?.id ?? take()) };
  });
  const idOf = new Map(
    [...existing.labs, ...labs.map(({ after }) => after)].map(({ slug, id }) => [slug, id]),
  );
  const numbering = createIdAllocator(existing.markers, take);
  const markers = imported.markers.map((marker) => {
    const labId = idOf.get(marker.row.lab) ?? 0;
    const before = numbering.findMarker(labId, marker.row.marker);
    return { before, after: toMarkerRow(marker, { labId, before, numbering, loincs: existing.loincs }) };
  });
  const slugOf = new Map([...idOf].map(([slug, id]) => [id, slug]));
  const taken = [...labs, ...markers].filter(({ before }) => before?.source === 'shipped').length;
  return {
    labs: selectChangedRows(labs),
    markers: selectChangedRows(markers),
    counts: { labs: countChanges(labs), markers: countChanges(markers) },
    changes: [
      ...listChanges(labs, ({ slug }) => ({ record: 'lab', lab: slug, marker: null })),
      ...listChanges(markers, ({ lab_id: labId, provider_id: marker }) => ({
        record: 'marker',
        lab: slugOf.get(labId) ?? '',
        marker,
      })),
    ],
    takenOver: taken,
  };
}

interface PlannedRowChange<Row> {
  readonly before: Row | undefined;
  readonly after: Row;
}

const isUnchanged = <Row>({ before, after }: PlannedRowChange<Row>): boolean =>
  isDeepStrictEqual(before, after);

const selectChangedRows = <Row>(changes: readonly PlannedRowChange<Row>[]): Row[] =>
  changes.filter((change) => !isUnchanged(change)).map(({ after }) => after);

function listChanges<Row extends { readonly name: string }>(
  changes: readonly PlannedRowChange<Row>[],
  describe: (row: Row) => Pick<CatalogRowChange, 'record' | 'lab' | 'marker'>,
): CatalogRowChange[] {
  return changes
    .filter((change) => !isUnchanged(change))
    .map(({ before, after }) => ({
      ...describe(after),
      name: after.name,
      action: before === undefined ? 'added' : 'changed',
      columns:
        before === undefined
          ? []
          : (Object.keys(after) as (keyof Row & string)[]).filter(
              (column) => !isDeepStrictEqual(before[column], after[column]),
            ),
    }));
}

function countChanges<Row>(changes: readonly PlannedRowChange<Row>[]): CatalogImportCounts {
  const added = changes.filter(({ before }) => before === undefined).length;
  const same = changes.filter(isUnchanged).length;
  return { added, same, changed: changes.length - added - same };
}

const toLabRow = (row: ParsedImportRow<'lab'>, id: number): LabRow => ({
  id,
  slug: row.lab,
  name: row.name,
  first_line_address: row.first_line_address,
  city: row.city,
  zipcode: row.zipcode,
  collection_methods: row.collection_methods,
  sample_types: row.sample_types,
  clia: row.clia ?? null,
  director: row.director ?? null,
  source: 'imported',
});

interface MarkerRowContext {
  readonly labId: number;
  readonly before: MarkerRow | undefined;
  readonly numbering: CatalogIdAllocator;
  readonly loincs: ReadonlyMap<string, LoincNames>;
}

function toMarkerRow(
  marker: ImportedMarker,
  { labId, before, numbering, loincs }: MarkerRowContext,
): MarkerRow {
  const { row, results, questions } = marker;
  return {
    id: before?.id ?? numbering.allocate(),
    lab_id: labId,
    slug: row.slug ?? slugify(row.name),
    name: row.name,
    description: row.description ?? null,
    provider_id: row.marker,
    type: row.type,
    unit: row.unit ?? null,
    price: row.price ?? null,
    aoe: questions.length === 0 ? null : { questions: toQuestions(questions, { before, numbering }) },
    expected_results: results.map((result) =>
      toImportedResult(result, { id: numbering.resultId(labId, result.code), loincs }),
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

/** In file order. Existing questions and answers keep their ids. */
function toQuestions(
  questions: ImportedMarker['questions'],
  { before, numbering }: Pick<MarkerRowContext, 'before' | 'numbering'>,
) {
  return questions.map(({ row, answers }, at) => {
    const known = before?.aoe?.questions.find(({ code }) => code === row.code);
    return {
      id: known?.id ?? numbering.allocate(),
      required: row.required,
      code: row.code,
      value: row.name,
      type: row.type,
      sequence: at + 1,
      answers: answers.map(({ code, name }) => ({
        id: known?.answers.find((answer) => answer.code === code)?.id ?? numbering.allocate(),
        code,
        value: name,
      })),
      constraint: row.constraint ?? null,
      default: row.default ?? null,
    };
  });
}
