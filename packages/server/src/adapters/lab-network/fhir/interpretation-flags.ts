import type { CodeableConcept } from './wire.ts';

/** The systems of HL7 table 0078, in R4 and before. */
const HL7_SYSTEM =
  /^(?:http:\/\/terminology\.hl7\.org\/CodeSystem\/(?:v3-ObservationInterpretation|v2-0078)|http:\/\/hl7\.org\/fhir\/(?:v[23]\/)?(?:0078|ObservationInterpretation)|urn:oid:2\.16\.840\.1\.113883\.(?:5\.83|12\.78))$/;
const SNOMED = 'http://snomed.info/sct';

/** SNOMED CT qualifiers as codes of table 0078. */
// prettier-ignore
const SNOMED_FLAGS: Readonly<Record<string, string>> = {
  281302008: 'H', 281300000: 'L', 281301001: 'N', 75540009: 'H', 62482003: 'L', 17621005: 'N', 263654008: 'A',
  260385009: 'NEG', 10828004: 'POS', 131196009: 'S', 30714006: 'R', 11896004: 'I',
};

/**
 * The codes of HL7 table 0078: those of its own systems, else those that SNOMED CT codes stand for, else whatever the
 * laboratory has, codes and words, of which the known ones count.
 */
export function readFlags({ coding, text }: CodeableConcept): string[] {
  const own = coding.find(({ system, code }) => code !== undefined && HL7_SYSTEM.test(system ?? ''))?.code;
  if (own !== undefined) return [own];
  const snomed = coding.find(({ system }) => system === SNOMED)?.code;
  const meant = snomed === undefined ? undefined : SNOMED_FLAGS[snomed];
  if (meant !== undefined) return [meant];
  const words = coding.flatMap(({ code, display }) => [code, display]);
  return [...new Set([...words, text].filter((word) => word !== undefined))];
}
