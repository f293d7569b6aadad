import { isoMoment } from '../../../platform/clock.ts';
import type { Order } from '../../orders/orders.ts';
import { PhysicianView } from '../../orders/schema.ts';
import { orderedTestOf } from '../ordered-test.ts';
import type { StoredReport } from '../stored-report.ts';
import { codeOf, idOf, present, reference, SYSTEM, type Resource } from './terms.ts';

export const patientRef = (order: Order) => reference(order.user_id);
export const requestRef = (order: Order) => reference(order.id);
export const specimenId = (order: Order) => idOf(order.id, 'specimen');
export const specimenRef = (order: Order) =>
  order.sample_id === null ? undefined : reference(specimenId(order));
export const laboratoryId = (order: Order, name: string) => idOf(order.id, 'laboratory', name);

const GENDERS = new Set(['male', 'female', 'other']);

export function patient(order: Order): Resource {
  const { patient: who, address } = order.private;
  return {
    resourceType: 'Patient',
    id: order.user_id,
    ...present({
      identifier: [{ system: SYSTEM.uri, value: `urn:uuid:${order.user_id}` }],
      name: who ? [present({ use: 'official', family: who.last_name, given: [who.first_name] })] : [],
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
            present({
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

const MaybePhysician = PhysicianView.nullable();

/** Who ordered the test, where the team named somebody. */
export function practitioner(order: Order): Resource | undefined {
  const who = MaybePhysician.parse(order.physician);
  if (!who) return undefined;
  return {
    resourceType: 'Practitioner',
    id: idOf(order.id, 'practitioner'),
    identifier: [{ system: SYSTEM.npi, value: who.npi }],
    name: [present({ family: who.last_name, given: [who.first_name] })],
  };
}

export function request(order: Order, report: StoredReport): Resource {
  const { name, markers } = orderedTestOf(order);
  const by = practitioner(order);
  return {
    resourceType: 'ServiceRequest',
    id: order.id,
    ...present({
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
        codeOf({
          loinc: null,
          providerId: marker.provider_id ?? null,
          name: marker.name,
          labSlug: order.lab_slug,
        }),
      ),
      subject: patientRef(order),
      authoredOn: isoMoment(order.created_at),
      requester: by && reference(by.id),
      specimen: specimenRef(order) && [specimenRef(order)],
    }),
  };
}

export interface Moments {
  readonly collected: Date | undefined;
  readonly received: Date | undefined;
}

export function specimen(order: Order, { collected, received }: Moments): Resource | undefined {
  if (order.sample_id === null) return undefined;
  return {
    resourceType: 'Specimen',
    id: specimenId(order),
    ...present({
      accessionIdentifier: { value: order.sample_id },
      subject: patientRef(order),
      receivedTime: received && isoMoment(received),
      collection: collected && { collectedDateTime: isoMoment(collected) },
      request: [requestRef(order)],
    }),
  };
}

/** The laboratory that answers for the report, and every other where a result was made. */
export function laboratories(order: Order, report: StoredReport): Resource[] {
  const names = report.results.map(({ performingLaboratory: at }) => at ?? report.laboratory);
  return [...new Set([report.laboratory, ...names])].map((name) => ({
    resourceType: 'Organization',
    id: laboratoryId(order, name),
    ...present({
      identifier:
        name === report.laboratory && report.clia !== null
          ? [{ system: SYSTEM.clia, value: report.clia }]
          : [],
      name: nameOf(order, name),
    }),
  }));
}

/** A report of the simulation names its laboratory by the slug. */
const nameOf = (order: Order, name: string): string =>
  name === order.lab_slug ? (orderedTestOf(order).lab?.name ?? name) : name;
