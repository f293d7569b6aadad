import { createHash } from 'node:crypto';

/** A FHIR R4 resource, loosely typed. Tests validate whole bundles against the published structure definitions. */
export interface FhirResource {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

export const SYSTEM = {
  snomed: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
  npi: 'http://hl7.org/fhir/sid/us-npi',
  clia: 'urn:oid:2.16.840.1.113883.4.7',
  uri: 'urn:ietf:rfc:3986',
  identifierType: 'http://terminology.hl7.org/CodeSystem/v2-0203',
  interpretation: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  absentReason: 'http://terminology.hl7.org/CodeSystem/data-absent-reason',
  observationCategory: 'http://terminology.hl7.org/CodeSystem/observation-category',
  diagnosticService: 'http://terminology.hl7.org/CodeSystem/v2-0074',
} as const;

/** The code system of one laboratory's compendium. */
const laboratorySystem = (labSlug: string): string => `urn:x-laboratory:${labSlug}`;

/** The extension for a value as printed, where the number alone loses it: `5.70`, `1,234`. */
export const RENDERED_VALUE_URL = 'http://hl7.org/fhir/StructureDefinition/rendered-value';

export const fullUrl = (id: string): string => `urn:uuid:${id}`;
export const toReference = (id: string, display?: string) => ({
  reference: fullUrl(id),
  ...(display === undefined ? {} : { display }),
});

/** A UUID (version 8) derived from the order and the part: the same input always yields the same id. */
export function deriveResourceId(orderId: string, ...part: string[]): string {
  const hex = createHash('sha256')
    .update([orderId, ...part].join('\n'))
    .digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

/** Drops empty elements: FHIR allows no null, no empty list and no empty string. */
export function omitEmpty(elements: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(elements).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );
}

interface CodedTest {
  readonly loinc: string | null;
  readonly providerId: string | null;
  readonly name: string;
  readonly labSlug: string;
}

export const toCodeableConcept = ({ loinc, providerId, name, labSlug }: CodedTest) =>
  omitEmpty({
    coding: [
      ...(loinc === null ? [] : [{ system: SYSTEM.loinc, code: loinc }]),
      ...(providerId === null
        ? []
        : [{ system: laboratorySystem(labSlug), code: providerId, display: name }]),
    ],
    text: name,
  });
