/**
 * A short fingerprint of some fields (FNV-1a, 2 × 32 bits). It guards against needless signals, not
 * against malice. Objects come from one API server, which writes keys in one order.
 */
export function digestOf(...fields: unknown[]): string {
  const text = JSON.stringify(fields);
  return hash(text, 0x811c9dc5) + hash(text, 0x01000193);
}

function hash(text: string, seed: number): string {
  let value = seed;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}
