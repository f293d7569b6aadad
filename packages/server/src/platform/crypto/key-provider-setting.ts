/** A parsed KEY_PROVIDER. It names files, and never holds a secret itself. */
type KeyProviderSetting =
  | { readonly kind: 'environment' }
  | { readonly kind: 'file'; readonly path: string | undefined }
  | AwsKmsSetting
  | VaultTransitSetting;

export interface AwsKmsSetting {
  readonly kind: 'aws-kms';
  /** ARN, id or alias of the key. */
  readonly key: string;
  /** Default: that of the ARN, or of the AWS client's own chain. */
  readonly region: string | undefined;
  /** Default: AWS. */
  readonly endpoint: string | undefined;
}

export interface VaultTransitSetting {
  readonly kind: 'vault-transit';
  /** Without a path, such as `https://vault.example.com:8200`. */
  readonly origin: string;
  readonly mount: string;
  readonly key: string;
  readonly namespace: string | undefined;
  readonly caFile: string | undefined;
  readonly login:
    | { readonly tokenFile: string }
    | { readonly roleId: string; readonly secretIdFile: string; readonly path: string };
}

const EXPECTED =
  'expected environment, file, file:PATH, aws-kms:KEY or vault-transit:https://HOST:PORT/MOUNT/KEY';

/** Parses a KEY_PROVIDER. Returns what was expected if the text is not one. */
export function parseKeyProviderSetting(text: string): KeyProviderSetting | string {
  if (text === 'environment') return { kind: 'environment' };
  if (text === 'file') return { kind: 'file', path: undefined };
  const [, kind, rest = ''] = /^([a-z-]+):(.+)$/.exec(text) ?? [];
  if (kind === 'file') return { kind, path: rest };
  if (kind === 'aws-kms') return parseAwsKms(rest);
  if (kind === 'vault-transit') return parseVault(rest);
  return EXPECTED;
}

const KMS_KEY = /^(arn:[\w-]+:kms:([\w-]+):\d{12}:(?:key|alias)\/[\w/-]+|alias\/[\w/-]+|[\w-]{8,})$/;
const KMS_OPTIONS = ['region', 'endpoint'];

function parseAwsKms(text: string): KeyProviderSetting | string {
  const [key = '', query = ''] = text.split('?', 2);
  const [isKey, , region] = KMS_KEY.exec(key) ?? [];
  if (isKey === undefined) return 'expected aws-kms: and the ARN, the id or the alias of a key';
  const options = new URLSearchParams(query);
  const unknown = findUnknown(options, KMS_OPTIONS);
  if (unknown) return unknown;
  const endpoint = options.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !URL.canParse(endpoint)) return 'expected endpoint to be a URL';
  return { kind: 'aws-kms', key, region: options.get('region') ?? region, endpoint };
}

const VAULT_OPTIONS = ['namespace', 'token_file', 'role_id', 'secret_id_file', 'approle_path', 'ca_file'];
const VAULT_PATH = /^\/((?:[\w.-]+\/)*[\w.-]+)\/([\w.-]+)$/;

function parseVault(text: string): KeyProviderSetting | string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return EXPECTED;
  const url = new URL(text);
  const [, mount, key] = VAULT_PATH.exec(url.pathname) ?? [];
  if (mount === undefined || key === undefined)
    return 'expected vault-transit:https://HOST:PORT/MOUNT/KEY, such as .../transit/aliquot';
  if (url.username !== '' || url.password !== '') return 'expected no credentials in the URL of the vault';
  const unknown = findUnknown(url.searchParams, VAULT_OPTIONS);
  if (unknown) return unknown;
  const login = parseLogin(url.searchParams);
  if (!login) return 'expected token_file=PATH, or role_id=ID and secret_id_file=PATH';
  return {
    kind: 'vault-transit',
    origin: url.origin,
    mount,
    key,
    namespace: url.searchParams.get('namespace') ?? undefined,
    caFile: url.searchParams.get('ca_file') ?? undefined,
    login,
  };
}

function parseLogin(options: URLSearchParams): VaultTransitSetting['login'] | undefined {
  const tokenFile = options.get('token_file');
  const roleId = options.get('role_id');
  const secretIdFile = options.get('secret_id_file');
  if (tokenFile !== null) return roleId === null && secretIdFile === null ? { tokenFile } : undefined;
  if (roleId === null || secretIdFile === null) return undefined;
  return { roleId, secretIdFile, path: options.get('approle_path') ?? 'approle' };
}

function findUnknown(options: URLSearchParams, known: readonly string[]): string | undefined {
  const unknown = [...options.keys()].find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `unknown option ${unknown}: expected ${known.join(', ')}`;
}
