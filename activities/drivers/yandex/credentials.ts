/** Folder and key of a service account in a class's Secret, as the driver of 2020 reads them. */
import { createPrivateKey, sign, constants, type KeyObject } from 'node:crypto';
import { nowMs } from '../../system/system.ts';
import { fault } from '../frame/fault.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

export interface Credentials {
  folder: string;
  keyId: string;
  serviceAccountId: string;
  privateKey: string;
}

export function credentialsOf(secret: Readonly<Record<string, string>>): Credentials {
  const folder = secret['folderID']?.trim() ?? '';
  if (!/^[a-z0-9]{1,50}$/.test(folder)) throw refused('folderID is not the id of a folder');
  const account = parsedJson(secret['serviceAccountJSON']);
  if (account === undefined) throw refused('serviceAccountJSON is missing, or is no JSON');
  const { id, service_account_id, private_key } = Object(account);
  const texts = [id, service_account_id, private_key].map((text) =>
    typeof text === 'string' ? text : '',
  );
  const [keyId = '', serviceAccountId = '', privateKey = ''] = texts;
  if (texts.every(Boolean)) return { folder, keyId, serviceAccountId, privateKey };
  throw refused('serviceAccountJSON has not all of id, service_account_id and private_key');
}

/** For the token endpoint: PS256, for an hour. */
export function signedToken({
  keyId: kid,
  serviceAccountId: iss,
  privateKey,
}: Credentials): string {
  const iat = Math.floor(nowMs() / 1_000);
  const aud = 'https://iam.api.cloud.yandex.net/iam/v1/tokens';
  const parts = [
    { typ: 'JWT', alg: 'PS256', kid },
    { iss, aud, iat, exp: iat + 3_600 },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const signature = sign('sha256', Buffer.from(text.join('.')), {
    key: keyOf(privateKey),
    ...padding,
  });
  return [...text, signature.toString('base64url')].join('.');
}

/** Yandex Cloud writes a line of its own before the key. */
function keyOf(privateKey: string): KeyObject {
  try {
    return createPrivateKey(privateKey.slice(Math.max(0, privateKey.indexOf('-----BEGIN'))));
  } catch {
    throw refused('private_key of serviceAccountJSON is no key');
  }
}

function refused(words: string): Error {
  return fault('unauthenticated', `Secret of the MachineClass: ${words}`);
}
