import { z } from 'zod';
import type { DemoOptions } from './options.ts';
import type { DemoClinic } from './clinic.ts';

const NAME = 'Demo laboratory';
const LAB = 'labcorp';
const FACILITY = 'DEMO-LAB';

/** Why a report matches no order. */
// prettier-ignore
const CASES = [
  { placer: 'UNKNOWN-1', person: 2, lastName: null,     value: '92'  },
  { placer: 'UNKNOWN-2', person: 3, lastName: null,     value: '118' },
  { placer: 'UNKNOWN-3', person: 4, lastName: 'Miller', value: '101' },
  { placer: 'UNKNOWN-4', person: 5, lastName: 'Ortega', value: '87'  },
] as const;

/** Sends results of patients of the clinic that name no order of it. Returns how many there are. */
export async function sendUnmatchedResults(team: DemoOptions, clinic: DemoClinic): Promise<number> {
  const connections = `/v1/org/${team.orgId}/team/${team.teamId}/sandbox/lab_connection`;
  const { id, our_facility } = await findConnection(team, connections);
  const answer = z.object({ token: z.string() });
  const { token } = await team.client.management({
    method: 'POST',
    path: `${connections}/${id}/token`,
    answer,
  });
  for (const [at, { placer, person, lastName, value }] of CASES.entries()) {
    const patient = clinic.people[person % clinic.people.length]?.patient;
    if (!patient) continue;
    const name = `${lastName ?? patient.last_name}^${patient.first_name}`;
    const at14 = team.now().toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
    const day = at14.slice(0, 8);
    const message = [
      `MSH|^~\\&|LIS|${FACILITY}|ALIQUOT|${our_facility}|${at14}+0000||ORU^R01|DEMO-${clinic.seed}-${at}|P|2.5.1`,
      `PID|1||${1000 + at}||${name}||${patient.dob.replaceAll('-', '')}|${patient.gender === 'female' ? 'F' : 'M'}`,
      `OBR|1|${placer}|L${at}|001032^Glucose^L|||${day}080000+0000|||||||||||||||${day}||LAB|F`,
      `OBX|1|NM|2345-7^Glucose^LN||${value}|mg/dL|70-99|${Number(value) > 99 ? 'H' : ''}|||F`,
      '',
    ].join('\r');
    await team.client.team({
      method: 'POST',
      path: '/v1/inbound/laboratory/message',
      body: message,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/hl7-v2' },
      answer: z.unknown(),
    });
  }
  return CASES.length;
}

const Connection = z.object({ id: z.string(), name: z.string(), our_facility: z.string() });

async function findConnection({ client }: DemoOptions, path: string): Promise<z.output<typeof Connection>> {
  const listed = await client.management({ method: 'GET', path, answer: z.unknown() });
  const known = z.object({ data: z.array(z.unknown()) }).safeParse(listed);
  const found = (known.success ? known.data.data : [])
    .map((one) => Connection.safeParse(one))
    .find(({ data }) => data?.name === NAME)?.data;
  if (found) return found;
  const body = {
    lab: LAB,
    name: NAME,
    inbound: 'https',
    outbound: 'none',
    lab_application: 'LIS',
    lab_facility: FACILITY,
  };
  return client.management({ method: 'POST', path, body, answer: Connection });
}
