import { isoTimestamp } from '../../../platform/clock.ts';
import type { Order } from '../../../ordering/orders/orders.ts';
import { PhysicianView } from '../../../ordering/orders/schema.ts';
import { orderedTestOf } from '../ordered-test.ts';
import type { StoredReport } from '../stored-report.ts';
import {
  toCodeableConcept,
  deriveResourceId,
  omitEmpty,
  toReference,
  SYSTEM,
  type FhirResource,
} from './elements.ts';

export const patientRef = (order: Order) => toReference(order.user_id);
export const requestRef = (order: Order) => toReference(order.id);
const specimenId = (order: Order) => deriveResourceId(order.id, 'specimen');
export const specimenRef = (order: Order) =>
  order.sample_id === null ? undefined : toReference(specimenId(order));
export const laboratoryId = (order: Order, name: string) => deriveResourceId(order.id, 'laboratory', name);

const GENDERS = new Set(['male', 'female', 'other']);

export function buildPatient(order: Order): FhirResource {
  const { patient: who, address } = order.private;
  return {
    resourceType: 'Patient',
    id: order.user_id,
    ...omitEmpty({
      identifier: [{ system: SYSTEM.uri, value: `urn:uuid:${order.user_id}` }],
      name: who ? [omitEmpty({ use: 'official', family: who.last_name, given: [who.first_name] })] : [],
      telecom: who
        ? [
            ...(who.phone_number ? [{ system: 'phone', value: who.phone_number }] : []),
            ...(who.email ? [{ system: 'email', value: who.email }] : []),
          ]
        : [],
      gender: who && (GENDERS.has(who.gender) ? who.gender : 'unknown'),
      birthDate: who?.dob,
      address: address
        ? [
            omitEmpty({
              line: [address.first_line, address.second_line].filter((line) => line != null && line !== ''),
              city: address.city,
              state: address.state,
              postalCode: address.zip,
              country: address.country,
            }),
          ]
        : [],
    }),
  };
}

const OptionalPhysician = PhysicianView.nullable();

/** The ordering physician, if the order has one. */
export function buildPractitioner(order: Order): FhirResource | undefined {
  const who = OptionalPhysician.parse(order.physician);
  if (!who) return undefined;
  return {
    resourceType: 'Practitioner',
    id: deriveResourceId(order.id, 'practitioner'),
    identifier: [{ system: SYSTEM.npi, value: who.npi }],
    name: [omitEmpty({ family: who.last_name, given: [who.first_name] })],
  };
}

export function buildServiceRequest(order: Order, report: StoredReport): FhirResource {
  const { name, markers } = orderedTestOf(order);
  const by = buildPractitioner(order);
  return {
    resourceType: 'ServiceRequest',
    id: order.id,
    ...omitEmpty({
      identifier: [
        { type: { coding: [{ system: SYSTEM.identifierType, code: 'PLAC' }] }, value: order.id },
        ...(order.sample_id === null
          ? []
          : [
              { type: { coding: [{ system: SYSTEM.identifierType, code: 'FILL' }] }, value: order.sample_id },
            ]),
      ],
      status: report.status === 'partial' ? 'active' : 'completed',
      intent: 'order',
      priority: order.priority ? 'urgent' : 'routine',
      code: { text: name },
      orderDetail: (markers ?? []).map((marker) =>
        toCodeableConcept({
          loinc: null,
          providerId: marker.provider_id ?? null,
          name: marker.name,
          labSlug: order.lab_slug,
        }),
      ),
      subject: patientRef(order),
      authoredOn: isoTimestamp(order.created_at),
      requester: by && toReference(by.id),
      specimen: specimenRef(order) && [specimenRef(order)],
    }),
  };
}

export interface SpecimenTimes {
  readonly collected: Date | undefined;
  readonly received: Date | undefined;
}

export function buildSpecimen(
  order: Order,
  { collected, received }: SpecimenTimes,
): FhirResource | undefined {
  if (order.sample_id === null) return undefined;
  return {
    resourceType: 'Specimen',
    id: specimenId(order),
    ...omitEmpty({
      accessionIdentifier: { value: order.sample_id },
      subject: patientRef(order),
      receivedTime: received && isoTimestamp(received),
      collection: collected && { collectedDateTime: isoTimestamp(collected) },
      request: [requestRef(order)],
    }),
  };
}

/** The laboratory responsible for the report, and all others that performed tests. */
export function buildLaboratories(order: Order, report: StoredReport): FhirResource[] {
  const names = report.results.map(({ performingLaboratory: at }) => at ?? report.laboratory);
  return [...new Set([report.laboratory, ...names])].map((name) => ({
    resourceType: 'Organization',
    id: laboratoryId(order, name),
    ...omitEmpty({
      identifier:
        name === report.laboratory && report.clia !== null
          ? [{ system: SYSTEM.clia, value: report.clia }]
          : [],
      name: laboratoryNameOf(order, name),
    }),
  }));
}

/** Simulated reports name their laboratory by its slug. */
const laboratoryNameOf = (order: Order, name: string): string =>
  name === order.lab_slug ? (orderedTestOf(order).lab?.name ?? name) : name;
