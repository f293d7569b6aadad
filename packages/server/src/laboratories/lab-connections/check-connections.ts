import { X509Certificate } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { asSystem } from '../../platform/db/transact.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { DomainError } from '../../platform/errors.ts';
import { reachServer } from '../../platform/network/reach-server.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Platform } from '../../platform/work.ts';
import type { LabConnectionRow } from './connection.ts';
import { listEnabledConnections } from './connection-store.ts';
import { resolveReachableHost } from './reachable-host.ts';
import { openTls } from './tls.ts';

/** What a look at a connection to a laboratory saw. */
export interface LabConnectionCheck {
  readonly tenant: Tenant;
  readonly id: string;
  readonly lab: string;
  /** Where orders go. */
  readonly destination: string;
  /** Why it cannot be reached; undefined if it can. */
  readonly failure: string | undefined;
  /** The end of the laboratory's certificate. */
  readonly certificateEnd: Date | undefined;
  /** The end of our client certificate. */
  readonly clientCertificateEnd: Date | undefined;
}

type LabCheckContext = Pick<Platform, 'config' | 'db'> & {
  readonly keyring: Pick<Platform['keyring'], 'cipherOf'>;
};

const AT_ONCE = 16;

/**
 * Looks whether the enabled connections that send orders can reach their laboratories. Opens connections and sends
 * nothing: no laboratory sees a message.
 */
export async function checkLabConnections(app: LabCheckContext): Promise<LabConnectionCheck[]> {
  const rows = await asSystem(app.db, listEnabledConnections);
  const sending = rows.filter(({ outbound, inbound }) => outbound !== 'none' || inbound === 'folder');
  const checks: LabConnectionCheck[] = [];
  for (let at = 0; at < sending.length; at += AT_ONCE)
    checks.push(
      ...(await Promise.all(sending.slice(at, at + AT_ONCE).map((row) => checkConnection(app, row)))),
    );
  return checks;
}

async function checkConnection(app: LabCheckContext, row: LabConnectionRow): Promise<LabConnectionCheck> {
  const isMllp = row.outbound === 'mllp';
  const checked = { tenant: toTenant(row), id: row.id, lab: row.lab };
  const destination = isMllp ? `${row.host ?? ''}:${row.port ?? ''}` : 'LAB_FOLDERS';
  const ends = { certificateEnd: undefined, clientCertificateEnd: undefined };
  try {
    const seen = isMllp ? await reachLaboratory(app, row) : await checkFolder(app);
    return { ...checked, destination, failure: undefined, ...ends, ...seen };
  } catch (error) {
    return { ...checked, destination, failure: describeFailure(error), ...ends };
  }
}

async function reachLaboratory(
  { config, keyring }: LabCheckContext,
  row: LabConnectionRow,
): Promise<Pick<LabConnectionCheck, 'certificateEnd' | 'clientCertificateEnd'>> {
  const { host, port, uses_tls: usesTls } = row;
  if (host === null || port === null) throw new Error('The connection has no host or port');
  const tenant = toTenant(row);
  const { ca, cert, key } = openTls(await keyring.cipherOf(tenant), row.tls_material);
  const material = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const addresses = await resolveReachableHost(config, tenant.environment, { host, usesTls });
  return {
    certificateEnd: await reachServer({ host, port, addresses, tls: usesTls ? material : undefined }),
    clientCertificateEnd:
      usesTls && cert !== undefined ? new Date(new X509Certificate(cert).validTo) : undefined,
  };
}

/** Does not make the folder of the connection, as sending would. */
async function checkFolder({ config }: LabCheckContext): Promise<object> {
  if (config.LAB_FOLDERS === undefined) throw new Error('LAB_FOLDERS is not set');
  await access(config.LAB_FOLDERS, constants.R_OK | constants.W_OK);
  return {};
}

const describeFailure = (error: unknown): string =>
  error instanceof DomainError
    ? String(error.detail)
    : error instanceof Error
      ? error.message
      : String(error);
