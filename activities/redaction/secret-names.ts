/** Names of fields, and of keys of a Secret, that hold secrets. */

/** Names without case, `-` and `_`. References (`secretRef`, `secretName`) are wanted in logs. */
const secretNames = new Set([
  'accesskeyid',
  'accesstoken',
  'apikey',
  'authorization',
  'bootstraptoken',
  'clientkey',
  'clientsecret',
  'credentials',
  'idtoken',
  'keydata',
  'kubeconfig',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretdata',
  'secrets',
  'serviceaccountjson',
  'stringdata',
  'token',
  'tokensecret',
  'userdata',
]);

/** A field with this name holds one, wherever it stands. */
export function looksSecret(name: string): boolean {
  return secretNames.has(plain(name));
}

/** The same of a key of a Secret: `azureClientSecret` as well as `clientSecret`. */
export function isSecretKey(key: string): boolean {
  const name = plain(key);
  return [...secretNames].some((secret) => name.endsWith(secret));
}

/**
 * A key of a Secret that says which account, place or file it is: people need it, and it gives no
 * access. The id of an access key goes with the key.
 */
export function isOpen(key: string): boolean {
  return /(?<!key)(?:id|arn|region|zone|project|file)$/i.test(key);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
