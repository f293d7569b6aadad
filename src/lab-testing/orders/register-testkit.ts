import { DomainError, found, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { findUserByEmail, getUser, type User } from '../../users/users.ts';
import { standardTestkit } from '../catalog/catalog.ts';
import { accountOf } from './account.ts';
import type { RegisterTestkit } from './commands.ts';
import { advance, amend } from './orders.ts';
import { datedConsents, factsOf, type Order, type OrderPrivate } from './order.ts';
import { insertOrder, nobody } from './insert-order.ts';
import { holdNames, keepName } from './name-store.ts';
import { patientNameOf } from './names.ts';
import { requirePatient } from './patient-rules.ts';
import { namedPhysician, requirePhysician, type Warn } from './physicians.ts';
import { canMove } from './status.ts';
import { lockOrder } from './row-store.ts';
import { isSampleTaken, lockSample } from './sample-store.ts';
import * as reading from './read-store.ts';
import type * as store from './store.ts';

/**
 * Says who holds a kit. It is found by its sample id: 404 when nobody sent it, 400 when it is registered already.
 * A kit on its way is registered while shipping goes on beside it. The rules that an order keeps to when it is placed
 * for a known patient are kept here, where the patient becomes known.
 */
export async function registerTestkit(work: Work, command: RegisterTestkit, warn: Warn): Promise<Order> {
  await requirePatient(work, command.patient_details, 'testkit');
  // Of two who register one kit at once the second waits here, and then reads what the first has said.
  await lockSample(work, command.sample_id);
  const named = await reading.findBySample(work, command.sample_id);
  // A courier that is just telling where it is comes first.
  const sent = named && (await lockOrder(work, named.id));
  const user = await registrant(work, command, sent);
  const kit = sent ?? (await kitFromStock(work, command, user));
  if (kit.registered_at !== null) throw alreadyRegistered(command);
  if (!kit.registrable)
    throw new DomainError(
      'bad_request',
      `Kit ${command.sample_id} was sent to a known patient; it needs no registration`,
    );
  if (kit.user_id !== user.id)
    throw new DomainError('bad_request', `Kit ${command.sample_id} was ordered for another user`);
  const account = await accountOf(work, kit);
  const { physician } = command;
  await requirePhysician(work, { account, labSlug: kit.lab_slug, physician, warn });
  return register(work, kit, command);
}

/** The user named, or the one whose e-mail address is known, or the one whom the kit was sent to. */
async function registrant(work: Work, command: RegisterTestkit, kit: Order | undefined): Promise<User> {
  if (command.user_id != null) return getUser(work, command.user_id);
  const byEmail = await findUserByEmail(work, command.patient_details.email);
  if (byEmail) return byEmail;
  if (kit) return getUser(work, kit.user_id);
  throw invalidField(['body', 'user_id'], 'required, because no user of the team has this e-mail address');
}

const alreadyRegistered = ({ sample_id: sampleId }: RegisterTestkit) =>
  new DomainError('bad_request', `Kit ${sampleId} is already registered`);

/**
 * In sandbox an unknown sample id stands for a kit that was handed out: registering it makes its order. The kit of a
 * deleted user is not to be found either, and is no other's.
 */
async function kitFromStock(work: Work, command: RegisterTestkit, user: User): Promise<Order> {
  if (work.tenant.environment === 'production') return found<Order>(undefined, 'Test kit');
  const test = await standardTestkit(work);
  if (await isSampleTaken(work, { labId: test.lab.id, sampleId: command.sample_id }))
    throw alreadyRegistered(command);
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: nobody,
    row: { user_id: user.id, registrable: true, sample_id: command.sample_id, leg: 'customer' },
  });
}

async function register(work: Work, kit: Order, command: RegisterTestkit): Promise<Order> {
  const { patient_details: patient, patient_address: address, physician } = command;
  const people: OrderPrivate = {
    ...kit.private,
    patient,
    address,
    consents: datedConsents(work.now, command.consents),
  };
  const name = patientNameOf(people);
  const changes: store.OrderChanges = {
    registered_at: work.now,
    private: people,
    patient_name_id: keepName(work, await holdNames(work, [name]), name),
    ...(physician ? { physician: namedPhysician(physician) } : {}),
  };
  const waiting = kit.step === 'ordered' ? await advance(work, kit, { to: 'awaiting_registration' }) : kit;
  if (canMove({ ...factsOf(waiting), registered: true }, 'testkit_registered')) {
    return advance(work, waiting, { to: 'testkit_registered', changes });
  }
  if (!ON_ITS_WAY.has(waiting.step)) {
    throw new DomainError('bad_request', `A kit at ${waiting.step} cannot be registered`);
  }
  return amend(work, waiting, changes);
}

const ON_ITS_WAY = new Set(['transit_customer', 'problem_in_transit_customer', 'out_for_delivery']);
