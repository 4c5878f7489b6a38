/**
 * The three functions of the "reflect metadata" proposal that @peculiar/x509 asks for (its container of
 * dependencies refuses to load without them). Import this before it.
 */
type Target = object;

const metadata = new WeakMap<Target, Map<unknown, unknown>>();

function defineMetadata(key: unknown, value: unknown, target: Target): void {
  const own = metadata.get(target) ?? new Map<unknown, unknown>();
  own.set(key, value);
  metadata.set(target, own);
}

function getOwnMetadata(key: unknown, target: Target): unknown {
  return metadata.get(target)?.get(key);
}

function getMetadata(key: unknown, target: Target): unknown {
  for (
    let at: Target | null = target;
    at !== null;
    at = Object.getPrototypeOf(at) as Target | null
  ) {
    if (metadata.get(at)?.has(key) === true) return getOwnMetadata(key, at);
  }
  return undefined;
}

Object.assign(Reflect, { defineMetadata, getOwnMetadata, getMetadata });
