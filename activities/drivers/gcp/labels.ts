/** Whose an instance is, as its labels say. */
import type { TagSpelling } from '../frame/cloud.ts';

/** Of one instance. */
const labelCountMax = 64;

/** A class may have so many. */
export const classLabelsMax = labelCountMax - 3;

/**
 * Google's labels allow neither dots nor slashes: these are `millwright.dev/cluster` and so on in
 * other spelling. Nor do they allow upper case, dots and more than 63 characters in a value.
 */
export const labelSpelling: TagSpelling = {
  word: 'label',
  names: {
    cluster: 'millwright-cluster',
    namespace: 'millwright-namespace',
    machineUid: 'millwright-machine-uid',
    token: 'millwright-token',
  },
  allowed: /^[a-z0-9_-]{1,63}$/,
  countMax: labelCountMax,
};
