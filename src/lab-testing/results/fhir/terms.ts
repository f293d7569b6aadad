import { createHash } from 'node:crypto';

/** A resource of FHIR R4, as far as it is written here; tests hold whole bundles against the published structures. */
export interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

export const SYSTEM = {
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

/** The codes of one laboratory's compendium. */
export const laboratorySystem = (labSlug: string): string => `urn:x-laboratory:${labSlug}`;

/** The standard's place for a value as it was printed, where the value alone does not say it: `5.70`, `1,234`. */
export const RENDERED = 'http://hl7.org/fhir/StructureDefinition/rendered-value';

export const fullUrl = (id: string): string => `urn:uuid:${id}`;
export const reference = (id: string, display?: string) => ({
  reference: fullUrl(id),
  ...(display === undefined ? {} : { display }),
});

/** An id that the same part of the same order always has, in the form of a UUID of version 8. */
export function idOf(orderId: string, ...part: string[]): string {
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

/** An element that is there or not: FHIR has neither null nor empty lists nor empty texts. */
export function present(elements: Readonly<Record<string, unknown>>): Record<string, unknown> {
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

export interface Coded {
  readonly loinc: string | null;
  readonly providerId: string | null;
  readonly name: string;
  readonly labSlug: string;
}

export const codeOf = ({ loinc, providerId, name, labSlug }: Coded) =>
  present({
    coding: [
      ...(loinc === null ? [] : [{ system: SYSTEM.loinc, code: loinc }]),
      ...(providerId === null
        ? []
        : [{ system: laboratorySystem(labSlug), code: providerId, display: name }]),
    ],
    text: name,
  });
