/** Kubernetes quantities, e.g. `2`, `500m`, `16Gi`, `1e3`. */

const factors: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The API server writes quantities in a form of its own: `1000m` comes back as `1`. */
export function isSameQuantity(a: string, b: string): boolean {
  return a === b || (valueOf(a) !== undefined && valueOf(a) === valueOf(b));
}

export function isQuantity(text: string): boolean {
  return valueOf(text) !== undefined;
}

/** The API server itself writes at most some 20 characters. */
const longestText = 64;

/** Undefined when it is no quantity, or one of over 64 characters. */
function valueOf(text: string): number | undefined {
  if (text.length > longestText) return undefined;
  const [, number = '', suffix = ''] =
    /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? [];
  const factor = factors[suffix];
  return number === '' || factor === undefined ? undefined : Number(number) * factor;
}
