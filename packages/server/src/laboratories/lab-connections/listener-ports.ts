import { randomInt } from 'node:crypto';
import type { App } from '../../app.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../../identity/management/management.ts';
import { listenerPortsOf, type PortRange } from '../../platform/config-laboratories.ts';
import { asSystem, isUniqueViolation } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Environment } from '../../platform/tenant.ts';
import {
  listPortHolders,
  listPortless,
  lockListener,
  updateListener,
  type ListenerRow,
} from './listener-store.ts';

const ATTEMPTS_MAX = 20;

interface PortRequest {
  readonly environment: Environment;
  readonly orgId: string;
}

/**
 * Calls `assign` with a port that no connection has, and again with another one if a concurrent request was faster. The
 * port is null if connections of the environment can only use the shared port, which an operator gives.
 */
export async function withListenerPort<T>(
  app: App,
  request: PortRequest,
  assign: (port: number | null) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await pickPort(app, request);
    try {
      return await assign(port);
    } catch (error) {
      if (!isUniqueViolation(error) || port === null || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}

async function pickPort(app: App, { environment, orgId }: PortRequest): Promise<number | null> {
  const range = listenerPortsOf(app.config, environment);
  if (!range) return requireSharedPort(app, environment);
  const holders = await asSystem(app.db, listPortHolders);
  const max = app.config.LAB_MLLP_PORTS_PER_ORGANIZATION;
  if (holders.filter((holder) => holder.org_id === orgId).length >= max) {
    throw new DomainError(
      'bad_request',
      `An organization has at most ${max} ports for laboratories, those of deleted connections included; restore a ` +
        'deleted connection, or ask the operator of the deployment',
    );
  }
  const taken = new Set(holders.map(({ listener_port }) => listener_port));
  const free = portsIn(range).filter((port) => !taken.has(port));
  const port = free[randomInt(Math.max(free.length, 1))];
  if (port === undefined) {
    throw new DomainError(
      'bad_request',
      'No port for another laboratory is left; ask the operator of the deployment for more',
    );
  }
  return port;
}

function requireSharedPort({ config }: App, environment: Environment): null {
  if (environment === 'production' && config.LAB_MLLP_PORT !== undefined) return null;
  const variable = environment === 'production' ? 'LAB_MLLP_PORTS' : 'LAB_MLLP_SANDBOX_PORTS';
  throw new DomainError(
    'bad_request',
    `This deployment accepts no results by MLLP in ${environment}: its operator has not set ${variable}`,
  );
}

const portsIn = ({ first, last }: PortRange): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/**
 * Gives a port to each connection that receives by MLLP and was created before connections had ports, where the
 * configuration has ports for it. Those that then have neither a port nor the shared one are logged: they receive
 * nothing.
 */
export async function assignMissingPorts(app: App): Promise<void> {
  for (const row of await asSystem(app.db, listPortless)) {
    await assignMissingPort(app, row).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      if (!row.shared_listener)
        app.log.warn(
          { connection_id: row.id, reason: error.message },
          'a laboratory connection receives nothing: it has no port',
        );
    });
  }
}

async function assignMissingPort(app: App, { id, environment, org_id }: ListenerRow): Promise<void> {
  const now = app.clock.now();
  await withListenerPort(app, { environment, orgId: org_id }, (port) =>
    asSystem(app.db, async (tx) => {
      const row = await lockListener(tx, id);
      const isMissing = row?.listener_port === null && row.deleted_at === null;
      if (!row || !isMissing) return;
      if (port === null) {
        if (row.shared_listener) return;
        throw new DomainError('bad_request', 'The operator has not put it on the shared port');
      }
      await updateListener(tx, { id, now }, { listener_port: port });
      await writeAuditEntry(tx, {
        ...SERVICE_ACTOR,
        orgId: org_id,
        teamId: row.team_id,
        environment,
        action: 'assign_lab_port',
        subject: id,
        after: { listener_port: port },
        at: now,
      });
      app.log.info({ connection_id: id, port }, 'assigned a port to a laboratory connection');
    }),
  );
}
