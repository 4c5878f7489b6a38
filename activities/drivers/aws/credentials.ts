/**
 * Which credentials a Secret gives, in the spellings of Gardener's AWS driver. Decides only;
 * nothing is read or called here.
 */
import type { DriverError } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { isTokenFile, tokenDirectory, tokenFilesAreOff } from '../token-file.ts';

export type Credentials =
  | { kind: 'keys'; accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  | { kind: 'webIdentity'; tokenFile: string; roleArn: string }
  /** Those of the process: what the SDK's own chain finds. */
  | { kind: 'ambient' };

type Secret = Readonly<Record<string, string>>;

/** The first that exists counts, even if it is empty. */
const accessKeyNames = ['providerAccessKeyId', 'accessKeyID'] as const;
const secretKeyNames = ['providerSecretAccessKey', 'secretAccessKey'] as const;
const tokenFileName = 'workloadIdentityTokenFile';
const roleName = 'roleARN';

/** Fails with a fault of kind `credentials` that names what is missing. */
export function credentialsOf(secret: Secret, settings: DriverSettings): Credentials {
  if (secret[tokenFileName] !== undefined) return webIdentityOf(secret, settings);
  const accessKeyId = firstOf(secret, accessKeyNames);
  const secretAccessKey = firstOf(secret, secretKeyNames);
  if (accessKeyId !== '' && secretAccessKey !== '') {
    return { kind: 'keys', accessKeyId, secretAccessKey };
  }
  const isEmpty = accessKeyId === '' && secretAccessKey === '';
  if (isEmpty && settings.allowsAmbientCredentials) return ambientOf(settings.env);
  throw refused(missingKeys({ accessKeyId, secretAccessKey }));
}

function missingKeys(keys: { accessKeyId: string; secretAccessKey: string }): string {
  const missing = [
    ...(keys.accessKeyId === '' ? [accessKeyNames.join(' or ')] : []),
    ...(keys.secretAccessKey === '' ? [secretKeyNames.join(' or ')] : []),
  ];
  return (
    `the Secret of the class has no ${missing.join(', and no ')}. Add what is missing, or ${tokenFileName} with ${roleName} where the worker runs with --token-files; ` +
    `the worker's own credentials are used if it runs with --ambient-credentials and the Secret has none`
  );
}

function webIdentityOf(secret: Secret, settings: DriverSettings): Credentials {
  const { env, allowsTokenFiles = false } = settings;
  const tokenFile = firstOf(secret, [tokenFileName]);
  const roleArn = firstOf(secret, [roleName]);
  if (roleArn === '') {
    throw refused(`the Secret of the class has ${tokenFileName} and no ${roleName}; add it`);
  }
  if (!allowsTokenFiles) {
    throw refused(`${tokenFileName} in the Secret of the class: ${tokenFilesAreOff}`);
  }
  if (isTokenFile(tokenFile, env)) return { kind: 'webIdentity', tokenFile, roleArn };
  throw refused(
    `${tokenFileName} in the Secret of the class: "${tokenFile}" is not a file below ${tokenDirectory(env)}. ` +
      `Put it there, or set MILLWRIGHT_TOKEN_DIRECTORY of the worker`,
  );
}

/** The environment is handed in, so its part of the SDK's chain is decided here. */
function ambientOf(env: Environment): Credentials {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  if (accessKeyId && secretAccessKey) {
    const sessionToken = env['AWS_SESSION_TOKEN'];
    const session = sessionToken ? { sessionToken } : {};
    return { kind: 'keys', accessKeyId, secretAccessKey, ...session };
  }
  const tokenFile = env['AWS_WEB_IDENTITY_TOKEN_FILE'];
  const roleArn = env['AWS_ROLE_ARN'];
  if (tokenFile && roleArn) return { kind: 'webIdentity', tokenFile, roleArn };
  return { kind: 'ambient' };
}

function firstOf(secret: Secret, names: readonly string[]): string {
  const name = names.find((candidate) => secret[candidate] !== undefined);
  return name === undefined ? '' : (secret[name] ?? '').trim();
}

const refused = (message: string): DriverError => fault('unauthenticated', message);
