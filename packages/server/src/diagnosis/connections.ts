import { checkDestinations, type DestinationCheck } from '../delivery/pipelines/pipelines.ts';
import {
  checkLabConnections,
  type LabConnectionCheck,
} from '../laboratories/lab-connections/lab-connections.ts';
import { compareMigrations } from '../platform/db/migrate.ts';
import type { Db } from '../platform/db/transact.ts';
import { openProviderKeyring, type Keyring } from '../platform/crypto/keyring.ts';
import type { Tenant } from '../platform/tenant.ts';
import { describeEnd } from './certificates.ts';
import { isFirstStart } from './outside.ts';
import { reasonOf, type Check, type DiagnosisContext, type Finding } from './finding.ts';

/** What the teams of this deployment have connected: only where the database is reached and has the schema of this version. */
export const connectionChecks: readonly Check[] = [
  {
    subject: 'laboratories',
    run: async (context) => {
      const app = await openTeams(context);
      return app ? (await checkLabConnections(app)).flatMap(describeLaboratory) : [];
    },
  },
  {
    subject: 'brokers',
    run: async (context) => {
      const app = await openTeams(context);
      return app ? (await checkDestinations(app)).flatMap(describeBroker) : [];
    },
  },
];

type OpenedTeams = Pick<DiagnosisContext, 'config' | 'eventDestinations'> & {
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'cipherOf'>;
};

/** Why the database cannot be used was said before. */
async function openTeams(context: DiagnosisContext): Promise<OpenedTeams | undefined> {
  const opened = await context.database().catch(() => undefined);
  // Asking for a key that does not exist yet would make one.
  if (!opened || isFirstStart(context.config)) return undefined;
  const { pending, unknown } = await compareMigrations(opened.pool, new URL('migrations/', context.root));
  if (pending.length > 0 || unknown.length > 0) return undefined;
  const { config, eventDestinations } = context;
  const { db } = opened;
  return { config, eventDestinations, db, keyring: openTeamKeys(context, db) };
}

/** Asks the key provider only if a team has something that is encrypted. */
function openTeamKeys({ openKeyProviders }: DiagnosisContext, db: Db): Pick<Keyring, 'cipherOf'> {
  let opened: Promise<Keyring> | undefined;
  const open = async () => openProviderKeyring(db, { ...(await openKeyProviders()), ...KEY_OPTIONS });
  return { cipherOf: async (tenant, tx) => (await (opened ??= open())).cipherOf(tenant, tx) };
}

/** Nothing is derived, and no key outlives the command. */
const KEY_OPTIONS = { deploymentKey: Buffer.alloc(0), keysMax: 1000, lifetimeMs: Infinity };

const nameOf = ({ teamId, environment }: Tenant): string => `team ${teamId}, ${environment}`;

function describeLaboratory(check: LabConnectionCheck): Finding[] {
  const subject = `laboratory ${check.lab}`;
  const place = `${nameOf(check.tenant)}, connection ${check.id}: ${check.destination}`;
  if (check.failure !== undefined) {
    const advice =
      'Orders wait until it answers. Check host, port, TLS and the firewall or VPN, then ask the laboratory; nothing was sent.';
    return [{ subject, state: 'problem', detail: `${place}: ${check.failure}`, advice }];
  }
  return [
    { subject, state: 'ok', detail: `${place} accepts connections` },
    ...describeSoonEnd(subject, {
      what: `${place}: its certificate`,
      end: check.certificateEnd,
      advice: 'Ask the laboratory to renew it: orders fail after that day.',
    }),
    ...describeSoonEnd(subject, {
      what: `${place}: our client certificate`,
      end: check.clientCertificateEnd,
      advice: 'Get a new one, give it to the laboratory, and set it at the connection.',
    }),
  ];
}

function describeBroker({ tenant, broker, failure, certificateEnd }: DestinationCheck): Finding[] {
  const subject = `broker ${broker}`;
  const place = nameOf(tenant);
  if (failure !== undefined) {
    const advice =
      'Events wait until it answers. Check address, user, TLS and exchange or stream with the team; nothing was published.';
    return [{ subject, state: 'problem', detail: `${place}: ${reasonOf(new Error(failure))}`, advice }];
  }
  return [
    { subject, state: 'ok', detail: `${place}: accepts the sign-in` },
    ...describeSoonEnd(subject, {
      what: `${place}: its certificate`,
      end: certificateEnd,
      advice: 'Ask the team to renew it: events wait after that day.',
    }),
  ];
}

interface NamedCertificate {
  readonly what: string;
  readonly end: Date | undefined;
  readonly advice: string;
}

/** Nothing for a certificate that is valid for long, or for no certificate. */
function describeSoonEnd(subject: string, { what, end, advice }: NamedCertificate): Finding[] {
  if (end === undefined) return [];
  const finding = describeEnd(subject, { end, advice });
  return finding.state === 'ok' ? [] : [{ ...finding, detail: `${what} ${finding.detail}` }];
}
