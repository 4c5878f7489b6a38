/** Fields that hold secrets. */

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

/** Reports whether a field that is logged has the name of a secret. */
export function isSecret(name: string): boolean {
  return secretNames.has(plain(name));
}

/** Reports the same for a key of a Secret: `azureClientSecret` as well as `clientSecret`. */
export function isSecretKey(key: string): boolean {
  const name = plain(key);
  return [...secretNames].some((secret) => name.endsWith(secret));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
