/**
 * The three functions of the "reflect metadata" proposal that @peculiar/x509 asks for (its container of
 * dependencies refuses to load without them). To be called before that package is loaded.
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

/** Looks at the target first, then up its chain of prototypes. */
function getMetadata(key: unknown, target: Target): unknown {
  if (metadata.get(target)?.has(key) === true) return getOwnMetadata(key, target);
  const parent: unknown = Object.getPrototypeOf(target);
  return isTarget(parent) ? getMetadata(key, parent) : undefined;
}

function isTarget(value: unknown): value is Target {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function provideReflectMetadata(): void {
  Object.assign(Reflect, { defineMetadata, getOwnMetadata, getMetadata });
}
