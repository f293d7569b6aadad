import { z } from 'zod';
import { IDS_PER_LAB } from '../../packages/server/src/ordering/catalog/seed/check.ts';
import type {
  SeedExpectedResultRow,
  SeedMarkerRow,
} from '../../packages/server/src/ordering/catalog/seed/schema.ts';
import type { AnalyteSource } from './analytes.ts';
import type { LabSource } from './labs.ts';
import { priceOf, termsOf } from './prices.ts';
import { aoeOf } from './questions.ts';
import { slugOf } from './slug.ts';
import { Cell, Codes, Count, Phrases, readTable, Words } from './table.ts';

/** `members` are keys of analytes. A `?` after a key means that it may be missing from a complete report. */
const PanelRow = z.object({
  no: Count,
  key: Cell,
  name: Cell,
  category: Cell,
  members: Words,
  aoe: Codes,
  synonyms: Phrases,
  description: Cell,
});
export type PanelSource = z.infer<typeof PanelRow>;

export const readPanels = (): PanelSource[] => readTable('panels.psv', PanelRow);

/** Numbers of panels, then of analytes (above 1000), then of results: one range of ids for each laboratory. */
const RESULTS_FROM = 4_000;

/** A stable code, unique to this laboratory and number. */
export const codeAt = (lab: LabSource, no: number): string =>
  `${lab.prefix}${10_000 + ((no * lab.spread) % 90_000)}`;

export function markersOf(lab: LabSource, panels: PanelSource[], analytes: AnalyteSource[]): SeedMarkerRow[] {
  const known = new Map(analytes.map((source) => [source.analyte.key, source]));
  const sold = analytes.filter(({ analyte, order }) => order !== 'r' && lab.offers(analyte.key));
  return [
    ...panels.filter((panel) => lab.offers(panel.key)).map((panel) => panelAt(lab, panel, known)),
    ...sold.map((source) => biomarkerAt(lab, source)),
  ];
}

/** A laboratory that offers a panel measures all its members, whether or not it sells them separately. */
function panelAt(lab: LabSource, panel: PanelSource, known: Map<string, AnalyteSource>): SeedMarkerRow {
  const expected_results = panel.members.map((member) => {
    const source = known.get(member.replace('?', ''));
    if (!source) throw new Error(`${panel.key}: unknown analyte ${member}`);
    return resultAt(lab, source, !member.endsWith('?'));
  });
  const { common, worst } = termsOf(panel.category);
  return {
    ...identity(lab, panel.no, panel.name),
    type: 'panel',
    description: panel.description,
    unit: null,
    price: priceOf(panel.category, panel.members.length, lab.priceFactor),
    a_la_carte_enabled: true,
    is_orderable: true,
    common_tat_days: common,
    worst_case_tat_days: worst,
    synonyms: panel.synonyms,
    aoe: aoeOf(lab.lab.id, panel.aoe),
    expected_results,
  };
}

function biomarkerAt(lab: LabSource, source: AnalyteSource): SeedMarkerRow {
  const { analyte, category, order } = source;
  const { common, worst } = termsOf(category);
  return {
    ...identity(lab, source.no, analyte.name),
    type: 'biomarker',
    description: analyte.loinc === null ? null : `LOINC ${analyte.loinc.code}: ${analyte.loinc.name}`,
    unit: analyte.measure.kind === 'numeric' ? analyte.measure.unit : null,
    price: priceOf(category, 1, lab.priceFactor),
    a_la_carte_enabled: order === 'y',
    is_orderable: order !== 'x',
    common_tat_days: common,
    worst_case_tat_days: worst,
    synonyms: analyte.synonyms,
    aoe: aoeOf(lab.lab.id, source.questions),
    expected_results: [resultAt(lab, source, true)],
  };
}

const identity = (lab: LabSource, no: number, name: string) => ({
  id: lab.lab.id * IDS_PER_LAB + no,
  provider_id: codeAt(lab, no),
  name,
  slug: slugOf(name),
});

const resultAt = (
  lab: LabSource,
  { no, analyte }: AnalyteSource,
  required: boolean,
): SeedExpectedResultRow => ({
  id: lab.lab.id * IDS_PER_LAB + RESULTS_FROM + no,
  analyte: analyte.key,
  provider_id: `${codeAt(lab, no)}R`,
  required,
});
